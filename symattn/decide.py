"""Is it zero, what is its sign, is it rational: decided, or said to be undecided.

What is decided is what a theorem covers. By Lindemann and Weierstrass (Baker,
Transcendental Number Theory, 1975, theorem 1.4) exponentials of distinct
algebraic numbers are linearly independent over the algebraic numbers. So a sum
Σ c_k e^{α_k} whose exponents are distinct and algebraic is zero exactly when
every c_k is; and square roots of distinct square-free integers are independent
over the rationals, so c_k is zero exactly when each of its coefficients is.
With symbols the same holds for identity as functions. Elsewhere a form that
collapses proves zero, an enclosure without 0 proves not zero, and everything
else is undecided. No float decides anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, Literal

from flint import fmpq, fmpz

from symattn.errors import Undecided
from symattn.numbers.enclosure import LIMIT, START, enclose
from symattn.numbers.normal_form import (
    ZERO,
    Kernel,
    Monomial,
    Sum,
    TooLarge,
    constant,
    is_algebraic,
    is_decidable,
    of,
)

MAX_WORK = 100_000  # products of terms in clearing denominators
MAX_DEGREE = 64  # of an algebraic number whose minimal polynomial is asked for

Zero = Literal["zero", "nonzero", "unknown"]


@dataclass(frozen=True)
class Answer:
    """Whether a number is zero, and why."""

    verdict: Zero
    why: str


def is_zero(x: Sum) -> Answer:
    """Decide whether a number is zero, or say that it is not known."""
    if not x.terms:
        return Answer("zero", "the normal form is empty")
    try:
        cleared = clear_denominators(x)
    except TooLarge as error:
        return Answer("unknown", f"clearing denominators takes {error}")
    if not all(_is_nonzero(k.arguments[0]) for k in _denominators(x)):
        return Answer("unknown", "a denominator is not proven to be other than zero")
    if not cleared.terms:
        return Answer("zero", "the normal form is empty once denominators are cleared")
    if _has_roots(cleared):
        return _with_roots(cleared)
    if is_decidable(cleared):
        return Answer(
            "nonzero",
            "exponentials of distinct exponents are linearly independent (Lindemann–Weierstrass)"
            if any(e is not None for _, e, _ in cleared.terms)
            else "square roots of distinct square-free integers are linearly independent",
        )
    return Answer("unknown", "outside the class that the Lindemann–Weierstrass theorem decides")


def _denominators(x: Sum) -> set[Kernel]:
    """The sums under its fraction bars, and under theirs."""
    found = {k for k in x.kernels() if k.kind == "sum"}
    return found.union(*(_denominators(k.arguments[0]) for k in found))


def is_positive(x: Sum) -> bool:
    """Whether every term is a positive number times exponentials: a softmax's row sum is."""
    return bool(x.terms) and all(
        c > 0 and all(k.kind == "sum" and is_positive(k.arguments[0]) for k, _ in powers)
        for (_, _, powers), c in x.terms.items()
    )


@lru_cache(maxsize=4096)
def _is_nonzero(x: Sum) -> bool:
    """Whether a number (or a function of its symbols) is proven to be other than zero."""
    if is_positive(x):
        return True
    if not x.has_symbols and _excludes_zero(enclose(x, START)):
        return True
    return is_zero(x).verdict == "nonzero"


def is_safe_divisor(x: Sum) -> bool | None:
    """Whether a number may be divided by: True, False if it is zero, None if not settled."""
    if _is_nonzero(x):
        return True
    if is_zero(x).verdict == "zero":
        return False
    if not x.has_symbols:
        return True if sign(x).sign else None
    return True  # with symbols, what is not identically zero may be divided by


def _excludes_zero(ball: Any) -> bool:
    return bool(ball.is_finite() and not ball.contains(0))


def clear_denominators(x: Sum) -> Sum:
    """Multiply x by the powers of the sums under its fraction bars, all multiplied out.

    Raises:
        TooLarge: the product has too many terms.
    """
    while True:
        worst: dict[Kernel, int] = {}
        for _, _, powers in x.terms:
            for kernel, k in powers:
                if kernel.kind == "sum":
                    worst[kernel] = min(worst.get(kernel, 0), k)
        if not worst:
            return x
        total, work = ZERO, 0
        for (radicand, exponent, powers), c in x.terms.items():
            held = dict(powers)
            rest = frozenset((k, n) for k, n in powers if k.kind != "sum")
            factor = Sum({(radicand, exponent, rest): c})
            for kernel, lowest in worst.items():
                for _ in range(held.get(kernel, 0) - lowest):
                    work += len(factor) * len(kernel.arguments[0])
                    if work > MAX_WORK:
                        raise TooLarge(f"more than {MAX_WORK:,} products of terms")
                    factor = factor * kernel.arguments[0]
            total = total + factor
        x = total


def _has_roots(x: Sum) -> bool:
    """Whether nested roots stand in a sum or in its exponents."""
    return any(k.kind == "root" for k in x.kernels()) or any(map(_has_roots, x.exponents()))


