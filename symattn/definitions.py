"""An entry by the names of the entries it is computed from.

Where the exact value of an entry is too long to read, its definition is not: one
operation on entries of earlier steps, such as (r_1[0,2] - mu[0,0])/sigma[0,0]. It is
collected in the normal form like every other number; entries that are short numbers stand in
it by their value.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from symattn import expression
from symattn.literals import Apply, Infinity, Name
from symattn.notation import Notation
from symattn.numbers import normal_form
from symattn.numbers.arrays import is_mark, selected
from symattn.numbers.expansion import Expansion
from symattn.numbers.grid import flat_index
from symattn.numbers.normal_form import ZERO, Kernel, Sum, held, intern, is_polynomial, maximum, of

if TYPE_CHECKING:
    from symattn.steps import Step

#: Characters up to which the value of an entry is put in place of its name.
SHORT = 16


class Definition(NamedTuple):
    """The text of an entry, and the entries that it names."""

    text: str
    cells: tuple[expression.Cell, ...]


def definition(step: Step, index: tuple[int, ...], style: Notation) -> Definition:
    """Write an entry of a step that was not given in terms of entries of earlier steps."""
    collector = Collector(step, style)
    tree = expression.expand(step.derivation.graph, step.node, index)
    if isinstance(tree, Apply):
        # Of a maximum one is left, as in ReLU; and x + 0 is x.
        forms, form = step.derivation.forms, step.forms[index]
        cells = (a for a in tree.args if isinstance(a, expression.Cell))
        tree = next((c for c in cells if forms[c.node][c.index] == form), tree)
    value = collector.value(tree)
    assert isinstance(value, Sum)  # an infinity is short
    full = Expansion(style, step.derivation.display.roots).full(value)
    return Definition(full, tuple(collector.cells))


def defines(step: Step, index: tuple[int, ...], tree: Any) -> bool:
    """Whether an expression is the definition of an entry, its names left as they are.

    Args:
        tree: an `expression.Expression`, of numbers and of entries of earlier steps.
    """
    collector = Collector(step, "latex")
    own = expression.expand(step.derivation.graph, step.node, index)
    return bool(collector.value(own) == collector.value(tree))


class Collector:
    """Reads an expression as a number, with entries that are no short ones by their names."""

    def __init__(self, step: Step, style: Notation) -> None:
        self.derivation = step.derivation
        self.style: Notation = style
        self.cells: dict[expression.Cell, Sum] = {}

    def value(self, e: expression.Expression) -> Any:
        if isinstance(e, expression.Cell):
            return self.leaf(e)
        if isinstance(e, Fraction | Name):
            return normal_form.number(e)
        if isinstance(e, Infinity):
            return e
        return self.applied(e.op, [self.value(a) for a in e.args])

    def leaf(self, cell: expression.Cell) -> Any:
        """An entry by its value, if that is a short number; else by its name."""
        if cell in self.cells:
            return self.cells[cell]
        form = self.derivation.forms[cell.node][cell.index]
        if is_mark(form) or (len(form) <= 1 and is_polynomial(form) and _is_short(form)):
            return form
        return self.named(cell)

    def named(self, cell: expression.Cell) -> Sum:
        """An entry by its name."""
        step = self.derivation.step_at(cell.node)
        assert step is not None  # an expression ends at what has a name
        label = step.entry_symbol(cell.index, self.style)
        # Names stand in the order of the entries.
        place = f"{cell.node:09}.{flat_index(cell.index, step.shape):09}"
        self.cells[cell] = of(Kernel("name", place, label))
        return self.cells[cell]

    def applied(self, op: str, args: list[Any]) -> Any:
        if op in ("maximum", "minimum", "abs"):
            args = [args[0], -args[0]] if op == "abs" else args
            return (
                -reduce(_larger, [-x for x in args]) if op == "minimum" else reduce(_larger, args)
            )
        if any(map(is_mark, args)):
            return selected(op, tuple(args), ZERO)
        if op == "add":
            return reduce(Sum.__add__, args)
        if op == "mul":
            return reduce(_product, args)
        exponent = args[1].rational() if op == "power" else None
        if exponent is not None and exponent.q == 1:
            return normal_form.power(held(args[0]), args[1])  # (a - b)² is not multiplied out
        if op == "tanh":
            return of(Kernel("tanh", intern(args[0])))  # not as the exponentials that it is
        return normal_form.apply(op, args)


def _larger(a: Any, b: Any) -> Any:
    return selected("maximum", (a, b), ZERO) if is_mark(a) or is_mark(b) else maximum(a, b)


def _product(a: Sum, b: Sum) -> Sum:
    """Not multiplied out where both are sums."""
    return held(a) * held(b) if len(a) > 1 and len(b) > 1 else a * b


def _is_short(form: Sum) -> bool:
    return Expansion("text").size(form) <= SHORT
