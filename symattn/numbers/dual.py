"""Balls with slopes: values and derivatives by one symbol, over an interval of its values.

Forward differentiation in interval arithmetic (Moore, Kearfott and Cloud, Introduction to
Interval Analysis, 2009, chapters 6 and 9): beside each ball stand one that contains the
derivative at every value of the symbol, and the value at the middle of the interval. The
mean value form of the two narrows what intervals alone would let grow from layer to layer.
Where a maximum may pass from one operand to the other, the slope contains both, so that mean
values and monotony are still proven by it (Clarke, Optimization and Nonsmooth Analysis, 1983,
theorem 2.3.7).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat, ctx

from symattn.graph import Array
from symattn.literals import Name
from symattn.numbers.arrays import is_mark
from symattn.numbers.ball import Ball, Balls
from symattn.numbers.given import Given, sides


class Duals(NamedTuple):
    """Balls, those at the middle, and slopes; where the symbol does not occur, the first alone."""

    value: Balls
    middle: Balls | None = None
    slope: Balls | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def centre(self) -> Balls:
        return self.value if self.middle is None else self.middle


class Dual:
    """Operations on `Duals`.

    Args:
        bits: the precision of every operation.
        symbols: a ball for each symbol.
        by: the symbol that is differentiated by.
    """

    def __init__(self, bits: int, symbols: Mapping[str, Any], by: str) -> None:
        self.balls = Ball(bits, symbols)
        self.by = by
        self.middle = symbols[by].mid()
        with ctx.workprec(bits):
            self.away = symbols[by] - self.middle

    def array(self, exact: Array | Given) -> Duals:
        given = Given.of(exact)
        value = self.balls.array(given)
        if given.integers is not None:
            return Duals(value)
        own = [isinstance(e, Name) and e.name == self.by for e in given.entries.flat]
        if not any(own):
            return Duals(value)
        entries = value.balls()
        middle = [self.middle if is_own else e for e, is_own in zip(entries, own, strict=True)]
        slope = [arb(int(is_own)) for is_own in own]
        return Duals(value, Balls.of(middle, value.shape), Balls.of(slope, value.shape))

    def replaced(self, value: Any, shape: tuple[int, ...]) -> Duals:
        return Duals(self.balls.replaced(value.value, shape), value.middle, value.slope)

    def _made(
        self, operation: Callable[..., Balls], operands: Sequence[Duals], *slopes: Balls | None
    ) -> Duals:
        """What an operation gives, with the sum of some slopes."""
        value = operation(*(x.value for x in operands))
        found = [s.broadcast(value.shape) for s in slopes if s is not None]
        if not found:
            return Duals(value)
        middle = operation(*(x.centre for x in operands))
        slope = reduce(self.balls.add, found)
        return Duals(self._narrowed(value, middle, slope), middle, slope)

    def _narrowed(self, value: Balls, middle: Balls, slope: Balls) -> Balls:
        """A value, as far as the mean value form leaves it."""
        with ctx.workprec(self.balls.bits):
            mean = (middle.matrix + slope.matrix * self.away).entries()
            own = value.matrix.entries()
            both = [
                x.intersection(y) if x.is_finite() and y.is_finite() else y if y.is_finite() else x
                for x, y in zip(own, mean, strict=True)
            ]
            return Balls(arb_mat(*sides(value.shape), both), value.shape, value.marks)

    def _times(self, slope: Balls | None, factor: Balls) -> Balls | None:
        return None if slope is None else self.balls.mul(slope, factor)

    def _minus(self, x: Balls | None) -> Balls | None:
        return None if x is None else self.balls.by_entry("neg", x)

    def _number(self, n: int) -> Balls:
        return Balls.of([arb(n)], ())

    def _entries(self, op: str) -> Callable[..., Balls]:
        return lambda *xs: self.balls.by_entry(op, *xs)

    def add(self, a: Duals, b: Duals) -> Duals:
        return self._made(self.balls.add, (a, b), a.slope, b.slope)

    def sub(self, a: Duals, b: Duals) -> Duals:
        return self._made(self.balls.sub, (a, b), a.slope, self._minus(b.slope))

    def neg(self, x: Duals) -> Duals:
        return self._made(self._entries("neg"), (x,), self._minus(x.slope))

    def mul(self, a: Duals, b: Duals) -> Duals:
        parts = self._times(a.slope, b.value), self._times(b.slope, a.value)
        return self._made(self.balls.mul, (a, b), *parts)

    def div(self, a: Duals, b: Duals) -> Duals:
        top = None if a.slope is None else self.balls.div(a.slope, b.value)
        bottom = None
        if b.slope is not None:
            quotient = self.balls.div(a.value, b.value)
            bottom = self._minus(self.balls.div(self.balls.mul(b.slope, quotient), b.value))
        return self._made(self.balls.div, (a, b), top, bottom)

    def matmul(self, a: Duals, b: Duals) -> Duals:
        left = None if a.slope is None else self.balls.matmul(a.slope, b.value)
        right = None if b.slope is None else self.balls.matmul(a.value, b.slope)
        return self._made(self.balls.matmul, (a, b), left, right)

    def power(self, a: Duals, b: Duals) -> Duals:
        operation = self._entries("power")
        if b.slope is not None:
            exponent = self.mul(b, self.log(a))
            outer = operation(a.value, b.value)
            return self._made(operation, (a, b), self._times(exponent.slope, outer))
        if a.slope is None:
            return self._made(operation, (a, b))
        less = self.balls.by_entry("sub", b.value, self._number(1))
        outer = self.balls.mul(b.value, operation(a.value, less))
        return self._made(operation, (a, b), self._times(a.slope, outer))

    def _function(self, op: str, x: Duals, outer: Callable[[Balls], Balls]) -> Duals:
        """A function of single entries.

        Args:
            outer: its derivative.
        """
        slope = None if x.slope is None else self.balls.mul(x.slope, outer(x.value))
        return self._made(self._entries(op), (x,), slope)

    def sqrt(self, x: Duals) -> Duals:
        def outer(y: Balls) -> Balls:
            twice = self.balls.mul(self.balls.by_entry("sqrt", y), self._number(2))
            return self.balls.by_entry("div", self._number(1), twice)

        return self._function("sqrt", x, outer)

    def exp(self, x: Duals) -> Duals:
        return self._function("exp", x, self._entries("exp"))

    def log(self, x: Duals) -> Duals:
        return self._function("log", x, lambda y: self.balls.by_entry("div", self._number(1), y))

    def sin(self, x: Duals) -> Duals:
        return self._function("sin", x, self._entries("cos"))

    def cos(self, x: Duals) -> Duals:
        return self._function("cos", x, lambda y: self.balls.by_entry("neg", self._sine(y)))

    def _sine(self, x: Balls) -> Balls:
        return self.balls.by_entry("sin", x)

    def tanh(self, x: Duals) -> Duals:
        def outer(y: Balls) -> Balls:
            found = self.balls.by_entry("tanh", y)
            square = self.balls.by_entry("power", found, self._number(2))
            return self.balls.by_entry("sub", self._number(1), square)

        return self._function("tanh", x, outer)

    def erf(self, x: Duals) -> Duals:
        def outer(y: Balls) -> Balls:
            square = self.balls.by_entry("power", y, self._number(2))
            bell = self.balls.by_entry("exp", self.balls.by_entry("neg", square))
            with ctx.workprec(self.balls.bits):
                factor = 2 / arb.pi().sqrt()
            return self.balls.mul(bell, Balls.of([factor], ()))

        return self._function("erf", x, outer)

    def softmax(self, x: Duals, *, zero: bool = False) -> Duals:
        def operation(y: Balls) -> Balls:
            return self.balls.softmax(y, zero=zero)

        if x.slope is None:
            return self._made(operation, (x,))
        weights = operation(x.value)
        mean = self.balls.sum(self.balls.mul(weights, x.slope), axis=-1, keepdims=True)
        slope = self.balls.mul(weights, self.balls.by_entry("sub", x.slope, mean))
        return self._made(operation, (x,), slope)

    def sum(self, x: Duals, *, axis: int, keepdims: bool) -> Duals:
        def operation(y: Balls) -> Balls:
            return self.balls.sum(y, axis=axis, keepdims=keepdims)

        return self._made(operation, (x,), None if x.slope is None else operation(x.slope))

    def maximum(self, a: Duals, b: Duals) -> Duals:
        operation, slope = self._entries("maximum"), None
        if a.slope is not None or b.slope is not None:
            shape = np.broadcast_shapes(a.shape, b.shape)
            both = [(x.value.broadcast(shape), self._or_zero(x, shape)) for x in (a, b)]
            columns = zip(*(x.balls() for pair in both for x in pair), strict=True)
            slope = Balls.of([_steepest([x, y], [s, t]) for x, s, y, t in columns], shape)
        return self._made(operation, (a, b), slope)

    def max(self, x: Duals, *, axis: int, keepdims: bool) -> Duals:
        def operation(y: Balls) -> Balls:
            return self.balls.max(y, axis=axis, keepdims=keepdims)

        if x.slope is None:
            return self._made(operation, (x,))
        values, slopes = (np.moveaxis(b.entries(), axis, -1) for b in (x.value, x.slope))
        n = values.shape[-1]
        rows = zip(values.reshape(-1, n).tolist(), slopes.reshape(-1, n).tolist(), strict=True)
        steepest = [_steepest(v, s) for v, s in rows]
        return self._made(operation, (x,), Balls.of(steepest, operation(x.value).shape))

    def _or_zero(self, x: Duals, shape: tuple[int, ...]) -> Balls:
        zero = Balls.of([arb(0)], ()) if x.slope is None else x.slope
        return zero.broadcast(shape)

    def _moved(self, operation: Callable[..., Balls], *operands: Duals) -> Duals:
        """What only moves entries about."""
        value = operation(*(x.value for x in operands))
        if all(x.slope is None for x in operands):
            return Duals(value)
        middle = operation(*(x.centre for x in operands))
        return Duals(value, middle, operation(*(self._or_zero(x, x.shape) for x in operands)))

    def gather(self, x: Duals, index: Array) -> Duals:
        return self._moved(lambda y: self.balls.gather(y, index), x)

    def concat(self, *xs: Duals, axis: int) -> Duals:
        return self._moved(lambda *ys: self.balls.concat(*ys, axis=axis), *xs)

    def where(self, a: Duals, b: Duals, *, keep: Array) -> Duals:
        return self._moved(lambda x, y: self.balls.where(x, y, keep=keep), a, b)


def _steepest(values: Sequence[Any], slopes: Sequence[Any]) -> Any:
    """A ball around the slopes of all that may be the largest."""
    numbers = [(v, s) for v, s in zip(values, slopes, strict=True) if not is_mark(v)]
    if not numbers:
        return arb(0)
    largest = reduce(lambda x, y: x.max(y), (v for v, _ in numbers))
    return reduce(lambda x, y: x.union(y), (s for v, s in numbers if not v < largest))
