"""The command line: what it prints, where, and with which status."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import symattn as sa
from symattn import cli, files
from symattn.spec_reader import load_spec
from tests.command import symattn


def process(
    *words: str, cwd: Path | None = None, **kwargs: object
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload]
        [sys.executable, "-m", "symattn", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
        **kwargs,
    )


def output(*words: str) -> str:
    """In this process, for speed."""
    result = CliRunner().invoke(cli.main, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_write_is_the_committed_page(tmp_path: Path) -> None:
    done = process("write", "-o", "attention.md", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    docs = Path(__file__).parent.parent / "docs"
    assert (tmp_path / "attention.md").read_text("utf-8") == (docs / "attention.md").read_text(
        "utf-8"
    )
    assert symattn("write", "-o", "attention.tex", cwd=tmp_path).returncode == 0
    assert (tmp_path / "attention.tex").read_text("utf-8") == (docs / "attention.tex").read_text(
        "utf-8"
    )


def test_write_to_standard_output() -> None:
    said = "<!-- symattn: spec article-encoder -->\n\n# cat chases mouse, without a mask\n"
    assert output("write", "article-encoder").startswith(said)
    assert output("write", "article-encoder", "--format", "latex").startswith("% symattn: spec ")
    made = json.loads(output("write", "--json"))
    assert [s["address"] for s in made["steps"]][:2] == ["W_vocab", "W_Q"]


def test_show() -> None:
    assert output("show", "Z").splitlines()[0] == "Z = S / np.sqrt(d_k)    (3 × 3)"
    assert "decimal      0.64" in output("show", "A[1,1]")
    assert output("show", "article-encoder", "A[0,2]", "--format", "latex").startswith(
        "\\begin{aligned}\nA[0,2] &="
    )
    assert output("show", "S", "--format", "markdown").startswith(
        "```math\n\\begin{aligned}\nS &= Q K^{\\top}"
    )
    assert "0.644275459065" in output("show", "A[1,1]", "--digits", "12")
    step = json.loads(output("show", "A", "--json"))
    assert step["exact"][1][1] == "exp(13*sqrt(2)/25)/(exp(sqrt(2)/10) + exp(13*sqrt(2)/25))"
    assert step["decimals"][2] == ["0.40", "0.25", "0.35"]
    assert step["where"]["\\ell_1"] == "e^{\\sqrt{2}/10} + e^{13 \\sqrt{2}/25}"
    assert json.loads(output("show", "P[1]", "--format", "json"))["labels"] == ["chases"]
    assert [e["decimal"] for e in json.loads(output("show", "A[1]", "--json"))] == [
        "0.36",
        "0.64",
        "0.00",
    ]


def test_a_spec_is_known_by_its_name(tmp_path: Path) -> None:
    spec = tmp_path / "mine.toml"
    output("new", str(spec))
    assert output("show", str(spec), "E") == output("show", "E", str(spec))
    assert "0.707" in output("show", str(spec), "Z", "--digits", "3")


def test_list() -> None:
    assert output("list").splitlines()[0].split() == ["step", "symbol", "shape", "formula"]
    rows = {row["address"]: row for row in json.loads(output("list", "--json"))}
    assert rows["head[0].Z"] == {
        "address": "head[0].Z", "symbol": "Z", "source": "S / np.sqrt(d_k)",
        "formula": "Z = \\frac{S}{\\sqrt{d_k}}", "shape": [3, 3],
    }  # fmt: skip


def loaded_by(*words: str, cwd: Path | None = None) -> set[str]:
    """The modules that a command has imported when it ends well."""
    code = (
        "import sys, json\nfrom symattn.cli import main\n"
        "main(sys.argv[1:], standalone_mode=False)\n"
        "print(json.dumps(list(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=cwd, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_commands_import_no_more_than_they_need(tmp_path: Path) -> None:
    assert "sympy" not in loaded_by("list")
    assert "sympy" not in loaded_by("generate", "-n", "2")
    assert not {"numpy", "flint", "sympy", "rich"} & loaded_by("--help")
    assert not {"sympy", "latexify"} & loaded_by("write", "-o", "page.md", cwd=tmp_path)


def test_verify_tells_by_its_status(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "agree: every entry within its running error bound" in output("verify")
    assert json.loads(output("verify", "--json"))["agrees"] is True
    altered = sa.article()
    broken = altered["A"].numeric()
    broken[1, 1] += 1e-9
    report = altered.verify(A=broken)
    monkeypatch.setattr(sa.Derivation, "verify", lambda self: report)
    result = CliRunner().invoke(cli.main, ["verify"])
    assert result.exit_code == 1
    assert "A disagrees in float64 at A[1,1]" in result.output


def test_new_writes_a_spec_that_works_and_overwrites_nothing(tmp_path: Path) -> None:
    done = symattn("new", "mine.toml", cwd=tmp_path)
    assert done.returncode == 0
    assert symattn("write", "mine.toml", "-o", "mine.md", cwd=tmp_path).returncode == 0
    assert "\\ell_1" in (tmp_path / "mine.md").read_text("utf-8")
    (tmp_path / "mine.toml").write_text("changed")
    again = symattn("new", "mine.toml", cwd=tmp_path)
    assert again.returncode == 2
    assert again.stderr == "symattn: mine.toml: is there already, and is not overwritten\n"
    assert (tmp_path / "mine.toml").read_text() == "changed"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "B"], "no step 'B'"),
        (["show", "A[7,7]"], "there is no entry"),
        (["show", "none.toml", "A"], "none.toml: No such file or directory"),
        (["show", "article"], "wanted a step after article"),
        (["show", "a", "b", "c"], "wanted [SPEC] STEP, got 3 words"),
        (["show", "A", "--format", "pdf"], "Invalid value for '--format'"),
        (["show", "A", "--digits", "-1"], "Invalid value for '--digits'"),
        (["wirte"], "no command 'wirte', did you mean 'write'?"),
        (["write", "-o", "page.docx"], "wanted a file ending in"),
        (["write", "-o", "/nowhere/page.md"], "/nowhere/page.md: No such file or directory"),
        (["write", "-o", ".md"], "wanted a file ending in"),
        (["new", "mine.txt"], "wanted a name ending in .toml"),
        (["verify", "artikel"], "no built-in spec 'artikel'"),
    ],
)
def test_mistakes_are_one_line_and_status_2(words: list[str], message: str, tmp_path: Path) -> None:
    done = symattn(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_help_fits_a_screen() -> None:
    lines = output("--help").splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    said = re.findall(r"^  ([a-z]+)  +(\S.*)$", "\n".join(lines), re.MULTILINE)
    assert [name for name, _ in said] == [*cli.COMMANDS]
    assert all(what.endswith(".") and not what.endswith("...") for _, what in said)  # not cut


def test_options_are_explained() -> None:
    for name in cli.COMMANDS:
        command = cli.main.get_command(None, name)  # type: ignore[arg-type]
        options = [p for p in command.params if isinstance(p, click.Option)]
        assert all(option.help for option in options), name


@pytest.fixture(scope="module")
def folder_of_examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where there is what examples of helps name."""
    folder = tmp_path_factory.mktemp("examples")
    output("new", str(folder / "mine.toml"))
    lesson = Path(__file__).parent / "cases" / "docs" / "worked-07.md"
    (folder / "lesson.md").write_text(lesson.read_text("utf-8"), "utf-8")
    return folder


