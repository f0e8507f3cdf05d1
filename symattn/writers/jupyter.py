r"""Markdown as Jupyter, VS Code, Colab and marimo render it: ``$$`` around displayed equations.

Their parsers agree on little: JupyterLab looks for mathematics in the text and once more in the
page that it made of it, where ``\$`` has become a dollar again; marimo knows signs for icons and
keys. So signs of a text are written as character references, which none of them takes for
syntax, and dollars and backslashes stand in an element of their own, in which no pair is found.
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
    Math,
    Paragraph,
    Plain,
    Styled,
    Table,
)

#: A bar in the mathematics of a table.
BAR = r"\vert "

#: Signs that are syntax somewhere wherever they stand, and those that are in such company.
_SIGNS = re.compile(
    r"[`*\[\]|~#^{}@&<>$\\]|(?<![^\W_])_|_(?![^\W_])"
    r"|:(?=[\w:/])|(?<=:):|\+(?=\+)|(?<=\+)\+|(?<=www)\."
)
_UNSAFE_IN_CODE = re.compile(r"[`|$\\&<>\n]|^\s|\s$|^$")


def latex(blocks: Iterable[Block]) -> str:
    """The equations among some blocks, for what prefers LaTeX to Markdown, as VS Code does."""
    lines = (" ".join(b.latex.split()) for b in blocks if isinstance(b, Equation))
    return "\n\n".join(rf"$\displaystyle {line}$" for line in lines)


def markdown(blocks: Iterable[Block]) -> str:
    """Blocks below each other."""
    return "\n\n".join(map(written, blocks))


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
        return f"$$\n{block.latex}\n$$"
    if isinstance(block, Fold):
        title = "".join(map(_as_html, block.title))
        inside = markdown(block.blocks)
        return f"<details>\n<summary>{title}</summary>\n\n{inside}\n\n</details>"
    # What else there may be is drawn elsewhere, and has a sentence to stand in its place.
    return _table(block) if isinstance(block, Table) else _inlines(block.instead)


def _table(table: Table) -> str:
    rows = [[_inlines(cell, in_table=True) for cell in r] for r in (table.header, *table.rows)]
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(table.header), *lines[1:]])


def _as_html(part: Inline) -> str:
    """Text and code of a summary, in which Markdown is not read."""
    if isinstance(part, Plain | Code):
        text = escape(part.text)
        return f"<code>{text}</code>" if isinstance(part, Code) else text
    return "".join(map(_as_html, part.parts)) if isinstance(part, Styled) else ""


def _inlines(parts: Inlines, in_table: bool = False) -> str:
    return "".join(_inline(part, in_table) for part in parts)


def _inline(part: Inline, in_table: bool) -> str:
    if isinstance(part, Plain):
        return escape(part.text)
    if isinstance(part, Math):
        # A bar in a cell ends it, whether or not it stands in mathematics.
        return f"${part.latex.replace('|', BAR) if in_table else part.latex}$"
    if isinstance(part, Code):
        is_plain = not _UNSAFE_IN_CODE.search(part.text)
        return f"`{part.text}`" if is_plain else f"<code>{escape(part.text)}</code>"
    assert isinstance(part, Styled)
    star = "*" * part.level
    return f"{star}{_inlines(part.parts, in_table)}{star}"


def escape(text: str) -> str:
    """Text that all of them show as it is.

    >>> escape("cat: <b>, a|b")
    'cat: &lt;b&gt;, a&#124;b'
    >>> escape("$x$")
    '<span>&#36;</span>x<span>&#36;</span>'
    """
    return _SIGNS.sub(_reference, text)


def _reference(match: re.Match[str]) -> str:
    sign = match[0]
    if sign in "&<>":
        return html.escape(sign)
    reference = f"&#{ord(sign)};"
    return f"<span>{reference}</span>" if sign in "$\\" else reference
