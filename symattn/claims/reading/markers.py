"""Markers in comments: ``symattn: A[1,1]`` says what a number is, blocks say what text is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from symattn.claims.reading.cells import Printed, read
from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.scan import Span, delimited

BlockKind = Literal["show", "quoted"]
BLOCKS: tuple[BlockKind, ...] = ("show", "quoted")


@dataclass(frozen=True, slots=True)
class Marker:
    """A symattn comment as it stands in a text; offsets count that text's characters."""

    text: str
    closes: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Marked:
    """A single number with the address that the comment behind it says."""

    address: str
    printed: Printed
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch between two comments.

    Attributes:
        kind: ``show`` (a step, to be written there) or ``quoted`` (somebody else's numbers).
        argument: what follows the kind: ``A digits=2``.
        start, end: from the opening comment's first character to the closing one's last.
        inner_start, inner_end: what lies between the two.
    """

    kind: BlockKind
    argument: str
    start: int
    end: int
    inner_start: int
    inner_end: int


_SAID = re.compile(r"\s*(?P<close>/?)symattn(?P<colon>\s*:)?(?P<text>[^\n]*?)\s*", re.DOTALL)
_PERCENT = re.compile(
    r"(?<!\\)%[ \t]{0,20}(?P<close>/?)symattn(?P<colon>[ \t]{0,9}:)?(?P<text>[^\n\r]{0,300})"
)
_ADDRESS = re.compile(r"[^\W\d][\w.~^{}]*(?:\[[\w\[\].,~^{} ]*\])*(?:\.[\w.~\[\],]+)?")
_BEHIND = re.compile(r"(?:\s|\*\*|__|\*|_|`|\$|</\w{1,12}>|\\\)|[}])+$")
_LAST = re.compile(
    r"(?:[+\-−–]|\{-\}|&minus;|&#8722;)?\s?(?:\d+(?:\{?,\}?\d+|\.\d*)?|\.\d+)(?:[eE][+\-−]?\d{1,4})?"
    r"(?:\s?\\?%)?"
)
WINDOW = 300


def html_markers(text: str) -> Iterator[Marker]:
    """Markers in HTML comments; `text` is without code."""
    if "symattn" in text:
        for start, end in delimited(text, "<!--", "-->"):
            said = _SAID.fullmatch(text, start + 4, end - 3)
            if said and (said["colon"] or said["close"]):
                yield Marker(said["text"].strip(" :"), bool(said["close"]), start, end)


def latex_markers(text: str, spans: Iterator[Span]) -> Iterator[Marker]:
    """Markers in LaTeX comments, in stretches where ``%`` begins a comment."""
    if "symattn" in text:
        for start, end in spans:
            for said in _PERCENT.finditer(text, start, end):
                if said["colon"] or said["close"]:
                    closes = bool(said["close"])
                    yield Marker(said["text"].strip(), closes, *said.span())


def number_before(view: Mapped, at: int, adjacent: bool) -> Printed | None:
    """The last number before a comment on its line; in HTML it stands right before it."""
    low = max(0, at - WINDOW)
    line = view.text[low:at].rpartition("\n")[2]
    if adjacent:
        line = line[: len(line) - len(m[0])] if (m := _BEHIND.search(line)) else line
    numbers = list(_LAST.finditer(line))
    if not numbers or (adjacent and numbers[-1].end() != len(line)):
        return None
    start = at - len(view.text[low:at].rpartition("\n")[2]) + numbers[-1].start()
    text = numbers[-1][0]
    lead = len(text) - len(text.lstrip())
    before = view.text[start + lead - 1 : start + lead] if start + lead else ""
    if before and (before.isalnum() or before in "_[.") and text.lstrip()[0] not in "+-−–":
        return None
    printed = read(view, start + lead, start + len(text))
    return printed if printed.is_number else None


def address_of(text: str) -> str | None:
    """The address that a marker's text is, or None if it is none."""
    return text if _ADDRESS.fullmatch(text) else None


def block_of(text: str) -> tuple[BlockKind, str] | None:
    """The kind and the argument of a block that a marker opens, or None."""
    head, _, argument = text.partition(" ")
    for kind in BLOCKS:
        if head == kind:
            return kind, argument.strip()
    return None
