"""The readers: what each is given, and in few words what came of it."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import symattn as sa
from symattn import cli
from symattn.claims.check import check
from symattn.claims.fix import difference, edits, fixed_text
from symattn.claims.reading import Document, read
from symattn.claims.reading.cells import read as read_cell
from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.translate import divisor_text, exact_value
from symattn.document import page
from symattn.errors import SymattnError
from symattn.graph import split_address
from symattn.literals import Apply, Exact, Infinity, Name, parse
from symattn.spec_reader import load_spec, parse_spec
from symattn.text import load_text
from symattn.transformer import worked_attention
from symattn.writers import findings, formats
from tests.fuzz import corpus
from tests.fuzz.harness import Target

MOST_ENTRIES = 250  # of the inputs of a spec that is derived while fuzzing


@cache
def folder() -> Path:
    """A directory for the files that are read, in memory where there is some."""
    memory = Path("/dev/shm")
    made = tempfile.TemporaryDirectory(prefix="fuzz-", dir=memory if memory.is_dir() else None)
    folder_of.append(made)  # kept until the end
    return Path(made.name)


folder_of: list[tempfile.TemporaryDirectory[str]] = []


def file(name: str, text: str) -> Path:
    """A file of this text; lone surrogates give bytes that are no UTF-8."""
    path = folder() / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def _kind(value: Exact) -> str:
    if isinstance(value, Apply):
        inner = Counter(_kind(a).split("(")[0] for a in value.args)
        return f"{value.op}({','.join(sorted(inner))})"
    if isinstance(value, Name):
        return "name"
    return "oo" if isinstance(value, Infinity) else "rational"


def literal(text: str) -> str:
    """An entry of a matrix, in a spec and in a document."""
    exact_value(text)
    divisor_text(text)
    read_cell(Mapped.plain(text), 0, len(text))
    value = parse(text)
    assert str(value)
    return _kind(value)


@cache
def _first() -> Any:
    import symattn.certify
    import symattn.numbers.compact
    import symattn.numbers.texts

    return symattn


def number(text: str) -> str:
    """An entry of a matrix as a value: normal form, sign, decimals, text."""
    package = _first()
    value = parse(text)
    form = package.numbers.compact.number(value)
    if isinstance(form, Infinity):
        return "oo"
    said = package.numbers.texts.text(form, "text")
    package.numbers.texts.text(form, "latex")
    if form.has_symbols:
        return f"symbols {_kind(value)}"
    sign = "?"
    with contextlib.suppress(sa.Undecided):
        sign = str(package.decide.sign(form))
    with contextlib.suppress(sa.Undecided):
        package.certify.decimal_of(form, 6)
    return f"{_kind(value)} {sign} {min(len(said), 40) // 8}"


def spec(text: str) -> str:
    """A spec; derived and verified where it is small."""
    found = parse_spec(text)
    entries = sum(array.size for array in found.matrices.values())
    if entries > MOST_ENTRIES or (found.config and entries > 150):
        return f"{found.model}: large"
    derivation = found.derive()
    last = derivation.steps[-1]
    with contextlib.suppress(sa.Undecided):
        last.decimal(3)
    if found.properties:
        found.statements(["own"])
    return f"{found.model}: {sorted(found.masks)} {bool(found.symbolic)} {len(derivation.steps)}"


def document(kind: Any, against: Any = None) -> Callable[[str], str]:
    """A document: read, judged, corrected, told of in every format."""

    def run(text: str) -> str:
        reading = read(Document("case", text, kind))
        for matrix in reading.matrices:
            assert 0 <= matrix.start < matrix.end <= len(text)
        given = against() if against else (None, (), {})
        checked = check(reading, worked_attention, given[0], claims=given[1], aliases=given[2])
        for said in (findings.text(checked), findings.github(checked)):
            assert len(said) <= 10_000 + 100 * len(text)
        json.dumps(findings.data(checked), allow_nan=False)
        changes = edits(checked)
        new = fixed_text(text, changes)
        difference("case", text, new)
        kinds = sorted({m.notation for m in reading.matrices})
        cells = sorted({c.kind for m in reading.matrices for c in m.cells})
        verdicts = sorted(checked.counts)
        names = sorted({str(m.name.step) for m in reading.matrices})
        return f"{kinds} {cells} {names} {[k for k in verdicts if checked.counts[k]]} {len(reading.problems)}"

    return run


@cache
def article() -> tuple[Any, Any, Any]:
    """The article's derivation, what is claimed of it, and an alias."""
    found = load_spec("article")
    return found.derive(), found.claims, {"attn": "A"}


def address(text: str) -> str:
    """The address of a step or an entry."""
    split_address(text)
    found = article()[0][text]
    return type(found).__name__


def prose(text: str) -> str:
    """The text of a page: what stands in braces, filled in."""
    derivation = article()[0]
    quoted = json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
    body = quoted.replace("\x7f", "\\u007f")
    path = file("prose.toml", f"[section.start]\ntitle = 'Start'\nbody = {body}\n")
    made = page(derivation, load_text(path))
    formats.written(made, "markdown", "article")
    return " ".join(sorted({type(block).__name__ for block in made.blocks}))


_counted: set[tuple[Any, ...]] = set()


def config(text: str) -> str:
    """A config.json, counted."""
    from symattn.pretrained.architecture import read_config
    from symattn.pretrained.counting import Count
    from symattn.writers import counts

    architecture = read_config(file("config.json", text))
    sizes = (architecture.family, *architecture.sizes.values())
    if sizes not in _counted:  # it takes most of the time
        _counted.add(sizes)
        count = Count(architecture, 1024)
        letters = count.checked(())
        counts.text(count, letters)
        counts.data(count, letters)
    return f"{architecture.family} {architecture.tied} {architecture.biases} {architecture.config.window}"


