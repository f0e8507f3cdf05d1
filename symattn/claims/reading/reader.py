"""The whole of it: a document in, its matrices, marked numbers, blocks and facts out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import NoReturn

from symattn.claims.reading import regions as cut
from symattn.claims.reading.commas import with_commas
from symattn.claims.reading.document import Document, Kind, checked, load
from symattn.claims.reading.equalities import Equality, equalities
from symattn.claims.reading.facts import Facts, Statement, facts_of
from symattn.claims.reading.html_text import page
from symattn.claims.reading.labels import named, named_by_marker
from symattn.claims.reading.latex_matrices import latex_matrices
from symattn.claims.reading.list_matrices import list_matrices, printed_names
from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.markers import Block, Marked
from symattn.claims.reading.marking import Marking, in_block, marking_of
from symattn.claims.reading.math_spans import MathSpan, math_spans
from symattn.claims.reading.matrix import PrintedMatrix
from symattn.claims.reading.notebook import texts_of
from symattn.claims.reading.regions import Region
from symattn.claims.reading.scan import blanked, delimited
from symattn.claims.reading.shown_steps import shown_steps
from symattn.claims.reading.tables import html_tables, pipe_tables
from symattn.claims.reading.urls import equations
from symattn.errors import DocumentError

#: Of a whole document; more is nobody's worked example, and would take minutes.
MAX_NUMBERS, MAX_MATRICES = 200_000, 10_000

_STANDING = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)")

#: What is counted in a text before it is read: the copy it is read from, a sign, how many.
LIMITS = (
    ("lists", "[", 200_000, "lists of numbers"),
    ("math", "{", 2_000_000, "equations and pipe tables"),
    ("math", "\\begin", 100_000, "equations and pipe tables"),
    ("math", "[", 400_000, "equations and pipe tables"),
    ("math", "|", 2_000_000, "equations and pipe tables"),
    ("markup_math", "<t", 500_000, "HTML tables"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the document that could not be read as it was meant."""

    line: int
    message: str


@dataclass(frozen=True)
class Reading:
    """What a document prints.

    Attributes:
        document: the text that all offsets count.
        matrices: every printed matrix, in order; operands of expressions among them.
        marked: single numbers with a ``symattn:`` comment.
        blocks: stretches between ``symattn:`` comments.
        facts: what it says of scale, mask and tokens.
        problems: comments and environments that make no sense.
        spec: the spec that a comment names, or "".
        named: matrices in which names of entries stand, and no numbers.
        equalities: equations of single numbers.
        blank: the addresses that a worksheet says it left blank.
    """

    document: Document
    matrices: tuple[PrintedMatrix, ...]
    marked: tuple[Marked, ...]
    blocks: tuple[Block, ...]
    facts: Facts
    problems: tuple[Problem, ...]
    spec: str = ""
    named: tuple[PrintedMatrix, ...] = ()
    equalities: tuple[Equality, ...] = ()
    blank: tuple[str, ...] = ()


def read(source: str | Path | Document, kind: Kind | None = None) -> Reading:
    r"""Read a document.

    Args:
        source: a path; or, with `kind`, a text; or a `Document`.
        kind: ``markdown``, ``latex``, ``html``, ``notebook`` or ``text``. A path's ending
            says it by itself; a `Path` is read from disk whether or not it is given.

    Raises:
        DocumentError: the file is missing, no text, too long, a malformed notebook, or holds more
            than 200,000 numbers or 10,000 matrices.

    >>> reading = read("$A_1 = \\begin{bmatrix} 0.35 & 0.65 \\end{bmatrix}$", "markdown")
    >>> [(m.name.step, m.name.index, [c.text for c in m.cells]) for m in reading.matrices]
    [('A', '1', ['0.35', '0.65'])]
    """
    if isinstance(source, Document):
        document = checked(source)
    elif isinstance(source, str) and kind is not None:
        document = checked(Document("", source, kind))
    else:
        document = load(source, kind)
    collected = _Collected(document)
    for region in _regions(document):
        collected.take(region)
    return collected.reading()


def _regions(document: Document) -> Iterator[Region]:
    view = Mapped.plain(document.text)
    if document.kind == "latex":
        yield cut.latex(view)
    elif document.kind == "html":
        yield page(view)
    elif document.kind == "notebook":
        readers = {
            "markdown": cut.markdown, "latex": cut.latex, "html": page, "code": cut.code,
        }  # fmt: skip
        for cell in texts_of(document):
            yield readers[cell.flavour](cell.text, cell.before, cell.alternatives)
    else:
        yield cut.markdown(view)


