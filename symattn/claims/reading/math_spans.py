"""Where the mathematics of a text stands: between dollars, in displays, in environments."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from symattn.claims.reading.environments import MATRICES
from symattn.claims.reading.scan import Finder, Paragraphs, Span, outside

_DISPLAYS = (
    "equation", "align", "gather", "displaymath", "math", "multline", "eqnarray", "flalign",
    "alignat", "aligned", "gathered", "split", "symattnequation", "symattnlines",
)  # fmt: skip
_OPENING = re.compile(
    r"(?P<escaped>\\\$|\\\\(?![\[(]))|(?P<dollars>\$\$?)|(?P<bracket>\\{1,2}[\[(])"
    rf"|\\begin\{{(?P<env>(?:{'|'.join(_DISPLAYS)})\*?)\}}"
    r"|\\begin ?\{(?P<table>tabular[*x]?)\}"
)
_BEGIN = re.compile(rf"\\begin ?\{{(?:{'|'.join(map(re.escape, MATRICES))})\}}")
_DIMENSION = re.compile(r"\\\\\[\s{0,9}-?[\d.]{1,9}\s{0,9}[a-z]{2}\s{0,9}\]")


@dataclass(frozen=True, slots=True)
class MathSpan:
    """A stretch of mathematics, with what delimits it in `outer`."""

    start: int
    end: int
    outer: Span
    is_loose: bool = False


def math_spans(text: str) -> list[MathSpan]:
    """The mathematics of a text in order; a matrix outside of any is given too."""
    finder, paragraphs = Finder(text), Paragraphs(text)
    found: list[MathSpan] = []
    at, end = 0, len(text)
    while opening := _OPENING.search(text, at, end):
        span = None if opening["escaped"] else _closed(text, opening, finder, paragraphs, at, end)
        at = span.outer[1] if span else opening.end()
        if span and span.end > span.start:
            found.append(span)
    return _with_loose(text, found, paragraphs)


def _closed(
    text: str, opening: re.Match[str], finder: Finder, paragraphs: Paragraphs, low: int, end: int
) -> MathSpan | None:
    first, after = opening.span()
    sign = opening["dollars"] or opening["bracket"] or ""
    if opening["env"] or opening["table"]:
        closing = f"\\end{{{opening['env'] or opening['table']}}}"
    elif opening["bracket"]:
        if _DIMENSION.match(text, first):
            return None
        closing = "\\]" if sign.endswith("[") else "\\)"
    else:
        closing = sign
    last = finder.find(closing, after)
    while sign == "$" and last > 0 and text[last - 1] == "\\":
        last = finder.find(closing, last + 1)
    if last < 0 or last + len(closing) > end:
        return None
    if sign == "$":
        inner = text[after : min(last, after + 4000)]
        is_math = inner.strip() == inner or "\\begin{" in inner
        if last > paragraphs.end(first) or not inner or not is_math:
            return None
    if opening["table"]:
        # Its cells may hold mathematics of their own; a label may stand before it on its line.
        line = max(text.rfind("\n", 0, first) + 1, low)
        return MathSpan(line, last + len(closing), (line, last + len(closing)), True)
    inner_start = first if opening["env"] else after
    inner_end = last + len(closing) if opening["env"] else last
    return MathSpan(inner_start, inner_end, (first, last + len(closing)))


def _with_loose(text: str, found: list[MathSpan], paragraphs: Paragraphs) -> list[MathSpan]:
    """Add the lines from a matrix outside of any mathematics to the end of its paragraph."""
    outer = [s.outer for s in found]
    starts = [s[0] for s in outer]
    loose: list[MathSpan] = []
    for first, last in outside(0, len(text), outer):
        at = first
        while begin := _BEGIN.search(text, at, last):
            line = max(text.rfind("\n", first, begin.start()) + 1, first, at)
            i = bisect_right(starts, begin.start())
            limit = min(starts[i] if i < len(starts) else last, paragraphs.end(begin.start()), last)
            loose.append(MathSpan(line, limit, (line, limit), True))
            at = max(limit, begin.end())
    return sorted([*found, *loose], key=lambda s: s.start)
