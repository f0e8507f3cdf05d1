"""Lines of an equation whose matrices are too wide or too high for a page, in parts.

A part repeats the labels of its rows and columns; where there are none, it says which it has, as
NumPy's slices do: [0:20, :].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product, zip_longest
from xml.etree.ElementTree import Element, SubElement

from symattn.mathml_parts import is_matrix, opened, opened_once, ruled, text_of

#: Characters, about, that a line holds, and that one holds when it is set smaller.
LINE = 70
SMALLER = 100

#: Rows of a matrix that a page holds, and that one part gets.
PAGE = 30
PART = 20


def in_parts(tree: Element) -> Element | None:
    """The same equation with its large matrices in parts; None where there are none."""
    inner = list(opened([tree]))
    is_aligned = len(inner) == 1 and inner[0].get("displaystyle") == "true"
    lines = [list(row) for row in inner[0]] if is_aligned else [[_cell([]), _cell(inner)]]
    made = [part for line in lines for part in _line(line)]
    if len(made) == len(lines):
        return None
    rows = [_element("mtr", line) for line in made]
    return _element("math", [_element("mtable", rows, {"displaystyle": "true"})])


def _line(cells: list[Element]) -> list[list[Element]]:
    """A line as the lines that take its place."""
    *before, last = cells
    parts = list(opened([last]))
    is_wide = _width(cells) > SMALLER
    lines: list[list[Element]] = [[]]
    for part in parts:
        pieces = _pieces(part, is_wide)
        lines[-1].append(pieces[0])
        lines += [[piece] for piece in pieces[1:]]
    if len(lines) == 1:
        return [cells]
    empty = [_cell([]) for _ in before]
    return [[*(before if i == 0 else empty), _cell(line)] for i, line in enumerate(lines)]


def _pieces(part: Element, is_wide: bool) -> list[Element]:
    if part.tag == "msup":  # a block of a matrix that is transposed is a block, transposed
        base, above = part
        return [_element("msup", [piece, above]) for piece in _pieces(base, is_wide)]
    table = (
        part if part.tag == "mtable" else list(opened_once(part))[1] if is_matrix(part) else None
    )
    if table is None:
        return [part]
    rows = [list(row) for row in table]
    head, side = map(int, ruled(rows))
    columns = _columns(rows, side) if is_wide else [range(side, len(rows[0]))]
    height = len(rows) - head
    step = PART if height > PAGE else height
    heights = [range(i, min(i + step, len(rows))) for i in range(head, len(rows), step)]
    if len(columns) * len(heights) == 1:
        return [part]
    is_named = (head or len(columns) == 1) and (side or len(heights) == 1)
    pieces = []
    for down, across in product(heights, columns):
        kept = ([rows[i][j] for j in (*range(side), *across)] for i in (*range(head), *down))
        piece = _element("mtable", [_element("mtr", row) for row in kept], table.attrib)
        slices = f"[{_slice(down, head, len(rows))}, {_slice(across, side, len(rows[0]))}]: "
        pieces.append(_bracketed(part, piece, "" if is_named else slices))
    return pieces


def _columns(rows: list[list[Element]], side: int) -> list[range]:
    """The columns that stand in each part, about as many characters in each."""
    widths = [max(map(_one_width, column)) + 2 for column in zip(*rows, strict=True)]
    room = LINE - sum(widths[:side])
    found, start, taken = [], side, 0.0
    for j in range(side, len(widths)):
        if j > start and taken + widths[j] > room:
            found.append(range(start, j))
            start, taken = j, 0.0
        taken += widths[j]
    return [*found, range(start, len(widths))]


def _slice(places: range, first: int, end: int) -> str:
    """Places as NumPy's slice has them, without labels; all of an axis is a colon."""
    is_whole = places[0] == first and places[-1] == end - 1
    return ":" if is_whole else f"{places[0] - first}:{places[-1] + 1 - first}"


def _bracketed(part: Element, piece: Element, said: str) -> Element:
    """A piece in the brackets of the whole, and which it is."""
    made = _element("mrow", [])
    if said:
        SubElement(made, "mtext").text = said
    if part.tag == "mtable":
        made.append(piece)
    else:
        left, _, right = opened_once(part)
        made.append(_element("mrow", [left, piece, right]))
    return made


def _cell(parts: Sequence[Element]) -> Element:
    return _element("mtd", parts)


def _element(tag: str, children: Sequence[Element], attributes: Mapping[str, str] = {}) -> Element:
    made = Element(tag, dict(attributes))
    made.extend(children)
    return made


def _width(parts: Sequence[Element]) -> float:
    """About how many characters wide it is set."""
    return sum(map(_one_width, parts))


def _one_width(part: Element) -> float:
    children = list(part)
    match part.tag:
        case "mtable":
            rows = [[_one_width(cell) for cell in row] for row in part]
            return sum(max(column) + 2 for column in zip_longest(*rows, fillvalue=0.0))
        case "mfrac":
            return max(map(_one_width, children)) * 0.8
        case "msub" | "msup":
            return _one_width(children[0]) + 0.7 * _one_width(children[1])
        case "msubsup":
            return _one_width(children[0]) + 0.7 * max(map(_one_width, children[1:]))
        case "mover" | "munder" | "munderover":
            return max(map(_one_width, children))
    return _width(children) if children else len(text_of(part))
