"""Exact scalars that stay small: Laurent sums over kernels.

A `Sum` is a finite sum of rational coefficients times monomials. A monomial is a
square-free radical √r, one exponential e^α whose exponent α is itself a `Sum`,
and integer powers of other kernels: a symbol, the sum under a fraction bar, sin,
cos, log, erf, a nested root, a maximum. Products of exponentials add exponents
and products of radicals reduce, so every number built of rationals, square roots
and exponentials of these has one form only. Nothing else is simplified: what two
forms have in common is found by `symattn.decide`.

Sums and kernels are immutable and compared by value; those under exponents and
fraction bars are interned, so that a row's denominator is one object.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from math import gcd
from typing import Any

from flint import fmpq, fmpz

from symattn.errors import ExactnessError, Undecided
from symattn.literals import Apply, Exact, Infinity, Name

MAX_POWER = 1024  # of a sum of several terms, multiplied out
MAX_TERMS = 20_000  # of a product; beyond, its factors are held by reference
MAX_CONJUGATES = 64  # terms of a sum of radicals whose inverse is freed of them
MAX_BITS = 1_000_000  # of a coefficient of a power
MAX_FACTORED = 128  # bits of an integer under a square root that is factorised
MAX_KEY = 2_000  # characters of the text that orders a sum
LONG = 8  # terms from which a sum outside the decidable class is held by reference

#: A radicand, an exponent (None for e^0), and powers of kernels in a frozenset.
Monomial = tuple[int, "Sum | None", frozenset[tuple["Kernel", int]]]

NO_POWERS: frozenset[tuple[Kernel, int]] = frozenset()
_ONE: Monomial = (1, None, NO_POWERS)


class TooLarge(Undecided):
    """A power or a clearing of denominators that is more work than is begun."""


class Sum:
    """Rational coefficients by monomial; see the module."""

    __slots__ = ("__weakref__", "_hash", "has_symbols", "key", "terms")

    _hash: int
    #: Text that orders sums, the same in every process.
    key: str
    #: Whether a symbol stands anywhere in it.
    has_symbols: bool

    def __init__(self, terms: Mapping[Monomial, fmpq]) -> None:
        self.terms = terms

    def __hash__(self) -> int:
        return self._hash

    def __getattr__(self, name: str) -> Any:
        made = _WORKED_OUT.get(name)
        if made is None:
            raise AttributeError(name)
        value = made(self)
        setattr(self, name, value)
        return value

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Sum) and hash(self) == hash(other) and self.terms == other.terms

    def __len__(self) -> int:
        return len(self.terms)

    def __bool__(self) -> bool:
        raise TypeError("whether a number is zero is asked of symattn.decide")

    def __repr__(self) -> str:
        return self.key or "0"

    def __symattn_exact__(self) -> Fraction | Sum:
        """Itself, as an input of a derivation; a rational as such."""
        c = self.rational()
        return self if c is None else fraction(c)

    # Arithmetic.

    def __add__(self, other: Sum) -> Sum:
        if len(self.terms) < len(other.terms):
            return other + self
        terms = dict(self.terms)
        for monomial, c in other.terms.items():
            _accumulate(terms, monomial, c)
        return Sum(terms)

    def __neg__(self) -> Sum:
        return Sum({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Sum) -> Sum:
        return self + (-other)

    def scaled(self, factor: fmpq) -> Sum:
        """Every coefficient times a rational."""
        return Sum({m: c * factor for m, c in self.terms.items()}) if factor else ZERO

    def __mul__(self, other: Sum) -> Sum:
        if len(self.terms) * len(other.terms) > MAX_TERMS:
            return held(self) * held(other)
        terms: dict[Monomial, fmpq] = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                _multiply_into(terms, m, n, c * d)
        return Sum(terms)

    def rational(self) -> fmpq | None:
        """The value, where the form is a rational as it stands."""
        if not self.terms:
            return fmpq(0)
        if len(self.terms) == 1 and _ONE in self.terms:
            return self.terms[_ONE]
        return None

    def kernels(self) -> Iterable[Kernel]:
        """The kernels of its monomials, not those inside them."""
        return {k for _, _, powers in self.terms for k, _ in powers}

    def exponents(self) -> Iterable[Sum]:
        """The exponents of its monomials."""
        return {e for _, e, _ in self.terms if e is not None}


def _hash_of(terms: Mapping[Monomial, fmpq]) -> int:
    if len(terms) == 1:
        ((m, c),) = terms.items()
        return hash((m, c.p, c.q))
    return hash(frozenset((m, c.p, c.q) for m, c in terms.items()))


#: What a sum works out when first asked for, and keeps: most are never asked.
_WORKED_OUT: Mapping[str, Callable[[Sum], Any]] = {
    "_hash": lambda x: _hash_of(x.terms),
    "key": lambda x: _shortened(
        "+".join(sorted(f"{c}*{_monomial_key(m)}" for m, c in x.terms.items()))
    ),
    "has_symbols": lambda x: (
        any(k.has_symbols for k in x.kernels()) or any(e.has_symbols for e in x.exponents())
    ),
}


def _shortened(text: str) -> str:
    """A text that orders as it did, without the length that sums in sums in sums would give it."""
    if len(text) <= MAX_KEY:
        return text
    return f"{text[:MAX_KEY]}…{sha256(text.encode()).hexdigest()[:16]}"


class Kernel:
    """What a monomial has powers of.

    Kinds: ``symbol`` (a name), ``sum`` (a sum under a fraction bar), ``ref`` (a long
    sum held by reference), ``root`` (argument to the power 1/n), ``max``, ``pi``, and the
    functions ``sin``, ``cos``, ``log``, ``erf``, ``sign``. In definitions only, ``name``: an
    entry called by its name (text that orders it, and the name as it is written).
    """

    __slots__ = ("_hash", "_key", "arguments", "kind")

    def __init__(self, kind: str, *arguments: Any) -> None:
        self.kind = kind
        self.arguments = arguments
        self._hash = hash((kind, arguments))
        self._key: str | None = None

    @property
    def has_symbols(self) -> bool:
        """Whether it is a symbol or contains one."""
        return self.kind in ("symbol", "name") or any(
            a.has_symbols for a in self.arguments if isinstance(a, Sum)
        )

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Kernel)
            and self._hash == other._hash
            and self.kind == other.kind
            and self.arguments == other.arguments
        )

    @property
    def key(self) -> str:
        """Text that orders kernels, the same in every process."""
        if self._key is None:
            self._key = f"{self.kind}({', '.join(map(str, self.arguments))})"
        return self._key

    def __repr__(self) -> str:
        return self.key


def _monomial_key(monomial: Monomial) -> str:
    radicand, exponent, powers = monomial
    parts = [f"r{radicand}"] if radicand != 1 else []
    parts += [f"e[{exponent.key}]"] if exponent is not None else []
    return "*".join(parts + sorted(f"{k.key}^{n}" for k, n in powers)) or "1"


_interned: weakref.WeakValueDictionary[Sum, Sum] = weakref.WeakValueDictionary()


def intern(value: Sum) -> Sum:
    """The one object for this value."""
    return _interned.setdefault(value, value)


def _accumulate(terms: dict[Monomial, fmpq], monomial: Monomial, c: fmpq) -> None:
    total = terms.get(monomial, _NOTHING) + c
    if total:
        terms[monomial] = total
    else:
        terms.pop(monomial, None)


_NOTHING = fmpq(0)


def _multiply_into(terms: dict[Monomial, fmpq], m: Monomial, n: Monomial, c: fmpq) -> None:
    common = gcd(m[0], n[0])
    radicand = m[0] * n[0] // (common * common)
    exponent = m[1] if n[1] is None else n[1] if m[1] is None else intern(m[1] + n[1])
    if exponent is not None and not exponent.terms:
        exponent = None
    if not m[2] or not n[2]:
        _accumulate(terms, (radicand, exponent, m[2] or n[2]), c * common)
        return
    powers = dict(m[2])
    for kernel, k in n[2]:
        powers[kernel] = powers.get(kernel, 0) + k
    _reduced_into(terms, radicand, exponent, powers, c * common)


def _reduced_into(
    terms: dict[Monomial, fmpq],
    radicand: int,
    exponent: Sum | None,
    powers: dict[Kernel, int],
    c: fmpq,
) -> None:
    """Add a monomial, with cos² as 1 - sin² and the n-th power of an n-th root undone."""
    for kernel, k in powers.items():
        if kernel.kind == "cos" and k >= 2:
            sine = Sum({(1, None, frozenset([(Kernel("sin", *kernel.arguments), 2)])): fmpq(1)})
            factor = ONE - sine
            rest = {**powers, kernel: k - 2}
        elif kernel.kind == "sum" and k > 0:
            factor = kernel.arguments[0]
            rest = {**powers, kernel: k - 1}
        elif kernel.kind == "root" and (
            abs(k) >= kernel.arguments[1]
            or (k < 0 and kernel.arguments[0].rational() is not None)  # no root under the bar
        ):
            sign = 1 if k > 0 else -1
            factor = kernel.arguments[0] if sign > 0 else inverse(kernel.arguments[0])
            rest = {**powers, kernel: k - sign * kernel.arguments[1]}
        else:
            continue
        left: dict[Monomial, fmpq] = {}
        _reduced_into(left, radicand, exponent, rest, c)
        for monomial, d in (Sum(left) * factor).terms.items():
            _accumulate(terms, monomial, d)
        return
    kept = frozenset((kernel, k) for kernel, k in powers.items() if k)
    _accumulate(terms, (radicand, exponent, kept), c)


def fraction(value: fmpq) -> Fraction:
    """A coefficient as Python's own rational."""
    return Fraction(int(value.p), int(value.q))


