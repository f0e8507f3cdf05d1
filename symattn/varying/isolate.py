"""Where the largest score changes when it depends on an entry through a softmax: certified.

A range is cut into cells until in each one score is proven the largest, or two are left whose
difference is proven monotone and changes its sign: then there is exactly one root in it, which
the interval Newton method narrows down (Moore, Kearfott and Cloud, Introduction to Interval
Analysis, 2009, sections 6.3 and 8.1). What is neither at the smallest width is left open, and
said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any

from flint import arb, ctx, fmpq

from symattn import progress
from symattn.certify import ends
from symattn.errors import Undecided
from symattn.numbers.enclosure import START, to_fraction
from symattn.rounding import roughly
from symattn.varying.exact import Crossing
from symattn.varying.parameter import Ranking, Slopes
from symattn.varying.points import Point

#: Cells are not cut below the range's width times 2^-40, and no more than so many are looked at
#: where nothing else is said.
DEPTH, CELLS = 40, 1000

#: Open cells that are listed; more are joined.
OPEN = 8

#: Where a cell is cut. Not in the middle: what is tied there in examples made by hand would be
#: cut through.
CUT = Fraction(61, 128)

#: Bits up to which two scores are told apart at a point before they are compared exactly.
FINEST = 8 * START

#: Denominators up to which a root is tried as a rational number.
SIMPLE = 10_000


@dataclass(frozen=True)
class Cell:
    """A part of the line.

    Attributes:
        low, high: its ends.
        winners: the scores that are proven the largest in all of it, ends left out; several are
            tied. In an open cell those that may be.
        open: whether that is not settled.
        tie: a number in an open cell at which they are proven to tie.
    """

    low: Fraction
    high: Fraction
    winners: frozenset[int]
    open: bool = False
    tie: Fraction | None = None


class Isolation:
    """The largest score along a range of one entry.

    Args:
        ranking: with one parameter.
        cells: how many are looked at, at most.
    """

    def __init__(self, ranking: Ranking, low: Fraction, high: Fraction, cells: int = CELLS) -> None:
        self.ranking = ranking
        self.cells = cells
        self.low, self.high = low, high
        self._points: dict[tuple[Fraction, int], list[Any]] = {}
        self.looked = 0

    # Signs at points.

    def at(self, x: Fraction, bits: int = START) -> list[Any]:
        """Enclosures of the scores at a number."""
        if (x, bits) not in self._points:
            self._points[x, bits] = self.ranking.balls([_ball(x, bits)], bits)
        return self._points[x, bits]

    def sign(self, i: int, j: int, x: Fraction) -> int | None:
        """That of score i less score j at a number; None if it is not settled."""
        bits = START
        while bits <= FINEST:
            values = self.at(x, bits)
            if values[i] > values[j]:
                return 1
            if values[i] < values[j]:
                return -1
            if not (values[i].is_finite() and values[j].is_finite()):
                return None  # not defined there, or nearly so
            bits *= 2
        found = self.ranking.compared([x], i, j).verdict
        return {"equal": 0, "less": -1, "greater": 1}.get(found)

    # Cells.

    def run(self) -> tuple[list[Cell], list[Crossing]]:
        """Cells from left to right that cover the range, and the roots between them."""
        tried = [[self.low + (self.high - self.low) * Fraction(k, 101)] for k in (37, 71)]
        classes = self.ranking.classes(tried)
        self.first = list(classes)
        smallest = (self.high - self.low) / 2**DEPTH
        done: list[Cell] = []
        roots: list[Crossing] = []
        everything = Cell(self.low, self.high, frozenset(self.first), open=True)
        waiting = [(self.low - self.high, self.low, everything)]  # the widest first
        with progress.work("cell") as looked:
            while waiting:
                width, low, cell = heappop(waiting)
                looked.done += 1
                if self.looked >= self.cells:
                    done.append(cell)
                    continue
                high = cell.high
                found = self._settled(low, high)
                if isinstance(found, Cell) and found.open and -width > smallest:
                    middle = low + (high - low) * CUT
                    left, right = replace(found, high=middle), replace(found, low=middle)
                    heappush(waiting, (low - middle, low, left))
                    heappush(waiting, (middle - high, middle, right))
                    continue
                if isinstance(found, Cell) and found.open:
                    found = self._tied(found)
                if isinstance(found, Cell):
                    done.append(found)
                    continue
                roots.append(found)
                done += self._around(found, low, high)
        done.sort(key=lambda cell: cell.low)
        cells, more = self._fewer(*self._joined(done, roots))

        def whole(group: frozenset[int]) -> frozenset[int]:
            return frozenset().union(*(classes[i] for i in group))

        cells = [Cell(c.low, c.high, whole(c.winners), c.open, c.tie) for c in cells]
        crossings = [Crossing(x.at, whole(x.tied), whole(x.before), whole(x.after)) for x in more]
        return cells, crossings

    def _settled(self, low: Fraction, high: Fraction) -> Cell | Crossing:
        """What is proven in a cell: its winners, a single root, or neither."""
        self.looked += 1
        over = _hull(low, high, START)
        found = self.ranking.slopes([over], 0, START)
        best = max(self.first, key=lambda i: float(found.scores.middles[i].mid()))

        def below(i: int) -> bool:
            """Whether score i is less than the best in all of the cell."""
            value, middle, slope = found.difference(best, i)
            with ctx.workprec(START):
                return bool(value > 0 or middle + slope * (over - over.mid()) > 0)

        left = [i for i in self.first if i == best or not below(i)]
        if len(left) == 1:
            return Cell(low, high, frozenset(left))
        tilts = _tilts(found, left)
        unsettled = Cell(low, high, frozenset(left), open=True)
        if None in tilts.values():
            return unsettled
        first, last = (self._winners(left, tilts, x, side) for x, side in ((low, 1), (high, -1)))
        if first is None or last is None:
            return unsettled
        if first == last:
            return Cell(low, high, first)
        if len(left) > 2:
            return unsettled
        try:
            return self._root(low, high, first, last)
        except Undecided:
            return unsettled

    def _winners(
        self, left: Sequence[int], tilts: dict[tuple[int, int], Any], x: Fraction, side: int
    ) -> frozenset[int] | None:
        """The largest just beside an end of a cell in which all differences are monotone."""
        best = [left[0]]
        for i in left[1:]:
            sign = self.sign(i, best[0], x)
            if sign is None:
                return None
            sign = sign or side * tilts[i, best[0]]
            if sign >= 0:
                best = [i] if sign > 0 else [*best, i]
        return frozenset(best)

    def _root(
        self, low: Fraction, high: Fraction, first: frozenset[int], last: frozenset[int]
    ) -> Crossing:
        root = Root(self, low, high, min(first), min(last))
        at = Point(narrowed=root.narrowed)
        simple = _simplest(*_bounds(root.narrowed(START)))
        if simple.denominator <= SIMPLE and self.sign(root.i, root.j, simple) == 0:
            at = Point.of(simple)
        return Crossing(at, first | last, first, last)

    def _tied(self, cell: Cell) -> Cell | Crossing:
        """An open cell, with a simple number at which all that is left is proven to tie.

        Where all differences are monotone it is the only one, and so a root.
        """
        at = _simplest(cell.low, cell.high)
        left = sorted(cell.winners)
        if at.denominator > SIMPLE or at in (cell.low, cell.high):
            return cell
        if any(self.sign(i, left[0], at) != 0 for i in left[1:]):
            return cell
        found = self.ranking.slopes([_hull(cell.low, cell.high, START)], 0, START)
        tilts = _tilts(found, left)
        if None in tilts.values():
            return Cell(cell.low, cell.high, cell.winners, True, at)
        before, after = (self._winners(left, tilts, at, side) for side in (-1, 1))
        if before is None or after is None:
            return cell
        return Crossing(Point.of(at), cell.winners, before, after)

    def _around(self, found: Crossing, low: Fraction, high: Fraction) -> list[Cell]:
        """The two parts of a cell beside its root."""
        inner = _bounds(found.at.start)
        middle = (inner[0] + inner[1]) / 2
        return [Cell(low, middle, found.before), Cell(middle, high, found.after)]

    def _joined(
        self, cells: list[Cell], roots: list[Crossing]
    ) -> tuple[list[Cell], list[Crossing]]:
        """Neighbours with the same winners as one, and roots at which a cell was cut."""
        inside = [_bounds(x.at.start) for x in roots]
        joined = cells[:1]
        for cell in cells[1:]:
            last = joined[-1]
            if last.open == cell.open and (last.winners == cell.winners or last.open):
                both = last.winners | cell.winners
                tie = last.tie if cell.tie is None else cell.tie
                joined[-1] = Cell(last.low, cell.high, both, last.open, tie)
                continue
            known = any(a <= cell.low <= b for a, b in inside)
            if not (last.open or cell.open or known):
                tied = last.winners | cell.winners
                roots.append(Crossing(Point.of(cell.low), tied, last.winners, cell.winners))
            joined.append(cell)
        roots.sort(key=lambda x: _bounds(x.at.start)[0])
        return joined, roots

    def _fewer(self, cells: list[Cell], roots: list[Crossing]) -> tuple[list[Cell], list[Crossing]]:
        """No more open cells than people read: the nearest as one, with what is between them."""
        cells = list(cells)
        while len(places := [k for k, cell in enumerate(cells) if cell.open]) > OPEN:
            a, b = min(pairwise(places), key=lambda gap: cells[gap[1]].low - cells[gap[0]].high)
            inside = cells[a : b + 1]
            winners = frozenset().union(*(cell.winners for cell in inside))
            tie = next((cell.tie for cell in inside if cell.tie is not None), None)
            joined = Cell(cells[a].low, cells[b].high, winners, True, tie)
            roots = [x for x in roots if not joined.low < _bounds(x.at.start)[0] < joined.high]
            cells[a : b + 1] = [joined]
        return cells, roots


class Root:
    """The only root of the difference of two scores in a cell where it is monotone."""

    def __init__(self, isolation: Isolation, low: Fraction, high: Fraction, i: int, j: int) -> None:
        self.isolation = isolation
        self.low, self.high = low, high
        self.i, self.j = i, j

    def narrowed(self, bits: int) -> Any:
        """A ball around it, of a width below 2^-bits times the numbers' own size.

        Raises:
            Undecided: it is not reached.
        """
        working = 2 * bits
        ranking = self.isolation.ranking
        for _ in range(4 * bits):
            with ctx.workprec(working):
                size = max(abs(self.low), abs(self.high), Fraction(1, 2**bits))
                if (self.high - self.low) * 2**bits < size:
                    return _hull(self.low, self.high, working)
            middle = _short((self.low + self.high) / 2, self.high - self.low)
            over = _hull(self.low, self.high, working)
            slope = ranking.slopes([over], 0, working).difference(self.i, self.j)[2]
            values = ranking.balls([_ball(middle, working)], working)
            with ctx.workprec(working):
                value = values[self.i] - values[self.j]
                step = _ball(middle, working) - value / slope
            found = ends(step)
            low, high = self.low, self.high
            if found is not None:
                low, high = max(low, found[0]), min(high, found[1])
            if 2 * (high - low) > self.high - self.low:
                low, high = self._halved(low, high, middle)
            self.low, self.high = low, high
        raise Undecided(f"a root is not narrowed down to {bits} bits")

    def _halved(self, low: Fraction, high: Fraction, at: Fraction) -> tuple[Fraction, Fraction]:
        """The half in which the sign changes."""
        if not low < at < high:
            return low, high
        sign = self.isolation.sign(self.i, self.j, at)
        if sign is None:
            raise Undecided(f"the sign at {roughly(at)} is not settled")
        if sign == 0:
            return at, at
        return (at, high) if sign > 0 else (low, at)


def _short(x: Fraction, width: Fraction) -> Fraction:
    """A number near x of few digits: within an eighth of the width."""
    if not width:
        return x
    places = max(0, -((width.numerator.bit_length() - width.denominator.bit_length()) - 5))
    return Fraction(round(x * 2**places), 2**places)


def _ball(x: Fraction, bits: int) -> Any:
    with ctx.workprec(bits):
        return arb(fmpq(x.numerator, x.denominator))


def _hull(low: Fraction, high: Fraction, bits: int) -> Any:
    """A ball around all numbers from one to another."""
    with ctx.workprec(bits):
        return _ball(low, bits).union(_ball(high, bits))


def _bounds(ball: Any) -> tuple[Fraction, Fraction]:
    middle, radius = to_fraction(ball.mid()), to_fraction(ball.rad())
    return middle - radius, middle + radius


def _tilts(found: Slopes, left: Sequence[int]) -> dict[tuple[int, int], int | None]:
    """By two scores, how their difference moves over an interval."""
    return {(i, j): _tilt(found.difference(i, j)[2]) for i in left for j in left if i != j}


def _tilt(slope: Any) -> int | None:
    """1 where a difference grows, -1 where it falls, 0 where it stays; None if none is proven."""
    if slope > 0:
        return 1
    if slope < 0:
        return -1
    return 0 if slope.is_zero() else None


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The number of the smallest denominator from low to high (Stern and Brocot)."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -_simplest(-high, -low)
    whole = low.numerator // low.denominator
    if low == whole:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / _simplest(1 / (high - whole), 1 / (low - whole))
