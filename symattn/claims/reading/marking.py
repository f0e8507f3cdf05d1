"""Which marker belongs to which matrix, number or block of a region."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field, replace

from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.markers import (
    Block,
    BlockKind,
    Marked,
    Marker,
    address_of,
    block_of,
    html_markers,
    latex_markers,
    number_before,
)
from symattn.claims.reading.math_spans import MathSpan
from symattn.claims.reading.matrix import PrintedMatrix
from symattn.claims.reading.regions import Region

_BETWEEN = re.compile(
    r"(?:\s|\$|\\\[|\\\(|`{3,}\s*[\w{}]*|~{3,}\s*\w*|[>*_#:=`]|</?\w[^<>]{0,200}>|%|-->"
    r"|\\begin\{(?:center|table|equation|align|gather)\*?\}(?:\[[^\[\]]{0,9}\])?|\\centering)*"
)


@dataclass
class Marking:
    """What a region's markers say."""

    matrices: list[PrintedMatrix]
    marked: list[Marked] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    spec: str = ""
    blank: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Opened:
    kind: BlockKind
    argument: str
    start: int
    end: int


def marking_of(region: Region, spans: list[MathSpan], matrices: list[PrintedMatrix]) -> Marking:
    """Read a region's markers and give each to what it marks; `matrices` are in order."""
    found = Marking(list(matrices))
    everywhere = [(0, len(region.view.text))]
    stretches = everywhere if region.latex_comments else [s.outer for s in spans]
    markers: list[tuple[Mapped, Marker, bool]] = [
        (region.markup, m, True) for m in html_markers(region.markup_math)
    ]
    said = region.lists if not region.latex_comments else region.with_comments
    markers += [(region.view, m, False) for m in latex_markers(said, iter(stretches))]
    placed = sorted(
        ((*view.span(m.start, m.end), view, m, html) for view, m, html in markers),
        key=lambda p: p[0],
    )
    opened: _Opened | None = None
    for start, end, view, marker, is_html in placed:
        if marker.closes:
            if opened is None:
                found.problems.append((start, "/symattn closes no block"))
            else:
                found.blocks.append(
                    Block(opened.kind, opened.argument, opened.start, end, opened.end, start)
                )
            opened = None
        elif marker.text.startswith("spec "):
            found.spec = marker.text.removeprefix("spec ").strip()
        elif marker.text.startswith("blank "):
            found.blank += marker.text.removeprefix("blank ").split()
        elif block := block_of(marker.text):
            if opened is not None:
                found.problems.append((opened.start, _unclosed(opened)))
            opened = _Opened(*block, start, end)
        elif address := address_of(marker.text):
            _mark(found, address, view, marker, is_html, (start, end))
        else:
            found.problems.append(
                (
                    start,
                    "wanted symattn: ADDRESS, show, quoted, spec or blank, "
                    f"got {marker.text[:60]!r}",
                )
            )
    if opened is not None:
        found.problems.append((opened.start, _unclosed(opened)))
    alone = {m.printed.start for m in found.marked}
    found.matrices = [
        in_block(m, found.blocks) for m in found.matrices if m.marker or not _is_told(m, alone)
    ]
    return found


def _is_told(matrix: PrintedMatrix, alone: set[int]) -> bool:
    """Whether each of its numbers has a marker of its own, which says all that is to be known."""
    numbers = [cell.start for cell in matrix.cells if cell.is_number]
    return bool(numbers) and alone.issuperset(numbers)


def _unclosed(opened: _Opened) -> str:
    return f"symattn: {opened.kind} is never closed with /symattn"


def in_block(matrix: PrintedMatrix, blocks: list[Block]) -> PrintedMatrix:
    """The matrix, with the block that it stands in."""
    for block in blocks:
        if block.inner_start <= matrix.start and matrix.end <= block.inner_end:
            return replace(matrix, block=block.start)
    return matrix


def _mark(
    found: Marking, address: str, view: Mapped, marker: Marker, is_html: bool,
    span: tuple[int, int],
) -> None:  # fmt: skip
    """Give an address to the number before it, or to the matrix around or behind it."""
    start, end = span
    matrices = found.matrices
    starts = [m.start for m in matrices]
    i = bisect_left(starts, start)
    inside = i > 0 and matrices[i - 1].end > start
    number = number_before(view, marker.start, is_html) if is_html or not inside else None
    if number is not None and not (i and _ends_on_line(view, matrices[i - 1], marker, start)):
        found.marked.append(Marked(address, number, start, end))
        return
    if inside or (i and _ends_on_line(view, matrices[i - 1], marker, start)):
        chosen = i - 1
    elif i < len(matrices) and _follows(view, marker, matrices[i], end):
        chosen = i
    else:
        found.problems.append((start, f"no number or matrix at symattn: {address}"))
        return
    matrices[chosen] = replace(matrices[chosen], marker=address)


def _ends_on_line(view: Mapped, matrix: PrintedMatrix, marker: Marker, start: int) -> bool:
    """Whether a matrix ends right before a marker, on its line."""
    line_start = view.text.rfind("\n", 0, marker.start) + 1
    return view.span(line_start, line_start + 1)[0] < matrix.end <= start


def _follows(view: Mapped, marker: Marker, matrix: PrintedMatrix, end: int) -> bool:
    """Whether nothing but delimiters stands between a marker and a matrix's equation."""
    if matrix.outer[0] <= end:
        return True
    after = view.text[marker.end : marker.end + 300]
    gap = _BETWEEN.match(after)
    reached = view.span(marker.end, marker.end + (gap.end() if gap else 0) + 1)[1]
    return reached > matrix.outer[0]
