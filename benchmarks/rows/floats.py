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

CALLS = 20


def _build(seed: int, quick: bool) -> Case:
    """`verify()` of a derivation that has found no value yet, against the model on floats.

    symattn: every step derived, enclosed, and compared with each float type. NumPy: the
    same function called on float64 arrays, the mean of twenty calls.
    """
    given = inputs.head(seed, *((6, 4) if quick else (128, 64)))
    d = sa.derive(attention_head, **given)
    floats = {k: x.astype(np.float64) for k, x in given.items()}

    def numpy() -> None:
        for _ in range(CALLS):
            attention_head(**floats)

    return Case({OURS: Side(d.verify), "NumPy": Side(numpy, scale=1 / CALLS)}, _agrees)


def _agrees(results: Mapping[str, Any]) -> list[str]:
    if not results[OURS].agrees:
        raise Mismatch(str(results[OURS].disagreements))
    return []


ROWS = (
    Pairs(
        "verify",
        "`verify` (floats against enclosures), n = 128, d = 64",
        _build,
        (Target("NumPy", 150, faster=False),),
    ),
)
