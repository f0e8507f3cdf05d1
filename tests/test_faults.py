"""Faults from outside: killed, full, read-only, interrupted, unread, in another locale, changed meanwhile."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

import symattn
from symattn import __main__, cli, files
from symattn.claims.reading.document import load
from symattn.cli import main, terminal
from symattn.cli.options import json_text
from symattn.errors import DocumentError, SpecError
from symattn.spec_reader import load_spec
from tests.pseudo_terminal import heeding

ROOT = Path(__file__).parent.parent
is_root = hasattr(os, "geteuid") and os.geteuid() == 0

#: A document with a wrong number, and a block that is out of date.
LESSON = """# A lesson
<!-- symattn: spec article -->
$$A = \\begin{bmatrix} 1 & 0 & 0 \\\\ 0.36 & 0.65 & 0 \\\\ 0.40 & 0.25 & 0.35 \\end{bmatrix}$$

<!-- symattn: show x_last -->
old
<!-- /symattn -->

The end"""


def run(*words: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "symattn", *words],
        capture_output=True, check=False, timeout=120, **options,
    )  # type: ignore[call-overload, no-any-return]  # fmt: skip


# Killed.

#: Every way by which a command comes to a file; formats differ in their bytes alone.
WRITING = [
    "write -o page.html", "write --json -o page.md", "check lesson.md --fix", "check lesson.ipynb --fix",
    "worksheet --random --count 2 -o sheet.md", "show A --as heatmap -o A.svg", "list -o map.svg", "new own.toml",
]  # fmt: skip


@pytest.mark.once
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_process_that_is_killed_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    commands = [*WRITING]
    if find_spec("typst"):
        commands += ["write -o page.pdf"]
    if find_spec("matplotlib"):
        commands += ["vary 'W_vocab[1,3]' -o plot.svg"]
    cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": LESSON}
    whole = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "lesson.ipynb").write_text(json.dumps(whole))
    (tmp_path / "lesson.md").write_text(LESSON)
    for name in ("page.md", "page.html", "A.svg", "sheet.md"):
        (tmp_path / name).write_text("old")
        (tmp_path / name).chmod(0o640)
    done = subprocess.run(
        [sys.executable, "-m", "tests.killed", str(tmp_path)],
        input="\n".join(commands), cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True, timeout=600,
    )  # fmt: skip
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"command')]
    assert [f["command"] for f in found] == commands
    for one in found:
        assert one["torn"] == [], one["command"]
        assert one["stages"]["SIGKILL"] > 25, one["command"]
        # Only a process that is killed leaves a file behind, which says what it is; one that is
        # interrupted just as it tidies up may, too.
        left = one["left"]
        assert set(left) <= {"killed", "SIGINT"} and len(left.get("SIGINT", ())) <= 2, left
        assert all(n.startswith(".") and ".tmp (" in n for some in left.values() for n in some)
        assert one["cut"][:4] == [-signal.SIGXFSZ, 2] * 2, one["command"]


def test_processes_that_write_one_file_leave_it_whole(tmp_path: Path) -> None:
    target = tmp_path / "page.md"
    code = (
        "import sys; from pathlib import Path; from symattn import files\n"
        "for _ in range(40): files.write(Path(sys.argv[1]), sys.argv[2] * 50_000)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(target), c]) for c in "abc"]
    seen = set()
    while any(w.poll() is None for w in writers):
        if target.exists():
            seen.add(target.read_text())
    assert all(w.returncode == 0 for w in writers)
    assert seen <= {c * 50_000 for c in "abc"}
    assert list(tmp_path.iterdir()) == [target]


# Where files go.


def test_a_file_keeps_its_owner(tmp_path: Path) -> None:
    if not is_root:
        pytest.skip("only root gives files away")
    target = tmp_path / "page.md"
    target.write_text("old")
    os.chown(target, 65534, 65534)
    files.write(target, "new")
    found = target.stat()
    assert (found.st_uid, found.st_gid) == (65534, 65534)


def test_what_is_read_only_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "page.md"
    target.write_text("old")
    target.chmod(0o444)
    if is_root:  # who may write everything
        monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(files.FileError, match=r"page\.md: is read-only"):
        files.write(target, "new")
    with pytest.raises(files.FileError, match=r"page\.md: is read-only"):
        files.write_all({tmp_path / "other.md": "x", target: "new"})
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(is_root, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(files.FileError, match="Permission denied"):
        files.write(tmp_path / "page.md", "new")
    tmp_path.chmod(0o755)


def test_names_that_cannot_be(tmp_path: Path) -> None:
    for name in ("a\0b", "x" * 300, "missing/page.md", "."):
        with pytest.raises(files.FileError):
            files.write(tmp_path / name, "new")
    longest = tmp_path / ("猫" * 84 + ".md")  # 255 bytes
    files.write(longest, "new")
    assert longest.read_text() == "new"
    assert list(tmp_path.iterdir()) == [longest]


def test_standard_output_by_its_name() -> None:
    if not Path("/dev/stdout").exists():
        pytest.skip("no /dev/stdout here")
    done = run("write", "-o", "/dev/stdout", "--format", "markdown")
    assert done.stdout.startswith(b"# cat chases mouse\n")


def test_a_device_and_a_pipe_are_no_spec(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    for name in ("pipe.toml", "zero.toml"):
        with pytest.raises(SpecError, match="wanted a spec, got a device or a pipe"):
            load_spec(tmp_path / name)
    with pytest.raises(SpecError, match="no file has such a name"):
        load_spec("a\0.toml")
    with pytest.raises(DocumentError, match="no such file"):
        load("a\0.md")
    with pytest.raises(DocumentError, match="wanted"):
        load("/dev/zero")


def test_a_document_names_no_spec_by_a_whole_path(tmp_path: Path) -> None:
    for spec in ("/etc/own.toml", "C:/own.toml"):
        (tmp_path / "a.md").write_text(f"<!-- symattn: spec {spec} -->\n$A = [1]$\n")
        done = CliRunner().invoke(main, ["check", str(tmp_path / "a.md")])
        assert done.exit_code == 2
        assert "wanted its spec's place from where it lies, or --spec" in done.output


# Corrected in place.

VARIANTS: dict[str, Callable[[str], str]] = {
    "as it is": lambda t: t,
    "Windows": lambda t: t.replace("\n", "\r\n"),
    "old Macintosh": lambda t: t.replace("\n", "\r"),
    "BOM": lambda t: "\ufeff" + t,
    "BOM and Windows": lambda t: "\ufeff" + t.replace("\n", "\r\n"),
    "a line end at the end": lambda t: t + "\n",
    "many line ends": lambda t: t + "\n\n\n",
    "spaces and tabs": lambda t: t.replace("The end", "The end \t"),
    "odd line ends": lambda t: t.replace("The end", "The\u2028end\x0c\x85"),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_correction_keeps_every_other_byte(tmp_path: Path, name: str) -> None:
    change = VARIANTS[name]
    text = LESSON.partition("<!-- symattn: show")[0] + "The end"
    target = tmp_path / "lesson.md"
    target.write_bytes(change(text).encode())
    target.chmod(0o604)
    done = CliRunner().invoke(main, ["check", str(target), "--fix"])
    assert done.exit_code == 0, done.output
    wanted = change(text.replace("0.36 & 0.65", "0.36 & 0.64"))
    assert target.read_bytes() == wanted.encode()
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


def test_a_block_is_written_with_the_line_ends_of_its_document(tmp_path: Path) -> None:
    target = tmp_path / "lesson.md"
    fixed = []
    for ends in ("\n", "\r\n"):
        target.write_bytes(LESSON.replace("\n", ends).encode())
        done = CliRunner().invoke(main, ["check", str(target), "--fix"])
        assert done.exit_code == 0, done.output
        fixed.append(target.read_bytes())
    assert b"old" not in fixed[0]
    assert fixed[1] == fixed[0].replace(b"\n", b"\r\n")


def test_a_document_that_is_changed_meanwhile_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from symattn.claims import fix

    target = tmp_path / "lesson.md"
    target.write_text(LESSON)
    whole = fix.fixed_text

    def meanwhile(*args: object) -> str:
        target.write_text("somebody else's")
        return whole(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(fix, "fixed_text", meanwhile)
    done = CliRunner().invoke(main, ["check", str(target), "--fix"])
    assert done.exit_code == 2
    assert "was changed while it was checked" in done.output
    assert target.read_text() == "somebody else's"


# Where output goes.


def test_a_reader_that_goes_away() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "symattn", "write"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == cli.UNHEARD


def test_nobody_reads_what_is_said(tmp_path: Path) -> None:
    """Standard output and error both end in a pipe that is closed; the file is written."""
    target = tmp_path / "page.md"
    with subprocess.Popen(
        [sys.executable, "-m", "symattn", "write", "-o", str(target)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        assert process.stdout
        process.stdout.close()
        assert process.wait(60) == cli.UNHEARD
    assert target.read_text("utf-8").startswith("# cat chases mouse\n")


def test_ctrl_c_while_it_reads() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "symattn", "check", "/dev/stdin"],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
        preexec_fn=heeding,
    ) as process:  # fmt: skip
        assert process.stdin
        # More than a pipe holds: once it is written, it is read.
        process.stdin.write(b"\n" * 200_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
        assert (out, said.strip()) == (b"", b"symattn: stopped")
        assert process.returncode == 130


def test_ctrl_c_while_it_loads(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    class Interrupted(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "symattn.cli", Interrupted("symattn.cli"))
    with pytest.raises(SystemExit, match="130"):
        __main__.run()
    assert capsys.readouterr().err == "symattn: stopped\n"


@pytest.mark.parametrize(
    "environment",
    [
        {},  # no home, no locale, no path
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "cp1252"},
        {"TZ": "Pacific/Kiritimati", "HOME": "/nowhere", "LANG": "tr_TR.UTF-8"},
    ],
    ids=str,
)
def test_any_surroundings_give_the_same_bytes(environment: dict[str, str]) -> None:
    path = {"PYTHONPATH": str(ROOT)}
    done = run("show", "A[1,1]", env=environment | path)
    assert done.stderr == b""
    assert done.stdout.decode("utf-8") == CliRunner().invoke(main, ["show", "A[1,1]"]).output
    assert run("show", "ℓ", env=environment | {"PYTHONUTF8": "1"} | path).stderr.startswith(
        "symattn: no step 'ℓ'".encode()
    )


def test_nothing_is_dated() -> None:
    """Files are the same at any time of day."""
    for name in ("svg", "pdf", "typst", "latex", "html", "notebook"):
        source = b"".join(
            p.read_bytes() for p in (ROOT / "symattn").rglob(f"writers/**/{name}*.py")
        )
        assert b"datetime" not in source
        assert b"import time" not in source
    if find_spec("typst"):
        made = symattn.article()
        from symattn.document import page
        from symattn.writers import pdf

        data = pdf.write(page(made))
        assert b"CreationDate" not in data and b"CreateDate" not in data


def test_a_plot_is_whole_undated_and_shows_any_word(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from symattn.varying.vary import vary
    from symattn.writers import plots

    spec = (ROOT / "tests" / "specs" / "hostile.toml").read_text("utf-8")
    words = {"a|b `c` $d$": "$\\\\frac$", "#show: x => [$]": "_hidden"}
    for old, new in words.items():
        spec = spec.replace(old, new)
    (tmp_path / "own.toml").write_text(spec, "utf-8")
    found = vary(symattn.load(str(tmp_path / "own.toml")), "W_vocab[1,3]")
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none", "text.usetex": True}):
        plots.save(found, tmp_path / "plot.svg")
        first = (tmp_path / "plot.svg").read_bytes()
        plots.save(found, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_bytes() == first
    assert b"dc:date" not in first
    for word in (b"$\\frac$", b"_hidden", b"&lt;img src=x onerror=alert(1)&gt;"):
        assert word in first
    plots.save(found, tmp_path / "plot.pdf")
    assert b"CreationDate" not in (tmp_path / "plot.pdf").read_bytes()
    with pytest.raises(files.FileError, match="No such file"):
        plots.save(found, tmp_path / "missing" / "plot.png")


# What a terminal obeys.


def test_a_terminal_gets_line_ends_and_our_colours(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    hostile = "\x1b]52;c;ZXZpbA==\x07 \x1b[31mred\x1b[0m \x1b[2J \x9b2J \u202e\r\x00\b"
    shown = "\\x1b]52;c;ZXZpbA==\\x07 \\x1b[31mred\\x1b[0m \\x1b[2J \\x9b2J \\u202e\\r\\x00\\x08\n"
    terminal.show(hostile, terminal.Screen())
    terminal.say(hostile)
    captured = capsys.readouterr()
    assert captured.out == captured.err == shown
    terminal.show(hostile, terminal.Screen(colours=16))
    assert capsys.readouterr().out == shown.replace("\\x1b[31mred\\x1b[0m", "\x1b[31mred\x1b[0m")
    terminal.echo(hostile)
    assert capsys.readouterr().out == hostile + "\n"  # a pipe: a patch has to stay one
    monkeypatch.setattr(terminal, "_is_terminal", lambda _: True)
    terminal.echo(hostile)
    assert capsys.readouterr().out == shown


def test_json_escapes_what_a_terminal_obeys() -> None:
    value = {"a": ["\x9b2J", "\u202e猫\U000e0041", "\x1b\x7f", "é\n"]}
    text = json_text(value)
    assert json.loads(text) == value
    assert all(c.isprintable() or c == "\n" for c in text)
    assert "猫" in text and "é" in text


def test_a_page_names_specs_in_its_folder_alone(tmp_path: Path) -> None:
    from symattn import myst

    inside, outside = tmp_path / "book", tmp_path / "secret.toml"
    inside.mkdir()
    outside.write_text("")
    (inside / "link.toml").symlink_to(outside)
    assert files.is_within(inside / "own.toml", inside)
    for name in ("../secret.toml", "link.toml", "/etc/own.toml", "a\0.toml"):
        assert not files.is_within(inside / name, inside)
    for name in ("../secret.toml", "/etc/own.toml", "a\0.toml"):
        with pytest.raises(SpecError, match="wanted a file in the folder that mystmd runs in"):
            myst.directive({"arg": "show A", "options": {"spec": name}}, "article")
