"""Numbers by which a page calls its steps."""

from __future__ import annotations

from symattn.derivation import Derivation
from symattn.expression import Cell
from symattn.numbers.grid import flat_index
from symattn.steps import Step


class Keys:
    """One number a step: its node, and past all nodes where two backward passes share one.

    Derivations that only add to the page's own (a loss, gradients) share its steps.
    """

    def __init__(self, base: Derivation | None) -> None:
        self._own = len(base.graph.nodes) if base else 0
        #: The number of what the model returns.
        self.result = base.graph.results[0] if base else -1
        self._taken: dict[int, Derivation] = {}
        self._others: dict[tuple[int, int], int] = {}
        #: The steps met so far, by number.
        self.steps: dict[int, Step] = {}

    def of(self, step: Step) -> int:
        """The number of a step."""
        key = step.node
        if key >= self._own and self._taken.setdefault(key, step.derivation) != step.derivation:
            place = (id(step.derivation), key)
            key = self._others.setdefault(place, 1_000_000 + len(self._others))
        self.steps.setdefault(key, step)
        return key

    def cell(self, step: Step, cell: Cell) -> tuple[int, int]:
        """The number of a cell's step, and its place in it, as seen from a step."""
        found = step.at(cell)
        return self.of(found), flat_index(cell.index, found.shape)
