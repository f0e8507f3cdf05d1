"""Every printed digit is a proven digit: against mpmath, written separately here."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symattn as sa
from symattn.certify import decimal_of
from symattn.errors import ExactnessError, Undecided
from symattn.functions import causal_mask, softmax
from symattn.numbers.ball import Ball
from symattn.spec_reader import parse_spec
from symattn.transformer import attention_head
from tests.test_spec import SMALL

PLACES = 200


def rounded(value: mpmath.mpf | Fraction, digits: int) -> str:
    """Half away from zero, from 200 digits, without any code of the package."""
    if isinstance(value, Fraction):
        scaled = abs(value) * 10**digits
        units = int(scaled + Fraction(1, 2))
        negative = value < 0
    else:
        units = int(mpmath.floor(abs(value) * mpmath.mpf(10) ** digits + mpmath.mpf(1) / 2))
        negative = value < 0
    text = str(units).zfill(digits + 1)
    text = f"{text[:-digits]}.{text[-digits:]}" if digits else text
    return f"-{text}" if negative and units else text


def head(E: list, W: dict[str, list], causal: bool) -> dict[str, list[list[Any]]]:
    """One attention head in mpmath and Fractions, from the definition."""

    def product(a: list, b: list) -> list:
        return [
            [sum(x * y for x, y in zip(r, c, strict=True)) for c in zip(*b, strict=True)] for r in a
        ]

    def mpf(x: Fraction) -> mpmath.mpf:
        return mpmath.mpf(x.numerator) / x.denominator

    Q, K, V = (product(E, W[n]) for n in ("W_Q", "W_K", "W_V"))
    S = product(Q, [list(r) for r in zip(*K, strict=True)])
    root = mpmath.sqrt(len(W["W_K"][0]))
    Z = [[mpf(x) / root for x in r] for r in S]
    A = []
    for i, r in enumerate(Z):
        e = [mpmath.exp(z) if not causal or j <= i else mpmath.mpf(0) for j, z in enumerate(r)]
        A.append([x / sum(e) for x in e])
    O = [
        [sum(a * mpf(v) for a, v in zip(r, c, strict=True)) for c in zip(*V, strict=True)]
        for r in A
    ]
    return {"Q": Q, "K": K, "V": V, "S": S, "Z": Z, "A": A, "O": O}


def test_no_wrong_digit_in_a_hundred_thousand_entries() -> None:
    draw = random.Random(20261129)
    compared = 0
    with mpmath.workdps(PLACES):
        while compared < 100_000:
            n, d, d_k = draw.randint(1, 8), draw.randint(1, 4), draw.choice([1, 2, 3, 4, 5])

            def matrix(rows: int, columns: int) -> list[list[Fraction]]:
                return [
                    [
                        Fraction(draw.randint(-99, 99), draw.choice([50, 100, 70, 97]))
                        for _ in range(columns)
                    ]
                    for _ in range(rows)
                ]

            E = matrix(n, d)
            W = {"W_Q": matrix(d, d_k), "W_K": matrix(d, d_k), "W_V": matrix(d, d)}
            causal = draw.random() < 0.5
            derivation = sa.derive(
                attention_head, E=E, M=causal_mask(n, n) if causal else None, **W
            )
            expected = head(E, W, causal)
            for name, rows in expected.items():
                for digits in (0, 1, 2, 4, 7, 16, 30, 60):
                    found = derivation[name].decimal(digits)
                    assert found == [[rounded(x, digits) for x in r] for r in rows], (name, digits)
                    compared += len(rows) * len(rows[0])


def near(x, c):
    y = np.exp(x) + c
    return y


def test_no_wrong_digit_close_to_a_boundary() -> None:
    """Values within 10^-10 … 10^-90 of where the rounding turns, on either side."""
    draw = random.Random(7)
    with mpmath.workdps(PLACES):
        for _ in range(600):
            digits, gap = draw.randint(0, 12), draw.randint(10, 90)
            x = Fraction(draw.randint(-40, 40), 7) or Fraction(1, 7)
            boundary = Fraction(2 * draw.randint(-500, 500) + 1, 2 * 10**digits)
            exact = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
            side = draw.choice([-1, 1])
            cut = Fraction(int(mpmath.nint(exact * mpmath.mpf(10) ** gap)) + side, 10**gap)
            c = boundary - cut
            derivation = sa.derive(near, x=[x], c=[c])
            expected = rounded(exact + mpmath.mpf(c.numerator) / c.denominator, digits)
            assert derivation["y"].decimal(digits) == [expected]


@pytest.mark.parametrize("bits", [64, 128, 512])
def test_enclosures_are_narrow(article: sa.Derivation, bits: int) -> None:
    """A huge ball would contain everything and prove nothing."""
    for values, forms in zip(article.run(Ball(bits)), article.forms, strict=True):
        for ball, form in zip(values.flat, forms.flat, strict=True):
            if hasattr(form, "terms") and form.terms:
                assert ball.rel_accuracy_bits() >= bits - 16


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        ("(4^(1/4))^(-2)", 0, "1"),
        ("(sqrt(3)/(2/3))/(sqrt(6)/(4^(1/4)))", 0, "2"),
        ("exp(2^(1/3)*4^(1/3)-2)/8", 2, "0.13"),
        ("1/8", 2, "0.13"),
        ("-1/8", 2, "-0.13"),
        ("exp(1)/(8*exp(1))", 2, "0.13"),
        ("1/(1+exp(-10^6))", 3, "1.000"),
    ],
)
def test_ties_are_proven_and_not_guessed(value: str, digits: int, expected: str) -> None:
    assert decimal_of(value, digits) == expected


def halves(x):
    A = softmax(x)
    y = A[0] / 4
    return y


def test_a_tie_made_of_exponentials_is_an_exact_tie() -> None:
    d = sa.derive(halves, x=["sqrt(2) + sqrt(3)", "sqrt(5 + 2*sqrt(6))"])
    assert d["y"].decimal(2) == "0.13"
    assert d["y"].decimal(3) == "0.125"


def doubtful(x):
    y = np.sin(x * 2) - np.sin(x) * np.cos(x) * 2 + x / 2
    return y


def test_what_straddles_a_boundary_at_the_limit_is_undecided_with_its_proven_digits() -> None:
    """Sin 2x = 2 sin x cos x, which nothing here proves, so 1/2 + 0 rounds either way."""
    d = sa.derive(doubtful, x=[1])
    with pytest.raises(
        Undecided, match=r"y\[0\]: rounding to 0 decimals is not settled by 32768 bits"
    ) as caught:
        d["y"].decimal(0)
    assert caught.value.proven == ""
    assert d["y"].shown(0).tolist() == ["?"]
    assert d["y"].decimal(5) == ["0.50000"]
    assert "?" in str(sa.derive(doubtful, x=[1], digits=0)["y"])
    assert "?" in sa.derive(doubtful, x=[1], digits=0)["y"].latex(0)


def test_symbols_have_no_decimals() -> None:
    with pytest.raises(ExactnessError, match=r"contains symbols \(a\)"):
        sa.derive(softmax, x=["a", 1])["return"].decimal(2)
    with pytest.raises(ExactnessError, match="contains symbols"):
        decimal_of("a", 2)


def test_the_articles_decimals_are_what_they_were(article: sa.Derivation) -> None:
    assert article["A"].decimal(12)[2] == ["0.395407960037", "0.251481568904", "0.353110471059"]
    assert article["P"].decimal(30)[1] == "0.285085756184502318464156760636"


# Inputs that are known to their printed digits only.

PRINTED = SMALL.replace("[matrices]", 'inputs = "printed"\n[matrices]').replace('"sqrt(2)"', "1.40")


def test_printed_inputs_are_intervals_of_half_a_unit() -> None:
    spec = parse_spec(PRINTED)
    assert spec.radii["E"].tolist() == [[0, Fraction(1, 20)], [0, Fraction(1, 200)]]
    assert not any(spec.radii["W_Q"].flat)
    d = spec.derive()
    low, high = d.enclosures.bounds((d["E"].node, (0, 1))) or (0, 0)
    # A ball's radius has 30 bits, rounded up.
    assert Fraction("0.45") - Fraction(1, 10**9) < low <= Fraction("0.45")
    assert Fraction("0.55") <= high < Fraction("0.55") + Fraction(1, 10**9)


def test_every_result_shows_the_digits_that_survive() -> None:
    d = parse_spec(PRINTED).derive()
    exact = parse_spec(PRINTED.replace('"printed"', '"exact"')).derive()
    shown = d["A"].shown(6)
    assert all(cell.endswith("?") for cell in shown.flat)
    for index in np.ndindex(2, 2):
        digits = shown[index].rstrip("?")
        places = len(digits.partition(".")[2])
        value = Fraction(exact["A"].decimal(12)[index[0]][index[1]])
        assert not digits or abs(Fraction(digits) - value) <= Fraction(1, 10**places)
    with pytest.raises(Undecided, match="not settled by the printed digits of the inputs"):
        d["A"].decimal(6)
    assert d["A"].exact == exact["A"].exact
    assert d.verify().agrees


def test_comparisons_of_printed_inputs_are_by_enclosure() -> None:
    d = parse_spec(PRINTED).derive()
    assert sa.compare(d["A"][0, 0], 1).verdict == "less"
    found = sa.compare(d["E"][0, 1], "1/2")
    assert found.verdict == "undecided"
    assert found.why == "the printed digits of the inputs leave it open"
    assert sa.compare(d["E"][0, 0], 2).verdict == "less"


def test_a_page_of_printed_inputs_says_so(tmp_path: Any) -> None:
    from symattn.document import page
    from symattn.writers import markdown

    article = parse_spec(PRINTED, path=tmp_path / "s.toml").derive()
    text = markdown.write(page(article))
    assert text.count("known to their printed digits only") == 1
    assert "?" in text


decimals = st.integers(-300, 300).map(lambda k: Fraction(k, 100))


@given(
    st.lists(st.lists(decimals, min_size=3, max_size=3), min_size=2, max_size=2),
    st.randoms(use_true_random=False),
)
def test_enclosures_of_intervals_hold_every_input_in_them_and_are_not_wide(
    x: list[list[Fraction]], draw: random.Random
) -> None:
    """Radius at most 8 times the first-order error: softmax's own derivatives, added up."""
    radius = Fraction(1, 2000)
    radii = {"x": np.full((2, 3), radius, dtype=object)}
    wide = sa.derive(softmax, x=x)
    boxed = sa.Derivation(softmax, wide.inputs, radii=radii)
    result = wide.graph.result
    for _ in range(4):
        inside = [[v + radius * Fraction(draw.randint(-1000, 1000), 1000) for v in r] for r in x]
        for r, row in enumerate(inside):
            e = [mpmath.exp(mpmath.mpf(v.numerator) / v.denominator) for v in row]
            for c, value in enumerate(e):
                low, high = boxed.enclosures.bounds((result, (r, c))) or (1, 0)
                found = Fraction(str(mpmath.nstr(value / sum(e), 14)))
                assert low - Fraction(1, 10**12) <= found <= high + Fraction(1, 10**12)
    for r in range(2):
        a = [Fraction(v) for v in wide["return"].decimal(15)[r]]
        for c in range(3):
            first_order = radius * sum(a[c] * ((1 - a[c]) if j == c else a[j]) for j in range(3))
            low, high = boxed.enclosures.bounds((result, (r, c))) or (0, 1)
            assert (high - low) / 2 <= 8 * first_order + Fraction(1, 10**12)


