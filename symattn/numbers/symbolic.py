"""The symbolic number system: every entry a SymPy expression. The engine of record.

Nothing is simplified on the way; SymPy's automatic evaluation (rational
arithmetic, radicals of integers, exp(0)) is all that happens. -oo is placed by
selection: it may be added to a score and passed to exp, softmax and maximum,
and every other operation refuses it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy

from symattn import decide
from symattn.errors import ExactnessError
from symattn.graph import OPERATIONS, Array
from symattn.literals import Apply, Exact, Infinity, Name, exact
from symattn.numbers import compact
from symattn.numbers.arrays import MASKED, ArraySystem, by_row, check_rows, multiplied
from symattn.numbers.given import Given
from symattn.numbers.normal_form import Sum, to_sympy

_SCALAR: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "neg": lambda a: -a, "power": sympy.Pow, "sqrt": sympy.sqrt,
    "exp": sympy.exp, "log": sympy.log, "sin": sympy.sin, "cos": sympy.cos,
    "tanh": sympy.tanh, "erf": sympy.erf, "pi": lambda: sympy.pi,
}  # fmt: skip

#: Operations that are not defined, or not real, everywhere.
_PARTIAL = frozenset(["div", "power", "log", "sqrt"])


def number(value: Exact | Sum) -> sympy.Expr:
    """Turn an `Exact` into a SymPy expression; names become real, finite symbols."""
    if isinstance(value, Sum):
        return to_sympy(value)
    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    if isinstance(value, Infinity):
        return sympy.S.Infinity if value.sign > 0 else sympy.S.NegativeInfinity
    if isinstance(value, Name):
        return sympy.Symbol(value.name, real=True)
    if isinstance(value, Apply):
        return _defined(value.op, [number(a) for a in value.args])
    raise TypeError(f"not an Exact: {value!r}")


def _defined(op: str, args: Sequence[sympy.Expr]) -> sympy.Expr:
    """Apply an operation; what divides by zero is refused."""
    value = _SCALAR[op](*args)
    if op in _PARTIAL and value.has(sympy.nan, sympy.zoo):
        raise ExactnessError(f"{op}({', '.join(map(str, args))}) is not defined")
    if op in _PARTIAL and value.is_real is False:
        raise ExactnessError(f"{op}({', '.join(map(str, args))}) is not a real number")
    return value


def _is_masked(x: Any) -> bool:
    return x is sympy.S.NegativeInfinity or x is sympy.S.Infinity


def _elementwise(name: str) -> Callable[..., Array]:
    def scalar(*args: Any) -> Any:
        if any(map(_is_masked, args)):
            mark = next(a for a in args if _is_masked(a))
            raise ExactnessError(MASKED.format(op=name, mark=mark))
        return _defined(name, args)

    return _mapped(scalar, OPERATIONS[name])


def _mapped(function: Callable[..., Any], operands: int) -> Callable[..., Array]:
    """A function of entries as one of arrays, broadcast; rank 0 stays an array."""
    ufunc = np.frompyfunc(function, operands, 1)
    return lambda *arrays: by_row(ufunc, arrays)


def _add(a: Any, b: Any) -> Any:
    for x, y in ((a, b), (b, a)):
        if x is sympy.S.NegativeInfinity and y is not sympy.S.Infinity:
            return x
    if _is_masked(a) or _is_masked(b):
        raise ExactnessError(f"a sum of {a} and {b}: only -oo may be added, as a mask")
    return a + b


def _sub(a: Any, b: Any) -> Any:
    """A masked score less a finite one stays masked: scores less their row's maximum."""
    if a is sympy.S.NegativeInfinity and not _is_masked(b):
        return a
    if _is_masked(a) or _is_masked(b):
        raise ExactnessError(f"a difference of {a} and {b}: only a finite number may go from -oo")
    return a - b


def _exp(a: Any) -> Any:
    if a is sympy.S.Infinity:
        raise ExactnessError("exp met oo: only -oo masks a score")
    return sympy.S.Zero if a is sympy.S.NegativeInfinity else sympy.exp(a)


