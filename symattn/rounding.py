"""Fixed decimals and significant figures, rounded half away from zero, from exact bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import arb, fmpz  # imported where it is used: those who list steps round nothing


def fixed(value: Fraction, digits: int) -> str:
    """Write a rational with fixed decimals, rounded half away from zero, never as -0.

    >>> fixed(Fraction(2, 5), 2), fixed(Fraction(1, 8), 2), fixed(Fraction(-1, 1000), 2)
    ('0.40', '0.13', '0.00')
    """
    from flint import fmpz

    scaled = abs(value) * 10**digits
    units = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return pointed(fmpz(-units if value < 0 else units), digits)


def to_float(value: Fraction) -> float:
    """The nearest float; infinite where there is none.

    >>> to_float(Fraction(1, 3)), to_float(Fraction(-(10**400)))
    (0.3333333333333333, -inf)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def roughly(value: Fraction) -> str:
    """A number for a message, six figures of it, however large it is.

    >>> roughly(Fraction(3, 2)), roughly(Fraction(10**400, 3))
    ('1.5', '3.33333e+399')
    """
    near = to_float(value)
    if math.isfinite(near):
        return f"{near:g}"
    places = exponent(value)
    return f"{to_float(value / Fraction(10) ** places):.6g}e+{places}"


def pointed(units: fmpz, digits: int) -> str:
    """Write an integer of units in the last place, 10^-digits, with its point.

    >>> from flint import fmpz
    >>> pointed(fmpz(-5), 2), pointed(fmpz(120), 1), pointed(fmpz(7), 0)
    ('-0.05', '12.0', '7')
    """
    text = str(abs(units))  # Python's own int stops at 4300 digits
    if digits:
        text = text.rjust(digits + 1, "0")
        text = f"{text[:-digits]}.{text[-digits:]}"
    return "-" + text if units < 0 else text


def unique_units(ball: arb, scale: arb) -> fmpz | None:
    """The units 1/scale that all of a ball rounds to, half away from zero; None if there are two.

    Args:
        scale: a power of ten, exact.
    """
    from flint import arb

    x = ball * scale
    half = arb(1) / 2
    found = (half - x).floor().unique_fmpz() if x < 0 else (x + half).floor().unique_fmpz()
    return -found if found is not None and x < 0 else found


def between(low: Fraction, high: Fraction, digits: int) -> str | None:
    """The decimal that every number from low to high rounds to; None if there are two.

    >>> between(Fraction(124, 1000), Fraction(126, 1000), 1)
    '0.1'
    """
    rounded = fixed(low, digits)
    return rounded if rounded == fixed(high, digits) else None


def surviving(low: Fraction, high: Fraction, digits: int) -> str:
    """As many decimals, at most `digits`, as are certain for all from low to high.

    Certain is a decimal that all of them round to, or with which all of them begin;
    "" if there is none.

    >>> surviving(Fraction("0.6385"), Fraction("0.6501"), 4)
    '0.6'
    >>> surviving(Fraction("0.6999"), Fraction("0.7001"), 4)
    '0.700'
    """
    for k in range(digits, -1, -1):
        found = between(low, high, k) or _shared_start(low, high, k)
        if found:
            return found
    return ""


def certain(low: Fraction, high: Fraction, digits: int) -> str:
    """The decimal that every number from low to high rounds to; else what is certain, and a "?".

    >>> certain(Fraction("0.6385"), Fraction("0.6501"), 4)
    '0.6?'
    """
    return between(low, high, digits) or f"{surviving(low, high, digits)}?"


