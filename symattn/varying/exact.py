"""The upper envelope of polynomials of degree 1 and 2, exactly.

Differences of scores are polynomials in the entry that varies wherever it meets no softmax
and no quotient: their roots are -b/a, and (-b ± √(b² - 4ac))/2a. From the left end on, the
largest score is followed to the first root at which another one overtakes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import NamedTuple

from flint import fmpq

from symattn import decide
from symattn.numbers.enclosure import START, enclose
from symattn.numbers.normal_form import ZERO, Sum, inverse, referred, root
from symattn.varying.parameter import Ranking
from symattn.varying.points import Point, order

#: The highest degree whose roots are written down.
DEGREE = 2


class Crossing(NamedTuple):
    """A point at which scores are equal.

    Attributes:
        tied: the scores that are the largest there.
        before, after: those that are so just left and just right of it.
    """

    at: Point
    tied: frozenset[int]
    before: frozenset[int]
    after: frozenset[int]


class Pair(NamedTuple):
    """The sign of a difference of two scores along the line.

    Attributes:
        start: far to the left.
        roots: in order, each with how often it counts.
    """

    start: int
    roots: tuple[tuple[Point, int], ...]


def coefficients(ranking: Ranking) -> list[list[Sum]]:
    """By score, the coefficients of its powers, from the constant on.

    They are found from exact scores at 0, 1 and -1, which no symbol makes long.
    """
    zero = [referred(x) for x in ranking.forms([Fraction(0)])]
    one = [referred(x) for x in ranking.forms([Fraction(1)])]
    if ranking.degree < DEGREE:
        return [[a, b - a] for a, b in zip(zero, one, strict=True)]
    minus = [referred(x) for x in ranking.forms([Fraction(-1)])]
    half = fmpq(1, 2)
    return [
        [a, (b - c).scaled(half), (b + c).scaled(half) - a]
        for a, b, c in zip(zero, one, minus, strict=True)
    ]


class Envelope:
    """The largest of several polynomials.

    Args:
        polynomials: by score, coefficients from the constant on.
    """

    def __init__(self, polynomials: Sequence[Sequence[Sum]]) -> None:
        self.polynomials = polynomials
        self._pairs: dict[tuple[int, int], Pair] = {}

    @cached_property
    def classes(self) -> dict[int, frozenset[int]]:
        """Scores that are identical as functions, by the first of them."""
        balls = [[enclose(c, START) for c in p] for p in self.polynomials]
        found: dict[int, set[int]] = {}
        for i, p in enumerate(self.polynomials):
            for first, members in found.items():
                q = self.polynomials[first]
                near = all(a.overlaps(b) for a, b in zip(balls[i], balls[first], strict=True))
                if near and all(decide.order(a, b) == 0 for a, b in zip(p, q, strict=True)):
                    members.add(i)
                    break
            else:
                found[i] = {i}
        return {first: frozenset(members) for first, members in found.items()}

    def pair(self, i: int, j: int) -> Pair:
        """Score i less score j."""
        if i > j:
            start, roots = self.pair(j, i)
            return Pair(-start, roots)
        if (i, j) not in self._pairs:
            columns = zip(self.polynomials[i], self.polynomials[j], strict=True)
            self._pairs[i, j] = _signs([a - b for a, b in columns])
        return self._pairs[i, j]

    def sign(self, i: int, j: int, at: Point | None) -> int:
        """That of score i less score j just right of a point, or far to the left."""
        start, roots = self.pair(i, j)
        passed = sum(n for x, n in roots if at is not None and order(x, at) <= 0)
        return -start if passed % 2 else start

    def largest(self, among: Sequence[int], at: Point | None) -> int:
        """Which is the largest just right of a point, or far to the left."""
        best = among[0]
        for i in among[1:]:
            if self.sign(i, best, at) > 0:
                best = i
        return best

    def crossings(self, low: Point | None, high: Point | None) -> Iterator[Crossing]:
        """Every point at which the largest is tied, from left to right, the ends left out.

        Raises:
            Undecided: the order of two roots is not settled.
        """
        at, best = low, self.largest(list(self.classes), low)
        while True:
            nearest: Point | None = None
            tied: list[int] = []
            for j in self.classes:
                if j == best:
                    continue
                for x, _ in self.pair(best, j).roots:
                    if at is not None and order(x, at) <= 0:
                        continue
                    side = -1 if nearest is None else order(x, nearest)
                    if side < 0:
                        nearest, tied = x, [j]
                    elif side == 0:
                        tied.append(j)
                    break
            if nearest is None or (high is not None and order(nearest, high) >= 0):
                return
            after = self.largest([best, *tied], nearest)
            together = frozenset().union(*(self.classes[j] for j in (best, *tied)))
            yield Crossing(nearest, together, self.classes[best], self.classes[after])
            at, best = nearest, after


def _signs(polynomial: list[Sum]) -> Pair:
    coefficients = list(polynomial)
    while coefficients and not (leading := _sign(coefficients[-1])):
        coefficients.pop()
    if not coefficients:
        return Pair(0, ())
    degree = len(coefficients) - 1
    start = -leading if degree % 2 else leading
    coefficients = over_common(coefficients)
    if degree == 0:
        return Pair(start, ())
    if degree == 1:
        b, a = coefficients
        return Pair(start, ((Point(-b * inverse(a)), 1),))
    c, b, a = coefficients
    inside = b * b - (a * c).scaled(fmpq(4))
    over = inverse(a.scaled(fmpq(2)))
    sign = _sign(inside)
    if sign < 0:
        return Pair(start, ())
    if sign == 0:
        return Pair(start, ((Point(-b * over), 2),))
    width = root(inside, 2)
    roots = [Point((-b - width) * over), Point((-b + width) * over)]
    if _sign(a) < 0:
        roots.reverse()
    return Pair(start, tuple((x, 1) for x in roots))


def _sign(x: Sum) -> int:
    return decide.order(x, ZERO)


def over_common(xs: Sequence[Sum]) -> list[Sum]:
    """The same up to one factor: without what all terms are divided by, such as a row sum."""
    below = [{(k, n) for k, n in m[2] if n < 0} for x in xs for m in x.terms]
    shared = set.intersection(*below) if below else set()
    found = [Sum({(r, e, powers - shared): c for (r, e, powers), c in x.terms.items()}) for x in xs]
    leading = next((x for x in reversed(found) if x.terms), None)
    if leading is None:
        return found
    last = list(leading.terms.values())
    content = fmpq(gcd(*(int(c.p) for c in last)), lcm(*(int(c.q) for c in last)))
    factor = 1 / content if max(last, key=abs) > 0 else -1 / content
    return [x.scaled(factor) for x in found]
