"""Decimals of every length at once: leading digits, from which each shorter rounding follows.

A number is rounded half away from zero to k decimals by its digit k + 1 alone, if the digits are
those of the number itself: cut off, and not rounded before. So one more digit than is ever
shown is kept, and no rounding is rounded again.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any

from flint import arb, ctx, fmpz

from symattn import decide
from symattn.literals import Infinity
from symattn.numbers.enclosure import START
from symattn.numbers.normal_form import fraction
from symattn.numbers.scaled import Scaled
from symattn.rounding import certain, pointed

if TYPE_CHECKING:
    from symattn.steps import Step

#: Decimals that can be asked for.
MOST = 30

#: Bits up to which leading digits are looked for; what is not settled then is close to a tie.
LIMIT = 1024

#: Behind digits that go on.
MORE = "…"

Leading = str | list[str] | None


def leading(step: Step, most: int = MOST) -> list[Leading]:
    """What tells the decimals of every entry, in order, for 0 to `most` digits after the point.

    Returns:
        Of each entry all digits, ``"0.4"``, where there are at most one more than `most`; else that
        many, cut off and not rounded, and ``…``. Where even these are not settled, a list of what
        `Step.shown_at` gives for 0, 1, 2 … digits, of which the last goes for all that follow.
        None for an entry with symbols.

    >>> import symattn as sa
    >>> leading(sa.article()["A"], 5)[3:5], leading(sa.article()["E"], 5)[2:4]
    (['0.355724…', '0.644275…'], ['0.2', '1'])
    """
    entries = step.entries()
    quick = _by_balls(step, most) if step.wants_decimals else [None] * len(entries)
    return [
        _of_entry(step, entry.index, most) if known is None else known
        for entry, known in zip(entries, quick, strict=True)
    ]


def _by_balls(step: Step, most: int) -> list[str | None]:
    """Those of every entry that one look at the enclosures settles, and that is no rational."""
    enclosures, form = step.derivation.enclosures, step.forms
    if step.derivation.radii or not enclosures.has_balls or isinstance(form, Scaled):
        return [None] * form.size
    balls = enclosures.at(START)[step.node].balls()
    with ctx.workprec(START):
        scale = arb(10) ** (most + 1)
        return [
            None
            if isinstance(f, Infinity) or f.rational() is not None
            else _of_ball(x, scale, most)
            for x, f in zip(balls, form.flat, strict=True)
        ]


def rounded(digits: Leading, k: int) -> str | None:
    """The decimal with k digits that leading digits tell, rounded half away from zero.

    >>> rounded("0.12499…", 2), rounded("0.125", 2), rounded("-0.004…", 2), rounded("9.996…", 2)
    ('0.12', '0.13', '0.00', '10.00')
    """
    if digits is None:
        return None
    if isinstance(digits, list):
        return digits[min(k, len(digits) - 1)]
    if digits.endswith("oo"):
        return digits
    whole, _, after = digits.removesuffix(MORE).lstrip("-").partition(".")
    after = after.ljust(k + 1, "0")
    units = int(whole + after[:k]) + (after[k] >= "5")
    return pointed(fmpz(-units if digits.startswith("-") else units), k)


def _of_ball(ball: Any, scale: arb, most: int) -> str | None:
    units = (abs(ball) * scale).floor().unique_fmpz()
    if units is None or ball.contains(0):
        return None
    return _written(-units if ball < 0 else units, ball < 0, most)


def _of_entry(step: Step, index: tuple[int, ...], most: int) -> Leading:
    form = step.forms[index]
    if isinstance(form, Infinity):
        return str(form)
    if form.has_symbols:
        return None
    derivation = step.derivation
    if not derivation.radii:
        known = form.rational()
        if known is not None:
            return _of_rational(fraction(known), most)
    bits = START
    while bits <= LIMIT:
        bounds = derivation.enclosures.bounds((step.node, index), bits)
        if bounds and (bounds[0] > 0 or bounds[1] < 0):
            low, high = (floor(abs(x) * 10 ** (most + 1)) for x in bounds)
            if low == high:
                return _written(fmpz(-low if bounds[1] < 0 else low), bounds[1] < 0, most)
        if derivation.radii:
            break
        if bits == START:
            tie = decide.rational_value(form)
            if tie is not None:
                return _of_rational(fraction(tie), most)
        bits *= 2
    return _one_by_one(step, index, most)


def _of_rational(value: Fraction, most: int) -> str:
    scaled = abs(value) * 10 ** (most + 1)
    units = scaled.numerator // scaled.denominator
    if scaled.denominator > 1:
        return _written(fmpz(-units if value < 0 else units), value < 0, most)
    text = pointed(fmpz(-units if value < 0 else units), most + 1)
    return text.rstrip("0").rstrip(".")


def _written(units: fmpz, negative: bool, most: int) -> str:
    """Digits that go on, with their sign even where all of them are 0."""
    text = pointed(abs(units), most + 1)
    return f"{'-' if negative else ''}{text}{MORE}"


def _one_by_one(step: Step, index: tuple[int, ...], most: int) -> list[str]:
    shown = _by_printed_inputs(step, index, most) if step.derivation.radii else []
    for k in range(len(shown), most + 1):
        shown.append(step.shown_at(index, k))
    while len(shown) > 1 and shown[-1] == shown[-2] and shown[-1].endswith("?"):
        shown.pop()
    return shown


def _by_printed_inputs(step: Step, index: tuple[int, ...], most: int) -> list[str]:
    """What inputs known to their printed digits leave certain: from one enclosure for all."""
    bounds = step.derivation.enclosures.bounds((step.node, index), 4 * START)
    if bounds is None:
        return []
    lengths = range(most + 1)
    return [certain(*bounds, k) for k in lengths]
