"""Files that are no files, messages, and what fuzzing found: each was a traceback once, or endless."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner

import symattn as sa
from symattn import cli, mathml
from symattn.claims.check import check
from symattn.claims.fix import edits, fixed_text
from symattn.claims.reading import read, reader
from symattn.claims.reading.reader import MAX_NUMBERS
from symattn.errors import (
    MAX_MESSAGE,
    DocumentError,
    LiteralError,
    ModelError,
    OptionError,
    SpecError,
    SymattnError,
    TraceError,
)
from symattn.files import FileError, write
from symattn.literals import exact, parse
from symattn.pretrained.architecture import read_config
from symattn.pretrained.certificate import first_bits
from symattn.pretrained.tensors import Tensors
from symattn.pretrained.tokens import Tokenizer
from symattn.rounding import roughly, to_float
from symattn.spec_reader import load_spec, parse_spec
from symattn.text import load_text
from symattn.tracer import MAX_OPERATIONS, Recorder
from symattn.transformer import worked_attention
from tests.fuzz import harness
from tests.fuzz.targets import TARGETS

GUARD = 300  # seconds after which a command hangs

SPEC = """format = 1
model = "attention_head"
tokens = ["a", "b"]
[matrices]
E = [[1, 0], [0, 1]]
W_Q = "identity"
W_K = "identity"
W_V = "identity"
"""


def symattn(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command line, in a process of its own; nothing may hang."""
    call = [sys.executable, "-m", "symattn", *words]
    return subprocess.run(call, capture_output=True, text=True, timeout=GUARD, **options)


def refused(answer: subprocess.CompletedProcess[str]) -> str:
    """The one line that a command said."""
    assert answer.returncode == 2, answer.stderr[-500:]
    assert "Traceback" not in answer.stderr
    (line,) = answer.stderr.splitlines()
    assert len(line) <= MAX_MESSAGE + 20
    return line


# Files that are none.

READERS: dict[str, tuple[Callable[[Path], Any], str, type[SymattnError]]] = {
    "spec": (load_spec, "x.toml", SpecError),
    "document": (read, "x.md", DocumentError),
    "configuration": (read_config, "config.json", ModelError),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_and_devices_are_refused(reader: str, tmp_path: Path) -> None:
    """A pipe that nobody writes to never begins, and /dev/zero never ends."""
    opened, name, kind = READERS[reader]
    path = tmp_path / name
    os.mkfifo(path)
    with pytest.raises(kind, match=f"{name}: wanted a .*, got a device or a pipe"):
        opened(path)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(kind, match="got a device or a pipe"):
        opened(path)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["a\0b", "\udcff\ud800", "a" * 5000])
def test_names_that_no_file_has(reader: str, name: str, tmp_path: Path) -> None:
    """NUL, half of a character, more than a name may have: our own error, and a short one."""
    opened, suffix, kind = READERS[reader]
    with pytest.raises(kind) as error:
        opened(tmp_path / f"{name}{Path(suffix).suffix}")
    assert len(str(error.value)) <= MAX_MESSAGE


@pytest.mark.parametrize("reader", READERS)
def test_directories_are_refused(reader: str, tmp_path: Path) -> None:
    """A directory where a file is wanted."""
    opened, name, kind = READERS[reader]
    (tmp_path / name).mkdir()
    with pytest.raises(kind):
        opened(tmp_path / name)


@pytest.mark.parametrize("reader", READERS)
def test_bytes_that_are_no_text(reader: str, tmp_path: Path) -> None:
    """Bytes that are not UTF-8, in any reader of text."""
    opened, name, kind = READERS[reader]
    (tmp_path / name).write_bytes(b"format = 1\xff")
    with pytest.raises(kind):
        opened(tmp_path / name)


def test_a_stream_of_the_shell_is_read() -> None:
    """Standard input is a pipe that somebody writes to."""
    if not Path("/dev/stdin").exists():
        pytest.skip("no /dev/stdin here")
    answer = symattn("check", "/dev/stdin", input="A = [[0.5, 0.4], [0.5, 0.5]]\n")
    assert answer.returncode == 0 and "/dev/stdin: nothing could be judged" in answer.stdout


