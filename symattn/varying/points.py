"""Points on a line: exact numbers, and roots known to any precision that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import fmpq

from symattn import decide
from symattn.certify import decimal_of, ends
from symattn.errors import Undecided
from symattn.literals import Exact
from symattn.notation import Notation
from symattn.numbers.enclosure import START, enclose
from symattn.numbers.normal_form import Sum, constant, fraction, number
from symattn.numbers.texts import text_within
from symattn.rounding import between, surviving

#: Bits up to which a root is narrowed down for its decimals.
LIMIT = 4 * START


class Point:
    """A number where something happens: exact, or enclosed as narrowly as is wanted.

    Args:
        form: the exact number in normal form; None where no expression is known.
        narrowed: gives an enclosure of a width below 2^-bits.
    """

    def __init__(
        self, form: Sum | None = None, narrowed: Callable[[int], Any] | None = None
    ) -> None:
        self.form = form
        self._narrowed = narrowed

    @classmethod
    def of(cls, value: Fraction) -> Point:
        return cls(constant(fmpq(value.numerator, value.denominator)))

    @classmethod
    def of_exact(cls, value: Exact) -> Point:
        return cls(number(value))

    def ball(self, bits: int = START) -> Any:
        """An enclosure."""
        if self.form is not None:
            return enclose(self.form, bits)
        assert self._narrowed is not None  # one or the other
        return self._narrowed(bits)

    @cached_property
    def start(self) -> Any:
        """The first enclosure, which most comparisons are settled by."""
        return self.ball()

    @cached_property
    def rational(self) -> Fraction | None:
        """The number, if it is proven to be rational."""
        found = None if self.form is None else decide.rational_value(self.form)
        return None if found is None else fraction(found)

    def decimal(self, digits: int) -> str:
        """The certified decimal; "?" after the proven digits where some are not settled."""
        try:
            if self.form is not None:
                return decimal_of(self.form, digits)
        except Undecided as error:
            return f"{error.proven}?"
        bits = START
        while bits < 4 * digits:
            bits *= 2
        limit = max(LIMIT, bits)
        bounds = None
        while True:
            try:
                bounds = ends(self.ball(bits))
            except Undecided:
                bits = limit  # as narrow as it gets
            found = bounds and between(*bounds, digits)
            if found:
                return found
            if bits >= limit:
                return f"{surviving(*bounds, digits) if bounds else ''}?"
            bits *= 2

    def short(self, digits: int) -> str:
        """The decimal; an integer that is proven one without its zeros."""
        whole = self.rational is not None and self.rational.denominator == 1
        return str(self.rational) if whole else self.decimal(digits)

    def text(self, style: Notation = "text") -> str | None:
        """The exact expression; None where none is known, or it is longer than a few lines."""
        if self.form is None:
            return None
        rational = self.rational
        form = self.form if rational is None else Point.of(rational).form
        return text_within(form, style)

    def __repr__(self) -> str:
        return self.text() or self.decimal(6)


def order(x: Point, y: Point) -> int:
    """The sign of x - y.

    Raises:
        Undecided: it is not settled.
    """
    if x is y:
        return 0
    if x.start < y.start:
        return -1
    if x.start > y.start:
        return 1
    if x.form is None or y.form is None:
        raise Undecided("two roots are not told apart")
    return 0 if x.form == y.form else decide.order(x.form, y.form)
