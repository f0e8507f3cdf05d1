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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from symattn import progress
from symattn.errors import AddressError, ShapeError, Undecided
from symattn.graph import Array
from symattn.literals import Infinity
from symattn.numbers.bounded import Bounded, RunningError
from symattn.numbers.enclosure import START
from symattn.numbers.floating import float_info
from symattn.numbers.pairs import Pairs, of_balls, of_scaled, unit_in_last_place
from symattn.numbers.scaled import Scaled

if TYPE_CHECKING:
    from symattn.derivation import Derivation
    from symattn.steps import Step

TYPES = ("float64", "float32", "float16", "bfloat16")
SIGNIFICANT = 25  # digits to which an exact value is enclosed that is asked for alone
_ENOUGH = 1e-22  # relative radius with which a float64's distance is known to six digits
_TINIEST = 1e-300


@dataclass(frozen=True)
class Enclosed:
    """The exact values of a step.

    Attributes:
        pairs: each within its radius.
        settled: which entries an enclosure settles; the others are not compared.
        bits: the precision that it took; 0 for rationals.
        certified: writes an entry's value to 17 significant digits.
    """

    pairs: Pairs
    settled: Array
    bits: int
    certified: Callable[[tuple[int, ...]], str]


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

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.markdown(shown.report(self))


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def verify(
    derivation: Derivation,
    printed: Mapping[str, Any] | None = None,
    types: Sequence[str] = TYPES,
) -> Report:
    """Compare every step with what NumPy makes of it in each float type.

    Inputs known only to their printed digits are taken at their midpoints.

    Args:
        printed: by step, a float array of somebody else's to judge in place of
            NumPy's own, in its own type and by the same bound; what follows from
            it is not carried on.
        types: the float types that are looked at.

    Raises:
        AddressError: no such step.
        ShapeError: an array of another shape.
        ExactnessError: the derivation has symbols in it.
    """
    derivation = derivation.without_radii()
    derivation.check_numbers()
    others = {derivation.step(name).address: value for name, value in (printed or {}).items()}
    compared = [step for step in derivation.steps if _compared(step)]
    exact = {step.address: enclosed(step) for step in progress.over(compared, "step")}
    for address in others:
        if address not in exact:
            raise AddressError(f"{address} is the inside of a softmax; only its result is compared")
    checks = []
    for kind in progress.over(types, "float type"):
        values = derivation.running(RunningError(kind))
        for step in progress.over(compared, "step"):
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


def enclosed(step: Step) -> Enclosed:
    """The exact values of a step, each within its radius."""
    form, enclosures = step.forms, step.derivation.enclosures
    pairs, bits = (of_scaled(form), 0) if isinstance(form, Scaled) else (None, START)
    if pairs is None:
        pairs = of_balls(enclosures.at(START)[step.node], START)
    if isinstance(form, Scaled) and form.radicand != 1:
        bits = START
    settled = np.ones(step.shape, dtype=bool)
    wide = pairs.radius > np.maximum(np.abs(pairs.high) * _ENOUGH, _TINIEST)
    for place in np.argwhere(wide | np.isinf(pairs.radius)).tolist():
        index = tuple(place)
        try:
            middle, radius, took = enclosures.approximation((step.node, index), SIGNIFICANT)
        except Undecided:
            settled[index] = False  # not compared, and counted in the report
            continue
        bits = max(bits, took)
        pairs.put(index, middle, radius)
    return Enclosed(pairs, settled, bits, cache(partial(_certified, step)))


def _check(step: Step, kind: str, exact: Enclosed, found: Bounded) -> Check:
    undecided = int(exact.settled.size - exact.settled.sum())
    if undecided == exact.settled.size:
        nothing = (0, 0.0, "", 0.0, 0.0, True, "", 0.0, 0.0, 0.0, 0.0, "undecided")
        return Check(step.short, kind, *nothing, undecided)
    least, most = (np.where(exact.settled, x, 0.0) for x in exact.pairs.distance(found.value))
    unit = np.where(exact.settled, unit_in_last_place(exact.pairs, float_info(kind)), np.nan)
    bound = found.bound
    with np.errstate(all="ignore"):
        share = np.where((most == 0) | np.isinf(bound), 0.0, most / bound)
        ulps = most / unit
    at = _place_of_largest(np.where(exact.settled, share, -1.0))
    has_unit = np.isfinite(ulps)
    largest = _place_of_largest(np.where(has_unit, ulps, -1.0)) if has_unit.any() else None
    without = exact.settled & np.isnan(unit) & np.isfinite(exact.pairs.high)
    return Check(
        step=step.short,
        type=kind,
        bits=exact.bits,
        ulps=float(ulps[largest]) if largest is not None else 0.0,
        ulps_at=_address(step, largest) if largest is not None else "",
        mean_ulps=float(np.mean(ulps[has_unit])) if largest is not None else 0.0,
        absolute=float(np.max(most[without], initial=0.0)),
        # Outside even where the enclosure's own radius is taken in its favour.
        agrees=bool((np.isinf(bound) | (least <= bound)).all()),
        worst_at=_address(step, at),
        error=float(most[at]),
        bound=float(bound[at]),
        largest_bound=float(np.max(bound)),
        value=float(found.value[at]),
        exact=exact.certified(at),
        undecided=undecided,
    )


def _place_of_largest(x: Array) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(x)), x.shape))


def _certified(step: Step, index: tuple[int, ...]) -> str:
    """An entry's value to 17 significant digits, or to as many as are proven."""
    if isinstance(step.forms[index], Infinity):
        return str(step.forms[index])
    middle, radius, _ = step.derivation.enclosures.approximation((step.node, index), SIGNIFICANT)
    for precision in range(17, 0, -1):
        low, high = (_significant(middle + side * radius, precision) for side in (-1, 1))
        if low == high:
            return low
    return "0"


def _significant(value: Fraction, precision: int) -> str:
    context = Context(prec=precision)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def _address(step: Step, index: tuple[int, ...]) -> str:
    return step.entry_symbol(tuple(int(i) for i in index), "text")
