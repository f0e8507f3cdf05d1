"""What the article printed: which numbers are wrong, and what explains them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
import sympy

import symattn as sa
from symattn.certify import decimal_of
from symattn.claims.causes import explained
from symattn.claims.judge import Judgement, cell, is_rounding, judge
from symattn.claims.placing import Claimed


@dataclass(frozen=True)
class Claim:
    printed: Any
    at: str | None = None
    value: Any = None
    value_text: str = ""


def test_three_numbers_of_the_article_are_wrong(article: sa.Derivation) -> None:
    judged = judge(article, article.spec.claims)
    wrong = {j.at: (j.printed, j.correct) for j in judged if j.verdict == "wrong"}
    assert wrong == {
        "A[1,0]": ("0.35", "0.36"),
        "A[1,1]": ("0.65", "0.64"),
        "O[1,1]": ("0.65", "0.64"),
    }
    assert len(judged) == 16


def causes_of(d: sa.Derivation, judged: list[Judgement]) -> dict[str, list[str]]:
    """The causes named for each step with wrong numbers."""
    claims = [Claimed(j.entry, cell(j.printed)) for j in judged if j.entry]
    wrong = [c for c, j in zip(claims, judged, strict=True) if j.verdict == "wrong"]
    return {e.step.short: [cause.text for cause in e.causes] for e in explained(d, claims, wrong)}


def test_rounding_the_scores_first_gives_what_was_printed(article: sa.Derivation) -> None:
    claims = [c for c in article.spec.claims if c.at]
    causes = causes_of(article, judge(article, claims))
    assert set(causes) == {"A", "O"}
    assert all("Z was rounded to 2 decimals first" in found for found in causes.values())


def test_a_cause_is_not_named_unless_it_gives_every_entry(article: sa.Derivation) -> None:
    printed = [["1.0", "0", "0"], ["0.35", "0.65", "0"], ["0.40", "0.26", "0.35"]]
    judged = judge(article, [Claim(printed, at="A")])
    assert causes_of(article, judged) == {"A": []}


def test_right_numbers_need_no_cause(article: sa.Derivation) -> None:
    judged = judge(article, [Claim(article["A"].decimal(3), at="A")])
    assert all(j.verdict == "right" for j in judged)
    assert causes_of(article, judged) == {}


def test_rows_and_entries_can_be_claimed(article: sa.Derivation) -> None:
    claims = [Claim(["0.36", "0.64", "0.00"], at="A[1]"), Claim("0.728", at="O[2,0]")]
    assert [j.at for j in judge(article, claims)] == ["A[1,0]", "A[1,1]", "A[1,2]", "O[2,0]"]
    assert all(j.verdict == "right" for j in judge(article, claims))


@pytest.mark.parametrize(
    ("value", "printed", "right"),
    [
        (sympy.Rational(1, 8), "0.13", True),
        (sympy.Rational(1, 8), "0.12", True),  # half-even, at an exact tie
        (sympy.Rational(1, 8), "0.125", True),
        (sympy.Rational(1, 8), "0.11", False),
        (sympy.Rational(1249, 10000), "0.13", False),
        (-sympy.Rational(1, 8), "-0.13", True),
        (-sympy.Rational(1, 8), "-0.12", True),
        (sympy.S.Zero, "-0.00", True),
        (sympy.sqrt(2), "1.414", True),
        (sympy.sqrt(2), "1.415", False),
        (-sympy.oo, "-oo", True),
        (-sympy.oo, "-1000000000", False),
        (sympy.S.Zero, "-oo", False),
    ],
)
def test_a_rounding_is_right_or_wrong(value: Any, printed: str, right: bool) -> None:
    digits = len(printed.partition(".")[2])
    rational = Fraction(int(value.p), int(value.q)) if value.is_Rational else None
    assert is_rounding(printed, decimal_of(value, digits), lambda: rational) is right


def test_signs_people_print(article: sa.Derivation) -> None:
    d = sa.derive(negated, x=[Fraction(1, 4)])
    assert [
        j.verdict for j in judge(d, [Claim(["−0.25"], at="return"), Claim(["+0.25"], at="x")])
    ] == ["right", "right"]


def negated(x):
    return -x
