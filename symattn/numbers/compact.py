"""The compact number system: the exact values in the normal form, small and decidable.

Entries are `Sum`s (see `symattn.numbers.normal_form`) or the mark -oo, placed by
selection. A row's denominator stays one kernel through every product that
follows. After an operation a long entry outside the decidable class is held by
reference, so that nothing grows without bound.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from symattn import decide
from symattn.errors import ExactnessError, Undecided
from symattn.graph import OPERATIONS, Array
from symattn.literals import Apply, Exact, Infinity
from symattn.numbers import normal_form
from symattn.numbers.arrays import ArraySystem, check_rows, is_mark, multiplied, selected
from symattn.numbers.normal_form import ZERO, Sum, TooLarge, held, settled


def number(value: Exact) -> Any:
    """An `Exact` in normal form; infinities stay marks.

    Raises:
        ExactnessError: a division by zero, a root or logarithm that is not real.
    """
    if isinstance(value, Infinity):
        return value
    if isinstance(value, Apply):
        return _apply(value.op, tuple(map(number, value.args)))
    return normal_form.number(value)


def larger(a: Any, b: Any) -> Any:
    """The larger of two; with symbols, or undecided, a kernel that stands for it."""
    if is_mark(a) or is_mark(b):
        return selected("maximum", (a, b), ZERO)
    difference = a - b
    if difference.has_symbols:
        return normal_form.maximum(a, b)
    try:
        return a if decide.order(a, b) >= 0 else b
    except Undecided:
        return normal_form.maximum(a, b)  # it has an enclosure all the same


def _check_domain(op: str, args: tuple[Any, ...]) -> None:
    """Refuse what is not defined, or not real, as far as its sign is settled."""
    bad: tuple[int, ...]
    if op == "div" or (op == "power" and (args[1].rational() or 0) < 0):
        _check_divisor(op, args[1 if op == "div" else 0])
    if op == "log":
        bad, what = (-1, 0), "the logarithm of a number that is not positive"
        x = args[0]
    elif op == "sqrt" or (op == "power" and _is_fractional(args[1])):
        bad, what = (-1,), "the root of a negative number"
        x = args[0]
    else:
        return
    if not x.has_symbols and decide.sign(x).sign in bad:
        raise ExactnessError(f"{op} is not defined here: {what}")


def _check_divisor(op: str, x: Sum) -> None:
    # Exponentials, radicals and symbols alone are never zero, and neither is their product.
    if len(x.terms) == 1 and all(k.kind in ("symbol", "sum") for k in x.kernels()):
        return
    safe = decide.is_safe_divisor(x) if x.terms else False
    if safe is False:
        raise ExactnessError(f"{op} is not defined here: the divisor is zero")
    if safe is None:
        raise Undecided(f"{op}: whether the divisor is zero is not settled")


def _is_fractional(exponent: Sum) -> bool:
    n = exponent.rational()
    return n is None or n.q != 1


def _apply(op: str, args: tuple[Any, ...]) -> Any:
    if op == "maximum":
        return larger(*args)
    if any(map(is_mark, args)):
        return selected(op, args, ZERO)
    _check_domain(op, args)
    try:
        return settled(normal_form.apply(op, list(args)))
    except TooLarge:
        if op != "power":
            raise
        return normal_form.power(held(args[0]), args[1])


def _operation(op: str) -> Callable[..., Array]:
    ufunc = np.frompyfunc(lambda *args: _apply(op, args), OPERATIONS[op], 1)
    return lambda *arrays: np.asarray(ufunc(*arrays), dtype=object)


#: Terms that multiplying two entries out may give, and from which an entry is held.
MAX_EXPANDED, MANY = 256, 8


def _longest(x: Array) -> int:
    return max((len(entry) for entry in x.flat if isinstance(entry, Sum)), default=0)


def _held_if_long(entry: Any) -> Any:
    return held(entry) if isinstance(entry, Sum) and len(entry) > MANY else entry


class Compact(ArraySystem):
    """Operations on object arrays of numbers in normal form."""

    def array(self, exact: Array) -> Array:
        return np.asarray(np.frompyfunc(number, 1, 1)(exact), dtype=object)

    def matmul(self, a: Array, b: Array) -> Array:
        if _longest(a) * _longest(b) > MAX_EXPANDED:
            # n² terms an entry would say no more than the product of two references.
            a, b = (np.asarray(np.frompyfunc(_held_if_long, 1, 1)(x), dtype=object) for x in (a, b))
        products = multiplied(a, b, np.matmul)
        return np.asarray(np.frompyfunc(settled, 1, 1)(products), dtype=object)

    def sum(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        total = np.sum(x, axis=axis, keepdims=keepdims)
        return np.asarray(np.frompyfunc(settled, 1, 1)(total), dtype=object)

    def max(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        found = np.frompyfunc(larger, 2, 1).reduce(x, axis=axis, keepdims=keepdims)
        return np.asarray(found, dtype=object)

    def softmax(self, x: Array) -> Array:
        """e^{z_ij} over its row's sum, one kernel a row; 0 where masked."""
        check_rows(np.vectorize(is_mark, otypes=[bool])(x))
        numerators = self.exp(x)  # type: ignore[attr-defined]
        totals = np.sum(numerators, axis=-1, keepdims=True)
        inverses = np.frompyfunc(normal_form.inverse, 1, 1)(totals)
        return np.asarray(numerators * inverses, dtype=object)


for _name in (
    "add", "sub", "mul", "div", "neg", "power", "exp", "log", "sqrt", "sin", "cos", "tanh", "erf",
    "maximum",
):  # fmt: skip
    setattr(Compact, _name, staticmethod(_operation(_name)))


@cache
def shared() -> Compact:
    """The one instance: the system holds no state."""
    return Compact()
