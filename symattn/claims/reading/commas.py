"""Whether the commas of a document stand before decimals: 1,250 beside 0,25 is no thousand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from symattn.claims.reading.cells import Printed, has_comma, has_point, with_comma
from symattn.claims.reading.equalities import Equality
from symattn.claims.reading.matrix import PrintedMatrix


def has_decimal_commas(cells: Iterable[Printed]) -> bool:
    """Whether some decimals have a comma, and none a point."""
    known = list(cells)
    return any(map(has_comma, known)) and not any(map(has_point, known))


def with_commas(
    matrices: Sequence[PrintedMatrix], equalities: Sequence[Equality]
) -> tuple[list[PrintedMatrix], list[Equality]]:
    """Numbers that may be thousands read as decimals, where the others of the document say so.

    What a matrix says of itself goes before what the whole document says.
    """
    everything = chain(
        (c for m in matrices for c in m.cells), (c for e in equalities for c in e.sides)
    )
    document = has_decimal_commas(everything)

    def read(m: PrintedMatrix) -> PrintedMatrix:
        if not (document or has_decimal_commas(m.cells)):
            return m
        return replace(m, rows=tuple(tuple(map(with_comma, row)) for row in m.rows))

    sides = with_comma if document else lambda c: c
    return (
        [read(m) for m in matrices],
        [replace(e, sides=tuple(map(sides, e.sides))) for e in equalities],
    )