def root_of_a_hidden_zero(x):
    r = np.sqrt(x - x) + x
    return r


def relu_of_a_hidden_zero(x):
    r = np.maximum(0, np.log(x * 3) - np.log(x) - np.log(x / x * 3)) + 2
    return r


def larger_than_all(x):
    r = np.maximum(x, np.inf)
    return r


def test_hidden_zeros_do_not_stop_a_derivation() -> None:
    assert sa.derive(root_of_a_hidden_zero, x=["sqrt(3)"])["r"].decimal(3) == ["1.732"]
    d = sa.derive(relu_of_a_hidden_zero, x=["2"])
    assert d["r"].decimal(3) == ["2.000"]
    assert d.verify().agrees
    assert sa.derive(larger_than_all, x=["5"])["r"].decimal(2) == ["oo"]


def test_a_symbol_elsewhere_leaves_numbers_their_decimals() -> None:
    from symattn.functions import softmax as ours

    d = sa.derive(ours, x=[["a", 1], [0, 1]])
    assert d["return"][1, 0].decimal(3) == "0.269"
    with pytest.raises(ExactnessError, match=r"contains symbols \(a\)"):
        d["return"][0, 0].decimal(3)
    assert "0.269" not in repr(d["return"])  # a step with symbols shows no decimals


