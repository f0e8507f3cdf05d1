"""Columns of text below each other, on a terminal as many as fit beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.cells import cell_len  # and not its tables, which take long to import

from symattn.notation import visible
from symattn.writers.screen import PLAIN, Screen

if TYPE_CHECKING:
    from symattn.graph import Array

#: Columns that a matrix may take where there is no terminal.
WIDEST = 120

_GAP = "  "


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: int = 1,
    screen: Screen = PLAIN,
    repeated: int | None = None,
    roles: Array | None = None,
) -> str:
    """Columns of text, the first `left` ones flush left, the others flush right.

    Args:
        repeated: of a table that folds where the terminal is narrower, the columns that stand
            before each part of the others. They are labels, like the header.
        roles: of each cell that is no label; see `symattn.writers.screen`.
    """
    lines = [[visible(cell) for cell in row] for row in (header, *rows)]
    widths = _widths(lines)
    before = repeated or 0
    parts = [range(before, len(widths))]
    if repeated is not None and screen.width is not None:
        parts = _folded(widths, before, screen.width)

    def cell(row: int, column: int) -> tuple[str, str]:
        """A text, and what makes it as wide as its column."""
        text = lines[row][column]
        if not row or column < before:
            role = "label"
        else:
            role = "" if roles is None else str(roles[row - 1, column - before])
        word = text.rstrip()  # a room behind it that evens out marks is not inked
        shown = screen.ink(word, role) + text[len(word) :]
        return shown, " " * (widths[column] - cell_len(text))

    texts: list[str] = []
    for part in parts:
        texts += [""] * bool(texts)
        if len(parts) > 1 and not any(header):
            texts.append(screen.ink(_which(part, before), "faint"))
        for row in range(0 if any(header) else 1, len(lines)):
            made = ""
            for column in (*range(before), *part):
                text, space = cell(row, column)
                made += (_GAP if made else "") + (text + space if column < left else space + text)
            texts.append(made.rstrip())
    return "\n".join(texts)


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(cell_len, column)) for column in zip(*lines, strict=True)]


def _folded(widths: Sequence[int], before: int, most: int) -> list[range]:
    """The columns after the repeated ones, in parts that fit; a part has at least one."""
    taken = sum(widths[:before]) + len(_GAP) * before
    parts, start, used = [], before, taken
    for column in range(before, len(widths)):
        wanted = widths[column] + (len(_GAP) if column > start else 0)
        if column > start and used + wanted > most:
            parts.append(range(start, column))
            start, used, wanted = column, taken, widths[column]
        used += wanted
    return [*parts, range(start, len(widths))]


def _which(part: range, before: int) -> str:
    first, last = part[0] - before, part[-1] - before
    return f"column {first}" if first == last else f"columns {first}-{last}"


def matrix(
    cells: Array,
    axes: Sequence[Sequence[str] | None],
    screen: Screen = PLAIN,
    roles: Array | None = None,
) -> str:
    """A rank 0, 1 or 2 array of texts with its labels; higher ranks slice by slice.

    Args:
        roles: of each entry; see `symattn.writers.screen`.
    """
    if cells.ndim > 2:
        parts = []
        for index in np.ndindex(cells.shape[:-2]):
            inner = matrix(cells[index], axes[-2:], screen, None if roles is None else roles[index])
            head = screen.ink(f"[{','.join(map(str, index))}]", "faint")
            parts.append(f"{head}\n{inner}")
        return "\n".join(parts)
    header, body, labels = _lines(cells, axes)
    own = None if roles is None else roles.reshape((len(body), -1))
    return table(header, body, left=labels, repeated=labels, screen=screen, roles=own)


def _lines(
    cells: Array, axes: Sequence[Sequence[str] | None]
) -> tuple[list[str], list[list[str]], int]:
    """The header and rows of a matrix, and how many columns of labels these begin with."""
    rows = cells.reshape((1, -1)) if cells.ndim < 2 else cells
    row_labels = list(axes[0] or [""] * len(rows)) if cells.ndim == 2 else [""]
    columns = list(axes[-1] or [""] * rows.shape[1]) if cells.ndim else [""]
    if not any(row_labels):
        return columns, [[*row] for row in rows], 0
    return ["", *columns], [[a, *row] for a, row in zip(row_labels, rows, strict=True)], 1


def stands(cells: Array, axes: Sequence[Sequence[str] | None], screen: Screen) -> bool:
    """Whether a matrix is read better as such than one entry a line.

    A terminal folds it, as long as two columns or more stand beside each other in its parts.
    """
    if not cells.ndim:
        return True
    if screen.width is None:
        return max(map(len, matrix(cells, axes).split("\n"))) <= WIDEST
    for index in np.ndindex(cells.shape[:-2]):
        header, body, labels = _lines(cells[index], axes[-2:])
        widths = _widths([[visible(cell) for cell in row] for row in (header, *body)])
        columns = widths[labels:]
        if sum(widths[:labels]) + len(_GAP) * labels + max(columns, default=0) > screen.width:
            return False
        parts = _folded(widths, labels, screen.width)
        if len(parts) > 1 and 2 * len(parts) > len(columns) + 1:
            return False
    return True
