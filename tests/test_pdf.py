"""PDFs: accessible, within their margins, the same each time, with every token to be seen."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from symattn.cli import main
from symattn.document import page
from symattn.spec_reader import parse_spec
from symattn.writers import pdf
from tests.equations_of import formulas
from tests.five import FIVE, page_of

pytest.importorskip("typst")
pypdf = pytest.importorskip("pypdf")

pytestmark = [pytest.mark.render, pytest.mark.once]

#: Points: the margins of the page, and how far from its ends header and footer stand.
SIDE, ENDS = 62, 30


@cache
def made(name: str) -> bytes:
    return pdf.write(page_of(name))


def reader(data: bytes) -> Any:
    import io

    return pypdf.PdfReader(io.BytesIO(data))


def structure(data: bytes) -> list[Any]:
    """Every element of the structure tree, in order."""
    found: list[Any] = []

    def walk(element: Any) -> None:
        element = element.get_object()
        if isinstance(element, list):
            for part in element:
                walk(part)
        elif isinstance(element, dict):
            if "/S" in element:
                found.append(element)
            if "/K" in element:
                walk(element["/K"])

    walk(reader(data).trailer["/Root"]["/StructTreeRoot"])
    return found


def pages_seen(data: bytes, folder: Path) -> list[Any]:
    """Each page as grey pixels, one a point."""
    if not shutil.which("pdftoppm"):
        pytest.skip("pdftoppm is not installed")
    (folder / "page.pdf").write_bytes(data)
    command = ["pdftoppm", "-gray", "-r", "72", "page.pdf", "seen"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    found = []
    for path in sorted(folder.glob("seen-*.pgm")):
        _, size, _, pixels = path.read_bytes().split(b"\n", 3)
        columns, rows = map(int, size.split())
        found.append(np.frombuffer(pixels, np.uint8).reshape(rows, columns))
        path.unlink()
    return found


def check_margins(data: bytes, folder: Path) -> None:
    """That no ink is in the margins, of letters, rules or anything."""
    seen = pages_seen(data, folder)
    assert seen
    for number, pixels in enumerate(seen, 1):
        ink = pixels < 200
        columns, rows = np.flatnonzero(ink.any(axis=0)), np.flatnonzero(ink.any(axis=1))
        assert columns[0] >= SIDE - 1, (number, columns[0])
        assert columns[-1] <= pixels.shape[1] - SIDE, (number, columns[-1])
        assert rows[0] >= ENDS, (number, rows[0])
        assert rows[-1] <= pixels.shape[0] - ENDS, (number, rows[-1])


@pytest.mark.parametrize("name", [*FIVE, "gpt2", "vaswani2017"])
def test_nothing_runs_over_the_margin(name: str, tmp_path: Path) -> None:
    check_margins(made(name), tmp_path)


WORDS = [f"word{i}" for i in range(24)]


def spec(tokens: list[str], vocabulary: list[str], d: int, digits: int) -> str:
    import json

    def matrix(rows: int, columns: int) -> str:
        cells = [[round(((7 * i + 3 * j) % 9 - 4) / 8, 3) for j in range(columns)] for i in range(rows)]  # fmt: skip
        return json.dumps(cells)

    return f"""
