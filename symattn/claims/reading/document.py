"""A document as it lies on disk: its text, untouched, and what kind of text it is."""

from __future__ import annotations

import os
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from symattn import files
from symattn.errors import DocumentError

Kind = Literal["markdown", "latex", "html", "notebook", "text"]

KINDS: dict[str, Kind] = {
    ".md": "markdown", ".markdown": "markdown", ".tex": "latex", ".html": "html",
    ".htm": "html", ".ipynb": "notebook",
}  # fmt: skip
MAX_CHARACTERS = 32_000_000
MAX_BYTES = 4 * MAX_CHARACTERS  # as many as they may take in UTF-8


@dataclass(frozen=True)
class Document:
    """A text, exactly as in its file: byte-order mark and line ends are kept.

    Attributes:
        path: where it was read from, or "" for a text given as such.
        text: all of it; every offset of a reading counts its characters.
        kind: how it is read.
    """

    path: str
    text: str
    kind: Kind

    @cached_property
    def _line_ends(self) -> list[int]:
        ends, at = [], self.text.find("\n")
        while at >= 0:
            ends.append(at)
            at = self.text.find("\n", at + 1)
        return ends

    def line_and_column(self, offset: int) -> tuple[int, int]:
        r"""Line and column of a character, both counted from 1.

        >>> Document("", "a\nbc", "text").line_and_column(3)
        (2, 2)
        """
        line = bisect_left(self._line_ends, offset)
        start = self._line_ends[line - 1] + 1 if line else 0
        return line + 1, offset - start + 1


def kind_of(path: str | Path) -> Kind:
    """The kind of document that a file's ending says; text, where it says nothing."""
    return KINDS.get(Path(path).suffix.lower(), "text")


def load(path: str | Path, kind: Kind | None = None) -> Document:
    """Read a document from disk.

    Raises:
        DocumentError: there is no such file, or it is a directory, not UTF-8 text, or
            longer than 32 million characters.
    """
    where = Path(path)
    if os.path.isdir(where):
        raise DocumentError(f"{where}: wanted a document, got a directory")
    if not os.path.lexists(where):
        raise DocumentError(f"{where}: wanted a document, found no such file")
    data = files.read(where, MAX_BYTES, DocumentError, "a document")
    if b"\0" in data:
        raise DocumentError(f"{where}: wanted a text in UTF-8, got a file with NUL bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            f"{where}:{line}: wanted a text in UTF-8, got the byte 0x{data[error.start]:02x}"
        ) from None
    return checked(Document(str(where), text, kind or kind_of(where)))


def checked(document: Document) -> Document:
    """The document, if it is short enough to be read."""
    if len(document.text) > MAX_CHARACTERS:
        raise DocumentError(
            f"{document.path or 'the text'}: wanted at most {MAX_CHARACTERS:,} characters, "
            f"got {len(document.text):,}"
        )
    return document
