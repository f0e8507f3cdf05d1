"""Exact softmax and A V of random scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import symattn as sa
from benchmarks import inputs
from benchmarks.measure import Pairs
from benchmarks.peers import installed
from benchmarks.row import OURS, Case, Mismatch, Side, Target
from symattn.functions import softmax

HELD = f"{OURS}, as held"
WRITTEN_OUT = f"{OURS}, every entry"
D = 16


def weigh(Z: Any, V: Any) -> Any:
    """Softmax, and the values weighed by it."""
    A = softmax(Z)
    O = A @ V
    return O


def _case(n: int) -> Callable[[int, bool], Case]:
    def build(seed: int, quick: bool) -> Case:
        """From Z and V in each side's own rationals to A and O, exact.

        "As held" is `forms` of a derivation that was traced before; "every entry" touches
        each entry of A and O as well, so that its sum exists in full. The peers' matrices
        hold theirs in full.
        """
        Z, V = inputs.scores_and_values(seed, 6 if quick else n, D)
        first, second = (sa.derive(weigh, Z=Z, V=V) for _ in range(2))

        def held(d: sa.Derivation = first) -> sa.Derivation:
            _ = d.forms
            return d

        def every_entry() -> sa.Derivation:
            d = held(second)
            for name in "AO":
                for x in d.step(name).forms.flat:
                    _ = x.terms
            return d

        sides = {HELD: Side(held), WRITTEN_OUT: Side(every_entry)}
        from benchmarks.peers import sympy_peer

        z, v = sympy_peer.matrix(Z), sympy_peer.matrix(V)
        sides["SymPy"] = Side(lambda: sympy_peer.weigh(z, v))
        if installed("symengine"):
            from benchmarks.peers import symengine_peer

            x, y = symengine_peer.matrix(Z), symengine_peer.matrix(V)
            sides["SymEngine"] = Side(lambda: symengine_peer.weigh(x, y))
        return Case(sides, _check)

    return build


def _check(results: Mapping[str, Any]) -> list[str]:
    """The last entry of O is the same number on every side."""
    found = {}
    for name, result in results.items():
        if isinstance(result, sa.Derivation):
            found[name] = float(
                result.step("O").decimal_at((-1 % len(result.step("O")), D - 1), 12)
            )
        else:
            found[name] = float(result[1][-1, D - 1].n(20))
    if max(found.values()) - min(found.values()) > 1e-11:
        raise Mismatch(f"O[-1,-1]: {found}")
    return []


def _rows(n: int, *targets: tuple[str, str, float]) -> list[Pairs]:
    """One row a peer, since one of them allows many rounds and the other few."""
    what = f"Exact softmax and A V, n = {n}, d = {D}, random decimals"
    made = []
    for peer in ("SymPy", "SymEngine"):
        own = tuple(Target(p, value, ours=ours) for ours, p, value in targets if p == peer)
        made.append(Pairs(f"softmax-{n}-{peer.lower()}", what, _case(n), own))
    return made


ROWS = (
    *_rows(64, (WRITTEN_OUT, "SymPy", 100), (WRITTEN_OUT, "SymEngine", 2)),
    *_rows(128, (WRITTEN_OUT, "SymPy", 150), (HELD, "SymPy", 1000), (WRITTEN_OUT, "SymEngine", 2)),
)
