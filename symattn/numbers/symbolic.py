"""The symbolic number system: every entry a SymPy expression. The engine of record.

Nothing is simplified on the way; SymPy's automatic evaluation (rational
arithmetic, radicals of integers, exp(0)) is all that happens. -oo is placed by
selection: it may be added to a score and passed to exp, softmax and maximum,
and every other operation refuses it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
import sympy
from sympy.core.evalf import PrecisionExhausted
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from symattn.errors import ExactnessError, Undecided
from symattn.graph import OPERATIONS, Array
from symattn.literals import Apply, Exact, Infinity, Name
from symattn.numbers.arrays import ArraySystem, check_rows

_SCALAR: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "neg": lambda a: -a, "power": sympy.Pow, "sqrt": sympy.sqrt,
    "exp": sympy.exp, "log": sympy.log, "sin": sympy.sin, "cos": sympy.cos,
    "tanh": sympy.tanh, "erf": sympy.erf,
}  # fmt: skip

#: Operations that are not defined, or not real, everywhere.
_PARTIAL = frozenset(["div", "power", "log", "sqrt"])

#: Significant digits that values are first evaluated to, for every use.
SIGNIFICANT = 40

#: Significant digits up to which a sign or a rounding is looked for.
LIMIT = 2000


def number(value: Exact) -> sympy.Expr:
    """Turn an `Exact` into a SymPy expression; names become real, finite symbols."""
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
            raise ExactnessError(
                f"{name} met {' and '.join(str(a) for a in args if _is_masked(a))}: "
                "a masked score is selected, not calculated with"
            )
        return _defined(name, args)

    return _mapped(scalar, OPERATIONS[name])


def _mapped(function: Callable[..., Any], operands: int) -> Callable[..., Array]:
    """A function of entries as one of arrays, broadcast; rank 0 stays an array."""
    ufunc = np.frompyfunc(function, operands, 1)
    return lambda *arrays: np.asarray(ufunc(*arrays), dtype=object)


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
        raise ExactnessError("exp met oo")
    return sympy.S.Zero if a is sympy.S.NegativeInfinity else sympy.exp(a)


def _maximum(a: Any, b: Any) -> Any:
    if a.free_symbols or b.free_symbols:
        return sympy.Max(a, b)
    return a if order(a, b) >= 0 else b


def sign(x: sympy.Expr) -> int:
    """The sign of a real number, by evaluation to as many digits as it takes.

    Raises:
        Undecided: x may be zero, or is closer to it than 2000 digits can tell.
    """
    if x.is_Rational or x.is_infinite:
        return int(sympy.sign(x))
    if x.is_zero or (x.is_algebraic and x.equals(0)):
        return 0
    value = _approximation(x, 15)
    if value is None:
        raise Undecided(f"the sign of {x} is not settled at {LIMIT} digits")
    return 1 if value > 0 else -1


def order(a: sympy.Expr, b: sympy.Expr) -> int:
    """The sign of a - b.

    Raises:
        Undecided: see `sign`.
    """
    if a == b:
        return 0
    left, right = _approximation(a, SIGNIFICANT), _approximation(b, SIGNIFICANT)
    if left is not None and right is not None:
        slack = (abs(left) + abs(right)) / 10 ** (SIGNIFICANT - 2)
        if abs(left - right) > slack:
            return 1 if left > right else -1
    return sign(a - b)


@lru_cache(maxsize=10_000)
def _approximation(x: sympy.Expr, significant: int) -> Fraction | None:
    """A rational within so many correct significant digits; None where x may be zero."""
    try:
        value = x.evalf(significant, maxn=LIMIT * 4, strict=True)
    except PrecisionExhausted:
        return None
    if not value.is_Float:
        return None
    sign, mantissa, exponent, _ = value._mpf_
    size: Fraction = int(mantissa) * Fraction(2) ** int(exponent)
    return -size if sign else size


class Symbolic(ArraySystem):
    """Operations on object arrays of SymPy expressions."""

    def array(self, exact: Array) -> Array:
        return _mapped(number, 1)(exact)

    def matmul(self, a: Array, b: Array) -> Array:
        for operand in (a, b):
            if any(map(_is_masked, operand.flat)):
                raise ExactnessError("matmul met -oo: mask the scores and take their softmax first")
        left = a if a.ndim > 1 else a[None, :]
        right = b if b.ndim > 1 else b[:, None]
        batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        left = np.broadcast_to(left, batch + left.shape[-2:])
        right = np.broadcast_to(right, batch + right.shape[-2:])
        out = np.empty((*batch, left.shape[-2], right.shape[-1]), dtype=object)
        for *k, i, j in np.ndindex(out.shape):
            row, column = left[(*k, i)], right[(*k, slice(None), j)]
            out[(*k, i, j)] = sympy.Add(*(x * y for x, y in zip(row, column, strict=True)))
        if a.ndim == 1:
            out = out[..., 0, :]
        return np.asarray(out[..., 0] if b.ndim == 1 else out, dtype=object)

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

    def softmax(self, x: Array) -> Array:
        """e^{z_ij} over its row's sum; 0 where masked."""
        check_rows(np.vectorize(lambda z: z is sympy.S.NegativeInfinity, otypes=[bool])(x))
        numerators = self.exp(x)
        denominators = self.sum(numerators, axis=-1, keepdims=True)
        # The numerators' sum is positive: no zero to look for.
        return np.asarray(numerators / denominators, dtype=object)

    def text(self, value: Any, names: Mapping[Any, str] | None = None) -> str:
        """Plain text of an entry, with `names` for some of its sub-expressions."""
        renamed, shown = _rename(value, names)
        return str(_Text(shown).doprint(renamed))

    def latex(self, value: Any, names: Mapping[Any, str] | None = None) -> str:
        """LaTeX of an entry, with `names` (LaTeX) for some of its sub-expressions."""
        renamed, shown = _rename(value, names)
        return str(_Latex(shown).doprint(renamed))

    decimal = staticmethod(lambda value, digits: decimal(value, digits))
    order = staticmethod(order)
    is_infinite = staticmethod(lambda value: _is_masked(value))

    def rounded(self, values: Array, digits: int) -> Array:
        """Every entry rounded to fixed decimals, as a rational; infinities stay."""
        out = values.copy()
        for index, value in np.ndenumerate(values):
            if not _is_masked(value):
                out[index] = number(Fraction(decimal(value, digits)))
        return out

    def approximate(self, value: Any, significant: int) -> Fraction:
        """A rational within a few units of the last of so many significant digits."""
        if value.is_Rational:
            return Fraction(int(value.p), int(value.q))
        return _approximation(value, max(significant, SIGNIFICANT)) or Fraction(0)

    def contains(self, value: Any, function: str) -> bool:
        """Whether an entry contains a function such as ``exp``."""
        return bool(value.has(getattr(sympy, function)))


