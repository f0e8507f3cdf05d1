"""Exact numbers, and the small grammar that reads them from text.

An `Exact` is neutral: no number system owns it, and each one can take it in.
It is a `fractions.Fraction`, an `Infinity`, a `Name` (a symbol), or an `Apply`
(one of a few functions of exact numbers, such as ``sqrt(2)``). Text is parsed
by the grammar below and never run.

    sum     = product (("+" | "-") product)*
    product = unary (("*" | "/") unary)*
    unary   = ("-" | "+") unary | power
    power   = atom (("^" | "**") unary)?
    atom    = decimal | name | function "(" sum ")" | "(" sum ")"
    name    = word ("[" index ("," index)* "]")?

``W_Q[0,1]`` is one name: that of the entry of a matrix of symbols.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, Literal, NoReturn

import numpy as np

from symattn.errors import ExactnessError, LiteralError, ShapeError

MAX_LENGTH = 400  # characters of one entry
MAX_DIGITS = 200  # digits of one decimal
MAX_EXPONENT = 64  # absolute value of a literal exponent
MAX_DEPTH = 24  # nested brackets
MAX_BITS = 8192  # of an integer, or of a fraction's parts

FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tanh", "erf")
Rule = Literal["decimal", "binary"]


@dataclass(frozen=True, slots=True)
class Infinity:
    """Plus or minus infinity: a mark for selection, not a number to calculate with."""

    sign: int

    def __str__(self) -> str:
        return "-oo" if self.sign < 0 else "oo"


NEGATIVE_INFINITY = Infinity(-1)
POSITIVE_INFINITY = Infinity(1)


@dataclass(frozen=True, slots=True)
class Name:
    """A symbol, real and finite."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of the graph's own table on exact numbers, unevaluated; or π, of none."""

    op: str
    args: tuple[Exact, ...]

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.args))})" if self.args else self.op


Exact = Fraction | Infinity | Name | Apply

#: The one named number: `np.pi` in a traced function. In text, ``pi`` is a symbol like any other.
PI = Apply("pi", ())

