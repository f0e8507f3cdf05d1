"""Fixed decimals, rounded half away from zero, from exact bounds."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpz


def fixed(value: Fraction, digits: int) -> str:
    """Write a rational with fixed decimals, rounded half away from zero, never as -0.

    >>> fixed(Fraction(2, 5), 2), fixed(Fraction(1, 8), 2), fixed(Fraction(-1, 1000), 2)
    ('0.40', '0.13', '0.00')
    """
    scaled = abs(value) * 10**digits
    units = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return pointed(fmpz(-units if value < 0 else units), digits)


def pointed(units: fmpz, digits: int) -> str:
    """Write an integer of units in the last place, 10^-digits, with its point.

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
    x = ball * scale
    found = (_HALF - x).floor().unique_fmpz() if x < 0 else (x + _HALF).floor().unique_fmpz()
    return -found if found is not None and x < 0 else found


_HALF = arb(1) / 2


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