def test_files_with_impossible_names_are_not_written() -> None:
    """Writing tells the same as reading."""
    for name in ("a\0b", "\ud800"):
        with pytest.raises(FileError, match="none has such a name"):
            write(Path(name), "x")


# Messages.


@pytest.mark.parametrize(
    "text",
    ["format = " + "9" * 4000, f"x = {'[' * 5000}", f'format = 1\nmodel = "{"x y" * 10**6}"',
     "format = 1" + "0" * 5000, f'"{"k" * 10**6}" = 1'],
)  # fmt: skip
def test_messages_are_short(text: str) -> None:
    """What is wrong is quoted as far as it helps."""
    with pytest.raises(SpecError) as error:
        parse_spec(text)
    assert len(str(error.value)) <= MAX_MESSAGE


def test_a_long_address_is_one_short_line() -> None:
    """The steps there are stand at the end, and are still said."""
    line = refused(symattn("show", "A" * 50_000))
    assert "characters …" in line and line.endswith("logits, P.exp, P.sum, P")
    line = refused(symattn("show", "A", "--as", "x" * 50_000, "--format", "svg"))
    assert line.endswith("x'")


def test_output_in_any_encoding() -> None:
    """What is piped is UTF-8, whatever was asked for, and half a character its number."""
    env = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    answer = symattn("show", "A[1,1]", env=env)
    assert answer.returncode == 0 and "ℓ_1" in answer.stdout
    env = {**os.environ, "PYTHONIOENCODING": "utf-8", "LC_ALL": "C"}
    refused(symattn("show", os.fsdecode(b"\xff"), env=env))


# Numbers.


def test_numbers_that_no_float_holds() -> None:
    """They are compared and told all the same."""
    assert to_float(Fraction(10) ** 400) == float("inf")
    assert roughly(-(Fraction(10) ** 400)) == "-1e+400"
    for text in (
        "A = [[0.5, 1e400], [0.5, 0.5]]",
        "V = [[1, 1e390], [2, 3]]\n\nO = [[9e399, 1], [1, 1]]",
    ):
        found = check(read(text, "text"), worked_attention)
        assert found.inconsistent
        assert "e+39" in str(found.inconsistent) or "e+400" in str(found.inconsistent)


def test_why_a_number_is_wrong_where_no_float_holds_it() -> None:
    """Causes are looked for beside a number far out of range, and what becomes infinite is none."""
    matrices = {"Q": "[[1, 0], [0, 1e399]]", "K": "[[1, 1e399], [0, 1]]", "V": "[[1, 0], [0, 1]]"}
    text = "\n\n".join(f"{name} = {rows}" for name, rows in matrices.items())
    for wrong in (
        "S = [[2, 0], [1e399, 1e399]]",
        "S = [[1, 0], [3e398, 1e-399]]\n\nA = [[0.3, 0.7], [0.1, 0.9]]",
    ):
        found = check(read(f"{text}\n\n{wrong}\n", "text"), worked_attention)
        assert found.counts["wrong"]


def test_a_digit_that_is_not_settled_is_not_written_down() -> None:
    """From scores that are known to two decimals, a weight may be known to one."""
    text = "Z = [[0.71, 0, 0], [0, 0.71, 0], [0, 0, 0.71]]\n\nA = [[0.90, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]\n"
    found = check(read(text, "text"), worked_attention)
    wrong = [f.judgement.correct for f in found.findings if f.judgement.verdict == "wrong"]
    assert wrong == ["0.50?"]
    assert fixed_text(text, edits(found)) == text


# Specs.


def test_a_layer_without_one_of_its_matrices_names_it() -> None:
    """An optional matrix may be left out; where another one needs it, it is named."""
    bert = load_spec("bert").source
    lines = bert[bert.index("\nW_2 ") + 1 :]
    without = bert.replace(lines[: lines.index("\nb_2 ") + 1], "")
    assert "\nW_2 " not in without
    with pytest.raises(SpecError, match=r"feed_forward_network: .*'W_2'"):
        parse_spec(without).derive()


