"""Where the most likely token changes, as one or two entries of the inputs vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symattn.comparison import largest
from symattn.derivation import Derivation
from symattn.errors import LiteralError, OptionError, Undecided
from symattn.generation import last_row
from symattn.literals import exact
from symattn.notation import visible
from symattn.numbers.enclosure import START
from symattn.numbers.normal_form import number as form_of
from symattn.numbers.texts import text
from symattn.varying.exact import DEGREE, Crossing, Envelope, coefficients
from symattn.varying.isolate import CELLS, Cell, Isolation
from symattn.varying.parameter import Parameter, Ranking, parameter
from symattn.varying.points import Point
from symattn.varying.regions import Line, Region, lines, regions

#: Decimals of a threshold where nothing else is said.
DIGITS = 6

#: Decimals up to which the ends of an open row are told apart.
MOST_DIGITS = 100

#: How far an entry varies to both sides of 0 where it meets a softmax and no range is given;
#: further, to twice its own value, if that is larger.
REACH = 10


@dataclass(frozen=True)
class Row:
    """A part of the line.

    Attributes:
        low, high: its ends, which do not belong to it; None where it has none.
        winners: the tokens that are proven the most likely in all of it; several tie. Where it
            is open, those that may be.
        open: whether it is undecided.
        tie: a number in an open part at which they are proven to tie.
    """

    low: Point | None
    high: Point | None
    winners: tuple[str, ...]
    open: bool = False
    tie: Fraction | None = None

    def __str__(self) -> str:
        ends = [("from", self.low), ("to", self.high)]
        digits = self.digits(DIGITS)
        where = " ".join(f"{word} {x.short(digits)}" for word, x in ends if x is not None)
        words = " or ".join(self.winners) if self.open else " = ".join(self.winners)
        return visible(f"{where or 'everywhere'}: {'undecided, ' if self.open else ''}{words}")

    __repr__ = __str__

    def digits(self, wanted: int) -> int:
        """As many decimals as are wanted, or as tell the ends of an open row apart."""
        if self.open and self.low is not None and self.high is not None:
            while self.low.short(wanted) == self.high.short(wanted) and wanted < MOST_DIGITS:
                wanted += 1
        return wanted


@dataclass(frozen=True)
class Threshold:
    """A point at which tokens tie for the most likely.

    Attributes:
        at: the point: an exact expression where there is one, certified decimals always.
        tied: the tokens.
        before, after: the most likely ones on its two sides; the same where it is only touched.
    """

    at: Point
    tied: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class _Shown:
    """What both kinds of results have: they show themselves."""

    ranking: Ranking
    digits: int

    @property
    def words(self) -> list[str]:
        """The tokens, in the order of the vocabulary."""
        return self.ranking.words

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The entries that vary."""
        return self.ranking.parameters

    def value(self, which: int = 0) -> str:
        """What one of them is in the derivation, as it is written."""
        return text(form_of(self.parameters[which].value), "text")

    def __str__(self) -> str:
        from symattn.writers import variations

        return variations.text(self)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        from symattn.writers import variations

        return variations.shown(self)

    def json(self) -> dict[str, Any]:
        """Plain data."""
        from symattn.writers import variations

        return variations.data(self)

    def plot(self, axes: Any = None) -> Any:
        """Draw it with matplotlib.

        Args:
            axes: to draw on; those of a new figure if left out.

        Returns:
            The axes; ``axes.figure`` is shown in Jupyter and saves itself.

        Raises:
            OptionError: matplotlib is not installed.
        """
        from symattn.writers import plots

        return plots.plot(self, axes)