def constant(value: fmpq | int) -> Sum:
    """A rational number."""
    return Sum({_ONE: fmpq(value)}) if value else ZERO


def of(kernel: Kernel, power: int = 1) -> Sum:
    """A kernel alone."""
    return Sum({(1, None, frozenset([(kernel, power)])): fmpq(1)})


ZERO = Sum({})
ONE = Sum({_ONE: fmpq(1)})
PI = of(Kernel("pi"))


# What is in a sum.


def symbols_of(x: Sum, known: dict[Sum, set[str]] | None = None) -> set[str]:
    """The names of the symbols anywhere in a number.

    Args:
        known: those of sums that were looked at already; further ones are added.
    """
    known = {} if known is None else known
    if x not in known:
        found: set[str] = set().union(*(symbols_of(e, known) for e in x.exponents()))
        for kernel in x.kernels():
            found |= _kernel_symbols(kernel, known)
        known[x] = found
    return known[x]


def _kernel_symbols(kernel: Kernel, known: dict[Sum, set[str]]) -> set[str]:
    if kernel.kind == "symbol":
        return {kernel.arguments[0]}
    return set().union(*(symbols_of(a, known) for a in kernel.arguments if isinstance(a, Sum)))


# Which sums a theorem decides.


def is_algebraic(x: Sum) -> bool:
    """Whether a sum is built of rationals, radicals and nested roots alone."""
    return all(
        e is None and all(k.kind == "root" and is_algebraic(k.arguments[0]) for k, _ in powers)
        for _, e, powers in x.terms
    )


