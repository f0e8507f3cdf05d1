"""Gradients and thresholds, and how they grow with the number of tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import perf_counter

import symattn as sa
from benchmarks import inputs
from benchmarks.row import Outcome, doublings
from symattn.transformer import next_token

D, WORDS = 4, 6


def sentence(n: int) -> sa.Derivation:
    """A next-token model over n tokens, with rational weights."""
    random = Random(n)
    weights = {name: inputs.decimals(random, D, D) for name in ("W_Q", "W_K", "W_V", "W_1")}
    tokens = sa.static([random.randrange(WORDS) for _ in range(n)])
    return sa.derive(
        next_token, W_vocab=inputs.decimals(random, D, WORDS), tokens=tokens, **weights
    )


def gradients(d: sa.Derivation) -> None:
    """The loss of a word, and its gradient by every step and weight, exact."""
    back = d.backward(target=0)
    for step in back.steps:
        _ = step.forms


def thresholds(d: sa.Derivation) -> None:
    """Every value of an entry of W_1 at which the most likely token changes."""
    sa.vary(d, "W_1[0,0]")


@dataclass(frozen=True)
class Growing:
    """Work on sentences, each twice as long as the one before."""

    name: str
    what: str
    work: Callable[[sa.Derivation], None]

    def measure(self, quick: bool) -> Outcome:
        sizes = (4, 8) if quick else (4, 8, 16, 32)
        self.work(sentence(3))  # imports, and sources read once
        seconds, notes = dict[int, float](), list[str]()
        for n in sizes:
            d = sentence(n)
            _ = d["P"].forms  # the forward pass is not what is timed
            began = perf_counter()
            self.work(d)
            seconds[n] = perf_counter() - began
            notes.append(f"n = {n}: {seconds[n]:.3f} s")
        return Outcome(self.name, self.what, 1, doublings(seconds, 8), notes)


ROWS = (
    Growing("gradient", "The gradient of a loss by every step and weight as n doubles", gradients),
    Growing("vary", "Thresholds of an entry of W_1 as n doubles", thresholds),
)
