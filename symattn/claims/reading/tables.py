"""Tables: Markdown's with pipes, and HTML's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from symattn.claims.reading.cells import Printed, decoded, read
from symattn.claims.reading.grid import Grid, is_dots, labelled, word
from symattn.claims.reading.list_matrices import matrices_of
from symattn.claims.reading.lists import flattened_math, lists
from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.matrix import Notation, PrintedMatrix, context_of
from symattn.claims.reading.scan import Span

_RULE = re.compile(r"^[ \t>|:\r-]{3,4000}$", re.MULTILINE)
_DASHES = re.compile(r":?-+:?")
_PIPE = re.compile(r"(?<!\\)\|")
_TAG = re.compile(r"<(?P<close>/?)(?P<name>table|caption|tr|td|th)(?=[\s>/])[^<>]*>", re.IGNORECASE)
_FILLERS = ("", "-", "–", "—", "?", "×", "x", "·", "*", "✗", "masked")


def pipe_tables(view: Mapped, text: str) -> Iterator[PrintedMatrix]:
    """The matrices in a text's pipe tables; `text` is its copy without code."""
    taken = 0
    for rule in _RULE.finditer(text):
        if rule.start() < max(taken, 1) or not _is_delimiter(rule[0]):
            continue
        header_start = text.rfind("\n", 0, rule.start() - 1) + 1
        if header_start < taken or "|" not in text[header_start : rule.start()]:
            continue
        lines = [(header_start, rule.start() - 1)]
        at = rule.end() + 1
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            if _PIPE.search(text, at, end) is None:
                break
            lines.append((at, end))
            at = end + 1
        taken = at
        cells = [_pipe_cells(text, *line) for line in lines]
        outer = (header_start, lines[-1][1])
        yield from _table(view, cells, True, outer, "pipe table")


def _is_delimiter(line: str) -> bool:
    cells = line.strip(" \t>\r").removeprefix("|").removesuffix("|").split("|")
    return "|" in line and all(_DASHES.fullmatch(cell.strip(" \t")) for cell in cells)


def _pipe_cells(text: str, start: int, end: int) -> list[Span]:
    while start < end and text[start] in " \t>":
        start += 1
    end = start + len(text[start:end].rstrip())
    if text[start : start + 1] == "|":
        start += 1
    if end > start and text[end - 1] == "|" and text[end - 2] != "\\":
        end -= 1
    cuts = [m.start() for m in _PIPE.finditer(text, start, end)]
    return list(zip([start, *(c + 1 for c in cuts)], [*cuts, end], strict=True))


@dataclass(slots=True)
class _Table:
    start: int
    rows: list[list[Span]] = field(default_factory=list)
    heads: list[list[bool]] = field(default_factory=list)
    cell: int = -1
    caption: Span | None = None


def html_tables(view: Mapped, text: str) -> Iterator[PrintedMatrix]:
    """The matrices in a text's HTML tables, the innermost ones where they are nested."""
    stack: list[_Table] = []
    for tag in _TAG.finditer(text):
        name, closes = tag["name"].lower(), bool(tag["close"])
        if name == "table" and not closes:
            stack.append(_Table(tag.start()))
            continue
        if not stack:
            continue
        table = stack[-1]
        if name == "caption":
            start = table.caption[0] if closes and table.caption else tag.end()
            table.caption = (start, tag.start() if closes else tag.end())
            continue
        if table.cell >= 0 and (closes or name in ("td", "th", "tr")):
            table.rows[-1].append((table.cell, tag.start()))
            table.cell = -1
        if name == "tr" and not closes:
            table.rows.append([])
            table.heads.append([])
        elif name in ("td", "th") and not closes and table.rows:
            table.cell = tag.end()
            table.heads[-1].append(name == "th")
        elif name == "table":
            stack.pop()
            yield from _html_table(view, table, tag.end())


def _html_table(view: Mapped, table: _Table, end: int) -> Iterator[PrintedMatrix]:
    rows = [row for row in table.rows if row]
    heads = [head for head in table.heads if head]
    if rows:
        marked = all(heads[0])
        labels = len(heads) > 1 and all(h[0] and not any(h[1:]) for h in heads[1:])
        for found in _table(view, rows, marked, (table.start, end), "html table", labels):
            caption = view.text[slice(*table.caption)] if table.caption else ""
            if caption and not found.labels:
                yield _captioned(found, caption)
            else:
                yield found


def _captioned(matrix: PrintedMatrix, caption: str) -> PrintedMatrix:
    return replace(matrix, labels=(re.sub(r"<[^<>]*>", "", caption).strip(" \n:="),))


def _table(
    view: Mapped, spans: Sequence[Sequence[Span]], marked: bool, outer: Span, notation: Notation,
    has_labels: bool = False,
) -> Iterator[PrintedMatrix]:  # fmt: skip
    """The matrix that a table is, or the matrices whose rows fill its columns."""
    cells = [[read(view, *span) for span in row] for row in spans]
    grid = labelled([row for row in cells if row], marked, has_labels)
    start, end = view.span(*outer)
    context = context_of(view, outer[0])
    if _is_matrix(grid):
        dots = any(is_dots(cell) for row in grid.rows for cell in row)
        yield PrintedMatrix(
            grid.rows, 2, start, end, (start, end), notation, (),
            row_labels=grid.row_labels, column_labels=grid.column_labels, elided=dots,
            context=f"{context}\n{grid.corner}" if _names(grid.corner) else context,
        )  # fmt: skip
    elif marked and len(cells) > 1:
        yield from _vectors(view, spans, cells, (start, end), notation, context)


def _names(corner: str) -> bool:
    return bool(corner) and len(corner) <= 30 and not re.search(r"[/\\→]|token|query|word", corner)


def _is_matrix(grid: Grid) -> bool:
    cells = [cell for row in grid.rows for cell in row]
    numbers = sum(cell.is_number for cell in cells)
    others = all(c.is_number or is_dots(c) or c.text.strip() in _FILLERS for c in cells)
    return numbers > 0 and others and len({len(row) for row in grid.rows}) == 1


def _vectors(
    view: Mapped, spans: Sequence[Sequence[Span]], cells: Sequence[Sequence[Printed]],
    outer: Span, notation: Notation, context: str,
) -> Iterator[PrintedMatrix]:  # fmt: skip
    """Columns in which every cell is a list: one matrix a column, one row a cell."""
    width = len(spans[0])
    if any(len(row) != width for row in spans):
        return
    words = tuple(word(row[0]) for row in cells[1:])
    for column in range(width):
        rows = [_vector(view, row[column]) for row in spans[1:]]
        kept = tuple(row for row in rows if row)
        if len(kept) == len(rows) and len({len(row) for row in kept}) == 1:
            first, last = kept[0][0].start, kept[-1][-1].end
            yield PrintedMatrix(
                kept, 2, first, last, outer, notation, (word(cells[0][column]),),
                row_labels=words if column else (), context=context,
            )  # fmt: skip


def _vector(view: Mapped, span: Span) -> tuple[Printed, ...]:
    if span[1] - span[0] > 2000:
        return ()
    inner = decoded(view, *span)
    flat = flattened_math(re.sub(r"[()]", lambda m: "[" if m[0] == "(" else "]", inner.text))
    found = list(lists(inner, flat, 0, len(flat)))
    if len(found) != 1 or found[0].depth != 1:
        return ()
    rest = flat[: found[0].start] + flat[found[0].end :]
    if rest.strip(" \t`$*"):
        return ()
    (matrix,) = matrices_of(inner, found[0], (0, 0), (), "")
    return matrix.rows[0]
