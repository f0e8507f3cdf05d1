"""A page as blocks and inlines, whatever format it is written in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symattn.derivation import Derivation
    from symattn.entries import Entry
    from symattn.steps import Step


@dataclass(frozen=True)
class Plain:
    """Text that is shown as it is."""

    text: str


@dataclass(frozen=True)
class Math:
    """LaTeX in a line of text."""

    latex: str


@dataclass(frozen=True)
class Code:
    """Text in a line, as code."""

    text: str


@dataclass(frozen=True)
class Styled:
    """Emphasis (level 1) or strong emphasis (level 2)."""

    level: int
    parts: tuple[Inline, ...]


Inline = Plain | Math | Code | Styled
Inlines = tuple[Inline, ...]


@dataclass(frozen=True)
class Heading:
    """A title within a page; level 2 is that of sections."""

    level: int
    parts: Inlines


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    parts: Inlines


@dataclass(frozen=True)
class Items:
    """A list; numbered or not."""

    items: tuple[Inlines, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Equation:
    """A displayed equation.

    Attributes:
        about: the steps whose equations it shows, or the entry that it writes out, in order; for
            writers that show their matrices in a form of their own. Nothing for general formulas.
    """

    latex: str
    about: tuple[Step | Entry, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        quoted: whether it repeats what somebody else printed, right or wrong.
        verdicts: of a table of printed numbers each row's verdict, such as ``wrong``.
    """

    header: tuple[Inlines, ...]
    rows: tuple[tuple[Inlines, ...], ...]
    quoted: bool = False
    verdicts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fold:
    """Blocks that a reader may open; where nothing opens, a line in their place."""

    title: Inlines
    blocks: tuple[Block, ...]
    instead: Inlines


@dataclass(frozen=True)
class Map:
    """Which steps feed which, to be drawn; where nothing is, a sentence in its place.

    Attributes:
        derivation: whose steps; `symattn.stepmap` has the boxes of a map that fits on a page.
    """

    derivation: Derivation
    instead: Inlines


Block = Heading | Paragraph | Items | Equation | Table | Fold | Map


@dataclass(frozen=True)
class Page:
    """A title, the blocks below it, the derivation that they show, and the text's fixed words."""

    title: str
    blocks: tuple[Block, ...]
    derivation: Derivation | None = None
    words: Mapping[str, str] = field(default_factory=dict)


_INLINE = re.compile(
    r"""\$(?P<math>[^$]+)\$
      | `(?P<code>[^`]+)`
      | \*\*(?P<strong>.+?)\*\*
      | \*(?P<emph>[^*\s][^*]*)\*""",
    re.VERBOSE | re.DOTALL,
)


def inlines(text: str) -> Inlines:
    """Parse ``$maths$``, `` `code` ``, ``*emphasis*`` and ``**strong**``; the rest is text.

    >>> inlines("so $x$ it is")
    (Plain(text='so '), Math(latex='x'), Plain(text=' it is'))
    """
    out: list[Inline] = []
    at = 0
    for match in _INLINE.finditer(text):
        if match.start() > at:
            out.append(Plain(text[at : match.start()]))
        kind = match.lastgroup
        content = match[kind or 0]
        if kind == "math" and content.strip():
            out.append(Math(_in_a_line(content)))
        elif kind == "math":
            out.append(Plain(match[0]))
        elif kind == "code":
            out.append(Code(content))
        else:
            out.append(Styled(2 if kind == "strong" else 1, inlines(content)))
        at = match.end()
    if at < len(text):
        out.append(Plain(text[at:]))
    return tuple(out)


def _in_a_line(latex: str) -> str:
    """LaTeX with nothing in it that Markdown reads as a line's beginning, or as an HTML tag."""
    return _TAG.sub("< ", " ".join(latex.split()))


_TAG = re.compile("<(?=[A-Za-z/!?])")


def plain(text: str) -> Inlines:
    """Text that is shown as it is, whatever signs are in it: tokens, titles."""
    return (Plain(text),)


def decimal(latex: str) -> Inlines:
    """A decimal in a cell or a line: as text where it is digits alone, else as mathematics."""
    return inlines(f"${latex}$") if re.search(r"[^-\d.?]", latex) else plain(latex)


def row(cells: Sequence[str | Inlines]) -> tuple[Inlines, ...]:
    """Cells of a table: strings are parsed, inlines taken as they are."""
    return tuple(inlines(cell) if isinstance(cell, str) else cell for cell in cells)