def is_polynomial(x: Sum) -> bool:
    """Whether a sum is algebraic, or a Laurent polynomial in symbols with such coefficients."""
    return all(
        e is None
        and all(
            k.kind == "symbol" or (k.kind == "root" and is_algebraic(k.arguments[0]))
            for k, _ in powers
        )
        for _, e, powers in x.terms
    )


def is_decidable(x: Sum) -> bool:
    """Whether the zero test decides it: exponentials of polynomials, over sums of such."""
    for _, exponent, powers in x.terms:
        if exponent is not None and not is_polynomial(exponent):
            return False
        for kernel, _ in powers:
            if kernel.kind == "sum" and not is_decidable(kernel.arguments[0]):
                return False
            if kernel.kind == "root" and not is_algebraic(kernel.arguments[0]):
                return False
            if kernel.kind not in ("symbol", "sum", "root"):
                return False
    return True


def held(x: Sum) -> Sum:
    """A sum of several terms as one kernel that refers to it."""
    return of(Kernel("ref", intern(x))) if len(x.terms) > 1 else x


def referred(x: Sum) -> Sum:
    """The sum that a number refers to, if it is a reference alone; else the number."""
    if len(x.terms) == 1:
        (((radicand, exponent, powers), c),) = x.terms.items()
        if len(powers) == 1 and exponent is None and radicand == 1 and c == 1:
            ((kernel, k),) = powers
            if kernel.kind == "ref" and k == 1:
                found: Sum = kernel.arguments[0]
                return found
    return x


