"""The number system of what depends on what: of each entry the sources that can reach it.

An entry is a set of sources, as the bits of an integer; `ZERO`, an exact 0, which takes along
nothing that it is multiplied with; or a mark. Nothing else is known of values: what is not in an
entry's set does not matter to it whatever the numbers are. What is in it may cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

from symattn.graph import Array
from symattn.numbers.arrays import ArraySystem, check_rows, is_mark, multiplied, selected
from symattn.numbers.given import Given

#: An exact 0: a weight that is masked, whatever the scores are.
ZERO = -1


def sources(shape: tuple[int, ...]) -> Array:
    """An array whose row j is the source j: bit j."""
    out = np.empty(shape, dtype=object)
    for j in range(shape[0]):
        out[j] = 1 << j
    return out


def members(entry: Any) -> list[int]:
    """The sources in an entry."""
    bits = 0 if is_mark(entry) or entry == ZERO else entry
    return [j for j in range(bits.bit_length()) if bits >> j & 1]


def _either(a: int, b: int) -> int:
    """Of a sum: the sources of both."""
    if ZERO in (a, b):
        return b if a == ZERO else a
    return a | b


def _both(a: int, b: int) -> int:
    """Of a product: the sources of both, or 0."""
    return ZERO if ZERO in (a, b) else a | b


def _apply(op: str, rule: Callable[..., int], *args: Any) -> Any:
    return selected(op, args, ZERO) if any(map(is_mark, args)) else rule(*args)


def _fixed(a: int) -> int:
    """Of a function that is other than 0 at 0."""
    return 0 if a == ZERO else a


def _joined(op: str, x: Array, axis: int, keepdims: bool, rule: Callable[..., int]) -> Array:
    found = np.frompyfunc(partial(_apply, op, rule), 2, 1).reduce(x, axis=axis, keepdims=keepdims)
    return np.asarray(found, dtype=object)


class Dependence(ArraySystem):
    """Operations on sets of sources."""

    def array(self, exact: Array | Given) -> Array:
        """Inputs and constants depend on nothing; infinities stay marks."""
        entries = Given.of(exact).entries
        return np.asarray(np.frompyfunc(lambda x: x if is_mark(x) else 0, 1, 1)(entries), object)

    def matmul(self, a: Array, b: Array) -> Array:
        return multiplied(a, b, _product)

    def sum(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        return _joined("add", x, axis, keepdims, _either)

    def max(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        return _joined("maximum", x, axis, keepdims, _larger)

    def softmax(self, x: Array, *, zero: bool = False) -> Array:
        """0 where masked; else every score of the row that is not."""
        masked = np.asarray(np.frompyfunc(is_mark, 1, 1)(x), dtype=bool)
        check_rows(masked, zero)
        seen = np.where(masked, 0, np.frompyfunc(lambda a: 0 if is_mark(a) else _fixed(a), 1, 1)(x))
        row = np.bitwise_or.reduce(seen, axis=-1, keepdims=True)
        return np.asarray(np.where(masked, ZERO, row + np.zeros_like(seen)), dtype=object)


def _larger(a: int, b: int) -> int:
    """Of a maximum: a 0 among its operands is a number like any other."""
    return _fixed(a) | _fixed(b)


def _product(a: Array, b: Array) -> Array:
    out = np.empty((len(a), b.shape[1]), dtype=object)
    for i, j in np.ndindex(out.shape):
        out[i, j] = reduce(_either, map(_both, a[i], b[:, j]), ZERO)
    return out


def _by_entry(op: str, rule: Callable[..., int], operands: int) -> Any:
    def operation(self: Dependence, *arrays: Array) -> Array:
        return np.asarray(np.frompyfunc(partial(_apply, op, rule), operands, 1)(*arrays), object)

    return operation


for _op, _rule in {"add": _either, "sub": _either, "mul": _both, "maximum": _larger}.items():
    setattr(Dependence, _op, _by_entry(_op, _rule, 2))
for _op in ("div", "power"):
    setattr(Dependence, _op, _by_entry(_op, lambda a, b: _fixed(a) | _fixed(b), 2))
for _op in ("neg", "sign"):
    setattr(Dependence, _op, _by_entry(_op, lambda a: a, 1))
for _op in ("exp", "log", "sqrt", "sin", "cos", "tanh", "erf"):
    setattr(Dependence, _op, _by_entry(_op, _fixed, 1))
