"""Small linear scans over a text: delimited stretches, blanked copies, paragraphs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

Span = tuple[int, int]

_PARAGRAPH = re.compile(r"\n[ \t\r]*(?=\n)")
_NOT_NEWLINE = re.compile(r"[^\n]")


class Finder:
    """``text.find`` that never looks twice for what is not there.

    An opening without its closing costs one scan to the end of the text; without this,
    a text of such openings would cost one scan each.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._missing_from: dict[str, int] = {}

    def find(self, word: str, start: int) -> int:
        """Where `word` comes next, or −1."""
        if start >= self._missing_from.get(word, len(self.text) + 1):
            return -1
        at = self.text.find(word, start)
        if at < 0:
            self._missing_from[word] = start
        return at


class Paragraphs:
    """Where a text's paragraphs end: at blank lines."""

    def __init__(self, text: str) -> None:
        self._ends = [m.start() for m in _PARAGRAPH.finditer(text)]
        self._last = len(text)

    def end(self, position: int) -> int:
        """The end of the paragraph that a position is in."""
        i = bisect_left(self._ends, position)
        return self._ends[i] if i < len(self._ends) else self._last


def delimited(text: str, opening: str, closing: str) -> Iterator[Span]:
    """Stretches from `opening` to the next `closing`, both included."""
    finder = Finder(text)
    at = text.find(opening)
    while at >= 0:
        end = finder.find(closing, at + len(opening))
        if end < 0:
            return
        yield at, end + len(closing)
        at = text.find(opening, end + len(closing))


def blanked(text: str, spans: Iterable[Span]) -> str:
    """A copy of the same length with some stretches made of spaces; line ends stay."""
    pieces, at = [], 0
    for start, end in sorted(spans):
        start = max(start, at)
        if end > start:
            pieces.append(text[at:start])
            pieces.append(_NOT_NEWLINE.sub(" ", text[start:end]))
            at = end
    pieces.append(text[at:])
    return "".join(pieces)


def outside(start: int, end: int, spans: Iterable[Span]) -> Iterator[Span]:
    """What is left of a stretch without the given ones, which are sorted."""
    for first, last in spans:
        if first >= end:
            break
        if first > start:
            yield start, first
        start = max(start, last)
    if start < end:
        yield start, end