# Trained models.


def safetensors_file(path: Path, header: dict[str, Any], data: bytes = bytes(16)) -> Path:
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def test_tensors_that_are_no_matrices(tmp_path: Path) -> None:
    """A single number; a name with a bracket; both are named whole."""
    pytest.importorskip("safetensors")
    number = {"dtype": "F64", "shape": [], "data_offsets": [0, 8]}
    integer = {"dtype": "I32", "shape": [2], "data_offsets": [8, 16]}
    path = safetensors_file(tmp_path / "model.safetensors", {"x": number, "y[0]": integer})
    found = Tensors(path)
    with pytest.raises(ModelError, match=r"x: wanted an array with axes, got a single number"):
        found.array("x")
    with pytest.raises(ModelError, match=r"y\[0\]: wanted F64, .*, got I32"):
        found.array("y[0]")


def test_bfloat16_is_known_by_itself(tmp_path: Path) -> None:
    """Whatever else was imported before."""
    pytest.importorskip("safetensors")
    tensor = {"dtype": "BF16", "shape": [2, 4], "data_offsets": [0, 16]}
    path = safetensors_file(tmp_path / "model.safetensors", {"x": tensor})
    code = "import sys; from symattn.pretrained.tensors import *; print(Tensors(Path(sys.argv[1])).array('x').dtype)"
    call = [sys.executable, "-c", code, str(path)]
    answer = subprocess.run(call, capture_output=True, text=True, timeout=GUARD)
    assert answer.stdout == "bfloat16\n", answer.stderr


@pytest.mark.parametrize("name", ["\ud800.safetensors", "a\0b", "n" * 5000, "../x", "pipe", ""])
def test_shards_with_impossible_names(name: str, tmp_path: Path) -> None:
    """What an index names is a file beside it."""
    pytest.importorskip("safetensors")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": name}}))
    with pytest.raises(ModelError) as error:
        Tensors(tmp_path)
    assert len(str(error.value)) <= MAX_MESSAGE


