"""symattn check at the command line: what it prints, its exit status, corrections and blocks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.command import symattn

ROOT = Path(__file__).parent.parent
DOCS = Path(__file__).parent / "cases" / "docs"


def check(*words: str, cwd: Path) -> CompletedProcess[str]:
    return symattn("check", *words, cwd=cwd)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("article.md", "worked-07.md"):
        shutil.copy(DOCS / name, tmp_path)
    return tmp_path


def test_the_guide_says_what_is_printed(folder: Path) -> None:
    guide = (ROOT / "docs" / "check.md").read_text("utf-8")
    found = check("article.md", cwd=folder)
    assert found.returncode == 1
    assert f"$ symattn check article.md\n{found.stdout}```" in guide


def test_exit_status(folder: Path) -> None:
    (folder / "empty.md").write_text("", "utf-8")
    assert check("worked-07.md", cwd=folder).returncode == 0
    assert check("article.md", cwd=folder).returncode == 1
    assert check("empty.md", cwd=folder).returncode == 0
    assert check("empty.md", "--strict", cwd=folder).returncode == 1
    missing = check("missing.md", "worked-07.md", cwd=folder)
    assert missing.returncode == 2
    assert "missing.md: wanted a document, found no such file" in missing.stderr
    assert "worked-07.md: 6 right" in missing.stdout


def test_corrections_are_shown_made_and_clean(folder: Path) -> None:
    path = folder / "article.md"
    text = path.read_text("utf-8") + "\nSo chases attends to itself (0.65).\n"
    path.write_text(text, "utf-8")
    shown = check("article.md", "--diff", cwd=folder)
    assert path.read_text("utf-8") == text
    assert "-A[1] = \\begin{bmatrix} 0.35 & 0.65 & 0 \\end{bmatrix}" in shown.stdout
    assert "+A[1] = \\begin{bmatrix} 0.36 & 0.64 & 0 \\end{bmatrix}" in shown.stdout
    made = check("article.md", "--fix", cwd=folder)
    assert made.returncode == 0
    assert "3 places corrected" in made.stderr
    assert "article.md:46:30  the text still says 0.65" in made.stderr
    assert check("article.md", cwd=folder).returncode == 0
    assert (folder / "article.md").read_text("utf-8").count("0.64") == 2


def test_formats_for_machines(folder: Path) -> None:
    found = json.loads(check("article.md", "--json", cwd=folder).stdout)
    assert found[0]["counts"] == {
        "right": 12, "wrong": 3, "undecided": 0, "unmatched": 0, "quoted": 0,
    }  # fmt: skip
    assert [f["at"] for f in found[0]["findings"] if f["verdict"] == "wrong"] == [
        "A[1,0]", "A[1,1]", "O[1,1]",
    ]  # fmt: skip
    lines = check("article.md", "--format", "github", cwd=folder).stdout.splitlines()
    assert lines[0].startswith("::error file=article.md,line=26,col=24::A[1,0]: 0.35 is wrong")
    assert "Z was rounded to 2 decimals first" in lines[0]


LESSON = r"""<!-- symattn: spec article -->
<!-- symattn: show A digits=3 -->
<!-- /symattn -->

It attends to itself with 0.65<!-- symattn: A[1,1] -->.

<!-- symattn: quoted -->
$$ A[1] = \begin{bmatrix} 0.35 & 0.65 & 0 \end{bmatrix} $$
<!-- /symattn -->
"""


def test_blocks_are_written_and_protected(tmp_path: Path) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(LESSON, "utf-8")
    first = check("lesson.md", cwd=tmp_path)
    assert first.returncode == 1
    assert "the block 'A digits=3' is not what the spec gives" in first.stdout
    assert check("lesson.md", "--fix", cwd=tmp_path).returncode == 0
    text = path.read_text("utf-8")
    assert r"0.356 & 0.644 & 0.000" in text
    assert "with 0.64<!-- symattn: A[1,1] -->" in text
    assert "0.35 & 0.65 & 0" in text  # quoted
    path.write_text(text.replace("0.356", "0.357"), "utf-8")
    edited = check("lesson.md", cwd=tmp_path)
    assert edited.returncode == 1
    assert "was edited by hand" in edited.stdout
    again = check("lesson.md", "--fix", cwd=tmp_path)
    assert "wrote over a block that was edited by hand" in again.stderr
    assert path.read_text("utf-8") == text
    path.write_text(text.replace("show A digits=3", "show A digits=4"), "utf-8")
    assert "is not what the spec gives" in check("lesson.md", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("show Nope", "no step 'Nope'"),
        ("show A digits=many", "got 'digits=many'"),
        ("show A highlight=9,9", "there is no entry A[9, 9]"),
        ("show", "wanted symattn: show ADDRESS"),
    ],
)
def test_blocks_that_cannot_be_written_say_why(tmp_path: Path, said: str, message: str) -> None:
    text = f"<!-- symattn: spec article -->\n<!-- symattn: {said} -->\n<!-- /symattn -->\n"
    (tmp_path / "x.md").write_text(text, "utf-8")
    found = check("x.md", cwd=tmp_path)
    assert found.returncode == 1
    assert message in found.stdout
    assert check("x.md", "--fix", cwd=tmp_path).returncode == 1
    assert (tmp_path / "x.md").read_text("utf-8") == text


def test_aliases_and_claims_of_a_spec(tmp_path: Path) -> None:
    spec = (
        'format = 1\nmodel = "attention_head"\ntitle = "x"\ntokens = ["a", "b"]\n'
        '[matrices]\nE = [[1, 0], ["1/2", 1]]\nW_Q = "identity"\nW_K = "identity"\n'
        'W_V = "identity"\n[aliases]\nmap = "A"\n[[claims]]\nat = "S[0,0]"\nprinted = "2"\n'
    )
    (tmp_path / "x.toml").write_text(spec, "utf-8")
    (tmp_path / "x.md").write_text("map = [[0.59, 0.41], [0.37, 0.64]]\n\nIt is 2.\n", "utf-8")
    found = check("x.md", "--spec", "x.toml", cwd=tmp_path)
    assert "A[1,1] (row b, column b): 0.64 is wrong, it should be 0.63" in found.stdout
    assert "the spec claims 2 for S[0,0]: wrong, it should be 1" in found.stdout
    (tmp_path / "x.toml").write_text(spec.replace('map = "A"', 'map = "B"'), "utf-8")
    wrong = check("x.md", "--spec", "x.toml", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "aliases.map: no step 'B'" in wrong.stderr