for _name in ("mul", "div", "neg", "power", "log", "sqrt", "sin", "cos", "tanh", "erf"):
    setattr(Symbolic, _name, staticmethod(_elementwise(_name)))


def _reduce(function: Callable[[Array], Any], x: Array, axis: int, keepdims: bool) -> Array:
    moved = np.moveaxis(x, axis, -1)
    out = np.empty(moved.shape[:-1], dtype=object)
    for index in np.ndindex(out.shape):
        out[index] = function(moved[index])
    return np.expand_dims(out, axis) if keepdims else out


def decimal(value: sympy.Expr, digits: int) -> str:
    """Round to fixed decimals, half away from zero, with guard digits from SymPy.

    Close to a rounding boundary more digits are taken, up to 2000.

    Raises:
        ExactnessError: the value contains symbols.
        Undecided: it stays on the boundary at 2000 digits and is not rational.

    >>> decimal(sympy.Rational(1, 8), 2), decimal(-sympy.Rational(1, 8), 2)
    ('0.13', '-0.13')
    >>> decimal(sympy.exp(-9), 2)
    '0.00'
    """
    if _is_masked(value):
        return str(value)
    if value.free_symbols:
        names = ", ".join(sorted(map(str, value.free_symbols)))
        raise ExactnessError(f"wanted a number, got {value}, which contains {names}")
    if value.is_Rational:
        return fixed(Fraction(int(value.p), int(value.q)), digits)
    found = _approximation(value, SIGNIFICANT)
    if found is None:
        # Smaller than anything that 2000 digits show: it prints as zero, or not at all.
        if value.is_zero or (value.is_algebraic and value.equals(0)) or digits < LIMIT:
            return fixed(Fraction(0), digits)
        raise Undecided(f"{value} is not told from zero at {LIMIT} digits")
    whole = len(str(int(abs(found))))
    significant = SIGNIFICANT
    while found is not None and significant < 2 * LIMIT + digits + whole:
        guard = significant - whole - digits
        if guard > 3:
            slack = Fraction(1, 10 ** (digits + guard - 2))
            low, high = fixed(found - slack, digits), fixed(found + slack, digits)
            if low == high:
                return low
        significant = max(2 * significant, whole + digits + 10)
        found = _approximation(value, significant)
    raise Undecided(
        f"the rounding of {value} to {digits} decimals is not settled at {LIMIT} digits"
    )


