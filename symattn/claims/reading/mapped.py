"""A text that was decoded from another one, and where each of its characters came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable


class Mapped:
    r"""Text with the way back to the characters it was decoded from.

    It is built from pieces. A piece that reads as it is written maps character by
    character; an escape (``\u2212`` in JSON, ``&minus;`` in HTML, ``%5C`` in a URL) maps
    as a whole. Pieces may lie on another `Mapped`: a URL in a notebook's JSON string.

    Attributes:
        text: the decoded text.
    """

    def __init__(
        self, pieces: Iterable[tuple[str, int, int]], source: Mapped | None = None
    ) -> None:
        """Join pieces ``(text, start, end)``: what is read, and the span it is written in."""
        self._source = source
        self._at: list[int] = []
        self._spans: list[tuple[int, int, bool]] = []
        texts: list[str] = []
        length = 0
        for text, start, end in pieces:
            if text:
                self._at.append(length)
                self._spans.append((start, end, len(text) == end - start))
                texts.append(text)
                length += len(text)
        self.text = "".join(texts)

    @classmethod
    def plain(cls, text: str) -> Mapped:
        """Text that is its own source."""
        return cls([(text, 0, len(text))])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]`` is written, in the outermost source.

        >>> Mapped([("a", 0, 1), ("−", 1, 7), ("1", 7, 8)]).span(1, 3)
        (1, 8)
        """
        if not self._at:
            return (0, 0)
        first = self._one(min(start, len(self.text) - 1))
        if start >= len(self.text):
            first = (first[1], first[1])
        span = (first[0], self._one(end - 1)[1]) if end > start else (first[0], first[0])
        return self._source.span(*span) if self._source else span

    def _one(self, position: int) -> tuple[int, int]:
        i = bisect_right(self._at, position) - 1
        start, end, is_plain = self._spans[i]
        if not is_plain:
            return start, end
        at = start + position - self._at[i]
        return at, at + 1