@dataclass(frozen=True, repr=False)
class Variation(_Shown):
    """The most likely token along the values of one entry.

    Attributes:
        low, high: the range, its ends left out; None where it has none.
        rows: from left to right, covering it.
        thresholds: every point of it at which tokens tie for the most likely, but in open rows.
        method: how they were found.
    """

    low: Fraction | None
    high: Fraction | None
    rows: tuple[Row, ...]
    thresholds: tuple[Threshold, ...]
    method: str

    def where(self, token: str) -> tuple[Row, ...]:
        """The rows in which a token is proven the most likely, alone or tied."""
        return tuple(row for row in self.rows if token in row.winners and not row.open)

    @property
    def open(self) -> tuple[Row, ...]:
        """The rows that are undecided."""
        return tuple(row for row in self.rows if row.open)


@dataclass(frozen=True, repr=False)
class Map(_Shown):
    """The most likely token over a rectangle of values of two entries.

    Attributes:
        x, y: the ranges of the first and of the second.
        cells: rectangles that cover it: each has one winner, proven in all of it, or is open.
        lines: the exact boundaries, where the scores are of degree 1.
    """

    x: tuple[Fraction, Fraction]
    y: tuple[Fraction, Fraction]
    cells: tuple[Region, ...]
    lines: tuple[Line, ...]


def vary(
    derivation: Derivation,
    *addresses: str,
    low: Any = None,
    high: Any = None,
    digits: int = DIGITS,
    cells: int = CELLS,
) -> Variation | Map:
    """Find where the most likely token changes as one entry varies, or map it over two.

    Args:
        derivation: whose result is the distribution of the next token, or of every position's,
            of which the last row counts. Without a softmax its largest entry is followed.
        addresses: one or two entries of inputs, ``"W_vocab[1,3]"``.
        low, high: the range, as exact rational numbers; for two entries a number for both or a
            pair. Left out, it is the whole line where the scores are polynomials of degree 1 or
            2 in the entry, and else from -10 to 10, or to twice the entry if that is more.
        digits: decimals of thresholds.
        cells: how many parts of a range are looked at, at most, where roots are isolated; what
            they do not settle is open.

    Returns:
        For one entry a `Variation`: exact roots where the scores are polynomials of degree 1 or
        2, otherwise certified ones. Every root of the range is in it or in a row that is open;
        none is invented. For two a `Map`.

    Raises:
        AddressError: no entry of an input.
        OptionError: an option or a mask; an empty range.
        LiteralError: a range that is not rational.
        ExactnessError: a derivation with symbols, or of inputs known to printed digits only.

    >>> import symattn as sa
    >>> found = vary(sa.article(), "W_vocab[0,3]")
    >>> found.thresholds[0].at, found.thresholds[0].tied
    (6/25 + 4*exp(6*sqrt(2)/25)/25 + exp(8*sqrt(2)/25)/5, ('chases', 'quickly'))
    >>> [row.winners for row in found.rows]
    [('chases',), ('quickly',)]
    """
    if len(addresses) not in (1, 2):
        raise OptionError(f"wanted one or two entries to vary, got {len(addresses)}")
    if not isinstance(digits, int) or not 0 <= digits <= 1000:
        raise OptionError(f"digits: wanted 0 to 1000 decimals, got {digits!r}")
    if not isinstance(cells, int) or cells < 1:
        raise OptionError(f"cells: wanted a number of at least 1, got {cells!r}")
    free = [parameter(derivation, address) for address in addresses]
    if len(set(free)) < len(free):
        raise OptionError(f"wanted two different entries, got {free[0].address} twice")
    ranking = Ranking(derivation, free)
    if len(free) == 2:
        x, y = (_side(_nth(low, k), _nth(high, k), p) for k, p in enumerate(free))
        found = regions(ranking, x, y)
        return Map(ranking, digits, x, y, tuple(found), tuple(lines(ranking, found)))
    return _along(ranking, _rational(low, "low"), _rational(high, "high"), digits, cells)


