"""The typst compiler, which sets PDF, SVG and PNG without TeX."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Literal

from symattn.errors import OptionError, SymattnError
from symattn.typst_names import string

Form = Literal["pdf", "svg", "png"]

#: What typst's own fonts have.
_ASCII = 0x80


class TypstError(SymattnError):
    """A document that typst refuses; the message is typst's."""


def compiled(source: str, form: Form, *, ppi: float = 144, accessible: bool = True) -> bytes:
    """A document of typst's, set.

    Args:
        form: of the result; SVG and PNG are of the first page.
        ppi: pixels per inch, for PNG.
        accessible: whether a PDF must keep PDF/UA-1: every equation with words, a title, a
            language, headings in order, and no character without a glyph.

    Raises:
        OptionError: typst's package is not installed.
        TypstError: it refuses the document.
    """
    typst = _typst()
    options: dict[str, Any] = {"format": form}
    if form == "pdf" and accessible:
        options["pdf_standards"] = ["ua-1"]
    if form == "png":
        options["ppi"] = ppi
    try:
        made = typst.compile(source.encode("utf-8"), **options)
    except typst.TypstError as error:
        raise TypstError(f"typst refuses the document: {error.diagnostic.strip()}") from None
    return bytes(made[0] if isinstance(made, list) else made)


def unseen(text: str) -> str:
    """The characters of a text that no font here has a glyph for, in order.

    What typst says of a PDF/UA-1 is asked, which must not have any: of all characters at once,
    and where it refuses, of halves of them.
    """
    foreign = sorted({c for c in text if ord(c) >= _ASCII and c.isprintable()})
    return "".join(_unseen(tuple(foreign)))


@cache
def _unseen(characters: tuple[str, ...]) -> tuple[str, ...]:
    if not characters or _has_glyphs(characters):
        return ()
    if len(characters) == 1:
        return characters
    half = len(characters) // 2
    return (*_unseen(characters[:half]), *_unseen(characters[half:]))


def _has_glyphs(characters: Iterable[str]) -> bool:
    lines = [f"#{string(c)}" for c in characters]
    head = '#set document(title: "glyphs", date: none)\n#set text(font: "New Computer Modern")\n'
    try:
        compiled(head + " \\\n".join(lines), "pdf")
    except TypstError:
        return False
    return True


def _typst() -> Any:
    try:
        import typst
    except ImportError:
        raise OptionError(
            "PDF, SVG and PNG need typst, which is not installed: "
            "pip install 'symattn[pdf]' (in a clone '.[pdf]')"
        ) from None
    return typst
