"""Notebooks: what is stored is what a kernel gives, and teaches what the page shows."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import symattn as sa
from symattn.blocks import Equation, Page
from symattn.document import page, with_backward
from symattn.errors import SpecError
from symattn.functions import softmax
from symattn.spec_reader import load_spec, parse_spec
from symattn.writers import notebook
from symattn.writers.session import _literal, _quoted

SPECS = ["article", "article-encoder"] + [
    f"tests/specs/{name}.toml" for name in ("two-layers", "eight-tokens", "hostile")
]


def made(name: str, **display: Any) -> tuple[str, Page]:
    derivation = load_spec(name).derive()
    whole = page(derivation.with_display(**display) if display else derivation)
    return notebook.write(whole), whole


def cells(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["cells"]
    return found


def sources(text: str, kind: str = "code") -> list[str]:
    return ["".join(c["source"]) for c in cells(text) if c["cell_type"] == kind]


def rerun(text: str, folder: Path) -> list[dict[str, Any]]:
    """The cells after a kernel has run them all, in a folder in which nothing else is."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = nbformat.reads(text, as_version=4)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    where = {"metadata": {"path": str(folder)}}
    client = nbclient.NotebookClient(book, record_timing=False, timeout=300, resources=where)
    client.execute()
    return cells(nbformat.writes(book))