def weights(text: str) -> str:
    """A safetensors file: its header where the text begins one, else all its bytes."""
    from symattn.pretrained.tensors import Tensors

    path = folder() / "model.safetensors"
    data = text.encode("utf-8", "surrogatepass")
    if text.startswith("{"):
        data = struct.pack("<Q", len(data)) + data + np.arange(4, dtype="<f4").tobytes()
    path.write_bytes(data)
    found = Tensors(path)
    kinds = []
    for name in found.names[:20]:
        shape = found.shape(name)
        try:
            kinds.append(f"{found.kind(name)} {len(shape)} {found.array(name).ndim}")
        except SymattnError as error:
            kinds.append(str(error)[-30:])
    return " ".join(sorted(kinds))


def shards(text: str) -> str:
    """The index of a model's shards."""
    from symattn.pretrained.tensors import Tensors

    path = file("sharded/model.safetensors.index.json", text)
    return str(len(Tensors(path.parent).names))


def tokenizer(text: str) -> str:
    """A tokenizer.json, and a text by it."""
    from symattn.pretrained.tokens import Tokenizer

    path = file("tokens/tokenizer.json", text)
    made = Tokenizer(path.parent)
    tokens = made.tokens("the cat sat\ud83d on é\0".encode("utf-8", "replace").decode())
    made.words(tokens.ids)
    return f"{len(tokens.ids)}"


@cache
def _prepared() -> None:
    """The files that command lines name: a document, a configuration, a trained model."""
    file("case.md", corpus.SMALL[0])
    file("config.json", json.dumps(corpus.CONFIGS[1]))
    from safetensors.numpy import save_file

    from symattn.pretrained.architecture import read_config
    from symattn.pretrained.names import place

    architecture = read_config(corpus.CONFIGS[1])
    rng = np.random.default_rng(3)
    found = {}
    for part in architecture.parts().values():
        for name, axes in part.items():
            sizes = architecture.sizes
            shape = [
                int(np.prod([sizes[a] for a in axis.split("*")])) for axis in axes if axis != "N"
            ]
            for i in range(sizes["N"]) if axes[0] == "N" else (None,):
                where = place(architecture, name, i)
                found[where.tensor] = rng.normal(size=where.shape(tuple(shape))).astype(np.float32)
    file("model/config.json", json.dumps(corpus.CONFIGS[1]))
    save_file(found, folder() / "model" / "model.safetensors")


#: Commands that write files, ask for a terminal, or may take as long as they are asked to.
LEFT_OUT = (
    "write",
    "new",
    "repl",
    "--fix",
    "-o",
    "--output",
    "--key",
    "--count",
    "verify",
    "prove",
)


def command(text: str) -> str:
    """A command line."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    if not words or any(w.partition("=")[0].startswith(LEFT_OUT) for w in words):
        return "left out"
    _prepared()
    out = io.StringIO()
    with (
        contextlib.chdir(folder()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
    ):
        try:
            cli.main(words, prog_name="symattn", standalone_mode=False)
        except SystemExit as ended:
            return f"{words[0][:12]} {ended.code}"
        except OSError as error:  # the command line prints it as a line
            return f"{words[0][:12]} {error.strerror}"
    return f"{words[0][:12]} {sorted(w.partition('=')[0] for w in words if w.startswith('--'))}"


def _entries() -> tuple[str, ...]:
    """What a page could say of an entry, statement by statement."""
    from tests import claimed  # which asks for the article that is derived here

    pages = map(claimed.page, claimed.addresses()[::5])
    return tuple(line for page in pages for line in page.split("\n\n"))


def _plain(name: str, run: Callable[[str], str], texts: Any, words: Any) -> Callable[[], Target]:
    return lambda: Target(name, run, tuple(texts() if callable(texts) else texts), tuple(words))


_CONFIGS = tuple(json.dumps(table) for table in corpus.CONFIGS)
_SHARDS = ('{"metadata": {}, "weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}',)

TARGETS: Mapping[str, Callable[[], Target]] = {
    target[0]: _plain(*target)
    for target in (
        ("literals", literal, corpus.LITERALS, corpus.LITERAL_WORDS),
        ("numbers", number, corpus.LITERALS, corpus.LITERAL_WORDS),
        ("spec", spec, corpus.specs, corpus.SPEC_WORDS),
        ("markdown", document("markdown"), corpus.markdown, corpus.SIGNS),
        ("latex", document("latex"), corpus.latex, corpus.SIGNS),
        ("html", document("html"), corpus.pages, corpus.SIGNS),
        ("notebook", document("notebook"), corpus.notebooks, (*corpus.SIGNS, *corpus.JSON_WORDS)),
        ("text", document("text"), corpus.markdown, corpus.SIGNS),
        ("against_spec", document("markdown", article), corpus.markdown, corpus.SIGNS),
        ("entries", document("markdown", article), _entries, corpus.ENTRY_WORDS),
        ("prose", prose, corpus.PROSE, corpus.PROSE_WORDS),
        ("addresses", address, corpus.ADDRESSES, corpus.ADDRESS_WORDS),
        ("commands", command, corpus.COMMANDS, corpus.COMMAND_WORDS),
        ("config", config, _CONFIGS, corpus.JSON_WORDS),
        ("weights", weights, corpus.HEADERS, corpus.JSON_WORDS),
        ("shards", shards, _SHARDS, corpus.JSON_WORDS),
        ("tokenizer", tokenizer, corpus.TOKENIZERS, corpus.JSON_WORDS),
    )
}
