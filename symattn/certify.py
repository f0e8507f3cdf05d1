"""Enclosures of a derivation's entries, and decimals that they prove.

The graph is run over balls at rising precision. A decimal is returned only when
every number of the enclosure rounds to it; an exact tie is proven by the normal
form, never guessed. What still straddles a rounding boundary at the limit is
`Undecided`, with the digits that are proven.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any

from flint import fmpq

from symattn import decide
from symattn.errors import ExactnessError, Undecided
from symattn.literals import Infinity, exact
from symattn.numbers import compact
from symattn.numbers.ball import Ball
from symattn.numbers.enclosure import LIMIT, START, TINY, binary_exponent, enclose, to_fraction
from symattn.numbers.normal_form import Sum, constant, fraction
from symattn.rounding import between, fixed, surviving

if TYPE_CHECKING:
    from symattn.derivation import Derivation

Place = tuple[int, tuple[int, ...]]


class Enclosures:
    """The balls of one derivation, by precision."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self._runs: dict[int, list[Any]] = {}
        forms = (
            f for node in derivation.graph.inputs.values() for f in derivation.forms[node].flat
        )
        self._symbolic = any(not isinstance(f, Infinity) and f.has_symbols for f in forms)

    def at(self, bits: int) -> list[Any]:
        """The value of every node as balls, at a precision."""
        if bits not in self._runs:
            radii = {id(self.derivation.inputs[k]): r for k, r in self.derivation.radii.items()}
            self._runs[bits] = self.derivation.run(Ball(bits, radii))
        return self._runs[bits]

    def ball(self, place: Place, bits: int = START) -> Any:
        """The enclosure of an entry: an `arb`, or an infinity.

        It comes from the graph over balls, which is another way than the normal form's. A
        graph with symbols has no balls, and a root of a hidden zero none that is finite:
        there the normal form is enclosed.
        """
        node, index = place
        form = self.derivation.forms[node][index]
        if isinstance(form, Infinity):
            return form
        if self._symbolic:
            return enclose(form, bits)
        found = self.at(bits)[node][index]
        if not found.is_finite() and not self.derivation.radii:
            return enclose(form, bits)
        return found

    def bounds(self, place: Place, bits: int = START) -> tuple[Fraction, Fraction] | None:
        """Exact lower and upper bound of an entry; None where it is not bounded yet."""
        return _bounds(self.ball(place, bits))

    def decimal(self, place: Place, digits: int) -> str:
        """A certified decimal.

        Raises:
            Undecided: the rounding is not settled at 32,768 bits, or not by inputs that
                are known only to their printed digits. `Undecided.proven` has the digits
                that are.
            ExactnessError: the entry contains symbols.
        """
        node, index = place
        form = self.derivation.forms[node][index]
        if isinstance(form, Infinity):
            return str(form)
        if self.derivation.radii:
            known = "the printed digits of the inputs"
            return _certified(lambda bits: self.bounds(place, bits), None, digits, 4 * START, known)
        return _certified(lambda bits: self.bounds(place, bits), form, digits)

    def approximation(self, place: Place, relative: int = 40) -> tuple[Fraction, Fraction, int]:
        """A midpoint and radius whose radius is below 10^-relative of it, and the bits it took.

        Below 2^-10000 the radius is as large as the number: no float is that small.

        Raises:
            Undecided: not reached at 32,768 bits (a number that may be zero).
        """
        node, index = place
        form = self.derivation.forms[node][index]
        known = form.rational()
        if known is not None and not self.derivation.radii:
            return fraction(known), Fraction(0), 0
        bits = START
        while True:
            bounds = self.bounds(place, bits)
            if bounds:
                middle, radius = (bounds[0] + bounds[1]) / 2, (bounds[1] - bounds[0]) / 2
                tiny = max(map(abs, bounds)) <= Fraction(1, 2**TINY)
                if radius * 10**relative <= abs(middle) or tiny or self.derivation.radii:
                    return middle, radius, bits
            if bits == START:
                tie = decide.rational_value(form)
                if tie is not None:
                    return fraction(tie), Fraction(0), bits
            if bits >= LIMIT:
                raise Undecided(f"{relative} digits are not settled at {bits} bits")
            bits *= 2


def _bounds(ball: Any) -> tuple[Fraction, Fraction] | None:
    """Exact bounds; `lower` and `upper` would round to the precision of the moment."""
    if not ball.is_finite():
        return None
    if binary_exponent(ball.abs_upper().mid()) < -TINY:
        edge = Fraction(1, 2**TINY)
        return (Fraction(0) if ball > 0 else -edge), (Fraction(0) if ball < 0 else edge)
    middle, radius = to_fraction(ball.mid()), to_fraction(ball.rad())
    return middle - radius, middle + radius


def decimal_of(value: Any, digits: int) -> str:
    """The certified decimal of a number alone: text, a SymPy expression, an `Exact`.

    Raises:
        Undecided: the rounding is not settled at 32,768 bits.

    >>> decimal_of("sqrt(2)", 30)
    '1.414213562373095048801688724210'
    """
    form = value if isinstance(value, Sum) else compact.number(exact(value))
    if isinstance(form, Infinity):
        return str(form)
    if form.has_symbols:
        raise ExactnessError(f"wanted a number, got {form}, which contains symbols")
    return _certified(lambda bits: _bounds(enclose(form, bits)), form, digits)


def _certified(
    bounds_at: Callable[[int], tuple[Fraction, Fraction] | None],
    form: Sum | None,
    digits: int,
    limit: int = LIMIT,
    known: str = "",
) -> str:
    """Raise precision until all of an enclosure rounds alike.

    Args:
        bounds_at: the enclosure at a precision; None where it is not bounded.
        form: the normal form, asked whether it is an exact tie where the enclosure
            straddles; None where the number is not known exactly.
    """
    exact = form.rational() if form is not None else None
    if exact is not None:
        return fixed(fraction(exact), digits)
    bits = START
    while bits < 4 * digits:
        bits *= 2
    first, limit = bits, max(limit, bits)
    while True:
        bounds = bounds_at(bits)
        found = bounds and between(*bounds, digits)
        if found:
            return found
        if form is not None and bounds and bits == first:
            tie = (
                Fraction(floor((bounds[0] + bounds[1]) / 2 * 10**digits)) + Fraction(1, 2)
            ) / 10**digits
            candidate = constant(fmpq(tie.numerator, tie.denominator))
            if bounds[0] <= tie <= bounds[1] and decide.is_zero(form - candidate).verdict == "zero":
                return fixed(tie, digits)
        if bits >= limit:
            proven = surviving(*bounds, digits) if bounds else ""
            by = known or f"{bits} bits"
            raise Undecided(f"rounding to {digits} decimals is not settled by {by}", proven)
        bits *= 2
