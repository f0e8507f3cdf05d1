"""Rigorous enclosures of numbers in normal form, at a stated precision (Arb)."""

from __future__ import annotations

from collections.abc import MutableMapping
from fractions import Fraction
from typing import Any
from weakref import WeakKeyDictionary

from flint import arb, ctx

from symattn.errors import ExactnessError, Undecided
from symattn.numbers.normal_form import Kernel, Sum

#: Bits that precision starts from, and up to which it is raised. 1 - 1/(1 + e^{-10^6})
#: would need over a million; this limit is reached in well under a second.
START, LIMIT = 128, 32_768

#: Binary exponents beyond which a number is not turned into a fraction: e^{10^10} would
#: fill the memory.
TINY, HUGE = 10_000, 100_000


def binary_exponent(x: Any) -> int:
    """The e with 2^(e-1) <= |x| < 2^e, of a ball without radius; far below -TINY for 0."""
    mantissa, exponent = x.man_exp()
    return int(exponent) + int(mantissa).bit_length() if mantissa else -(10 * TINY)


def to_fraction(x: Any) -> Fraction:
    """A ball without radius as a fraction; below 2^-10000 that, with its sign.

    Raises:
        Undecided: a number of over 100,000 bits before the point, or none that is finite.
    """
    if not x.is_finite():
        raise Undecided("a number that has no bounds is not written out")
    mantissa, exponent = x.man_exp()
    if not mantissa:
        return Fraction(0)
    size = binary_exponent(x)
    if size > HUGE:
        raise Undecided(f"a number of over {HUGE:,} bits before the point is not written out")
    if size < -TINY:
        return Fraction(1 if mantissa > 0 else -1, 2**TINY)
    shift = int(exponent)
    return Fraction(int(mantissa) << shift) if shift >= 0 else Fraction(int(mantissa), 1 << -shift)


def enclose(x: Sum, bits: int) -> Any:
    """A ball that contains x, calculated with so many bits.

    Raises:
        ExactnessError: x contains a symbol, which has no value.
    """
    with ctx.workprec(bits):
        return _Enclosing(_KNOWN if bits == START else {}).total(x)


#: Enclosures at the first precision of what stands in kernels and exponents, as long as these
#: live: the entries of a layer share nearly all of what earlier layers made.
_KNOWN: WeakKeyDictionary[Sum, Any] = WeakKeyDictionary()


class _Enclosing:
    def __init__(self, known: MutableMapping[Sum, Any]) -> None:
        self.known = known

    def sum(self, x: Sum) -> Any:
        found = self.known.get(x)
        if found is None:
            found = self.known[x] = self.total(x)
        return found

    def total(self, x: Sum) -> Any:
        total = arb(0)
        for (radicand, exponent, powers), c in x.terms.items():
            term = arb(c)
            if radicand != 1:
                term *= arb(radicand).sqrt()
            if exponent is not None:
                term *= self.sum(exponent).exp()
            for kernel, k in powers:
                term *= self.kernel(kernel) ** k
            total += term
        return total

    def kernel(self, kernel: Kernel) -> Any:
        kind, arguments = kernel.kind, kernel.arguments
        if kind in ("symbol", "name"):
            raise ExactnessError(f"the symbol {arguments[-1]} has no value")
        if kind == "pi":
            return arb.pi()
        if kind == "root":
            return self.sum(arguments[0]).root(arguments[1])
        values = [self.sum(a) for a in arguments]
        if kind in ("sum", "ref"):
            return values[0]
        if kind == "max":
            return values[0].max(values[1])
        if kind == "sign":
            return values[0].sgn()
        return getattr(values[0], kind)()
