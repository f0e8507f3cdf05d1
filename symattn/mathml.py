"""LaTeX of pages as MathML: for pages that no script sets, words, and other typesetters.

The conversion is math-core's. What it reads otherwise than LaTeX does is put right here: it takes
the gap after a row break for text, sets quotation marks in text as typographic ones, and reads a
decimal comma, ``0{,}5``, as a sign between two numbers.
"""

from __future__ import annotations

import html
import re
from functools import cache
from typing import Any
from xml.etree import ElementTree

from symattn.errors import SymattnError
from symattn.notation import visible

#: What an error quotes of an equation.
QUOTED = 60

_GAP = re.compile(r"\\\\\[\d+(?:\.\d+)?(?:pt|em|ex|mm)\]")
_COMMA = re.compile(r"(?<=\d)\{,\}(?=\d)")
_SPLIT = '</mn><mo stretchy="false" lspace="0" rspace="0">,</mo><mn>'
_TEXT = re.compile(r"\\text(?:tt)?\{((?:[^{}\\]|\\.|\{[^{}]*\})*)\}", re.DOTALL)
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]\w*;")

#: Quotation marks of a text, and what stands for them on the way: visible text has none of these.
_KEPT = str.maketrans("`'", "\ue000\ue001")
_BACK = (("\ue000", "`"), ("\ue001", "'"))


class MathError(SymattnError):
    """LaTeX that no MathML can be made of."""


def text(latex: str, *, displayed: bool = True) -> str:
    r"""MathML of an equation, as text that HTML and XML take.

    Args:
        displayed: whether it stands on lines of its own, and not in one.

    Raises:
        MathError: it does not parse; the message says where.

    >>> text(r"\frac{1}{2}", displayed=False)
    '<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>'
    """
    import math_core

    kept = _GAP.sub(r"\\\\", _TEXT.sub(lambda m: m[0].translate(_KEPT), latex))
    kept = _COMMA.sub(r"\\mathord{,}", kept)
    try:
        made = _converter().convert_with_local_state(kept, displaystyle=displayed)
    except math_core.LatexError as error:
        raise MathError(f"wanted LaTeX that MathML has, {_told(error)}: {_quoted(latex)}") from None
    plain = _ENTITY.sub(lambda m: html.unescape(m[0]), str(made)).replace(_SPLIT, ",")
    for kept_sign, mark in _BACK:  # `str.translate` looks every character up
        plain = plain.replace(kept_sign, mark)
    return plain


#: What LaTeX reads as the end of a line, an argument or a character by its code, and definitions.
_MORE = re.compile(
    r"(?<!\\)(?:\\\\)*[%#]|\^\^|\\(?:[egx]?def|let|(?:new|renew|provide)command)(?![A-Za-z])"
)


#: Brackets that are opened and left open double the time of the converter each.
MAX_OPEN = 12
_SIDES = (
    r"(?:brace|Brace|[aA]ngle|ang|floor|ceil|[vV]ert|brack|paren|group|moustache|[lr]bracket"
    r"|[lr]parenthesis|[lr]corner)(?![a-zA-Z])"
)
_OPEN, _CLOSE = r"[(\[⟨⌈⌊⟦⟪⟬⟮⦃⦅⌜⌞⎰]", r"[)\]⟩⌉⌋⟧⟫⟭⟯⦄⦆⌝⌟⎱]"
#: Commands whose argument a bracket may be.
_TAKING = (
    r"\\(?:sqrt|[dt]?(?:frac|binom)|hat|bar|vec|tilde|d?dot|acute|grave|breve|check|not|boxed|bm"
    r"|boldsymbol|middle|(?:wide|over|under|math|operator)[a-zA-Z]+|[hv]?phantom)"
)
_BRACKETS = re.compile(
    r"(?P<skip>\\(?:text\w*|mbox)\s*\{[^{}]*\}"
    rf"|(?:[_^]|{_TAKING})\s*(?:\\\}}|\\r[a-z]+|{_CLOSE}))"
    r"|(?P<end>\\end(?![a-zA-Z])|\})"
    r"|(?P<begin>\\begin(?![a-zA-Z])|(?<!\\)\{)"
    r"|(?P<cell>\\\\|&)"
    rf"|(?P<open>\\l{_SIDES}|\\ulcorner(?![a-zA-Z])|\\\{{|{_OPEN})"
    rf"|(?P<close>\\r{_SIDES}|\\urcorner(?![a-zA-Z])|\\right\s*\.|\\\}}|{_CLOSE})"
    r"|\\.",
    re.DOTALL,
)


def _left_open(latex: str) -> int:
    """How many brackets are opened and not closed in the same group or cell."""
    groups, found = [0], 0
    for sign in _BRACKETS.finditer(latex):
        kind = sign.lastgroup
        if kind == "open":
            groups[-1] += 1
        elif kind == "close":
            groups[-1] = max(groups[-1] - 1, 0)
        elif kind == "begin":
            groups.append(0)
        elif kind == "end" and len(groups) > 1:
            found += groups.pop()
        elif kind == "cell":
            found, groups[-1] = found + groups[-1], 0
    return found + sum(groups)


def check(latex: str) -> None:
    r"""See that LaTeX in a stranger's text is a formula and nothing else: it reads no file.

    Raises:
        MathError: a macro that is none of mathematics, or one that defines others; over 12 brackets
            that are not closed.

    >>> check(r"\frac{1}{2}")
    >>> check(r"\def\x{1}")
    Traceback (most recent call last):
      ...
    symattn.mathml.MathError: wanted a formula without \def, got \def\x{1}
    """
    if found := _MORE.search(latex):
        raise MathError(f"wanted a formula without {found[0]}, got {_quoted(latex)}")
    if (count := _left_open(latex)) > MAX_OPEN:
        raise MathError(f"wanted brackets that are closed, got {count} left open: {_quoted(latex)}")
    text(latex, displayed=False)


def tree(latex: str, *, displayed: bool = True) -> ElementTree.Element:
    r"""The same as a tree of elements; tags have no namespace.

    >>> [child.tag for child in tree("a_1 = 2")]
    ['msub', 'mo', 'mn']
    """
    try:
        return ElementTree.fromstring(text(latex, displayed=displayed))
    except ElementTree.ParseError as error:
        raise MathError(f"wanted LaTeX that MathML has, {error}: {_quoted(latex)}") from None


@cache
def _converter() -> Any:
    import math_core

    return math_core.LatexToMathML(fancy_error=False)


def _told(error: Exception) -> str:
    """math-core's message, which begins with a place."""
    place, _, said = str(error).partition(": ")
    said = said.rstrip(".")
    return f"{said} at character {int(place) + 1}" if place.isdigit() else str(error)


def _quoted(latex: str) -> str:
    short = latex if len(latex) <= QUOTED else f"{latex[: QUOTED - 1]}…"
    return visible(short)
