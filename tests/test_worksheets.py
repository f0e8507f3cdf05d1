"""Worksheets: nothing on them tells what is asked, keys do, and answers are judged."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from fractions import Fraction
from itertools import combinations, cycle
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import symattn as sa
from symattn import expression
from symattn.blocks import Equation
from symattn.cli import main
from symattn.errors import AddressError, ExactnessError, OptionError
from symattn.numbers.texts import text as text_of
from symattn.spec_reader import parse_spec
from symattn.text import Section, Text
from symattn.worksheets.blanks import BOX, ROOM, Blanks
from symattn.worksheets.chosen import chosen
from symattn.worksheets.examples import random_text
from symattn.worksheets.handed import leaves
from symattn.worksheets.sheet import Worksheet, _Sheet, worksheet
from symattn.writers.formats import ENDINGS, written
from tests.five import FIVE, derivation_of

#: Formats that are text; a PDF is made of typst's.
FORMATS = sorted(set(ENDINGS.values()) - {"pdf"})
BLANKS = ("A", "S,Z,A,O", "A[1]", "Z,A", "O", "30%", "5")


def made(name: str, blank: str, **options: Any) -> Worksheet:
    return worksheet(derivation_of(name), blank, seed=7, **options)


def mathematics(name: str, blank: str) -> str:
    """All that the sheet prints as an equation, without the inputs, which a value may repeat."""
    return written(made(name, blank, prose=False).sheet, "latex").replace(ROOM, "")


def relu(E: Any) -> Any:
    x = E * 1
    y = np.maximum(x, 0)
    return y


def twice_and_half(E: Any) -> Any:
    x = E * 1
    z = 2 * x
    y = z / 2
    return y


def weighted(E: Any) -> Any:
    x = E * 1
    y = x @ np.array([[1, 0], [0, 1], [0, 0]])
    return y


# What a sheet gives away.


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("blank", ["A", "S,Z,A,O"])
def test_no_long_value_of_a_box_is_anywhere(form: str, blank: str) -> None:
    """Four decimals and exact values with an exponential are found nowhere by chance."""
    d = sa.load("article-encoder").with_display(digits=4)
    sheet = worksheet(d, blank, seed=7)
    whole = str(written(sheet.sheet, form))
    key = str(written(sheet.key, form))
    told = 0
    for address in sheet.boxes:
        entry = d[address]
        decimal = entry.decimal(4)
        if entry.rational is None:
            assert decimal not in whole, address
            told += decimal in key
        exact = text_of(entry.form, "latex")
        if "e^" in exact and form in ("markdown", "latex"):
            assert exact not in whole, address
    assert told > 3


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize("name", [*FIVE, "llama"])
def test_every_box_is_there_once_and_names_stand_elsewhere(name: str, blank: str) -> None:
    if blank == "A" and name in ("two-layers", "llama"):
        blank = "layer[0].head[0].A"
    elif name in ("two-layers", "llama") and blank not in ("30%", "5"):
        pytest.skip("several steps have these names")
    sheet = made(name, blank)
    text = str(written(sheet.sheet, "latex"))
    assert text.count(BOX) == len(sheet.boxes)
    key = str(written(sheet.key, "latex"))
    assert BOX not in key


def test_an_html_sheet_has_no_data_of_what_is_asked() -> None:
    page = str(written(made("article", "A,O").sheet, "html"))
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert not json.loads(data[1]).get("steps")
    d = sa.article()
    for address in ("A[1,0]", "O[1,0]", "P[1]"):
        assert d[address].decimal(8) not in page


def test_later_steps_show_decimals_and_not_how_they_came() -> None:
    text = mathematics("article", "A")
    assert r"A V" in text
    assert "0.48" in text  # O, from which a student goes on
    assert r"\ell_1" not in text.split(r"O &=")[1]


def test_prose_says_names_for_what_is_asked() -> None:
    text = str(written(made("article", "A").sheet, "markdown"))
    assert "*chases* sees *cat* ($A[1,0]$) and itself ($A[1,1]$)." in text
    assert "Every step was computed again" in text


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("article", "Q"), ("article", "A"), ("article", "logits"), ("hostile", "V"), ("hostile", "A"),
        ("two-layers", "E"), ("two-layers", "layer[0].r_1"), ("two-layers", "layer[0].FFN[0].u"),
        ("two-layers", "layer[1].FFN[0].u"),
    ],
)  # fmt: skip
def test_a_number_that_is_nowhere_by_chance_is_nowhere(name: str, address: str) -> None:
    """A step is replaced by numbers of its own and left blank: whatever repeats one shows it.

    ReLU does, products with 1 and masked zeros do, and so do steps that come much later.
    """
    d = derivation_of(name)
    step = d[address]
    numbers = iter(Random(1).sample(range(1001, 4999), step.forms.size))
    signs = cycle((1, 1, -1))
    own = [
        [
            Fraction(sign * number * 2 + 1, 7919)
            for _, number, sign in zip(row, numbers, signs, strict=False)
        ]
        for row in np.atleast_2d(step.forms)
    ]
    d = d.with_(**{step.address: own if len(step.shape) == 2 else own[0]}).with_display(digits=6)
    text = "".join(
        written(worksheet(d, address, prose=prose).sheet, "latex") for prose in (True, False)
    )
    for entry in d[address].entries():
        for told in (text_of(entry.form, "latex"), entry.decimal(6)):
            assert told not in text, entry.address


@pytest.mark.parametrize("function", [relu, twice_and_half, weighted])
def test_what_is_a_blank_once_more_is_not_shown(function: Any) -> None:
    """Of whole numbers, too, which are found anywhere by chance."""
    d = sa.derive(function, E=[["1", "-2", "3"], ["0", "1/2", "5/3"]])
    blanks = Blanks(d, d["x"].entries())
    y = d["y"]
    for index in np.ndindex(y.shape):
        expected = y.forms[index] == d["x"].forms[index]
        if function is twice_and_half:  # of what comes in two steps, fractions alone
            expected = y[index].rational.denominator > 1
        assert blanks.hides(y, index) == expected, index


def test_a_sum_below_the_bar_is_not_shown() -> None:
    """P would be fractions that tell the sum, 4, which is asked."""
    spec = parse_spec(random_text(2, model="next_token"), "example")
    d = spec.derive()
    total = d["P.sum"].entries()[0].text()
    text = str(written(worksheet(d, "P.sum").sheet, "latex"))
    shown = text.partition(r"\ell_P &=")[2]
    assert r"\approx" in shown
    assert total not in shown


def test_a_share_that_is_a_weight_is_not_said() -> None:
    d = sa.article()
    text = Text(
        (Section("own", "", "{share A.exp[1,0]} and {share S[2,0]}", "own"),), d.spec.text.words
    )
    asked = Blanks(d, d["A"].entries())
    page = _Sheet(d, text, asked).sheet("own", False)
    said = str(written(page, "markdown"))
    assert d["A[1,0]"].decimal(2) not in said
    assert d["S[2,0]"].share(2) in said


# Which entries, and by which seed.


def test_the_same_seed_asks_the_same() -> None:
    d = sa.article()
    first, again, other = (chosen(d, "5", seed) for seed in (7, 7, 8))
    assert [e.address for e in first] == [e.address for e in again]
    assert [e.address for e in first] != [e.address for e in other]
    assert len(first) == 5
    assert random_text(3) == random_text(3) != random_text(4)
    assert not any(e.step.given for e in chosen(d, "100%", 1))


@pytest.mark.parametrize("name", ["article", "two-layers"])
def test_nothing_is_picked_that_another_step_shows(name: str) -> None:
    """O[1,1] is A[1,1] where V is 0 and 1; a ReLU hands on; an output without a bias does."""
    d = derivation_of(name)
    picked = chosen(d, "100%")
    for entry in picked:
        tree = expression.expand(d.graph, entry.step.node, entry.index)
        same = [c for c in leaves(tree) if d.forms[c.node][c.index] == entry.form]
        assert not same or entry.rational in (0, 1), entry.address
    addresses = [entry.address for entry in picked]
    if name == "article":
        assert "O[2,0]" in addresses
        assert not {"O[1,1]", "O[2,1]", "F[0]", "Z_masked[1,0]"} & {*addresses}


@pytest.mark.parametrize(
    ("blank", "error", "said"),
    [
        ("B", AddressError, "no step 'B'"),
        ("A[9]", AddressError, "A has shape (3, 3)"),
        (",", OptionError, "blank: wanted addresses"),
        ("0", OptionError, "blank: wanted"),
        ("-3", OptionError, "blank: wanted"),
        ("999", OptionError, "blank: wanted"),
        ("101%", OptionError, "blank: wanted"),
        ("A,5", OptionError, "wanted addresses, or one number"),
    ],
)
def test_blanks_that_there_are_not(blank: str, error: Any, said: str) -> None:
    with pytest.raises(error) as found:
        worksheet(sa.article(), blank)
    assert said in str(found.value)


def test_everything_and_symbols_are_refused() -> None:
    d = sa.article()
    with pytest.raises(OptionError, match="everything would be blank"):
        worksheet(d, [step.address for step in d.steps])
    with pytest.raises(ExactnessError, match="wanted numbers"):
        worksheet(d.with_(W_Q=sa.symbols_like("W_Q", (2, 2))), "A")
    with pytest.raises(OptionError, match="seed: wanted a whole number"):
        worksheet(d, "A", seed="x")  # type: ignore[arg-type]


# Examples that work out by hand.


@pytest.mark.parametrize("style", ["fractions", "exponentials"])
@pytest.mark.parametrize("model", ["attention_head", "next_token"])
@pytest.mark.parametrize("seed", range(6))
def test_random_examples_work_out(seed: int, model: str, style: str) -> None:
    d = parse_spec(random_text(seed, model=model, style=style), "example").derive()
    A = d["A"]
    rows = [[e.form for e in row] for row in A]
    assert all(a != b for a, b in combinations([tuple(map(repr, r)) for r in rows], 2))
    if style == "fractions":
        assert all(e.rational is not None for e in A.entries())
        assert max(e.rational.denominator for e in A.entries()) <= 60
    else:
        assert any("exp" in e.text() for e in A.entries())
    if model == "next_token":
        from symattn.comparison import largest

        assert len(largest(d["P"].entries())) == 1
    columns = list(zip(*[[e.form for e in row] for row in d["V"]], strict=True))
    assert len(set(columns)) == len(columns)
    for name in ("Q", "K") if style == "exponentials" else ("Q",):
        assert all(
            e.rational is not None and e.rational.denominator == 1 for e in d[name].entries()
        )


def test_a_class_gets_different_sheets(tmp_path: Path) -> None:
    run("worksheet", "--random", "--count", "30", "--blank", "A,O", "-o", str(tmp_path / "s.md"))
    sheets = sorted(tmp_path.glob("s-[0-9]*.md"))
    assert len(sheets) == 30
    answers = [
        tuple(
            e.text()
            for name in ("A", "O")
            for e in sa.load(sheet.with_suffix(".toml"))[name].entries()
        )
        for sheet in sheets
    ]
    assert len(set(answers)) == 30
    key = (tmp_path / "s-key.md").read_text("utf-8")
    assert key.count("\n## ") == 30


def test_sheets_that_ask_for_a_number_without_an_index_differ(tmp_path: Path) -> None:
    path = tmp_path / "s.md"
    run("worksheet", "--random", "--model", "next_token", "--blank", "P.sum", "--count", "2",
        "-o", str(path))  # fmt: skip
    sheets = sorted(tmp_path.glob("s-[0-9]*.toml"))
    assert len({sa.load(sheet)["P.sum"].entries()[0].text() for sheet in sheets}) == 2


# Answers.


def run(*words: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == status, done.output
    return done.output


def filled(text: str, answers: list[str]) -> str:
    parts = text.split(ROOM)
    assert len(parts) == len(answers) + 1
    return "".join(a + b for a, b in zip(parts, [*answers, ""], strict=True))


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "sheet.md"
    run("worksheet", "article-encoder", "--blank", "A", "-o", str(path))
    return path


def test_an_untouched_sheet_is_unanswered(sheet: Path) -> None:
    out = run("check", str(sheet))
    assert "answers: 0 right, 0 wrong, 9 unanswered" in out


@pytest.mark.parametrize("ending", [".md", ".qmd", ".tex", ".ipynb"])
def test_sheets_to_type_into_say_so_and_are_counted(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"sheet{ending}"
    run("worksheet", "--random", "--seed", "4", "--blank", "A[1]", "-o", str(path))
    assert "takes the place of" in path.read_text("utf-8")
    assert "answers: 0 right, 0 wrong, 3 unanswered" in run("check", str(path))


def test_right_answers_are_right(sheet: Path) -> None:
    d = sa.load("article-encoder")
    text = sheet.read_text("utf-8")
    text = text.replace(f"`{ROOM}`", "")
    answers = [e.decimal() for e in d["A"].entries()]
    sheet.write_text(filled(text, answers), "utf-8")
    assert "answers: 9 right, 0 wrong, 0 unanswered" in run("check", str(sheet))


def test_wrong_answers_are_found_with_their_cause(sheet: Path) -> None:
    """Somebody forgot the divisor."""
    d = sa.load("article-encoder")
    text = sheet.read_text("utf-8").replace(f"`{ROOM}`", "")
    from symattn.functions import softmax

    slipped = sa.derive(softmax, x=d["S"], digits=2)["return"].decimal()
    answers = [x for row in slipped for x in row]
    answers[0] = ROOM
    sheet.write_text(filled(text, answers), "utf-8")
    out = run("check", str(sheet), status=1)
    assert "1 unanswered" in out
    assert re.search(r"\d wrong", out)
    assert "divi" in out.partition("why:")[2] or "scale" in out.partition("why:")[2]


# Files.


@pytest.mark.parametrize("ending", sorted(set(ENDINGS) - {".pdf"}))
def test_every_format_has_a_sheet_and_its_key(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"sheet{ending}"
    run("worksheet", "--blank", "A,O", "-o", str(path))
    assert {p.name for p in tmp_path.iterdir()} == {path.name, f"sheet-key{ending}"}


@pytest.mark.render
@pytest.mark.once
def test_a_pdf(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    run("worksheet", "--random", "--seed", "7", "-o", str(tmp_path / "sheet.pdf"))
    assert {p.name for p in tmp_path.iterdir()} == {"sheet.pdf", "sheet-key.pdf", "sheet.toml"}
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.render
def test_boxes_of_a_pdf_are_high_enough_to_write_in() -> None:
    pytest.importorskip("typst")
    from symattn.writers.pdf import equation_svg

    def height(latex: str) -> float:
        found = re.search(r'height="([\d.]+)pt"', equation_svg(latex))
        assert found is not None
        return float(found[1])

    assert height(BOX) > 1.7 * height(r"\boxed{000.00}")


@pytest.mark.render
@pytest.mark.once
def test_mathjax_takes_a_key_of_many_frames(tmp_path: Path) -> None:
    """64 framed numbers in one equation, and what they are made of, are more than its buffer."""
    made_of = made("eight-tokens", "S,A", prose=False)
    every = [b.latex for page in (made_of.sheet, made_of.key) for b in page.blocks
             if isinstance(b, Equation)]  # fmt: skip
    assert any("boxed" in latex and "phantom" not in latex for latex in every)
    assert not any("boxed" in latex and len(latex) > 5000 for latex in every)
    if not shutil.which("node") or not os.environ.get("NODE_PATH"):
        pytest.skip("node with mathjax is not installed (NODE_PATH names its folder)")
    path = tmp_path / "equations.json"
    path.write_text(json.dumps([latex for latex in every if "boxed" in latex]), "utf-8")
    script = Path(__file__).parent / "render_mathjax.cjs"
    done = subprocess.run(
        ["node", str(script), str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("form", FORMATS)
def test_a_line_for_the_name_is_no_markup(form: str) -> None:
    text = str(written(made("article", "A,P").sheet, form))
    assert "." * 40 in text.replace("\\.", ".")
    assert not re.search(r"_{4}|(\\_){4}|(&#95;){4}|(\\\\_){4}", text)


def test_a_notebook_is_written_in_and_counted(tmp_path: Path) -> None:
    """Each equation with boxes is a cell of its own; numbers in it are judged."""
    path = tmp_path / "sheet.ipynb"
    run("worksheet", "article-encoder", "--blank", "A,O", "-o", str(path))
    assert "answers: 0 right, 0 wrong, 15 unanswered" in run("check", str(path))
    notebook = json.loads(path.read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert len({cell["id"] for cell in notebook["cells"]}) == len(cells)
    with_boxes = [cell for cell in cells if BOX in cell]
    assert len(with_boxes) == 2 and all(cell.startswith("$$") for cell in with_boxes)

    d = sa.load("article-encoder")
    answers = iter([e.decimal() for name in ("A", "O") for e in d[name].entries()])
    for cell, source in zip(notebook["cells"], cells, strict=True):
        if BOX in source:
            filled_in = re.sub(re.escape(ROOM), lambda _: next(answers), source)
            cell["source"] = filled_in.replace("0.57", "0.75").splitlines(keepends=True)
    path.write_text(json.dumps(notebook), "utf-8")
    assert "answers: 14 right, 1 wrong, 0 unanswered" in run("check", str(path), status=1)


def test_all_files_or_none(tmp_path: Path) -> None:
    (tmp_path / "sheet-key.md").mkdir()
    done = CliRunner().invoke(main, ["worksheet", "--blank", "A", "-o", str(tmp_path / "sheet.md")])
    assert done.exit_code != 0
    assert [p.name for p in tmp_path.iterdir()] == ["sheet-key.md"]


def test_a_spec_of_somebody_s_own_is_left_alone(tmp_path: Path) -> None:
    own = tmp_path / "sheet.toml"
    own.write_text("format = 1\n", "utf-8")
    done = CliRunner().invoke(main, ["worksheet", "--random", "-o", str(tmp_path / "sheet.md")])
    assert done.exit_code != 0
    assert own.read_text("utf-8") == "format = 1\n"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("--random",), ("article", "--random", "-o", "x.md"), ("--style", "fractions", "-o", "x.md"),
        ("--count", "0", "-o", "x.md"), ("--count", "5", "-o", "x.md"), ("-o", "x.docx"),
    ],
)  # fmt: skip
def test_calls_that_cannot_be_used(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["worksheet", *words])
    assert done.exit_code != 0
    assert not list(tmp_path.iterdir())