#: NumPy's constants that are numbers, by their names there.
CONSTANTS: Mapping[str, Exact] = {"pi": PI, "e": Apply("exp", (Fraction(1),))}

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<name>[^\W\d]\w*(?:\[\s*[0-9]+(?:\s*,\s*[0-9]+)*\s*\])?)
    | (?P<operator>\*\*|[-+*/^()−∞])
    )""",
    re.VERBOSE,
)


def parse(text: str, names: Mapping[str, Exact] | None = None, *, limit: int = MAX_LENGTH) -> Exact:
    """Read one exact number.

    Args:
        text: a decimal (``"0.2"`` is 1/5), fraction, ``"sqrt(2)"``, ``"-oo"``,
            a symbol's name, or sums, products, quotients and powers of these.
        names: names with a value of their own, such as ``{"d_k": Fraction(2)}``.
            Every other name is a symbol.
        limit: characters that the text may have.

    Raises:
        LiteralError: the text is not of this grammar, or over its limits
            (400 characters, 200 digits, exponents up to 64, 24 nested brackets).

    >>> str(parse("0.2")), str(parse("-1/3")), str(parse("-oo"))
    ('1/5', '-1/3', '-oo')
    >>> str(parse("2*sqrt(2)"))
    'mul(2, sqrt(2))'
    """
    if len(text) > limit:
        raise LiteralError(f"wanted an exact number of at most {limit} characters, got {len(text)}")
    return _Parser(text, names or {}).parse()


class _Parser:
    def __init__(self, text: str, names: Mapping[str, Exact]) -> None:
        self.text = text
        self.names = names
        self.tokens = list(self._tokens())
        self.at = 0
        self.depth = 0

    def _fail(self, why: str) -> NoReturn:
        raise LiteralError(
            f"wanted an exact number (0.2, 1/5, sqrt(2), -oo, a name), got {self.text!r}: {why}"
        )

    def _tokens(self) -> Iterator[tuple[str, str]]:
        position = 0
        while self.text[position:].strip():
            match = _TOKEN.match(self.text, position)
            if match is None:
                rest = self.text[position:].lstrip()
                self._fail(f"{rest[0]!r} is not part of the grammar")
            kind = match.lastgroup or ""
            yield kind, match[kind]
            position = match.end()

    def _peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _accept(self, *operators: str) -> str:
        if self.at < len(self.tokens):
            kind, value = self.tokens[self.at]
            if kind == "operator" and value in operators:
                self.at += 1
                return value
        return ""

    def parse(self) -> Exact:
        if not self.tokens:
            self._fail("it is empty")
        value = self._sum()
        if self.at < len(self.tokens):
            self._fail(f"{self._peek()!r} was not expected there")
        return value

    def _sum(self) -> Exact:
        value = self._product()
        while sign := self._accept("+", "-", "−"):
            value = self._combine("add" if sign == "+" else "sub", value, self._product())
        return value

    def _product(self) -> Exact:
        value = self._unary()
        while sign := self._accept("*", "/"):
            value = self._combine("mul" if sign == "*" else "div", value, self._unary())
        return value

    def _nested(self, read: Any) -> Exact:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._fail(f"more than {MAX_DEPTH} levels deep")
        value: Exact = read()
        self.depth -= 1
        return value

    def _unary(self) -> Exact:
        if self._accept("-", "−"):
            return self._negated(self._nested(self._unary))
        if self._accept("+"):
            return self._nested(self._unary)
        return self._power()

    def _negated(self, value: Exact) -> Exact:
        if isinstance(value, Fraction):
            return -value
        return Infinity(-value.sign) if isinstance(value, Infinity) else Apply("neg", (value,))

    def _power(self) -> Exact:
        base = self._atom()
        if self._accept("^", "**"):
            return self._combine("power", base, self._nested(self._unary))
        return base

    def _atom(self) -> Exact:
        if self._accept("("):
            value = self._nested(self._sum)
            if not self._accept(")"):
                self._fail("a closing bracket is missing")
            return value
        if self._accept("∞"):
            return POSITIVE_INFINITY
        if self.at >= len(self.tokens):
            self._fail("it ends too early")
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return self._number(word)
        if kind != "name":
            self._fail(f"{word!r} was not expected there")
        if word in self.names:
            return self.names[word]
        if word == "oo":
            return POSITIVE_INFINITY
        if self._accept("("):
            return self._call(word)
        if word.lower() in ("nan", "inf", "infinity"):
            self._fail(f"{word!r} is no exact number; infinity is written oo or -oo")
        return Name(canonical(word))

    def _number(self, word: str) -> Fraction:
        mantissa, _, exponent = word.lower().partition("e")
        if len(mantissa) > MAX_DIGITS or abs(int(exponent or 0)) > MAX_DIGITS:
            self._fail(f"more than {MAX_DIGITS} digits")
        return Fraction(word)

    def _call(self, word: str) -> Exact:
        if word not in FUNCTIONS:
            self._fail(f"{word}(...) is not one of {', '.join(FUNCTIONS)}")
        argument = self._nested(self._sum)
        if not self._accept(")"):
            self._fail("a closing bracket is missing")
        if isinstance(argument, Infinity):
            self._fail("infinity stands alone; it is not calculated with")
        if word == "log" and isinstance(argument, Fraction) and argument <= 0:
            self._fail("the logarithm of a number that is not positive")
        if word == "sqrt" and isinstance(argument, Fraction) and argument < 0:
            self._fail("the square root of a negative number")
        return Apply(word, (argument,))

    def _combine(self, op: str, left: Exact, right: Exact) -> Exact:
        if isinstance(left, Infinity) or isinstance(right, Infinity):
            self._fail("infinity stands alone; it is not calculated with")
        if op == "div" and right == 0:
            self._fail("a division by zero")
        if op == "power":
            return self._raise(left, right)
        return folded(op, left, right)

    def _raise(self, base: Exact, exponent: Exact) -> Exact:
        if not isinstance(exponent, Fraction) or abs(exponent) > MAX_EXPONENT:
            self._fail(f"an exponent is a number of at most {MAX_EXPONENT}")
        if base == 0 and exponent <= 0:
            self._fail("zero to a power that is not positive")
        if isinstance(base, Fraction):
            if exponent.denominator == 1:
                power = base**exponent.numerator
                if max(power.numerator.bit_length(), power.denominator.bit_length()) > 4096:
                    self._fail("a power of more than 4096 bits")
                return Fraction(power)
            if base < 0:
                self._fail("a fractional power of a negative number")
        return Apply("power", (base, exponent))


def canonical(name: str) -> str:
    """A name as it is printed: ``W_Q[0, 1]`` is ``W_Q[0,1]``."""
    stem, _, cell = name.partition("[")
    if not cell:
        return name
    return f"{stem}[{','.join(str(int(i)) for i in cell[:-1].split(','))}]"


def folded(op: str, *args: Exact) -> Exact:
    """An operation on exact numbers, worked out where rationals give a rational.

    Raises:
        LiteralError: a division by zero.
    """
    if op == "div" and args[1] == 0:
        raise LiteralError("a division by zero")
    rational = [a for a in args if isinstance(a, Fraction)]
    if len(rational) < len(args) or op not in _ON_RATIONALS:
        return Apply(op, args)
    return Fraction(_ON_RATIONALS[op](*rational))


_ON_RATIONALS: Mapping[str, Any] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "neg": operator.neg,
}  # fmt: skip


def exact(
    value: Any, *, rule: Rule | None = None, names: Mapping[str, Exact] | None = None
) -> Exact:
    """Take one number in exactly.

    Args:
        value: an integer, Fraction, Decimal, string, SymPy number or symbol, an
            `Exact`, or an entry of a derivation, whose value is taken as it is. A
            Python or NumPy float only with a `rule`, infinities aside.
        rule: ``"decimal"`` (the shortest decimal that round-trips) or
            ``"binary"`` (the value stored), for floats.
        names: passed on to `parse`.

    Raises:
        ExactnessError: a float without a rule.
        LiteralError: anything else that is not an exact number.

    >>> exact(0.2)
    Traceback (most recent call last):
    ...
    symattn.errors.ExactnessError: the float 0.2 is not exact: write "0.2" for 1/5, or say \
