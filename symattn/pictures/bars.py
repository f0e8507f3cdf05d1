"""A row of numbers, probabilities above all, as labelled bars."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from symattn.comparison import largest
from symattn.entries import Entry
from symattn.errors import OptionError, Undecided
from symattn.pictures import lettering, seen
from symattn.pictures.svg import SIZE, Element, Ink, element, hint, picture
from symattn.steps import Step

ROW = 26.0
LENGTH = 260.0  # of the longest bar
ROOM = 150.0  # of a label
GAP = 8.0
MOST = 500


def bars(entries: Step | Sequence[Entry], standalone: bool = False) -> str:
    """Horizontal bars with certified decimals; what is proven the largest is accented.

    Args:
        entries: a row, such as ``d["P"].entries()`` or ``d["A"][1]``; or a step, every row of it.

    Raises:
        OptionError: no entry, symbols, or more than 500 entries.
    """
    found = entries.entries() if isinstance(entries, Step) else list(entries)
    if not found or not all(isinstance(entry, Entry) for entry in found):
        raise OptionError("bars want a row of entries, such as P or A[0]")
    step = found[0].step
    seen.check(step, "a picture of bars")
    if len(found) > MOST:
        raise OptionError(
            f"bars want at most {MOST} entries, got {len(found)}; "
            f"{step.short}.top_k(20).kept are the largest"
        )
    rows: dict[tuple[int, ...], list[Entry]] = {}
    for entry in found:
        rows.setdefault(entry.index[:-1], []).append(entry)
    return _draw(step, list(rows.values()), standalone)


def winners(row: Sequence[Entry]) -> list[Entry]:
    """The entries that are proven the largest of a row; none where that is undecided."""
    try:
        return largest(row)
    except Undecided:
        return []


def _draw(step: Step, rows: list[list[Entry]], standalone: bool) -> str:
    every = [entry for row in rows for entry in row]
    values = [seen.value(entry) for entry in every]
    shown = [seen.decimal(entry) for entry in every]
    below = max((-v for v in values if isfinite(v)), default=0.0)
    above = max((v for v in values if isfinite(v)), default=0.0)
    below, above = max(below, 0.0), max(above, 0.0)
    unit = LENGTH / ((below + above) or 1.0)
    heads = [head(row[0]) for row in rows] if len(rows) > 1 else [""]
    left = GAP + min(ROOM, max(lettering.width(name(entry)) for entry in every))
    numbers = max(map(lettering.width, shown))
    zero = left + below * unit + (numbers + 6 if below else 0)
    children: list[Element] = []
    lines: list[str] = []
    y = 0.0
    place = 0
    for row, title in zip(rows, heads, strict=True):
        if title:
            children.append(
                lettering.label(
                    title, 0.0, y + 0.7 * ROW, left + LENGTH + numbers, font_weight="bold"
                )
            )
            y += ROW
        best = {entry.index for entry in winners(row)}
        start = y
        for entry in row:
            children.append(
                _bar(entry, values[place], shown[place], entry.index in best, zero, left, y, unit)
            )
            place += 1
            y += ROW
        children.append(
            element("path", d=f"M{zero:.2f} {start:.2f}V{y:.2f}", stroke=Ink.QUIET, fill="none")
        )
        y += GAP
        lines.append(_said(row, shown[place - len(row) : place], best, title))
    width = zero + above * unit + 6 + numbers
    return picture(
        width,
        y - GAP,
        children,
        title=f"{step.short} as bars",
        about=" ".join(lines),
        standalone=standalone,
        kind="bars",
    )


def name(entry: Entry) -> str:
    """What stands before the bar of an entry: its own label, or its place."""
    if not entry.index:
        return entry.step.short
    return seen.names(entry.step, len(entry.index) - 1)[entry.index[-1]]


def head(entry: Entry) -> str:
    """What stands above the bars of a row."""
    parts = [seen.names(entry.step, axis)[i] for axis, i in enumerate(entry.index[:-1])]
    return f"{entry.step.short}, row {', '.join(parts)}"


def _bar(
    entry: Entry,
    value: float,
    shown: str,
    best: bool,
    zero: float,
    left: float,
    y: float,
    unit: float,
) -> Element:
    length = abs(value) * unit if isfinite(value) else 0.0
    middle = y + ROW / 2
    parts = [
        hint(seen.said(entry, shown) + (" (the largest)" if best else "")),
        lettering.label(
            name(entry),
            left - GAP,
            middle + 0.35 * SIZE,
            left - GAP,
            text_anchor="end",
            font_weight="bold" if best else None,
        ),
        element(
            "rect",
            x=zero - length if value < 0 else zero,
            y=y + 4,
            width=length,
            height=ROW - 8,
            fill=Ink.ACCENT if best else Ink.QUIET,
            fill_opacity=1.0 if best else 0.6,
        ),
        element(
            "text",
            shown,
            x=zero - length - 6 if value < 0 and isfinite(value) else zero + length + 6,
            y=middle + 0.35 * SIZE,
            text_anchor="end" if value < 0 and isfinite(value) else None,
            font_weight="bold" if best else None,
        ),
    ]
    return element("g", *parts, data_entry=entry.address, class_="best" if best else None)


def _said(row: list[Entry], shown: list[str], best: set[tuple[int, ...]], title: str) -> str:
    parts = [f"{name(entry)} {text}" for entry, text in zip(row, shown, strict=True)]
    top = [name(entry) for entry in row if entry.index in best]
    if not top:
        ending = "Which is the largest is undecided."
    elif len(top) > 1:
        ending = f"The largest are proven to tie: {seen.list_of(top)}."
    else:
        ending = f"The largest, proven, is {top[0]}."
    return f"{title + ': ' if title else ''}{seen.list_of(parts, 40)}. {ending}"
