"""Bracketed lists of numbers in any text: Python's, and what NumPy and PyTorch print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from symattn.claims.reading.cells import Printed, read
from symattn.claims.reading.mapped import Mapped

MAX_NESTING = 5  # deeper lists are not read

_TOKEN = re.compile(
    r"""
      (?P<deep>\[{6,}) | (?P<open>\[) | (?P<close>\])
    | (?P<space>[\s,;]+|^[ ]*\.\.\.(?=[ ]))
    | (?P<comment>\#[^\n]*)
    | (?P<dots>\.\.\.|…|\\[cvdl]?dots(?![a-zA-Z]))
    | (?P<atom>[-+−]?\\(?:[dt]?frac|sqrt)(?:\{(?:[^{}\[\]]|\{[^{}\[\]]{0,30}\}){0,60}\}){1,2}
        |(?:[^\s,;\[\]#"'(){}:=]|\([^\s\[\]()]{0,30}\)){1,400})
    | (?P<alien>.)
    """,
    re.VERBOSE | re.MULTILINE,
)
_SUBSCRIPTED = re.compile(r"[\w\])}'\"]")
_MATH_SPACE = re.compile(
    r"\\(?:left|right|[bB]igg?[lrm]?)(?![a-zA-Z])|\\[,;!: ]|\\q?quad(?![a-zA-Z])"
)
_COMMENT_WORD = re.compile(r"#\s*([^\W\d_][\w'’-]*)")


@dataclass(slots=True)
class NumberList:
    """A list in brackets; its items are numbers, or lists.

    Attributes:
        words: the first words of the comments behind its items.
    """

    start: int
    end: int = -1
    items: list[Printed | NumberList] = field(default_factory=list)
    elided: bool = False
    words: list[str] = field(default_factory=list)

    @property
    def depth(self) -> int:
        """How many brackets deep it is; 0 if it is empty, or its items are of unequal depth."""
        depths = {i.depth if isinstance(i, NumberList) else 0 for i in self.items}
        return depths.pop() + 1 if len(depths) == 1 else 0

    @property
    def nested(self) -> bool:
        return any(isinstance(i, NumberList) for i in self.items)


def flattened_math(text: str) -> str:
    """LaTeX with sizes and spaces blanked, so that its lists read like any others."""
    return _MATH_SPACE.sub(lambda m: " " * len(m[0]), text)


def lists(view: Mapped, text: str, start: int, end: int) -> Iterator[NumberList]:
    """The outermost lists of numbers in ``text[start:end]``, a copy of the view's text.

    A list within something else is given by itself; indices, ``x[0]``, are no lists.
    """
    done: list[NumberList] = []
    stack: list[NumberList] = []
    at = text.find("[", start, end)
    while 0 <= at < end:
        token = _TOKEN.match(text, at, end)
        if token is None:
            break
        kind, at = token.lastgroup, token.end()
        if kind == "deep" or (kind == "open" and len(stack) == MAX_NESTING):
            _spoil(stack, done)
        elif kind == "open":
            # An index, x[0], is stepped over; what follows is read afresh.
            if stack or not _SUBSCRIPTED.match(text, max(start, at - 2), at - 1):
                stack.append(NumberList(token.start()))
        elif kind == "close":
            _close(stack, at, done)
        elif stack:
            _item(view, stack, token, done)
        if not stack:
            at = text.find("[", at, end)
    _spoil(stack, done)
    done.sort(key=lambda found: found.start)
    yield from done


def _item(
    view: Mapped, stack: list[NumberList], token: re.Match[str], done: list[NumberList]
) -> None:
    top, kind = stack[-1], token.lastgroup
    if kind == "dots":
        top.elided = True
        if not top.nested:
            top.items.append(read(view, *token.span()))
    elif kind == "comment":
        if word := _COMMENT_WORD.match(token[0]):
            top.words.append(word[1])
    elif kind == "atom":
        cell = read(view, *token.span())
        if cell.is_number or (token[0] in ("?", "_", "-", "–", "x", "·", "*") and len(stack) > 1):
            top.items.append(cell)
        else:
            _spoil(stack, done)
    elif kind == "alien":
        _spoil(stack, done)


def _spoil(stack: list[NumberList], done: list[NumberList]) -> None:
    """What is open is no list of numbers; lists in it that are complete stand by themselves."""
    for opened in stack:
        done.extend(i for i in opened.items if isinstance(i, NumberList))
    stack.clear()


def _close(stack: list[NumberList], end: int, done: list[NumberList]) -> None:
    top = stack.pop()
    top.end = end
    if not top.depth:
        _spoil([top], done)
        _spoil(stack, done)
    elif stack:
        stack[-1].items.append(top)
        stack[-1].elided |= top.elided
    else:
        done.append(top)
