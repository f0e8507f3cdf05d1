"""What varies with one entry or two: as text, as Markdown, and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from symattn.blocks import Block, Inlines, Math, Paragraph, Plain, Table, plain, row
from symattn.notation import visible
from symattn.varying.points import Point
from symattn.varying.regions import ACROSS, DEPTH, UP, Line, Region
from symattn.varying.vary import Map, Row, Threshold, Variation
from symattn.writers import jupyter
from symattn.writers.columns import table
from symattn.writers.markdown import escape
from symattn.writers.screen import PLAIN, Screen

#: What cells of a map that are not settled are drawn as.
MIXED, UNDECIDED = "·", "?"

MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def text(found: Any, screen: Screen = PLAIN) -> str:
    """For a terminal."""
    if isinstance(found, Map):
        lines = [_over(found), *_drawn(found), *_legend(found), *_lines(found)]
        return "\n".join(map(visible, lines))
    rows = [[*ends, word] for ends, word in _rows(found)]
    shown = table(["from", "to", _what(found)], rows, left=3, screen=screen)
    return "\n".join([_along(found), shown, *map(visible, _notes(found))])


def markdown(found: Any) -> str:
    """A table, or the map in a block of code, and a line for each threshold."""
    if isinstance(found, Map):
        notes = [*_legend(found), *_lines(found)]
        drawn = "\n".join(_drawn(found))
        head = f"{_plain(_over(found))}\n\n```text\n{drawn}\n```\n"
    else:
        rows = [["from", "to", _what(found)], ["---"] * 3]
        rows += [[*map(_plain, ends), _plain(word)] for ends, word in _rows(found)]
        notes = _notes(found, "latex")
        table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
        head = f"{_plain(_along(found))}\n\n{table}"
        return head + "".join(f"\n{note}\n" for note in notes)
    return head + "".join(f"\n{_plain(note)}\n" for note in notes)


def shown(found: Any) -> str:
    """The same for notebooks; see `symattn.writers.jupyter`."""
    if isinstance(found, Map):
        drawn = "\n".join(_drawn(found))
        legend = [*_legend(found), *_lines(found)]
        return "\n\n".join(
            [
                jupyter.written(Paragraph(plain(_over(found)))),
                f"```text\n{drawn}\n```",
                *(jupyter.written(Paragraph(plain(line))) for line in legend),
            ]
        )
    rows = [row([*map(plain, ends), plain(word)]) for ends, word in _rows(found)]
    blocks: list[Block] = [
        Paragraph(plain(_along(found))),
        Table(row(["from", "to", _what(found)]), tuple(rows)),
        *(Paragraph(_note_inlines(found, t)) for t in found.thresholds),
    ]
    return jupyter.markdown(blocks)


def data(found: Any) -> dict[str, Any]:
    """Plain data, for JSON."""
    if isinstance(found, Map):
        return _map_data(found)
    digits = found.digits
    return {
        "parameter": found.parameters[0].address,
        "value": found.value(),
        "from": _number(found.low),
        "to": _number(found.high),
        "method": found.method,
        "rows": [
            {
                "from": _decimal(r.low, digits),
                "to": _decimal(r.high, digits),
                "winners": list(r.winners),
                "open": r.open,
                "tie": _number(r.tie),
            }
            for r in found.rows
        ],
        "thresholds": [
            {
                "at": t.at.decimal(digits),
                "exact": t.at.text(),
                "latex": t.at.text("latex"),
                "tied": list(t.tied),
                "before": list(t.before),
                "after": list(t.after),
            }
            for t in found.thresholds
        ],
    }


def _map_data(found: Map) -> dict[str, Any]:
    words = found.words
    return {
        "parameters": [p.address for p in found.parameters],
        "values": [found.value(k) for k in range(2)],
        "from": [str(found.x[0]), str(found.y[0])],
        "to": [str(found.x[1]), str(found.y[1])],
        "cells": [
            {
                "from": [str(c.x[0]), str(c.y[0])],
                "to": [str(c.x[1]), str(c.y[1])],
                "winners": [words[i] for i in sorted(c.winners)],
                "verdict": _verdict(c),
            }
            for c in found.cells
        ],
        "lines": [
            {
                "pair": [words[i] for i in line.pair],
                "offset": line.offset.decimal(found.digits),
                "offset_exact": line.offset.text(),
                "tilt": None if line.tilt is None else line.tilt.decimal(found.digits),
                "tilt_exact": None if line.tilt is None else line.tilt.text(),
            }
            for line in found.lines
        ],
    }


def _verdict(cell: Region) -> str:
    return "proven" if cell.settled else "mixed" if cell.mixed else "undecided"


def _number(x: Fraction | None) -> str | None:
    return None if x is None else str(x)


def _decimal(x: Point | None, digits: int) -> str | None:
    return None if x is None else x.decimal(digits)


def _plain(line: str) -> str:
    return escape(visible(line))


# Along one entry.


def _what(found: Any) -> str:
    return "most likely" if found.ranking.is_softmax else "largest"


def _along(found: Variation) -> str:
    if found.low is None and found.high is None:
        where = "for every number"
    else:
        low, high = ("" if x is None else str(x) for x in (found.low, found.high))
        where = " ".join(
            [*(["from", low] if low else []), *(["to", high] if high else ["upwards"])]
        )
    name = found.parameters[0].address
    step = found.ranking.step.short
    if found.method == "nothing depends on it":
        return f"{name} (now {found.value()}): {step} does not depend on it"
    return f"{name} (now {found.value()}), {where}: {found.method}"


def _rows(found: Variation) -> list[tuple[list[str], str]]:
    digits: dict[Point, int] = {}
    for part in found.rows:
        for x in (part.low, part.high):
            if x is not None:
                digits[x] = max(digits.get(x, 0), part.digits(found.digits))
    return [
        (
            [
                infinite if x is None else x.short(digits[x])
                for x, infinite in ((part.low, "-oo"), (part.high, "oo"))
            ],
            _winner(part),
        )
        for part in found.rows
    ]


def _winner(row: Row) -> str:
    if not row.open:
        return visible(" = ".join(row.winners))
    tie = f"; they tie at {row.tie}" if row.tie is not None else ""
    return visible(f"undecided: {' or '.join(row.winners)}{tie}")


def _notes(found: Variation, style: str = "text") -> list[str]:
    return [_note(found, t, style) for t in found.thresholds]


def _note(found: Variation, threshold: Threshold, style: str) -> str:
    words = _tie(found, threshold)
    if style == "latex":
        return f"At ${_at(found, threshold)}$ {_plain(words)}."
    decimal, shown = threshold.at.decimal(found.digits), threshold.at.text()
    return f"at {decimal if shown is None else f'{shown} ≈ {decimal}'}: {words}"


def _note_inlines(found: Variation, threshold: Threshold) -> Inlines:
    words = f" {_tie(found, threshold)}."
    return (Plain("At "), Math(_at(found, threshold)), Plain(words))


def _tie(found: Variation, threshold: Threshold) -> str:
    *first, last = threshold.tied
    words = f"{', '.join(first)} and {last} tie"
    if threshold.before == threshold.after:
        words += f", and {' = '.join(threshold.after)} stays the {_what(found)}"
    return visible(words)


def _at(found: Variation, threshold: Threshold) -> str:
    """LaTeX of where it is."""
    decimal, shown = threshold.at.decimal(found.digits), threshold.at.text("latex")
    return decimal if shown is None else rf"{shown} \approx {decimal}"


# Over two.


def _over(found: Map) -> str:
    first, second = (
        f"{p.address} (now {found.value(k)}) {way} from {low} to {high}"
        for k, (p, way, (low, high)) in enumerate(
            zip(found.parameters, ("across", "up"), (found.x, found.y), strict=True)
        )
    )
    return f"{first}, {second}: the {_what(found)}"


def _drawn(found: Map) -> list[str]:
    """A letter a cell of the finest grid, the first entry growing to the right, the second up."""
    columns, rows = ACROSS * 2**DEPTH, UP * 2**DEPTH
    grid = [[" "] * columns for _ in range(rows)]
    for cell in found.cells:
        mark = _mark(found, cell)
        across = _places(cell.x, found.x, columns)
        for i in _places(cell.y, found.y, rows):
            for j in across:
                grid[rows - 1 - i][j] = mark
    return ["".join(line) for line in grid]


def _places(side: Sequence[Fraction], whole: Sequence[Fraction], n: int) -> range:
    step = (whole[1] - whole[0]) / n
    return range(*(int((x - whole[0]) / step) for x in side))


def _mark(found: Map, cell: Region) -> str:
    if not cell.settled:
        return MIXED if cell.mixed else UNDECIDED
    return MARKS[winners(found).index(min(cell.winners)) % len(MARKS)]


def winners(found: Map) -> list[int]:
    """The tokens that are proven the most likely in some cell, in the vocabulary's order."""
    return sorted({min(c.winners) for c in found.cells if c.settled})


