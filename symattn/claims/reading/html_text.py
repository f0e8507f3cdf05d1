"""An HTML page as text: tags gone, entities decoded, equations and code told apart."""

from __future__ import annotations

import html
import re

from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.regions import Region, Segment
from symattn.claims.reading.scan import Finder, Span, blanked

_TOKEN = re.compile(
    r"<!--|</?(?P<name>[a-zA-Z][a-zA-Z0-9:-]{0,30})(?P<rest>[^<>]*)>"
    r"|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});"
)
_INLINE = {
    "a", "b", "i", "em", "strong", "span", "sub", "sup", "code", "tt", "var", "small", "u",
    "mark", "font", "kbd", "img", "wbr", "s", "del", "ins", "abbr",
}  # fmt: skip
_SKIPPED = ("script", "style", "math", "svg")
_TEX = re.compile(r"math/tex|application/x-tex")


def page(view: Mapped, before: str = "", alternatives: int | None = None) -> Region:
    """A page's region; its tables and comments are searched in the page itself."""
    text, finder = view.text, Finder(view.text)
    builder = _Builder(view)
    at = 0
    while token := _TOKEN.search(text, at):
        builder.add(text[at : token.start()], at, token.start())
        at = token.end()
        if token[0] == "<!--":
            end = finder.find("-->", at)
            if end >= 0:
                at = end + 3
        elif token["name"] is None:
            builder.add(html.unescape(token[0]), *token.span())
        else:
            at = builder.tag(token, finder)
    builder.add(text[at:], at, len(text))
    decoded = Mapped(builder.pieces, view)
    segments = builder.segments(len(decoded.text))
    code = [s.outer for s in segments if s.kind == "code"]
    math = blanked(decoded.text, code)
    return Region(
        decoded, segments, math, decoded.text, view, text, before, alternatives=alternatives
    )


class _Builder:
    """Collects the pieces of the text, and where in it ``<pre>`` begins and ends."""

    def __init__(self, view: Mapped) -> None:
        self.view = view
        self.pieces: list[tuple[str, int, int]] = []
        self.length = 0
        self.code: list[Span] = []
        self._pre = -1

    def add(self, text: str, start: int, end: int) -> None:
        if text:
            self.pieces.append((text, start, end))
            self.length += len(text)

    def tag(self, token: re.Match[str], finder: Finder) -> int:
        """Take a tag in; the position from which to go on."""
        name = token["name"].lower()
        closes = token[0].startswith("</")
        at = token.end()
        if name == "pre":
            if closes and self._pre >= 0:
                self.code.append((self._pre, self.length))
                self._pre = -1
            self.add("\n", *token.span())
            if not closes and self._pre < 0:
                self._pre = self.length
        elif name in _SKIPPED and not closes and not token[0].endswith("/>"):
            end = finder.find(f"</{token['name']}", at)
            if end < 0:
                return at
            if name == "script" and _TEX.search(token["rest"]):
                self._display(at, end, *token.span())
            elif name == "math":
                self._annotation(at, end, finder)
            return end
        elif name == "br" or (name not in _INLINE and self._pre < 0):
            self.add("\n", *token.span())
        return at

    def _annotation(self, start: int, end: int, finder: Finder) -> None:
        """The LaTeX source that renderers leave in MathML."""
        at = finder.find("<annotation", start)
        if 0 <= at < end:
            first = finder.find(">", at) + 1
            last = finder.find("</annotation", first)
            if first and 0 <= last < end and _TEX.search(finder.text[at:first]):
                self._display(first, last, at, first)

    def _display(self, start: int, end: int, first: int, last: int) -> None:
        self.add("\n$$", first, last)
        text, at = self.view.text, start
        for token in re.finditer(r"&(?:#?\w{1,31});", text[start:end]):
            low, high = start + token.start(), start + token.end()
            self.add(text[at:low], at, low)
            self.add(html.unescape(token[0]), low, high)
            at = high
        self.add(text[at:end], at, end)
        self.add("$$\n", end, end)

    def segments(self, length: int) -> tuple[Segment, ...]:
        found: list[Segment] = []
        at = 0
        for start, end in self.code:
            if start > at:
                found.append(Segment("prose", at, start, (at, start)))
            found.append(Segment("code", start, end, (start, end)))
            at = end
        if at < length:
            found.append(Segment("prose", at, length, (at, length)))
        return tuple(found)