def test_roots_of_huge_numbers_are_not_factorised() -> None:
    root = decimal_of("sqrt(" + "7" * 151 + ")", 3)
    assert root.partition(".")[0] == str(math.isqrt(int("7" * 151)))
    found = sa.compare("sqrt(" + "7" * 151 + ")", "sqrt(" + "7" * 150 + "8)")
    assert found.verdict == "less"


def test_scores_of_a_second_layer_stay_small() -> None:
    n = 24
    d = sa.derive(
        two_layers,
        x=[[f"{i * j}/{n * n}" for j in range(n)] for i in range(n)],
        V=[[i, 1] for i in range(n)],
    )
    assert max(len(f) for f in d["S"].forms[1:].flat) <= 8
    assert max(len(f) for f in d["S"].forms[0]) <= n  # x[0] is 0: one term times n
    assert d["B"].decimal(4)[0][0]


def two_layers(x, V):
    A = softmax(x)
    O = A @ V
    S = O @ O.T
    B = softmax(S)
    return B


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_bounds_of_long_products_and_overflows(kind: str) -> None:
    d = sa.derive(long_product, x=[["1/3"] * 300], y=[["1/7"]] * 300)
    assert d.verify().agrees
    norm = sa.derive(normalised, x=["300", "10"])
    assert norm.verify().agrees
    assert norm.verify(s=np.float16(300)).agrees


def long_product(x, y):
    s = x @ y
    t = np.sum(x * 2)
    return s + t


def normalised(x):
    s = np.sqrt(np.sum(x * x))
    y = x / s
    return y


def test_printed_inputs_compare_equal_where_they_must() -> None:
    d = parse_spec(PRINTED).derive()
    assert sa.compare(d["E"][0, 0], 1).verdict == "equal"
    assert sa.compare(d["A"][0, 0], d["A"][0, 0]).verdict == "equal"
    spaced = parse_spec(PRINTED.replace("1.40", '" 1.40 "'))
    assert spaced.radii["E"][1, 1] == Fraction(1, 200)
