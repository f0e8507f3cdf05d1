"""Matrices of rationals times one square root, as integers over one denominator.

`Scaled` is √r · N / D: the scale of the scores stays beside an integer matrix, and
flint multiplies integers. Its operations return None where the result has no such
form; the entries are then taken one by one.
"""

from __future__ import annotations

from math import gcd
from typing import Any

import numpy as np
from flint import fmpq, fmpz, fmpz_mat

from symattn.graph import Array
from symattn.literals import NEGATIVE_INFINITY
from symattn.numbers import grid
from symattn.numbers.given import Given, sides
from symattn.numbers.grid import Grid
from symattn.numbers.held import Held
from symattn.numbers.normal_form import NO_POWERS, ZERO, Sum


class Scaled(Held):
    """√radicand · grid / denominator; -oo where the grid has a mark."""

    __slots__ = ("_integers", "denominator", "grid", "radicand", "scores")

    def __init__(
        self, held: Grid, denominator: Any, radicand: int = 1, source: Held | None = None
    ) -> None:
        super().__init__(held.shape, source)
        self.grid = held
        self.denominator = denominator
        self.radicand = radicand
        self._integers: list[int] | None = None
        #: What softmax made of them as scores, kept for all who ask; see `mixture`.
        self.scores: Any = None

    @classmethod
    def of(cls, given: Given) -> Scaled | None:
        """What was given, if it is rational."""
        found = given.integers
        if found is None:
            return None
        made = cls(Grid(found.matrix, given.shape, found.marks), found.denominator)
        made._integers = found.numerators
        return made

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> Scaled:
        """Nothing but 0."""
        return cls(Grid(fmpz_mat(*sides(shape)), shape), fmpz(1))

    @classmethod
    def gathered(cls, x: Array) -> Scaled | None:
        """Entries one by one, if they are rationals times one and the same square root."""
        if not x.size:
            return None
        root, values, signs = 0, [], []
        for entry in x.reshape(-1).tolist():
            found = (1, _ZERO) if entry == NEGATIVE_INFINITY else coefficient(entry)
            if found is None or (found[1] and root not in (0, found[0])):
                return None
            root = found[0] if found[1] else root
            values.append(found[1])
            signs.append(-1 if entry == NEGATIVE_INFINITY else 0)
        whole = fmpz(1)
        for q in {int(c.q) for c in values}:
            whole = whole.lcm(q)
        numerators = [c.p * (whole // c.q) for c in values]
        marks = np.array(signs, np.int8).reshape(x.shape) if any(signs) else None
        held = Grid(fmpz_mat(*sides(x.shape), numerators), x.shape, marks)
        return cls(held, whole, root or 1)

    @property
    def marks(self) -> Array | None:
        return self.grid.marks

    def integers(self) -> list[int]:
        """Its numerators in order, as Python's integers."""
        if self._integers is None:
            self._integers = list(map(int, self.grid.matrix.entries()))
        return self._integers

    def number(self, numerator: Any) -> Sum:
        """An entry, from its numerator."""
        if not numerator:
            return ZERO
        return Sum({(self.radicand, None, NO_POWERS): fmpq(numerator, self.denominator)})

    def entry(self, index: tuple[int, ...]) -> Any:
        if self.marks is not None and self.marks[index]:
            return NEGATIVE_INFINITY
        return self.number(self.grid.matrix[self.grid.place(index)])

    def made(self) -> Array:
        out = grid.object_array(list(map(self.number, self.grid.matrix.entries())), (self.size,))
        if self.marks is not None:
            out[self.marks.reshape(-1) < 0] = NEGATIVE_INFINITY
        return out.reshape(self.shape)

    # Operations.

    def gather(self, index: Array) -> Scaled:
        return Scaled(Grid(*self.grid.taken(index)), self.denominator, self.radicand, source=self)

    def padded(self, before: int, width: int) -> Scaled:
        """Columns of 0 to its left and right: `before`, and up to a width."""
        columns = self.shape[-1]
        here = fmpz_mat(columns, width)
        for j in range(columns):
            here[j, before + j] = 1
        held = Grid(self.grid.matrix * here, (*self.shape[:-1], width))
        return Scaled(held, self.denominator, self.radicand)

    def negated(self) -> Scaled | None:
        return self.times(1, fmpq(-1))

    def times(self, radicand: int, c: fmpq) -> Scaled | None:
        """Every entry times c·√radicand."""
        if self.marks is not None:
            return None
        common = gcd(self.radicand, radicand)
        held = Grid(self.grid.matrix * (c.p * common), self.shape)
        return Scaled(held, self.denominator * c.q, self.radicand * radicand // common**2)

    def plus(self, other: Scaled, sign: int = 1) -> Scaled | None:
        """The sum or difference, broadcast; of equal square roots only."""
        if sign < 0 and other.marks is not None:
            return None
        if self.radicand != other.radicand:
            if other.grid.matrix.is_zero():
                other = Scaled(other.grid, other.denominator, self.radicand)
            elif self.grid.matrix.is_zero():
                return Scaled(self.grid, self.denominator, other.radicand).plus(other, sign)
            else:
                return None
        shape = np.broadcast_shapes(self.shape, other.shape)
        a, b = self._broadcast(shape), other._broadcast(shape)
        marks = a.marks if b.marks is None else b.marks if a.marks is None else a.marks | b.marks
        if a.denominator == b.denominator:
            total = a.grid.matrix + b.grid.matrix * sign
            whole = a.denominator
        else:
            whole = a.denominator.lcm(b.denominator)
            total = a.grid.matrix * (whole // a.denominator)
            total = total + b.grid.matrix * (sign * (whole // b.denominator))
        return Scaled(Grid(total, shape, marks), whole, self.radicand)

    def _broadcast(self, shape: tuple[int, ...]) -> Scaled:
        if shape == self.shape:
            return self
        return self.gather(grid.broadcast_index(self.shape, shape))

    def matmul(self, other: Scaled) -> Scaled | None:
        """The product of two matrices, or of a vector and a matrix."""
        if self.marks is not None or other.marks is not None or max(self.ndim, other.ndim) > 2:
            return None
        right = other.grid.matrix if other.ndim == 2 else other.grid.matrix.transpose()
        common = gcd(self.radicand, other.radicand)
        product = self.grid.matrix * right
        if common > 1:
            product = product * common
        shape = self.shape[:-1] + other.shape[1:]
        if other.ndim == 1 and self.ndim == 2:
            product = product.transpose()
        return Scaled(
            Grid(product, shape),
            self.denominator * other.denominator,
            self.radicand * other.radicand // common**2,
        )

    def summed(self, axis: int, keepdims: bool) -> Scaled | None:
        """The sums of rows or columns of a matrix."""
        if self.marks is not None or self.ndim > 2 or not self.ndim:
            return None
        rows, columns = sides(self.shape)
        if axis == self.ndim - 1:
            total = self.grid.matrix * fmpz_mat(columns, 1, [1] * columns)
        else:
            total = fmpz_mat(1, rows, [1] * rows) * self.grid.matrix
        n = (1,) if keepdims else ()
        shape = self.shape[:axis] + n + self.shape[axis + 1 :]
        if (total.nrows(), total.ncols()) != sides(shape):
            total = total.transpose()
        return Scaled(Grid(total, shape), self.denominator, self.radicand)

    def selected(self, other: Scaled, keep: Array) -> Scaled | None:
        """Its entries where `keep` is true, else the other's."""
        if self.radicand != other.radicand and not other.grid.matrix.is_zero():
            return None
        shape = np.broadcast_shapes(self.shape, other.shape, keep.shape)
        a, b = self._broadcast(shape), other._broadcast(shape)
        keep = np.broadcast_to(keep, shape)
        whole = a.denominator.lcm(b.denominator)
        first = (a.grid.matrix * (whole // a.denominator)).entries()
        second = (b.grid.matrix * (whole // b.denominator)).entries()
        chosen = [
            x if kept else y
            for x, y, kept in zip(first, second, keep.reshape(-1).tolist(), strict=True)
        ]
        marks = np.where(keep, *(np.int8(0) if x.marks is None else x.marks for x in (a, b)))
        held = Grid(fmpz_mat(*sides(shape), chosen), shape, marks if marks.any() else None)
        return Scaled(held, whole, self.radicand)


_ZERO = fmpq(0)


def coefficient(x: Any) -> tuple[int, fmpq] | None:
    """The r and c where a number is c·√r as it stands; None otherwise."""
    if not isinstance(x, Sum) or len(x.terms) > 1:
        return None
    if not x.terms:
        return 1, _ZERO
    ((radicand, exponent, powers), c) = next(iter(x.terms.items()))
    return None if exponent is not None or powers else (radicand, c)


def concatenated(parts: list[Scaled], axis: int) -> Scaled | None:
    """Arrays of one square root after one another, along an axis."""
    roots = {p.radicand for p in parts if not p.grid.matrix.is_zero()}
    if len(roots) > 1 or any(p.marks is not None for p in parts):
        return None
    whole = fmpz(1)
    for p in parts:
        whole = whole.lcm(p.denominator)
    arrays = []
    for p in parts:
        numerators = (p.grid.matrix * (whole // p.denominator)).entries()
        arrays.append(grid.object_array(numerators, p.shape))
    joined = np.concatenate(arrays, axis=axis)
    matrix = fmpz_mat(*sides(joined.shape), joined.reshape(-1).tolist())
    return Scaled(Grid(matrix, joined.shape), whole, roots.pop() if roots else 1)