def fixed(value: Fraction, digits: int) -> str:
    """Write a rational with fixed decimals, rounded half away from zero, never as -0.

    >>> fixed(Fraction(2, 5), 2), fixed(Fraction(-1, 1000), 2)
    ('0.40', '0.00')
    """
    scaled = abs(value) * 10**digits
    units = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    text = str(units).rjust(digits + 1, "0")
    minus = "-" if value < 0 and units else ""
    return f"{minus}{text[:-digits]}.{text[-digits:]}" if digits else minus + text


def matrix(value: Array) -> Any:
    """An immutable SymPy matrix (rank 0 and 1: one row), or an N-d array from rank 3 on."""
    if value.ndim <= 2:
        rows = value.reshape((1, -1)) if value.ndim < 2 else value
        return sympy.ImmutableDenseMatrix(*rows.shape, list(rows.flat))
    return sympy.ImmutableDenseNDimArray(list(value.flat), value.shape)


def _rename(value: Any, names: Mapping[Any, str] | None) -> tuple[Any, dict[str, str]]:
    if not names:
        return value, {}
    shown: dict[str, str] = {}
    rules = {}
    for i, (part, label) in enumerate(names.items()):
        # A name no user can type, sorted in the order of `names`.
        stand_in = sympy.Symbol(f"\0{i:06d}", positive=True)
        rules[part] = stand_in
        shown[stand_in.name] = label
    return value.xreplace(rules), shown


class _Latex(LatexPrinter):  # type: ignore[misc]
    """SymPy's printer, with our names for sub-expressions and symbols."""

    def __init__(self, shown: Mapping[str, str]) -> None:
        super().__init__({"mul_symbol": None})
        self._shown = shown

    def _print_ExpBase(self, expr: Any, exp: Any = None) -> str:
        """Exponents are small already: their fractions are written in a line."""
        argument = expr.args[0]
        top, bottom = argument.as_numer_denom()
        inline = bottom.is_Integer and bottom != 1 and not top.is_Add
        shown = f"{self._print(top)}/{bottom}" if inline else self._print(argument)
        return str(self._do_exponent(f"e^{{{shown}}}", exp))

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        from symattn.notation import symbol

        return self._shown.get(expr.name) or symbol(expr.name)


class _Text(StrPrinter):  # type: ignore[misc]
    def __init__(self, shown: Mapping[str, str]) -> None:
        super().__init__()
        self._shown = shown

    def _print_Symbol(self, expr: Any) -> str:
        return self._shown.get(expr.name) or str(expr.name)


@cache
def shared() -> Symbolic:
    """The one instance: the system holds no state."""
    return Symbolic()
