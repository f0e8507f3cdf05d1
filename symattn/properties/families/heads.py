"""Several heads: their concatenation as a sum, one head alone, parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symattn.attention import grouped_query_attention, multi_head, scaled_dot_product_attention
from symattn.config import OF_ATTENTION
from symattn.numbers.normal_form import ONE, ZERO, Kernel, Sum, constant, inverse, of
from symattn.properties.checks import equal, returned, symbols
from symattn.properties.core import Family, Outcome, Size
from symattn.transformer import attention

FAMILY = Family(__name__)

SECTION = "Vaswani et al. (2017), section 3.2.2"


def several(size: Size) -> tuple[int, int]:
    """At least two heads, and their d_k."""
    h = max(size.h, 2)
    return h, max(1, size.d // h)


def weights(size: Size, h: int, d_k: int) -> dict[str, Any]:
    """The weights of h heads, of symbols."""
    return {
        **{name: symbols(name, h, size.d, d_k) for name in ("W_Q", "W_K", "W_V")},
        "W_O": symbols("W_O", h * d_k, size.d),
    }


@FAMILY.stated(
    "Heads side by side, times $W_O$, are the sum over heads of $A_i V_i W_{O,i}$.",
    r"\mathrm{Concat}(O_0, \ldots, O_{h-1}) W_O = \sum_i A_i V_i W_{O,i}", source=SECTION,
)  # fmt: skip
def concatenation(size: Size) -> Outcome:
    return sum_of_heads(size, lambda i: i)


def sum_of_heads(size: Size, block: Any) -> Outcome:
    """Whether the concatenation is the sum over heads, with the rows `block(i)` of W_O."""
    h, d_k = several(size)
    at = [block(i) for i in range(h)]

    def summed(x: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any) -> Any:
        parts = [
            attention(x @ W_Q[i], x @ W_K[i], x @ W_V[i]) @ W_O[at[i] * d_k : (at[i] + 1) * d_k]
            for i in range(h)
        ]
        return np.sum(np.stack(parts), axis=0)

    given = {"x": symbols("E", size.n, size.d), **weights(size, h, d_k)}
    found = equal(returned(multi_head, **given), returned(summed, **given))
    return Outcome(found.verdict, found.method, f"n = {size.n}, d = {size.d}, h = {h}",
                   found.witness)  # fmt: skip


@FAMILY.stated(
    "One head with $W_O = I$ is plain attention.",
    r"h = 1, W_O = I \Rightarrow \mathrm{MultiHead}(E) = \mathrm{Attention}(E W_Q, E W_K, E W_V)",
    source=SECTION,
)  # fmt: skip
def one(size: Size) -> Outcome:
    return one_head(size, np.eye(size.d, dtype=int))


def one_head(size: Size, W_O: Any) -> Outcome:
    """Whether multi-head attention of one head is attention."""

    def plain(x: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
        return attention(x @ W_Q[0], x @ W_K[0], x @ W_V[0])

    given = {"x": symbols("E", size.n, size.d), **weights(size, 1, size.d)}
    del given["W_O"]
    found = equal(returned(multi_head, W_O=W_O, **given), returned(plain, **given))
    return Outcome(found.verdict, found.method, f"n = {size.n}, d = {size.d}, h = 1", found.witness)


def counted(axes: Mapping[str, tuple[str, ...]], sizes: Mapping[str, Sum]) -> Sum:
    """How many entries matrices have, as a polynomial in their sizes."""
    total = ZERO
    for names in axes.values():
        product = ONE
        for name in names:
            for part in name.split("*"):
                product = product * sizes.get(part, of(Kernel("symbol", part)))
        total = total + product
    return total


@FAMILY.stated(
    "With $d_k = d_v = d/h$ the number of parameters does not depend on $h$.",
    r"h \cdot 3 d \cdot \tfrac{d}{h} + h \tfrac{d}{h} \cdot d = 4 d^2", source=SECTION,
)  # fmt: skip
def parameters(size: Size) -> Outcome:
    d, h = (of(Kernel("symbol", name)) for name in ("d_model", "h"))
    return parameter_count(d * inverse(h))


def parameter_count(d_k: Sum) -> Outcome:
    """Whether W_Q, W_K, W_V and W_O of h heads with this d_k have 4 d² entries."""
    d, h = (of(Kernel("symbol", name)) for name in ("d_model", "h"))
    axes = {name: OF_ATTENTION[name] for name in ("W_Q", "W_K", "W_V", "W_O")}
    count = counted(axes, {"d_k": d_k, "d_v": d_k, "h_kv": h})
    found = equal([count], [constant(4) * d * d])
    return Outcome(found.verdict, f"axes of the weights multiplied out: {found.method}",
                   "every d and h", found.witness)  # fmt: skip


@FAMILY.stated(
    "Grouped heads are full heads whose keys and values are repeated.",
    r"\mathrm{GQA}(Q, K, V) = \mathrm{MHA}(Q, \mathrm{repeat}(K), \mathrm{repeat}(V))",
    source="Ainslie et al., GQA (2023), section 2.2",
)  # fmt: skip
def grouped(size: Size) -> Outcome:
    def repeated(Q: Any, K: Any, V: Any) -> Any:
        return np.stack(
            [scaled_dot_product_attention(Q[i], K[i // 2], V[i // 2]) for i in range(4)]
        )

    n, d_k = size.n, size.d_k
    given = {
        "Q": symbols("Q", 4, n, d_k),
        "K": symbols("K", 2, n, d_k),
        "V": symbols("V", 2, n, d_k),
    }
    found = equal(returned(grouped_query_attention, **given), returned(repeated, **given))
    return Outcome(found.verdict, found.method, f"h = 4, h_kv = 2, n = {n}, d_k = {d_k}",
                   found.witness)  # fmt: skip
