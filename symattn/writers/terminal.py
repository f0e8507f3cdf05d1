"""Aligned text, for a terminal and a plain Python prompt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from symattn.cells import overhang
from symattn.errors import ExactnessError, Undecided
from symattn.notation import visible
from symattn.numerals import SMALL, written

if TYPE_CHECKING:
    from symattn.graph import Array
    from symattn.selection import Selection
    from symattn.steps import Step
    from symattn.verify import Report

#: Columns of a terminal that a matrix may take.
WIDEST = 120


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns of text, the first `left` ones flush left, the others flush right.

    Never folds and never colours: what is piped is what is seen.
    """
    from rich.cells import cell_len  # and not its tables: they fold, and take long to import

    lines = [[visible(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]

    def padded(cell: str, column: int) -> str:
        space = " " * (widths[column] - cell_len(cell))
        return cell + space if column < left else space + cell

    texts = ["  ".join(padded(c, k) for k, c in enumerate(line)).rstrip() for line in lines]
    return "\n".join(texts if any(header) else texts[1:])


def matrix(cells: Array, axes: Sequence[Sequence[str] | None]) -> str:
    """A rank 0, 1 or 2 array of texts with its labels; higher ranks slice by slice."""
    if cells.ndim > 2:
        parts = [
            f"[{','.join(map(str, index))}]\n{matrix(cells[index], axes[-2:])}"
            for index in np.ndindex(cells.shape[:-2])
        ]
        return "\n".join(parts)
    rows = cells.reshape((1, -1)) if cells.ndim < 2 else cells
    row_labels = list(axes[0] or [""] * len(rows)) if cells.ndim == 2 else [""]
    columns = list(axes[-1] or [""] * rows.shape[1]) if cells.ndim else [""]
    body = [[label, *row] for label, row in zip(row_labels, rows, strict=True)]
    if not any(row_labels):
        return table(columns, [row[1:] for row in body], left=0)
    return table(["", *columns], body)


def step(step: Step) -> str:
    """What `show` prints: the line of code, exact entries, names, decimals.

    Entries of a matrix that is too wide stand one a line.
    """
    shape = " × ".join(map(str, step.shape)) or "a number"
    lines = [f"{heading(step)}    ({shape})"]
    if step.shows_exact:
        exact = step.written("text")
        shown = matrix(exact, step.shown_axes)
        if step.shape and max(map(len, shown.split("\n"))) > WIDEST:
            shown = "\n".join(f"{e.address} = {exact[e.index]}" for e in step.entries())
        lines += [shown, *(f"{name} = {value}" for name, value in step.where("text"))]
    if step.shows_decimals:
        decimals = _even(step.displayed("text"))
        lines += ["≈", matrix(decimals, step.shown_axes), *notes(step)]
    for entry in step.worked():
        lines += ["", str(entry.explain())]
    return "\n".join(lines)


def _even(texts: Array) -> Array:
    """Decimals with as much room behind each as marks take, so that points stand in a line."""
    marks = [overhang(text) for text in texts.flat]
    room = max(marks, default=0)
    padded = [text + " " * (room - m) for text, m in zip(texts.flat, marks, strict=True)]
    return np.array(padded, dtype=object).reshape(texts.shape)


def notes(step: Step, indices: Sequence[tuple[int, ...]] | None = None) -> list[str]:
    """A line for each mark of its decimals, or of some: which decimals are not the nearest ones."""
    if not step.shows_decimals:
        return []

    def wanted(found: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
        return [index for index in found if indices is None or index in indices]

    mark = step.derivation.display.decimal_mark
    moved = [
        f"{step[index].address} ≈ {written(step.decimal_at(index), 'text', mark)}"
        for index in wanted(step.moved())
    ]
    lines = []
    if moved:
        are = "the nearest is" if len(moved) == 1 else "the nearest are"
        between = "; " if mark == "," else ", "
        lines.append(f"* so that the row adds to 1: {are} {between.join(moved)}")
    return lines + [SMALL] * bool(wanted(step.reads_zero()))


def selection(found: Selection) -> str:
    """What a decoding rule keeps, with the distribution that is left, and any tie."""
    name = found.row[0].step.short
    shown = [e.step.displayed_at(e.index, "text") for e in found.kept]
    try:
        columns = [shown, found.texts("text"), found.shown()]
        header = ["", name, "renormalised", "≈"]
    except (ExactnessError, Undecided):  # scores, which have an order but no sum to divide by
        columns, header = [shown], ["", name]
    rows = list(zip(words_of(found), *columns, strict=True))
    return "\n".join([selection_head(found), table(header, rows), *selection_tie(found)])


def selection_head(found: Selection) -> str:
    """``top 2 of P: 2 of 5``."""
    cell = found.row[0].index[:-1]
    name = f"{found.row[0].step.short}{list(cell) if cell else ''}"
    return f"{found.rule} of {name}: {len(found.kept)} of {len(found.row)}"


def words_of(found: Selection) -> list[str]:
    """What each entry that is kept is called."""
    return [next((w for w in reversed(e.labels) if w), e.address) for e in found.kept]


def selection_tie(found: Selection) -> list[str]:
    """A line on those that tie for the last place, if any do."""
    if not found.tied:
        return []
    tied = ", ".join(e.address for e in found.tied)
    places = found.size - (len(found.kept) - len(found.tied))
    return [f"tie for the last place: {tied}; {places} of them would do"]


def overview(steps: Sequence[Step]) -> str:
    """The table that `list` prints."""
    rows = [
        [s.short, s.symbol, " × ".join(map(str, s.shape)) or "1", s.source or _origin(s)]
        for s in steps
    ]
    return table(["step", "symbol", "shape", "formula"], rows, left=4)


def _origin(step: Step) -> str:
    return f"inside {step.inside.rpartition('.')[2]}" if step.inside else "given"


def heading(step: Step) -> str:
    """``A = softmax(Z_masked)``; just the address for what was given."""
    return f"{step.short} = {step.source}" if step.source and not step.given else step.short


def report(report: Report) -> str:
    """The table that `verify` prints, and a sentence for each disagreement."""
    header, *rows = report_rows(report)
    return "\n".join([table(header, rows, left=2), "", *report_notes(report)])


def report_rows(report: Report) -> list[list[str]]:
    """The cells of that table, its header first.

    The certified value is the one that float64 comes closest to its bound at. A cell has
    the largest error in ulps, where it is, and the mean; NO where a float leaves its bound.
    """
    types = list(dict.fromkeys(c.type for c in report.checks))
    steps = list(dict.fromkeys(c.step for c in report.checks))
    cells = {(c.step, c.type): c for c in report.checks}
    rows = [["step", "certified value", "bits", *types]]
    for name in steps:
        first = cells[name, types[0]]
        row = [name, f"{first.worst_at} = {first.exact}", str(first.bits or "exact")]
        for kind in types:
            c = cells[name, kind]
            where = f"{c.ulps:.2f} {c.ulps_at}" if c.ulps_at else "0"
            row.append(f"{where} (mean {c.mean_ulps:.2f})" + ("" if c.agrees else " NO"))
        rows.append(row)
    return rows


def report_notes(report: Report) -> list[str]:
    """The disagreements, or that there are none; and what was left out."""
    types = list(dict.fromkeys(c.type for c in report.checks))
    steps = {c.step for c in report.checks}
    agrees = (
        f"{len(steps)} steps agree: every entry within its running error bound, in "
        f"{', '.join(types[:-1])} and {types[-1]}. Errors are in ulps."
    )
    return [*(report.disagreements or [agrees]), *report.left_out]