which value is meant with exact="decimal" (1/5) or exact="binary" (the value stored)
    >>> exact(0.2, rule="decimal")
    Fraction(1, 5)
    """
    if isinstance(value, Fraction):
        return _sized(value)
    if isinstance(value, Infinity | Name | Apply):
        return value
    if hasattr(value, "__symattn_exact__"):
        return value.__symattn_exact__()  # type: ignore[no-any-return]
    if isinstance(value, bool | np.bool_):
        raise LiteralError(
            f"wanted a number, got {value}: a boolean mask is given as keep= or drop="
        )
    if isinstance(value, int | np.integer):
        return _sized(Fraction(int(value)))
    if isinstance(value, str):
        return parse(value, names)
    if isinstance(value, float | np.floating):
        return _exact_float(value, rule)
    if isinstance(value, Decimal):
        if value.is_nan():
            raise LiteralError("wanted an exact number, got the Decimal NaN")
        if value.is_infinite():
            return Infinity(1 if value > 0 else -1)
        if abs(value.as_tuple().exponent) > MAX_BITS:  # type: ignore[arg-type]
            raise LiteralError(f"wanted a number of at most {MAX_BITS} bits, got {value}")
        return _sized(Fraction(value))
    if type(value).__module__.partition(".")[0] == "sympy":
        return _exact_sympy(value)
    raise LiteralError(
        f"wanted a number, a string or a SymPy expression, got {type(value).__name__} {value!r}"
    )


def _sized(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise LiteralError(f"wanted a number of at most {MAX_BITS} bits, got a longer one")
    return value


def _exact_float(value: Any, rule: Rule | None) -> Exact:
    if np.isnan(value):
        raise LiteralError("wanted an exact number, got nan")
    if np.isinf(value):
        return Infinity(1 if value > 0 else -1)
    shortest = np.format_float_positional(value, trim="-")
    if rule == "decimal":
        return Fraction(shortest)
    if rule == "binary":
        return Fraction(*value.as_integer_ratio())
    raise ExactnessError(
        f'the float {shortest} is not exact: write "{shortest}" for {Fraction(shortest)}, or say '
        f'which value is meant with exact="decimal" ({Fraction(shortest)}) or exact="binary" '
        "(the value stored)"
    )


@cache
def _sympy_heads() -> dict[Any, str]:
    import sympy

    functions = {getattr(sympy, name): name for name in FUNCTIONS if name != "sqrt"}
    return {sympy.Add: "add", sympy.Mul: "mul", sympy.Pow: "power", **functions}


def _exact_sympy(value: Any) -> Exact:
    import sympy

    if isinstance(value, sympy.Rational):
        return Fraction(int(value.p), int(value.q))
    if value is sympy.oo or value is -sympy.oo:
        return Infinity(1 if value is sympy.oo else -1)
    if isinstance(value, sympy.Symbol):
        return _name_of(value)
    if isinstance(value, sympy.matrices.expressions.matexpr.MatrixElement | sympy.Indexed):
        return as_name(str(value))
    if isinstance(value, sympy.Float):
        raise ExactnessError(f"the SymPy Float {value} is not exact: write a string or a Rational")
    if value is sympy.E:
        return CONSTANTS["e"]
    if value is sympy.pi:
        return PI
    head = _sympy_heads().get(getattr(value, "func", None))
    if head is None:
        raise LiteralError(f"wanted an exact number, got the SymPy {type(value).__name__} {value}")
    arguments = tuple(_exact_sympy(a) for a in value.args)
    if head in ("add", "mul"):
        total = arguments[0]
        for argument in arguments[1:]:
            total = Apply(head, (total, argument))
        return total
    return Apply(head, arguments)


def _name_of(symbol: Any) -> Name:
    """A SymPy symbol by its name, if text can say it and nothing else is meant by it."""
    import sympy

    if isinstance(symbol, sympy.Dummy) or symbol.is_real is False or symbol.is_finite is False:
        raise LiteralError(f"wanted a symbol that is real, finite and has a name, got {symbol!r}")
    return as_name(symbol.name)


def as_name(text: str) -> Name:
    """The symbol of this name: a letter, then letters, digits and _, then perhaps a cell.

    Raises:
        LiteralError: text that means something else.

    >>> as_name("W_Q[0, 1]")
    Name(name='W_Q[0,1]')
    """
    try:
        found = parse(text)
    except LiteralError:
        found = None
    if not isinstance(found, Name):
        raise LiteralError(
            f"wanted a symbol's name such as a, beta or W_Q[0,1], got {text!r}"
        ) from None
    return found


def exact_array(
    value: Any,
    where: str,
    *,
    rule: Rule | None = None,
    names: Mapping[str, Exact] | None = None,
) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Take a number, a (nested) sequence, a NumPy array, a SymPy matrix or a step in exactly.

    Returns:
        A NumPy array of dtype object whose entries are `Exact`, or the numbers in normal
        form that steps and entries of derivations are.

    Raises:
        ShapeError: rows of unequal length, or nothing in it.
        LiteralError, ExactnessError: see `exact`; the message names the entry.

    >>> exact_array([["0.2", 1], [0, "sqrt(2)"]], "E").shape
    (2, 2)
    """
    if hasattr(value, "__symattn_exact__"):
        return np.asarray(value.__symattn_exact__(), dtype=object)
    if hasattr(value, "tolist") and not isinstance(value, str | np.generic):
        rows = np.asarray(value, dtype=object) if not isinstance(value, np.ndarray) else value
        if rows.dtype.kind == "f" and is_float_mask(rows):
            rule = "binary"
        entries = _from_array(rows)
    else:
        entries = value
    shape = _shape(entries, where)
    out = np.empty(shape, dtype=object)
    for index in np.ndindex(shape):
        item = entries
        for i in index:
            item = item[i]
        try:
            out[index] = exact(item, rule=rule, names=names)
        except (LiteralError, ExactnessError) as error:
            at = f"{where}[{','.join(map(str, index))}]" if index else where
            raise type(error)(f"{at}: {error}") from None
    return out


def is_float_mask(array: np.ndarray[Any, Any]) -> bool:
    """Whether a float array holds only 0 and infinities: an additive mask, exact as it is."""
    return bool(np.all((array == 0) | np.isinf(array)))


def _from_array(rows: np.ndarray[Any, Any]) -> Any:
    """Nested lists of the array's own scalars (`tolist` would widen float32 to float)."""
    if rows.dtype == object or not rows.ndim:
        return rows.tolist()
    return [_from_array(row) if rows.ndim > 1 else row for row in rows]


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _shape(value: Any, where: str) -> tuple[int, ...]:
    if not _is_sequence(value):
        return ()
    if len(value) == 0:
        raise ShapeError(f"{where}: wanted at least one entry, got an empty row or matrix")
    shapes = [_shape(item, f"{where}[{i}]") for i, item in enumerate(value)]
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ShapeError(
                f"{where}: rows of unequal length: row 0 has {_length(shapes[0])}, "
                f"row {i} has {_length(shape)}"
            )
    return (len(value), *shapes[0])


def _length(shape: tuple[int, ...]) -> str:
    if not shape:
        return "a single number"
    return " × ".join(map(str, shape)) + (" entry" if shape == (1,) else " entries")
