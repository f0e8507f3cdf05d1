"""Blocks and inlines as docutils nodes, for Sphinx.

Text is text nodes and mathematics is maths nodes; no node is raw, so that every builder escapes
what it writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from docutils import nodes

from symattn.blocks import (
    Block,
    Code,
    Equation,
    Fold,
    Heading,
    Inline,
    Inlines,
    Items,
    Map,
    Math,
    Paragraph,
    Plain,
    Styled,
    Table,
)
from symattn.notation import visible

#: For nodes that hold text: tokens keep their quotes and dashes as they are.
AS_IT_IS: dict[str, Any] = {"support_smartquotes": False}


def written(block: Block) -> nodes.Element:
    """One block of a page."""
    if isinstance(block, Heading):
        return nodes.rubric("", "", *inlines(block.parts), **AS_IT_IS)
    if isinstance(block, Paragraph):
        return paragraph(block.parts)
    if isinstance(block, Items):
        items = (nodes.list_item("", paragraph(item)) for item in block.items)
        if block.numbered:
            return nodes.enumerated_list("", *items, enumtype="arabic", prefix="", suffix=".")
        return nodes.bullet_list("", *items, bullet="-")
    if isinstance(block, Equation):
        return equation(block.latex)
    if isinstance(block, Map):
        return paragraph(block.instead)  # nothing of Sphinx's own draws one
    if isinstance(block, Fold):
        # Themes of Jupyter Book fold what has this class; elsewhere all of it stands open.
        title = nodes.title("", "", *inlines(block.title), **AS_IT_IS)
        return nodes.admonition("", title, *map(written, block.blocks), classes=["dropdown"])
    return table(block)


def paragraph(parts: Inlines) -> nodes.paragraph:
    """A line of running text."""
    return nodes.paragraph("", "", *inlines(parts), **AS_IT_IS)


def equation(latex: str) -> nodes.math_block:
    """A displayed equation, without a number."""
    # Sphinx takes what is parted by an empty line for several equations.
    text = re.sub(r"\n\s*\n", "\n", latex)
    return nodes.math_block(text, text, label=None, number=None, nowrap=False)


def table(block: Table) -> nodes.table:
    """A table with one row of headers."""
    columns = len(block.header)
    group = nodes.tgroup("", cols=columns)
    group += [nodes.colspec("", colwidth=1) for _ in range(columns)]
    group += nodes.thead("", _row(block.header))
    group += nodes.tbody("", *map(_row, block.rows))
    return nodes.table("", group, classes=["colwidths-auto"])


def _row(cells: Iterable[Inlines]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", paragraph(cell)) for cell in cells))


def inlines(parts: Inlines) -> list[nodes.Node]:
    """A line of text."""
    return [inline(part) for part in parts]


def inline(part: Inline) -> nodes.Node:
    """One part of a line."""
    if isinstance(part, Plain):
        return nodes.Text(visible(part.text))
    if isinstance(part, Math):
        return nodes.math(part.latex, part.latex)
    if isinstance(part, Code):
        text = visible(part.text)
        return nodes.literal(text, text)
    assert isinstance(part, Styled)
    kind = nodes.strong if part.level > 1 else nodes.emphasis
    return kind("", "", *inlines(part.parts), **AS_IT_IS)