def _along(
    ranking: Ranking, low: Fraction | None, high: Fraction | None, digits: int, limit: int
) -> Variation:
    if low is not None and high is not None:
        _check_range(low, high)
    if ranking.degree == 0:
        return _constant(ranking, low, high, digits)
    if ranking.degree <= DEGREE:
        try:
            return _exactly(ranking, low, high, digits)
        except Undecided:
            pass  # an order that balls alone may settle
    low, high = _side(low, high, ranking.parameters[0])
    cells, crossings = Isolation(ranking, low, high, limit).run()
    rows = _rows(ranking, Point.of(low), Point.of(high), cells, crossings)
    method = "certified root isolation"
    return Variation(ranking, digits, low, high, rows, _thresholds(ranking, crossings), method)


def _constant(
    ranking: Ranking, low: Fraction | None, high: Fraction | None, digits: int
) -> Variation:
    """Nothing that is ranked depends on the entry."""
    winners = largest(last_row(ranking.derivation))
    words = tuple(ranking.words[ranking.indices.index(w.index)] for w in winners)
    row = Row(_point(low), _point(high), words)
    return Variation(ranking, digits, low, high, (row,), (), "nothing depends on it")


def _exactly(
    ranking: Ranking, low: Fraction | None, high: Fraction | None, digits: int
) -> Variation:
    envelope = Envelope(coefficients(ranking))
    left, right = _point(low), _point(high)
    found = list(envelope.crossings(left, right))
    first = envelope.classes[envelope.largest(list(envelope.classes), left)]
    rows, at, winners = [], left, first
    for crossing in found:
        if crossing.after != winners:
            rows.append(Row(at, crossing.at, _words(ranking, winners)))
            at, winners = crossing.at, crossing.after
    rows.append(Row(at, right, _words(ranking, winners)))
    method = f"exact roots of polynomials of degree {int(ranking.degree)}"
    thresholds = _thresholds(ranking, found)
    return Variation(ranking, digits, low, high, tuple(rows), thresholds, method)


def _rows(
    ranking: Ranking,
    low: Point,
    high: Point,
    cells: Sequence[Cell],
    crossings: Sequence[Crossing],
) -> tuple[Row, ...]:
    """Cells as rows; where two that are settled meet, their root is the end of both."""
    changes = iter([x.at for x in crossings if x.before != x.after])
    rows, at = [], low
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        if after is None:
            end = high
        elif cell.open or after.open:
            end = Point.of(cell.high)
        else:
            end = next(changes)
        rows.append(Row(at, end, _words(ranking, cell.winners), cell.open, cell.tie))
        at = end
    return tuple(rows)


def _thresholds(ranking: Ranking, crossings: Sequence[Crossing]) -> tuple[Threshold, ...]:
    return tuple(
        Threshold(x.at, *(_words(ranking, group) for group in (x.tied, x.before, x.after)))
        for x in crossings
    )


def _words(ranking: Ranking, group: frozenset[int]) -> tuple[str, ...]:
    return tuple(ranking.words[i] for i in sorted(group))


def _point(x: Fraction | None) -> Point | None:
    return None if x is None else Point.of(x)


def _nth(value: Any, k: int) -> Any:
    if isinstance(value, tuple | list):
        if len(value) != 2:
            raise OptionError(f"wanted one end for both entries or two, got {len(value)}")
        return value[k]
    return value


def _rational(value: Any, name: str) -> Fraction | None:
    if value is None:
        return None
    found = exact(value)
    if not isinstance(found, Fraction):
        raise LiteralError(f"{name}: wanted a rational number such as 1/2, got {value!r}")
    return found


def _check_range(low: Fraction, high: Fraction) -> None:
    if low >= high:
        raise OptionError(f"wanted a range from low to high, got from {low} to {high}")


def _side(low: Any, high: Any, parameter: Parameter) -> tuple[Fraction, Fraction]:
    """A range, with the ends that are left out."""
    found = Point.of_exact(parameter.value).ball(START)
    size = abs(found).upper().ceil().unique_fmpz()
    reach = Fraction(max(REACH, 2 * int(size)))
    bottom, top = _rational(low, "low"), _rational(high, "high")
    bottom = -reach if bottom is None else bottom
    top = reach if top is None else top
    _check_range(bottom, top)
    return bottom, top