#: A tokenizer without the word for what it does not know, and one at which tokenizers panics.
TOKENIZERS = [
    {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
     "pre_tokenizer": None, "post_processor": None, "decoder": None,
     "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "?"}},
    {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
     "pre_tokenizer": None, "post_processor": None, "decoder": None,
     "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "##", "end_of_word_suffix": None,
               "fuse_unk": False, "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}},
]  # fmt: skip


@pytest.mark.parametrize("table", TOKENIZERS)
def test_what_tokenizers_does_not_survive_is_an_error_of_ours(
    table: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its errors have no class of their own, its panics are no exceptions and write traces."""
    pytest.importorskip("tokenizers")
    (tmp_path / "tokenizer.json").write_text(json.dumps(table))
    with pytest.raises(ModelError, match=r"tokenizer\.json: (not a tokenizer|cannot take)"):
        Tokenizer(tmp_path).tokens("xyz")
    assert capfd.readouterr().err == ""


def test_digits_and_bits_are_bounded_before_a_forecast() -> None:
    """The forecast itself calculates with so many bits."""
    weights: Any = SimpleNamespace(architecture=SimpleNamespace(sizes={"N": 2}))
    for digits, bits in ((10**60, None), (0, None), (5, 10**12), (5, 1)):
        with pytest.raises(OptionError, match="wanted"):
            first_bits(weights, digits, bits)


def test_a_name_with_nul_in_a_notebook(tmp_path: Path) -> None:
    """JSON says any character: the spec that a comment names is no file then."""
    cell = {"cell_type": "markdown", "source": "<!-- symattn: spec a\0b.toml -->\n\nA = [[1, 0]]"}
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps({"cells": [cell]}))
    answer = CliRunner().invoke(cli.main, ["check", str(path)])
    assert answer.exit_code in (0, 2) and not isinstance(answer.exception, ValueError)


def test_the_article_is_still_read() -> None:
    """None of these refuses what is right."""
    assert sa.loads(SPEC)["A"].decimal(2) == [["0.67", "0.33"], ["0.33", "0.67"]]


# Huge.


def test_numbers_of_a_document_are_bounded(tmp_path: Path) -> None:
    """More numbers than anybody works out, and more matrices: one line, at once."""
    path = tmp_path / "x.md"
    path.write_text("0.5 " * (MAX_NUMBERS + 1))
    with pytest.raises(DocumentError, match=r"x\.md: wanted .* at most 200,000 numbers, got more"):
        read(path)
    assert read("0.5 " * 1000, "markdown").matrices == ()


@pytest.mark.parametrize(
    ("kind", "matrix"),
    [("markdown", "| |\n|-|\n|1|\n\n"), ("markdown", "[[1, 2]]\n\n"), ("latex", "\\[A = \\begin{pmatrix} 1 \\end{pmatrix}\\]"),
     ("html", "<table><tr><td>1</td></tr></table>")],
)  # fmt: skip
def test_matrices_of_a_document_are_bounded(
    kind: Any, matrix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every notation."""
    monkeypatch.setattr(reader, "MAX_MATRICES", 50)
    assert len(read(matrix * 20, kind).matrices) == 20
    with pytest.raises(DocumentError, match="wanted a document with at most 50 matrices"):
        read(matrix * 60, kind)


#: What makes readers that look ahead look ahead from everywhere; each is repeated.
SIGNS = (
    "word ", "x", "\n", " ", "$", "$ ", "$x ", "`", "` `` ``` ", "```\n", "[", "{", "\\begin{bmatrix} ", "\\frac{1}{", "x = 1 ",
    ">", "> > ", "- a\n", "<!-- ", "<!-- symattn: A -->", "<!-- symattn show A -->\n", "|", "|-|\n", "5", "&", "&amp;", "\\", "<", "<td>",
    "<table><tr><td>", "<div>", "<script>", "<pre>", "<a x", "% a\n", "%", "\\begin{verbatim}", "\\begin{tabular}{ll} 1 & 2 ", "\\[ ",
    "A[1,1] = x ", "![](https://latex.codecogs.com/svg.image?A=1)\n", "# ", "**", "_", "\\u0041", '{"cells":',
)  # fmt: skip


@pytest.mark.once
@pytest.mark.parametrize("kind", ["markdown", "latex", "html", "notebook"])
def test_time_grows_with_length_and_no_faster(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty thousand characters of one sign are read in seconds, and judged."""
    monkeypatch.setattr(harness, "SECONDS", 30.0)
    run = TARGETS[kind]().run
    before = signal.signal(signal.SIGPROF, harness._ring)
    try:
        for sign in SIGNS:
            text = sign * (40_000 // len(sign))
            if kind == "notebook":
                text = json.dumps({"cells": [{"cell_type": "markdown", "source": text}]})
            _, fault, _ = harness.tried(harness.Target(kind, run, (), ()), text)
            assert fault is None, (sign, fault.kind, fault.where)
    finally:
        signal.signal(signal.SIGPROF, before)


HUGE = (
    "5" * 5000, "0." + "3" * 5000, "9**9**9", "2^2^2^2^2^2", "1e999999999", "1e-999999999", "(" * 10_000 + "1" + ")" * 10_000,
    "-" * 10_000 + "1", "sqrt(" * 100 + "2" + ")" * 100, "1" + "+1" * 5000, "a" * 10**6, "2^64^64", "(2^64)^64*(2^64)^64", "\0", "1\ud800",
)  # fmt: skip


@pytest.mark.parametrize("text", HUGE, ids=range(len(HUGE)))
def test_huge_numbers_are_refused_before_they_are_made(text: str) -> None:
    """In a spec, as a text and bare; in a document; from Python; on the command line."""
    with pytest.raises(SymattnError) as error:
        parse(text)
    assert len(str(error.value)) <= MAX_MESSAGE
    for value in (json.dumps(text), text):
        spec = SPEC.replace("E = [[1,", f"E = [[{value},")
        with pytest.raises(SpecError) as error:
            parse_spec(spec)
        assert len(str(error.value)) <= MAX_MESSAGE
    check(read(f"A = [[{text}, 0.5], [0.5, 0.5]]", "text"), worked_attention)
    if "\0" not in text and len(text) < 50_000:
        answer = CliRunner().invoke(cli.main, ["vary", "W_1[0,0]", "--from", text])
        assert isinstance(answer.exception, SymattnError)


@pytest.mark.parametrize("text", ["2^0.2^64", "(1/3)^(1/1000000007)", "a^(1/5000)"])
def test_roots_of_a_high_degree_are_refused(text: str) -> None:
    """3^1000000006 would stand under the root."""
    spec = SPEC.replace("E = [[1,", f'E = [["{text}",')
    with pytest.raises(SymattnError, match="wanted a root of degree 1,024 at most"):
        sa.loads(spec)["Q"].decimal(2)


@pytest.mark.parametrize("opening", ["[", '{"a":', "[[", '{"model_type": ['])
def test_nesting_is_refused_in_every_reader_of_json_and_toml(opening: str, tmp_path: Path) -> None:
    """Ten thousand levels are no recursion error."""
    text = opening * 10_000
    with pytest.raises(SpecError):
        parse_spec(f"x = {text.replace(':', ' = ')}")
    with pytest.raises(SpecError):
        parse_spec("[" + "a." * 10_000 + "b]\nc = 1")
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(ModelError):
        read_config(path)
    with pytest.raises(DocumentError):
        read(text, "notebook")


@pytest.mark.parametrize("top", ["", 'mask = "causal"', "mask = {window = 2}"])
def test_two_thousand_tokens_are_refused(top: str) -> None:
    """Four million scores; what the step would be is said."""
    tokens = json.dumps([f"t{i}" for i in range(2000)])
    rows = str([[i % 7, i % 5] for i in range(2000)])
    spec = SPEC.replace('["a", "b"]', tokens).replace("[[1, 0], [0, 1]]", rows)
    spec = spec.replace("[matrices]", f"{top}\n[matrices]")
    with pytest.raises(SpecError, match=r"(S|mask): wanted at most 1,000,000 .*got 2000 × 2000"):
        sa.loads(spec)


@pytest.mark.parametrize(
    "line",
    ["W_Q = {shape = [1000000, 1000000]}", "W_Q = {shape = [2, 10000000000]}", "E = {shape = [2, 900000]}\nW_Q = 'identity'"],
)  # fmt: skip
def test_huge_matrices_are_refused(line: str) -> None:
    """Before any of them is made."""
    name = line.partition(" = ")[0]
    kept = [x for x in SPEC.splitlines() if not x.startswith((f"{name} ", "W_Q"))]
    spec = "\n".join([*kept, line]) + "\n"
    with pytest.raises(SpecError, match=r"wanted|missing"):
        sa.loads(spec)


def test_operations_are_bounded() -> None:
    """A function that goes on and on is refused where it stands."""
    recorder = Recorder()
    for _ in range(MAX_OPERATIONS):
        recorder.add("input", [], (1,))
    with pytest.raises(TraceError, match="wanted a function of at most 20,000 operations"):
        recorder.add("input", [], (1,))


@pytest.mark.once
def test_a_document_of_ten_megabytes(tmp_path: Path) -> None:
    """It is read in a process of its own, which ends and says what it found."""
    path = tmp_path / "x.md"
    path.write_text("Some words, and no numbers.\n" * 400_000)
    answer = symattn("check", str(path))
    assert answer.returncode == 0 and "nothing could be judged" in answer.stdout
    path.write_text("A: 0.5 and 0.25 | 0.5\n" * 450_000)
    assert "at most 200,000 numbers, got more" in refused(symattn("check", str(path)))
    path.write_bytes(b"x" * (4 * 32_000_000 + 1))
    assert "wanted at most 128,000,000 bytes" in refused(symattn("check", str(path)))


@pytest.mark.parametrize(
    ("name", "size", "opened"),
    [("x.toml", 10**7, load_spec), ("config.json", 10**7, read_config), ("x.md", 128_000_000, read),
     ("tokenizer.json", 10**8, lambda path: Tokenizer(path.parent)), ("x.toml", 10**7, load_text),
     ("model.safetensors.index.json", 50_000_000, lambda path: Tensors(path.parent))],
)  # fmt: skip
def test_files_that_are_too_long_are_not_read(
    name: str, size: int, opened: Callable[[Path], Any], tmp_path: Path
) -> None:
    """Their length is looked at first."""
    if name == "tokenizer.json":
        pytest.importorskip("tokenizers")
    path = tmp_path / name
    path.touch()
    os.truncate(path, size + 1)
    with pytest.raises(SymattnError, match=f"wanted at most {size:,} bytes, got {size + 1:,}"):
        opened(path)


def test_a_text_and_a_number_that_are_too_long() -> None:
    """A text for a tokenizer; an integer, and a Decimal, from Python."""
    with pytest.raises(ModelError, match="at most 100,000 characters, got 100,001"):
        Tokenizer.tokens(SimpleNamespace(), "x" * 100_001)  # type: ignore[arg-type]
    for number in (2**8192, Decimal("1e999999999"), Fraction(1, 2**8192)):
        with pytest.raises(LiteralError, match="at most 8192 bits"):
            exact(number)


@pytest.mark.parametrize(
    "words",
    [
        ["generate", "llama", "-n", "1001"],
        ["worksheet", "--blank", "A", "--count", "1001", "-o", "sheet.md"],
        ["vary", "W_V[0,0]", "--cells", "100001"],
        ["params", "config.json", "--context", "1000000001"],
    ],
    ids=lambda words: words[0],
)
def test_counts_on_the_command_line_are_bounded(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(cli.main, words)
    said = found.stderr or str(found.exception)
    assert isinstance(found.exception, SystemExit | OptionError)
    assert "is not in the range 1<=" in said or "wanted 1 to 1000 worksheets, got 1001" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "formula",
    ["[" * 200, "(a" * 60, r"\{" * 60, "[(]" * 60, "{(}" * 60, "(^)" * 60, r"(\text{)}" * 60, r"(\sqrt)" * 60,
     r"\begin{matrix}" + "(&)" * 60 + r"\end{matrix}", r"(\middle)" * 60, "⟨⦃⌜" * 20, r"\langle " * 60],
)  # fmt: skip
def test_brackets_that_stay_open_are_counted_before_they_are_read(formula: str) -> None:
    """What reads formulas takes twice as long for each, for ever at forty."""
    with pytest.raises(mathml.MathError, match="wanted brackets that are closed, got "):
        mathml.check(formula)


@pytest.mark.parametrize(
    "formula",
    [r"(\alpha)" * 40, "f(x) = [0, 1)" * 20, r"\left( x \right." * 10, r"\{(a, [b])\}" * 40, "(" * 12 + "x",
     r"x^{(1)} \cdot \hat{q}_{(2)}" * 30, r"\begin{bmatrix} (a) & (b) \\ (c) & [d] \end{bmatrix}" * 10],
)  # fmt: skip
def test_brackets_that_are_closed_are_read_however_many(formula: str) -> None:
    mathml.check(formula)


def test_an_infinite_factor_of_a_matrix_is_none() -> None:
    text = r"$$A = \infty \begin{bmatrix} 1 & 2 & 3 \\ 4 & 5 & 6 \\ 7 & 8 & 9 \end{bmatrix}$$"
    found = check(read(text, "markdown"), worked_attention, sa.article())
    assert not found.findings
    assert [u.why for u in found.example.unmatched] == ["wanted a finite factor, got oo"]


@pytest.mark.parametrize("name", ["\ud800x", "x\0", "\udfff/model"])
@pytest.mark.parametrize(
    "words", [["params"], ["certify", "--ids", "1,2"], ["new"], ["write", "-o"], ["list", "-o"], ["vary", "W_1[0,0]", "-o"]], ids=" ".join
)  # fmt: skip
def test_names_that_no_file_has_on_the_command_line(words: list[str], name: str) -> None:
    found = CliRunner().invoke(cli.main, [*words, name])
    assert isinstance(found.exception, SymattnError | SystemExit | click.ClickException), (
        found.exception
    )
    assert found.exit_code != 0
