"""Rows of weights whose decimals add to 1, marked."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from typing import Any

import math_core
import pytest
from click.testing import CliRunner

import symattn as sa
from symattn import attention, cli
from symattn.document import page
from symattn.functions import softmax
from symattn.spec_reader import parse_spec
from symattn.writers import latex, markdown
from tests.test_pages import MACROS, equations
from tests.test_spec import with_line

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
    return [int(text.rstrip("*‡").replace(".", "")) for text in step.displayed("text")]


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
