"""Exact values as pairs of float64s with a radius, to compare whole arrays of floats with.

high + low is within `radius` of the exact value: high is the nearest float64 or next
to it, low what that leaves. Sums of two floats carry about 106 bits (Dekker, A
floating-point technique for extending the available precision, 1971), so that a
float's own error is seen to some thirty digits.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx

from symattn.graph import Array
from symattn.numbers.arrays import is_mark
from symattn.numbers.ball import Balls
from symattn.numbers.given import EXACT_INTEGERS
from symattn.numbers.scaled import Scaled
from symattn.rounding import to_float

_TINY = 1e-280  # below, low would underflow
_TINIEST = 5e-324


class Pairs(NamedTuple):
    """high + low within radius, entry by entry; an infinity is its own high."""

    high: Array
    low: Array
    radius: Array

    def put(self, index: tuple[int, ...], middle: Fraction, radius: Fraction) -> None:
        """Put an entry's enclosure in place of the one it has."""
        high = to_float(middle)
        rest = middle - Fraction(high) if math.isfinite(high) else Fraction(0)
        low = to_float(rest)
        around = to_float(radius + abs(rest - Fraction(low)))
        # No float64 is near what lies beyond their range.
        self.high[index] = high if math.isfinite(high) else math.nan
        self.low[index] = low
        self.radius[index] = np.nextafter(around, np.inf) if around else 0.0

    def distance(self, values: Array) -> tuple[Array, Array]:
        """Bounds on |values - exact|; infinite where one of the two is infinite, or nan."""
        values = np.asarray(values, np.float64)
        with np.errstate(all="ignore"):
            apart = np.abs((values - self.high) - self.low)
            # Two subtractions, and the sums below: a few units in the last place.
            slack = apart * 1e-15 + self.radius
            least, most = np.maximum(apart - slack, 0.0), apart + slack
        equal = np.isinf(self.high) & (values == self.high)
        lost = ~np.isfinite(most)
        return tuple(  # type: ignore[return-value]
            np.where(equal, 0.0, np.where(lost, np.inf, x)) for x in (least, most)
        )


def of_scaled(x: Scaled) -> Pairs | None:
    """Rationals times a square root, whose integers are floats themselves; else None."""
    tops = x.grid.matrix.entries()
    if x.denominator >= EXACT_INTEGERS or max(map(abs, tops), default=0) >= EXACT_INTEGERS:
        return None
    top, bottom = np.array(list(map(float, tops))), float(x.denominator)
    high = top / bottom
    # The remainder of a correctly rounded quotient is a float; see Dekker, above.
    product, rest = _product(high, bottom)
    low = ((top - product) - rest) / bottom
    radius = np.abs(low) * 2.0**-50
    if x.radicand != 1:
        with ctx.workprec(200):
            root = arb(x.radicand).sqrt()
            above = float(root)
            below = float(root - above)
        high, low = _times(high, low, above, below)
        radius = np.abs(high) * 2.0**-96
    out = Pairs(*(part.reshape(x.shape) for part in (high, low, radius)))
    if x.marks is not None:
        out.high[x.marks < 0] = -np.inf
    return out


def of_balls(x: Balls, bits: int) -> Pairs:
    """Balls computed with so many bits; the radius is infinite where a ball is unbounded."""
    balls: list[Any] = x.matrix.entries()
    with ctx.workprec(bits + 64):
        highs = list(map(float, balls))
        rests = [ball - high for ball, high in zip(balls, highs, strict=True)]
        lows = list(map(float, rests))
        radii = [float(rest.rad()) for rest in rests]
    high, low, radius = (np.array(part).reshape(x.shape) for part in (highs, lows, radii))
    with np.errstate(all="ignore"):
        radius = radius * (1 + 2.0**-50) + np.abs(low) * 2.0**-52
        radius = np.where(np.abs(high) < _TINY, radius + 4 * _TINIEST, radius)
        radius = np.where(np.isfinite(high + low + radius), radius, np.inf)
    for place in np.argwhere(high == 0).tolist():
        entry = x[tuple(place)]
        if not is_mark(entry) and entry.is_zero():
            radius[tuple(place)] = 0.0
    if x.marks is not None:
        high, radius = np.where(x.marks < 0, -np.inf, high), np.where(x.marks < 0, 0.0, radius)
    return Pairs(high, np.where(np.isfinite(high), low, 0.0), radius)


def unit_in_last_place(x: Pairs, info: Any) -> Array:
    """The unit of a float type at each exact value; nan at 0, infinities and underflows."""
    mantissa, exponent = np.frexp(np.where(np.isfinite(x.high), x.high, 0.0))
    # Where rounding to float64 reached a power of two from below, the value stays below.
    exponent = exponent - ((np.abs(mantissa) == 0.5) & (mantissa * x.low < 0)) - 1
    with np.errstate(all="ignore"):
        unit = np.ldexp(1.0, exponent - info.nmant)
    return np.where((mantissa == 0) | (exponent < info.minexp), np.nan, unit)


def _product(a: Any, b: Any) -> tuple[Any, Any]:
    """A product of two float64s and its rounding error (Dekker's, by Veltkamp's splitting)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _split(a: Any) -> tuple[Any, Any]:
    scaled = a * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - a)
    return high, a - high


def _times(high: Array, low: Array, above: float, below: float) -> tuple[Array, Array]:
    """A pair times a pair; the products of the low parts are left out."""
    product, error = _product(high, above)
    error = error + (high * below + low * above)
    total = product + error
    return total, error - (total - product)
