"""Inputs: seeded decimals of two digits, exact, which each side turns into its own type."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from random import Random
from typing import Any

import numpy as np

#: An object array of Fractions.
Array = Any


def decimals(random: Random, rows: int, columns: int) -> Array:
    """Decimals between -0.99 and 0.99, rows × columns."""
    out = np.empty((rows, columns), dtype=object)
    for index in np.ndindex(out.shape):
        out[index] = Fraction(random.randint(-99, 99), 100)
    return out


def scores_and_values(seed: int, n: int, d: int) -> tuple[Array, Array]:
    """Z = QKᵀ/√d, n × n and rational (d is a square), and V, n × d."""
    random = Random(seed)
    Q, K, V = (decimals(random, n, d) for _ in "QKV")
    return Q @ K.T / Fraction(isqrt(d)), V


def head(seed: int, n: int, d: int) -> dict[str, Array]:
    """The inputs of an attention head: E, n × d, and three weights, d × d."""
    random = Random(seed)
    weights = {name: decimals(random, d, d) for name in ("W_Q", "W_K", "W_V")}
    return {"E": decimals(random, n, d), **weights}