@pytest.mark.once
@pytest.mark.parametrize("name", cli.COMMANDS)
def test_help_ends_with_two_examples_that_run(
    name: str, folder_of_examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = output(name, "--help").splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[-3].strip() == "Examples:"
    folder = folder_of_examples
    if name in ("certify", "params"):
        given = pytest.importorskip("tests.test_pretrained")  # wants safetensors
        given.saved(folder, "gpt2")  # its config.json
        given.tokenized(given.saved(folder / "tiny-gpt2", "gpt2"))
    if name == "new":
        (folder / "mine.toml").unlink()
    monkeypatch.chdir(folder)
    for line in lines[-2:]:
        words = shlex.split(line)
        assert words[:2] == ["symattn", name]
        if "--text" in words and find_spec("tokenizers") is None:
            continue
        done = CliRunner().invoke(cli.main, words[1:], input='print(d["A"])\n')
        assert done.exit_code == 0, done.output
        if name == "repl":
            assert "A = softmax(Z_masked)" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["wite"], "no command 'wite', did you mean 'write'?; known are write, show, "),
        (["show"], "wanted [SPEC] STEP, got nothing; `symattn show -h` has examples\n"),
        (["check"], "wanted DOC..., got nothing; `symattn check -h` has examples\n"),
    ],
)
def test_a_call_that_lacks_something_says_what(words: list[str], message: str) -> None:
    done = symattn(*words, cwd=Path())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"symattn: {message}")
    assert done.stderr.count("\n") == 1


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """A line of shell, after the program's own words."""
    return subprocess.run(
        f"{sys.executable} -m symattn {line}",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_closed_pipe_is_no_error() -> None:
    done = shell("write | head -1")
    assert done.stdout == "# cat chases mouse\n"
    assert done.stderr == ""


def test_errors_show_control_characters_and_do_not_send_them() -> None:
    done = process("show", "\x1b[31mA")
    assert "\x1b" not in done.stderr
    assert "\\x1b[31mA" in done.stderr


def test_repl_traces_functions_typed_into_it() -> None:
    typed = """\
print(d["A"][1, 1])
def mine(x):
    y = x * np.sqrt(2)
    return y

print(sa.derive(mine, x=[1])["y"].exact)
print(d["nope"])
"""
    done = process("repl", input=typed)
    assert "A[1,1] = exp(13*sqrt(2)/25)/ℓ_1 ≈ 0.64" in done.stdout
    assert "Matrix([[sqrt(2)]])" in done.stdout
    assert "no step 'nope'" in done.stderr
    assert done.returncode == 0


# Files are whole, whatever happens.


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "page.md"
    target.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(files.FileError, match=r"page.md: No space left on device"):
        files.write(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_page_that_fails_writes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "page.md"
    target.write_text("old")
    spec = tmp_path / "s.toml"
    spec.write_text(
        (Path(sa.__file__).parent / "examples" / "article.toml")
        .read_text()
        .replace('"0.2"', '"0.2.3"')
    )
    assert symattn("write", str(spec), "-o", str(target), cwd=tmp_path).returncode == 2
    assert target.read_text() == "old"


def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.md", tmp_path / "link.md"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    files.write(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640
    with pytest.raises(files.FileError, match="got a directory"):
        files.write(tmp_path, "new")


def test_a_killed_write_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    target = tmp_path / "page.md"
    new = Path(__file__).parent.parent.joinpath("docs", "attention.md").read_text("utf-8")
    for delay in (0.1, 0.3, 0.45, 0.55, 0.65, 0.8):
        target.write_text("old")
        process = subprocess.Popen(
            [sys.executable, "-m", "symattn", "write", "-o", str(target)], stderr=subprocess.DEVNULL
        )
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert target.read_text("utf-8") in ("old", new)


def test_the_specs_of_the_package_have_their_texts() -> None:
    for name in ("article", "article-encoder"):
        assert load_spec(name).text.sections


def test_devices_and_pipes_are_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "page.md"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        files.write(pipe, "through")
        assert reader.communicate(timeout=10)[0] == "through"
    assert not pipe.is_file()
    assert "\n# cat chases mouse" in output("write", "article-encoder", "-o", "-")


def test_a_full_disk_is_one_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = shell("show A > /dev/full")
    assert done.returncode == 2
    assert done.stderr == "symattn: No space left on device\n"
