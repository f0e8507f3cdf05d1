"""`symattn check`: what judging a document costs beside deriving its example."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import symattn as sa
from benchmarks import inputs
from benchmarks.measure import Pairs
from benchmarks.row import OURS, Case, Mismatch, Side, Target
from symattn.claims.check import Checked, check
from symattn.claims.reading import read
from symattn.transformer import worked_attention

D, DIGITS = 4, 4
DERIVING, WRONG = "deriving and rounding it", "symattn, a step of it wrong, a hypothesis"


def _build(seed: int, quick: bool) -> Case:
    """A document of 100 equations: four inputs, and S, Z, A and O row by row (24 tokens, d = 4).

    symattn: read, matched, judged. Beside it: the example derived from exact inputs, and
    every step rounded to as many decimals. With a step wrong (one entry of Z, which no
    hypothesis explains): the time of the whole check, over the hypotheses that were tried.
    """
    n = 4 if quick else 24
    random = Random(seed)
    given = {"E": inputs.decimals(random, n, D)}
    given |= {name: inputs.decimals(random, D, D) for name in ("W_Q", "W_K", "W_V")}
    d = _derived(given)
    text = _document(d, n)
    row = f"Z[{n - 1}] = "
    start = text.index(row) + len(row)
    wrong = text[:start] + text[start:].replace("bmatrix} ", "bmatrix} 9", 1)
    tried = sum(e.tried for e in _checked(wrong).explained) or 1
    sides = {
        OURS: Side(lambda: _checked(text)),
        WRONG: Side(lambda: _checked(wrong), scale=1 / tried),
        DERIVING: Side(lambda: _rounded(_derived(given))),
    }
    return Case(sides, _check)


def _derived(given: Mapping[str, Any]) -> sa.Derivation:
    return sa.derive(worked_attention, **given, scale="2")


def _rounded(d: sa.Derivation) -> list[Any]:
    return [step.decimal(DIGITS) for step in d.steps if not step.inside]


def _checked(text: str) -> Checked:
    return check(read(text, "markdown"), worked_attention)


def _document(d: sa.Derivation, n: int) -> str:
    parts = ["Scores are divided by $\\sqrt{4}$. No mask is used."]
    for name in ("E", "W_Q", "W_K", "W_V"):
        parts.append(f"$$\n{name} = {d[name].latex(2)}\n$$")
    for name in "SZAO":
        rows = d[name].decimal(DIGITS)
        for i in range(n):
            cells = " & ".join(rows[i])
            parts.append(f"$$\n{name}[{i}] = \\begin{{bmatrix}} {cells} \\end{{bmatrix}}\n$$")
    return "\n\n".join(parts) + "\n"


def _check(results: Mapping[str, Any]) -> list[str]:
    right, wrong = results[OURS].counts, results[WRONG].counts
    if right["wrong"] or right["unmatched"] or wrong["wrong"] != 1:
        raise Mismatch(f"{right}, and {wrong} with one entry altered")
    tried = sum(e.tried for e in results[WRONG].explained)
    equations = len(results[OURS].reading.matrices)
    return [f"{equations} equations, {right['right']} numbers; {tried} hypotheses tried"]


ROWS = (
    Pairs(
        "check",
        "`symattn check` of 100 equations without a wrong entry; and a hypothesis where one is",
        _build,
        (
            Target(DERIVING, 5, faster=False),
            Target(DERIVING, 2, faster=False, ours=WRONG),
        ),
    ),
)
