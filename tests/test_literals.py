"""The grammar of exact numbers: what it reads, and what it refuses."""

from __future__ import annotations

import contextlib
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import ExactnessError, LiteralError, ShapeError
from symattn.literals import NEGATIVE_INFINITY, Name, exact, exact_array, parse
from symattn.numbers.symbolic import number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.2", sympy.Rational(1, 5)),
        (".5", sympy.Rational(1, 2)),
        ("-3", sympy.Integer(-3)),
        ("−3", sympy.Integer(-3)),
        ("1e-3", sympy.Rational(1, 1000)),
        ("1/3 + 1/6", sympy.Rational(1, 2)),
        ("sqrt(8)", 2 * sympy.sqrt(2)),
        ("2*sqrt(2)/3", 2 * sympy.sqrt(2) / 3),
        ("2^3", sympy.Integer(8)),
        ("-2**2", sympy.Integer(-4)),
        ("2**-1", sympy.Rational(1, 2)),
        ("(1 + sqrt(5))/2", sympy.GoldenRatio.expand(func=True)),
        ("exp(-1)", sympy.exp(-1)),
        ("log(2)", sympy.log(2)),
        ("oo", sympy.oo),
        ("-oo", -sympy.oo),
        ("−∞", -sympy.oo),
    ],
)
def test_reads_exact_numbers(text: str, expected: sympy.Expr) -> None:
    assert number(parse(text)) == expected


@pytest.mark.parametrize("name", ["E", "I", "S", "N", "Q", "O", "pi", "beta", "lambda", "test"])
def test_names_are_symbols_whatever_sympy_would_make_of_them(name: str) -> None:
    assert parse(name) == Name(name)
    made = number(parse(name))
    assert made == sympy.Symbol(name, real=True)
    assert made.is_finite


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "1,5", "1_000", "0x10", "inf", "-inf", "nan", "1 000", "٣", "1..2", "2 2", "(1",
        "1)", "+", "1/0", "0**0", "sqrt(-1)", "log(0)", "f(2)", "oo - oo", "0*oo", "9**9**9",
        "__import__('os').system('true')", "a.b", "a[", "a[-1]", "a[i]", "a[0]b", "a[]", "a[0][1]", "lambda: 1", "1;2", "2**65", "1e999",
        "(" * 50 + "1" + ")" * 50, "1" * 5000, "-" * 100 + "1",
    ],
)  # fmt: skip
def test_refuses_everything_else(text: str) -> None:
    with pytest.raises(LiteralError):
        parse(text)


def test_message_says_what_was_wanted_and_what_came() -> None:
    with pytest.raises(LiteralError, match=r"wanted an exact number .* got '1,5': ',' is not part"):
        parse("1,5")


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(LiteralError):
        parse(text)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=6, max_value=10**9, min_value=-(10**9)
    )
)
def test_decimals_mean_what_they_say(value: Decimal) -> None:
    assert parse(format(value, "f")) == Fraction(value)
    assert exact(value) == Fraction(value)


def test_floats_need_to_say_what_they_mean() -> None:
    with pytest.raises(ExactnessError, match=r'write "0.2" for 1/5'):
        exact(0.2)
    assert exact(0.2, rule="decimal") == Fraction(1, 5)
    assert exact(0.2, rule="binary") == Fraction(3602879701896397, 18014398509481984)
    assert exact(np.float32(0.2), rule="decimal") == Fraction(1, 5)
    assert exact(np.float32(0.2), rule="binary") == Fraction(13421773, 67108864)
    assert exact(np.float32(-np.inf), rule="binary") == NEGATIVE_INFINITY
    assert exact(np.float16("-inf")) == NEGATIVE_INFINITY


def test_float_arrays_keep_their_own_width() -> None:
    made = exact_array(np.array([[0.2]], np.float32), "E", rule="binary")
    assert made[0, 0] == Fraction(13421773, 67108864)


def test_an_additive_mask_of_floats_is_exact_as_it_is() -> None:
    made = exact_array(np.array([[0.0, -np.inf]]), "M")
    assert list(made[0]) == [Fraction(0), NEGATIVE_INFINITY]


def test_sympy_numbers_come_in_and_floats_of_it_do_not() -> None:
    for value in (sympy.sqrt(2), sympy.exp(sympy.Rational(1, 3)) + 2, sympy.E, sympy.S(7) / 3):
        assert number(exact(value)) == value
    assert exact(sympy.Symbol("x")) == Name("x")
    with pytest.raises(ExactnessError, match="SymPy Float"):
        exact(sympy.Float(0.2))
    with pytest.raises(LiteralError, match="SymPy Integral"):
        exact(sympy.Integral(sympy.Symbol("x")))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[1, 2], [3]], r"E: rows of unequal length: row 0 has 2 entries, row 1 has 1 entry"),
        ([[1, 2], 3], r"row 1 has a single number"),
        ([], r"E: wanted at least one entry"),
        ([[]], r"E\[0\]: wanted at least one entry"),
    ],
)
def test_uneven_arrays_are_refused_by_place(value: object, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        exact_array(value, "E")


@pytest.mark.parametrize(
    ("entry", "kind"),
    [(0.2, ExactnessError), (True, LiteralError), ("x y", LiteralError), (None, LiteralError)],
)
def test_a_bad_entry_is_named(entry: object, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"^E\[1,0\]: "):
        exact_array([[1, 2], [entry, 3]], "E")
