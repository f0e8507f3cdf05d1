"""Products of rational matrices: queries, keys and scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import symattn as sa
from benchmarks import inputs
from benchmarks.measure import Pairs
from benchmarks.row import OURS, Case, Mismatch, Side, Target


def scores(E: Any, W_Q: Any, W_K: Any) -> Any:
    """Queries, keys, and their products."""
    Q = E @ W_Q
    K = E @ W_K
    S = Q @ K.T
    return S


def _build(seed: int, quick: bool) -> Case:
    """From E and the weights in each side's own rationals to Q, K and QKᵀ, exact.

    symattn: `forms` of a derivation that was traced before. Each as it holds them:
    SymPy's Matrix of rationals is a sparse DomainMatrix inside, and makes its entries when
    asked, as symattn's forms may. A DomainMatrix that its user made dense is FLINT's,
    where python-flint is installed: that is for reading, since no exponential fits in it.
    """
    from benchmarks.peers import sympy_peer

    given = inputs.head(seed, *((6, 4) if quick else (128, 64)))
    del given["W_V"]
    matrices = {k: sympy_peer.matrix(x) for k, x in given.items()}
    domain = {k: sympy_peer.domain_matrix(x) for k, x in given.items()}

    d = sa.derive(scores, **given)

    def ours() -> sa.Derivation:
        _ = d.forms
        return d

    sides = {
        OURS: Side(ours),
        "SymPy Matrix": Side(lambda: sympy_peer.scores(**matrices)),
        "SymPy DomainMatrix, dense": Side(lambda: sympy_peer.scores(**domain)),
    }
    return Case(sides, _check)


def _check(results: Mapping[str, Any]) -> list[str]:
    """A row of S is the same rationals on both sides."""
    ours = [str(x.rational()) for x in results[OURS].step("S").forms[-1]]
    theirs = [str(x) for x in results["SymPy Matrix"]["S"].row(-1)]
    if ours != theirs:
        raise Mismatch("the last rows of S differ")
    return []


ROWS = (
    Pairs(
        "scores",
        "Q, K and QKᵀ exact, n = 128, d = 64",
        _build,
        (Target("SymPy Matrix", 100), Target("SymPy DomainMatrix, dense", None)),
    ),
)
