"""How long a certified pass will take, and how much memory, before it begins.

A small product of enclosures is timed, and the entries of the weights are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from time import perf_counter

from flint import arb, arb_mat, ctx

from symattn.pretrained.weights import Weights

#: Bytes of a ball without radius, of a Python float, and of the file's number.
PER_ENTRY = 48 + 24 + 8 + 4

#: Bytes that a pass takes beside its weights.
BASE = 120_000_000

#: Features of the product that is timed.
TIMED = 256

#: How often it is timed.
TIMES = 3

#: What else a stage does, softmax, norms and floats among it, as a share of its products.
REST = 0.6


@dataclass(frozen=True)
class Forecast:
    """An estimate.

    Attributes:
        seconds: of this machine, as busy as it is.
        memory: bytes, at the most.
    """

    seconds: float
    memory: int

    def __str__(self) -> str:
        return f"about {self.seconds:.0f} s and {self.memory / 1e9:.1f} GB"


def forecast(weights: Weights, n: int, bits: int) -> Forecast:
    """What a pass over n tokens at so many bits will take."""
    sizes = weights.architecture.sizes
    layer = sum(prod(weights.shape(name)) for name in weights.of_layers)
    scores = 2 * sizes["h"] * n * sizes["d_k"]
    words = sizes["d_model"] * sizes["|V|"] if weights.architecture.unembeds else 0
    multiplied, taken = _timed(n, bits)
    products = sizes["N"] * n * (layer + scores) + words
    seconds = products * multiplied * (1 + REST) + (sizes["N"] * layer + words) * taken
    held = max(layer, min(words, sizes["d_model"] * 4096)) + n * sizes["d_ff"]
    return Forecast(seconds, BASE + held * PER_ENTRY)


def _timed(n: int, bits: int) -> tuple[float, float]:
    """Seconds of a multiplication, and of taking in an entry: the least of a few times."""
    columns = 32
    floats = [1 / (i + 3) for i in range(TIMED * columns)]
    with ctx.workprec(bits):
        third = arb(1) / 3
        left = arb_mat(n, TIMED, [third * (i % 7 + 1) for i in range(n * TIMED)])
        taken, multiplied = [], []
        for _ in range(TIMES):
            start = perf_counter()
            right = arb_mat(TIMED, columns, floats)
            between = perf_counter()
            _ = left * right
            taken.append(between - start)
            multiplied.append(perf_counter() - between)
    return min(multiplied) / (n * TIMED * columns), min(taken) / (TIMED * columns)
