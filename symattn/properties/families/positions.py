"""Positions: which differences scores can see."""

from __future__ import annotations

from typing import Any

import numpy as np

from symattn.functions import rotated, softmax
from symattn.properties.checks import causal, equal, returned, symbols
from symattn.properties.core import Family, Outcome, Size

FAMILY = Family(__name__)

SU = "Su et al., RoFormer (2021), section 3.2.2, eq. 11"

#: How the theorem that is put in is said.
SUMS = "sin and cos of a sum put in"


def even(size: Size) -> int:
    """A d_k with pairs to turn; four features tell the two pairings apart."""
    return max(4, size.d_k + size.d_k % 2)


def rope(size: Size, of_query: str, of_key: str, *, turned: bool = True) -> Outcome:
    """Whether a score of a query turned by b + δ and a key by b is that for δ and 0.

    b and δ are symbols, of each pair its own: positions and base may be any.

    Args:
        of_query, of_key: their pairings.
        turned: whether the query is turned by its whole angle, or by δ alone.
    """
    d_k = even(size)

    def both(q: Any, k: Any, b: Any, delta: Any) -> Any:
        cos, sin = np.cos(b), np.sin(b)
        C, S = np.cos(delta), np.sin(delta)
        cos_q = cos * C - sin * S if turned else C
        sin_q = sin * C + cos * S if turned else S
        query = rotated(q, cos_q, sin_q, pairing=of_query)
        key = rotated(k, cos, sin, pairing=of_key)
        return query @ key.T

    def difference(q: Any, k: Any, delta: Any) -> Any:
        query = rotated(q, np.cos(delta), np.sin(delta), pairing=of_query)
        return query @ k.T

    delta = symbols("delta", 1, d_k // 2)
    given = {"q": symbols("q", 1, d_k), "k": symbols("k", 1, d_k), "delta": delta}
    left = returned(both, b=symbols("b", 1, d_k // 2), **given)
    found = equal(left, returned(difference, **given))
    return Outcome(found.verdict, f"{SUMS}, cos² as 1 - sin²: {found.method}",
                   f"d_k = {d_k}, every position and base", found.witness)  # fmt: skip


@FAMILY.stated(
    "With RoPE a score depends on the difference of positions only: features paired as $2i, 2i+1$.",
    r"\langle R_m q, R_k k \rangle = \langle R_{m-k} q, k \rangle", source=SU,
)  # fmt: skip
def rope_interleaved(size: Size) -> Outcome:
    return rope(size, "interleaved", "interleaved")


@FAMILY.stated(
    "The same for features paired as $i, i + d_k/2$.",
    r"\langle R_m q, R_k k \rangle = \langle R_{m-k} q, k \rangle", source=SU,
)  # fmt: skip
def rope_half(size: Size) -> Outcome:
    return rope(size, "half", "half")


@FAMILY.stated(
    "The dot product of two sinusoidal positions depends on their difference only.",
    r"\mathrm{PE}_m \cdot \mathrm{PE}_k = \sum_i \cos((m - k) \omega_i)",
    source="Vaswani et al. (2017), section 3.5",
)  # fmt: skip
def sinusoidal(size: Size) -> Outcome:
    def product(b: Any, delta: Any) -> Any:
        sin = np.sin(b) * np.cos(delta) + np.cos(b) * np.sin(delta)
        cos = np.cos(b) * np.cos(delta) - np.sin(b) * np.sin(delta)
        return np.sum(sin * np.sin(b) + cos * np.cos(b))

    def cosines(b: Any, delta: Any) -> Any:
        return np.sum(np.cos(delta))

    pairs = (size.d + 1) // 2
    given = {"b": symbols("b", pairs), "delta": symbols("delta", pairs)}
    found = equal(returned(product, **given), returned(cosines, **given))
    return Outcome(found.verdict, f"{SUMS}, cos² as 1 - sin²: {found.method}",
                   f"d = {2 * pairs}, every position", found.witness)  # fmt: skip


@FAMILY.stated(
    "Under a causal mask ALiBi is a bias that grows with the key's position alone.",
    r"\mathrm{softmax}(Z - m(i - j) + M) = \mathrm{softmax}(Z + mj + M)",
    source="Press, Smith, Lewis, Train Short, Test Long (2022), section 3",
)  # fmt: skip
def alibi(size: Size) -> Outcome:
    return alibi_as(size, masked=True)


def alibi_as(size: Size, *, masked: bool) -> Outcome:
    """Whether -m|i - j| and m·j bias a softmax alike, with a causal mask or without."""
    n = size.n

    def distances(Z: Any, M: Any, m: Any) -> Any:
        i, j = np.arange(n)[:, None], np.arange(n)
        return softmax(Z - m * np.abs(i - j) + M)

    def places(Z: Any, M: Any, m: Any) -> Any:
        return softmax(Z + m * np.arange(n) + M)

    M = causal(n) if masked else np.zeros((n, n), int)
    given = {"Z": symbols("Z", n, n), "M": M, "m": symbols("m")}
    return equal(returned(distances, **given), returned(places, **given))
