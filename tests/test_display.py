"""Other ways to show the same numbers: rows that add to 1, roots, factors."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from itertools import product
from typing import Any

import math_core
import pytest
import sympy
from click.testing import CliRunner
from flint import fmpq

import symattn as sa
from symattn import attention, cli
from symattn.document import page
from symattn.errors import OptionError, SpecError
from symattn.functions import softmax
from symattn.literals import exact
from symattn.numbers import compact
from symattn.numbers.normal_form import constant
from symattn.numbers.printing import Printer
from symattn.numbers.texts import quotient
from symattn.spec_reader import parse_spec
from symattn.writers import latex, markdown
from tests.test_pages import MACROS, equations
from tests.test_spec import SMALL, with_line

pytestmark = pytest.mark.once

THIRDS = """
format = 1
model = "attention_head"
title = "thirds"
tokens = ["a", "b", "c"]
mask = "causal"
[display]
digits = 2
row_sums = "kept"
[matrices]
E = [[0, 0], [0, 0], [0, 0]]
W_Q = "identity"
W_K = "identity"
W_V = "identity"
"""


def shares(parts: list[int], digits: int) -> sa.Step:
    """A softmax whose weights are these parts of their sum."""
    scores = [f"log({n})" if n else "-oo" for n in parts]
    d = sa.derive(softmax, x=scores, digits=digits).with_display(row_sums="kept")
    return d["return"]


def largest_remainders(parts: list[int], digits: int) -> list[int]:
    """Hamilton's method on rationals, in units of the last place."""
    quotas = [Fraction(n * 10**digits, sum(parts)) for n in parts]
    units = [int(q) for q in quotas]
    by_remainder = sorted(range(len(parts)), key=lambda j: units[j] - quotas[j])  # stable
    for j in by_remainder[: 10**digits - sum(units)]:
        units[j] += 1
    return units


def units_shown(step: sa.Step) -> list[int]:
    return [int(text.rstrip("*").replace(".", "")) for text in step.displayed("text")]


# Rows that add to 1.


def test_the_largest_remainders_get_the_units() -> None:
    draw = random.Random(7)
    moved = 0
    for _ in range(150):
        parts = [draw.choice([0, 1, 1, 2, 3, 4, 7, 50]) for _ in range(draw.randint(2, 9))]
        parts[draw.randrange(len(parts))] = draw.randint(1, 9)
        digits = draw.randint(0, 3)
        step = shares(parts, digits)
        assert units_shown(step) == largest_remainders(parts, digits), (parts, digits)
        assert sum(units_shown(step)) == 10**digits
        for index in step.moved():
            assert parts[index[0]], "a masked entry stays 0"
            assert step.displayed("text")[index].endswith("*")
        moved += len(step.moved())
    assert moved > 50


@pytest.mark.parametrize(
    ("parts", "digits", "said"),
    [
        ([1, 1, 1], 2, "0.34* 0.33 0.33"),
        ([1] * 6, 2, "0.17 0.17 0.17 0.17 0.16* 0.16*"),
        ([1, 1, 4], 1, "0.2 0.2 0.6*"),  # remainders 2/3 each, of different decimals
        ([1, 0, 1], 0, "1 0 0*"),  # ties at one half
        ([1, 0, 2, 0], 2, "0.33 0.00 0.67 0.00"),  # adds to 1 by itself
    ],
)
def test_ties_are_settled_by_position(parts: list[int], digits: int, said: str) -> None:
    assert " ".join(shares(parts, digits).displayed("text")) == said


def test_ties_between_scores_of_different_forms_are_ties() -> None:
    for scores in (["log(2) + log(3)", "log(6)", "log(6)"], ["sqrt(8)", "2*sqrt(2)", "sqrt(8)"]):
        d = sa.derive(softmax, x=scores, digits=2).with_display(row_sums="kept")
        assert d["return"].moved() == {(0,): "0.34"}


def test_certified_decimals_and_data_stay_the_nearest() -> None:
    d = parse_spec(THIRDS).derive()
    assert d["A"].decimal()[2] == d["A"].shown()[2].tolist() == ["0.33"] * 3
    assert d["A"][2, 0].decimal() == "0.33"
    assert d["A"].moved() == {(2, 0): "0.34"}
    assert d["A"].moved(1) == {(2, 0): "0.4"}
    assert d.verify().agrees
    assert not d.diff(d.with_display(row_sums="rounded")).changed
    assert not d.with_display(row_sums="rounded")["A"].moved()


def test_only_rows_of_a_softmax_are_known_to_add_to_1() -> None:
    I2 = [[1, 0], [0, 1]]
    given: dict[str, Any] = {"Q": I2, "K": I2, "V": I2, "sink": "0", "digits": 1}
    d = sa.derive(attention.scaled_dot_product_attention, **given).with_display(row_sums="kept")
    assert [s.name for s in d.steps if s.moved()] == ["A_sink"]
    assert not d.with_(A_sink=d["A_sink"])["A_sink"].moved()  # given, and no softmax
    zeros = sa.derive(softmax, x=[["-oo"] * 3, [0] * 3], fully_masked=sa.static("zero"), digits=2)
    assert zeros.with_display(row_sums="kept")["return"].moved() == {(1, 0): "0.34"}


