"""Markdown as GitHub renders it: ``math`` fences, since ``$$`` loses row breaks."""

from __future__ import annotations

import html
import re

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
    Page,
    Paragraph,
    Plain,
    Styled,
    Table,
)
from symattn.stepmap import stepmap
from symattn.writers import marker, mermaid


def write(page: Page, spec: str = "") -> str:
    """The whole page as Markdown.

    Args:
        spec: what the page is about, for `symattn check`: a built-in's name, or a path from
            where the page will lie. A name that could end a comment is left out.
    """
    comment = marker.said(spec)
    parts = [f"<!-- {comment} -->"] if comment else []
    parts.append(f"# {escape(page.title)}")
    parts += [written(block) for block in page.blocks]
    return "\n\n".join(parts) + "\n"


def written(block: Block) -> str:
    """One block of a page."""
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_inlines(block.parts)}"
    if isinstance(block, Paragraph):
        return _inlines(block.parts)
    if isinstance(block, Items):
        marks = [f"{i}." if block.numbered else "-" for i in range(1, len(block.items) + 1)]
        return "\n".join(
            f"{m} {_inlines(item)}" for m, item in zip(marks, block.items, strict=True)
        )
    if isinstance(block, Equation):
        return f"```math\n{block.latex}\n```"
    if isinstance(block, Map):
        return f"```mermaid\n{mermaid.flowchart(stepmap(block.derivation))}\n```"
    if isinstance(block, Fold):
        inside = "\n\n".join(map(written, block.blocks))
        return f"<details>\n<summary>{_html(block.title)}</summary>\n\n{inside}\n\n</details>"
    return _table(block)


def _html(parts: Inlines) -> str:
    """Text and code as HTML, which is what a summary is written in."""
    code = [
        (html.escape(p.text), isinstance(p, Code)) for p in parts if isinstance(p, Plain | Code)
    ]
    return "".join(f"<code>{text}</code>" if is_code else text for text, is_code in code)


def _table(table: Table) -> str:
    rows = [[_inlines(c).replace("|", r"\|") for c in r] for r in (table.header, *table.rows)]
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(table.header), *lines[1:]])


def _inlines(parts: Inlines) -> str:
    return "".join(map(_inline, parts))


def _inline(part: Inline) -> str:
    if isinstance(part, Plain):
        return escape(part.text)
    if isinstance(part, Math):
        return f"${part.latex}$"
    if isinstance(part, Code):
        fence = "`" * (1 + max(map(len, re.findall("`+", part.text)), default=0))
        return f"{fence}{part.text}{fence}"
    assert isinstance(part, Styled)
    star = "*" * part.level
    return f"{star}{_inlines(part.parts)}{star}"


def escape(text: str) -> str:
    r"""Text that Markdown and HTML show as it is.

    >>> escape("<b> a_b *c* $5")
    '&lt;b&gt; a\\_b \\*c\\* \\$5'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]$|~#])", r"\\\1", text)
