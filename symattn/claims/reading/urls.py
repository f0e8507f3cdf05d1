"""LaTeX in the addresses of images: services that draw an equation that their URL holds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.scan import Span

MAX_URL = 20_000

_SERVICE = re.compile(
    r"https?://(?:(?:latex|www)\.codecogs\.com/[\w./]{1,40}\?"
    r"|render\.githubusercontent\.com/render/math\?(?:[a-z]{1,10}=[\w%]{0,20}&(?:amp;)?){0,4}math="
    r"|(?:i\.upmath\.me|tex\.s2cms\.ru)/(?:svg|png|g)?/?|math\.now\.sh/?\?(?:from|inline)="
    r"|(?:www\.)?zhihu\.com/equation\?tex=|math\.vercel\.app/?\?(?:from|inline)="
    r"|chart\.(?:apis\.google|googleapis)\.com/chart\?(?:[a-z]{1,10}=[\w%:]{0,20}&(?:amp;)?){0,4}chl=)"
)
_END = re.compile(r"[\s\"'<>]")
_FIELD = re.compile(r"&(?:amp;)?(?:mode|inline|color|alternateColor|fontsize|bg|fg)=")
_CODE = re.compile(
    r"(?P<bytes>(?:%[0-9a-fA-F]{2})+)|(?P<space>&space;)|(?P<plus>&plus;)|(?P<amp>&amp;)|(?P<sign>\+)"
)
_SETTING = re.compile(
    r"\\(?:dpi|bg|fg|fn|color|background)(?:\{[^{}]{0,40}\}|_\w{1,20})|\\(?:inline|large|small|huge)(?![a-z])"
)


def equations(view: Mapped, text: str) -> Iterator[tuple[Span, Mapped]]:
    """Each such address, and the LaTeX in it with the way back to the address's characters."""
    at = 0
    while service := _SERVICE.search(text, at):
        limit = min(len(text), service.end() + MAX_URL)
        stop = _END.search(text, service.end(), limit)
        end = _balanced(text, service.end(), stop.start() if stop else limit)
        if field := _FIELD.search(text, service.end(), end):
            end = field.start()
        is_form = "math=" in service[0] or "tex=" in service[0] or "chl=" in service[0]
        yield (service.start(), end), _decoded(view, service.end(), end, is_form)
        at = max(end, service.end())


def _balanced(text: str, start: int, end: int) -> int:
    """The end of an address, which may hold brackets but does not close one it did not open."""
    depth = 0
    for i in range(start, end):
        if text[i] == "(":
            depth += 1
        elif text[i] == ")":
            depth -= 1
            if depth < 0:
                return i
    return end


def _decoded(view: Mapped, start: int, end: int, plus_is_space: bool) -> Mapped:
    pieces: list[tuple[str, int, int]] = []
    text, at = view.text, start
    for code in _CODE.finditer(text, start, end):
        pieces.append((text[at : code.start()], at, code.start()))
        at = code.end()
        if code["bytes"]:
            pieces += _characters(code[0], code.start())
        else:
            sign = " " if code["space"] or (code["sign"] and plus_is_space) else "+"
            pieces.append(("&" if code["amp"] else sign, code.start(), at))
    pieces.append((text[at:end], at, end))
    joined = Mapped(pieces, view)
    settings = [m.span() for m in _SETTING.finditer(joined.text)]
    if not settings:
        return joined
    kept, low = [], 0
    for first, last in [*settings, (len(joined.text), len(joined.text))]:
        kept.append((joined.text[low:first], low, first))
        low = last
    return Mapped(kept, joined)


def _characters(encoded: str, start: int) -> Iterator[tuple[str, int, int]]:
    """The characters of a run of ``%XX``, each with the escapes that make it."""
    data = bytes.fromhex(encoded.replace("%", ""))
    i = 0
    while i < len(data):
        first = data[i]
        size = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        try:
            character = data[i : i + size].decode("utf-8")
        except UnicodeDecodeError:
            character, size = "\ufffd", 1  # what follows it may be text again
        yield character, start + 3 * i, start + 3 * (i + size)
        i += size
