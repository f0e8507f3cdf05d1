"""Every command and example of the README and of the guides does what it shows."""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

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
        done = subprocess.run(
            [sys.executable, "-m", "symattn", *shlex.split(words)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == expected


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
