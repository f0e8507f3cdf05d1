"""Floats with a running error bound: each value beside how far it may be off.

Values are `Bounded` pairs of a float array in the type under test and a float64
array of bounds on |float - exact|. The rules are those of running error analysis
(Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections 3.1,
3.3 and 3.5): with u the unit roundoff, every rounded operation adds u times the
size of its result, a product of length n adds γ_n·|A|·|B| in whatever order it
was summed, and what underflows adds the smallest subnormal.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from symattn.graph import Array
from symattn.literals import Infinity
from symattn.numbers.floating import Floating, float_info, rational
from symattn.numbers.given import Given

#: Stated accuracy of NumPy's elementary functions, in units in the last place,
#: for every type: NumPy's own validation set accepts at most 4.
FUNCTION_ULPS = 4.0

#: The bounds are themselves computed in float64; this covers their rounding.
_MARGIN = 1.0 + 1e-12
_TINIEST = 5e-324


class Bounded(NamedTuple):
    """A float array and, for each entry, a bound on its distance from the exact value."""

    value: Array
    bound: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.value.shape)


class RunningError:
    """Operations on `Bounded` pairs."""

    def __init__(self, dtype: Any = np.float64) -> None:
        self.floats = Floating(dtype)
        info = float_info(self.floats.dtype.name)
        self.unit = float(info.eps) / 2
        self.tiny = float(info.smallest_subnormal)

    def array(self, exact: Array | Given) -> Bounded:
        given = Given.of(exact)
        value = self.floats.array(given)
        if given.floats is not None:
            nearest, error = given.floats
            wide = np.asarray(value, np.float64)
            with np.errstate(invalid="ignore"):  # -inf less -inf
                apart = np.where(wide == nearest, 0.0, np.abs(wide - nearest) * _MARGIN)
            return Bounded(value, apart + error)
        bound = np.zeros(value.shape)
        for index in np.ndindex(value.shape):
            bound[index] = _input_error(given.entries[index], value[index])
        return Bounded(value, bound)

    def replaced(self, value: Any, shape: tuple[int, ...]) -> Bounded:
        return Bounded(self.floats.replaced(value.value, shape), value.bound)

    def _result(
        self, value: Array, carried: Array, ulps: float = 0.5, masked: Array | bool = False
    ) -> Bounded:
        """Add the rounding of the operation itself: `ulps` units in the last place.

        Args:
            masked: where -inf is a mask, exact as it is; an overflow to -inf is none.
        """
        with np.errstate(all="ignore"):
            size = np.abs(np.asarray(value, np.float64))
            own = 2 * ulps * self.unit * size + 4 * self.tiny
            bound = (carried + own) * _MARGIN + 4 * _TINIEST
        bound = np.where(np.isnan(bound) | ~np.isfinite(size), np.inf, bound)
        return Bounded(value, np.where(masked, 0.0, bound))

    def _gamma(self, n: int) -> float:
        return n * self.unit / (1 - n * self.unit) if n * self.unit < 0.5 else np.inf

    def add(self, a: Bounded, b: Bounded) -> Bounded:
        masked = _masked(a) | _masked(b)
        return self._result(self.floats.add(a.value, b.value), a.bound + b.bound, masked=masked)

    def sub(self, a: Bounded, b: Bounded) -> Bounded:
        value = self.floats.sub(a.value, b.value)
        return self._result(value, a.bound + b.bound, masked=_masked(a) & ~_masked(b))

    def neg(self, a: Bounded) -> Bounded:
        return Bounded(-a.value, a.bound)

    def mul(self, a: Bounded, b: Bounded) -> Bounded:
        x, y = _sizes(a, b)
        with np.errstate(all="ignore"):
            carried = x * b.bound + a.bound * y + a.bound * b.bound
        return self._result(self.floats.mul(a.value, b.value), carried)

    def div(self, a: Bounded, b: Bounded) -> Bounded:
        x, y = _sizes(a, b)
        with np.errstate(all="ignore"):
            room = y - b.bound
            share = np.nextafter(x / y, np.inf) * b.bound + 4 * _TINIEST
            carried = np.where(room > 0, (a.bound + share) / room, np.inf)
        return self._result(self.floats.div(a.value, b.value), carried)

    def matmul(self, a: Bounded, b: Bounded) -> Bounded:
        x, y = _sizes(a, b)
        n = x.shape[-1]
        with np.errstate(all="ignore"):  # inf times 0 is nan: it bounds nothing
            carried = x @ b.bound + a.bound @ y + a.bound @ b.bound
            carried = carried + self._gamma(n) * (x @ y) + n * self.tiny
        return self._result(self.floats.matmul(a.value, b.value), carried, ulps=0.0)

    def sum(self, x: Bounded, *, axis: int, keepdims: bool) -> Bounded:
        with np.errstate(all="ignore"):
            size = np.abs(np.asarray(x.value, np.float64))
            total = np.sum(size, axis=axis, keepdims=keepdims)
            carried = np.sum(x.bound, axis=axis, keepdims=keepdims)
            carried = carried + self._gamma(max(x.shape[axis] - 1, 0)) * total
        value = self.floats.sum(x.value, axis=axis, keepdims=keepdims)
        return self._result(value, carried, ulps=0.0)

    def max(self, x: Bounded, *, axis: int, keepdims: bool) -> Bounded:
        value = self.floats.max(x.value, axis=axis, keepdims=keepdims)
        return Bounded(value, np.max(x.bound, axis=axis, keepdims=keepdims))

    def maximum(self, a: Bounded, b: Bounded) -> Bounded:
        value = self.floats.maximum(a.value, b.value)
        return Bounded(value, np.maximum(a.bound, b.bound) + np.zeros(value.shape))

    def softmax(self, x: Bounded, *, zero: bool = False) -> Bounded:
        """The bound of the shifted form; the shift itself cancels, so it is exact."""
        with np.errstate(all="ignore"):
            value = self.floats.softmax(x.value, zero=zero)
            top = np.max(x.value, axis=-1, keepdims=True)
        shifted = self.sub(x, Bounded(top, np.zeros(top.shape)))
        numerators = self.exp(shifted)
        total = self.sum(numerators, axis=-1, keepdims=True)
        bound = self.div(numerators, total).bound
        full = zero & np.all(_masked(x), axis=-1, keepdims=True)
        return Bounded(value, np.where(full, 0.0, bound))

    def exp(self, x: Bounded) -> Bounded:
        masked = _masked(x)
        value = self.floats.exp(x.value)
        with np.errstate(all="ignore"):
            slack = FUNCTION_ULPS * 2 * self.unit
            reach = np.expm1(np.where(masked, 0.0, x.bound))
            carried = np.asarray(value, np.float64) * (1 + slack) * reach + self.tiny * reach
        return self._result(value, carried, FUNCTION_ULPS, masked)

    def gather(self, x: Bounded, index: Array) -> Bounded:
        value = self.floats.gather(x.value, index)
        return Bounded(value, np.asarray(x.bound.reshape(-1)[index]))

    def concat(self, *xs: Bounded, axis: int) -> Bounded:
        values = np.concatenate([x.value for x in xs], axis=axis)
        return Bounded(values, np.concatenate([x.bound for x in xs], axis=axis))

    def where(self, a: Bounded, b: Bounded, *, keep: Array) -> Bounded:
        value = np.where(keep, a.value, b.value)
        return Bounded(value, np.where(keep, a.bound, b.bound))

    def _between(self, op: str, *xs: Bounded) -> Bounded:
        """A function monotone in each operand: its change over the operands' corners."""
        wide = Floating(np.float64)
        function: Callable[..., Array] = getattr(wide, op)
        middle = function(*(np.asarray(x.value, np.float64) for x in xs))
        carried = np.zeros(middle.shape)
        with np.errstate(all="ignore"):
            for corner in np.ndindex(*(2,) * len(xs)):
                moved = [_moved(x, bool(side)) for x, side in zip(xs, corner, strict=True)]
                change = np.abs(function(*moved) - middle)
                carried = np.maximum(carried, np.where(np.isnan(change), np.inf, change))
        value = getattr(self.floats, op)(*(x.value for x in xs))
        # The corners were themselves computed with the functions' float64 accuracy.
        noise = 4 * FUNCTION_ULPS * np.finfo(np.float64).eps * np.abs(middle)
        return self._result(value, carried + noise, FUNCTION_ULPS)

    def log(self, x: Bounded) -> Bounded:
        return self._between("log", x)

    def sqrt(self, x: Bounded) -> Bounded:
        # Where the bound reaches below zero, the root may be anything down to zero.
        size = np.abs(np.asarray(x.value, np.float64))
        safe = Bounded(x.value, np.minimum(x.bound, size))
        with np.errstate(all="ignore"):
            wide = np.nextafter(np.sqrt(np.maximum(x.bound - safe.bound, 0.0)), np.inf) * _MARGIN
        result = self._between("sqrt", safe)
        bound = result.bound + np.where(x.bound > size, wide, 0.0)
        return Bounded(result.value, np.where(np.isfinite(x.bound), bound, np.inf))

    def power(self, a: Bounded, b: Bounded) -> Bounded:
        found = self._between("power", a, b)
        # Across zero the power is not monotone, and may have a pole. To a positive integer
        # its largest change is at a corner all the same: |x|^n is monotone in |x|.
        wide = np.asarray(b.value, np.float64)
        counted = (b.bound == 0) & (wide > 0) & (wide == np.floor(wide))
        across = (np.abs(np.asarray(a.value, np.float64)) <= a.bound) & ~counted
        return Bounded(found.value, np.where(across, np.inf, found.bound))

    def _smooth(self, op: str, slope: float, x: Bounded) -> Bounded:
        """A function whose derivative never exceeds `slope` in size."""
        value = getattr(self.floats, op)(x.value)
        return self._result(value, slope * x.bound + FUNCTION_ULPS * self.unit, FUNCTION_ULPS)

    def sin(self, x: Bounded) -> Bounded:
        return self._smooth("sin", 1.0, x)

    def cos(self, x: Bounded) -> Bounded:
        return self._smooth("cos", 1.0, x)

    def tanh(self, x: Bounded) -> Bounded:
        return self._smooth("tanh", 1.0, x)

    def sign(self, x: Bounded) -> Bounded:
        """Exact where the bound leaves no other; else it may be any sign."""
        value = self.floats.sign(x.value)
        size = np.abs(np.asarray(x.value, np.float64))
        known = (size > x.bound) | (x.bound == 0)
        return Bounded(value, np.where(known, 0.0, 1.0 + np.abs(np.asarray(value, np.float64))))

    def erf(self, x: Bounded) -> Bounded:
        return self._smooth("erf", 1.1284, x)  # 2/sqrt(pi) = 1.12837...


