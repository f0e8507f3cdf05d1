"""Who attends to whom: not mutual, and when scores are symmetric."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from symattn.comparison import compare
from symattn.derivation import derive
from symattn.properties.checks import equal, every, result, returned, symbols
from symattn.properties.core import Family, Outcome, Size
from symattn.transformer import attention_head

FAMILY = Family(__name__)

EQ_1 = "Vaswani et al. (2017), eq. 1"


def mutual(W_K: Any) -> Outcome:
    """Whether A is symmetric for the article's embeddings, W_Q = W_V = I and this W_K."""
    E, I = [[1, 0], ["1/5", 1], ["4/5", 0]], [[1, 0], [0, 1]]
    A = derive(attention_head, E=E, W_Q=I, W_K=W_K, W_V=I)["A"]
    for i, j in combinations(range(len(A)), 2):
        found = compare(A[i, j], A[j, i])
        if found.verdict in ("less", "greater"):
            shown = " against ".join(
                f"A[{a},{b}] ≈ {A[a, b].decimal(2)}" for a, b in ((i, j), (j, i))
            )
            return Outcome("refuted", f"counterexample; {found.why}", "n = 3, d = 2, h = 1", shown)
    return Outcome("undecided", "no two weights were found that differ")


@FAMILY.stated(
    "Attention is mutual: token $i$ gives $j$ what $j$ gives $i$.", r"A_{ij} = A_{ji}",
    source=EQ_1, claimed=False,
)  # fmt: skip
def weights(size: Size) -> Outcome:
    # Even with equal projections, W_Q = W_K, where S is symmetric.
    return mutual([[1, 0], [0, 1]])


def _scores(E: Any, W_Q: Any, W_K: Any) -> Any:
    return (E @ W_Q) @ (E @ W_K).T


def _given(size: Size, E: Any) -> dict[str, Any]:
    return {"E": E, **{name: symbols(name, size.d, size.d_k) for name in ("W_Q", "W_K")}}


@FAMILY.stated(
    "Scores are symmetric for every $E$ exactly when $W_Q W_K^\\top$ is.",
    r"(\forall E : S = S^\top) \iff W_Q W_K^\top = (W_Q W_K^\top)^\top", source=EQ_1,
)  # fmt: skip
def scores(size: Size) -> Outcome:
    return every([if_symmetric(size), *only_if(size)])


def if_symmetric(size: Size, symmetric: bool = True) -> Outcome:
    """That a symmetric B = W_Q W_Kᵀ makes S = E B Eᵀ symmetric, whatever E."""

    def through(E: Any, B: Any) -> Any:
        return E @ B @ E.T

    def product(E: Any, W_Q: Any, W_K: Any) -> Any:
        return E @ (W_Q @ W_K.T) @ E.T

    E, B = symbols("E", size.n, size.d), symbols("B", size.d, size.d)
    if symmetric:
        lower = np.tril_indices(size.d, -1)
        B[lower] = B.T[lower]
    given = _given(size, E)
    form = equal(returned(_scores, **given), returned(product, **given))
    S = returned(through, E=E, B=B)
    return every([form, equal(S.forms, S.forms.T)])


def only_if(size: Size) -> list[Outcome]:
    """For rows e_a and e_b of E, S[0,1] - S[1,0] is B[a,b] - B[b,a]: both vanish together."""

    def difference(E: Any, W_Q: Any, W_K: Any) -> Any:
        S = _scores(E, W_Q, W_K)
        return S - S.T

    def of_product(W_Q: Any, W_K: Any) -> Any:
        B = W_Q @ W_K.T
        return B - B.T

    found = []
    for a, b in combinations(range(size.d), 2):
        E = np.zeros((size.n, size.d), dtype=int)
        E[0, a] = E[1, b] = 1
        given = _given(size, E)
        left = returned(difference, **given)
        del given["E"]
        right = returned(of_product, **given)
        found.append(equal(left[0, 1], right[a, b]))
    return found


@FAMILY.stated(
    "Scores depend on $W_Q$ and $W_K$ by $W_Q W_K^\\top$ alone.",
    r"S = E (W_Q W_K^\top) E^\top",
    source="Elhage et al., A Mathematical Framework for Transformer Circuits (2021)",
)  # fmt: skip
def product_alone(size: Size) -> Outcome:
    def product(E: Any, W_Q: Any, W_K: Any) -> Any:
        return E @ (W_Q @ W_K.T) @ E.T

    E = symbols("E", size.n, size.d)
    W_V = symbols("W_V", size.d, size.d_k)
    given = _given(size, E)
    S = result(derive(_scores, **given))
    model = derive(attention_head, W_V=W_V, **given)["S"]
    return every([equal(S, model), equal(S, returned(product, **given))])
