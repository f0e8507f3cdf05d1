"""A document cut into stretches that are read alike: prose, code and mathematics."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.scan import Paragraphs, Span, blanked, delimited

Stretch = Literal["prose", "code", "math"]

MATH_FENCES = ("math", "latex", "tex", "katex")
_FENCE = re.compile(
    r"^(?P<lead>[ \t>]{0,40}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})?)(?P<marks>"
    r"`{3,}(?!`)(?=[^\n`]{0,400}$)|~{3,}(?!~))(?P<info>[^\n]{0,400})$",
    re.MULTILINE,
)
#: Directives of MyST that hold Markdown, which is read like what stands around them.
_CONTAINERS = frozenset(
    (
        "admonition", "attention", "caution", "danger", "error", "hint", "important", "note",
        "seealso", "tip", "warning", "dropdown", "details", "topic", "sidebar", "margin", "aside",
        "card", "grid", "grid-item", "grid-item-card", "tab-set", "tab-item", "exercise",
        "solution", "prf:proof", "prf:example", "prf:remark", "prf:theorem", "prf:definition",
    )
)  # fmt: skip
_DIRECTIVE = re.compile(r"\s*\{\s*(?P<name>[^\s{}]+)\s*\}")
_LANGUAGE = re.compile(r"[\s{]*(?P<word>[^\s{}]*)")
_VERBATIM = ("verbatim", "verbatim*", "lstlisting", "minted", "Verbatim")
_QUOTE = re.compile(r"^[ \t]{0,40}>[> \t]{0,40}", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_COMMENTED_PRINT = re.compile(r"^([ \t]{0,40})#(?=[ \t]{0,40}(?:[a-z.]{0,20}\()?\[)", re.MULTILINE)
_MARKER = re.compile(r"(?<!\\)%[ \t]{0,20}/?symattn[^\n]{0,300}")
_TICKS = re.compile(r"`+")


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a region, with the fence lines around it in `outer`."""

    kind: Stretch
    start: int
    end: int
    outer: Span


@dataclass(frozen=True)
class Region:
    """A text that is searched as one: a whole document, or one cell of a notebook.

    Attributes:
        view: its text.
        segments: what lies in it, in order.
        math: the text with code and comments blanked, for equations.
        lists: the text with comments blanked, for lists in prose and code.
        markup: the text in which HTML's tags and comments still stand.
        markup_math: `markup` with code blanked.
        before: for an output, the code that printed it.
        latex_comments: whether ``%`` begins a comment everywhere, not in equations only.
        alternatives: see `notebook.CellText`.
    """

    view: Mapped
    segments: tuple[Segment, ...]
    math: str
    lists: str
    markup: Mapped
    markup_math: str
    before: str = ""
    latex_comments: bool = False
    alternatives: int | None = None

    @property
    def with_comments(self) -> str:
        """The text without code, its LaTeX comments still standing."""
        return blanked(self.view.text, self._code)

    @property
    def prose(self) -> str:
        """The text without code and comments."""
        return blanked(self.lists, self._code)

    @property
    def _code(self) -> list[Span]:
        return [s.outer for s in self.segments if s.kind == "code"]


def markdown(view: Mapped, before: str = "", alternatives: int | None = None) -> Region:
    """Markdown, and plain text, which is read the same way."""
    text = view.text
    segments, marks = _fenced(text)
    code = [s.outer for s in segments if s.kind == "code"]
    marks += [
        span
        for s in segments
        if s.kind == "math"
        for span in ((s.outer[0], s.start), (s.end, s.outer[1]))
    ]
    outside_code = blanked(text, code)
    ticks, inline = _inline_code(blanked(outside_code, marks))
    math_fences = [s.outer for s in segments if s.kind == "math"]
    comments = list(delimited(blanked(outside_code, [*inline, *math_fences]), "<!--", "-->"))
    quotes = [m.span() for m in _QUOTE.finditer(blanked(outside_code, [])) if ">>>" not in m[0]]
    markers = [m.span() for m in _MARKER.finditer(text)]
    math = blanked(text, [*code, *marks, *inline, *ticks, *comments, *quotes, *markers])
    markup = blanked(text, [*code, *inline])
    return Region(
        view, segments, math, _with_prints(blanked(text, comments)), view, markup, before,
        alternatives=alternatives,
    )  # fmt: skip


