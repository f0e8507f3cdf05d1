"""Steps as `symattn show` prints them and pages of plain text hold them: columns of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symattn.claims.reading.cells import Printed, read
from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.markers import Marked
from symattn.claims.reading.matrix import PrintedMatrix
from symattn.claims.reading.scan import Span

#: ``A = softmax(Z_masked)    (3 × 3)``
_HEAD = re.compile(
    r"^(?P<name>[^\W\d][\w.~]{0,200}(?:\[\d{1,9}\][\w.~]{0,200}){0,20})(?: = [^\n]{1,400})?"
    r"    \((?P<shape>a number|\d{1,9}(?: × \d{1,9}){0,9})\)[ \t\r]*$",
    re.MULTILINE,
)
_LINE = re.compile(r"[^\n]*")
_CELL = re.compile(r"\S+(?: \S+)*")
_SLICE = re.compile(r"\[(\d{1,9}(?:,\d{1,9}){0,9})\]")
_ENTRY = re.compile(r"(?P<address>\S{1,400}\[\d{1,9}(?:,\d{1,9}){0,9}\]) [=≈] (?P<value>[^\n]+)")
_END = re.compile(r"\s*$|[ \t>]*(?:`{3}|~{3})")


def shown_steps(view: Mapped, text: str) -> tuple[list[PrintedMatrix], list[Marked]]:
    """The matrices in a text's steps, and the entries that stand one a line.

    Args:
        view: the text, and the way back to the document.
        text: its copy without comments.
    """
    matrices: list[PrintedMatrix] = []
    marked: list[Marked] = []
    for head in _HEAD.finditer(text):
        shape = [int(n) for n in re.findall(r"\d+", head["shape"])]
        lines = list(_lines(text, head.end() + 1))
        sign = next((k for k, line in enumerate(lines) if text[slice(*line)].strip() == "≈"), None)
        parts = [lines] if sign is None else [lines[:sign], lines[sign + 1 :]]
        for part in parts:
            matrices += _matrices(view, text, head["name"], shape, part)
            for start, end in part:
                if entry := _ENTRY.fullmatch(text[start:end].rstrip()):
                    printed = read(view, start + entry.start("value"), start + entry.end("value"))
                    if printed.is_number and entry["address"].startswith(f"{head['name']}["):
                        marked.append(Marked(entry["address"], printed, *view.span(start, end)))
    return matrices, marked


def _lines(text: str, at: int) -> Iterator[Span]:
    """The lines of a step below its first."""
    while at < len(text):
        line = _LINE.match(text, at)
        if line is None or _END.match(line[0]) or _HEAD.match(text, at):
            return
        yield line.span()
        at = line.end() + 1


def _matrices(
    view: Mapped, text: str, name: str, shape: list[int], lines: list[Span]
) -> Iterator[PrintedMatrix]:
    """A matrix, or those that an array of a higher rank is cut into."""
    rows, columns = [1, 1, *shape][-2:]
    if len(shape) <= 2:
        found = _matrix(view, text, rows, columns, lines)
        if found:
            yield _printed(view, name, len(shape), found)
        return
    for k, line in enumerate(lines):
        if index := _SLICE.fullmatch(text[slice(*line)].strip()):
            after = lines[k + 1 : k + 2 + rows]
            if len(after) > rows and _SLICE.fullmatch(text[slice(*after[-1])].strip()):
                after.pop()
            found = _matrix(view, text, rows, columns, after)
            if found:
                yield _printed(view, f"{name}[{index[1]}]", 2, found)


def _matrix(
    view: Mapped, text: str, rows: int, columns: int, lines: list[Span]
) -> tuple[tuple[Printed, ...], ...] | None:
    """The numbers of a matrix: below the words over its columns, if any, and behind its rows'."""
    for first in (0, 1):
        found = [_numbers(view, text, columns, line) for line in lines[first : first + rows]]
        made = tuple(row for row in found if row)
        if len(made) == rows:
            return made
    return None


def _numbers(view: Mapped, text: str, columns: int, line: Span) -> tuple[Printed, ...] | None:
    spans = [cell.span() for cell in _CELL.finditer(text, *line)]
    if not columns <= len(spans) or _ENTRY.match(text, *line):
        return None
    cells = tuple(read(view, *span) for span in spans[len(spans) - columns :])
    return cells if all(cell.is_number for cell in cells) else None


def _printed(
    view: Mapped, name: str, rank: int, rows: tuple[tuple[Printed, ...], ...]
) -> PrintedMatrix:
    span = (rows[0][0].start, rows[-1][-1].end)
    return PrintedMatrix(rows, max(rank, 1), *span, span, "text", (name,), marker=name)
