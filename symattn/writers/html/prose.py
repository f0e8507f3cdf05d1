"""Headings, paragraphs, lists and tables of a page, as HTML."""

from __future__ import annotations

import html

from symattn import notation
from symattn.blocks import (
    Code,
    Heading,
    Inline,
    Inlines,
    Items,
    Math,
    Paragraph,
    Plain,
    Styled,
    Table,
)
from symattn.writers.html.maths import Maths


class Prose:
    """Writes what is no equation."""

    def __init__(self, maths: Maths) -> None:
        self.maths = maths

    def heading(self, block: Heading, anchor: str) -> str:
        level = min(block.level, 6)
        return f'<h{level} id="{anchor}">{self.inlines(block.parts)}</h{level}>'

    def paragraph(self, block: Paragraph) -> str:
        return f"<p>{self.inlines(block.parts)}</p>"

    def items(self, block: Items) -> str:
        kind = "ol" if block.numbered else "ul"
        items = "".join(f"<li>{self.inlines(item)}</li>" for item in block.items)
        return f"<{kind}>{items}</{kind}>"

    def table(self, block: Table) -> str:
        head = "".join(map(self._head, block.header))
        rows = "".join(
            "<tr>" + "".join(f"<td>{self.inlines(cell)}</td>" for cell in row) + "</tr>"
            for row in block.rows
        )
        return (
            f'<div class="scroll"><table class="t"><thead><tr>{head}</tr></thead>'
            f"<tbody>{rows}</tbody></table></div>"
        )

    def _head(self, cell: Inlines) -> str:
        """A column's head; equations alone are named, and one without words is no head."""
        if not cell:
            return "<td></td>"
        only = cell[0] if len(cell) == 1 else None
        name = (
            f' aria-label="{text(self.maths.words(only.latex))}"' if isinstance(only, Math) else ""
        )
        return f'<th scope="col"{name}>{self.inlines(cell)}</th>'

    def inlines(self, parts: Inlines) -> str:
        return "".join(map(self._inline, parts))

    def _inline(self, part: Inline) -> str:
        if isinstance(part, Plain):
            return text(part.text)
        if isinstance(part, Math):
            return self.maths.inline(part.latex)
        if isinstance(part, Code):
            return f"<code>{text(part.text)}</code>"
        assert isinstance(part, Styled)
        tag = "strong" if part.level > 1 else "em"
        return f"<{tag}>{self.inlines(part.parts)}</{tag}>"


def text(words: str) -> str:
    """Any text, shown and never interpreted."""
    if not words.isprintable():
        words = "".join(c if c in "\n\t" else notation.visible(c) for c in words)
    return html.escape(words)