def latex(view: Mapped, before: str = "", alternatives: int | None = None) -> Region:
    """LaTeX: what is verbatim is code, comments are no text."""
    text = view.text
    spans: list[Segment] = []
    for name in _VERBATIM:
        opening, closing = f"\\begin{{{name}}}", f"\\end{{{name}}}"
        for start, end in delimited(text, opening, closing):
            inner = (start + len(opening), end - len(closing))
            spans.append(Segment("code", *inner, (start, end)))
    segments = _with_prose(spans, len(text))
    code = [s.outer for s in segments if s.kind == "code"]
    comments = [m.span() for m in _COMMENT.finditer(blanked(text, code))]
    math = blanked(text, [*code, *comments])
    return Region(
        view, segments, math, blanked(text, comments), view, math, before, True, alternatives
    )


def code(view: Mapped, before: str = "", alternatives: int | None = None) -> Region:
    """A code cell, or what a program printed."""
    length = len(view.text)
    empty = blanked(view.text, [(0, length)])
    segment = Segment("code", 0, length, (0, length))
    return Region(
        view,
        (segment,),
        empty,
        _with_prints(view.text),
        view,
        empty,
        before,
        alternatives=alternatives,
    )


def _with_prints(text: str) -> str:
    """The text in which prints that stand in comments, ``# [[1, 2],``, stand by themselves."""
    return _COMMENTED_PRINT.sub(r"\1 ", text)


def _fenced(text: str) -> tuple[tuple[Segment, ...], list[Span]]:
    """The fences of a text between its prose, and what opens and closes those that hold prose."""
    found: list[Segment] = []
    marks: list[Span] = []
    opened: list[re.Match[str]] = []  # the last one alone may hold no prose
    for mark in _FENCE.finditer(text):
        last = opened[-1] if opened else None
        if last and not mark["info"].strip() and mark["marks"].startswith(last["marks"]):
            opened.pop()
            if _holds_prose(last):
                marks.append(mark.span())
            else:
                word = _LANGUAGE.match(last["info"])
                assert word is not None  # it may be empty
                inner = (min(last.end() + 1, mark.start()), mark.start())
                # A plain text page says its formulas in LaTeX.
                is_math = word["word"].lower() in MATH_FENCES or (
                    word["word"] == "text" and text.startswith("\\begin{aligned}", inner[0])
                )
                kind: Stretch = "math" if is_math else "code"
                found.append(Segment(kind, *inner, (last.start(), mark.end())))
        elif last is None or _holds_prose(last):
            opened.append(mark)
            if named := _holds_prose(mark):
                marks.append((mark.start(), mark.start("info") + named.end()))
    if opened and not _holds_prose(opened[-1]):
        # An unclosed fence runs to the end of the text.
        end, last = len(text), opened[-1]
        found.append(Segment("code", min(last.end() + 1, end), end, (last.start(), end)))
    return _with_prose(found, len(text)), marks


def _holds_prose(fence: re.Match[str]) -> re.Match[str] | None:
    """Of a fence that opens a directive with Markdown in it, its name; the title stands behind."""
    named = _DIRECTIVE.match(fence["info"])
    return named if named and named["name"].lower() in _CONTAINERS else None


def _with_prose(spans: list[Segment], length: int) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    at = 0
    for segment in sorted(spans, key=lambda s: s.outer):
        if segment.outer[0] < at:
            continue
        if segment.outer[0] > at:
            segments.append(Segment("prose", at, segment.outer[0], (at, segment.outer[0])))
        segments.append(segment)
        at = segment.outer[1]
    if at < length:
        segments.append(Segment("prose", at, length, (at, length)))
    return tuple(segments)


def _inline_code(text: str) -> tuple[list[Span], list[Span]]:
    """The backticks of GitHub's ``$`…`$``, and the code spans in a text without fences."""
    runs = [m.span() for m in _TICKS.finditer(text)]
    by_length: dict[int, list[int]] = {}
    for start, end in runs:
        by_length.setdefault(end - start, []).append(start)
    paragraphs = Paragraphs(text)
    ticks: list[Span] = []
    spans: list[Span] = []
    at = 0
    for start, end in runs:
        if start < at:
            continue
        same = by_length[end - start]
        i = bisect_left(same, end)
        if i == len(same) or same[i] > paragraphs.end(start):
            continue
        at = same[i] + end - start
        if text[start - 1 : start] == "$" and text[at : at + 1] == "$":
            ticks += [(start, end), (same[i], at)]
        else:
            spans.append((start, at))
    return ticks, spans
