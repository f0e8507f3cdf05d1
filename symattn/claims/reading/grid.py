"""A table's cells parted into numbers and the words beside and above them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from symattn.claims.reading.cells import Printed

_DOTS = re.compile(r"\\[cvdl]?dots|\.\.\.|…|⋮|⋯|⋱")
_INDEX_HEADS = ("", "token", "tokens", "query", "row", "i", "pos", "position", "index", "#", "idx",
                "word", "t", "step", "q", "key", "from")  # fmt: skip
_WORD = re.compile(
    r"\\(?:text|mathrm|textbf|mathbf|textit|texttt|operatorname|mathit|mathsf|mbox|textrm)"
    r"\s*\{([^{}]*)\}"
)


@dataclass(frozen=True, slots=True)
class Grid:
    """Numbers with their labels; `corner` stands over the row labels."""

    rows: tuple[tuple[Printed, ...], ...]
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    corner: str = ""


def labelled(
    rows: Sequence[Sequence[Printed]],
    has_header: bool = False,
    has_labels: bool = False,
    *,
    barred: bool | None = None,
) -> Grid:
    """Part a table: a first row or column of other things than numbers is labels.

    Args:
        rows: all of its cells.
        has_header: whether the first row is marked as a header. It counts as numbers all the
            same if each of its cells is one: Markdown has no table without a header.
        has_labels: whether the first column is marked as headers, which may be numbers: ``0``.
        barred: for an array of LaTeX, whether a rule stands behind its first column. What
            names entries, such as ``S[1,0]``, is no label in an array without one.
    """
    grid = [list(row) for row in rows]
    header: list[Printed] = []
    in_array = barred is not None
    if len(grid) > 1 and _is_header(grid, has_header, in_array):
        header = grid.pop(0)
    labels: list[Printed] = []
    head = word(header[0]).lower() if header else None
    if len(grid[0]) > 1 and all(len(row) == len(grid[0]) for row in grid):
        first = [row[0] for row in grid]
        are_named = in_array and not barred and any(cell.is_named for cell in first)
        are_places = (has_labels or head in _INDEX_HEADS) and _are_indices(first)
        if (_are_labels(first) and not are_named) or are_places:
            labels = first
            grid = [row[1:] for row in grid]
    width = len(grid[0])
    corner = ""
    if labels and len(header) == width + 1:
        corner, header = word(header[0]), header[1:]
    columns = tuple(map(word, header)) if len(header) == width else ()
    return Grid(
        tuple(tuple(row) for row in grid),
        tuple(map(word, labels)),
        columns if any(columns) else (),
        corner,
    )


def _is_header(grid: list[list[Printed]], marked: bool, in_array: bool) -> bool:
    first = grid[0]
    if all(cell.is_number for cell in first):
        return False
    if marked:
        return True
    rest = [cell for cell in first[1:] if not is_dots(cell)] or first

    def is_value(cell: Printed) -> bool:
        return cell.is_number or (in_array and cell.is_named)

    return not any(map(is_value, rest)) and any(is_value(c) for r in grid[1:] for c in r)


def _are_labels(cells: Sequence[Printed]) -> bool:
    words = [cell for cell in cells if cell.text and not is_dots(cell)]
    return bool(words) and all(not cell.is_number for cell in words)


def _are_indices(cells: Sequence[Printed]) -> bool:
    texts = [cell.text for cell in cells]
    count = len(texts)
    return texts in ([str(i) for i in range(count)], [str(i + 1) for i in range(count)])


def is_dots(cell: Printed) -> bool:
    """Whether a cell says that something is left out."""
    return not cell.is_number and _DOTS.fullmatch(cell.text.strip("$ ")) is not None


def word(cell: Printed) -> str:
    """A label without what is around it: bold, dollar signs, quotation marks."""
    text = re.sub(r"<[^<>]*>|\\(?:hline|midrule|toprule)(?![a-zA-Z])", "", cell.text).strip()
    for _ in range(4):
        text = _WORD.sub(r"\1", text).strip().strip("$*`\"'“”‘’ ")
    return text.replace("\\_", "_").replace("\\ ", " ").strip()
