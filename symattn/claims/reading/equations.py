"""Chains of equations in a stretch of mathematics, and where the matrices stand in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from symattn.claims.reading.environments import TOKEN, Environment
from symattn.claims.reading.lists import NumberList

PLACE = "□"  # where a matrix stands in a text
Written = Environment | NumberList

CASES = ("cases", "dcases", "rcases")

_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(slots=True)
class Side:
    """One side of an equation: its text, with a □ for each matrix, and where it stands."""

    text: str = ""
    matrices: list[Written] = field(default_factory=list)
    start: int = -1
    end: int = -1

    @property
    def is_empty(self) -> bool:
        return not self.text.replace("{}", "").strip(" \t\r\n.,;&~\\")


@dataclass(slots=True)
class Chain:
    """Sides that are said to be equal."""

    sides: list[Side] = field(default_factory=list)


def chains(
    text: str, start: int, end: int, matrices: Sequence[Written], before: Chain | None = None
) -> Iterator[Chain]:
    """The chains of a stretch, in order.

    A line that begins with a relation carries on the chain of the line before, and a
    stretch that does carries on `before`.
    """
    chain, open_relation = before or Chain([]), False
    is_fresh = before is not None  # nothing of this stretch is in the chain yet
    for line in _lines(text, start, end, matrices):
        begins_with_relation = len(line) > 1 and line[0].is_empty
        if chain.sides and (begins_with_relation or (open_relation and not is_fresh)):
            line = line[1:] if begins_with_relation else line
            chain.sides += line
        else:
            if chain.sides and not is_fresh:
                yield chain
            chain = Chain(line)
        is_fresh = False
        open_relation = len(line) > 1 and line[-1].is_empty
        chain.sides = [s for s in chain.sides if not s.is_empty]
    if chain.sides and not is_fresh:
        yield chain


def _lines(text: str, start: int, end: int, matrices: Sequence[Written]) -> Iterator[list[Side]]:
    """Equations, each as its sides."""
    sides = [Side()]
    for kind, piece, matrix, at in _pieces(text, start, end, matrices):
        if kind == "matrix" and matrix is not None:
            sides[-1].text += PLACE
            sides[-1].matrices.append(matrix)
        elif kind == "relation":
            sides.append(Side())
        elif kind == "break":
            yield sides
            sides = [Side()]
        elif kind == "separator":
            # "A = \quad M" is one equation all the same.
            if not sides[-1].is_empty:
                yield sides
                sides = [Side()]
            elif len(sides) == 1:
                sides = [Side()]
        elif kind == "text":
            side = sides[-1]
            side.text += piece
            if bare := piece.strip():
                if side.start < 0:
                    side.start = at + piece.index(bare)
                side.end = at + len(piece.rstrip())
    yield sides


def _pieces(
    text: str, start: int, end: int, matrices: Sequence[Written]
) -> Iterator[tuple[str, str, Written | None, int]]:
    """The stretch cut at its matrices and at the relations outside of all brackets.

    What stands in a ``cases`` environment says when something holds, and is left out.
    """
    opened: list[str] = []
    braces = cases = 0
    closed = max(text.rfind(f"\\end{{{name}}}", start, end) for name in CASES)
    at = start
    for matrix in [*matrices, None]:
        stop = matrix.start if matrix else end
        for token in TOKEN.finditer(text, at, stop):
            if token.start() > at and not cases:
                yield "text", text[at : token.start()], None, at
            at = token.end()
            kind = token.lastgroup or ""
            if token["name"] in CASES and token.start() <= closed:
                cases = max(cases + (1 if token["which"] == "begin" else -1), 0)
            if cases:
                continue
            if token[0] in "([{":
                opened.append(token[0])
                braces += token[0] == "{"
            elif token[0] in ")]}" and _PAIRS[token[0]] in opened[-8:]:
                while (last := opened.pop()) != _PAIRS[token[0]]:
                    braces -= last == "{"
                braces -= last == "{"
            said = _kind(kind, token[0], bool(opened), bool(braces))
            yield said, token[0], None, token.start()
            if kind == "row" and not braces:
                opened.clear()
        if stop > at and not cases:
            yield "text", text[at:stop], None, at
        if matrix:
            yield "matrix", "", matrix, matrix.start
            at = matrix.end


def _kind(kind: str, token: str, in_brackets: bool, in_braces: bool) -> str:
    if kind in ("row", "lone"):
        return "break" if kind == "row" and not in_braces else "text"
    if kind in ("env", "amp", "size"):
        return "nothing" if kind != "amp" or not in_braces else "text"
    if in_brackets:
        return "text"
    if kind == "arrow":
        return "separator"
    if kind == "gap" or token in (",", ";"):
        return "separator"
    return "relation" if kind == "relation" else "text"


_WRAPPERS = re.compile(
    r"\\(?:boxed|mathbf|mathrm|displaystyle|textstyle|bm|boldsymbol|ensuremath|fbox|scriptsize"
    r"|small|tiny|large|limits)(?![a-zA-Z])|\\(?:textcolor|mathcolor|color|colorbox)\{[^{}]*\}"
    r"|\\(?:label|tag)\{[^{}]*\}|\\(?:nonumber|notag)(?![a-zA-Z])|\\[,;:!> ]|[\s~&]|\{\}"
)
_NOTE = re.compile(
    rf"({PLACE})(?:_\{{[^{{}}]*\}}|_\w|\\in.*|\\q?quad.*|\\text(?:rm|it)?\{{[^{{}}]*\}}|\([^()]*(?:\\times|×)[^()]*\))+$"
)
_BRACKETS = re.compile(rf"(?<![A-Za-z}}])(?:\{{{PLACE}\}}|\({PLACE}\)|\[{PLACE}\])")
_BRACE = re.compile(rf"\\(?:under|over)brace\{{({PLACE})\}}(?:[_^](?:\{{.*\}}|\w))?")
_FACTOR_BEFORE = re.compile(rf"(.+?)(?:\\cdot|\\times|\*|·|×)?{PLACE}")
_FACTOR_BELOW = re.compile(rf"{PLACE}(?:/|\\div|÷)(.+)|\\[dt]?frac\{{{PLACE}\}}\{{(.+)\}}")


def alone(side: Side) -> tuple[bool, str]:
    r"""Whether a side is one matrix, perhaps times a factor; and that factor as written.

    >>> alone(Side(r"\frac{1}{\sqrt{2}} □", [None]))
    (True, '\\frac{1}{\\sqrt{2}}')
    >>> alone(Side("□ □^T", [None, None])), alone(Side("[□]_{2 \\times 2}.", [None]))
    ((False, ''), (True, ''))
    """
    if len(side.matrices) != 1:
        return False, ""
    text = bare(side.text)
    if text == PLACE:
        return True, ""
    if below := _FACTOR_BELOW.fullmatch(text):
        return True, f"1/({below[1] or below[2]})"
    if before := _FACTOR_BEFORE.fullmatch(text):
        return True, before[1]
    return False, ""


def bare(text: str) -> str:
    """A side's text without spaces, sizes, colours, and brackets around all of it."""
    if len(text) > 600:
        return text
    text = _WRAPPERS.sub("", text).strip(".,;:")
    for _ in range(8):
        shorter = _BRACE.sub(r"\1", _NOTE.sub(r"\1", text))
        shorter = _BRACKETS.sub(PLACE, shorter).strip(".,;:").rstrip("\\")
        if shorter == text:
            break
        text = shorter
    return text
