"""The article in a process that is warm already."""

from __future__ import annotations

from typing import Any

import symattn as sa
from benchmarks.measure import Pairs
from benchmarks.row import OURS, Case, Side, Target


def _build(seed: int, quick: bool) -> Case:
    """Derive, print and round the article, which has the same inputs in every round.

    symattn: derive from exact arrays; LaTeX of every step that is not given, row sums
    with it; 30 decimals of every named matrix. SymPy: its twelve matrices, `latex` and
    `evalf(30)` of each. Both keep what they cache between rounds; SymPy also with its
    cache emptied first, for reading.
    """
    from sympy.core.cache import clear_cache

    from benchmarks.peers import article_script

    known = sa.article()
    given: dict[str, Any] = {**known.inputs, **{k: sa.static(v) for k, v in known.options.items()}}
    theirs = article_script.inputs()

    def ours() -> list[Any]:
        d = sa.derive(known.function, **given)
        made = [step for step in d.steps if not step.given]
        digits = [step.decimal(30) for step in made if not step.inside]
        return [*digits, *(step.latex() for step in made)]

    def sympy() -> list[str]:
        return article_script.written(article_script.build(**theirs))

    def emptied() -> list[str]:
        clear_cache()
        return sympy()

    sides = {OURS: Side(ours), "SymPy": Side(sympy), "SymPy, cache emptied": Side(emptied)}
    return Case(sides)


ROWS = (
    Pairs(
        "article",
        "The article in process, warm: derive, LaTeX and 30 digits of every matrix",
        _build,
        (Target("SymPy", 200), Target("SymPy, cache emptied", None)),
    ),
)
