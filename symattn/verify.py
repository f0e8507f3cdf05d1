"""Exact against float: whether NumPy stays within the error that its arithmetic allows.

Every step is enclosed rigorously, and computed in float64, float32, float16 and
bfloat16 with a running error bound (`symattn.numbers.bounded`). A step disagrees
when a float is farther from the exact value than its bound: then a formula, an
input or NumPy is wrong. Distances are also told in ulps, units in the last place
of the float type at the exact value (Muller et al., Handbook of Floating-Point
Arithmetic, 2nd ed., section 2.3.2); they are reported, never judged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from symattn.errors import AddressError, ExactnessError, ShapeError, Undecided
from symattn.literals import Infinity
from symattn.numbers.bounded import Bounded, RunningError
from symattn.numbers.floating import float_info

if TYPE_CHECKING:
    from symattn.derivation import Derivation
    from symattn.steps import Step

TYPES = ("float64", "float32", "float16", "bfloat16")
SIGNIFICANT = 40  # digits to which the exact value is enclosed


@dataclass(frozen=True)
class Exactly:
    """An enclosure of an entry: a midpoint, a radius below 1e-40 of it, and its precision.

    The midpoint is an infinity where the entry is one.
    """

    middle: Fraction | Infinity
    radius: Fraction = Fraction(0)
    bits: int = 0

    def distance(self, value: Any) -> tuple[Fraction, Fraction] | None:
        """Bounds on |value - exact|; None where it is infinite: a lost infinity, or nan."""
        number = float(value)
        if isinstance(self.middle, Infinity):
            same = math.isinf(number) and (number < 0) == (self.middle.sign < 0)
            return (Fraction(0), Fraction(0)) if same else None
        if not math.isfinite(number):
            return None
        apart = abs(Fraction(number) - self.middle)
        return max(apart - self.radius, Fraction(0)), apart + self.radius

    def __str__(self) -> str:
        """The value to 17 significant digits, or to as many as the enclosure proves."""
        if isinstance(self.middle, Infinity):
            return str(self.middle)
        for precision in range(17, 0, -1):
            low, high = (
                _significant(self.middle + side * self.radius, precision) for side in (-1, 1)
            )
            if low == high:
                return low
        return "0"


def _significant(value: Fraction, precision: int) -> str:
    context = Context(prec=precision)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


@dataclass(frozen=True)
class Check:
    """One step in one float type.

    Attributes:
        bits: the precision that enclosing the exact values took; 0 for rationals.
        ulps: the largest distance in ulps, over entries whose exact value has one.
        ulps_at: where it is.
        mean_ulps: their mean.
        absolute: the largest distance of entries that are zero, or underflow.
        agrees: whether every entry that is enclosed lies within its bound.
        undecided: how many entries no enclosure settles; they are not compared.
        worst_at: the entry closest to its bound, or farthest beyond it.
        error: |float - exact| there.
        bound: what the bound allows there.
        largest_bound: the largest bound of any entry; infinite where the type overflows.
        value: the float there.
        exact: the certified value there, to 17 significant digits.
    """

    step: str
    type: str
    bits: int
    ulps: float
    ulps_at: str
    mean_ulps: float
    absolute: float
    agrees: bool
    worst_at: str
    error: float
    bound: float
    largest_bound: float
    value: float
    exact: str
    undecided: int = 0


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

    @property
    def left_out(self) -> list[str]:
        """A sentence for each step with entries that could not be enclosed."""
        return [
            f"{c.step}: {c.undecided} undecided, since no enclosure settles them; not compared"
            for c in self.checks
            if c.undecided and c.type == TYPES[0]
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
    """Compare every step with what NumPy makes of it in each float type.

    Inputs known only to their printed digits are taken at their midpoints.

    Args:
        printed: by step, a float array of somebody else's to judge in place of
            NumPy's own, in its own type and by the same bound; what follows from
            it is not carried on.

    Raises:
        AddressError: no such step.
        ShapeError: an array of another shape.
        ExactnessError: the derivation has symbols in it.
    """
    derivation = derivation.without_radii()
    for step in derivation.steps:
        if step.has_symbols:
            raise ExactnessError(
                f"{step.short} contains symbols, and floats need numbers: replace them by with_(…)"
            )
    others = {derivation.step(name).address: value for name, value in (printed or {}).items()}
    exact = {step.address: _enclosed(step) for step in derivation.steps if _compared(step)}
    for address in others:
        if address not in exact:
            raise AddressError(f"{address} is the inside of a softmax; only its result is compared")
    checks = []
    for kind in TYPES:
        values = derivation.run(RunningError(kind))
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
    """The array's own type, else float64: Python's floats and lists of them."""
    name = value.dtype.name if hasattr(value, "dtype") else "float64"
    return name if name in TYPES else "float64"


def _others(step: Step, value: Any, own: Bounded) -> Bounded:
    try:
        array = np.asarray(value, dtype=own.value.dtype)
    except (TypeError, ValueError):
        raise ShapeError(f"{step.short}: wanted an array of floats, got {value!r:.80}") from None
    if array.shape != step.shape:
        raise ShapeError(f"{step.short}: wanted an array of shape {step.shape}, got {array.shape}")
    return Bounded(array, own.bound)


def _enclosed(step: Step) -> dict[Any, Exactly]:
    """Every entry's enclosure, by index."""
    out = {}
    for index, form in np.ndenumerate(step.forms):
        if isinstance(form, Infinity):
            out[index] = Exactly(form)
        else:
            place = (step.node, index)
            try:
                found = step.derivation.enclosures.approximation(place, SIGNIFICANT)
            except Undecided:
                continue  # not compared, and counted in the report
            out[index] = Exactly(*found)
    return out