def has_references(x: Sum) -> bool:
    """Whether a monomial has a reference among its factors."""
    return any(k.kind == "ref" for k in x.kernels())


def settled(x: Sum) -> Sum:
    """A long sum held by reference, if it is outside the decidable class or would leave it.

    It would where denominators multiply: a score of the next layer has n² terms.
    """
    if len(x) <= LONG:
        return x
    nested = any(sum(-n for k, n in p if k.kind == "sum") > 1 for _, _, p in x.terms)
    return held(x) if nested or not is_decidable(x) else x


# Division, roots, powers and functions.


def inverse(x: Sum) -> Sum:
    """1/x. The caller makes sure that x is not zero."""
    if not x.terms:
        raise ExactnessError("a division by zero")
    if len(x.terms) == 1:
        ((radicand, exponent, powers), c) = next(iter(x.terms.items()))
        minus = None if exponent is None else intern(-exponent)
        inverted: dict[Monomial, fmpq] = {}
        _reduced_into(inverted, radicand, minus, {k: -n for k, n in powers}, 1 / (c * radicand))
        return Sum(inverted)
    if all(e is None and not powers for _, e, powers in x.terms):
        return _rationalised(x)
    return of(Kernel("sum", intern(x)), -1)


def total(xs: Iterable[Sum]) -> Sum:
    """The sum of many numbers, like terms collected in one go."""
    terms: dict[Monomial, fmpq] = {}
    for x in xs:
        for monomial, c in x.terms.items():
            _accumulate(terms, monomial, c)
    return Sum(terms)


def divided(xs: Sequence[Sum]) -> list[Sum]:
    """Each number over the sum of all, without the denominators that all their terms share.

    The caller makes sure that the sum is not zero.
    """
    below = [{(k, n) for k, n in m[2] if n < 0} for x in xs for m in x.terms]
    shared = set.intersection(*below) if below else set()
    tops = [Sum({(r, e, powers - shared): c for (r, e, powers), c in x.terms.items()}) for x in xs]
    over = inverse(total(tops))
    return [top * over for top in tops]


def _rationalised(x: Sum) -> Sum:
    """1/x for a sum of radicals, by multiplying with its conjugates."""
    top, given = ONE, x
    while x.rational() is None:
        if len(x.terms) > MAX_CONJUGATES:
            return of(Kernel("sum", intern(given)), -1)
        radicand = max(r for r, _, _ in x.terms)
        prime = int(fmpz(radicand).factor()[0][0])
        conjugate = Sum({m: -c if m[0] % prime == 0 else c for m, c in x.terms.items()})
        top, x = top * conjugate, x * conjugate
    bottom = x.rational()
    if not bottom:
        raise ExactnessError("a division by zero")
    return top.scaled(1 / bottom)


