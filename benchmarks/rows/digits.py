"""Thirty digits of every matrix of an attention head."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import symattn as sa
from benchmarks import inputs
from benchmarks.measure import Pairs
from benchmarks.peers import installed
from benchmarks.row import OURS, Case, Mismatch, Side, Target
from symattn.transformer import attention_head

N, D = 32, 2
STRIDE = 8  # SymPy does every eighth row
SAMPLED = f"SymPy evalf (1 row in {STRIDE}, scaled)"

Digits = dict[str, list[list[str]]]


def _ours(d: sa.Derivation) -> Digits:
    return {s.name: s.decimal(30) for s in d.steps if not s.given and not s.inside}


def _mpmath(seed: int, quick: bool) -> Case:
    """From E and the weights in each side's own numbers to strings of all seven matrices.

    symattn: traced before; derived exactly, then 30 certified decimals. mpmath: at 40
    digits, 30 printed, nothing proven. mpmath.iv: intervals at 40 digits, printed where
    both ends round alike.
    """
    given = inputs.head(seed, 6 if quick else N, D)
    d = sa.derive(attention_head, **given)
    sides = {OURS: Side(lambda: _ours(d))}
    if installed("mpmath"):
        import mpmath

        from benchmarks.peers import mpmath_peer as peer

        points = {k: peer.matrix(x, mpmath.mp) for k, x in given.items()}
        intervals = {k: peer.matrix(x, mpmath.iv) for k, x in given.items()}
        sides["mpmath"] = Side(
            lambda: peer.digits(peer.head(**points, context=mpmath.mp), peer.rounded)
        )
        sides["mpmath.iv"] = Side(
            lambda: peer.digits(peer.head(**intervals, context=mpmath.iv), peer.certified)
        )
    return Case(sides, _check(1))


def _sympy(seed: int, quick: bool) -> Case:
    """As above, against `evalf(30)` of SymPy's expressions, which are built before.

    It takes a minute and more, so every eighth row of each matrix is done, and the time
    multiplied by eight.
    """
    from benchmarks.peers import sympy_peer

    given = inputs.head(seed, 8 if quick else N, D)
    made = sympy_peer.head(**{k: sympy_peer.matrix(x) for k, x in given.items()})
    rows = range(0, len(given["E"]), STRIDE)
    d = sa.derive(attention_head, **given)
    sides = {
        OURS: Side(lambda: _ours(d)),
        SAMPLED: Side(lambda: sympy_peer.digits(made, rows), scale=STRIDE),
    }
    return Case(sides, _check(STRIDE))


def _check(stride: int) -> Callable[[Mapping[str, Any]], list[str]]:
    def check(results: Mapping[str, Any]) -> list[str]:
        """Every string of a peer's is the same number to 28 decimals."""
        ours: Digits = results[OURS]
        for peer, theirs in results.items():
            for name in theirs if peer != OURS else ():
                for row, other in zip(ours[name][::stride], theirs[name], strict=True):
                    for x, y in zip(row, other, strict=True):
                        if abs(Decimal(x) - Decimal(y)) > Decimal("1e-28"):
                            raise Mismatch(f"{name}: {x}, and {peer} says {y}")
        return []

    return check


_WHAT = "30 certified digits of all matrices as strings, n = 32, d = 2"

ROWS = (
    Pairs("digits-mpmath", _WHAT, _mpmath, (Target("mpmath", 2), Target("mpmath.iv", 5))),
    Pairs("digits-sympy", _WHAT, _sympy, (Target(SAMPLED, 5000),)),
)
