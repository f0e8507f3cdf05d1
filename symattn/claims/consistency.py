"""Tests of printed numbers that need no inputs: what holds of weights and outputs anyway."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symattn.claims.judge import digits_of
from symattn.claims.reading import Printed, PrintedMatrix, Reading
from symattn.claims.rivals import distinct
from symattn.rounding import roughly


@dataclass(frozen=True)
class Inconsistent:
    """Printed numbers that cannot all be right, whatever the inputs were."""

    start: int
    what: str
    why: str


def inconsistent(reading: Reading, judged: set[int], is_one: bool = True) -> list[Inconsistent]:
    """Look at every matrix whose numbers are not judged one by one.

    Args:
        judged: ids of those that are.
        is_one: whether they are of one example; else neither the mask nor V is known of them.
    """
    found: list[Inconsistent] = []
    matrices = [m for m in reading.matrices if not m.operand and m.block is None]
    of_values = [m for m in matrices if m.name.step == "V" and not m.name.index]
    values = of_values[0] if is_one and len(distinct(of_values)) == 1 else None
    mask = reading.facts.mask if is_one and not reading.facts.disagree("mask") else None
    for m in matrices:
        if id(m) in judged or not m.is_regular or not all(_is_plain(c) for c in m.cells):
            continue
        if m.name.step == "A":
            found += _weights(m, mask)
        elif m.name.step == "S" and is_one and _same_weights(matrices):
            found += _symmetry(m)
        elif m.name.step == "O" and values is not None:
            found += _hull(m, values)
    return found


def _is_plain(cell: Printed) -> bool:
    return isinstance(cell.value, Fraction)


def _value(cell: Printed) -> Fraction:
    assert isinstance(cell.value, Fraction)  # see `_is_plain`
    return cell.value


def _half(cell: Printed, m: PrintedMatrix) -> Fraction:
    """How far the exact value may be from a rounding of it.

    A 0 or 1 without decimals counts as rounded like the others in its matrix.
    """
    if cell.kind not in ("decimal", "integer"):
        return Fraction(0)
    digits = digits_of(cell)
    if cell.kind == "integer":
        digits = max(map(digits_of, m.cells))
    return Fraction(10) ** -digits / 2


def _weights(m: PrintedMatrix, mask: str | None) -> Iterator[Inconsistent]:
    """Weights lie in [0, 1], rows sum to 1, and what is hidden is 0.

    Where tokens are columns, softmax runs down them: then it is the columns that sum to 1.
    """
    turned = len(m.rows) > 1 and all(
        _sums_to_one(column, m) for column in zip(*m.rows, strict=True)
    )
    for i, row in enumerate(m.rows):
        for cell in row:
            half = _half(cell, m)
            if not -half <= _value(cell) <= 1 + half:
                yield Inconsistent(cell.start, cell.text, "a weight lies between 0 and 1")
        total, room = _sum(row, m)
        if not turned and len(row) > 1 and abs(total - 1) > room:
            yield Inconsistent(
                row[0].start,
                f"a row that sums to {roughly(total)}",
                f"weights sum to 1, within {roughly(room)} by their rounding",
            )
        if mask == "causal" and not turned and not m.name.index and len(m.rows) == len(row):
            for cell in row[i + 1 :]:
                if _value(cell) != 0:
                    yield Inconsistent(cell.start, cell.text, "the causal mask makes it 0")


def _sum(cells: Sequence[Printed], m: PrintedMatrix) -> tuple[Fraction, Fraction]:
    """What they sum to, and how far from it their exact values may be."""
    room = sum((_half(cell, m) for cell in cells), Fraction(0))
    return sum(map(_value, cells), Fraction(0)), room


def _sums_to_one(cells: Sequence[Printed], m: PrintedMatrix) -> bool:
    total, room = _sum(cells, m)
    return abs(total - 1) <= room


def _same_weights(matrices: list[PrintedMatrix]) -> bool:
    found = {m.name.step: m for m in matrices if m.name.step in ("W_Q", "W_K", "Q", "K")}
    for first, second in (("Q", "K"), ("W_Q", "W_K")):
        if first in found and second in found:
            values = [[c.value for c in found[name].cells] for name in (first, second)]
            return values[0] == values[1]
    return False


def _symmetry(m: PrintedMatrix) -> Iterator[Inconsistent]:
    if len(m.rows) != len(m.rows[0]):
        return
    for i, row in enumerate(m.rows):
        for j in range(i):
            cell, other = row[j], m.rows[j][i]
            if abs(_value(cell) - _value(other)) > _half(cell, m) + _half(other, m):
                why = f"with equal queries and keys it equals {other.text}, across the diagonal"
                yield Inconsistent(cell.start, cell.text, why)


def _hull(m: PrintedMatrix, values: PrintedMatrix) -> Iterator[Inconsistent]:
    """An output is an average of the rows of V, so no column of it leaves theirs."""
    if not values.is_regular or not all(_is_plain(c) for c in values.cells):
        return
    if len(m.rows[0]) != len(values.rows[0]):
        return
    for row in m.rows:
        for j, cell in enumerate(row):
            column = [r[j] for r in values.rows]
            low, high = min(map(_value, column)), max(map(_value, column))
            half = _half(cell, m)
            if not low - half <= _value(cell) <= high + half:
                why = f"column {j} of V lies between {roughly(low)} and {roughly(high)}"
                yield Inconsistent(cell.start, cell.text, why)
