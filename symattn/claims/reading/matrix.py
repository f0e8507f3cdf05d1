"""A printed matrix: its cells, where it stands, and what is said to be equal to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from symattn.claims.reading.cells import Printed
from symattn.claims.reading.labels import NOTHING, Named
from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.scan import Span

Notation = Literal["latex", "list", "pipe table", "html table", "text"]
CONTEXT = 400  # characters before a matrix in which words may say what it is


@dataclass(frozen=True)
class PrintedMatrix:
    """One printed matrix, or one printed row.

    Attributes:
        rows: its cells; a printed row or list is one row.
        rank: 1 for a flat list, 2 for a matrix, 3 and more for a part of nested lists.
        slice: for rank 3 and more, the leading indices of this part, zero-based.
        start, end: its span in the document.
        outer: the span of the equation, list or table that it stands in.
        notation: how it is written.
        labels: what its chain of equations says it is equal to, in order, as written; an
            operand's place in such an expression is □.
        name: the step that these, a marker, or the words before it name.
        chain: the same number for matrices of the same chain of equations.
        operand: whether it is a part of an expression, and no value of its own.
        expression: the side of the equation that it stands in, itself as □; "" if alone.
        factor: for c·M, c as an exact number that `literals` reads (``1/sqrt(d_k)``), else "".
        row_labels, column_labels: words in front of the rows and over the columns, if any.
        elided: whether something is left out with dots.
        context: text before it.
        marker: the address in a ``symattn:`` comment on it, or "".
        is_named: whether names of entries stand in it, and no numbers.
        block: the start of the block (see `Reading.blocks`) that it stands in, or None.
    """

    rows: tuple[tuple[Printed, ...], ...]
    rank: int
    start: int
    end: int
    outer: Span
    notation: Notation
    labels: tuple[str, ...] = ()
    name: Named = NOTHING
    chain: int = 0
    operand: bool = False
    expression: str = ""
    factor: str = ""
    slice: tuple[int, ...] = ()
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    elided: bool = False
    context: str = ""
    marker: str = ""
    block: int | None = None
    is_named: bool = False

    @property
    def label(self) -> str:
        """All that it is said to be, as one text."""
        return " = ".join(self.labels)

    @property
    def is_regular(self) -> bool:
        """Whether its rows are of one length."""
        return len({len(row) for row in self.rows}) == 1

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and cells of the first row."""
        return len(self.rows), len(self.rows[0])

    @property
    def cells(self) -> tuple[Printed, ...]:
        """All cells, row after row."""
        return tuple(cell for row in self.rows for cell in row)


def context_of(view: Mapped, start: int) -> str:
    """The text before a position."""
    return view.text[max(0, start - CONTEXT) : start]


def has_numbers(rows: Sequence[Sequence[Printed]]) -> bool:
    """Whether any cell is a number; a matrix of symbols alone is not printed numbers."""
    return any(cell.is_number for row in rows for cell in row)
