"""A LaTeX document for pdflatex, xelatex and lualatex, with amsmath and xcolor and nothing else."""

from __future__ import annotations

from pathlib import Path

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
from symattn.layout import LINE, parted
from symattn.writers import marker

#: Sloppy: formulas in a line hardly break, and wide spaces are better than a line past the margin.
PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage{amsmath,xcolor}
\setlength{\textwidth}{166mm}
\setlength{\oddsidemargin}{22mm}
\addtolength{\oddsidemargin}{-1in}
\setlength{\textheight}{253mm}
\setlength{\topmargin}{22mm}
\addtolength{\topmargin}{-1in}
\addtolength{\topmargin}{-\headheight}
\addtolength{\topmargin}{-\headsep}
\ifdefined\pdfpagewidth\pdfpagewidth=\paperwidth\pdfpageheight=\paperheight\fi
\ifdefined\pagewidth\pagewidth=\paperwidth\pageheight=\paperheight\fi
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.6em}
\sloppy
"""

FRAGMENT = r"""% For \input where amsmath and xcolor are loaded. What it defines ends with it.
\begingroup
\sloppy
"""

#: What the page is made of, in a file of its own that reads as LaTeX.
MACROS = Path(__file__).with_name("macros.tex")

#: What ends a line of an equation; see `symattn.layout.aligned`.
_BREAK = " \\\\[6pt]\n"

#: Characters, as `symattn.layout.width` counts them, that fit in one of the smaller sizes.
NARROW = 1.15 * LINE

#: Lines of an equation that are kept on one page.
MAX_UNBROKEN = 16

#: The last character that every engine has in its first font, and more of them.
LAST_LATIN = 0xFF
PUNCTUATION = "‘’“”–—…†‡•€"

#: Those that pdflatex knows, and its first encoding lacks.
NOT_FIRST = "«»ÐÞðþĄąĐđĘęĮįŊŋŲųǪǫ˛‚„‹›"


def write(page: Page, spec: str = "", *, fragment: bool = False) -> str:
    r"""The whole page as a LaTeX document, for pdflatex, xelatex and lualatex.

    Args:
        spec: what the page is about; see `markdown.write`.
        fragment: without the preamble, for ``\input`` in a document that loads amsmath and xcolor.
    """
    comment = marker.said(spec)
    title = notation.escape(page.title)
    body = [*map(written, page.blocks)]
    macros = MACROS.read_text("utf-8") + _characters("".join([title, *body]))
    if fragment:
        parts = [f"{FRAGMENT}{macros}", f"\\section*{{{title}}}", *body, "\\endgroup"]
    else:
        start = f"{PREAMBLE}{macros}\\title{{{title}}}\n\\author{{}}\n\\date{{}}"
        parts = [start, "\\begin{document}\n\\maketitle", *body, "\\end{document}"]
    return (f"% {comment}\n" if comment else "") + "\n\n".join(parts) + "\n"


def _characters(body: str) -> str:
    """Declarations of the characters that a font may lack, so that none of them vanishes."""
    used = sorted(set(body))
    foreign = [c for c in used if ord(c) > LAST_LATIN and c not in PUNCTUATION + NOT_FIRST]
    latin = [c for c in used if c in NOT_FIRST]
    return "".join(
        rf"\symattn{kind}{{{c}}}{{{ord(c):04X}}}" + "\n"
        for kind, some in (("foreign", foreign), ("latin", latin))
        for c in some
    )


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
    if isinstance(block, Fold):
        return f"\\symattnnote{{{_inlines(block.instead)}}}"  # paper does not open
    if isinstance(block, Map):
        return _inlines(block.instead)
    return _table(block)


def _equation(latex: str) -> str:
    """A displayed equation; one of many lines may go on on the next page."""
    begin, end = "\\begin{aligned}\n", "\n\\end{aligned}"
    latex = _narrowed(latex)
    if latex.count("\n") > MAX_UNBROKEN and latex.startswith(begin) and latex.endswith(end):
        latex, kind = latex[len(begin) : -len(end)], "lines"
    else:
        kind = "equation"
    return f"\\begin{{symattn{kind}}}\n{latex}\n\\end{{symattn{kind}}}"


def _narrowed(latex: str) -> str:
    """Lines of an equation that no size would make fit, parted in their brackets."""
    lines = latex.split(_BREAK)
    narrow = [rf"{_BREAK}&\quad ".join(parted(line, NARROW)) for line in lines]
    return _BREAK.join(narrow) if len(lines) > 1 else latex


def _table(table: Table) -> str:
    """A table; the last cell of a row may stand below the others."""
    head = [f"\\symattnhead{{{_inlines(cell)}}}" if cell else "" for cell in table.header]
    verdicts = table.verdicts or ("",) * len(table.rows)
    rows = [
        [*map(_inlines, cells[:-1]), _judged(_inlines(cells[-1]), verdict)]
        for cells, verdict in zip(table.rows, verdicts, strict=True)
    ]
    lines = [f"{_row(head)} \\symattnrule", *map(_row, rows)]
    body = "\n".join(lines)
    return f"\\begin{{symattntable}}{{{len(head)}}}\n{body}\n\\end{{symattntable}}"


def _row(cells: list[str]) -> str:
    return f"{' & '.join(cells[:-1])}\\symattnlast{{{cells[-1]}}} \\\\"


def _judged(cell: str, verdict: str) -> str:
    return f"\\symattn{verdict}{{{cell}}}" if verdict in ("right", "wrong") else cell


def _inlines(parts: Inlines) -> str:
    return "".join(map(_inline, parts))


def _breakable(code: str) -> str:
    """An address such as layer[0].head[1].A may be parted behind its dots."""
    return code.replace("].", r"].\allowbreak{}")


def _inline(part: Inline) -> str:
    if isinstance(part, Plain):
        return notation.escape(part.text)
    if isinstance(part, Math):
        return f"${part.latex}$"
    if isinstance(part, Code):
        return rf"\texttt{{{_breakable(notation.escape(part.text))}}}"
    assert isinstance(part, Styled)
    return rf"\{'textbf' if part.level > 1 else 'emph'}{{{_inlines(part.parts)}}}"
