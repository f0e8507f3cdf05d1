"""The pages of the documentation: their numbers are right, their examples and commands run."""

from __future__ import annotations

import glob
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from symattn.cli import main
from symattn.models import MODELS
from symattn.spec_reader import _keys_of
from tests.test_readme import DOCUMENTS

pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)

#: Pages with code whose examples another test runs, because they need a document or a trained model.
ELSEWHERE = {
    "docs/check.md": "tests/test_check_cli.py",
    "docs/jupyter-book.md": "tests/test_sphinx.py",
    "docs/numpy.md": "tests/test_numpy.py",
    "docs/real-models.md": "tests/test_pretrained_real.py",
}

#: Commands on documents that only the reader has.
OF_THE_READER = ("symattn check docs/*.md",)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", [ROOT / "README.md", *PAGES], ids=named)
def test_the_numbers_of_a_page_are_right(path: Path) -> None:
    """Every page is judged by `symattn check`; one that names its spec to the last number."""
    outside_code = "".join(path.read_text("utf-8").split("```")[::2])
    is_whole = "<!-- symattn: spec" in outside_code
    words = ["check", *(["--strict"] if is_whole else []), str(path)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output


def test_a_wrong_number_in_a_page_is_found(tmp_path: Path) -> None:
    text = (DOCS / "tutorial.md").read_text("utf-8")
    changed = tmp_path / "tutorial.md"
    changed.write_text(
        text.replace("0.40 & 0.25 & 0.35 \\end", "0.40 & 0.24 & 0.35 \\end"), "utf-8"
    )
    assert changed.read_text("utf-8") != text
    assert CliRunner().invoke(main, ["check", str(changed)]).exit_code == 1


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_the_examples_of_every_page_are_run_somewhere(path: Path) -> None:
    if re.search(r"^```(pycon|console|python)$", path.read_text("utf-8"), re.MULTILINE):
        assert named(path) in DOCUMENTS or (ROOT / ELSEWHERE[named(path)]).exists()


def commands() -> list[tuple[str, str]]:
    """What pages say one types into a shell, with the page."""
    found = []
    for path in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", path.read_text("utf-8"), re.DOTALL):
            lines = (line.strip() for line in block.splitlines())
            found += [(named(path), line) for line in lines if line.startswith("symattn ")]
    return list(dict.fromkeys((p, c) for p, c in found if c not in OF_THE_READER))


@pytest.mark.parametrize(("page", "line"), commands())
def test_commands_in_pages_run(
    page: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if re.search(r"\.(pdf|png)\b|--as equation", line):
        pytest.importorskip("typst")
    words = shlex.split(line, comments=True)[1:]
    words = words[: words.index(">")] if ">" in words else words
    words = ["3" if word == "30" else word for word in words]  # a class of three is class enough
    files = [glob.glob(word, root_dir=ROOT) if "*" in word else [word] for word in words]
    words = [str(ROOT / w) if (ROOT / w).is_file() else w for some in files for w in some]
    monkeypatch.chdir(tmp_path)
    if "mine.toml" in line and "new" not in words:
        assert CliRunner().invoke(main, ["new", "mine.toml"]).exit_code == 0
    done = CliRunner().invoke(main, words)
    expected = 1 if page == "docs/found.md" else 0  # its documents are wrong
    assert done.exit_code == expected, done.output


def test_every_key_of_a_spec_is_in_its_reference() -> None:
    text = (DOCS / "reference" / "spec.md").read_text("utf-8")
    said = {
        key
        for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
        for key in re.findall(r"`(\w+)`", row)
    }
    known = {key for model in MODELS.values() for key in _keys_of(model)}
    choices = {key for model in MODELS.values() for key in (*model.choices, *model.words)}
    assert known - choices <= said, known - choices - said
    assert said <= known, said - known
