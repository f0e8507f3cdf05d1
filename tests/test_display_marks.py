"""What marks a displayed cell, and what stands around a matrix: boxes, daggers, labels."""

from __future__ import annotations

import re

import math_core
import pytest

import symattn as sa
from symattn.document import page
from symattn.equations import equation
from symattn.writers import latex, markdown
from tests.test_pages import MACROS, equations

pytestmark = pytest.mark.once

MARKED = ["A[2]", "S[1,2]", "Q[0,0]", "W_1"]


def test_a_highlighted_entry_is_boxed_wherever_its_value_stands(article: sa.Derivation) -> None:
    d = article.with_display(highlight=MARKED)
    assert d["A"].is_highlighted((2, 1)) and not d["A"].is_highlighted((1, 1))
    assert r"\boxed{\frac{4}{25}}" in d["S"].latex()
    assert r"\boxed{0.16}" in d["S"].latex(2)
    assert r"\boxed{\frac{4}{25}}" in d["Z"].substitution  # S, put in
    assert r"\boxed{\frac{4}{25}}" in d["S"][1, 2].explain().latex()
    assert str(d["S"][1, 2]) == "S[1,2] = [4/25] ≈ [0.16]"
    assert "Q[0,0] = [1]" in str(d["Q"][0, 0])
    assert d["S"].decimal()[1][2] == d["S"].shown()[1, 2] == "0.16"  # data stays data
    assert d["S"].texts("latex")[1, 2] == d["S"][1, 2].latex() == r"\frac{4}{25}"
    assert r"\boxed" not in article["S"].latex()


def test_points_stand_below_each_other_beside_marks(article: sa.Derivation) -> None:
    d = article.with_digits(3).with_display(highlight=["A[2,1]"], row_sums="kept")
    lines = str(d["A"]).splitlines()
    assert lines[-2].split() == ["mouse", "0.395", "[0.252*]", "0.353"]
    assert lines[-3].index("0.644") == lines[-2].index("0.252")


def test_marks_on_a_page_parse_and_add_up(article: sa.Derivation) -> None:
    d = article.with_digits(3).with_display(highlight=MARKED, row_sums="kept")
    made = page(d)
    converter = math_core.LatexToMathML()
    for shown in equations(made):
        converter.convert_with_local_state(shown, displaystyle=True)
        assert set(re.findall(r"\\(?:[A-Za-z]+|.)", shown)) <= MACROS
    for text in (markdown.write(made), latex.write(made)):
        assert r"\boxed{{0.252}^{\ast}}" in text
        assert r"\boxed{{1}^{\dagger}}" in text
        assert r"$\boxed{{0.252}^{\ast}}$" in text  # in a line


def test_labels_are_a_choice(article: sa.Derivation) -> None:
    assert r"\text{mouse}" in equation(article["A"])
    bare = article.with_display(steps={"A": {"labels": False}})
    assert r"\text{mouse}" not in equation(bare["A"])
    assert r"\begin{bmatrix} 1.00 & 0.00 & 0.00 \\" in equation(bare["A"])
    assert r"\text{mouse}" in equation(bare["S"])
    assert "mouse" not in str(bare["A"])
    assert r"\text{mouse}" not in "".join(equations(page(article.with_display(labels=False))))


def test_a_substitution_is_a_choice(article: sa.Derivation) -> None:
    assert equation(article["Z"]).count("&=") == 3
    bare = article.with_display(substitution=False)
    assert equation(bare["Z"]).count("&=") == 2
    assert bare["Z"].substitution == article["Z"].substitution  # data stays data
