"""LaTeX of what is derived already."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import symattn as sa
from benchmarks import inputs
from benchmarks.measure import Pairs
from benchmarks.row import OURS, Case, Mismatch, Side, Target
from benchmarks.rows.softmax import D, weigh

EXPLICIT, NAMED = "SymPy, written out", "SymPy, named row sums"


def _attention(seed: int, quick: bool) -> Case:
    """LaTeX of A, which is derived before; row i has the denominator ℓ_i.

    symattn: `latex()` of a derivation that was printed never before. SymPy: `latex` of
    the same matrix with its row sums written out, and with a Symbol for each of them.
    """
    n = 6 if quick else 64
    return Case(_attention_sides(seed, n), _characters(seed, n))


def _attention_sides(seed: int, n: int) -> dict[str, Side]:
    import sympy

    from benchmarks.peers import sympy_peer

    Z, V = inputs.scores_and_values(seed, n, D)
    d = sa.derive(weigh, Z=Z, V=V)
    _ = d.forms
    z = sympy_peer.matrix(Z)
    explicit, named = sympy_peer.softmax(z), sympy_peer.named_softmax(z)
    return {
        OURS: Side(d.step("A").latex),
        EXPLICIT: Side(lambda: sympy.latex(explicit)),
        NAMED: Side(lambda: sympy.latex(named)),
    }


def _characters(seed: int, n: int) -> Callable[[Mapping[str, Any]], list[str]]:
    def check(results: Mapping[str, Any]) -> list[str]:
        """How many characters each side wrote, and how they grow with n."""
        half = _attention_sides(seed, n // 2)
        notes = []
        for name, text in results.items():
            before = len(half[name].run())
            grown = len(text) / before
            notes.append(
                f"{name}: {len(text):,} characters at n = {n}, {before:,} at n = {n // 2}: "
                f"{grown:.1f} × as many"
            )
        return notes

    return check


def _rational(seed: int, quick: bool) -> Case:
    """LaTeX of a rational matrix, 128 × 128; the texts are checked to be the same.

    SymPy is asked for the brackets and the environment that symattn writes for matrices
    wider than ten columns. Compared without spaces and the air between rows.
    """
    import sympy

    from benchmarks.peers import sympy_peer

    n = 12 if quick else 128
    X = inputs.decimals(Random(seed), n, n)
    d = sa.derive(_same, X=X)
    _ = d.forms
    x = sympy_peer.matrix(X)
    sides = {
        OURS: Side(d.step("X").latex),
        "SymPy": Side(lambda: sympy.latex(x, mat_str="array", mat_delim="[")),
    }
    return Case(sides, _identical)


def _same(X: Any) -> Any:
    return X


def _identical(results: Mapping[str, Any]) -> list[str]:
    texts = {"".join(text.replace(r"\\[4pt]", r"\\").split()) for text in results.values()}
    if len(texts) > 1:
        raise Mismatch("the LaTeX of the two sides differs")
    return [f"identical text, {len(texts.pop()):,} characters without spaces"]


ROWS = (
    Pairs(
        "latex-named",
        "LaTeX of A, n = 64, named row denominators",
        _attention,
        (Target(EXPLICIT, 1000), Target(NAMED, 200)),
    ),
    Pairs(
        "latex-rational",
        "LaTeX of a rational 128 × 128 matrix, identical text",
        _rational,
        (Target("SymPy", 10),),
    ),
)