def power(base: Sum, exponent: Sum) -> Sum:
    """base^exponent, for a positive base where the exponent is no integer."""
    n = exponent.rational()
    if n is None:
        return exp(exponent * log(base))
    return _integer_power(base if n.q == 1 else root(base, int(n.q)), int(n.p))


def _integer_power(base: Sum, n: int) -> Sum:
    if n < 0:
        return inverse(_integer_power(base, -n))
    bits = max((max(c.p.bit_length(), c.q.bit_length()) for c in base.terms.values()), default=0)
    if n > 1 and (bits * n > MAX_BITS or (len(base.terms) > 1 and n > MAX_POWER)):
        raise TooLarge(f"the power {n} of a number of {bits} bits and {len(base.terms)} terms")
    result = ONE
    while n:
        if n & 1:
            result = result * base
        n >>= 1
        base = base * base if n else base
    return result


def root(x: Sum, n: int) -> Sum:
    """The real n-th root of a number that is not negative.

    Raises:
        TooLarge: a degree whose powers would not fit into memory.
    """
    if n > MAX_POWER:
        raise TooLarge(f"wanted a root of degree {MAX_POWER:,} at most, got a higher one")
    c = x.rational()
    if c is not None:
        if c < 0:
            raise ExactnessError(f"the root of {c}, which is negative")
        if n == 2:
            return _square_root(c)
        return _rational_root(c, n)
    if len(x.terms) == 1:
        ((radicand, exponent, powers), c) = next(iter(x.terms.items()))
        if powers and exponent is None and c > 0 and all(k.kind == "pi" for k, _ in powers):
            ((kernel, k),) = powers
            outer = _integer_power(of(Kernel("root", intern(of(kernel)), n)), abs(k))
            rest = root(Sum({(radicand, None, frozenset()): c}), n)
            return rest * (outer if k > 0 else inverse(outer))
        if exponent is not None and not powers and c > 0:
            outer = Sum({(1, intern(exponent.scaled(fmpq(1, n))), frozenset()): fmpq(1)})
            return outer * root(Sum({(radicand, None, frozenset()): c}), n)
    elif n == 2 and (found := _denested(x)) is not None:
        return found
    return of(Kernel("root", intern(x), n))


