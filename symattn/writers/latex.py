"""A LaTeX document for pdflatex, with amsmath and nothing unusual."""

from __future__ import annotations

from symattn import notation
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
from symattn.writers import marker

#: Sloppy: formulas in a line hardly break, and wide spaces are better than a line past the margin.
PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=22mm]{geometry}
\usepackage{amsmath}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.6em}
\renewcommand{\arraystretch}{1.25}
\allowdisplaybreaks
\sloppy
"""

#: Lines of an equation that are kept on one page.
MAX_UNBROKEN = 16

#: Rows of a table that stand on one page.
ROWS = 30

#: The last Latin letter of LaTeX's own table, and the punctuation it has beyond that.
LAST_LATIN = 0x17F
PUNCTUATION = "‘’‚“”„–—…†‡•€™"


def write(page: Page, spec: str = "") -> str:
    """The whole page as a LaTeX document.

    Args:
        spec: what the page is about; see `markdown.write`.
    """
    comment = marker.said(spec)
    body = [notation.escape(page.title), *map(written, page.blocks)]
    parts = [
        f"{PREAMBLE}{_fallbacks(''.join(body))}\\title{{{body[0]}}}\n\\author{{}}\n\\date{{}}",
        "\\begin{document}\n\\maketitle",
        *body[1:],
        "\\end{document}",
    ]
    return (f"% {comment}\n" if comment else "") + "\n\n".join(parts) + "\n"


def _fallbacks(body: str) -> str:
    """Pdflatex knows Latin letters only: every other character shows its number in a box.

    xelatex and lualatex have no such table, and set the characters themselves.
    """
    foreign = sorted({c for c in body if ord(c) > LAST_LATIN and c not in PUNCTUATION})
    if not foreign:
        return ""
    lines = [
        rf"\DeclareUnicodeCharacter{{{ord(c):04X}}}{{\fbox{{\tiny U+{ord(c):04X}}}}}"
        for c in foreign
    ]
    return "\\ifdefined\\DeclareUnicodeCharacter\n" + "\n".join(lines) + "\n\\fi\n"


def written(block: Block) -> str:
    """One block of a page."""
    if isinstance(block, Heading):
        command = {2: "section", 3: "subsection"}.get(block.level, "subsubsection")
        return f"\\{command}*{{{_inlines(block.parts)}}}"
    if isinstance(block, Paragraph):
        return _inlines(block.parts)
    if isinstance(block, Items):
        kind = "enumerate" if block.numbered else "itemize"
        body = "\n".join(f"\\item {_inlines(item)}" for item in block.items)
        return f"\\begin{{{kind}}}\n{body}\n\\end{{{kind}}}"
    if isinstance(block, Equation):
        return _equation(block.latex)
    if isinstance(block, Fold | Map):
        return _inlines(block.instead)  # paper does not open
    return _table(block)


def _equation(latex: str) -> str:
    """A displayed equation; one of many lines may go on on the next page."""
    begin, end = "\\begin{aligned}\n", "\n\\end{aligned}"
    if latex.count("\n") > MAX_UNBROKEN and latex.startswith(begin) and latex.endswith(end):
        return f"\\begin{{align*}}\n{latex[len(begin) : -len(end)]}\n\\end{{align*}}"
    return f"\\[\n{latex}\n\\]"


def _table(table: Table) -> str:
    """A table, in pieces of a page each: a tabular does not go on on the next one."""
    starts = range(0, max(len(table.rows), 1), ROWS)
    return "\n\n".join(_tabular(table.header, table.rows[i : i + ROWS]) for i in starts)


def _tabular(header: tuple[Inlines, ...], body: tuple[tuple[Inlines, ...], ...]) -> str:
    rows = [" & ".join(map(_inlines, cells)) for cells in (header, *body)]
    # A row that begins with [ would be read as a length.
    rows = ["{}" + r if r.startswith("[") else r for r in rows]
    text = " \\\\\n".join(
        [rows[0] + r" \\ \hline" + "\n" + rows[1], *rows[2:]] if rows[1:] else rows
    )
    return (
        f"\\begin{{center}}\n\\begin{{tabular}}{{{'l' * len(header)}}}\n{text}\n"
        "\\end{tabular}\n\\end{center}"
    )


def _inlines(parts: Inlines) -> str:
    return "".join(map(_inline, parts))


def _inline(part: Inline) -> str:
    if isinstance(part, Plain):
        return notation.escape(part.text)
    if isinstance(part, Math):
        return f"${part.latex}$"
    if isinstance(part, Code):
        return rf"\texttt{{{notation.escape(part.text)}}}"
    assert isinstance(part, Styled)
    return rf"\{'textbf' if part.level > 1 else 'emph'}{{{_inlines(part.parts)}}}"
