"""Names for what is too long to write out: row sums, and what stands in exponents.

Row sums of a softmax are ℓ_i; what holds exponentials is called by its address
(``logits[1]``) where it is itself exponentiated, or divided by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from symattn.literals import Infinity
from symattn.notation import Notation
from symattn.numbers.held import Deferred, Held
from symattn.numbers.normal_form import Sum, is_polynomial, referred
from symattn.numbers.printing import Names, Places

if TYPE_CHECKING:
    from symattn.derivation import Derivation
    from symattn.steps import Step


class Named(NamedTuple):
    """An entry that can be called by its name."""

    node: int
    place: tuple[int, ...]
    value: Sum
    label: str


class NameTable:
    """The names of one derivation."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self._entries: dict[Notation, list[Named]] = {}
        self._before: dict[tuple[int, Notation], Names] = {}

    def entries(self, style: Notation) -> list[Named]:
        """Every entry with a name, in the order of the steps."""
        if style not in self._entries:
            self._entries[style] = [
                Named(step.node, index, value, step.entry_symbol(index, style))
                for step in self.derivation.steps
                for index, value in _nameable(step)
            ]
        return self._entries[style]

    def before(self, node: int, style: Notation) -> Names:
        """The names in steps before a node; of equal numbers, those of the last such step."""
        key = (node, style)
        if key not in self._before:
            rows = self._rows(node)

            def row(of: Any) -> str | None:
                step, index = rows.get(of, (None, ()))
                return step.entry_symbol(index, style) if step else None

            self._before[key] = Names(lambda: self._places(node, style), row)
        return self._before[key]

    def _places(self, node: int, style: Notation) -> dict[Sum, Places]:
        last: dict[Sum, tuple[int, Places]] = {}
        for named in self.entries(style):
            if named.node >= node:
                continue
            value = referred(named.value)
            if value not in last or last[value][0] != named.node:
                last[value] = (named.node, [])
            last[value][1].append((named.place, named.label))
        return {value: places for value, (_, places) in last.items()}

    def _rows(self, node: int) -> dict[Any, tuple[Step, tuple[int, ...]]]:
        """The rows of scores whose sums are a step before a node, and where in it."""
        found: dict[Any, tuple[Step, tuple[int, ...]]] = {}
        for step in self.derivation.steps:
            form = step.forms
            if step.node < node and isinstance(form, Deferred) and form.about:
                indices = np.ndindex(form.shape)
                found.update(zip(form.about, ((step, i) for i in indices), strict=True))
        return found


def _nameable(step: Step) -> list[tuple[tuple[int, ...], Any]]:
    form = step.forms
    if isinstance(form, Held) and not isinstance(form, Deferred) and not form.opened:
        return []  # its entries stand in no exponent and under no fraction bar
    row_sums = step.inside is not None and step.name.endswith(".sum")
    found = []
    for index, value in np.ndenumerate(np.asarray(form, dtype=object)):
        if isinstance(value, Infinity) or is_polynomial(value):
            continue
        if row_sums and len(value) == 1:
            continue  # e^x divides as e^{-x}: there is nothing to name
        found.append((index, value))
    return found
