"""Others' outputs against ours: how far each entry lies from our certified value."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, ctx

import symattn as sa
from symattn.numbers.ball import Ball
from symattn.numbers.bounded import RunningError

BITS = 192


def distances(derivation: sa.Derivation, node: int, found: np.ndarray) -> list[float]:
    """The farthest that each entry of theirs can lie from the exact one, in order."""
    assert found.dtype == np.float64
    assert found.shape == derivation.graph.nodes[node].shape
    balls = derivation.running(Ball(BITS))[node].balls()
    with ctx.workprec(BITS):
        return [
            float(abs(arb(x) - b).upper())
            for x, b in zip(found.ravel().tolist(), balls, strict=True)
        ]


def largest_share(
    derivation: sa.Derivation,
    node: int,
    found: np.ndarray,
    dtype: Any = np.float64,
    limit: float = 1e-6,
) -> float:
    """The largest of these distances in running error bounds of our graph in a float type.

    Infinite where a bound is not below the limit: it would hold for anything.
    """
    bounds = derivation.running(RunningError(dtype))[node].bound.ravel().tolist()
    return max(
        a / b if 0 < b < limit else np.inf
        for a, b in zip(distances(derivation, node, found), bounds, strict=True)
    )


def stacked(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The weights of layers as those of a stack: the layers in front."""
    return {name: np.stack([p[name] for p in parts]) for name in parts[0]}
