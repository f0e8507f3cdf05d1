"""Derivatives of predictions by inputs, as a table: text, Markdown, data."""

from __future__ import annotations

from typing import Any

from symattn.blocks import Block, Code, Paragraph, Table, plain, row
from symattn.entries import Entry
from symattn.layout import is_long
from symattn.notation import visible
from symattn.sensitivity import Derivative, Sensitivities
from symattn.writers.screen import PLAIN, Screen

#: Decimals at least, whatever the display says: a derivative is small beside what it is of.
DIGITS = 6

#: How many are shown where nobody says.
TOP = 10

_MARKS = {"less": "", "equal": "=", "undecided": "?"}
_LEGEND = {
    "=": "=  as large as the one above, proven",
    "?": "?  which of it and the one above is larger is undecided",
}


def _heading(found: Sensitivities, shown: int) -> str:
    zero = f"; {found.zeros} are exactly 0" if found.zeros else ""
    largest = f"the {shown} largest of " if shown < found.total else ""
    return f"{found.of} by {', '.join(found.by)}: {largest}{found.total} derivatives{zero}"


def _decimal(entry: Entry) -> str:
    """The decimal as the display has it; none where exact values alone are shown."""
    step = entry.step
    if step.display_option("values") == "exact":
        return ""
    is_fixed = step.display_option("rounding") == "decimals"
    return step.displayed_at(entry.index, "text", max(DIGITS, step.digits) if is_fixed else None)


def _rows(derivatives: tuple[Derivative, ...]) -> list[tuple[str, str, str, str, str]]:
    rows = []
    for place, d in enumerate(derivatives, 1):
        label = visible(d.of.shown_labels[-1] or "") if d.of.labels else ""
        shows_exact = d.entry.step.display_option("values") != "decimals"
        exact = d.entry.text() if shows_exact else ""
        own_name = d.entry.step.entry_symbol(d.entry.index, "text")
        rows.append(
            (
                f"{_MARKS[d.order]}{place}",
                f"∂{d.of.address}/∂{d.by.address}",
                label,
                _decimal(d.entry),
                "" if is_long(exact, "text") or exact == own_name else exact,
            )
        )
    return rows


def text(found: Sensitivities, top: int, screen: Screen = PLAIN) -> str:
    """A table for a terminal."""
    derivatives = found.top(top)
    rows = _rows(derivatives)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    lines = [_heading(found, len(rows))]
    for mark, name, label, decimal, exact in rows:
        called = screen.ink(f"{name:<{widths[1]}}", "label")
        lines.append(
            f"{mark:>{widths[0]}}  {called}  {label:<{widths[2]}}  "
            f"{decimal:>{widths[3]}}  {exact}".rstrip()
        )
    return "\n".join(lines + _legend(derivatives))


def _legend(derivatives: tuple[Derivative, ...]) -> list[str]:
    used = {_MARKS[d.order] for d in derivatives}
    return [meaning for mark, meaning in _LEGEND.items() if mark in used]


def markdown(found: Sensitivities, top: int) -> str:
    """A table in Markdown."""
    derivatives = found.top(top)
    lines = [_heading(found, len(derivatives)), "", "| | derivative | | ≈ | exact |",
             "| ---: | --- | --- | ---: | --- |"]  # fmt: skip
    for mark, name, label, decimal, exact in _rows(derivatives):
        words = visible(label).replace("|", r"\|")
        lines.append(
            f"| {mark} | `{name}` | {words} | {decimal} | {f'`{exact}`' if exact else ''} |"
        )
    legend = _legend(derivatives)
    return "\n".join(lines + ([""] if legend else []) + legend)


def shown(found: Sensitivities) -> list[Block]:
    """The largest as blocks, for notebooks."""
    derivatives = found.top(TOP)
    header = row(["", "derivative", "", "≈", "exact"])
    rows = []
    for mark, name, label, decimal, exact in _rows(derivatives):
        cells = [(Code(name),), plain(label), plain(decimal), (Code(exact),) if exact else ()]
        rows.append(row([plain(mark), *cells]))
    blocks: list[Block] = [Paragraph(plain(_heading(found, len(derivatives))))]
    blocks += [Table(header, tuple(rows))] if rows else []
    return [*blocks, *(Paragraph(plain(line)) for line in _legend(derivatives))]


def data(found: Sensitivities, top: int) -> dict[str, Any]:
    """Plain data, with each exact value in full where that has at most 20,000 characters."""
    from symattn.errors import SizeError

    def full(derivative: Derivative) -> str | None:
        try:
            return derivative.entry.expand()
        except SizeError:
            return None

    return {
        "of": found.of,
        "by": list(found.by),
        "total": found.total,
        "zeros": found.zeros,
        "derivatives": [
            {
                "of": d.of.address,
                "by": d.by.address,
                "label": d.of.labels[-1] if d.of.labels else None,
                "decimal": d.entry.step.shown_at(d.entry.index, DIGITS),
                "exact": full(d),
                "order": d.order,
            }
            for d in found.top(top)
        ],
    }