format = 1
model = "next_token"
title = "{"T" * 200}"
tokens = {json.dumps(tokens, ensure_ascii=False)}
vocabulary = {json.dumps(vocabulary, ensure_ascii=False)}
mask = "causal"
[matrices]
W_vocab = {matrix(d, len(vocabulary))}
W_Q = "identity"
W_K = "identity"
W_V = {matrix(d, d)}
W_1 = {matrix(d, d)}
[display]
digits = {digits}
"""


@pytest.mark.parametrize(
    "text",
    [
        spec(WORDS[:12], WORDS, 2, 4),
        spec(WORDS[:4], WORDS[:6], 12, 12),
        spec(["x" * 120, "y " * 60 + "z", "short"], ["x" * 120, "y " * 60 + "z", "short", "ж" * 80], 2, 3),
        spec([f"t{i}" for i in range(33)], [f"t{i}" for i in range(33)], 2, 2),
    ],
    ids=["many-tokens", "many-digits", "long-tokens", "high-matrices"],
)  # fmt: skip
def test_nor_do_large_matrices_and_long_tokens(text: str, tmp_path: Path) -> None:
    check_margins(pdf.write(page(parse_spec(text).derive())), tmp_path)


@pytest.mark.parametrize("name", FIVE)
def test_it_can_be_read_aloud(name: str) -> None:
    """Of PDF/UA-1 what can be seen in the tags; typst refuses to write one that breaks the rest."""
    data = made(name)
    root = reader(data).trailer["/Root"]
    title = page_of(name).title
    assert root["/Lang"] == "en"
    assert root["/MarkInfo"]["/Marked"]
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert reader(data).metadata["/Title"] == title
    assert reader(data).xmp_metadata.dc_title["x-default"] == title
    assert b"<pdfuaid:part>1</pdfuaid:part>" in root["/Metadata"].get_data()
    elements = structure(data)
    kinds = Counter(str(e["/S"]) for e in elements)
    said = [e.get("/Alt") for e in elements if e["/S"] == "/Formula"]
    assert len(said) == len(formulas(page_of(name)))
    assert all(isinstance(words, str) and words.strip() for words in said)
    assert kinds["/TH"] >= 2 * kinds["/Table"] > 0
    levels = [int(str(e["/S"])[2:]) for e in elements if str(e["/S"]) in ("/H1", "/H2", "/H3", "/H4")]  # fmt: skip
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_it_has_contents_and_page_numbers() -> None:
    document = reader(made("article"))
    headings = [o["/Title"] for o in document.outline if isinstance(o, dict)]
    assert headings[0] == "1. Words become vectors"
    assert len(headings) == 14
    first, second = (document.pages[i].extract_text() for i in (0, 1))
    assert "Contents" in first
    assert second.rstrip().endswith("2")
    assert Counter(str(e["/S"]) for e in structure(made("article")))["/TOCI"] == 14


def test_it_is_the_same_each_time() -> None:
    assert pdf.write(page_of("hostile")) == made("hostile")


def test_tokens_of_any_script_are_seen(tmp_path: Path) -> None:
    """Each is there as text, or in a box with its number."""
    if not shutil.which("pdftotext"):
        pytest.skip("pdftotext is not installed")
    (tmp_path / "page.pdf").write_bytes(made("hostile"))
    done = subprocess.run(["pdftotext", "page.pdf", "-"], cwd=tmp_path, check=True, capture_output=True)  # fmt: skip
    text = done.stdout.decode("utf-8")
    for character in "猫ναίكلب":
        assert character in text or f"U+{ord(character):X}" in text, character
    assert "<img src=x onerror=alert(1)>" in text
    assert "\\write18{rm}" in text
    assert "#show: x => [$]" in text


def test_what_typst_refuses_is_boxed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where characters have glyphs, and what they are together has none."""
    from symattn import typesetting

    spec_of = spec(["\U0001f642", "a"], ["\U0001f642", "a"], 2, 2)
    monkeypatch.setattr(typesetting, "unseen", lambda text: "")
    text = reader(pdf.write(page(parse_spec(spec_of).derive()))).pages[0].extract_text()
    assert "U+1F642" in text or "\U0001f642" in text


def test_a_fold_is_an_appendix_that_is_linked() -> None:
    derivation = page_of("two-layers").derivation
    assert derivation is not None
    data = pdf.write(page(derivation.with_fold(["layers", "entries"])))
    document = reader(data)
    text = "".join(p.extract_text() for p in document.pages)
    assert "What was left out above" in text
    links = [a.get_object() for p in document.pages for a in p.get("/Annots", [])]
    assert len(links) > 3
    assert all(link["/Subtype"] == "/Link" and link.get("/Contents") for link in links)


def test_the_command_writes_bytes(tmp_path: Path) -> None:
    run = CliRunner().invoke(main, ["write", "article-encoder", "-o", str(tmp_path / "a.pdf")])
    assert run.exit_code == 0, run.output
    assert (tmp_path / "a.pdf").read_bytes() == made("article-encoder")
    piped = CliRunner().invoke(main, ["write", "article-encoder", "--format", "pdf", "-o", "-"])
    assert piped.stdout_bytes == made("article-encoder")


def test_a_terminal_gets_no_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    from symattn.cli import options

    class Terminal:
        @staticmethod
        def isatty() -> bool:
            return True

    class System:
        stdout = Terminal()

    monkeypatch.setattr(options, "sys", System)
    run = CliRunner().invoke(main, ["write", "article-encoder", "--format", "pdf"])
    assert run.exit_code == 2
    assert "pdf is no text: wanted -o FILE, or a pipe" in run.output
