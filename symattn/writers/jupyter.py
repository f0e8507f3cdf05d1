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

from symattn.blocks import Block, Code, Equation, Inline, Inlines, Map, Plain, Styled
from symattn.notation import visible
from symattn.writers.markdown import Markdown

#: A bar in the mathematics of a table.
BAR = r"\vert "

#: Signs that are syntax somewhere wherever they stand, and those that are in such company.
_SIGNS = re.compile(
    r"[`*\[\]|~#^{}@&<>$\\]|(?<![^\W_])_|_(?![^\W_])"
    r"|:(?=[\w:/])|(?<=:):|\+(?=\+)|(?<=\+)\+|(?<=www)\."
)
_UNSAFE_IN_CODE = re.compile(r"[`|$\\&<>\n]|^\s|\s$|^$")


class Jupyter(Markdown):
    """Markdown that all of them render alike."""

    def equation(self, block: Equation) -> str:
        return f"$$\n{block.latex}\n$$"

    def map(self, block: Map) -> str:
        return self.inlines(block.instead)

    def summary(self, parts: Inlines) -> str:
        return "".join(map(_as_html, parts))

    def cell(self, parts: Inlines) -> str:
        # Of text and code bars are escaped; one in mathematics would end the cell, too.
        return self.inlines(parts).replace("|", BAR)

    def code(self, text: str) -> str:
        text = visible(text)
        return f"<code>{escape(text)}</code>" if _UNSAFE_IN_CODE.search(text) else f"`{text}`"

    def escape(self, text: str) -> str:
        return escape(text)


def latex(blocks: Iterable[Block]) -> str:
    """The equations among some blocks, for what prefers LaTeX to Markdown, as VS Code does."""
    lines = (" ".join(b.latex.split()) for b in blocks if isinstance(b, Equation))
    return "\n\n".join(rf"$\displaystyle {line}$" for line in lines)


def markdown(blocks: Iterable[Block]) -> str:
    """Blocks below each other."""
    return _JUPYTER.below(blocks)


def written(block: Block) -> str:
    """One block of a page."""
    return _JUPYTER.written(block)


def _as_html(part: Inline) -> str:
    """Text and code of a summary, in which Markdown is not read."""
    if isinstance(part, Plain | Code):
        text = escape(visible(part.text))
        return f"<code>{text}</code>" if isinstance(part, Code) else text
    return "".join(map(_as_html, part.parts)) if isinstance(part, Styled) else ""


def escape(text: str) -> str:
    """Text that all of them show as it is.

    >>> escape("cat: <b>, a|b")
    'cat: &lt;b&gt;, a&#124;b'
    >>> escape("$x$")
    '<span>&#36;</span>x<span>&#36;</span>'
    """
    return _SIGNS.sub(_reference, visible(text))


def _reference(match: re.Match[str]) -> str:
    sign = match[0]
    if sign in "&<>":
        return html.escape(sign)
    reference = f"&#{ord(sign)};"
    return f"<span>{reference}</span>" if sign in "$\\" else reference


_JUPYTER = Jupyter()
