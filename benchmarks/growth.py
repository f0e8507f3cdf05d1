"""Time against n, each point in a process of its own that is stopped after a budget.

Run as `python -m benchmarks.growth SIDE N`; prints seconds. The work is the same on every
side: every step of an attention head exact, LaTeX of A, 30 digits of all seven matrices;
d = 16, and inputs built before.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from statistics import median

from benchmarks import inputs
from benchmarks.measure import python, timed
from benchmarks.peers import installed
from benchmarks.row import OURS, Points, Side

BUDGET = 20  # seconds a point
D = 16
SIZES = (4, 8, 16, 32, 64, 128, 256)
REPEATS, BRIEF = 3, 3.0  # a point that takes fewer seconds than this is measured again


def _ours(n: int, seed: int) -> Side:
    import symattn as sa
    from symattn.transformer import attention_head

    given = inputs.head(seed, n, D)

    def run() -> None:
        d = sa.derive(attention_head, **given)
        _ = d.forms
        d.step("A").latex()
        for step in d.steps:
            if not step.given and not step.inside:
                step.decimal(30)

    return Side(run)


def _sympy(n: int, seed: int) -> Side:
    import sympy

    from benchmarks.peers import sympy_peer

    given = {k: sympy_peer.matrix(x) for k, x in inputs.head(seed, n, D).items()}

    def run() -> None:
        made = sympy_peer.head(**given)
        sympy.latex(made["A"])
        sympy_peer.digits(made, range(n))

    return Side(run)


def _symengine(n: int, seed: int) -> Side:
    import symengine

    from benchmarks.peers import symengine_peer

    given = {k: symengine_peer.matrix(x) for k, x in inputs.head(seed, n, D).items()}

    def run() -> None:
        made = symengine_peer.head(**given)
        for row in made["A"].tolist():
            for x in row:
                symengine.latex(x)
        symengine_peer.digits(made)

    return Side(run)


SIDES: dict[str, Callable[[int, int], Side]] = {
    OURS: _ours,
    "SymPy": _sympy,
    "SymEngine": _symengine,
}


def points(sizes: tuple[int, ...] = SIZES) -> tuple[Points, list[str]]:
    """Seconds by side and n, as far as each side gets; and what is to be said of it."""
    found: Points = {}
    notes = []
    for side in SIDES:
        if side == "SymEngine" and not installed("symengine"):
            notes.append("SymEngine is not installed")
            continue
        found[side] = []
        for n in sizes:
            try:
                seconds = float(python("-m", "benchmarks.growth", side, str(n), timeout=BUDGET))
            except subprocess.TimeoutExpired:
                notes.append(f"{side}: n = {n} is not done within {BUDGET} s")
                break
            found[side].append((n, seconds))
    return found, notes


def main(side: str, n: int) -> None:
    """One point: the median of a few runs, after a small one that warms up."""
    timed(SIDES[side](2, 0))
    times: list[float] = []
    while not times or (len(times) < REPEATS and max(times) < BRIEF):
        times.append(timed(SIDES[side](n, 1 + len(times)))[0])
    print(median(times))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