def _maximum(a: Any, b: Any) -> Any:
    if a.free_symbols or b.free_symbols:
        return sympy.Max(a, b)
    return a if order(a, b) >= 0 else b


def order(a: sympy.Expr, b: sympy.Expr) -> int:
    """The sign of a - b, decided in the normal form.

    Raises:
        Undecided: see `symattn.decide.order`.
    """
    if a == b:
        return 0
    left, right = (compact.number(exact(x)) for x in (a, b))
    if isinstance(left, Infinity) or isinstance(right, Infinity):
        return 1 if a is sympy.S.Infinity or b is sympy.S.NegativeInfinity else -1
    return decide.order(left, right)


def _sign(a: Any) -> Any:
    if _is_masked(a):
        return sympy.Integer(1 if a is sympy.S.Infinity else -1)
    return sympy.sign(a) if a.free_symbols else sympy.Integer(order(a, sympy.S.Zero))


def _product(left: Array, right: Array) -> Array:
    out = np.empty((len(left), right.shape[1]), dtype=object)
    for i, j in np.ndindex(out.shape):
        out[i, j] = sympy.Add(*(x * y for x, y in zip(left[i], right[:, j], strict=True)))
    return out


class Symbolic(ArraySystem):
    """Operations on object arrays of SymPy expressions."""

    def array(self, exact: Array | Given) -> Array:
        return _mapped(number, 1)(Given.of(exact).entries)

    def matmul(self, a: Array, b: Array) -> Array:
        return multiplied(a, b, _product, _is_masked)

    def sum(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        return _reduce(lambda row: sympy.Add(*row), x, axis, keepdims)

    def max(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        def largest(row: Array) -> Any:
            best = row[0]
            for entry in row[1:]:
                best = _maximum(best, entry)
            return best

        return _reduce(largest, x, axis, keepdims)

    add = staticmethod(_mapped(_add, 2))
    sub = staticmethod(_mapped(_sub, 2))
    exp = staticmethod(_mapped(_exp, 1))
    maximum = staticmethod(_mapped(_maximum, 2))
    sign = staticmethod(_mapped(_sign, 1))

    def softmax(self, x: Array, *, zero: bool = False) -> Array:
        """e^{z_ij} over its row's sum; 0 where masked."""
        masked = np.vectorize(lambda z: z is sympy.S.NegativeInfinity, otypes=[bool])(x)
        full = check_rows(masked, zero)
        numerators = self.exp(x)
        denominators = self.sum(numerators, axis=-1, keepdims=True)
        denominators = np.where(full, sympy.S.One, denominators)  # 0/1, not 0/0
        # The numerators' sum is positive: no zero to look for. One visible key has weight 1,
        # which SymPy does not always see.
        return _mapped(lambda n, d: sympy.S.One if n == d else n / d, 2)(numerators, denominators)


for _name in ("mul", "div", "neg", "power", "log", "sqrt", "sin", "cos", "tanh", "erf"):
    setattr(Symbolic, _name, staticmethod(_elementwise(_name)))


def _reduce(function: Callable[[Array], Any], x: Array, axis: int, keepdims: bool) -> Array:
    moved = np.moveaxis(x, axis, -1)
    out = np.empty(moved.shape[:-1], dtype=object)
    for index in np.ndindex(out.shape):
        out[index] = function(moved[index])
    return np.expand_dims(out, axis) if keepdims else out


def matrix(value: Array) -> Any:
    """An immutable SymPy matrix (rank 0 and 1: one row), or an N-d array from rank 3 on."""
    if value.ndim <= 2:
        rows = value.reshape((1, -1)) if value.ndim < 2 else value
        return sympy.ImmutableDenseMatrix(*rows.shape, list(rows.flat))
    return sympy.ImmutableDenseNDimArray(list(value.flat), value.shape)


@cache
def shared() -> Symbolic:
    """The one instance: the system holds no state."""
    return Symbolic()
