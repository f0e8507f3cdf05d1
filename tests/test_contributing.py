"""What CONTRIBUTING.md says can be added in one file is added to a copy, and does what it shows."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import symattn as sa
from symattn.errors import OptionError
from symattn.writers import formats

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")

#: By path, the file that an example adds.
ADDED = {
    match[1]: match[0]
    for match in re.findall(r"```python\n(# (symattn/\S+)\n.*?)```", TEXT, re.DOTALL)
}
SESSION = "".join(re.findall(r"```pycon\n(.*?)```", TEXT, re.DOTALL))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with every example in its place."""
    root = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "symattn", root / "symattn", ignore=ignored)
    for name, text in ADDED.items():
        assert not (root / name).exists(), f"{name} is there already"
        (root / name).write_text(text, "utf-8")
    (line,) = re.findall(r"```diff\n\+(.*\n)```", TEXT)
    table = root / "symattn" / "writers" / "formats.py"
    known = table.read_text("utf-8")
    assert known.count("ENDINGS = {\n") == 1
    table.write_text(known.replace("ENDINGS = {\n", f"ENDINGS = {{\n{line}"), "utf-8")
    return root


def test_there_is_an_example_of_each_kind() -> None:
    rooms = ["functions", "numbers", "writers", "claims/variations/families", "properties/families"]
    assert [str(Path(name).parent) for name in ADDED] == [f"symattn/{room}" for room in rooms]


def test_examples_do_what_they_show(copy: Path) -> None:
    test = doctest.DocTestParser().get_doctest(SESSION, {}, "CONTRIBUTING.md", None, 0)
    assert len(test.examples) > 15
    (copy / "session.txt").write_text(SESSION, "utf-8")
    code = "import doctest, sys; sys.exit(doctest.testfile('session.txt', False).failed)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_them_nothing_of_it_is_there() -> None:
    assert ".csv" not in formats.ENDINGS
    with pytest.raises(OptionError, match="gauge"):
        sa.prove("gauge.scores")


def test_it_sets_up_in_one_line_with_extras_that_there_are() -> None:
    import tomllib

    (line,) = re.findall(r"^python3 -m venv .*", TEXT, re.MULTILINE)
    (wanted,) = re.findall(r"'\.\[(.*?)\]'", line)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(wanted.split(",")) <= set(project["optional-dependencies"])


def test_its_rooms_are_there() -> None:
    table = TEXT.partition("## Where things are")[2].partition("## ")[0]
    named = re.findall(r"`([\w/.*]+)`", table)
    assert len(named) > 15
    for name in named:
        base = ROOT if name.startswith(("symattn/", "tests/", "benchmarks/", "docs/")) else None
        found = [*(base or ROOT / "symattn").glob(name.rstrip("/"))]
        assert found or [*(ROOT / "symattn").glob(name.rstrip("/"))], name


@pytest.mark.parametrize("name", ["wrong-number", "bug", "idea"])
def test_issue_templates_are_forms(name: str) -> None:
    yaml = pytest.importorskip("yaml")
    text = (ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text("utf-8")
    form = yaml.safe_load(text)
    assert set(form) == {"name", "description", "title", "labels", "body"}
    fields = [part for part in form["body"] if part["type"] != "markdown"]
    assert any(part["validations"]["required"] for part in fields if "validations" in part)
    assert len({part["id"] for part in fields}) == len(fields)
    for part in fields:
        assert part["type"] in ("input", "textarea")
        assert part["attributes"]["label"]


def test_it_is_cited_with_its_version() -> None:
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    # What version 1.2.0 of the format requires.
    assert cited["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(cited)
    assert cited["authors"] == [{"name": "The symattn authors"}]
    assert (cited["type"], cited["license"]) == ("software", "MIT")
    assert cited["version"] == sa.__version__


def test_type_checkers_may_read_the_package() -> None:
    assert (ROOT / "symattn" / "py.typed").read_bytes() == b""  # PEP 561