def _shared_start(low: Fraction, high: Fraction, digits: int) -> str | None:
    if not digits or (low < 0) != (high < 0):
        return None
    starts = {abs(x) * 10**digits // 1 for x in (low, high)}
    if len(starts) > 1:
        return None
    start = fixed(Fraction(starts.pop(), 10**digits), digits)
    return f"-{start}" if low < 0 else start


def exponent(value: Fraction) -> int:
    """The exponent of the first digit of a number that is not zero: 10^e <= |value| < 10^(e+1).

    >>> exponent(Fraction(999, 10)), exponent(Fraction(-1, 1000))
    (1, -3)
    """
    top, bottom = abs(value).as_integer_ratio()
    # Bits say it to within one: 0.30102 is just below log10(2).
    found = (top.bit_length() - bottom.bit_length()) * 30102 // 100000 - 1
    while abs(value) >= Fraction(10) ** (found + 1):
        found += 1
    while abs(value) < Fraction(10) ** found:
        found -= 1
    return found


def scientific(units: fmpz, places: int) -> str:
    """Write an integer of units of 10^-places, not zero, with a digit before the point.

    >>> from flint import fmpz
    >>> scientific(fmpz(-130), 7), scientific(fmpz(5), 0)
    ('-1.30e-5', '5e0')
    """
    text = str(abs(units))
    sign = "-" if units < 0 else ""
    return f"{sign}{text[0]}{text[1:] and '.'}{text[1:]}e{len(text) - 1 - places}"


def unique_figures(ball: arb, figures: int) -> str | None:
    """So many significant figures that all of a ball rounds to; None where it is not seen.

    Some are seen with more precision only, and exact powers of ten not by this.
    """
    from flint import arb, fmpz

    if ball.contains(0) or not ball.is_finite():
        return None
    first = (abs(ball).log() / arb(10).log()).floor().unique_fmpz()
    if first is None:
        return None
    places = figures - 1 - int(first)
    units = unique_units(ball, arb(10) ** places)
    if units is None:
        return None
    if abs(units) == fmpz(10) ** figures:  # 9.996 to three is 10.0
        units, places = units / 10, places - 1
    return scientific(units, places)


@dataclass(frozen=True)
class Decimals:
    """Rounding to so many places after the point."""

    digits: int

    @property
    def said(self) -> str:
        return f"{self.digits} decimals"

    def of(self, value: Fraction) -> str:
        return fixed(value, self.digits)

    def of_ball(self, ball: arb) -> str | None:
        """What all of a ball rounds to, where a look shows it."""
        from flint import arb

        units = unique_units(ball, arb(10) ** self.digits)
        return None if units is None else pointed(units, self.digits)

    def between(self, low: Fraction, high: Fraction) -> str | None:
        return between(low, high, self.digits)

    def tie(self, low: Fraction, high: Fraction) -> Fraction:
        """The number halfway between two roundings that is next to those bounds."""
        return _half(low, high, self.digits)

    def surviving(self, low: Fraction, high: Fraction) -> str:
        return surviving(low, high, self.digits)


@dataclass(frozen=True)
class Figures:
    """Rounding to so many significant figures, at least 1; written with an exponent.

    >>> Figures(2).of(Fraction(1, 800)), Figures(3).of(Fraction(9996, 10))
    ('1.3e-3', '1.00e3')
    """

    digits: int

    @property
    def said(self) -> str:
        return f"{self.digits} significant figure{'s' * (self.digits > 1)}"

    def of(self, value: Fraction) -> str:
        from flint import fmpz

        if not value:
            return "0"
        places = self.digits - 1 - exponent(value)
        scaled = abs(value) * Fraction(10) ** places
        units = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
        if units == 10**self.digits:
            units, places = units // 10, places - 1
        return scientific(fmpz(-units if value < 0 else units), places)

    def of_ball(self, ball: arb) -> str | None:
        """What all of a ball rounds to, where a look shows it."""
        return unique_figures(ball, self.digits)

    def between(self, low: Fraction, high: Fraction) -> str | None:
        if low <= 0 <= high:
            return "0" if low == high else None
        rounded = self.of(low)
        return rounded if rounded == self.of(high) else None

    def tie(self, low: Fraction, high: Fraction) -> Fraction:
        """The number halfway between two roundings that is next to those bounds."""
        middle = (low + high) / 2
        return _half(low, high, self.digits - 1 - exponent(middle)) if middle else Fraction(0)

    def surviving(self, low: Fraction, high: Fraction) -> str:
        """As many figures as are certain, else as many decimals; "" if there are none."""
        for k in range(self.digits - 1, 0, -1):
            found = Figures(k).between(low, high)
            if found:
                return found
        largest = max(abs(low), abs(high))
        return surviving(low, high, max(0, self.digits - 1 - exponent(largest)))


def _half(low: Fraction, high: Fraction, places: int) -> Fraction:
    scale = Fraction(10) ** places
    return (floor((low + high) / 2 * scale) + Fraction(1, 2)) / scale


#: What a number is rounded by.
Rule = Decimals | Figures
