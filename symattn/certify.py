"""Enclosures of a derivation's entries, and decimals that they prove.

The graph is run over balls at rising precision. A decimal is returned only when
every number of the enclosure rounds to it; an exact tie is proven by the normal
form, never guessed. What still straddles a rounding boundary at the limit is
`Undecided`, with the digits that are proven.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpz

from symattn import decide
from symattn.errors import ExactnessError, Undecided
from symattn.graph import Run
from symattn.literals import Infinity, exact
from symattn.numbers import compact
from symattn.numbers.ball import Ball, Balls
from symattn.numbers.enclosure import LIMIT, START, TINY, binary_exponent, enclose, to_fraction
from symattn.numbers.grid import flat_index
from symattn.numbers.held import has_symbols
from symattn.numbers.normal_form import Sum, constant, fraction, symbols_of
from symattn.numbers.scaled import Scaled
from symattn.rounding import Decimals, Figures, Rule, pointed
from symattn.symbols import listed

if TYPE_CHECKING:
    from symattn.derivation import Derivation

Place = tuple[int, tuple[int, ...]]


class Enclosures:
    """The balls of one derivation, by precision.

    What the compact system holds as integers over a denominator goes in exactly, and
    the balls are computed from there on.
    """

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self._runs: dict[int, Run] = {}
        self._roundings: dict[tuple[int, Rule], list[str | None]] = {}
        forms = (derivation.forms[node] for node in derivation.graph.inputs.values())
        self._symbolic = any(map(has_symbols, forms))

    @property
    def has_balls(self) -> bool:
        """Whether the graph has values as balls: not with symbols among its inputs."""
        return not self._symbolic

    def at(self, bits: int) -> Run:
        """The values of the nodes as balls, at a precision."""
        if bits not in self._runs:
            known: dict[int, Callable[[], Any]] = {}
            if not self.derivation.radii:
                known = {
                    node: partial(_balls, form, bits)
                    for node, form in enumerate(self.derivation.forms)
                    if isinstance(form, Scaled)
                }
            self._runs[bits] = self.derivation.running(Ball(bits), known=known)
        return self._runs[bits]

    def ball(self, place: Place, bits: int = START) -> Any:
        """The enclosure of an entry: an `arb`, or an infinity.

        It comes from the graph over balls, which from the first softmax on is another way
        than the normal form's. A graph with symbols has no balls, and a root of a hidden
        zero none that is finite: there the normal form is enclosed.
        """
        node, index = place
        form = self.derivation.forms[node][index]
        if isinstance(form, Infinity):
            return form
        if self._symbolic and not self.derivation.radii:
            return enclose(form, bits)
        found = self.at(bits)[node][index]
        if not found.is_finite() and not self.derivation.radii:
            return enclose(form, bits)
        return found

    def bounds(self, place: Place, bits: int = START) -> tuple[Fraction, Fraction] | None:
        """Exact lower and upper bound of an entry; None where it is not bounded yet."""
        return ends(self.ball(place, bits))

    def decimal(self, place: Place, digits: int) -> str:
        """A certified decimal.

        Raises:
            Undecided: the rounding is not settled at 32,768 bits, or not by inputs that
                are known only to their printed digits. `Undecided.proven` has the digits
                that are.
            ExactnessError: the entry contains symbols.
        """
        return self.rounded(place, Decimals(digits))

    def rounded(self, place: Place, rule: Rule) -> str:
        """A certified decimal by either rule; raises as `decimal` does."""
        node, index = place
        form = self.derivation.forms[node][index]
        if isinstance(form, Infinity):
            return str(form)
        if (node, rule) in self._roundings:  # where all were asked for
            shape = self.derivation.forms[node].shape
            found = self._roundings[node, rule][flat_index(index, shape)]
            if found is not None:
                return found
        if self.derivation.radii:
            known = "the printed digits of the inputs"
            return _certified(lambda bits: self.ball(place, bits), None, rule, 4 * START, known)
        return _certified(lambda bits: self.ball(place, bits), form, rule)

    def decimals(self, node: int, digits: int) -> list[str | None]:
        """The certified decimal of every entry in order; None where one is not easily had.

        Those are asked for one by one, see `decimal`.
        """
        return self.all_rounded(node, Decimals(digits))

    def all_rounded(self, node: int, rule: Rule) -> list[str | None]:
        """The same by either rule."""
        key = (node, rule)
        if key not in self._roundings:
            self._roundings[key] = self._all_rounded(node, rule)
        return self._roundings[key]

    def _all_rounded(self, node: int, rule: Rule) -> list[str | None]:
        form = self.derivation.forms[node]
        if isinstance(form, Scaled) and form.radicand == 1 and not self.derivation.radii:
            return _rational_decimals(form, rule)
        if self._symbolic:
            return [None] * form.size
        bits = _bits_for(rule.digits)
        balls = self.at(bits)[node].balls()
        with ctx.workprec(bits):
            return [None if isinstance(x, Infinity) else rule.of_ball(x) for x in balls]

    def is_zero(self, place: Place) -> bool | None:
        """Whether an entry is exactly zero; None where that is not settled."""
        node, index = place
        form = self.derivation.forms[node][index]
        if isinstance(form, Infinity):
            return False
        known = form.rational()
        if known is not None and not self.derivation.radii:
            return not known
        ball = self.ball(place)
        if not ball.contains(0):
            return False
        if self.derivation.radii:
            return True if ball.is_zero() else None
        return {"zero": True, "nonzero": False}.get(decide.is_zero(form).verdict)

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


def _balls(form: Scaled, bits: int) -> Balls:
    """A matrix of integers over a denominator, times a square root, as balls."""
    with ctx.workprec(bits):
        factor = arb(form.radicand).sqrt() / arb(form.denominator)
        return Balls(arb_mat(form.grid.matrix) * factor, form.shape, form.marks)


def _rational_decimals(form: Scaled, rule: Rule) -> list[str | None]:
    """Rationals over one denominator, rounded half away from zero."""
    whole = form.denominator
    if isinstance(rule, Figures):
        entries = form.grid.matrix.entries()
        out: list[str | None] = [rule.of(Fraction(int(n), int(whole))) for n in entries]
    else:
        doubled = form.grid.matrix * (2 * fmpz(10) ** rule.digits)
        units = [(abs(n) + whole) // (2 * whole) * (-1 if n < 0 else 1) for n in doubled.entries()]
        out = [pointed(u, rule.digits) for u in units]
    if form.marks is not None:
        for i in np.flatnonzero(form.marks).tolist():
            out[i] = None
    return out


def ends(ball: Any) -> tuple[Fraction, Fraction] | None:
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
    return rounded(value, Decimals(digits))


def rounded(value: Any, rule: Rule) -> str:
    """The same by either rule.

    >>> rounded("exp(-20)", Figures(4))
    '2.061e-9'
    """
    form = value if isinstance(value, Sum) else compact.number(exact(value))
    if isinstance(form, Infinity):
        return str(form)
    check_number(form)
    return _certified(lambda bits: enclose(form, bits), form, rule)


def check_number(form: Sum) -> None:
    """Refuse symbols, by their names.

    Raises:
        ExactnessError: there are any.
    """
    if form.has_symbols:
        found = listed(tuple(sorted(symbols_of(form))))
        raise ExactnessError(f"wanted a number, got one that contains symbols ({found})")


def bounds_of(value: Any, bits: int = START) -> tuple[Fraction, Fraction] | None:
    """Exact lower and upper bound of a number alone; None where it is not bounded yet."""
    form = compact.number(exact(value))
    return None if isinstance(form, Infinity) else ends(enclose(form, bits))


def _bits_for(digits: int) -> int:
    bits = START
    while bits < 4 * digits:
        bits *= 2
    return bits


def _certified(
    ball_at: Callable[[int], Any],
    form: Sum | None,
    rule: Rule,
    limit: int = LIMIT,
    known: str = "",
) -> str:
    """Raise precision until all of an enclosure rounds alike.

    Args:
        ball_at: the enclosure at a precision.
        form: the normal form, asked whether it is an exact tie where the enclosure
            straddles; None where the number is not known exactly.
    """
    rational = form.rational() if form is not None else None
    if rational is not None:
        return rule.of(fraction(rational))
    bits = _bits_for(rule.digits)
    first, limit = bits, max(limit, bits)
    while True:
        ball = ball_at(bits)
        if isinstance(rule, Figures) and ball.is_finite():
            with ctx.workprec(bits):  # numbers that are too small for a fraction, too
                seen = rule.of_ball(ball)
            if seen:
                return seen
        bounds = ends(ball)
        found = bounds and rule.between(*bounds)
        if found:
            return found
        if form is not None and bounds and bits == first:
            tie = rule.tie(*bounds)
            candidate = constant(fmpq(tie.numerator, tie.denominator))
            if bounds[0] <= tie <= bounds[1] and decide.is_zero(form - candidate).verdict == "zero":
                return rule.of(tie)
        if bits >= limit:
            proven = rule.surviving(*bounds) if bounds else ""
            by = known or f"{bits} bits"
            raise Undecided(f"rounding to {rule.said} is not settled by {by}", proven)
        bits *= 2
