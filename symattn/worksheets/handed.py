"""Which entries are only an entry of another step once more.

A score that no mask hides, a row that is picked out, a weight times 1, a number that is larger
than 0.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from typing import Any

from symattn import expression
from symattn.definitions import Collector
from symattn.expression import Cell
from symattn.literals import Apply, Infinity
from symattn.numbers.compact import larger
from symattn.steps import Step


def leaves(tree: expression.Expression) -> list[Cell]:
    """The entries that an expression names."""
    if isinstance(tree, Apply):
        return [cell for part in tree.args for cell in leaves(part)]
    return [tree] if isinstance(tree, Cell) else []


def handed_on(step: Step, tree: expression.Expression, cells: Collection[Cell]) -> Cell | None:
    """Of some entries the one that an expression is, once all others have been put in.

    Args:
        step: whose entry the expression is.
        cells: entries that are equal to it.
    """
    if isinstance(tree, Cell):
        return tree if tree in cells else None
    putting = _Putting(step, cells)
    value = putting.value(tree)
    return next((cell for cell in cells if value == putting.cells.get(cell)), None)


class _Putting(Collector):
    """Puts in the values of all entries but some, which stay names."""

    def __init__(self, step: Step, named: Collection[Cell]) -> None:
        super().__init__(step, "latex")
        self.step = step
        self.kept = named

    def leaf(self, cell: Cell) -> Any:
        form = self.derivation.forms[cell.node][cell.index]
        if cell not in self.kept or isinstance(form, Infinity):
            return form
        return self.cells[cell] if cell in self.cells else self.named(cell)

    def value(self, e: expression.Expression) -> Any:
        if isinstance(e, Apply) and e.op in ("maximum", "minimum"):
            # Which of them it is say their values, and no names.
            values = [_Putting(self.step, ()).value(a) for a in e.args]
            if e.op == "minimum":
                values = [-value for value in values]
            best = reduce(larger, values)
            if best in values:
                return self.value(e.args[values.index(best)])
        return super().value(e)