def _masked(x: Bounded) -> Any:
    """Where -inf is a mask: without error. An overflow has none that bounds it."""
    return np.isneginf(np.asarray(x.value, np.float64)) & (x.bound == 0)


def _moved(x: Bounded, up: bool) -> Array:
    """An end of the interval, rounded outward so that a small bound is not lost."""
    value = np.asarray(x.value, np.float64)
    end = np.nextafter(value + x.bound, np.inf) if up else np.nextafter(value - x.bound, -np.inf)
    return np.where(x.bound == 0, value, end)


def _input_error(exact: Any, value: Any) -> float:
    if isinstance(exact, Infinity):
        return 0.0
    if not np.isfinite(value):
        return float("inf")
    if isinstance(exact, Fraction):
        error = abs(Fraction(float(value)) - exact)
    else:
        wanted = rational(exact)
        # `rational` is within 1e-30, relatively, of what is no fraction.
        error = abs(Fraction(float(value)) - wanted) + abs(wanted) / 10**29
    return _rounded_up(error)


def _rounded_up(value: Fraction) -> float:
    return float(np.nextafter(float(value), np.inf)) if value else 0.0


def _sizes(a: Bounded, b: Bounded) -> tuple[Array, Array]:
    return np.abs(np.asarray(a.value, np.float64)), np.abs(np.asarray(b.value, np.float64))
