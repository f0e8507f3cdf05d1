r"""Equations of single numbers and their sides: ``A[1,0] = \frac{e^a}{\ell_1} \approx 0.36``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from symattn.claims.reading.cells import Printed, read
from symattn.claims.reading.environments import environments
from symattn.claims.reading.equations import Side, Written, chains
from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.math_spans import MathSpan

MAX_LABEL = 200
MAX_SIDES = 12

_RELATION = re.compile(r"=|\\approx|≈")
#: What stands between the lines of a sum: a row's end, and the next row's alignment.
_BREAK = re.compile(r"(?:\s|\\\\(?:\[\s*[\d.]+\s*[a-z]{2}\s*\])?|&|\\q?quad(?![a-zA-Z])|\{\})*")
_ABOUT = re.compile(r"(?:\\approx|≈)[\s&]*$")
#: What is part of a number, and no next equation: 0,36.
_COMMA = re.compile(r"(?<=\d)(?:,\d+)+")


@dataclass(frozen=True, slots=True)
class Equality:
    """What is said to be equal to a name.

    Attributes:
        label: the first side, as written.
        start, end: the span of all sides in the document.
        sides: the others; one that goes on over several lines is one text.
        filled: whether matrices stand in one of its sides, which is left out.
    """

    label: str
    start: int
    end: int
    sides: tuple[Printed, ...]
    filled: bool = False


@dataclass(slots=True)
class _Line:
    """Sides, each as its stretches."""

    sides: list[list[tuple[int, int]]]
    filled: bool = False


def equalities(view: Mapped, text: str, spans: Sequence[MathSpan]) -> Iterator[Equality]:
    """The equations of what is no matrix itself.

    Args:
        view: the text, and the way back to the document.
        text: a copy of its text in which what is no mathematics is blanked.
    """
    for span in spans:
        if span.is_loose or not _RELATION.search(text, span.start, span.end):
            continue
        for line in _lines(text, span):
            label, *sides = line.sides
            if sides and label[-1][1] - label[0][0] <= MAX_LABEL:
                start, end = view.span(label[0][0], sides[-1][-1][1])
                said = " ".join(view.text[a:b] for a, b in label)
                printed = tuple(_read(view, side) for side in sides[:MAX_SIDES])
                yield Equality(said, start, end, printed, line.filled)


def _lines(text: str, span: MathSpan) -> Iterator[_Line]:
    matrices: list[Written] = []
    if text.find("\\begin", span.start, span.end) >= 0:
        matrices += [e for e in environments(text, span.start, span.end)[0] if e.is_matrix]
    line: _Line | None = None
    for chain in chains(text, span.start, span.end, matrices):
        first = chain.sides[0]
        if any(side.matrices or side.start < 0 for side in chain.sides):
            found, line = line, None
            bare = [[(s.start, s.end)] for s in chain.sides if not s.matrices and s.start >= 0]
            if len(bare) > 1 and bare[0][0][0] == first.start:
                yield _Line(bare, filled=True)
        elif line and _goes_on(text, line.sides[-1][-1][1], first):
            line.sides[-1].append((first.start, first.end))
            line.sides += [[(s.start, s.end)] for s in chain.sides[1:]]
            continue
        else:
            found, line = line, _Line([[(s.start, s.end)] for s in chain.sides])
        if found:
            yield found
    if line:
        yield line


def _goes_on(text: str, end: int, side: Side) -> bool:
    """Whether a row carries on the sum of the row before: it begins with a sign."""
    between = text[end : side.start]
    return text[side.start] in "+-" and "\\\\" in between and bool(_BREAK.fullmatch(between))


def _read(view: Mapped, side: list[tuple[int, int]]) -> Printed:
    (start, end) = side[0][0], side[-1][1]
    if len(side) == 1:
        comma = _COMMA.match(view.text, end)
        found = read(view, start, comma.end() if comma else end)
        about = _ABOUT.search(view.text, max(0, start - MAX_LABEL), start)
        return replace(found, approximate=True) if about else found
    said = " ".join(view.text[a:b] for a, b in side)
    return Printed(said, *view.span(start, end), "unreadable")
