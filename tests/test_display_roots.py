"""Roots in fractions, and the factor of a matrix, either way the same numbers."""

from __future__ import annotations

from itertools import product

import math_core
import pytest
import sympy
from flint import fmpq

import symattn as sa
from symattn.document import page
from symattn.functions import softmax
from symattn.literals import exact
from symattn.numbers import compact
from symattn.numbers.normal_form import constant
from symattn.numbers.printing import Printer
from symattn.numbers.texts import quotient
from symattn.writers import markdown
from tests.test_pages import equations

pytestmark = pytest.mark.once


def test_every_fraction_with_a_root_is_the_same_number_either_way() -> None:
    for p, q, r in product((-13, -2, 1, 3, 6), (1, 2, 3, 4, 10, 25), (2, 3, 6)):
        c = fmpq(p, q)
        x = constant(c) * compact.number(exact(f"sqrt({r})"))
        divided = Printer("text", roots="divided").write(x)
        assert not (compact.number(exact(divided)) - x).terms, divided
        if c.q != 1:
            assert "sqrt" in divided.partition("/")[2]
            assert "sqrt" not in divided.partition("/")[0]
        for style in ("text", "latex"):
            shown = quotient(int(c.p), int(c.q), r, style, roots="divided")
            assert shown == Printer(style, roots="divided").write(x)


def test_divided_roots_stand_in_entries_exponents_and_expansions(article: sa.Derivation) -> None:
    d = article.with_display(roots="divided")
    assert d["Z"].texts("latex")[0, 0] == r"\frac{1}{\sqrt{2}}"
    assert d["Z"].texts("latex")[1, 1] == r"\frac{26}{25 \sqrt{2}}"
    assert d["A"].texts("latex")[1, 1] == r"\frac{e^{26/(25 \sqrt{2})}}{\ell_1}"
    assert d["A"].texts("text")[1, 0] == "exp(1/(5*sqrt(2)))/ℓ_1"
    explained = d["A"][1, 1].explain()
    assert r"&= \frac{e^{26/(25 \sqrt{2})}}{e^{1/(5 \sqrt{2})} +" in explained.latex()
    full = d["A"][1, 1].expand()
    assert full == "exp(26/(25*sqrt(2)))/(exp(1/(5*sqrt(2))) + exp(26/(25*sqrt(2))))"
    assert len(full) == d["A"][1, 1].size
    assert sa.compare(full, article["A"][1, 1]).verdict == "equal"
    apart = sympy.sympify(d["P"][3].expand()) - sympy.sympify(article["P"][3].expand())
    assert abs(apart.evalf(50, strict=False)) < 1e-45
    assert d["P"].decimal() == article["P"].decimal()


def test_a_root_that_is_in_no_fraction_and_mixed_terms_stay() -> None:
    def y(x: str) -> str:
        d = sa.derive(softmax, x=[x, 0]).with_display(roots="divided")
        return str(d["x"][0].text())

    assert y("3*sqrt(2)") == "3*sqrt(2)"
    assert y("sqrt(2)/2 + 1/3") == "1/3 + 1/sqrt(2)"
    assert y("(sqrt(2)/2 + 1/3)/(1 + exp(1))") == "(2 + 3*sqrt(2))/(6*(1 + exp(1)))"
    assert y("sqrt(2)/2/(1 + exp(1))") == "1/(sqrt(2)*(1 + exp(1)))"
    assert y("sqrt(2)*(exp(1) + 3)/2/log(2)") == "(3 + exp(1))/(sqrt(2)*log(2))"  # one root


def test_the_factor_of_a_matrix_is_a_choice(article: sa.Derivation) -> None:
    factored, fraction = article["Z"].substitution, article.with_display(factor=False)
    matrix = article["S"].latex()
    assert factored == rf"\frac{{1}}{{\sqrt{{2}}}} {matrix}"
    assert fraction["Z"].substitution == rf"\frac{{{matrix}}}{{\sqrt{{2}}}}"


def test_pages_of_either_kind_are_right_and_parse() -> None:
    from symattn.claims.check import check
    from symattn.claims.reading import read
    from symattn.transformer import worked_attention

    made = page(sa.article().with_display(roots="divided", factor=False))
    converter = math_core.LatexToMathML()
    for equation in equations(made):
        converter.convert_with_local_state(equation, displaystyle=True)
    said = markdown.write(made)
    assert r"\frac{26}{25 \sqrt{2}}" in said
    assert r"13 \sqrt{2}" not in said
    found = check(read(said, "markdown"), worked_attention).findings
    assert {f.judgement.verdict for f in found if f.judgement.verdict != "unmatched"} == {"right"}
    assert sum(f.judgement.verdict == "right" for f in found) > 100
