"""What moves a prediction most: exact derivatives of probabilities by entries of the inputs.

The derivatives are ordered by their magnitude, largest first. An order is proven: by enclosures
that are apart, by equal normal forms for ties, by the zero test; else it is said to be undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from symattn import decide, progress
from symattn.entries import Entry
from symattn.errors import AddressError, ExactnessError
from symattn.gradients import Jacobian
from symattn.graph import split_address
from symattn.numbers.enclosure import START
from symattn.numbers.normal_form import is_decidable

if TYPE_CHECKING:
    from symattn.derivation import Derivation

#: Bits to which two magnitudes are told apart. Derivatives that are hidden zeros never are.
BITS = 4 * START

#: How a derivative's magnitude stands to that of the one before it.
Order = Literal["less", "equal", "undecided"]


@dataclass(frozen=True)
class Derivative:
    """The derivative of one entry by another.

    Attributes:
        of, by: the two.
        entry: the derivative itself, an entry of a Jacobian.
        order: how its magnitude stands to that of the one before it; the first is ``less``.
    """

    of: Entry
    by: Entry
    entry: Entry
    order: Order


@dataclass(frozen=True)
class Sensitivities:
    """The derivatives that are not exactly zero, the largest magnitude first.

    Attributes:
        of: the address of what the derivatives are of.
        by: the addresses of the inputs.
        zeros: how many are exactly zero.
    """

    of: str
    by: tuple[str, ...]
    derivatives: tuple[Derivative, ...]
    zeros: int

    @property
    def total(self) -> int:
        return len(self.derivatives) + self.zeros

    def top(self, n: int) -> tuple[Derivative, ...]:
        """The n largest, and those that tie with the last of them."""
        end = n
        while 0 < end < len(self.derivatives) and self.derivatives[end].order != "less":
            end += 1
        return self.derivatives[:end]

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, sensitivities

        return jupyter.markdown(sensitivities.shown(self))


def sensitivities(derivation: Derivation, of: str = "P", by: Sequence[str] = ()) -> Sensitivities:
    """The derivatives of a step, a row or an entry by every entry of the inputs.

    Args:
        of: ``"P"``, ``"P[1]"``; of a matrix P without a cell, its last row.
        by: addresses of inputs or steps; none: every input but masks.

    Raises:
        AddressError: no such step or entry.
        ExactnessError: symbols, or inputs known only to their printed digits.

    >>> import symattn as sa
    >>> found = sensitivities(sa.article(), "P[1]", ["W_1"])
    >>> [(x.by.address, x.entry.decimal(4)) for x in found.top(2)]
    [('W_1[0,1]', '0.1095'), ('W_1[0,0]', '-0.0508')]
    """
    derivation.check_numbers()
    if derivation.radii:
        raise ExactnessError("wanted exact inputs; these are known to their printed digits only")
    name, cell = split_address(of)
    step = derivation.step(name)
    entries = step[cell] if cell is not None else step if len(step.shape) < 2 else step[-1]
    entries = [entries] if isinstance(entries, Entry) else list(entries)
    if not all(isinstance(e, Entry) for e in entries):
        raise AddressError(f"{of}: wanted a row or an entry such as {name}[0]")
    names = tuple(by) or tuple(n for n in derivation.inputs if n not in derivation.masks)
    address = step.address + (of[len(name) :] if cell is not None else "")
    if cell is None and len(step.shape) > 1:
        address += f"[{step.shape[0] - 1}]"
    grown = derivation.extended(Jacobian(address, names))
    found: list[Derivative] = []
    zeros = 0
    jacobians = grown.steps[-len(names) :]
    pairs = list(zip(jacobians, map(derivation.step, names), strict=True))
    for jacobian, by_step in progress.over(pairs, "input"):
        for entry in progress.over(jacobian.entries(), "derivative"):
            if entry.form.rational() == 0:
                zeros += 1
                continue
            split = len(entry.index) - len(by_step.shape)
            place = (
                int(np.ravel_multi_index(entry.index[:split], jacobian.shape[:split]))
                if split
                else 0
            )
            other = Entry(by_step, entry.index[split:])
            found.append(Derivative(entries[place], other, entry, "less"))
    return Sensitivities(address, names, _ordered(found), zeros)


def _ordered(found: list[Derivative]) -> tuple[Derivative, ...]:
    # A float puts them in order, and decides nothing: neighbours are compared after.
    def by_proof(a: Derivative, b: Derivative) -> int:
        return -(_compared(a.entry, b.entry) or 0)

    rough = sorted(found, key=lambda d: -float(abs(_ball(d.entry)).mid()))
    ordered: list[Derivative] = []
    run: list[Derivative] = []
    for derivative in progress.over(rough, "comparison"):
        if run and _apart(run[-1].entry, derivative.entry):
            ordered += sorted(run, key=cmp_to_key(by_proof))
            run = []
        run.append(derivative)
    ordered += sorted(run, key=cmp_to_key(by_proof))
    out = ordered[:1]
    for before, after in pairwise(ordered):
        sign = 1 if _apart(before.entry, after.entry) else _compared(before.entry, after.entry)
        order: Order = "undecided" if sign is None else "equal" if sign == 0 else "less"
        out.append(Derivative(after.of, after.by, after.entry, order))
    return tuple(out)


def _ball(entry: Entry, bits: int = START) -> Any:
    return entry.step.derivation.enclosures.ball((entry.step.node, entry.index), bits)


def _apart(a: Entry, b: Entry, bits: int = START) -> bool:
    return bool(abs(_ball(a, bits)) > abs(_ball(b, bits)))


def _compared(a: Entry, b: Entry) -> int | None:
    """The sign of |a| - |b|; None where it is undecided."""
    if a.form == b.form or a.form == -b.form:
        return 0
    for bits in (START, BITS):
        for x, y, sign in ((a, b, 1), (b, a, -1)):
            if _apart(x, y, bits):
                return sign
    for difference in (a.form - b.form, a.form + b.form):
        if is_decidable(difference) and decide.is_zero(difference).verdict == "zero":
            return 0
    return None
