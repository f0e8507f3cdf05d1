"""Equations of displays: lines, widths, room for boxes, and figures at a power of ten."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

import symattn as sa
from symattn import notation, numerals
from symattn.equations import equation
from symattn.layout import width
from symattn.rounding import Figures

pytestmark = pytest.mark.once


def product(x, y):  # type: ignore[no-untyped-def]
    z = x @ y
    return z


def test_a_given_matrix_of_decimals_has_no_bare_ampersand() -> None:
    d = sa.derive(product, x=[["1/3", 1]], y=[[1], ["2/3"]]).with_display(values="decimals")
    shown = equation(d["x"])
    assert shown.startswith(r"x \approx \begin{bmatrix}")
    assert d["x"][0, 1].explain().latex() == "x[0,1] = 1.000000"  # no line was left of it


def test_a_box_is_as_wide_as_what_is_in_it_and_its_frame() -> None:
    assert width(r"\boxed{abcdefgh}") == 10
    assert width(r"\boxed{{e^{2}}^{\ast}}") > width("{e^{2}}^{\\ast}")


def test_rows_of_boxes_have_room_between_them() -> None:
    d = sa.derive(product, x=[[1, 2], [3, 4]], y=[[1, 0], [0, 1]]).with_display(highlight=["x"])
    assert r"\\[8pt]" in d["x"].latex()
    assert r"\\[" not in d["y"].latex()
    halves = sa.derive(product, x=[["1/2", 2], [3, "3/4"]], y=[[1, 0], [0, 1]])
    assert r"\\[12pt]" in halves.with_display(highlight=["x"])["x"].latex()  # fractions are deeper


@pytest.mark.parametrize(
    ("value", "figures", "text"),
    [
        ("9.9996", 4, "10.00"),
        ("-9.9996", 4, "-10.00"),
        ("0.99996", 4, "1.000"),
        ("99996", 4, "1.000e5"),
        ("9999.6", 4, "1.000e4"),
        ("0.000099996", 4, "0.0001000"),
        ("0.0000099996", 4, "1.000e-5"),
        ("9.5", 1, "1e1"),
        ("9.9995", 4, "10.00"),  # a tie goes away from zero
        ("9.9994", 4, "9.999"),
    ],
)
def test_figures_that_round_up_to_a_power_of_ten(value: str, figures: int, text: str) -> None:
    for number in (value, f"{value} + exp(-40)"):
        d = sa.derive(product, x=[[number]], y=[[1]])
        assert d["x"][0, 0].figures(figures) == text
        shown = d.with_display(rounding="significant", digits=figures, values="decimals")["x"]
        assert shown.displayed_at((0, 0), "text") == text
        assert shown.displayed("text")[0, 0] == text
    given = numerals.positional(Figures(figures).of(Fraction(value)))
    assert given == text


def test_signs_that_tex_would_join_stay_apart() -> None:
    for sign in ("--", "---", "``", "''", "?`", "!`", ",,"):
        assert sign not in notation.escape(f"a{sign}b")
        assert sign not in notation.text(f"a{sign}b")
        pieces = re.findall(r"\\text\{([^{}]*)\}", notation.text(f"a{sign}b"))
        assert "".join(pieces) == f"a{sign}b"