def _rational_root(c: fmpq, n: int) -> Sum:
    """The n-th root of a rational: what comes out of it, and roots of square-free numbers.

    10000^{1/5} is the fourth power of 10^{1/5}, so that equal powers meet.
    """
    whole = fmpz(c.p * c.q ** (n - 1))  # (p/q)^{1/n} = (p q^{n-1})^{1/n} / q
    if not whole:
        return ZERO
    exact = int(whole.root(n))
    if exact**n == whole:
        return constant(fmpq(exact, int(c.q)))
    if whole.bit_length() > MAX_FACTORED:
        return of(Kernel("root", intern(constant(c)), n))
    outside, inside = 1, dict[tuple[int, int], int]()
    for prime, times in whole.factor():
        outside *= int(prime) ** (times // n)
        if rest := times % n:
            degree = n // gcd(rest, n)
            key = (degree, rest // gcd(rest, n))
            inside[key] = inside.get(key, 1) * int(prime)
    result = constant(fmpq(outside, int(c.q)))
    for (degree, k), base in inside.items():
        one = constant(fmpq(base))
        factor = (
            _square_root(fmpq(base)) if degree == 2 else of(Kernel("root", intern(one), degree))
        )
        result = result * _integer_power(factor, k)
    return result


def _square_root(c: fmpq) -> Sum:
    if not c:
        return ZERO
    whole = fmpz(c.p * c.q)
    if whole.is_square():
        return constant(fmpq(int(whole.isqrt()), int(c.q)))
    if whole.bit_length() > MAX_FACTORED:
        # Factoring it could take for ever; as a nested root it is still an algebraic number.
        return of(Kernel("root", intern(constant(c)), 2))
    outside, radicand = 1, 1
    for prime, times in whole.factor():
        outside *= int(prime) ** (times // 2)
        radicand *= int(prime) ** (times % 2)
    return Sum({(radicand, None, frozenset()): fmpq(outside, int(c.q))})


def _denested(x: Sum) -> Sum | None:
    """√(a + b√c) = √((a+s)/2) ± √((a-s)/2) where s = √(a² - b²c) is rational."""
    plain = all(e is None and not powers for _, e, powers in x.terms)
    if not plain or len(x.terms) != 2 or _ONE not in x.terms:
        return None
    a = x.terms[_ONE]
    ((radicand, b),) = ((m[0], c) for m, c in x.terms.items() if m[0] != 1)
    square = a * a - b * b * radicand
    if a <= 0 or square < 0:
        return None
    s = _square_root(square).rational()
    if s is None:
        return None
    first, second = _square_root((a + s) / 2), _square_root((a - s) / 2)
    return first + second if b > 0 else first - second


def exp(x: Sum) -> Sum:
    """e^x; e^{n log y} is y^n for an integer n."""
    result, rest = ONE, {}
    for monomial, c in x.terms.items():
        radicand, exponent, powers = monomial
        if radicand == 1 and exponent is None and len(powers) == 1 and c.q == 1:
            ((kernel, k),) = powers
            if kernel.kind == "log" and k == 1 and abs(c.p) <= MAX_POWER:
                result = result * _integer_power(kernel.arguments[0], int(c.p))
                continue
        rest[monomial] = c
    if rest:
        result = result * Sum({(1, intern(Sum(rest)), frozenset()): fmpq(1)})
    return result


def log(x: Sum) -> Sum:
    """The logarithm; of c·e^α it is log c + α."""
    if len(x.terms) == 1:
        ((radicand, exponent, powers), c) = next(iter(x.terms.items()))
        if c <= 0 and radicand == 1 and not powers:
            raise ExactnessError(f"the logarithm of {x}, which is not positive")
        if exponent is not None and not powers:
            return log(Sum({(radicand, None, frozenset()): c})) + exponent
        if x.rational() == 1:
            return ZERO
    return of(Kernel("log", intern(x)))


def _odd(kind: str, x: Sum) -> Sum:
    if not x.terms:
        return ZERO
    if _is_negative(x):
        return -of(Kernel(kind, intern(-x)))
    return of(Kernel(kind, intern(x)))


def _is_negative(x: Sum) -> bool:
    """Whether the first coefficient is, in an order of monomials: of x and -x, one is."""
    first = min(x.terms, key=_monomial_key)
    return bool(x.terms[first] < 0)


#: Sines of these parts of π.
_SINES: Mapping[fmpq, Sum] = {
    fmpq(0): ZERO,
    fmpq(1, 6): constant(fmpq(1, 2)),
    fmpq(1, 4): _square_root(fmpq(1, 2)),
    fmpq(1, 3): _square_root(fmpq(3, 4)),
    fmpq(1, 2): ONE,
}


def _parts_of_pi(x: Sum) -> fmpq | None:
    """The c of c·π."""
    if not x.terms:
        return fmpq(0)
    ((monomial, c),) = PI.terms.items()
    return x.terms[monomial] / c if len(x.terms) == 1 and monomial in x.terms else None


def _sine_of_parts(c: fmpq) -> Sum | None:
    """sin(cπ), where it is 0, ±1/2, ±√2/2, ±√3/2 or ±1."""
    half_turns = c.floor()
    rest = c - half_turns
    found = _SINES.get(min(rest, 1 - rest))
    return found if found is None or half_turns % 2 == 0 else -found


def sin(x: Sum) -> Sum:
    """The sine, odd."""
    c = _parts_of_pi(x)
    found = None if c is None else _sine_of_parts(c)
    return _odd("sin", x) if found is None else found


def cos(x: Sum) -> Sum:
    """The cosine, even."""
    c = _parts_of_pi(x)
    found = None if c is None else _sine_of_parts(c + fmpq(1, 2))
    if found is not None:
        return found
    return of(Kernel("cos", intern(-x if _is_negative(x) else x)))


def erf(x: Sum) -> Sum:
    """The error function, odd."""
    return _odd("erf", x)


def tanh(x: Sum) -> Sum:
    """(e^{2x} - 1) / (e^{2x} + 1), odd."""
    if x.terms and _is_negative(x):
        return -tanh(-x)
    square = exp(x.scaled(fmpq(2)))
    return (square - ONE) * inverse(square + ONE)


def maximum(x: Sum, y: Sum) -> Sum:
    """The larger of two that contain symbols, as a kernel."""
    first, second = sorted((intern(x), intern(y)), key=lambda s: s.key)
    return of(Kernel("max", first, second))


def sign(x: Sum) -> Sum:
    """The sign where it is not known, as a kernel; odd."""
    return _odd("sign", x)


FUNCTIONS = {"sign": sign, "exp": exp, "log": log, "sin": sin, "cos": cos, "tanh": tanh, "erf": erf}


def number(value: Exact | Sum) -> Sum:
    """An `Exact` in normal form; what is in it already stays as it is."""
    if isinstance(value, Sum):
        return value
    if isinstance(value, Fraction):
        return constant(fmpq(value.numerator, value.denominator))
    if isinstance(value, Name):
        return of(Kernel("symbol", value.name))
    if isinstance(value, Infinity):
        raise ExactnessError(f"{value} masks a score, and is no number to calculate with")
    assert isinstance(value, Apply)
    operands = [number(a) for a in value.args]
    return apply(value.op, operands)


def apply(op: str, operands: list[Sum]) -> Sum:
    """An operation of the graph's table on scalars."""
    if op in FUNCTIONS:
        return FUNCTIONS[op](operands[0])
    if op == "pi":
        return PI
    if op == "sqrt":
        return root(operands[0], 2)
    if op == "neg":
        return -operands[0]
    first, second = operands
    if op == "div":
        return first * inverse(second)
    if op == "power":
        return power(first, second)
    return {"add": first.__add__, "sub": first.__sub__, "mul": first.__mul__}[op](second)


# To SymPy and to balls.


def to_sympy(x: Sum) -> Any:
    """The same number as a SymPy expression."""
    import sympy

    return sympy.Add(*(_monomial_to_sympy(m, c) for m, c in x.terms.items()))


def _monomial_to_sympy(monomial: Monomial, c: fmpq) -> Any:
    import sympy

    radicand, exponent, powers = monomial
    factors = [sympy.Rational(int(c.p), int(c.q)), sympy.sqrt(radicand)]
    if exponent is not None:
        factors.append(sympy.exp(to_sympy(exponent)))
    factors += [_kernel_to_sympy(kernel) ** k for kernel, k in powers]
    return sympy.Mul(*factors)


def _kernel_to_sympy(kernel: Kernel) -> Any:
    import sympy

    if kernel.kind == "symbol":
        return sympy.Symbol(kernel.arguments[0], real=True)
    if kernel.kind == "pi":
        return sympy.pi
    if kernel.kind in ("sum", "ref"):
        return to_sympy(kernel.arguments[0])
    if kernel.kind == "root":
        return to_sympy(kernel.arguments[0]) ** sympy.Rational(1, kernel.arguments[1])
    function = {"max": sympy.Max}.get(kernel.kind) or getattr(sympy, kernel.kind)
    return function(*map(to_sympy, kernel.arguments))