def _with_roots(x: Sum) -> Answer:
    """Group by exponents that are equal as numbers; each group has to vanish."""
    if not is_decidable(x) or any(k.kind == "symbol" for k in x.kernels()):
        return Answer("unknown", "nested roots beside what the theorem does not cover")
    groups: list[tuple[Sum, Sum]] = []
    for monomial, c in x.terms.items():
        exponent = ZERO if monomial[1] is None else monomial[1]
        term = Sum({(monomial[0], None, monomial[2]): c})
        for i, (known, total) in enumerate(groups):
            same = _algebraic_zero(known - exponent)
            if same is None:
                return _too_high()
            if same:
                groups[i] = (known, total + term)
                break
        else:
            groups.append((exponent, term))
    zeros = [_algebraic_zero(total) for _, total in groups]
    if None in zeros:
        return _too_high()
    if all(zeros):
        return Answer("zero", "every coefficient's minimal polynomial is x")
    return Answer("nonzero", "a coefficient's minimal polynomial is not x (Lindemann–Weierstrass)")


def _too_high() -> Answer:
    return Answer("unknown", f"algebraic numbers of a degree over {MAX_DEGREE}")


def _algebraic_zero(x: Sum) -> bool | None:
    """Whether an algebraic number is zero; None where its degree is too high to ask."""
    if not x.terms:
        return True
    if not is_algebraic(x):
        return None
    # A ball without 0 is cheaper than a polynomial, and as good a proof.
    if _excludes_zero(enclose(x, START)):
        return False
    roots = _all_roots(x)
    primes = _radicals(x).union(*(_radicals(k.arguments[0]) for k in roots))
    degree = 2 ** len(primes) * prod(k.arguments[1] for k in roots)
    if degree > MAX_DEGREE:
        return None
    import sympy

    from symattn.numbers.normal_form import to_sympy

    t = sympy.Symbol("t")
    try:
        return bool(sympy.minimal_polynomial(to_sympy(x), t) == t)
    except (sympy.polys.polyerrors.NotAlgebraic, NotImplementedError):
        return None


def _radicals(x: Sum) -> set[int]:
    """The primes under its square roots."""
    return {int(p) for r, _, _ in x.terms if r > 1 for p, _ in fmpz(r).factor()}


def _all_roots(x: Sum) -> set[Kernel]:
    """The nested roots in an algebraic number, and those inside them."""
    found = {k for k in x.kernels() if k.kind == "root"}
    return found.union(*(_all_roots(k.arguments[0]) for k in found))


# Sign.


@dataclass(frozen=True)
class Sign:
    """The sign of a number: -1, 0, 1; None where it is not settled.

    Attributes:
        zero: what is known about zero; ``nonzero`` with sign None means that the
            order is unsettled.
        bits: the precision that was looked at.
    """

    sign: int | None
    zero: Answer
    bits: int = 0


def sign(x: Sum, limit: int = LIMIT) -> Sign:
    """Settle the sign of a number without symbols, raising precision up to a limit."""
    c = x.rational()
    if c is not None:
        if not c:
            return Sign(0, Answer("zero", "the normal form is empty"))
        return Sign(1 if c > 0 else -1, Answer("nonzero", "the difference is a rational number"))
    ball = enclose(x, START)
    if _excludes_zero(ball):
        return Sign(1 if ball > 0 else -1, Answer("nonzero", "the enclosure excludes 0"), START)
    known = is_zero(x)
    if known.verdict == "zero":
        return Sign(0, known)
    bits = START
    while bits < limit:
        bits *= 2
        ball = enclose(x, bits)
        if _excludes_zero(ball):
            why = Answer("nonzero", "the enclosure excludes 0")
            return Sign(1 if ball > 0 else -1, why, bits)
    return Sign(None, known, bits)


def order(x: Sum, y: Sum) -> int:
    """The sign of x - y.

    Raises:
        Undecided: it is not settled up to the limit.
    """
    found = sign(x - y)
    if found.sign is None:
        raise Undecided(f"whether {x} is less than {y} is not settled at {found.bits} bits")
    return found.sign


# Rational values.


def rational_value(x: Sum) -> fmpq | None:
    """The value of a number that is rational, however it is written; None otherwise.

    None means that it is irrational, or that no proof of the contrary was found.
    """
    c = x.rational()
    if c is not None:
        return c
    if all(not powers for _, _, powers in x.terms):
        return None  # a normal form of other terms is no rational (Lindemann–Weierstrass)
    try:
        quotient = _common_quotient(x)
    except TooLarge:
        return None
    if quotient is None:
        return None
    return quotient if is_zero(x - constant(quotient)).verdict == "zero" else None


def _common_quotient(x: Sum) -> fmpq | None:
    """The only rational that x can be: numerator and denominator agree on it term by term."""
    # With a marker of power 1 for the numerator, both are cleared by the same product.
    marker = Kernel("symbol", "\0")
    cleared = clear_denominators(x * of(marker) + of(Kernel("symbol", "\1")))
    top: dict[Monomial, fmpq] = {}
    bottom: dict[Monomial, fmpq] = {}
    for (radicand, exponent, powers), c in cleared.terms.items():
        held = dict(powers)
        side = top if held.pop(marker, 0) else bottom
        held.pop(Kernel("symbol", "\1"), None)
        side[radicand, exponent, frozenset(held.items())] = c
    monomial = next(iter(bottom), None)
    if monomial is None or monomial not in top:
        return None
    return top[monomial] / bottom[monomial]
