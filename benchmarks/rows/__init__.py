"""Every row, in the order of the table."""

from __future__ import annotations

from benchmarks.row import Row
from benchmarks.rows import (
    article,
    calculus,
    checking,
    digits,
    floats,
    processes,
    proving,
    scaling,
    scores,
    softmax,
    typesetting,
)

ROWS: tuple[Row, ...] = (
    *processes.ROWS,
    *article.ROWS,
    *softmax.ROWS,
    *scores.ROWS,
    *typesetting.ROWS,
    *digits.ROWS,
    *floats.ROWS,
    *checking.ROWS,
    *proving.ROWS,
    *calculus.ROWS,
    *scaling.ROWS,
)
