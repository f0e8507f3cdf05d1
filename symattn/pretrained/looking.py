"""One step of a trained model's pass: its enclosures, with words for rows and columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symattn import labels
from symattn.errors import AddressError, nearest
from symattn.graph import Array, NamedNode
from symattn.numbers.arrays import is_mark
from symattn.numbers.ball import Ball
from symattn.numbers.enclosure import LIMIT
from symattn.pretrained.certificate import BALLS, PER_LAYER, bits_for, decimal, limbs
from symattn.pretrained.forward import Forward, Passed
from symattn.pretrained.weights import Weights

#: Decimals that are shown.
DIGITS = 6


@dataclass(frozen=True)
class Seen:
    """A step of a pass.

    Attributes:
        address: ``layer[2].head[5].A``.
        source: the line of code that it is.
        balls: its enclosures, an object array; infinities are marks.
        axes: for each axis the words along it, or None.
        bits: of precision.
    """

    address: str
    source: str | None
    balls: Array
    axes: labels.Axes
    bits: int

    def decimals(self, digits: int) -> Array:
        """Certified decimals; what is not settled ends in "?"."""
        out = np.empty(self.balls.shape, dtype=object)
        for index in np.ndindex(self.balls.shape):
            ball = self.balls[index]
            out[index] = str(ball) if is_mark(ball) else decimal(ball, digits)
        return out


def look(
    weights: Weights,
    tokens: Sequence[int],
    words: Sequence[str],
    address: str,
    *,
    digits: int = DIGITS,
    types: Sequence[int] | None = None,
) -> Seen:
    """The step at an address, such as ``layer[2].head[5].A``; ``layer[2]`` is what it hands on.

    The pass ends at the stage that has it. What the model ends in stands at ``sentence`` or at
    ``logits`` and ``P``, of the last position.

    Args:
        words: what stands for each token.

    Raises:
        AddressError: no such step; the message names those that begin alike.
        OptionError: digits out of 1 … 1000.
        ModelError: tokens or files that cannot be used.
    """
    bits = limbs(bits_for(digits) + PER_LAYER * (_depth(address, weights) + 2))
    while True:
        seen = _seen(weights, tokens, words, address, bits, types)
        settled = not any("?" in text for text in seen.decimals(digits).flat)
        if settled or 2 * bits > LIMIT:
            return seen
        bits *= 2


def _depth(address: str, weights: Weights) -> int:
    """How many layers there are to a step."""
    match = re.match(r"layer\[(\d{1,9})\]", address)
    layers = weights.architecture.sizes["N"]
    return min(int(match[1]) + 1, layers) if match else layers


def _seen(
    weights: Weights,
    tokens: Sequence[int],
    words: Sequence[str],
    address: str,
    bits: int,
    types: Sequence[int] | None,
) -> Seen:
    forward = Forward(weights, tokens, {BALLS: Ball(bits)}, types)
    names = [stage.name for stage in forward.stages]
    wanted = next((n for n in names if address == n or address.startswith(f"{n}.")), None)
    ends = ("logits", "P") if weights.architecture.unembeds else ("sentence",)
    if wanted is None and address not in ends:
        known = [*names, *ends]
        raise AddressError(
            f"no step {address!r}{nearest(address, known)}; a pass has the stages "
            f"{', '.join(known)}, and steps in them such as {names[-1]}.…"
        )
    for passed in forward.run():
        if passed.stage.name == wanted:
            return _of_stage(passed, address, tuple(words), bits)
    if "sentence" in ends:
        made = forward.sentence()
        return Seen(address, None, made.result(BALLS).entries(), (None,), bits)
    logits = forward.logits()
    found = logits if address == "logits" else forward.probabilities(logits)
    return Seen(address, None, found[BALLS].entries()[0], (None,), bits)


def _of_stage(passed: Passed, address: str, words: tuple[str, ...], bits: int) -> Seen:
    graph, stage = passed.graph, passed.stage
    named: NamedNode | None = None
    node = graph.result
    if address != stage.name:
        try:
            named = graph.find(address.removeprefix(f"{stage.name}."))
        except AddressError as error:
            raise AddressError(f"{stage.name}: {error}") from None
        node = named.node
    shapes = {name: graph.nodes[i].shape for name, i in graph.inputs.items()}
    given: dict[str, labels.Axes] = {
        name: (words, *(None,) * (len(shape) - 1)) if name == stage.reads else (None,) * len(shape)
        for name, shape in shapes.items()
    }
    axes = labels.propagate(graph, given)[node]
    if not stage.reads and graph.nodes[node].shape[:1] == (len(words),):
        axes = (words, *axes[1:])
    value: Any = passed.runs[BALLS][node]
    return Seen(address, named.source if named else None, value.entries(), axes, bits)