def _legend(found: Map) -> list[str]:
    names = {min(c.winners): c.winners for c in found.cells if c.settled}
    lines = [
        visible(f"{MARKS[k % len(MARKS)]}  {' = '.join(found.words[j] for j in sorted(names[i]))}")
        for k, i in enumerate(winners(found))
    ]
    if any(not c.settled and c.mixed for c in found.cells):
        lines.append(f"{MIXED}  more than one of them")
    if any(not c.settled and not c.mixed for c in found.cells):
        lines.append(f"{UNDECIDED}  undecided")
    return lines


def _lines(found: Map) -> list[str]:
    return [_boundary(found, line) for line in found.lines]


def _boundary(found: Map, line: Line) -> str:
    x, y = (p.address for p in found.parameters)
    words = visible(" and ".join(found.words[i] for i in line.pair))
    offset = _short(line.offset, found.digits)
    if line.tilt is None:
        return f"{words} tie where {x} = {offset}"
    tilt = _short(line.tilt, found.digits)
    if line.tilt.rational == 0:
        return f"{words} tie where {y} = {offset}"
    return f"{words} tie where {y} = {offset} + ({tilt})*{x}"


def _short(x: Point, digits: int) -> str:
    shown = x.text()
    return x.decimal(digits) if shown is None else shown
