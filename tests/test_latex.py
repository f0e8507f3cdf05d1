"""LaTeX: every engine sets every page within its margins, and no character vanishes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from symattn.cli import main
from symattn.document import page, with_backward
from symattn.layout import LINE, parted, width
from symattn.spec_reader import load_spec
from symattn.writers import latex
from tests.five import FIVE, page_of

pytestmark = [pytest.mark.render, pytest.mark.once]

PRESETS = ("vaswani2017", "gpt2", "bert", "llama", "gemma2")


def document(name: str, **options: bool) -> str:
    return latex.write(page_of(name), **options)


def compiled(engine: str, text: str, folder: Path) -> str:
    """The log of an engine."""
    if not shutil.which(engine):
        pytest.skip(f"{engine} is not installed")
    (folder / "page.tex").write_text(text, "utf-8")
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    log = (folder / "page.log").read_text("utf-8", errors="replace")
    assert done.returncode == 0, log[-2000:]
    return log


def too_wide(log: str) -> list[float]:
    """The boxes that run over by more than a point."""
    found = map(float, re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log))
    return [points for points in found if points > 1]


@pytest.mark.parametrize("name", [*FIVE, *PRESETS])
def test_pdflatex_keeps_the_margins(name: str, tmp_path: Path) -> None:
    assert not too_wide(compiled("pdflatex", document(name), tmp_path))


@pytest.mark.parametrize("engine", ["xelatex", "lualatex"])
@pytest.mark.parametrize("name", FIVE)
def test_the_other_engines_do_too_and_lose_nothing(engine: str, name: str, tmp_path: Path) -> None:
    log = compiled(engine, document(name), tmp_path)
    assert not too_wide(log)
    assert "Missing character" not in log


@pytest.mark.parametrize(
    ("name", "target"), [("article", "quickly"), ("gpt2", None), ("vaswani2017", "Katze")]
)
def test_the_backward_pass_keeps_the_margins(name: str, target: str | None, tmp_path: Path) -> None:
    d = load_spec(name).derive()
    made = page(d, with_backward(d.spec.text, d, target))
    assert not too_wide(compiled("pdflatex", latex.write(made), tmp_path))


def test_boxes_keep_the_margins(tmp_path: Path) -> None:
    d = load_spec("tests/specs/eight-tokens.toml").derive()
    boxed = d.with_display(highlight=[step.address for step in d.steps if step.shape])
    assert not too_wide(compiled("pdflatex", latex.write(page(boxed)), tmp_path))


@pytest.mark.parametrize("engine", ["pdflatex", "xelatex", "lualatex"])
def test_characters_are_set_or_show_their_number(engine: str, tmp_path: Path) -> None:
    if not shutil.which("pdftotext"):
        pytest.skip("pdftotext is not installed")
    compiled(engine, document("hostile"), tmp_path)
    text = subprocess.run(
        ["pdftotext", "page.pdf", "-"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    plain = "".join(text.split())
    for token in ("猫", "ναί", "كلب"):
        boxes = "".join(f"U+{ord(c):04X}" for c in token)
        assert token in plain or boxes in plain
    assert r"\write18{rm}" in plain


@pytest.mark.parametrize("name", FIVE)
def test_a_fragment_stands_in_a_document_of_ones_own(name: str, tmp_path: Path) -> None:
    (tmp_path / "part.tex").write_text(document(name, fragment=True), "utf-8")
    own = (
        "\\documentclass[a4paper]{article}\n\\usepackage[margin=22mm]{geometry}\n"
        "\\usepackage{amsmath,xcolor}\n\\begin{document}\nBefore.\n\n\\input{part}\n\nAfter.\n"
        "\\end{document}\n"
    )
    assert not too_wide(compiled("pdflatex", own, tmp_path))


def test_packages_are_amsmath_and_xcolor() -> None:
    assert re.findall(r"\\usepackage(?:\[.*\])?\{(.*)\}", document("article")) == ["amsmath,xcolor"]


def test_a_fragment_is_latex(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["write", "--fragment", "-o", str(tmp_path / "x.md")])
    assert done.exit_code == 2
    assert "wanted --fragment with a file ending in .tex" in done.output
    assert list(tmp_path.iterdir()) == []
    done = CliRunner().invoke(main, ["write", "--fragment", "-o", str(tmp_path / "x.tex")])
    assert done.exit_code == 0
    text = (tmp_path / "x.tex").read_text("utf-8")
    assert r"\documentclass" not in text
    assert r"\providecommand" in text


def test_long_brackets_are_parted_where_a_sum_is() -> None:
    inside = " + ".join(f"x_{{{i}}}" for i in range(60))
    lines = parted(rf"\log\left({inside}\right) - 1", LINE)
    assert len(lines) > 1
    assert all(width(line) <= LINE + 12 for line in lines)
    for line in lines:
        assert line.count(r"\left") == line.count(r"\right")
    joined = " ".join(lines).replace(r"\right. \left.", " ")
    assert " ".join(joined.split()) == rf"\log\left({inside}\right) - 1"
