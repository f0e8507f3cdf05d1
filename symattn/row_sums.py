"""Decimals of a row that add to 1, as the exact weights of a softmax do.

Rounded each to its nearest, 1/3, 1/3, 1/3 add to 0.99. By the largest remainder every weight
is first rounded down, and the units of the last place that are then missing go to the weights
with the largest remainders, one each; of equal remainders the first ones in the row get theirs.
No weight is off by a whole unit, and of all decimals that add to 1 these are the nearest.

Source: Hamilton's method for seats (1792), with Hare's quota; Balinski and Young, Fair
Representation (1982).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cmp_to_key
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from flint import fmpq, fmpz

from symattn.comparison import compare
from symattn.errors import Undecided
from symattn.literals import Infinity
from symattn.numbers.enclosure import START
from symattn.numbers.normal_form import ZERO, constant
from symattn.rounding import pointed

if TYPE_CHECKING:
    from symattn.steps import Step

Index = tuple[int, ...]


class _Weight(NamedTuple):
    """A weight, its certified nearest decimal in units, and bounds of what that leaves over."""

    place: Index
    units: int
    low: Fraction
    high: Fraction


def moved(step: Step, digits: int) -> dict[Index, str]:
    """The entries of a step whose decimals are not the nearest, where each row is to add to 1.

    Only a softmax has rows that are known to add to 1; any other step has no such entries. A
    row stays as it is rounded where it adds to 1 by itself, and where a rounding or the order
    of two remainders is undecided.

    >>> import symattn as sa
    >>> from symattn.functions import softmax
    >>> moved(sa.derive(softmax, x=[0, 0, 0])["return"], 2)
    {(0,): '0.34'}
    """
    node = step.derivation.graph.nodes[step.node]
    if node.op != "softmax" or step.given or step.has_symbols:
        return {}
    shown = step.shown(digits)
    out: dict[Index, str] = {}
    for row in np.ndindex(step.shape[:-1]):
        if all(text[-1].isdigit() for text in shown[row]):
            out |= _moved(step, row, [int(text.replace(".", "")) for text in shown[row]], digits)
    return out


def _moved(step: Step, row: Index, units: list[int], digits: int) -> dict[Index, str]:
    """The same for one row, of which each decimal is certified."""
    missing = 10**digits - sum(units)
    if not missing:
        return {}
    weights = _weights(step, row, units, digits)
    # Units that are missing go to the largest remainders of those rounded down; units too
    # many are taken from the smallest of those rounded up, the last in the row first.
    way = 1 if missing > 0 else -1

    def order(a: _Weight, b: _Weight) -> int:
        return way * (_order(step, a, b, digits) or (b.place > a.place) - (b.place < a.place))

    try:
        ordered = sorted(weights, key=cmp_to_key(order), reverse=True)
    except Undecided:
        return {}
    chosen = ordered[: abs(missing)]
    if len(chosen) < abs(missing):
        return {}  # a row of zeros, which is masked everywhere
    return {w.place: pointed(fmpz(w.units + way), digits) for w in sorted(chosen)}


def _weights(step: Step, row: Index, units: list[int], digits: int) -> list[_Weight]:
    """The weights of a row that are not 0."""
    out = []
    bits = max(START, 8 * digits)
    for j, n in enumerate(units):
        index = (*row, j)
        form = step.forms[index]
        if isinstance(form, Infinity) or not form.terms:
            continue
        bounds = step.derivation.enclosures.bounds((step.node, index), bits)
        low, high = (b * 10**digits - n for b in bounds or (Fraction(0), Fraction(10**digits)))
        out.append(_Weight(index, n, low, high))
    return out


def _order(step: Step, a: _Weight, b: _Weight, digits: int) -> int:
    """Which of two remainders is larger, proven: 1, -1, or 0 where they are equal.

    Raises:
        Undecided: neither is proven.
    """
    if a.low > b.high or b.low > a.high:
        return 1 if a.low > b.high else -1
    if step.derivation.radii and a.units != b.units:
        raise Undecided("the printed digits of the inputs leave the order open")
    apart = (
        step.forms[a.place] - step.forms[b.place] - constant(fmpq(a.units - b.units, 10**digits))
    )
    # Of two entries their scores are compared, which decides more.
    pair = (step[a.place], step[b.place]) if a.units == b.units else (apart, ZERO)
    found = compare(*pair)
    sign = {"greater": 1, "less": -1, "equal": 0}.get(found.verdict)
    if sign is None:
        raise Undecided(found.why)
    return sign