def test_a_row_with_an_undecided_rounding_stays_as_it_is() -> None:
    kept = '[display]\ndigits = 4\nrow_sums = "kept"'
    exact_inputs = parse_spec(with_line(kept)).derive()
    printed = parse_spec(with_line(f'inputs = "printed"\n{kept}')).derive()
    assert printed["A"].displayed("text").tolist() == printed["A"].shown().tolist()
    assert "?" in printed["A"].shown()[0, 0]
    assert exact_inputs["A"].decimal()
    # An order that the printed digits leave open, between decimals that they do not.
    equal = with_line('inputs = "printed"\n[display]\ndigits = 0\nrow_sums = "kept"')
    even = parse_spec(equal.replace('[[1, 0.5], ["1/3", "sqrt(2)"]]', "[[0.0, 1], [0.0, 1]]"))
    assert not even.derive()["A"].moved()


def test_a_page_marks_what_is_moved_and_says_the_nearest() -> None:
    d = parse_spec(THIRDS).derive()
    made = page(d)
    for text in (markdown.write(made), latex.write(made)):
        assert r"{0.34}^{\ast} & 0.33 & 0.33" in text
        assert text.count(r"$A[2,0] \approx 0.33$.") == 1  # once, however often it is shown
        assert r"marked $\ast$ are shown so that their row adds to 1" in text
    converter = math_core.LatexToMathML()
    for equation in equations(made):
        converter.convert_with_local_state(equation, displaystyle=True)
        assert set(re.findall(r"\\(?:[A-Za-z]+|.)", equation)) <= MACROS
    assert r"\ast" not in markdown.write(page(d.with_display(row_sums="rounded")))


def test_numbers_in_a_line_and_tables_are_marked_alike() -> None:
    from symattn.text import WORDS, Section, Text

    d = sa.article().with_digits(3).with_display(row_sums="kept")
    body = "The weight is {A[2,1]}, in short {A[2,1] 2}.\n\n{probabilities P}\n\n{A[2,1]}"
    text = markdown.write(page(d, Text((Section("s", "", body, "s"),), WORDS)))
    first, sentence, *rest = text.split("\n\n")[1:]
    assert first == r"The weight is ${0.252}^{\ast}$, in short 0.25."
    assert sentence.endswith(r"The nearest: $A[2,1] \approx 0.251$.")
    assert r"${0.235}^{\ast}$" in rest[0]
    assert rest[1].endswith(r"The nearest: $P[3] \approx 0.234$.")
    assert rest[2:] == [r"${0.252}^{\ast}$" + "\n"]


def test_show_stars_what_is_moved() -> None:
    def show(*words: str) -> str:
        done = CliRunner().invoke(cli.main, ["show", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    kept = ("--digits", "3", "--row-sums", "kept")
    lines = show("A", *kept).splitlines()
    assert lines[-2].split() == ["mouse", "0.395", "0.252*", "0.353"]
    assert lines[-3].index("0.644") == lines[-2].index("0.252")  # points below each other
    assert lines[-1] == "* so that the row adds to 1: the nearest is A[2,1] ≈ 0.251"
    entry = show("A[2,1]", *kept)
    assert "decimal      0.252*\n  nearest      0.251" in entry
    tex = show("A[2,1]", *kept, "--format", "latex")
    assert r"&\approx {0.252}^{\ast}" in tex
    assert tex.endswith("% * so that the row adds to 1: the nearest is A[2,1] ≈ 0.251\n")
    assert "%" not in show("A[2,0]", *kept, "--format", "latex")
    assert json.loads(show("A", *kept, "--json"))["decimals"][2] == ["0.395", "0.251", "0.353"]


# Roots and factors.


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


# How it is said.


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('row_sums = "keep"', "display.row_sums: wanted one of rounded, kept, got 'keep'"),
        ("row_sums = true", "display.row_sums: wanted one of rounded, kept, got True"),
        ('roots = "down"', "display.roots: wanted one of rationalised, divided, got 'down'"),
        ("factor = 1", "display.factor: wanted true or false, got 1"),
        ("sums = 1", "display.sums: unknown key, did you mean 'row_sums'"),
    ],
)
def test_mistakes_in_a_spec_are_named(line: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_spec(with_line(f"[display]\n{line}"))


def test_mistakes_in_python_are_named() -> None:
    d = parse_spec(SMALL).derive()
    with pytest.raises(OptionError, match="row_sums: wanted one of rounded, kept, got 'keep'"):
        d.with_display(row_sums="keep")
    with pytest.raises(OptionError, match="factor: wanted True or False, got 1"):
        d.with_display(factor=1)
    with pytest.raises(OptionError, match="a display has no 'root', did you mean 'roots'"):
        d.with_display(root="divided")


def test_a_spec_says_all_of_it() -> None:
    lines = '[display]\nrow_sums = "kept"\nroots = "divided"\nfactor = false'
    shown = parse_spec(with_line(lines)).derive().display
    assert (shown.row_sums, shown.roots, shown.factor) == ("kept", "divided", False)
    plain = parse_spec(SMALL).derive().display
    assert (plain.row_sums, plain.roots, plain.factor) == ("rounded", "rationalised", True)
