"""The number system of degrees: how entries depend on some symbols, without their values.

An entry is the degree of a polynomial in the symbols that it is at most: 0 where none of
them occurs, infinite where it is proven no polynomial by its operations (a softmax, a
quotient, a maximum), and -infinity for a mask, which nothing changes.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from symattn.graph import Array
from symattn.literals import Infinity, Name
from symattn.numbers.arrays import ArraySystem
from symattn.numbers.given import Given

_MASK = -np.inf


class Degrees(ArraySystem):
    """Operations on float arrays of degrees.

    Args:
        symbols: the names of those that count.
    """

    def __init__(self, symbols: Collection[str]) -> None:
        self.symbols = frozenset(symbols)

    def array(self, exact: Array | Given) -> Array:
        given = Given.of(exact)
        if given.integers is not None:
            marks = given.integers.marks
            return np.zeros(given.shape) if marks is None else np.where(marks < 0, _MASK, 0.0)
        out = np.zeros(given.shape)
        for index in np.ndindex(given.shape):
            entry: Any = given.entries[index]
            if isinstance(entry, Name) and entry.name in self.symbols:
                out[index] = 1
            elif isinstance(entry, Infinity) and entry.sign < 0:
                out[index] = _MASK
        return out

    def add(self, a: Array, b: Array) -> Array:
        return np.where((a == _MASK) | (b == _MASK), _MASK, np.maximum(a, b))

    sub = add

    def mul(self, a: Array, b: Array) -> Array:
        return a + b

    def div(self, a: Array, b: Array) -> Array:
        return np.where(b > 0, np.inf, a)

    def neg(self, x: Array) -> Array:
        return x

    def matmul(self, a: Array, b: Array) -> Array:
        left = a if a.ndim > 1 else a[None, :]
        right = b if b.ndim > 1 else b[:, None]
        out = (left[..., :, :, None] + right[..., None, :, :]).max(axis=-2)
        if a.ndim == 1:
            out = out[..., 0, :]
        return np.asarray(out[..., 0] if b.ndim == 1 else out)

    def sum(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        return np.asarray(np.max(x, axis=axis, keepdims=keepdims))

    def max(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        return _function(self.sum(x, axis=axis, keepdims=keepdims))

    def maximum(self, a: Array, b: Array) -> Array:
        return _function(np.maximum(a, b))

    power = maximum

    def softmax(self, x: Array, *, zero: bool = False) -> Array:
        several = (x != _MASK).sum(axis=-1, keepdims=True) > 1  # one alone has the weight 1
        rows = np.where(several, _function(np.max(x, axis=-1, keepdims=True)), 0.0)
        return np.where(x == _MASK, 0.0, rows)


def _function(x: Array) -> Array:
    return np.where(x > 0, np.inf, 0.0)


for _name in ("sqrt", "exp", "log", "sin", "cos", "tanh", "erf"):
    setattr(Degrees, _name, lambda self, x: _function(x))
