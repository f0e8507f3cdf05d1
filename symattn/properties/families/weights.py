"""The weights A of attention: their rows, their range, the mask, the values they average."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from symattn.attention import scaled_dot_product_attention
from symattn.derivation import Derivation, derive
from symattn.literals import NEGATIVE_INFINITY
from symattn.numbers.normal_form import ZERO
from symattn.properties.checks import (
    causal,
    equal,
    is_positive,
    result,
    returned,
    symbols,
)
from symattn.properties.core import Family, Outcome, Size
from symattn.transformer import attention_head

FAMILY = Family(__name__)

EQ_1 = "Vaswani et al. (2017), eq. 1"


@cache
def head(size: Size, *, masked: bool = True) -> Derivation:
    """A head of symbols alone, with a causal mask or none."""
    n, d, d_k = size.n, size.d, size.d_k
    weights = {name: symbols(name, d, d_k) for name in ("W_Q", "W_K", "W_V")}
    mask = {"M": causal(n)} if masked else {}
    return derive(attention_head, E=symbols("E", n, d), **weights, **mask)


@FAMILY.stated(
    "Every row of $A$ adds to 1.", r"\sum_j A_{ij} = 1", source=EQ_1,
)  # fmt: skip
def rows(size: Size) -> Outcome:
    return equal([sum(row, start=ZERO) for row in head(size)["A"].forms], 1)


@FAMILY.stated(
    "Every entry of $A$ lies from 0 to 1.", r"0 \le A_{ij} \le 1", source=EQ_1,
)  # fmt: skip
def between(size: Size) -> Outcome:
    A = head(size)["A"].forms
    if all(is_positive(a) for a in A.flat if a.terms):
        found = rows(size)
        way = f"positive terms alone, and rows that add to 1: {found.method}"
        return Outcome(found.verdict, way, witness=found.witness)
    return Outcome("undecided", "a term is not plainly positive")


@FAMILY.stated(
    "Masked weights are exactly 0.", r"M_{ij} = -\infty \Rightarrow A_{ij} = 0",
    source="Vaswani et al. (2017), section 3.2.3",
)  # fmt: skip
def masked(size: Size) -> Outcome:
    d = head(size)
    hidden = [(i, j) for i, j in np.ndindex(size.n, size.n) if j > i]
    A, M = d["A"], d.inputs["M"]
    assert all(M[place] == NEGATIVE_INFINITY for place in hidden)
    return equal([A[place] for place in hidden], 0)


@FAMILY.stated(
    "Unmasked weights are never 0: attending to a token is a matter of degree.",
    r"M_{ij} = 0 \Rightarrow A_{ij} > 0", source=EQ_1,
)  # fmt: skip
def unmasked(size: Size) -> Outcome:
    A = head(size)["A"].forms
    if all(is_positive(A[i, j]) for i in range(size.n) for j in range(i + 1)):
        return Outcome("proven", "positive terms alone: exponentials over sums of such")
    return Outcome("undecided", "a term is not plainly positive")


@FAMILY.stated(
    "The first token of a causal head hands on its own value.", r"O_0 = V_0",
    source="Vaswani et al. (2017), section 3.2.3",
)  # fmt: skip
def first(size: Size) -> Outcome:
    d = head(size)
    return equal(list(d["O"][0]), list(d["V"][0]))


def _of_values(size: Size, function: Any, **more: Any) -> Any:
    n, d_k = size.n, size.d_k
    given = {name: symbols(name, n, d_k) for name in ("Q", "K", "V")}
    return returned(function, **given, **more)


@FAMILY.stated(
    "What is added to every value is added to every output: outputs are averages.",
    r"\mathrm{Attention}(Q, K, V + \mathbf{1} c^\top) = O + \mathbf{1} c^\top", source=EQ_1,
)  # fmt: skip
def average(size: Size) -> Outcome:
    def moved(Q: Any, K: Any, V: Any, c: Any) -> Any:
        return scaled_dot_product_attention(Q, K, V + c)

    def after(Q: Any, K: Any, V: Any, c: Any) -> Any:
        return scaled_dot_product_attention(Q, K, V) + c

    c = symbols("c", size.d_k)
    return equal(_of_values(size, moved, c=c), _of_values(size, after, c=c))


@FAMILY.stated(
    "A vector added to every key changes nothing: a bias of the keys has no effect.",
    r"\mathrm{Attention}(Q, K + \mathbf{1} c^\top, V) = \mathrm{Attention}(Q, K, V)",
    source="softmax's shift invariance; Goodfellow, Bengio, Courville (2016), eq. 6.33",
)  # fmt: skip
def key_bias(size: Size) -> Outcome:
    def moved(Q: Any, K: Any, V: Any, c: Any) -> Any:
        return scaled_dot_product_attention(Q, K + c, V)

    c = symbols("c", size.d_k)
    return equal(_of_values(size, moved, c=c), _of_values(size, scaled_dot_product_attention))


@FAMILY.stated(
    "Queries of zeros average the values evenly.",
    r"Q = 0 \Rightarrow O_i = \tfrac{1}{n} \sum_j V_j",
    source=EQ_1,
)  # fmt: skip
def even(size: Size) -> Outcome:
    n, d_k = size.n, size.d_k
    K, V = symbols("K", n, d_k), symbols("V", n, d_k)

    def mean(V: Any) -> Any:
        return np.mean(V, axis=0)

    O = result(derive(scaled_dot_product_attention, Q=np.zeros((n, d_k), int), K=K, V=V))
    return equal(O, returned(mean, V=V))
