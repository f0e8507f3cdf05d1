"""Numbers in running text: those that may restate an entry, and those that repeat an old one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from symattn.claims.example import Example
from symattn.claims.reading import Reading
from symattn.entries import Entry

#: Elements of HTML whose numbers are in pictures, formulas and code, not in sentences.
_ELEMENT = re.compile(r"<(svg|math|script|style)\b", re.IGNORECASE)

_DECIMAL = re.compile(r"(?<![\w.,\\])-?\d{1,6}\.\d{1,12}(?![\w.]|,\d)")
_SENTENCE = re.compile(r"[.!?:]\s|\n\s*\n")
_ABOUT = re.compile(r"attend|attention|weight|probabilit|score|output|softmax", re.IGNORECASE)
MAX_GUESSES = 100


@dataclass(frozen=True)
class Guess:
    """A number in prose that may be meant for an entry."""

    start: int
    text: str
    entry: Entry


def _prose(reading: Reading) -> str:
    """The document's text, with spaces for everything that is no running text."""
    text = reading.document.text
    spans = [m.outer for m in reading.matrices] + [(m.start, m.end) for m in reading.matrices]
    spans += [(b.start, b.end) for b in reading.blocks]
    spans += [(m.printed.start, m.end) for m in reading.marked]
    for pattern in (r"```.*?```", r"<!--.*?-->", r"\$\$.*?\$\$", r"<[^<>]{1,300}>"):
        spans += [m.span() for m in re.finditer(pattern, text, re.DOTALL)]
    spans += _elements(text)
    pieces, at = [], 0
    for start, end in sorted(spans):
        if start > at:
            pieces.append(text[at:start])
            at = start
        if end > at:
            pieces.append(" " * (end - at))
            at = end
    return "".join(pieces) + text[at:]


def _elements(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while (match := _ELEMENT.search(text, at)) is not None:
        end = text.find(f"</{match[1]}", match.end())
        if end < 0:
            return
        yield match.start(), end
        at = end


def guesses(reading: Reading, example: Example) -> Iterator[Guess]:
    """Decimals in prose that print exactly one weight or output, in a sentence about such."""
    if example.derivation is None or reading.document.kind == "notebook":
        return
    by_text: dict[str, set[Entry]] = {}
    entries: dict[tuple[int, tuple[int, ...]], Entry] = {}
    for claim in example.claims:
        if claim.entry.step.name in ("A", "O", "P") and not claim.quoted:
            key = (claim.entry.step.node, claim.entry.index)
            entry = entries.setdefault(key, claim.entry)
            by_text.setdefault(claim.printed.text, set()).add(entry)
    if not by_text:
        return
    words = {w for e in entries.values() for w in e.labels if w}
    prose = _prose(reading)
    count = 0
    for match in _DECIMAL.finditer(prose):
        fits = by_text.get(match[0], set())
        if len(fits) > 1:
            said = _sentence(prose, match.start())
            fits = {e for e in fits if all(w and w in said for w in e.labels[:1])}
        if len(fits) != 1:
            continue
        sentence = _sentence(prose, match.start())
        if _ABOUT.search(sentence) or any(w in sentence for w in words):
            yield Guess(match.start(), match[0], next(iter(fits)))
            count += 1
            if count >= MAX_GUESSES:
                return


def _sentence(text: str, at: int) -> str:
    low = max(0, at - 300)
    before = [m.end() for m in _SENTENCE.finditer(text, low, at)]
    after = _SENTENCE.search(text, at + 1, at + 300)
    return text[before[-1] if before else low : after.start() if after else at + 300]


def printed_in(reading: Reading, numbers: Iterable[str]) -> set[str]:
    """Those of some numbers that running text says."""
    prose = _prose(reading)
    return {number for number in set(numbers) if _says(prose, number)}


def quoted_in(reading: Reading, numbers: Iterable[str]) -> set[str]:
    """Those of some numbers that stand in blocks of what is quoted."""
    text = reading.document.text
    quoted = [text[b.inner_start : b.inner_end] for b in reading.blocks if b.kind == "quoted"]
    return {number for number in set(numbers) if any(_says(part, number) for part in quoted)}


def _says(text: str, number: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(number)}(?![\w]|\.\d)", text) is not None


def repeats(reading: Reading, old: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Where running text still repeats a number, by its text: offset and number."""
    wanted = set(old)
    for match in _DECIMAL.finditer(_prose(reading)):
        if match[0] in wanted:
            yield match.start(), match[0]
