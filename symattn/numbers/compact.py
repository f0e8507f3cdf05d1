"""The compact number system: the exact values in the normal form, small and decidable.

Entries are `Sum`s (see `symattn.numbers.normal_form`) or the mark -oo, placed by
selection. A row's denominator stays one kernel through every product that
follows. After an operation a long entry outside the decidable class is held by
reference, so that nothing grows without bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from symattn import decide
from symattn.errors import ExactnessError, Undecided
from symattn.graph import OPERATIONS, Array
from symattn.literals import Apply, Exact, Infinity, Name
from symattn.numbers import normal_form
from symattn.numbers.arrays import ArraySystem, by_row, check_rows, is_mark, multiplied, selected
from symattn.numbers.given import Given
from symattn.numbers.held import Held, opened
from symattn.numbers.mixture import Exponentials, Mixture, Scores, joined
from symattn.numbers.normal_form import ZERO, Sum, TooLarge, held, settled
from symattn.numbers.scaled import Scaled, coefficient, concatenated


def number(value: Exact | Sum, named: Mapping[str, Any] | None = None) -> Any:
    """An `Exact` in normal form; infinities stay marks, and so does what is in it already.

    Args:
        named: the values of names that are no symbols, in normal form.

    Raises:
        ExactnessError: a division by zero, a root or logarithm that is not real.
    """
    if isinstance(value, Infinity):
        return value
    if isinstance(value, Apply):
        return _apply(value.op, tuple(number(a, named) for a in value.args))
    if named and isinstance(value, Name) and value.name in named:
        return named[value.name]
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


def signum(x: Any) -> Any:
    """-1, 0 or 1; with symbols, or undecided, a kernel that stands for it."""
    if is_mark(x):
        return normal_form.constant(x.sign)
    if not x.has_symbols:
        found = decide.sign(x).sign
        if found is not None:
            return normal_form.constant(found)
    return normal_form.FUNCTIONS["sign"](x)


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
    # Exponentials, radicals, π and symbols alone are never zero, and neither is their product.
    if len(x.terms) == 1 and all(k.kind in ("symbol", "sum", "pi") for k in x.kernels()):
        return
    safe = decide.is_safe_divisor(x)
    if safe is False:
        raise ExactnessError(f"{op} is not defined here: the divisor is zero")
    if safe is None:
        raise Undecided(f"{op}: whether the divisor is zero is not settled")


def _is_fractional(exponent: Sum) -> bool:
    n = exponent.rational()
    return n is None or n.q != 1


def _would_multiply(base: Sum) -> bool:
    """Whether a power of a sum has denominators that multiply, in more terms than are kept."""
    return len(base) ** 2 > MAX_EXPANDED and any(k.kind == "sum" for k in base.kernels())


def _apply(op: str, args: tuple[Any, ...]) -> Any:
    if op == "maximum":
        return larger(*args)
    if op == "sign":
        return signum(*args)
    if any(map(is_mark, args)):
        return selected(op, args, ZERO)
    _check_domain(op, args)
    if op == "power" and _would_multiply(args[0]):
        return normal_form.power(held(args[0]), args[1])
    try:
        return settled(normal_form.apply(op, list(args)))
    except TooLarge:
        if op != "power":
            raise
        return normal_form.power(held(args[0]), args[1])


@cache
def _ufunc(op: str) -> Any:
    return np.frompyfunc(lambda *args: _apply(op, args), OPERATIONS[op], 1)


def _by_entry(op: str, *arrays: Any) -> Array:
    """An operation on single entries, broadcast."""
    return by_row(_ufunc(op), [opened(x) for x in arrays])


#: Terms that multiplying two entries out may give, and from which an entry is held.
MAX_EXPANDED, MANY = 256, 8


def _longest(x: Array) -> int:
    return max((len(entry) for entry in x.flat if isinstance(entry, Sum)), default=0)


def _held_if_long(x: Array) -> Array:
    """The entries of an array, long ones as references."""
    one = np.frompyfunc(
        lambda entry: held(entry) if isinstance(entry, Sum) and len(entry) > MANY else entry, 1, 1
    )
    return np.asarray(one(x), dtype=object)


def _product(a: Array, b: Array) -> Array:
    """A matrix product; where a row's would have n² terms an entry, of references.

    They would say no more. Each row is looked at for itself, so that one derived alone, from a
    cache, has the form that it has among others.
    """
    longest = _longest(b)
    rows = list(a) if a.ndim == 2 else [a]
    is_long = [_longest(row) * longest > MAX_EXPANDED for row in rows]
    if not any(is_long):
        return multiplied(a, b, np.matmul)
    references = _held_if_long(b)
    if all(is_long):
        return multiplied(_held_if_long(a), references, np.matmul)
    products = [
        multiplied(_held_if_long(row), references, np.matmul)
        if long
        else multiplied(row, b, np.matmul)
        for row, long in zip(rows, is_long, strict=True)
    ]
    return np.stack(products, axis=-2 if b.ndim > 1 else 0)


class Compact(ArraySystem):
    """Operations on numbers in normal form.

    Values are arrays in matrix shape (`scaled`, `mixture`) as long as the operations
    allow, and object arrays of single entries where they do not.
    """

    def array(self, exact: Array | Given) -> Any:
        given = Given.of(exact)
        found = Scaled.of(given)
        if found is not None:
            return found
        return np.asarray(np.frompyfunc(number, 1, 1)(given.entries), dtype=object)

    def add(self, a: Any, b: Any, sign: int = 1) -> Any:
        found: Any = None
        if isinstance(a, Mixture) and isinstance(b, Mixture):
            found = a.plus(b, sign)
        elif isinstance(a, Scaled) and isinstance(b, Mixture):
            turned = b if sign > 0 else b.negated()
            found = None if turned is None else turned.plus(a)
        elif isinstance(a, Scaled | Mixture) and isinstance(b, Scaled):
            found = a.plus(b, sign)
        return _by_entry("add" if sign > 0 else "sub", a, b) if found is None else found

    def sub(self, a: Any, b: Any) -> Any:
        return self.add(a, b, -1)

    def neg(self, x: Any) -> Any:
        found = x.negated() if isinstance(x, Scaled | Mixture) else None
        return _by_entry("neg", x) if found is None else found

    def mul(self, a: Any, b: Any) -> Any:
        factor, other = (a, b) if a.size == 1 and a.ndim <= b.ndim else (b, a)
        found = _times(other, factor)
        return _by_entry("mul", a, b) if found is None else found

    def div(self, a: Any, b: Any) -> Any:
        found = _times(a, b, inverted=True)
        return _by_entry("div", a, b) if found is None else found

    def sign(self, x: Any) -> Any:
        """In matrix shape where all are decided, so that balls take them over as they are."""
        found = _by_entry("sign", x)
        return Scaled.gathered(found) if found.ndim and _decided(found) else found

    def exp(self, x: Any) -> Any:
        if isinstance(x, Scaled) and x.ndim:
            return Exponentials(Scores.of(x), x.shape, divided=False)
        return _by_entry("exp", x)

    def matmul(self, a: Any, b: Any) -> Any:
        right = _rational(b)
        if right is not None:
            left = a if isinstance(a, Exponentials | Mixture) else _rational(a)
            found = None if left is None else left.matmul(right)
            if found is not None:
                return found
        products = _product(opened(a), opened(b))
        return np.asarray(np.frompyfunc(settled, 1, 1)(products), dtype=object)

    def sum(self, x: Any, *, axis: int, keepdims: bool) -> Any:
        found: Any = None
        if isinstance(x, Exponentials) and axis == x.ndim - 1:
            found = x.sums(keepdims)
        elif isinstance(x, Scaled):
            found = x.summed(axis, keepdims)
        if found is not None:
            return found
        total = np.sum(opened(x), axis=axis, keepdims=keepdims)
        return np.asarray(np.frompyfunc(settled, 1, 1)(total), dtype=object)

    def max(self, x: Any, *, axis: int, keepdims: bool) -> Array:
        found = np.frompyfunc(larger, 2, 1).reduce(opened(x), axis=axis, keepdims=keepdims)
        return np.asarray(found, dtype=object)

    def softmax(self, x: Any, *, zero: bool = False) -> Any:
        """e^{z_ij} over its row's sum, one kernel a row; 0 where masked."""
        scores = _rational(x)
        if scores is not None:
            full = scores.marks is not None and check_rows(scores.marks < 0, zero).any()
            if not full:
                return Exponentials(Scores.of(scores), scores.shape, divided=True)
        x = opened(x)
        masked = check_rows(np.vectorize(is_mark, otypes=[bool])(x), zero)
        numerators = _by_entry("exp", x)
        totals = np.sum(numerators, axis=-1, keepdims=True)
        totals = np.where(masked, normal_form.ONE, totals)  # 0/1, not 0/0
        inverses = np.frompyfunc(normal_form.inverse, 1, 1)(totals)
        return np.asarray(numerators * inverses, dtype=object)

    def gather(self, x: Any, index: Array) -> Any:
        found = x.gather(index) if isinstance(x, Scaled | Exponentials | Mixture) else None
        return super().gather(opened(x), index) if found is None else found

    def concat(self, *xs: Any, axis: int) -> Any:
        found: Any = None
        if all(isinstance(x, Scaled) for x in xs):
            found = concatenated(list(xs), axis)
        elif all(isinstance(x, Mixture) for x in xs) and axis == xs[0].ndim - 1:
            found = joined(xs)
        return super().concat(*map(opened, xs), axis=axis) if found is None else found

    def where(self, a: Any, b: Any, *, keep: Array) -> Any:
        found = a.selected(b, keep) if isinstance(a, Scaled) and isinstance(b, Scaled) else None
        return super().where(opened(a), opened(b), keep=keep) if found is None else found


def _decided(x: Array) -> bool:
    return bool(x.size) and all(entry.rational() is not None for entry in x.flat)


def _rational(x: Any) -> Scaled | None:
    """Rationals beside one square root in matrix shape, also where they came one by one."""
    if isinstance(x, Scaled):
        return x
    return None if isinstance(x, Held) else Scaled.gathered(x)


def _times(x: Any, factor: Any, inverted: bool = False) -> Any:
    """A held array times, or divided by, one number; None where that has no such form."""
    if not isinstance(x, Scaled | Mixture) or factor.size != 1 or factor.ndim > x.ndim:
        return None
    found = coefficient(next(iter(factor.flat)))
    if found is None or (inverted and not found[1]):
        return None
    radicand, c = found
    return x.times(radicand, 1 / (c * radicand) if inverted else c)


for _name in ("power", "log", "sqrt", "sin", "cos", "tanh", "erf", "maximum"):
    setattr(Compact, _name, staticmethod(partial(_by_entry, _name)))


@cache
def shared() -> Compact:
    """The one instance: the system holds no state."""
    return Compact()