def _check(step: Step, kind: str, exact: dict[Any, Exactly], found: Bounded) -> Check:
    agrees = True
    ulps: dict[Any, float] = {}
    absolute = 0.0
    undecided = step.forms.size - len(exact)
    if not exact:
        nothing = (0, 0.0, "", 0.0, 0.0, True, "", 0.0, 0.0, 0.0, 0.0, "undecided")
        return Check(step.short, kind, *nothing, undecided)
    worst, at = -1.0, next(iter(exact))
    for index, wanted in exact.items():
        bound = float(found.bound[index])
        apart = wanted.distance(found.value[index])
        error = math.inf if apart is None else float(apart[1])
        # Outside even where the enclosure's own radius is taken in its favour.
        agrees &= bound == math.inf or (apart is not None and apart[0] <= Fraction(bound))
        share = 0.0 if error == 0 or bound == math.inf else error / bound if bound else math.inf
        if share > worst:
            worst, at = share, index
        if isinstance(wanted.middle, Infinity):
            continue
        unit = _ulp(wanted.middle, float_info(kind))
        if unit is None:
            absolute = max(absolute, error)
        else:
            ulps[index] = error / unit
    largest = max(ulps, key=lambda i: ulps[i], default=None)
    apart = exact[at].distance(found.value[at])
    return Check(
        step=step.short,
        type=kind,
        bits=max(e.bits for e in exact.values()),
        ulps=ulps[largest] if largest is not None else 0.0,
        ulps_at=_address(step, largest) if largest is not None else "",
        mean_ulps=sum(ulps.values()) / len(ulps) if ulps else 0.0,
        absolute=absolute,
        agrees=agrees,
        worst_at=_address(step, at),
        error=math.inf if apart is None else float(apart[1]),
        bound=float(found.bound[at]),
        largest_bound=float(np.max(found.bound)),
        value=float(found.value[at]),
        exact=str(exact[at]),
        undecided=undecided,
    )


def _address(step: Step, index: tuple[int, ...]) -> str:
    return step.entry_symbol(tuple(int(i) for i in index), "text")


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