class _Collected:
    """Takes regions one by one."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.matrices: list[PrintedMatrix] = []
        self.markings: list[Marking] = []
        self.statements: list[Statement] = []
        self.problems: list[tuple[int, str]] = []
        self.unique = count(1)
        self.numbers = self._chains()
        self.standing = 0  # numbers that stand by themselves, in matrices or not
        self.seen = 0  # matrices
        self.read_alternative: int | None = None
        self.named: list[PrintedMatrix] = []
        self.equalities: list[Equality] = []

    def take(self, region: Region) -> None:
        if region.alternatives is not None and region.alternatives == self.read_alternative:
            return
        self.standing += sum(1 for _ in _STANDING.finditer(region.view.text))
        if self.standing > MAX_NUMBERS:
            self._refuse(MAX_NUMBERS, "numbers")
        whole, region = region, self._bounded(region)
        spans = _spans(region)
        found = self._equations(region, spans)
        named = [m for m in found if m.is_named]
        self.equalities += equalities(region.view, region.math, spans)
        markup = blanked(region.markup_math, delimited(region.markup_math, "<!--", "-->"))
        found += self._images(region, markup)
        found += self._counted(pipe_tables(region.view, region.math))
        found += self._counted(html_tables(region.markup, markup))
        before = region.before
        for segment in region.segments:
            if segment.kind != "math":
                found += self._counted(list_matrices(region, segment, before))
            if segment.kind == "code":
                before = region.view.text[segment.start : segment.end]
        steps, entries = shown_steps(region.view, region.lists)
        found += steps
        found = _outermost([m for m in found if not m.is_named])
        if found and region.alternatives is not None:
            self.read_alternative = region.alternatives
        found = _printed_by(region, found)
        found = [m if m.chain else replace(m, chain=next(self.unique)) for m in found]
        marking = marking_of(region, spans, found)
        marking.marked += entries
        self.markings.append(marking)
        self.matrices += [self._named(m) for m in marking.matrices]
        self.named += [self._named(in_block(m, marking.blocks)) for m in named]
        self.problems += marking.problems
        self.statements += facts_of(whole.view, whole.prose, whole.lists)

    def _counted(self, found: Iterator[PrintedMatrix]) -> Iterator[PrintedMatrix]:
        for matrix in found:
            self._count()
            yield matrix

    def _chains(self) -> Iterator[int]:
        """Numbers for the chains of equations that hold matrices, as many as there may be."""
        for number in self.unique:
            self._count()
            yield number

    def _count(self) -> None:
        self.seen += 1
        if self.seen > MAX_MATRICES:
            self._refuse(MAX_MATRICES, "matrices and equations of matrices")

    def _refuse(self, most: int, what: str) -> NoReturn:
        name = self.document.path or "the text"
        raise DocumentError(f"{name}: wanted a document with at most {most:,} {what}, got more")

    def _bounded(self, region: Region) -> Region:
        """The region without what is in it too often to be anybody's worked example."""
        for field, sign, limit, what in LIMITS:
            text = getattr(region, field)
            if text.count(sign) > limit:
                at = region.view.span(0, 1)[0]
                message = f"more than {limit:,} times {sign!r}: {what} are not read here"
                self.problems.append((at, message))
                empty = blanked(text, [(0, len(text))])
                if field == "lists":
                    region = replace(region, lists=empty)
                elif field == "math":
                    region = replace(region, math=empty)
                else:
                    region = replace(region, markup_math=empty)
        return region

    def _equations(self, region: Region, spans: list[MathSpan]) -> list[PrintedMatrix]:
        found, problems = latex_matrices(region.view, region.math, spans, self.numbers)
        self.problems += problems
        return found

    def _images(self, region: Region, markup: str) -> list[PrintedMatrix]:
        found: list[PrintedMatrix] = []
        for outer, view in equations(region.markup, markup):
            whole = MathSpan(0, len(view.text), (0, len(view.text)))
            matrices, _ = latex_matrices(view, view.text, [whole], self.numbers)
            start = region.markup.span(*outer)
            context = region.markup.text[max(0, outer[0] - 400) : outer[0]]
            found += [replace(m, outer=start, context=context) for m in matrices]
        return found

    def _named(self, matrix: PrintedMatrix) -> PrintedMatrix:
        if matrix.marker:
            return replace(matrix, name=named_by_marker(matrix.marker))
        if matrix.operand and not matrix.labels:
            return matrix
        return replace(matrix, name=named(matrix.labels, matrix.context))

    def reading(self) -> Reading:
        def line(at: int) -> int:
            return self.document.line_and_column(at)[0]

        matrices, equal = with_commas(self.matrices, self.equalities)
        return Reading(
            self.document,
            tuple(matrices),
            tuple(m for marking in self.markings for m in marking.marked),
            tuple(b for marking in self.markings for b in marking.blocks),
            Facts(tuple(sorted(self.statements, key=lambda s: s.start))),
            tuple(Problem(line(at), message) for at, message in sorted(self.problems)),
            next((m.spec for m in self.markings if m.spec), ""),
            tuple(self.named),
            tuple(equal),
            tuple(address for m in self.markings for address in m.blank),
        )


def _spans(region: Region) -> list[MathSpan]:
    """All mathematics of a region: that of its prose, and that of fences."""
    fences = [s for s in region.segments if s.kind == "math"]
    prose = blanked(region.math, [s.outer for s in fences]) if fences else region.math
    spans = [*math_spans(prose), *(MathSpan(s.start, s.end, s.outer) for s in fences)]
    return sorted(spans, key=lambda s: s.start)


def _printed_by(region: Region, matrices: list[PrintedMatrix]) -> list[PrintedMatrix]:
    """An output's equations and tables, named by the code that printed them."""
    unnamed = [m for m in matrices if not (m.labels or m.operand or m.notation == "list")]
    names = printed_names(region.before, len(unnamed))
    labels = dict(zip(map(id, unnamed), names, strict=False))
    return [replace(m, labels=(labels[id(m)],)) if labels.get(id(m)) else m for m in matrices]


def _outermost(matrices: list[PrintedMatrix]) -> list[PrintedMatrix]:
    """In order, without those that lie in another one: a list that an equation holds, too."""
    kept: list[PrintedMatrix] = []
    for matrix in sorted(matrices, key=lambda m: (m.start, -m.end)):
        if not kept or matrix.start >= kept[-1].end or _are_neighbours(matrix, kept[-1]):
            kept.append(matrix)
    return kept


def _are_neighbours(one: PrintedMatrix, other: PrintedMatrix) -> bool:
    """Whether two are columns of the same table, which interleave, and none is in the other."""
    return (one.notation == other.notation == "list" and bool(one.slice and other.slice)) or (
        "table" in one.notation and one.outer == other.outer
    )
