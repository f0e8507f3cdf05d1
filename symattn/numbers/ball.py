"""The ball number system: rigorous enclosures on python-flint's Arb.

Every entry is an `arb`, a midpoint and a radius whose interval contains the exact
value; -oo is the mark `NEGATIVE_INFINITY`, placed by selection. Inputs are exact,
or known to within a radius of their own. Softmax is evaluated as
1 / (1 + Σ e^{x_j - x_i}) where inputs are wide, which keeps them useful.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from symattn.errors import ExactnessError
from symattn.graph import OPERATIONS, Array
from symattn.literals import Apply, Exact, Infinity, Name
from symattn.numbers.arrays import ArraySystem, check_rows, is_mark, multiplied, selected

_SCALAR: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b, "div": lambda a, b: a / b, "power": lambda a, b: a**b,
    "neg": lambda a: -a, "sqrt": lambda a: a.sqrt(), "exp": lambda a: a.exp(),
    "log": lambda a: a.log(), "sin": lambda a: a.sin(), "cos": lambda a: a.cos(),
    "tanh": lambda a: a.tanh(), "erf": lambda a: a.erf(), "maximum": lambda a, b: a.max(b),
}  # fmt: skip


def _scalar(op: str) -> Callable[..., Any]:
    """An operation on balls, with the selections that -oo is allowed."""
    function = _SCALAR[op]

    def apply(*args: Any) -> Any:
        return selected(op, args, arb(0)) if any(map(is_mark, args)) else function(*args)

    return apply


class Ball(ArraySystem):
    """Operations on object arrays of balls, at a precision in bits.

    Args:
        bits: the precision of every operation.
        radii: half-widths of inputs that are not known exactly, by the identity of
            the array they belong to.
        symbols: a rational value for each symbol.
    """

    def __init__(
        self,
        bits: int,
        radii: Mapping[int, Array] | None = None,
        symbols: Mapping[str, Any] | None = None,
    ) -> None:
        self.bits = bits
        self.radii = radii or {}
        self.symbols = symbols or {}

    def number(self, value: Exact) -> Any:
        """A ball around an exact number; rationals are rounded once."""
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

    def array(self, exact: Array) -> Array:
        out = np.empty(exact.shape, dtype=object)
        radii = self.radii.get(id(exact))
        with ctx.workprec(self.bits):
            for index in np.ndindex(exact.shape):
                ball = self.number(exact[index])  # type: ignore[arg-type]
                if radii is not None and radii[index]:
                    ball = arb(ball, self.number(radii[index]).upper())  # type: ignore[arg-type]
                out[index] = ball
        return out

    def _mapped(self, op: str, *arrays: Array) -> Array:
        ufunc = np.frompyfunc(_scalar(op), OPERATIONS[op], 1)
        with ctx.workprec(self.bits):
            return np.asarray(ufunc(*arrays), dtype=object)

    def matmul(self, a: Array, b: Array) -> Array:
        def product(left: Array, right: Array) -> Array:
            found = _matrix(left) * _matrix(right)
            return np.array(found.entries(), dtype=object).reshape(len(left), right.shape[1])

        with ctx.workprec(self.bits):
            return multiplied(a, b, product)

    def sum(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        with ctx.workprec(self.bits):
            return np.asarray(np.sum(x, axis=axis, keepdims=keepdims), dtype=object)

    def max(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        maximum = np.frompyfunc(_scalar("maximum"), 2, 1)
        with ctx.workprec(self.bits):
            found = maximum.reduce(x, axis=axis, keepdims=keepdims)
        return np.asarray(found, dtype=object)

    def softmax(self, x: Array) -> Array:
        check_rows(np.vectorize(is_mark, otypes=[bool])(x))
        out = np.empty(x.shape, dtype=object)
        with ctx.workprec(self.bits):
            for row in np.ndindex(x.shape[:-1]):
                out[row] = _softmax_row(x[row])
        return out


for _name in _SCALAR:
    setattr(Ball, _name, lambda self, *arrays, _op=_name: self._mapped(_op, *arrays))


def _matrix(x: Array) -> Any:
    return arb_mat(x.shape[0], x.shape[1], list(x.flat))


#: Radii up to which a row is narrow: what e_i and Σ e_j have in common costs no digits then.
_NARROW = arb(2) ** -20


def _softmax_row(row: Array) -> Array:
    out = np.empty(row.shape, dtype=object)
    seen = [x for x in row if not is_mark(x)]
    if all(x.rad() < _NARROW for x in seen):
        # Shifted by one exact number: softmax does not change, and n exponentials do.
        shift = reduce(lambda a, b: a.max(b), (x.mid() for x in seen)).mid()
        powers = [arb(0) if is_mark(x) else (x - shift).exp() for x in row]
        total = sum(powers, start=arb(0))
        for i, power in enumerate(powers):
            out[i] = power / total
        return out
    for i, x in enumerate(row):
        if is_mark(x):
            out[i] = arb(0)
            continue
        total = arb(1)
        for j, other in enumerate(row):
            if j != i and not is_mark(other):
                total += (other - x).exp()
        out[i] = 1 / total
    return out
