"""Exact against float: whether NumPy stays within the error that its arithmetic allows.

Every step is computed exactly, and in float64 and float32 with a running error
bound (`symattn.numbers.bounded`). A step disagrees when a float is farther from
the exact value than its bound: then a formula, an input or NumPy is wrong.
Distances are also told in ulps, units in the last place of the float type at the
exact value (Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed.,
section 2.3.2); they are reported, never judged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from symattn.errors import AddressError, ExactnessError, ShapeError
from symattn.numbers.bounded import Bounded, RunningError

if TYPE_CHECKING:
    from symattn.derivation import Derivation
    from symattn.steps import Step

TYPES = ("float64", "float32")
SIGNIFICANT = 40  # digits of the exact value that floats are compared with


@dataclass(frozen=True)
class Check:
    """One step in one float type.

    Attributes:
        ulps: the largest distance in ulps, over entries whose exact value has one.
        ulps_at: where it is.
        absolute: the largest distance of entries that are zero, or underflow.
        agrees: whether every entry lies within its bound.
        worst_at: the entry closest to its bound, or farthest beyond it.
        error: |float - exact| there.
        bound: what the bound allows there.
        value: the float there.
        exact: the exact value there, to 17 significant digits.
    """

    step: str
    type: str
    ulps: float
    ulps_at: str
    absolute: float
    agrees: bool
    worst_at: str
    error: float
    bound: float
    value: float
    exact: str


@dataclass(frozen=True)
class Report:
    """The checks of every step.

    >>> import symattn as sa
    >>> sa.article().verify().agrees
    True
    """

    checks: tuple[Check, ...]

    @property
    def agrees(self) -> bool:
        return all(c.agrees for c in self.checks)

    @property
    def disagreements(self) -> list[str]:
        """A sentence for each check that failed."""
        return [
            f"{c.step} disagrees in {c.type} at {c.worst_at}: {c.value!r} is {c.error:.3g} from "
            f"the exact {c.exact}, and the error bound is {c.bound:.3g}"
            for c in self.checks
            if not c.agrees
        ]

    def json(self) -> dict[str, Any]:
        """The report as plain data; a distance that is not finite is None."""
        checks = [{k: _finite(v) for k, v in asdict(c).items()} for c in self.checks]
        return {"agrees": self.agrees, "checks": checks}

    def __str__(self) -> str:
        from symattn.writers import terminal

        return terminal.report(self)

    __repr__ = __str__


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def verify(derivation: Derivation, printed: Mapping[str, Any] | None = None) -> Report:
    """Compare every step with NumPy's float64 and float32.

    Args:
        printed: by step, a float array of somebody else's to judge in place of
            NumPy's own, in its own type and by the same bound; what follows from
            it is not carried on.

    Raises:
        AddressError: no such step.
        ShapeError: an array of another shape.
        ExactnessError: the derivation has symbols in it.
    """
    for step in derivation.steps:
        if step.has_symbols:
            raise ExactnessError(
                f"{step.short} contains symbols, and floats need numbers: replace them by with_(…)"
            )
    others = {derivation.step(name).address: value for name, value in (printed or {}).items()}
    exact = {step.address: _rationals(step) for step in derivation.steps if _compared(step)}
    for address in others:
        if address not in exact:
            raise AddressError(f"{address} is the inside of a softmax; only its result is compared")
    checks = []
    for kind in TYPES:
        values = derivation.run(RunningError(np.dtype(kind)))
        for step in derivation.steps:
            if step.address not in exact:
                continue
            found = values[step.node]
            theirs = others.get(step.address)
            if theirs is not None and _type_of(theirs) == kind:
                found = _others(step, theirs, found)
            checks.append(_check(step, kind, exact[step.address], found))
    return Report(tuple(checks))


def _compared(step: Step) -> bool:
    """The inside of a softmax is not: floats shift it by the row's maximum."""
    return step.inside is None


def _type_of(value: Any) -> str:
    """float32 for a float32 array, else float64: Python's floats and lists of them."""
    return "float32" if np.asarray(value).dtype == np.float32 else "float64"


def _others(step: Step, value: Any, own: Bounded) -> Bounded:
    array = np.asarray(value, dtype=own.value.dtype)
    if array.shape != step.shape:
        raise ShapeError(f"{step.short}: wanted an array of shape {step.shape}, got {array.shape}")
    return Bounded(array, own.bound)


def _rationals(step: Step) -> dict[Any, Fraction | None]:
    """By index, the exact values as rationals to 40 significant digits; None where infinite."""
    from symattn.numbers import symbolic

    system = symbolic.shared()
    return {
        index: None if system.is_infinite(value) else system.approximate(value, SIGNIFICANT)
        for index, value in np.ndenumerate(step.value)
    }


def _check(step: Step, kind: str, exact: dict[Any, Fraction | None], found: Bounded) -> Check:
    agrees = True
    ulps, ulps_at, absolute = 0.0, "", 0.0
    worst, worst_at = -1.0, ()
    for index in np.ndindex(step.shape):
        value, wanted = found.value[index], exact[index]
        bound = float(found.bound[index])
        error = _distance(value, wanted, step.value[index])
        within = error <= bound
        agrees &= within
        share = error / bound if bound else math.inf if error else 0.0
        if share > worst:
            worst, worst_at = share, index
        if wanted is None:
            continue
        unit = _ulp(wanted, np.finfo(kind))
        if unit is None:
            absolute = max(absolute, error)
        elif error / unit > ulps or not ulps_at:
            ulps, ulps_at = error / unit, _address(step, index)
    at = worst_at
    return Check(
        step=step.short,
        type=kind,
        ulps=ulps,
        ulps_at=ulps_at,
        absolute=absolute,
        agrees=agrees,
        worst_at=_address(step, at),
        error=_distance(found.value[at], exact[at], step.value[at]),
        bound=float(found.bound[at]),
        value=float(found.value[at]),
        exact=_shown(exact[at], step.value[at]),
    )


def _address(step: Step, index: tuple[int, ...]) -> str:
    return step.entry_symbol(tuple(int(i) for i in index), "text")


def _shown(wanted: Fraction | None, value: Any) -> str:
    if wanted is None:
        return str(value)
    return str(Context(prec=17).divide(Decimal(wanted.numerator), Decimal(wanted.denominator)))


def _distance(value: Any, wanted: Fraction | None, exact: Any) -> float:
    """|float - exact|; infinite when only one of them is, or the float is nan."""
    if wanted is None:
        same = np.isinf(value) and (value < 0) == bool(exact.is_extended_negative)
        return 0.0 if same else math.inf
    if not np.isfinite(value):
        return math.inf
    return float(abs(Fraction(*value.as_integer_ratio()) - wanted))


def _ulp(value: Fraction, info: Any) -> float | None:
    """The unit in the last place at an exact value; None at zero and where it underflows."""
    if not value:
        return None
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    if exponent < info.minexp:
        return None
    return float(Fraction(2) ** (exponent - info.nmant))
