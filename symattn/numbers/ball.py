"""The ball number system: rigorous enclosures on python-flint's Arb.

Every entry is an `arb`, a midpoint and a radius whose interval contains the exact
value; infinities are marks, placed by selection. An array is one `arb_mat`, so that
products and sums are Arb's own. Inputs are exact, or known to within a radius of
their own. Softmax is evaluated as 1 / (1 + Σ e^{x_j - x_i}) where inputs are wide,
which keeps them useful.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from symattn.errors import ExactnessError
from symattn.graph import Array
from symattn.literals import (
    NEGATIVE_INFINITY,
    POSITIVE_INFINITY,
    Apply,
    Exact,
    Infinity,
    Name,
)
from symattn.numbers import grid
from symattn.numbers.arrays import by_row, check_rows, fitting, is_mark, multiplied, selected
from symattn.numbers.enclosure import enclose
from symattn.numbers.given import Given, Stored, sides
from symattn.numbers.grid import Grid
from symattn.numbers.normal_form import Sum


def _quotient(a: Any, b: Any) -> Any:
    if b.is_zero():
        raise ExactnessError("div is not defined here: the divisor is zero")
    return a / b


def _power(a: Any, b: Any) -> Any:
    n = b.unique_fmpz() if b.is_exact() else None
    if n is None or not 1 < n <= _MULTIPLIED:
        return a**b
    half = a if n < 4 else _power(a, arb(n // 2))  # Arb's own power may be nan around 0
    square = (half * half).nonnegative_part()
    return square * a if n % 2 else square


#: Powers that are multiplied out, so that even ones are never negative.
_MULTIPLIED = 64


_SCALAR: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b, "div": _quotient, "power": _power,
    "neg": lambda a: -a, "sqrt": lambda a: a.sqrt(), "exp": lambda a: a.exp(),
    "log": lambda a: a.log(), "sin": lambda a: a.sin(), "cos": lambda a: a.cos(),
    "tanh": lambda a: a.tanh(), "erf": lambda a: a.erf(), "maximum": lambda a, b: a.max(b),
    "sign": lambda a: arb(a.sign) if is_mark(a) else a.sgn(), "pi": arb.pi,
}  # fmt: skip


class Balls(Grid):
    """An array of balls."""

    __slots__ = ()

    @classmethod
    def of(cls, entries: Sequence[Any], shape: tuple[int, ...]) -> Balls:
        """From balls and marks in order."""
        marks = np.array([e.sign if is_mark(e) else 0 for e in entries], np.int8)
        numbers = [arb(0) if is_mark(e) else e for e in entries] if marks.any() else list(entries)
        matrix = arb_mat(*sides(shape), numbers)
        return cls(matrix, shape, marks.reshape(shape) if marks.any() else None)

    def balls(self) -> list[Any]:
        """Every entry in order: a ball, or a mark."""
        entries: list[Any] = self.matrix.entries()
        if self.marks is not None:
            for i in np.flatnonzero(self.marks).tolist():
                below = self.marks.reshape(-1)[i] < 0
                entries[i] = NEGATIVE_INFINITY if below else POSITIVE_INFINITY
        return entries

    @property
    def flat(self) -> Iterator[Any]:
        return iter(self.balls())

    def __getitem__(self, index: tuple[int, ...]) -> Any:
        if self.marks is not None and self.marks[index]:
            return NEGATIVE_INFINITY if self.marks[index] < 0 else POSITIVE_INFINITY
        return self.matrix[self.place(index)]

    def entries(self) -> Array:
        """An object array of balls and marks."""
        return grid.object_array(self.balls(), self.shape)

    def broadcast(self, shape: tuple[int, ...]) -> Balls:
        if shape == self.shape:
            return self
        return Balls(*self.taken(grid.broadcast_index(self.shape, shape)))


class Doubles(Balls):
    """Floats as balls without a radius; the matrix of them is made when it is asked for."""

    __slots__ = ("_made", "doubles")

    def __init__(self, doubles: Array) -> None:
        self.doubles = doubles
        self.shape = tuple(doubles.shape)
        self.marks = None
        self._made: Any = None

    @property
    def matrix(self) -> Any:
        if self._made is None:
            self._made = arb_mat(*sides(self.shape), self.doubles.ravel().tolist())
        return self._made

    def times(self, left: Any) -> Any:
        """The product of a matrix and this one, a block of columns at a time.

        A block stays in the processor's cache: a product of 384 × 1536 floats takes a third of
        the time.
        """
        if self.shape[1] <= COLUMNS or self._made is not None:
            return left * self.matrix
        rows: list[list[Any]] = [[] for _ in range(left.nrows())]
        for start in range(0, self.shape[1], COLUMNS):
            block = self.doubles[:, start : start + COLUMNS]
            found = left * arb_mat(*block.shape, block.ravel().tolist())
            width, entries = block.shape[1], found.entries()
            for i, row in enumerate(rows):
                row += entries[i * width : (i + 1) * width]
        return arb_mat(rows)


#: Columns of a block of `Doubles`.
COLUMNS = 32


class Ball:
    """Operations on arrays of balls, at a precision in bits.

    Args:
        bits: the precision of every operation.
        symbols: a rational value, or a ball, for each symbol.
    """

    def __init__(self, bits: int, symbols: Mapping[str, Any] | None = None) -> None:
        self.bits = bits
        self.symbols = symbols or {}

    def number(self, value: Exact | Sum) -> Any:
        """A ball around an exact number; rationals are rounded once."""
        if isinstance(value, Sum):
            return enclose(value, self.bits)
        if isinstance(value, Fraction):
            return arb(fmpq(value.numerator, value.denominator))
        if isinstance(value, Infinity):
            return value
        if isinstance(value, Name) and value.name in self.symbols:
            return arb(self.symbols[value.name])
        if isinstance(value, Name):
            raise ExactnessError(f"wanted a number, got the symbol {value.name}")
        assert isinstance(value, Apply)
        return _SCALAR[value.op](*map(self.number, value.args))

    def array(self, exact: Array | Given) -> Balls:
        given = Given.of(exact)
        if isinstance(given, Stored):  # a float is a ball without a radius
            return Doubles(given.doubles)
        with ctx.workprec(self.bits):
            if given.integers and given.radii is None:
                whole = given.integers
                matrix = arb_mat(whole.matrix)
                if whole.denominator != 1:
                    matrix = matrix / arb(whole.denominator)
                return Balls(matrix, given.shape, whole.marks)
            balls = [self.number(e) for e in given.entries.flat]
            if given.radii is not None:
                balls = [
                    arb(ball, self.number(r).upper()) if r else ball
                    for ball, r in zip(balls, given.radii.flat, strict=True)
                ]
        return Balls.of(balls, given.shape)

    def replaced(self, value: Any, shape: tuple[int, ...]) -> Any:
        return fitting(value, shape)

    def by_entry(self, op: str, *operands: Balls) -> Balls:
        """An operation on single entries, broadcast."""
        shape = np.broadcast_shapes(*(x.shape for x in operands))
        columns = [x.broadcast(shape) for x in operands]
        function = _SCALAR[op]
        with ctx.workprec(self.bits):
            if all(x.marks is None for x in columns):
                if op == "div":  # the one operation here that refuses numbers
                    found = list(
                        by_row(np.frompyfunc(function, 2, 1), [x.entries() for x in columns]).flat
                    )
                else:
                    found = list(map(function, *(x.matrix.entries() for x in columns)))
                return Balls(arb_mat(*sides(shape), found), shape)
            return Balls.of(
                [
                    selected(op, args, arb(0))
                    if op != "sign" and any(map(is_mark, args))
                    else function(*args)
                    for args in zip(*(x.balls() for x in columns), strict=True)
                ],
                shape,
            )

    def add(self, a: Balls, b: Balls) -> Balls:
        if a.shape != b.shape or a.marks is not None:
            return self.by_entry("add", a, b)
        if b.marks is not None and (b.marks > 0).any():
            return self.by_entry("add", a, b)
        with ctx.workprec(self.bits):
            return Balls(a.matrix + b.matrix, a.shape, b.marks)  # -oo stays under a sum

    def sub(self, a: Balls, b: Balls) -> Balls:
        if a.shape != b.shape or a.marks is not None or b.marks is not None:
            return self.by_entry("sub", a, b)
        with ctx.workprec(self.bits):
            return Balls(a.matrix - b.matrix, a.shape)

    def mul(self, a: Balls, b: Balls) -> Balls:
        factor, other = (a, b) if a.size == 1 and a.ndim <= b.ndim else (b, a)
        if factor.size > 1 or factor.ndim > other.ndim or _any_marks(a, b):
            return self.by_entry("mul", a, b)
        with ctx.workprec(self.bits):
            return Balls(other.matrix * factor.matrix[0, 0], other.shape)

    def div(self, a: Balls, b: Balls) -> Balls:
        if b.size > 1 or b.ndim > a.ndim or _any_marks(a, b):
            return self.by_entry("div", a, b)
        with ctx.workprec(self.bits):
            divisor = b.matrix[0, 0]
            if divisor.is_zero():
                return self.by_entry("div", a, b)  # which names the row
            return Balls(a.matrix / divisor, a.shape)

    def matmul(self, a: Balls, b: Balls) -> Balls:
        with ctx.workprec(self.bits):
            if _any_marks(a, b) or max(a.ndim, b.ndim) > 2:
                found = multiplied(a.entries(), b.entries(), _product)
                return Balls.of(list(found.flat), found.shape)
            if isinstance(b, Doubles) and b.ndim == 2:
                return Balls(b.times(a.matrix), a.shape[:-1] + b.shape[1:])
            right = b.matrix if b.ndim == 2 else b.matrix.transpose()
            product = a.matrix * right
            if b.ndim == 1 and a.ndim == 2:
                product = product.transpose()
        return Balls(product, a.shape[:-1] + b.shape[1:])

    def sum(self, x: Balls, *, axis: int, keepdims: bool) -> Balls:
        with ctx.workprec(self.bits):
            found = np.asarray(np.sum(x.entries(), axis=axis, keepdims=keepdims), dtype=object)
        return Balls.of(list(found.flat), found.shape)

    def max(self, x: Balls, *, axis: int, keepdims: bool) -> Balls:
        maximum = np.frompyfunc(_larger, 2, 1)
        with ctx.workprec(self.bits):
            found = maximum.reduce(x.entries(), axis=axis, keepdims=keepdims)
        found = np.asarray(found, dtype=object)
        return Balls.of(list(found.flat), found.shape)

    def softmax(self, x: Balls, *, zero: bool = False) -> Balls:
        if x.marks is not None:
            check_rows(x.marks < 0, zero)
        entries, n = x.balls(), x.shape[-1]
        out: list[Any] = []
        with ctx.workprec(self.bits):
            for start in range(0, len(entries), n):
                out += _softmax_row(entries[start : start + n])
            return Balls(arb_mat(*sides(x.shape), out), x.shape)

    def gather(self, x: Balls, index: Array) -> Balls:
        return Balls(*x.taken(index))

    def concat(self, *xs: Balls, axis: int) -> Balls:
        found = np.concatenate([x.entries() for x in xs], axis=axis)
        return Balls.of(list(found.flat), found.shape)

    def where(self, a: Balls, b: Balls, *, keep: Array) -> Balls:
        found = np.where(keep, a.entries(), b.entries())
        return Balls.of(list(found.flat), found.shape)


for _name in ("neg", "power", "sqrt", "exp", "log", "sin", "cos", "tanh", "erf", "sign", "maximum"):
    setattr(Ball, _name, lambda self, *arrays, _op=_name: self.by_entry(_op, *arrays))


def _any_marks(*operands: Balls) -> bool:
    return any(x.marks is not None for x in operands)


def _larger(a: Any, b: Any) -> Any:
    return selected("maximum", (a, b), None) if is_mark(a) or is_mark(b) else a.max(b)


def _product(left: Array, right: Array) -> Array:
    found = _matrix(left) * _matrix(right)
    return grid.object_array(found.entries(), (len(left), right.shape[1]))


def _matrix(x: Array) -> Any:
    return arb_mat(x.shape[0], x.shape[1], list(x.flat))


#: Bits of a sum of exponentials from which it shares no loss of digits with its terms.
_ACCURATE = 20


def _softmax_row(row: list[Any]) -> list[Any]:
    zero = arb(0)
    if all(map(is_mark, row)):
        return [zero] * len(row)
    # Shifted by one exact number: softmax does not change, and n exponentials do.
    shift = _largest_middle([x for x in row if not is_mark(x)])
    powers = [zero if is_mark(x) else (x - shift).exp() for x in row]
    total = sum(powers, start=zero)
    if total.rel_accuracy_bits() >= _ACCURATE:
        return [power / total for power in powers]
    out = []
    for i, x in enumerate(row):
        if is_mark(x):
            out.append(zero)
            continue
        total = arb(1)
        for j, other in enumerate(row):
            if j != i and not is_mark(other):
                total += (other - x).exp()
        out.append(1 / total)
    return out


def _largest_middle(balls: list[Any]) -> Any:
    """A number about as large as the largest, without radius."""
    largest = max(map(float, balls))
    if math.isfinite(largest):
        return arb(largest)
    return reduce(lambda a, b: a.max(b), (x.mid() for x in balls)).mid()
