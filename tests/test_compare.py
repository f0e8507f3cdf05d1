"""Equal, less, greater, different, undecided: each said only where it is known."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import symattn as sa
from symattn.errors import ExactnessError, LiteralError, Undecided
from symattn.functions import softmax
from symattn.transformer import attention_head

E40 = "4.1132503787829275171735818151403045024017"  # e^√2 to 40 decimals, rounded up


@pytest.mark.parametrize(
    ("x", "y", "verdict"),
    [
        ("exp(1)/(exp(1)+exp(2))", "1/(1+exp(1))", "equal"),
        ("(sqrt(2)+sqrt(3))^2", "5+2*sqrt(6)", "equal"),
        ("sqrt(8)", "2*sqrt(2)", "equal"),
        ("exp(sqrt(8))", "exp(2*sqrt(2))", "equal"),
        ("exp(sqrt(2)+sqrt(3))", "exp(sqrt(5+2*sqrt(6)))", "equal"),
        ("sqrt(10+2*sqrt(6)+2*sqrt(10)+2*sqrt(15))", "sqrt(2)+sqrt(3)+sqrt(5)", "equal"),
        ("exp(2^(1/3)*4^(1/3))", "exp(2)", "equal"),
        ("exp(sqrt(2))", E40, "less"),
        (E40, "exp(sqrt(2))", "greater"),
        ("sin(1)^2 + cos(1)^2", "1", "equal"),
        ("sqrt(3+2*sqrt(2))", "1+sqrt(2)", "equal"),
        ("log(exp(2))", "2", "equal"),
        ("exp(log(3))", "3", "equal"),
        ("tanh(1)", "(exp(1)-exp(-1))/(exp(1)+exp(-1))", "equal"),
        ("1/(1+exp(-10^6))", "1", "different"),
        ("1/(1+exp(-10^2))", "1", "less"),
        ("exp(exp(1))", "exp(exp(1)+1-1)", "equal"),
        ("sin(2)", "2*sin(1)*cos(1)", "undecided"),
        ("log(6)", "log(2)+log(3)", "undecided"),
        ("0.1", "1/10", "equal"),
        ("-oo", "0", "less"),
        ("oo", "-oo", "greater"),
        ("-oo", "-oo", "equal"),
        ("a", "a", "equal"),
        ("exp(a+3)/(exp(a+3)+exp(b+3))", "exp(a)/(exp(a)+exp(b))", "equal"),
        ("exp(a)", "1 + a", "different"),
        ("a*b", "b*a", "equal"),
        ("sqrt(a^2)", "a", "different"),
        ("sqrt(a)*sqrt(a)", "sqrt(a^2)", "undecided"),
        ("exp(log(a))", "sqrt(a^2)", "undecided"),
        ("a*b*c*d", "b*c*d", "different"),
        ("((1+exp(1))^64)^64", "1", "greater"),
        ("(cos(1)^64)^64", "1", "less"),
        ("(cos(1)^(-1))^(-2)", "cos(1)^2", "equal"),
        ("exp(1/(1/(1+exp(1))))", "exp(1+exp(1))", "equal"),
        ("1/(log(6)-log(2)-log(3))", "1", "undecided"),
        (
            "1/(sqrt(2)+sqrt(3)+sqrt(5)+sqrt(7)+sqrt(11)+sqrt(13)+sqrt(17)+sqrt(19))",
            "1/20",
            "less",
        ),
    ],
)
def test_verdicts(x: str, y: str, verdict: str) -> None:
    assert sa.compare(x, y).verdict == verdict


def test_a_float_never_decides() -> None:
    """The two agree to more digits than any float has."""
    near = sympy.Rational(str(sympy.N(sympy.exp(sympy.sqrt(2)), 80)))
    found = sa.compare("exp(sqrt(2))", near)
    assert found.verdict in ("less", "greater")
    assert found.bits == 512
    with pytest.raises(ExactnessError, match=r"the float 0\.1"):
        sa.compare(0.1, "1/10")
    with pytest.raises(LiteralError):
        sa.compare("exp(", 1)


def test_order_unsettled_is_said_with_the_bits_looked_at() -> None:
    found = sa.compare("1/(1+exp(-10^6))", 1)
    assert str(found) == (
        "different, order unsettled: exponentials of distinct exponents are linearly independent "
        "(Lindemann–Weierstrass); the enclosures still overlap at 32768 bits"
    )
    assert sa.compare("1/(1+exp(-10^2))", 1, limit=128).verdict == "different"


def test_undecided_says_why() -> None:
    found = str(sa.compare("sin(2)", "2*sin(1)*cos(1)"))
    assert found == (
        "undecided: outside the class that the Lindemann–Weierstrass theorem decides; "
        "the enclosures still overlap at 32768 bits"
    )


def test_functions_that_differ_come_with_a_witness() -> None:
    found = sa.compare("exp(a)", "1 + a")
    assert found.witness == {"a": Fraction(1)}
    assert str(found) == "different: the enclosures are separate at 128 bits (at a = 1)"


numbers = st.sampled_from(
    ["0", "1/7", "sqrt(2)", "exp(1)", "exp(sqrt(2))/3", "exp(1)+exp(-1)", "1/(1+exp(1))", "sin(1)",
     "log(2)", "-oo", "2*sqrt(2)", "sqrt(8)", "exp(exp(1))", "1/(1+exp(-10^6))", "1", "a", "a+1"]
)  # fmt: skip


@given(numbers, numbers)
def test_comparison_is_antisymmetric(x: str, y: str) -> None:
    mirrored = {"less": "greater", "greater": "less"}
    there, back = sa.compare(x, y).verdict, sa.compare(y, x).verdict
    assert back == mirrored.get(there, there)


@given(numbers)
def test_everything_equals_itself(x: str) -> None:
    assert sa.compare(x, x).verdict == "equal"


@pytest.mark.parametrize(
    "value", [2, Fraction(2), Decimal(2), sympy.Integer(2), "2", sympy.sqrt(4)]
)
def test_every_kind_of_exact_number_compares(value: Any) -> None:
    assert sa.compare(value, "sqrt(4)").verdict == "equal"


@pytest.mark.parametrize(
    "text",
    ["1/((sqrt(2)+sqrt(3))^2 - 5 - 2*sqrt(6))", "log(sqrt(2) - 2)", "sqrt(1 - sqrt(2))", "exp(log(1 - exp(1)))",
     "log(exp(1)/(exp(1)+exp(2)) - 1/(1+exp(1)))", "(1 - exp(1))^(1/3)",
     "2*(2^(1/3)*4^(1/3)-2)/(2^(1/3)*4^(1/3)-2)", "sqrt(1-sqrt(2))*sqrt(1-sqrt(2))",
     "(exp(1)/(exp(1)+exp(2))-1/(1+exp(1)))/(exp(1)/(exp(1)+exp(2))-1/(1+exp(1)))",
     "exp(log(sqrt(2)-sqrt(2)))"],
)  # fmt: skip
def test_what_is_not_defined_is_refused_and_never_equal(text: str) -> None:
    with pytest.raises(ExactnessError, match=r"not defined|negative|division by zero"):
        sa.compare(text, text)


def test_numbers_too_large_to_look_at_are_undecided() -> None:
    text = "sqrt(4)"
    for _ in range(6):
        text = f"({text})^64"
    found = sa.compare(text, 1)
    assert found.verdict == "undecided"
    assert "it would take the power 64 of a number of 262145 bits" in found.why


def quotient_of_itself(x):
    y = x / x
    return y


def test_a_divisor_with_symbols_that_is_identically_zero_is_refused() -> None:
    with pytest.raises(ExactnessError, match="the divisor is zero"):
        sa.compare(sa.derive(quotient_of_itself, x=["1/(1+exp(a))-exp(-a)/(exp(-a)+1)"])["y"][0], 5)


def test_entries_compare(article: sa.Derivation, encoder: sa.Derivation) -> None:
    assert sa.compare(article["A"][1, 1], article["A"][1, 0]).verdict == "greater"
    # The last row sees everything, masked or not.
    assert sa.compare(article["O"][2, 0], encoder["O"][2, 0]).verdict == "equal"
    assert sa.compare(article["O"][1, 1], encoder["O"][1, 1]).verdict == "greater"
    assert (
        sa.compare(
            article["A"][1, 1], "exp(13*sqrt(2)/25)/(exp(sqrt(2)/10)+exp(13*sqrt(2)/25))"
        ).verdict
        == "equal"
    )


def test_rows_cached_and_recomputed_are_equal() -> None:
    """Under a causal mask the first rows of a longer sentence are those of the shorter one."""
    weights = {"W_Q": [[1, 2], [0, 1]], "W_K": [[1, 0], ["1/2", 1]], "W_V": [[1, 1], [0, 1]]}
    from symattn.functions import causal_mask

    E = [["1/3", 1], [0, "sqrt(2)"], [1, 1]]
    long = sa.derive(attention_head, E=E, M=causal_mask(3, 3), **weights)
    short = sa.derive(attention_head, E=E[:2], M=causal_mask(2, 2), **weights)
    for i in range(2):
        for j in range(2):
            assert sa.compare(long["O"][i, j], short["O"][i, j]).verdict == "equal"


def test_ties_are_proven_with_all_winners() -> None:
    d = sa.derive(softmax, x=["sqrt(3+2*sqrt(2))", "1/3", "1 + sqrt(2)"])
    assert [e.index for e in d["return"].largest()] == [(0,), (2,)]
    assert d["return"].decimal(3) == ["0.471", "0.059", "0.471"]


def test_a_winner_that_cannot_be_proven_is_undecided() -> None:
    d = sa.derive(softmax, x=["sin(2)", "2*sin(1)*cos(1)"])
    with pytest.raises(Undecided, match=r"return\[1\] and return\[0\]: undecided"):
        d["return"].largest()


def test_exactly_rational_values_are_recognised_however_they_are_written() -> None:
    from symattn.decide import rational_value
    from symattn.literals import parse
    from symattn.numbers.normal_form import number

    for text, value in {
        "exp(1)/(exp(1)+exp(2)) + exp(2)/(exp(1)+exp(2))": "1",
        "(3*exp(1)+3*exp(2))/(exp(1)+exp(2))/8": "3/8",
        "1/(1+exp(1)) + 1/(1+exp(-1))": "1",
        "exp(1)/(2*exp(1))": "1/2",
        "exp(1)": None,
        "1/(1+exp(1))": None,
        "sqrt(2)": None,
    }.items():
        found = rational_value(number(parse(text)))
        assert (None if found is None else str(found)) == value


def test_weights_that_are_one_number_tie_whatever_their_scores_say() -> None:
    """Scores log 2 + log 3 and log 6 are equal by no theorem that is used; 1/3 and 1/3 are."""
    d = sa.derive(logs, x=[["2", "3"], ["6", "1"]])
    assert sa.compare(d["A"][0], d["A"][1]).verdict == "equal"
    assert [e.address for e in d["A"].largest()] == ["A[0]", "A[1]"]


def logs(x):  # type: ignore[no-untyped-def]
    z = np.sum(np.log(x), axis=-1)
    A = softmax(z)
    return A