@pytest.mark.once
@pytest.mark.parametrize("name", SPECS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_running_it_gives_what_is_stored(name: str, tmp_path: Path) -> None:
    text, _ = made(name)
    assert rerun(text, tmp_path) == cells(text)


@pytest.mark.once
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_was_changed_before_is_part_of_its_first_cell(tmp_path: Path) -> None:
    d = load_spec("article").derive()
    d = d.with_(W_1=[["sqrt(2)", "1/3"], [1, 0]], O=[[1, 0], [0, 1], [0, "1/2"]])
    d = d.with_display(digits=3, roots="divided")
    text = notebook.write(page(d, with_backward(d.spec.text, d, "mouse")))
    first = sources(text)[0]
    assert 'W_1=[["sqrt(2)", "1/3"], ["1", "0"]]' in first
    assert "digits=3" in first and 'roots="divided"' in first
    assert any("back = d.backward(target=2)" in s or 'target="mouse"' in s for s in sources(text))
    assert rerun(text, tmp_path) == cells(text)


@pytest.mark.parametrize("name", SPECS)
def test_it_is_valid_and_written_as_nbformat_writes(name: str) -> None:
    nbformat = pytest.importorskip("nbformat")
    text, _ = made(name)
    book = nbformat.reads(text, as_version=4)
    nbformat.validate(book)
    assert nbformat.writes(book) == text.rstrip("\n")
    assert made(name)[0] == text
    ids = [c["id"] for c in cells(text)]
    assert len(set(ids)) == len(ids)


def test_every_equation_about_steps_is_a_line_of_python_that_shows_it() -> None:
    text, whole = made("article")
    shown = "\n".join(
        "".join(o["data"].get("text/markdown", ""))
        for c in cells(text) if c["cell_type"] == "code"
        for o in c["outputs"] if "data" in o
    )  # fmt: skip
    about = [b for b in whole.blocks if isinstance(b, Equation) and b.about]
    assert len(about) > 15
    for block in about:
        assert block.latex in shown
    prose = "\n".join(sources(text, "markdown"))
    assert not any(block.latex in prose for block in about)


def test_it_teaches_the_calls() -> None:
    code = sources(made("article")[0])
    assert code[0] == 'import symattn as sa\n\nd = sa.load("article")\nd'
    for line in ('d["W_Q", "W_K", "W_V"]', 'd["A"]', 'd["A"][1, 1].explain()', "d.verify().agrees",
                 'sa.compare(d["P"][1], d["P"][3])', 'sa.vary(d, "W_1[0,0]")',
                 'for row in d["A"].decimal(12):\n    print(*row)',
                 'back = d.backward(target="quickly")\nback["loss", "dlogits", "dF", "dW_1"]',
                 'changed = d.with_(W_1=[["0", "1"], ["1", "0"]])\nchanged["P"]'):  # fmt: skip
        assert line in code


@pytest.mark.parametrize("name", SPECS)
def test_a_spec_of_ones_own_stands_in_the_notebook(name: str) -> None:
    first = sources(made(name)[0])[0]
    tree = ast.parse(first)
    call = tree.body[1]
    assert isinstance(call, ast.Assign) and isinstance(call.value, ast.Call)
    (given,) = call.value.args
    assert isinstance(given, ast.Constant)
    if name.endswith(".toml"):
        assert given.value == Path(name).read_text("utf-8")
    else:
        assert given.value == name


def test_hostile_text_stays_text() -> None:
    text, _ = made("tests/specs/hostile.toml")
    for source in sources(text):
        ast.parse(source)
    prose = "\n".join(sources(text, "markdown"))
    outputs = "\n".join(
        "".join(o["data"].get("text/markdown", ""))
        for c in cells(text) if c["cell_type"] == "code"
        for o in c["outputs"] if "data" in o
    )  # fmt: skip
    for shown in (prose, outputs):
        assert "<script" not in shown and "<img" not in shown
        assert r"\input{" not in shown.replace(r"\backslash", "")
        assert "猫" in shown


@pytest.mark.parametrize(
    "text",
    ['a = """x"""\n', "a = '''x''' \"\"\"y\"\"\"\n", "ends in a \\", 'ends in "', "bell \x07\n", "\u202e\n",
     "two\nlines\n", "a\r\nb\n"],
)  # fmt: skip
def test_texts_are_quoted_as_they_are(text: str) -> None:
    assert ast.literal_eval(_quoted(text)) == text
    assert _quoted(text).isprintable() or "\n" in _quoted(text)


def test_plain_data_is_written_as_python_reads_it() -> None:
    for value in (["1", ["a"]], ("a",), ("a", "b"), {"Z": {"digits": 4}}, True, 3, 'é\\"\n', ()):
        assert ast.literal_eval(_literal(value)) == value


def test_symbols_leave_out_what_takes_numbers() -> None:
    source = Path("tests/specs/eight-tokens.toml").read_text("utf-8")
    spec = parse_spec(source.replace("[matrices]", 'symbolic = ["W_K"]\n[matrices]'))
    text = notebook.write(page(spec.derive()))
    assert "d.verify().agrees" not in sources(text)
    assert 'd["A.sum", "A", "O"]' in sources(text)


def test_a_page_without_a_spec_is_refused() -> None:
    d = sa.derive(softmax, x=[0, 0])
    with pytest.raises(SpecError, match="loaded from a spec"):
        notebook.write(Page("title", (), d))


def test_a_page_without_a_derivation_is_text() -> None:
    made = json.loads(notebook.write(Page("a *title*", (Equation("x^2"),)), "mine.toml"))
    (cell,) = made["cells"]
    assert cell["cell_type"] == "markdown"
    text = "".join(cell["source"])
    assert "symattn: spec mine.toml" in text
    assert "x^2" in text


def test_the_checker_finds_every_number_right(tmp_path: Path) -> None:
    for name in ("article", "article-encoder"):
        file = tmp_path / f"{name}.ipynb"
        run = [sys.executable, "-m", "symattn"]
        subprocess.run([*run, "write", name, "-o", str(file)], check=True, capture_output=True)
        done = subprocess.run(
            [*run, "check", str(file), "--strict"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
        assert " 0 wrong" in done.stdout and int(done.stdout.split(": ")[1].split()[0]) > 300
        wrong = file.read_text("utf-8").replace("0.64", "0.65")
        file.write_text(wrong, "utf-8")
        done = subprocess.run(
            [*run, "check", str(file)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
