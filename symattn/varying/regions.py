"""Which score is the largest as two entries vary: a map, every cell of it proven or said open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb, ctx, fmpq

from symattn import decide, progress
from symattn.numbers.enclosure import START
from symattn.numbers.normal_form import ZERO, Sum, inverse, referred
from symattn.varying.exact import over_common
from symattn.varying.parameter import Ranking
from symattn.varying.points import Point

#: Cells to begin with, across and up, and how often each may be cut in four.
ACROSS, UP, DEPTH = 6, 3, 3


@dataclass(frozen=True)
class Region:
    """A cell of the map.

    Attributes:
        x, y: its sides: from, to.
        winners: the score that is proven the largest in all of it, with those identical to it;
            where it is not settled, all of which one is the largest at each of its points.
        settled: whether that is proven.
        mixed: whether different ones are proven at two of its points.
        depth: how often it was cut.
    """

    x: tuple[Fraction, Fraction]
    y: tuple[Fraction, Fraction]
    winners: frozenset[int]
    settled: bool = False
    mixed: bool = False
    depth: int = 0


@dataclass(frozen=True)
class Line:
    """Where two scores are equal, if both are of degree 1: y = offset + tilt·x, or x = offset.

    Attributes:
        pair: the scores.
        offset, tilt: exact; no tilt where x alone decides.
    """

    pair: tuple[int, int]
    offset: Point
    tilt: Point | None


def regions(
    ranking: Ranking, x: tuple[Fraction, Fraction], y: tuple[Fraction, Fraction]
) -> list[Region]:
    """Cells that cover a rectangle, cut where more than one score may be the largest."""
    tried = [[low + (high - low) * Fraction(k, 101) for low, high in (x, y)] for k in (37, 71)]
    classes = ranking.classes(tried)
    everything = frozenset(classes)
    waiting = [
        Region(across, up, everything) for across in _parts(x, ACROSS) for up in _parts(y, UP)
    ]
    done: list[Region] = []
    with progress.work("cell") as looked:
        while waiting:
            cell = waiting.pop()
            looked.done += 1
            found = frozenset(_largest(ranking, cell))
            cell = replace(cell, winners=found, settled=len(found) == 1)
            if not cell.settled and cell.depth < DEPTH:
                waiting += [
                    replace(cell, x=a, y=b, depth=cell.depth + 1)
                    for a in _parts(cell.x, 2)
                    for b in _parts(cell.y, 2)
                ]
                continue
            mixed = not cell.settled and _is_mixed(ranking, cell)
            whole = frozenset().union(*(classes[i] for i in found))
            done.append(replace(cell, winners=whole, mixed=mixed))
    return done


def _parts(side: tuple[Fraction, Fraction], n: int) -> list[tuple[Fraction, Fraction]]:
    low, high = side
    edges = [low + (high - low) * Fraction(k, n) for k in range(n + 1)]
    return list(pairwise(edges))


def _largest(ranking: Ranking, cell: Region) -> list[int]:
    """The scores that may be the largest somewhere in a cell: one, if that is proven."""
    with ctx.workprec(START):
        sides = [_ball(a).union(_ball(b)) for a, b in (cell.x, cell.y)]
        middles = [side.mid() for side in sides]
    centre = ranking.balls(middles, START)
    across, up = (ranking.slopes(sides, k, START) for k in range(2))
    among = sorted(cell.winners)
    best = max(among, key=lambda i: float(centre[i].mid()))

    def is_below(i: int) -> bool:
        first, second = across.difference(best, i), up.difference(best, i)
        with ctx.workprec(START):
            away = [side - middle for side, middle in zip(sides, middles, strict=True)]
            change = first[2] * away[0] + second[2] * away[1]
            mean = centre[best] - centre[i] + change
            return bool(first[0] > 0 or second[0] > 0 or mean > 0)

    return [i for i in among if i == best or not is_below(i)]


def _is_mixed(ranking: Ranking, cell: Region) -> bool:
    """Whether two of its corners have different scores that are proven the largest."""
    found = {
        largest
        for a in cell.x
        for b in cell.y
        if (largest := _at(ranking, [_ball(a), _ball(b)], cell.winners)) is not None
    }
    return len(found) > 1


def _at(ranking: Ranking, values: Sequence[Any], among: frozenset[int]) -> int | None:
    scores = ranking.balls(values, START)
    best = max(among, key=lambda i: float(scores[i].mid()))
    return best if all(scores[best] > scores[i] for i in among if i != best) else None


def _ball(x: Fraction) -> Any:
    return arb(fmpq(x.numerator, x.denominator))


def lines(ranking: Ranking, cells: Sequence[Region]) -> list[Line]:
    """The exact boundaries between scores that meet in the map, where all are of degree 1."""
    if ranking.degree > 1:
        return []
    wins = {min(cell.winners) for cell in cells if cell.settled}
    pairs = sorted(
        {
            (i, j)
            for cell in cells
            if not cell.settled
            for i in cell.winners & wins
            for j in cell.winners & wins
            if i < j
        }
    )
    corners = [(0, 0), (1, 0), (0, 1)]
    forms = [[referred(f) for f in ranking.forms(list(map(Fraction, at)))] for at in corners]
    found = []
    for i, j in pairs:
        c, x, y = (f[i] - f[j] for f in forms)
        line = _line(c, x - c, y - c)
        if line is not None:
            found.append(Line((i, j), *line))
    return found


def _line(c: Sum, a: Sum, b: Sum) -> tuple[Point, Point | None] | None:
    """The points where c + a x + b y is 0."""
    c, a, b = over_common([c, a, b])
    if decide.order(b, ZERO):
        return Point(-c * inverse(b)), Point(-a * inverse(b))
    return (Point(-c * inverse(a)), None) if decide.order(a, ZERO) else None
