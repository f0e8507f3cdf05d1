"""How names and formulas look: LaTeX symbols, and templates made from source lines.

A template is LaTeX with ``«name»`` where the source had a name. Filling it with
symbols gives the general formula, filling it with values the substituted one.
Templates come from latexify-py (`symattn.codegen`). Those of the package's own
lines are recorded in ``recorded.json``, so the built-in models need no latexify;
a test keeps the record fresh.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("recorded.json")

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
    r"""LaTeX of a name: ``W_Q``, ``x_last``, ``gamma``; a rebound ``x~1`` gets a prime.

    >>> print(symbol("W_Q"), symbol("x_last"), symbol("logits"), symbol("x~1"), symbol("gamma"))
    W_Q x_{\mathrm{last}} \mathrm{logits} x' \gamma
    """
    base, _, primes = name.partition("~")
    stem, _, subscript = base.partition("_")
    if not stem:
        return _word(base)
    stem = _word(stem) + (primes and "'" * min(int(primes), 9))
    parts = [_word(part) for part in subscript.split("_") if part]
    if not parts:
        return stem
    joined = ",".join(parts)
    return f"{stem}_{joined}" if len(joined) == 1 else f"{stem}_{{{joined}}}"


def _word(word: str) -> str:
    if word in GREEK:
        return "\\" + word
    if (len(word) == 1 and word.isalnum()) or word.isdigit():
        return word if word.isascii() else rf"\text{{{word}}}"
    if match := re.fullmatch(r"([A-Za-z])(\d+)", word):
        return f"{match[1]}{match[2]}"
    escaped = word.replace("_", r"\_")
    return rf"\mathrm{{{escaped}}}" if word.isascii() else text(word)


def text(words: str) -> str:
    r"""Any text inside an equation, shown and never interpreted.

    >>> print(text("50% [CLS]"), text("<s>"))
    \text{50\% [CLS]} {<}\text{s}{>}
    """
    # Signs that a text mode lacks somewhere are set in maths, between pieces of text.
    pieces = re.split(r"([\\^~<>|])", visible(words))
    shown = [_MATH_SIGNS.get(piece) or rf"\text{{{_escaped(piece)}}}" for piece in pieces if piece]
    return "".join(shown) or r"\text{}"


def escape(words: str) -> str:
    r"""Any text in a LaTeX document outside equations.

    >>> print(escape("a_b <c>"))
    a\_b ${<}$c${>}$
    """
    pieces = re.split(r"([\\^~<>|])", visible(words))
    return "".join(f"${_MATH_SIGNS[p]}$" if p in _MATH_SIGNS else _escaped(p) for p in pieces)


def _escaped(words: str) -> str:
    return re.sub(r"([{}$&#%_])", r"\\\1", words)


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
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in words
    )


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
            return called(name[:-2]) if name.endswith("()") else value(name)

        return _HOLE.sub(hole, self.factored if factored else self.plain)


_HOLE = re.compile("«([^»]+)»")


def function_symbol(name: str) -> str:
    r"""LaTeX of a function's name: upright, whole words."""
    escaped = name.replace("_", r"\_")
    return rf"\mathrm{{{escaped}}}"


@cache
def _record() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(RECORD.read_text("utf-8"))
    return found


@cache
def template(source: str) -> Template:
    """The template of a line's right-hand side (or of a whole statement).

    Where latexify-py cannot be imported (Python 3.14 and later) and the line is not
    a built-in one, the template is the code itself, and says so in `Template.code`.
    """
    recorded = _record().get(source)
    if recorded:
        return Template(recorded["plain"], recorded.get("factored", recorded["plain"]))
    try:
        from symattn import codegen
    except ImportError:
        return Template(_as_code(source), _as_code(source), code=True)
    return codegen.render(source)


def _as_code(source: str) -> str:
    return rf"\texttt{{{escape(source)}}}"


def record(sources: list[str]) -> dict[str, dict[str, str]]:
    """Render lines afresh, in the shape of the record."""
    from symattn import codegen

    out: dict[str, dict[str, str]] = {}
    for source in sorted(set(sources)):
        made = codegen.render(source)
        out[source] = {"plain": made.plain}
        if made.factored != made.plain:
            out[source]["factored"] = made.factored
    return out


def lines(function: Any) -> Iterator[tuple[str | None, ast.expr]]:
    """The lines of a function that name a value, and its return: target, right-hand side."""
    from symattn.trace import definition_of

    _, definition = definition_of(function.__code__)
    yield from _lines(definition.body)


def _lines(body: list[ast.stmt]) -> Iterator[tuple[str | None, ast.expr]]:
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value
        elif isinstance(node, ast.Return) and node.value is not None:
            yield None, node.value
        elif isinstance(node, ast.If | ast.For):
            yield from _lines(node.body)
            yield from _lines(node.orelse)


def formulas(function: Any) -> list[str]:
    r"""LaTeX equations of a function, one a line of its source, in order.

    A line that only names a shape or an option is left out; ``return`` gives the
    function's own name and its arguments.

    >>> from symattn.transformer import attention
    >>> print(formulas(attention)[-1])
    \mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right) V
    """
    from symattn.trace import scope_name

    def called(name: str) -> str:
        known = function.__globals__.get(name)
        return function_symbol(scope_name(known) if hasattr(known, "__code__") else name)

    equations = []
    for target, value in lines(function):
        if is_static(value) or (target is None and isinstance(value, ast.Name)):
            continue
        right = template(ast.unparse(value)).fill(symbol, function=called)
        if target is None:
            names = ", ".join(map(symbol, inspect.signature(function).parameters))
            left = f"{function_symbol(scope_name(function))}({names})"
        else:
            left = symbol(target)
            if isinstance(value, ast.ListComp):
                left += f"_{{{symbol(ast.unparse(value.generators[0].target))}}}"
        equations.append(f"{left} = {right}")
    return equations


def is_static(value: ast.expr) -> bool:
    """Whether a line only counts: a shape, a length, a range of indices."""
    names = {n.attr if isinstance(n, ast.Attribute) else n.id
             for n in ast.walk(value) if isinstance(n, ast.Attribute | ast.Name)}  # fmt: skip
    return bool(names & {"shape", "len", "arange"})
