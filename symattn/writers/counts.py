"""What `params` prints: parameters by part, memory, FLOPs, cache; formulas and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from symattn.blocks import Table, row
from symattn.writers import latex as latex_writer
from symattn.writers import markdown as markdown_writer
from symattn.writers.columns import table
from symattn.writers.screen import PLAIN, Screen

if TYPE_CHECKING:
    from symattn.pretrained.counting import Count


def _plain(formula: Any) -> str:
    return str(formula).replace("**", "^").replace("*", " ")


def text(count: Count, letters: Sequence[str] = (), screen: Screen = PLAIN) -> str:
    """A table for a terminal.

    Args:
        letters: what stays a letter in the numbers.
    """
    sizes = ", ".join(f"{name} = {size:,}" for name, size in count.values.items())
    rows = [
        [q.name, _plain(q.formula), f"{q.value:,}" if not letters else _plain(q.kept(letters))]
        for q in count.quantities
    ]
    shown = table(["", "formula", "value"], rows, left=2 + bool(letters), screen=screen)
    return "\n".join([sizes, "", shown])


def _table(count: Count, letters: Sequence[str]) -> Table:
    rows = [
        row([q.name, f"${q.latex()}$", f"{q.value:,}" if not letters else f"${q.latex(letters)}$"])
        for q in count.quantities
    ]
    return Table(row(["", "formula", "value"]), tuple(rows))


def markdown(count: Count, letters: Sequence[str] = ()) -> str:
    """The same as a table in Markdown."""
    return f"{_sizes(count)}\n\n{markdown_writer.written(_table(count, letters))}"


def latex(count: Count, letters: Sequence[str] = ()) -> str:
    """The same as a table in LaTeX."""
    return f"{_sizes(count)}\n\n{latex_writer.written(_table(count, letters))}"


def _sizes(count: Count) -> str:
    return f"${count.sizes_latex}$"


def data(count: Count, letters: Sequence[str] = ()) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "sizes": count.values,
        "quantities": [
            {
                "name": q.name,
                "formula": str(q.formula),
                "latex": q.latex(),
                "value": q.value,
                **({"kept": str(q.kept(letters))} if letters else {}),
            }
            for q in count.quantities
        ],
    }
