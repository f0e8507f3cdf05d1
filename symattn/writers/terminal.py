"""Aligned text, for a terminal and a plain Python prompt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from symattn.cells import overhang
from symattn.entries import place
from symattn.errors import ExactnessError, Undecided
from symattn.numerals import SMALL, written
from symattn.writers.columns import matrix, stands, table
from symattn.writers.screen import PLAIN, Screen

if TYPE_CHECKING:
    from symattn.entries import Explanation
    from symattn.graph import Array
    from symattn.notation import Notation
    from symattn.selection import Selection
    from symattn.steps import Step
    from symattn.verify import Report


def step(step: Step, screen: Screen = PLAIN) -> str:
    """What `show` prints: the line of code, exact entries, names, decimals.

    Entries of a matrix that is too wide, and does not fold, stand one a line.
    """
    shape = " × ".join(map(str, step.shape)) or "a number"
    lines = [f"{screen.ink(heading(step), 'heading')}    ({shape})"]
    roles = _roles(step) if screen.colours else None
    if step.shows_exact:
        exact = step.written("text")
        if stands(exact, step.shown_axes, screen):
            lines.append(matrix(exact, step.shown_axes, screen, roles))
        else:
            lines += _listed(step, exact, "=", screen)
        lines += [f"{screen.ink(name, 'label')} = {value}" for name, value in step.where("text")]
    if step.shows_decimals:
        decimals = _even(step.displayed("text"))
        lines.append(screen.ink("≈", "faint"))
        if screen.width is None or stands(decimals, step.shown_axes, screen):
            lines.append(matrix(decimals, step.shown_axes, screen, roles))
        else:
            lines += _listed(step, decimals, "≈", screen)
        lines += notes(step)
    for entry in step.worked():
        lines += ["", explanation(entry.explain(), screen)]
    return "\n".join(lines)


def _listed(step: Step, cells: Array, sign: str, screen: Screen) -> list[str]:
    return [
        f"{screen.ink(e.address, 'label')} {sign} {cells[e.index].rstrip()}" for e in step.entries()
    ]


def _roles(step: Step) -> Array:
    """What is masked is faint: -oo, and the weights of exactly 0 that follow from it."""
    exact = step.texts("text")
    is_softmax = step.derivation.graph.nodes[step.node].op == "softmax" and not step.given
    masked = (exact == "-oo") | ((exact == "0") & is_softmax)
    return np.where(masked, "faint", "").astype(object)


def explanation(found: Explanation, screen: Screen = PLAIN) -> str:
    """An entry with its working: what it is called, then a line for each way to write it."""
    words = place(found.entry)
    head = screen.ink(found.entry.address, "heading") + (f": {words}" if words else "")
    rows = [f"  {screen.ink(f'{label:<12}', 'label')} {text}" for label, text in found.rows()]
    return "\n".join([head, *rows])


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


def selection(found: Selection, screen: Screen = PLAIN) -> str:
    """What a decoding rule keeps, with the distribution that is left, and any tie."""
    header, columns = selection_columns(found, "text")
    rows = list(zip(words_of(found), *columns, strict=True))
    head = screen.ink(selection_head(found), "heading")
    shown = table(["", found.row[0].step.short, *header], rows, screen=screen, repeated=1)
    return "\n".join([head, shown, *selection_notes(found)])


def selection_columns(found: Selection, style: Notation) -> tuple[list[str], list[list[str]]]:
    """What stands behind each entry that is kept, as its step is displayed.

    Returns:
        The heads of the columns behind the first, and all columns: what it was, and divided by
        the sum of what is kept, exactly and as a decimal, or one of them.
    """
    values = found.row[0].step.display_option("values")
    columns, header = [_values_of(found, style)], []
    try:
        if values != "decimals":
            columns, header = [*columns, found.texts(style)], ["renormalised"]
        if values != "exact":
            columns.append(found.displayed(style))
            header.append("≈" if header else "renormalised ≈")
    except (ExactnessError, Undecided):  # scores, which have an order but no sum to divide by
        return [], columns[:1]
    return header, columns


def _values_of(found: Selection, style: Notation) -> list[str]:
    exact = found.row[0].step.display_option("values") == "exact"
    step = found.row[0].step
    written = step.written_at if exact else step.displayed_at
    return [written(e.index, style) for e in found.kept]


def selection_notes(found: Selection) -> list[str]:
    """A line on a tie, and one on each mark of a decimal."""
    step, indices = found.row[0].step, [e.index for e in found.kept]
    return [*selection_tie(found), *notes(step, indices)]


def selection_head(found: Selection) -> str:
    """``top 2 of P: 2 of 5``."""
    cell = found.row[0].index[:-1]
    name = f"{found.row[0].step.short}{list(cell) if cell else ''}"
    return f"{found.rule} of {name}: {len(found.kept)} of {len(found.row)}"


def words_of(found: Selection) -> list[str]:
    """What each entry that is kept is called."""
    return [next((w for w in reversed(e.shown_labels) if w), e.address) for e in found.kept]


def selection_tie(found: Selection) -> list[str]:
    """A line on those that tie for the last place, if any do."""
    if not found.tied:
        return []
    tied = ", ".join(e.address for e in found.tied)
    places = found.size - (len(found.kept) - len(found.tied))
    return [f"tie for the last place: {tied}; {places} of them would do"]


def overview(steps: Sequence[Step], screen: Screen = PLAIN) -> str:
    """The table that `list` prints."""
    rows = [
        [s.short, s.symbol, " × ".join(map(str, s.shape)) or "1", s.source or _origin(s)]
        for s in steps
    ]
    return table(["step", "symbol", "shape", "formula"], rows, left=4, screen=screen)


def _origin(step: Step) -> str:
    return f"inside {step.inside.rpartition('.')[2]}" if step.inside else "given"


def heading(step: Step) -> str:
    """``A = softmax(Z_masked)``; just the address for what was given."""
    return f"{step.short} = {step.source}" if step.source and not step.given else step.short


def report(report: Report, screen: Screen = PLAIN) -> str:
    """The table that `verify` prints, and a sentence for each disagreement."""
    header, *rows = report_rows(report)
    roles = np.array([["bad" * cell.endswith(" NO") for cell in row[1:]] for row in rows], object)
    shown = table(header, rows, left=2, screen=screen, repeated=1, roles=roles)
    said = report_notes(report)
    if report.agrees:
        verdict, colon, how = said[0].partition(":")
        said[0] = screen.ink(verdict, "good") + colon + how
    else:
        wrong = len(report.disagreements)
        said = [screen.ink(line, "bad") for line in said[:wrong]] + said[wrong:]
    return "\n".join([shown, "", *said])


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
