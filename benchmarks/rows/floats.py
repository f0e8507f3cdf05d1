"""The check of NumPy's floats, beside NumPy itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import symattn as sa
from benchmarks import inputs
from benchmarks.measure import Pairs
from benchmarks.row import OURS, Case, Mismatch, Side, Target
from symattn.transformer import attention_head
from symattn.verify import verify

CALLS = 20
ALL_TYPES = "symattn, four float types"


def _build(seed: int, quick: bool) -> Case:
    """`verify` of a derivation that has found no value yet, against the model on floats.

    symattn: every step derived, enclosed, and float64 compared with it; all four float
    types as well, for reading. NumPy: the same function called on float64 arrays, the
    mean of twenty calls.
    """
    given = inputs.head(seed, *((6, 4) if quick else (128, 64)))
    d, again = (sa.derive(attention_head, **given) for _ in range(2))
    floats = {k: x.astype(np.float64) for k, x in given.items()}

    def numpy() -> None:
        for _ in range(CALLS):
            attention_head(**floats)

    sides = {
        OURS: Side(lambda: verify(d, types=("float64",))),
        ALL_TYPES: Side(again.verify),
        "NumPy": Side(numpy, scale=1 / CALLS),
    }
    return Case(sides, _agrees)


def _agrees(results: Mapping[str, Any]) -> list[str]:
    for side in (OURS, ALL_TYPES):
        if not results[side].agrees:
            raise Mismatch(str(results[side].disagreements))
    return []


ROWS = (
    Pairs(
        "verify",
        "`verify` (float64 against enclosures), n = 128, d = 64",
        _build,
        (
            Target("NumPy", 150, faster=False),
            Target("NumPy", None, faster=False, ours=ALL_TYPES),
        ),
    ),
)
