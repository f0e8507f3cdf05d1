"""Fixed decimals, rounded half away from zero, from exact bounds."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpz


def fixed(value: Fraction, digits: int) -> str:
    """Write a rational with fixed decimals, rounded half away from zero, never as -0.

    >>> fixed(Fraction(2, 5), 2), fixed(Fraction(1, 8), 2), fixed(Fraction(-1, 1000), 2)
    ('0.40', '0.13', '0.00')
    """
    scaled = abs(value) * 10**digits
    units = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    text = str(fmpz(units)).rjust(digits + 1, "0")  # Python's own int stops at 4300 digits
    minus = "-" if value < 0 and units else ""
    return f"{minus}{text[:-digits]}.{text[-digits:]}" if digits else minus + text


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


def _shared_start(low: Fraction, high: Fraction, digits: int) -> str | None:
    if not digits or (low < 0) != (high < 0):
        return None
    starts = {abs(x) * 10**digits // 1 for x in (low, high)}
    if len(starts) > 1:
        return None
    start = fixed(Fraction(starts.pop(), 10**digits), digits)
    return f"-{start}" if low < 0 else start
