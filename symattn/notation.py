"""How names look: LaTeX symbols, any text inside an equation, templates with holes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

#: The two ways in which formulas and numbers are written.
Notation = Literal["latex", "text"]

#: Where the root of a fraction stands: √2/2, or 1/√2.
Roots = Literal["rationalised", "divided"]

#: Decimals of a row that adds to 1: each rounded, or such that they add to 1, too.
RowSums = Literal["rounded", "kept"]

#: What digits say: places after the point, or figures that signify.
Rounding = Literal["decimals", "significant"]

#: How a number is written that its decimals would round to 0.
Small = Literal["scientific", "fixed"]

#: What stands before the decimals.
DecimalMark = Literal[".", ","]

#: What of a step's value is shown.
Values = Literal["both", "exact", "decimals"]

GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "chi",
        "psi",
        "omega",
        "Gamma",
        "Delta",
        "Theta",
        "Lambda",
        "Xi",
        "Pi",
        "Sigma",
        "Upsilon",
        "Phi",
        "Psi",
        "Omega",
    ]
)


def symbol(name: str) -> str:
    r"""LaTeX of a name: ``W_Q``, ``x_last``, ``x_hat``, ``gamma``; a rebound ``x~1`` gets a prime.

    >>> print(symbol("W_Q"), symbol("x_last"), symbol("logits"), symbol("x~1"), symbol("gamma"))
    W_Q x_{\mathrm{last}} \mathrm{logits} x' \gamma
    >>> print(symbol("x_hat"), symbol("log_P"))
    \hat{x} \log P
    """
    base, _, primes = name.partition("~")
    stem, _, subscript = base.partition("_")
    if not stem:
        return _word(base)
    prime = primes and "'" * min(int(primes), 9)
    if subscript == "hat":
        return rf"\hat{{{_word(stem)}}}{prime}"
    if stem == "log" and subscript:
        return rf"\log {symbol(subscript)}{prime}"
    stem = _word(stem) + prime
    parts = [_word(part) for part in subscript.split("_") if part]
    if not parts:
        return stem
    joined = ",".join(parts)
    return f"{stem}_{joined}" if len(joined) == 1 else f"{stem}_{{{joined}}}"


def variable(name: str) -> str:
    r"""LaTeX of a symbol: its cell as it is; one called e or pi is set apart from the number.

    >>> print(variable("W_Q[0,1]"), variable("beta"), variable("e"))
    W_Q[0,1] \beta \mathtt{e}
    """
    stem, bracket, cell = name.partition("[")
    if not cell and stem in ("e", "pi"):
        return rf"\mathtt{{{stem}}}"
    return symbol(stem) + bracket + cell


def _word(word: str) -> str:
    if word in GREEK:
        return "\\" + word
    if word == "eps":
        return r"\varepsilon"
    if (len(word) == 1 and word.isalnum()) or word.isdigit():
        return word if word.isascii() else rf"\text{{{word}}}"
    if match := re.fullmatch(r"([A-Za-z])(\d+)", word):
        return f"{match[1]}{match[2]}"
    escaped = word.replace("_", r"\_")
    return rf"\mathrm{{{escaped}}}" if word.isascii() else text(word)


def text(words: str) -> str:
    r"""Any text inside an equation, shown and never interpreted.

    >>> print(text("50% [CLS]"), text("<s>"), text("-->"))
    \text{50\% [CLS]} {<}\text{s}{>} \text{-}\text{-}{>}
    """
    # Signs that a text mode lacks somewhere are set in maths, between pieces of text.
    # Two signs that would become one stand in two: LuaTeX sees through an empty group.
    pieces = [p for piece in _SIGNS.split(visible(words)) for p in _LIGATURE.split(piece)]
    shown = [_MATH_SIGNS.get(piece) or rf"\text{{{_escaped(piece)}}}" for piece in pieces if piece]
    return "".join(shown) or r"\text{}"


def escape(words: str, apart: str = r"\/") -> str:
    r"""Any text in a LaTeX document outside equations.

    Args:
        apart: what keeps two signs apart that would become one.

    >>> print(escape("a_b <c> -->"))
    a\_b ${<}$c${>}$ -\/-${>}$
    """
    pieces = _SIGNS.split(visible(words))
    return "".join(
        f"${_MATH_SIGNS[p]}$" if p in _MATH_SIGNS else _LIGATURE.sub(lambda _: apart, _escaped(p))
        for p in pieces
    )


def _escaped(words: str) -> str:
    return re.sub(r"([{}$&#%_])", r"\\\1", words)


#: Signs that a text mode lacks somewhere.
_SIGNS = re.compile(r"([\\^~<>|])")

#: Between these, TeX would make one sign of two: dashes of hyphens, quotes, ¿ and ¡.
_LIGATURE = re.compile("(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=,)(?=,)|(?<=[?!])(?=`)")


_MATH_SIGNS = {
    "\\": r"{\backslash}",
    "^": r"{\wedge}",
    "~": r"{\sim}",
    "<": "{<}",
    ">": "{>}",
    "|": "{|}",
}


def visible(words: str) -> str:
    r"""The text with control and invisible format characters as ``\x..`` escapes.

    >>> visible("a\x1b[31m")
    'a\\x1b[31m'
    """
    if words.isprintable():
        return words
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in words
    )


def visible_lines(text: str) -> str:
    r"""The same of a text with line ends, which stay.

    >>> visible_lines("a\x07\nb")
    'a\\x07\nb'
    """
    return text if text.isprintable() else "\n".join(map(visible, text.split("\n")))


@dataclass(frozen=True, slots=True)
class Template:
    """A formula with holes.

    Attributes:
        plain: a quotient as a fraction.
        factored: a quotient as a factor 1/b before a, for a matrix a.
        code: whether this is source text, since no renderer was at hand.
    """

    plain: str
    factored: str
    code: bool = False

    def fill(
        self,
        value: Callable[[str], str],
        *,
        factored: bool = False,
        function: Callable[[str], str] | None = None,
    ) -> str:
        """Put ``value(name)`` in place of each name, ``function(name)`` of each call."""
        called = function or function_symbol

        def hole(match: re.Match[str]) -> str:
            name = match[1]
            found = called(name[:-2]) if name.endswith("()") else value(name)
            # K^{(0,1)} transposed would have two superscripts, and so E'_{x}: a prime is one.
            mark = match.string[match.end() : match.end() + 1]
            is_second = mark in ("^", "_") and (mark in found or (mark == "^" and "'_" in found))
            return f"{{{found}}}" if is_second else found

        return _HOLE.sub(hole, self.factored if factored else self.plain)


_HOLE = re.compile("«([^»]+)»")


def function_symbol(name: str) -> str:
    r"""LaTeX of a function's name: upright, whole words."""
    escaped = name.replace("_", r"\_")
    return rf"\mathrm{{{escaped}}}"


def as_code(source: str) -> str:
    """Source text as LaTeX, for what no renderer is at hand."""
    escaped = escape(source, apart="{}")
    return rf"\texttt{{{escaped}}}"
