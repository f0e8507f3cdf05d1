"""Every command and example of the README and of the guides does what it shows."""

from __future__ import annotations

import doctest
import os
import re
import runpy
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command import symattn

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
DOCUMENTS = [
    "README.md",
    "docs/generation.md",
    "docs/thresholds.md",
    "docs/notebooks.md",
    "docs/your-own.md",
    "docs/worksheets.md",
    "docs/tutorial.md",
    "docs/own-example.md",
    "docs/ci.md",
    "docs/slides.md",
    "docs/explanation/numbers.md",
    "docs/explanation/normal-form.md",
    "docs/explanation/enclosures.md",
    "docs/explanation/verified.md",
]

#: Those that show a command and what it prints.
CONSOLE = ("README.md", "docs/generation.md", "docs/thresholds.md")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_python_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / name).read_text("utf-8")
    blocks = re.findall(r"```pycon\n(.*?)```", text, re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    # What stands in files, whose functions have a source.
    file = tmp_path / "example.py"
    file.write_text("\n\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), "utf-8")
    names = runpy.run_path(str(file))
    test = doctest.DocTestParser().get_doctest("".join(blocks), names, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert runner.failures == 0


@pytest.mark.parametrize("name", DOCUMENTS)
def test_console_examples_print_what_they_show(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    shown = re.findall(r"```console\n\$ symattn (.*?)\n(.*?)```", text, re.DOTALL)
    assert bool(shown) == (name in CONSOLE)
    for words, expected in shown:
        done = symattn(*shlex.split(words), cwd=ROOT)
        finds_wrong = re.match(r".*: \d+ right, [1-9]\d* wrong\n", expected)
        assert (done.stdout, done.returncode) == (expected, 1 if finds_wrong else 0)


def test_other_commands_of_the_readme_run(tmp_path: Path) -> None:
    # Its two lines that begin with a new environment are run by .ci/run in a fresh clone.
    blocks = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)
    assert {kind for kind, _ in blocks} <= {"sh", "console", "pycon"}, "of which each is run"
    lines = "".join(text for kind, text in blocks if kind == "sh").splitlines()
    commands = [line for line in lines if not line.startswith("python3 -m venv")]
    assert commands
    for line in commands:
        done = symattn(*shlex.split(line.removeprefix("symattn ")), cwd=tmp_path)
        assert done.returncode == 0, f"{line}: {done.stderr}"
    assert "A[1,1]" in (tmp_path / "article.html").read_text("utf-8")


def test_its_picture_is_small_and_has_words() -> None:
    words, name = re.search(r"!\[(.+?)\]\((.+?)\)", README, re.DOTALL).groups()  # type: ignore[union-attr]
    data = (ROOT / name).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) < 150_000
    assert len(words.split()) > 20


@pytest.mark.render
@pytest.mark.once
def test_its_picture_can_be_made_again(tmp_path: Path) -> None:
    chromium, modules = shutil.which("chromium"), os.environ.get("NODE_PATH")
    if not (chromium and modules and (Path(modules) / "puppeteer-core").is_dir()):
        pytest.skip("chromium and node with puppeteer-core are not installed (NODE_PATH)")
    assert symattn("write", "-o", "article.html", cwd=tmp_path).returncode == 0
    page, made = tmp_path / "article.html", tmp_path / "article.png"
    script = ROOT / "tests" / "picture.cjs"
    done = subprocess.run(
        ["node", script, chromium, page, "A[1,1]", made], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    # Fonts differ from machine to machine: what is on it is looked at by people.
    assert width_and_height(made) == width_and_height(ROOT / "docs" / "article.png")


def width_and_height(png: Path) -> bytes:
    """As a PNG's header has them."""
    return png.read_bytes()[16:24]


def test_every_command_is_in_its_table() -> None:
    from symattn.cli import COMMANDS

    named = set(re.findall(r"^\| `symattn (\w+)", README, re.MULTILINE))
    assert named == set(COMMANDS)


def test_links_lead_somewhere() -> None:
    for document in [ROOT / "README.md", *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text("utf-8")):
            if not target.startswith("http"):
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_there_are_two_lines_to_set_up() -> None:
    assert len(re.findall(r"^python3 -m venv", README, re.MULTILINE)) == 2
    assert len(README.splitlines()) < 150
