"""Two derivations side by side, in each format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symattn.blocks import Block, Inlines, Paragraph, Table, decimal, inlines, plain, row
from symattn.difference import Difference, EntryDifference, StepDifference
from symattn.entries import Entry, place
from symattn.notation import Notation, visible
from symattn.writers import markdown as markdown_writer
from symattn.writers.columns import table
from symattn.writers.screen import PLAIN, Screen
from symattn.writers.terminal import notes

SHOWN = 50  # entries of a step


def text(found: Difference, screen: Screen = PLAIN) -> str:
    """For a terminal: a table a step."""
    if not found.changed:
        return "no step differs"
    parts = []
    for step in found.changed:
        parts.append(f"{screen.ink(step.address, 'heading')}: {_said(step)}")
        if step.entries:
            rows = [[_where(e), *_cells(step, e, "text")] for e in step.entries[:SHOWN]]
            header = ["entry", *_header(step)]
            parts.append(table(header, rows, left=2, screen=screen))
            parts += [*_more(step), *_marks(step)]
    return "\n".join(parts)


def markdown(found: Difference) -> str:
    """Markdown tables, with the exact values as mathematics."""
    return "\n\n".join(map(markdown_writer.written, blocks(found))) + "\n"


def blocks(found: Difference) -> list[Block]:
    """The same as blocks of a page."""
    if not found.changed:
        return [Paragraph(plain("No step differs."))]
    out: list[Block] = []
    for step in found.changed:
        out.append(Paragraph(inlines(f"**`{step.address}`**: {_said(step)}")))
        if step.entries:
            rows = []
            for e in step.entries[:SHOWN]:
                symbol = e.left.step.entry_symbol(e.left.index)
                rows.append(row([f"${symbol}$", *_inlines(step, e)]))
            out.append(Table(row(["entry", *_header(step)]), tuple(rows)))
            out += [Paragraph(plain(more)) for more in (*_more(step), *_marks(step))]
    return out


def latex(found: Difference) -> str:
    """LaTeX: an ``array`` a step."""
    parts = []
    for step in found.changed:
        parts.append(rf"% {step.address}: {_said(step)}")
        if step.entries:
            rows = [
                " & ".join([e.left.step.entry_symbol(e.left.index), *_cells(step, e, "latex")])
                for e in step.entries[:SHOWN]
            ]
            body = " \\\\[4pt]\n".join(rows)
            side = "c" * sum(_shown(step))
            parts.append(f"\\[\n\\begin{{array}}{{c|{side}|{side}}}\n{body}\n\\end{{array}}\n\\]")
            parts += [f"% {line}" for line in (*_more(step), *_marks(step))]
    return "\n".join(parts)


def data(found: Difference) -> list[dict[str, Any]]:
    """Plain data, for JSON."""
    return [
        {
            "step": step.address,
            "kind": step.kind,
            "left_shape": list(step.left.shape) if step.left else None,
            "right_shape": list(step.right.shape) if step.right else None,
            "entries": [
                {
                    "index": list(e.left.index),
                    "labels": list(e.left.labels),
                    "left": e.left.text(),
                    "left_decimal": _decimal(e.left),
                    "right": e.right.text(),
                    "right_decimal": _decimal(e.right),
                    "undecided": e.undecided,
                }
                for e in step.entries
            ],
        }
        for step in found.steps
    ]


def _said(step: StepDifference) -> str:
    if step.kind == "left":
        return "only the left one has it"
    if step.kind == "right":
        return "only the right one has it"
    assert step.left is not None
    assert step.right is not None
    if step.kind == "shape":
        left, right = (" × ".join(map(str, s.shape)) for s in (step.left, step.right))
        return f"{left} on the left, {right} on the right"
    entries = "entry" if step.left.forms.size == 1 else "entries"
    said = f"{len(step.entries)} of {step.left.forms.size} {entries} differ"
    open_ones = sum(e.undecided for e in step.entries)
    return said + (f"; of {open_ones} that is undecided" if open_ones else "")


def _more(step: StepDifference) -> Iterator[str]:
    if len(step.entries) > SHOWN:
        yield f"and {len(step.entries) - SHOWN} more"


def _shown(step: StepDifference) -> tuple[bool, bool]:
    """Whether exact values and decimals are shown: what either of the two displays."""
    sides = [side for side in (step.left, step.right) if side is not None]
    values = {side.display_option("values") for side in sides}
    is_symbolic = any(side.has_symbols for side in sides)
    return values != {"decimals"} or is_symbolic, values != {"exact"}


def _header(step: StepDifference) -> list[str]:
    exact, decimals = _shown(step)
    if exact:
        return [head for side in ("left", "right") for head in (side, *(["≈"] * decimals))]
    return ["left ≈", "right ≈"]


def _marks(step: StepDifference) -> Iterator[str]:
    """What marks of decimals say, of each side."""
    indices = [e.left.index for e in step.entries[:SHOWN]]
    for side, one in (("left", step.left), ("right", step.right)):
        if one is not None and _shown(step)[1]:
            yield from (f"{side}: {line}" for line in notes(one, indices))


def _where(e: EntryDifference) -> str:
    labels = place(e.left) if e.left.step.display_option("labels") else ""
    return e.left.address + (f" ({labels})" if labels else "")


def _cells(step: StepDifference, e: EntryDifference, style: Notation) -> list[str]:
    """Both values, exact and decimal or one of them, as the display of their step has them."""
    exact, decimals = _shown(step)
    cells = []
    for entry in (e.left, e.right):
        if exact:
            cells.append(entry.step.written_at(entry.index, style))
        if decimals:
            shown = "" if entry.has_symbols else entry.step.displayed_at(entry.index, style)
            cells.append(visible(shown))
    return cells


def _inlines(step: StepDifference, e: EntryDifference) -> list[Inlines]:
    """The same for a page."""
    exact, decimals = _shown(step)
    kinds = 2 * [*([True] * exact), *([False] * decimals)]
    cells = zip(kinds, _cells(step, e, "latex"), strict=True)
    return [inlines(f"${cell}$") if is_exact else decimal(cell) for is_exact, cell in cells]


def _decimal(entry: Entry) -> str:
    return visible("" if entry.has_symbols else entry.step.shown_at(entry.index))
