"""Matrices in mathematics: each environment or list, with the chain that it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from symattn.claims.reading.cells import read
from symattn.claims.reading.environments import RULED, Environment, environments, rows
from symattn.claims.reading.equations import PLACE, Chain, Written, alone, bare, chains
from symattn.claims.reading.grid import Grid, is_dots, labelled
from symattn.claims.reading.list_matrices import matrices_of
from symattn.claims.reading.lists import flattened_math, lists
from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.math_spans import MathSpan
from symattn.claims.reading.matrix import PrintedMatrix, context_of, has_numbers
from symattn.claims.reading.scan import outside
from symattn.claims.reading.translate import divisor_text

_MAYBE = re.compile(r"\[[\s\d.+−-]|\\begin")
MAX_LABELS = 20  # sides of a chain that are kept as labels
_COLUMNS = re.compile(r"^\s*\{(?:[lcr|\s]{1,20}|\d{1,2})\}")
_RELATION = re.compile(r"[\s&]*(?:=|\\approx)")
TEXT_TABLES = ("tabular", "tabular*", "tabularx")


def latex_matrices(
    view: Mapped, text: str, spans: list[MathSpan], numbers: Iterator[int]
) -> tuple[list[PrintedMatrix], list[tuple[int, str]]]:
    """The matrices of all mathematics in a text.

    Args:
        view: the text, and the way back to the document.
        text: a copy of its text in which what is no mathematics is blanked.
        spans: where the mathematics stands.
        numbers: where the numbers of chains are taken from.

    Returns:
        The matrices, and what is wrong: a place in the document and a message.
    """
    found: list[PrintedMatrix] = []
    problems: list[tuple[int, str]] = []
    flat = flattened_math(text)
    before: Chain | None = None  # the last chain of the stretch before, its end and number
    end, number = 0, 0
    previous: MathSpan | None = None
    for span in spans:
        written, unclosed = _written(view, text, flat, span)
        if not written and not unclosed:
            previous, before = span, None
            continue
        if previous is not None and _RELATION.match(text, span.start, span.end):
            earlier = list(chains(text, previous.start, previous.end, ()))
            before = earlier[-1] if earlier else None
            number, end = next(numbers), previous.outer[1]
        previous = None
        for env in unclosed[:20]:
            at = view.span(env.start, env.start + 1)[0]
            problems.append((at, f"\\begin{{{env.name}}} is never closed"))
        if before is not None and text[end : span.outer[0]].strip():
            before = None
        old = set(map(id, before.sides)) if before else set()
        carried, last = before, None
        for chain in chains(text, span.start, span.end, written, before):
            number = number if chain is carried else next(numbers)
            found += _of_chain(view, span, chain, number, old)
            last = chain
        before, end = last, span.outer[1]
    return found, problems


def _written(
    view: Mapped, text: str, flat: str, span: MathSpan
) -> tuple[list[Written], list[Environment]]:
    """What stands in a stretch: the innermost matrices, and lists outside of these."""
    if not _MAYBE.search(text, span.start, span.end):
        return [], []
    closed, unclosed = environments(text, span.start, span.end)
    found: list[Written] = [env for env in closed if env.is_matrix]
    if not span.is_loose:
        taken = [(env.start, env.end) for env in found]
        for start, end in list(outside(span.start, span.end, taken)):
            found += lists(view, flat, start, end)
    found.sort(key=lambda w: w.start)
    return found, unclosed


def _of_chain(
    view: Mapped, span: MathSpan, chain: Chain, number: int, old: set[int]
) -> Iterator[PrintedMatrix]:
    """The matrices of a chain, except on sides that were read before."""
    if not any(side.matrices for side in chain.sides):
        return
    values = [alone(side) for side in chain.sides]
    labels = [
        _tidy(side.text)
        for side, (is_value, _) in zip(chain.sides, values, strict=True)
        if not is_value
    ][:MAX_LABELS]
    for side, (is_value, factor) in zip(chain.sides, values, strict=True):
        if id(side) in old:
            continue
        said = (divisor_text(factor) or "") if factor else ""
        is_operand = not is_value or (bool(factor) and not said)
        brace = underbrace(side.text)
        own = tuple(label for label in [brace, *labels] if label)
        for written in side.matrices:
            if isinstance(written, Environment) and written.name in TEXT_TABLES:
                own, is_operand, said = (), False, ""
            yield from _matrix(
                view, span, written, () if is_operand and not brace else own, number,
                is_operand, bare(side.text) if is_operand or said else "", said,
            )  # fmt: skip


def _matrix(
    view: Mapped, span: MathSpan, written: Written, labels: tuple[str, ...], number: int,
    operand: bool, expression: str, factor: str,
) -> Iterator[PrintedMatrix]:  # fmt: skip
    context = context_of(view, span.outer[0])
    outer = view.span(*span.outer)
    if not isinstance(written, Environment):
        if written.depth == 1 and (operand or not labels):
            return  # an interval, an index: no matrix
        for matrix in matrices_of(view, written, outer, labels, expression if operand else ""):
            yield replace(matrix, chain=number, factor=factor, context=context)
        return
    cells = [[read(view, *cell) for cell in row] for row in rows(view.text, written)]
    cells = [row for row in cells if row]
    is_named = not has_numbers(cells)
    if not cells or (is_named and not any(cell.is_named for row in cells for cell in row)):
        return
    elided = any(is_dots(cell) for row in cells for cell in row)
    ruled = written.name in RULED and (written.name != "matrix" or "|" in written.spec)
    barred = re.match(r"\{\s*[lcr]\s*\|", written.spec) is not None
    grid = labelled(cells, barred=barred) if ruled else Grid(tuple(map(tuple, cells)))
    if written.name in TEXT_TABLES and not _is_numeric(grid):
        return  # a table of anything else
    if grid.corner and not labels:
        labels = (grid.corner,)
    yield PrintedMatrix(
        grid.rows, 2, *view.span(written.start, written.end), outer, "latex", labels,
        chain=number, operand=operand, expression=expression, factor=factor,
        row_labels=grid.row_labels, column_labels=grid.column_labels, elided=elided,
        context=context, is_named=is_named,
    )  # fmt: skip


def _is_numeric(grid: Grid) -> bool:
    """Whether numbers stand in every row and in every column."""
    lines = [*grid.rows, *zip(*grid.rows, strict=False)]
    return all(any(cell.is_number for cell in line) for line in lines)


_UNDERBRACE = re.compile(
    r"\\(?:under|over)brace\s*\{[^{}]*" + PLACE + r"[^{}]*\}\s*[_^]\s*\{(.{1,200})\}"
)


def underbrace(text: str) -> str:
    r"""What stands under the brace of ``\underbrace{□}_{W_Q}``."""
    match = _UNDERBRACE.search(text[:600])
    return _tidy(match[1]) if match else ""


def _tidy(text: str) -> str:
    text = _COLUMNS.sub("", text.replace("&", " "))
    return " ".join(text.split()).strip(" .,;:")
