"""The number systems: exact values, roundings, floats, and the running error bound."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import symattn as sa
from symattn.certify import decimal_of
from symattn.errors import ExactnessError, MaskError, Undecided
from symattn.functions import softmax
from symattn.literals import exact_array
from symattn.numbers import symbolic
from symattn.numbers.ball import Ball
from symattn.numbers.bounded import Bounded, RunningError
from symattn.numbers.compact import Compact
from symattn.numbers.floating import Floating
from symattn.rounding import fixed
from symattn.transformer import attention

R = sympy.Rational
oo = sympy.oo


def array(*entries: Any) -> np.ndarray:
    return np.array([sympy.sympify(e) for e in entries], dtype=object)


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (R(1, 8), 2, "0.13"),
        (-R(1, 8), 2, "-0.13"),
        (R(267, 100) + R(5, 1000), 2, "2.68"),
        (R(1, 2000), 3, "0.001"),
        (R(399, 1000), 2, "0.40"),
        (-R(1, 1000), 2, "0.00"),
        (R(5, 2), 0, "3"),
        (R(99999, 100000), 2, "1.00"),
        (sympy.Integer(-12), 1, "-12.0"),
        (sympy.sqrt(2), 30, "1.414213562373095048801688724210"),
        (sympy.exp(100), 1, "26881171418161354484126255515800135873611118.8"),
        (sympy.exp(-(10**3)), 2, "0.00"),
        (1 / (1 + sympy.exp(10**6)), 5, "0.00000"),
        (-oo, 2, "-oo"),
        # One over the boundary by 1e-60: more digits are taken until it shows.
        (R(1, 8) - sympy.exp(-140), 2, "0.12"),
        (R(1, 8) + sympy.exp(-140), 2, "0.13"),
    ],
)
def test_decimals_round_half_away_from_zero(value: Any, digits: int, expected: str) -> None:
    assert decimal_of(value, digits) == expected


def test_a_boundary_that_nothing_settles_is_undecided() -> None:
    half = R(1, 2) + sympy.exp(-(10**6))
    with pytest.raises(Undecided, match="to 0 decimals is not settled by 32768 bits"):
        decimal_of(half, 0)


def test_a_symbol_has_no_decimals() -> None:
    with pytest.raises(ExactnessError, match="contains symbols"):
        decimal_of(sympy.Symbol("a") + 1, 2)


@given(st.fractions(max_denominator=10**6), st.integers(0, 8))
def test_fixed_is_the_nearest_and_away_from_zero_at_a_tie(value: Fraction, digits: int) -> None:
    shown = Fraction(fixed(value, digits))
    half = Fraction(1, 2 * 10**digits)
    assert abs(shown - value) <= half
    if abs(shown - value) == half:
        assert abs(shown) > abs(value)


def test_masked_scores_are_selected_and_never_calculated_with() -> None:
    system = symbolic.Symbolic()
    x = sympy.Symbol("x", real=True)
    assert list(system.add(array(x, 1), array(-oo, 0))) == [-oo, 1]
    assert list(system.exp(array(-oo, 0))) == [0, 1]
    assert list(system.softmax(array(-oo, x, -oo))) == [0, 1, 0]
    assert list(system.sub(array(-oo, 3), array(2, 2))) == [-oo, 1]
    for bad in (
        lambda: system.mul(array(0), array(-oo)),
        lambda: system.sub(array(-oo), array(-oo)),
        lambda: system.add(array(oo), array(-oo)),
        lambda: system.neg(array(-oo)),
        lambda: system.exp(array(oo)),
        lambda: system.matmul(array(1, -oo), array(0, 0)),
    ):
        with pytest.raises(ExactnessError, match="oo"):
            bad()


def test_what_is_not_defined_is_refused() -> None:
    system = symbolic.Symbolic()
    for bad in (
        lambda: system.div(array(1), array(0)),
        lambda: system.log(array(0)),
        lambda: system.power(array(0), array(-1)),
        lambda: system.sqrt(array(-1)),
    ):
        with pytest.raises(ExactnessError, match="is not"):
            bad()


@pytest.mark.parametrize("system", [symbolic.Symbolic(), Compact(), Ball(128)])
def test_a_fully_masked_row_is_an_error_that_names_it(system: Any) -> None:
    scores = system.array(exact_array([["3/10", "7/10"], ["-oo", "-oo"]], "S"))
    with pytest.raises(MaskError, match="row 1 of the scores is masked everywhere"):
        system.softmax(scores)


def test_floats_never_make_nan_of_a_fully_masked_row() -> None:
    d = sa.derive(softmax, x=[[0, 1], ["-oo", "-oo"]])
    for ask in (d["return"].numeric, d.verify):
        with pytest.raises(MaskError, match="row 1 of the scores is masked everywhere"):
            ask()


def test_maximum_decides_exactly() -> None:
    system = symbolic.Symbolic()
    hidden = (sympy.sqrt(2) + sympy.sqrt(3)) ** 2 - 5 - 2 * sympy.sqrt(6)
    assert symbolic.order(hidden, sympy.S.Zero) == 0
    largest = system.maximum(array(0, 0, -1), array(sympy.sqrt(10) - 3, hidden, -oo))
    assert list(largest) == [sympy.sqrt(10) - 3, 0, -1]
    assert symbolic.order(sympy.exp(sympy.sqrt(2)), R("4.1132503787829275171735818151")) == 1
    a = sympy.Symbol("a", real=True)
    assert system.maximum(array(a), array(0))[0] == sympy.Max(a, 0)


def test_order_is_undecided_rather_than_guessed() -> None:
    e = sympy.exp(1)
    hidden = sympy.sin(2 * e, evaluate=False) - 2 * sympy.sin(e) * sympy.cos(e)
    with pytest.raises(Undecided, match="not settled at 32768 bits"):
        symbolic.order(hidden, sympy.S.Zero)


def test_large_scores_do_not_overflow_in_floats() -> None:
    d = sa.derive(softmax, x=[1000, 999])
    assert d["return"].decimal(7) == ["0.7310586", "0.2689414"]
    np.testing.assert_allclose(d["return"].numeric(), [0.7310586, 0.2689414], atol=1e-7)


def test_rank_three_products_and_reductions_match_numpy() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(-9, 9, (2, 3, 4)), rng.integers(-9, 9, (2, 4, 2))
    system = symbolic.Symbolic()
    exact_a, exact_b = (system.array(exact_array(x, "x")) for x in (a, b))
    assert (system.matmul(exact_a, exact_b) == a @ b).all()
    assert (system.matmul(exact_a, exact_b[0]) == a @ b[0]).all()
    assert (system.matmul(exact_a[0, 0], exact_b[0]) == a[0, 0] @ b[0]).all()
    assert (system.matmul(exact_a, exact_b[0, :, 0]) == a @ b[0, :, 0]).all()
    for axis in (0, 1, 2):
        for keepdims in (True, False):
            made = system.sum(exact_a, axis=axis, keepdims=keepdims)
            assert (made == a.sum(axis=axis, keepdims=keepdims)).all()
            made = system.max(exact_a, axis=axis, keepdims=keepdims)
            assert (made == a.max(axis=axis, keepdims=keepdims)).all()


def test_sympy_shapes_of_exact_values() -> None:
    assert symbolic.matrix(np.array(R(1, 2), dtype=object)).shape == (1, 1)
    assert symbolic.matrix(array(1, 2)).shape == (1, 2)
    cube = symbolic.matrix(np.full((2, 2, 2), sympy.S.One, dtype=object))
    assert isinstance(cube, sympy.ImmutableDenseNDimArray)
    with pytest.raises(TypeError):
        symbolic.matrix(array(1, 2))[0, 0] = 3


# The running error bound.

entries = st.fractions(min_value=-30, max_value=30, max_denominator=997)
masks = st.integers(0, 2)


def bounds_hold(derivation: sa.Derivation) -> None:
    report = derivation.verify()
    assert report.agrees, report.disagreements


@st.composite
def attention_inputs(draw: Any) -> dict[str, Any]:
    n, m, d_k, d_v = (draw(st.integers(1, 4)) for _ in range(4))

    def rows(r: int, c: int) -> list[list[Fraction]]:
        row = st.lists(entries, min_size=c, max_size=c)
        return draw(st.lists(row, min_size=r, max_size=r))

    return {"Q": rows(n, d_k), "K": rows(m, d_k), "V": rows(m, d_v)}


@given(attention_inputs())
def test_exact_float64_and_float32_agree_within_the_bound(inputs: dict[str, Any]) -> None:
    bounds_hold(sa.derive(attention, **inputs))


def everything(x, y):
    a = np.exp(x) + np.tanh(y) - np.sin(x) * np.cos(y)
    b = np.sqrt(x * x + 1) / (y * y + 2) + np.log(x * x + 1)
    c = (x * x + 1) ** 0.5 + np.maximum(x, y) - np.max(x)
    d = np.where(np.arange(len(x)) == 0, a, b) + np.sum(c) - x.mean()
    return np.concatenate([a, b, c, d, softmax(x * 3 + y)])


@given(st.lists(st.tuples(entries.filter(lambda x: abs(x) < 10), entries), min_size=1, max_size=4))
def test_every_operation_keeps_to_its_bound(pairs: list[tuple[Fraction, Fraction]]) -> None:
    x, y = ([p[k] for p in pairs] for k in (0, 1))
    bounds_hold(sa.derive(everything, x=x, y=y))


def test_the_bound_is_not_merely_large() -> None:
    """A bound that admits anything proves nothing: it stays within 1000 roundings here."""
    d = sa.article()
    for kind in ("float64", "float32"):
        values: list[Bounded] = d.run(RunningError(np.dtype(kind)))
        for step in d.steps:
            found = values[step.node]
            size = np.abs(np.where(np.isinf(found.value), 0, found.value))
            assert (found.bound <= 500 * np.finfo(kind).eps * (1 + size)).all(), step.address


def test_a_wrong_float_leaves_its_bound() -> None:
    system = RunningError()
    x = system.array(exact_array(["1/3", "2/7"], "x"))
    found = system.softmax(x)
    wrong = found.value * (1 + 1e-12)
    exact = np.array([float(v) for v in symbolic.Symbolic().softmax(array(R(1, 3), R(2, 7)))])
    assert (np.abs(found.value - exact) <= found.bound).all()
    assert (np.abs(wrong - exact) > found.bound).all()


def test_overflow_and_division_by_nearly_zero_bound_nothing() -> None:
    system = RunningError(np.float32)
    huge = system.exp(system.array(exact_array([1000], "x")))
    assert np.isinf(huge.bound).all()
    third = system.array(exact_array(["1/3"], "x"))
    zero = system.sub(third, third)
    assert np.isinf(system.div(third, zero).bound).all()
    # An overflow to -inf is no mask.
    large = system.array(exact_array(["-1e30"], "x"))
    assert np.isinf(system.add(system.mul(large, system.neg(large)), large).bound).all()
    near_zero = Bounded(np.array([2.0], np.float32), np.array([6.0]))
    minus = system.array(exact_array([-1], "x"))
    assert np.isinf(system.power(near_zero, minus).bound).all()


def logarithm(x):
    y = np.log(x)
    return y


def hundredth(x):
    y = x**100
    return y


def quotient(x, y):
    z = x / y
    return z


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (logarithm, {"x": ["1.000001", "0.999999", "1e-60", "123456.789"]}),
        (hundredth, {"x": ["1.1", "0.9", "-1.0001"]}),
        (quotient, {"x": ["1e-100", "0.1", "1e-20"], "y": ["1e-107", "1e-19", "3"]}),
        (softmax, {"x": ["-1e40", "-1e39", "3"]}),
        (softmax, {"x": ["-1e40"]}),
        (softmax, {"x": ["1e200", "-1e200", "1e-200"]}),
        (softmax, {"x": ["-1000000000", "0", "-1000000000"]}),
    ],
)
def test_hard_inputs_keep_to_their_bound(function: Any, inputs: dict[str, Any]) -> None:
    bounds_hold(sa.derive(function, **inputs))


def test_integers_and_fractions_have_a_size_limit() -> None:
    from symattn.errors import LiteralError

    for value in (10**5000, Fraction(1, 10**5000)):
        with pytest.raises(LiteralError, match="at most 8192 bits"):
            sa.derive(softmax, x=[value])
    assert sa.derive(softmax, x=[10**400, 0])["x"].decimal(1)[0].startswith("1000")
    assert sa.derive(softmax, x=["1e200*1e200"])["x"].numeric()[0] == np.inf


def circle(x):
    y = np.sin(np.pi / 6 * x) + np.sqrt(2 / np.pi)
    return y


def test_pi_is_exact_where_numpy_names_it() -> None:
    d = sa.derive(circle, x=[1])
    assert d["y"].exact[0].has(sympy.pi)
    assert d["y"].decimal(20) == ["1.29788456080286535588"]
    assert d["y"].formula == r"y = \sin \left(\frac{\pi}{6} x\right) + \sqrt{\frac{2}{\pi}}"
    assert str(d["y"][0].explain()).count("pi") > 1
    bounds_hold(d)
    # A name in text is a symbol, whatever it is called.
    assert sa.derive(softmax, x=["pi", 0])["x"].exact[0] == sympy.Symbol("pi", real=True)


@pytest.mark.parametrize("system", [symbolic.Symbolic(), Compact(), Ball(128), Bounded])
def test_a_fully_masked_row_is_zero_on_request(system: Any) -> None:
    system = RunningError() if system is Bounded else system
    for row in (["1/2", "sqrt(2)"], [1, 2]):  # by entries, and in matrix shape
        scores = system.array(exact_array([row, ["-oo", "-oo"], ["-oo", 3]], "S"))
        found = system.softmax(scores, zero=True)
        if isinstance(found, Bounded):
            assert (found.bound[1:] <= 1e-14).all()
            found = found.value
        assert [str(found[i, j]) in ("0", "0.0") for i in (1, 2) for j in (0, 1)] == [
            True, True, True, False,
        ]  # fmt: skip


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "bfloat16"])
def test_floats_give_zero_for_a_fully_masked_row_on_request(kind: str) -> None:
    d = sa.derive(softmax, x=[[0, 1], ["-oo", "-oo"]], fully_masked="zero")
    assert (d.floats(kind)[d.graph.result][1] == 0).all()
    bounds_hold(d)
    assert (softmax(np.array([[0.0, 1], [-np.inf, -np.inf]]), fully_masked="zero")[1] == 0).all()


def test_a_zero_divisor_is_named_by_its_row() -> None:
    message = "the divisor is zero, in row 1|is not defined, in row 1"
    for system in (symbolic.Symbolic(), Compact(), Ball(128)):
        x = system.array(exact_array([[1, "sqrt(2)"], [3, 4]], "x"))
        y = system.array(exact_array([[1], [0]], "y"))
        with pytest.raises(ExactnessError, match=message):
            system.div(x, y)


def test_a_square_near_zero_keeps_its_bound() -> None:
    system = RunningError(np.float32)
    third = system.array(exact_array(["1/3"], "x"))
    square = system.power(system.sub(third, third), system.array(exact_array(2, "n")))
    assert 0 < square.bound[0] < 1e-12


def larger(x, y):
    z = np.maximum(x, y)
    return z


def test_a_masked_entry_is_compared_with_its_own_kind() -> None:
    """An infinity where a float is 0 underneath has no ball to ask."""
    bounds_hold(sa.derive(larger, x=[0, "-oo"], y=["-oo", "-oo"]))


def test_floats_of_what_two_large_numbers_leave() -> None:
    """128 bits of e^x - 1 tell nothing of it where x is 1e-40."""
    value = exact_array(["exp(1/10^40) - 1", "exp(1/10^30) - 1"], "x")
    assert Floating().array(value).tolist() == [1e-40, 1e-30]
    found = RunningError().array(value)
    assert (found.bound < 1e-45).all()
