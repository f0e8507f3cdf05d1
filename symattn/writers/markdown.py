"""Markdown as GitHub renders it: ``math`` fences, since ``$$`` loses row breaks.

`symattn.writers.dialects` has the other readers' ways.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

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
from symattn.notation import visible
from symattn.stepmap import stepmap
from symattn.writers import marker, mermaid

#: Before the sign that begins a list, a rule, a container, a comment or a target of its own.
_BEGINNING = re.compile(
    r"\d{1,9}(?=[.)](?:\s|$))|(?=[-+](?:[-+\s]|$)|:[:\s]|%|\(.*\)=\s*$)", re.DOTALL
)

#: What templates begin with: Jekyll's and Jinja's, and Quarto's shortcodes.
_TEMPLATE = re.compile(r"\{[{%]")


class Markdown:
    """Markdown as GitHub renders it; other dialects change what they read otherwise."""

    #: What a fence says whose text is drawn.
    map_fence = "mermaid"

    def page(self, page: Page, spec: str = "") -> str:
        """The whole page; see `write`."""
        comment = marker.said(spec)
        parts = [*self.front(page), *([f"<!-- {comment} -->"] if comment else [])]
        parts += [*self.title(page), *map(self.written, page.blocks)]
        return "\n\n".join(parts) + "\n"

    def front(self, page: Page) -> list[str]:
        """What stands before everything else."""
        return []

    def title(self, page: Page) -> list[str]:
        """The title, where the page has it as a heading."""
        return [f"# {self.escape(visible(page.title))}"]

    def below(self, blocks: Iterable[Block]) -> str:
        """Blocks below each other."""
        return "\n\n".join(map(self.written, blocks))

    def written(self, block: Block) -> str:
        """One block of a page."""
        if isinstance(block, Heading):
            return f"{'#' * block.level} {self.inlines(block.parts)}"
        if isinstance(block, Paragraph):
            return self.line(block.parts)
        if isinstance(block, Items):
            marks = [f"{i}." if block.numbered else "-" for i in range(1, len(block.items) + 1)]
            return "\n".join(
                f"{m} {self.line(item)}" for m, item in zip(marks, block.items, strict=True)
            )
        if isinstance(block, Equation):
            return self.equation(block)
        if isinstance(block, Map):
            return self.map(block)
        if isinstance(block, Fold):
            return self.fold(block)
        return self.table(block)

    def equation(self, block: Equation) -> str:
        """A displayed equation."""
        return f"```math\n{block.latex}\n```"

    def map(self, block: Map) -> str:
        """The map of the steps."""
        return f"```{self.map_fence}\n{mermaid.flowchart(stepmap(block.derivation))}\n```"

    def fold(self, block: Fold) -> str:
        """Blocks that open."""
        summary, inside = self.summary(block.title), self.below(block.blocks)
        return f"<details>\n<summary>{summary}</summary>\n\n{inside}\n\n</details>"

    def summary(self, parts: Inlines) -> str:
        """What a fold is called, in HTML."""
        return _html(parts)

    def table(self, table: Table) -> str:
        """A table."""
        rows = [list(map(self.cell, r)) for r in (table.header, *table.rows)]
        lines = ["| " + " | ".join(cells) + " |" for cells in rows]
        return "\n".join([lines[0], "|" + " --- |" * len(table.header), *lines[1:]])

    def cell(self, parts: Inlines) -> str:
        """A cell of a table, which a bar would end."""
        return self.inlines(parts).replace("|", r"\|")

    def line(self, parts: Inlines) -> str:
        """A line of text that begins a block, and is not read as another kind of block."""
        text = self.inlines(parts)
        found = _BEGINNING.match(text)
        return f"{found[0]}\\{text[found.end() :]}" if found else text

    def inlines(self, parts: Inlines) -> str:
        """A line of text."""
        return "".join(map(self.inline, parts))

    def inline(self, part: Inline) -> str:
        """One part of a line."""
        if isinstance(part, Plain):
            return self.escape(visible(part.text))
        if isinstance(part, Math):
            return self.math(part.latex)
        if isinstance(part, Code):
            return self.code(visible(part.text))
        assert isinstance(part, Styled)
        star = "*" * part.level
        return f"{star}{self.inlines(part.parts)}{star}"

    def math(self, latex: str) -> str:
        """Mathematics in a line."""
        return f"${latex}$"

    def code(self, text: str) -> str:
        """Code in a line; a site's templates would read it, too."""
        text = visible(text)
        return f"<code>{self.escape(text)}</code>" if _TEMPLATE.search(text) else code(text)

    def escape(self, text: str) -> str:
        """Text that this dialect shows as it is."""
        return escape(text)


def write(page: Page, spec: str = "") -> str:
    """The whole page as Markdown.

    Args:
        spec: what the page is about, for `symattn check`: a built-in's name, or a path from
            where the page will lie. A name that could end a comment is left out.
    """
    return _GITHUB.page(page, spec)


def written(block: Block) -> str:
    """One block of a page."""
    return _GITHUB.written(block)


def _html(parts: Inlines) -> str:
    """Text and code as HTML, which is what a summary is written in."""
    code = [
        (html.escape(visible(p.text)), isinstance(p, Code))
        for p in parts
        if isinstance(p, Plain | Code)
    ]
    return "".join(f"<code>{text}</code>" if is_code else text for text, is_code in code)


def code(text: str) -> str:
    """Text as code in a line."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{text}{fence}"


def escape(text: str) -> str:
    r"""Text that Markdown and HTML show as it is.

    >>> escape("<b> a_b *c* $5")
    '&lt;b&gt; a\\_b \\*c\\* \\$5'
    """
    text = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([\\`*_\[\]$|~#])", r"\\\1", text)
    return _TEMPLATE.sub(lambda m: f"&#123;{m[0][1]}", text)


_GITHUB = Markdown()
