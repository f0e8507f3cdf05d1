"""What floats make of a trained model, against certified values of the same weights.

The weights are the exact binary numbers of the file. The pass in enclosures gives every state
as far as its radius; float64 and float32 run beside it, stage by stage.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symattn.certify import ends
from symattn.errors import OptionError, Undecided
from symattn.numbers.ball import Ball, Balls
from symattn.numbers.enclosure import LIMIT
from symattn.numbers.floating import Floating, float_info
from symattn.numbers.pairs import Pairs, of_balls, unit_in_last_place
from symattn.pretrained.forward import Forward, Passed
from symattn.pretrained.weights import Weights
from symattn.rounding import certain

#: The float types that are compared.
TYPES = ("float64", "float32")

#: The enclosures, among a pass's systems.
BALLS = "balls"

#: Bits that a layer costs about: an error grows by so much, and is then measured.
PER_LAYER = 24

#: Bits beyond those of the digits that leave roundings settled, mostly.
GUARD = 12

#: Digits after the point of what is certified.
DIGITS, MAX_DIGITS = 15, 1000


@dataclass(frozen=True)
class Distance:
    """How far a float type's array is from the certified one.

    Attributes:
        ulps, at: the largest distance in units of the last place, and the entry that has it.
        mean_ulps: over all entries.
        absolute: the largest distance, in absolute terms.
    """

    ulps: float
    at: tuple[int, ...]
    mean_ulps: float
    absolute: float


@dataclass(frozen=True)
class Certified:
    """A stage of a certified pass.

    Attributes:
        name: ``layer[2]``.
        radius: the largest of its result's enclosures.
        distances: of its result, by float type.
        steps: of what is inside, by address and float type; n × … arrays only.
    """

    name: str
    radius: float
    distances: Mapping[str, Distance]
    steps: Mapping[str, Mapping[str, Distance]]


@dataclass(frozen=True)
class Word:
    """A word of the vocabulary with its certified probability."""

    token: int
    decimal: str


@dataclass(frozen=True)
class Certificate:
    """A model's pass over tokens, certified.

    Attributes:
        bits: the precision that it took.
        stages: in order.
        vector: of a sentence, its entries as certified decimals; empty where there are logits.
        words: the most likely next tokens, the largest first; empty where there are none.
        predicted: the token that is proven the most likely; None where that is undecided.
        result: how far the floats' vector or probabilities are off.
    """

    tokens: tuple[int, ...]
    digits: int
    bits: int
    stages: tuple[Certified, ...]
    vector: tuple[str, ...]
    words: tuple[Word, ...]
    predicted: int | None
    result: Mapping[str, Distance]


def certify(
    weights: Weights,
    tokens: Sequence[int],
    *,
    types: Sequence[int] | None = None,
    digits: int = DIGITS,
    bits: int | None = None,
    top: int = 5,
    inside: bool = False,
) -> Certificate:
    """Run a model in enclosures and in floats, and compare.

    Args:
        types: of each token, for a model that has types; 0 if left out.
        digits: after the point, of the vector or the probabilities.
        bits: of precision; found if left out, so that the digits are settled.
        top: how many of the most likely tokens.
        inside: whether the steps inside the layers are compared too.

    Raises:
        ModelError: tokens or files that cannot be used.
        OptionError: digits out of 1 … 1000, bits out of 32 … 32,768.
        Undecided: a precision of 32,768 bits does not do.
    """
    wanted = bits_for(digits)
    at = first_bits(weights, digits, bits)
    while True:
        if at > LIMIT:
            raise Undecided(f"{digits} digits are not settled by {LIMIT:,} bits")
        systems = {BALLS: Ball(at), **{kind: Floating(kind) for kind in TYPES}}
        forward = Forward(weights, tokens, systems, types)
        found: list[Certified] = []
        missing = 0
        for passed in forward.run():
            found.append(_certified(passed, at, inside))
            if bits is None:
                missing = _missing(found, wanted, len(forward.stages), at)
                if missing:
                    break  # more bits are wanted, and it is known before the last layer
        if not missing:
            return _result(forward, found, digits, at, top)
        at = limbs(at + missing)


def bits_for(digits: int) -> int:
    """The precision that settles so many digits, mostly.

    Raises:
        OptionError: digits out of 1 … 1000.
    """
    if not 1 <= digits <= MAX_DIGITS:
        raise OptionError(f"digits: wanted 1 to {MAX_DIGITS}, got {digits}")
    return math.ceil(digits * math.log2(10)) + GUARD


def first_bits(weights: Weights, digits: int, bits: int | None = None) -> int:
    """The precision that a pass begins with: what is asked for, else what the digits take.

    Raises:
        OptionError: digits or bits out of their ranges; see `certify`.
    """
    taken = limbs(bits_for(digits) + PER_LAYER * weights.architecture.sizes["N"])
    if bits is None:
        return taken
    if not 32 <= bits <= LIMIT:
        raise OptionError(f"bits: wanted 32 to {LIMIT:,}, got {bits}")
    return bits


def limbs(bits: int) -> int:
    """The next multiple of 64: numbers of a limb's part take as long as those of a whole one."""
    return -(-bits // 64) * 64


def _missing(found: list[Certified], wanted: int, stages: int, bits: int) -> int:
    """How many bits the end of the pass will lack, going on as so far."""
    exact = [-math.log2(c.radius) if c.radius else math.inf for c in found]
    left = exact[-1]
    if not math.isfinite(left):
        return bits if left < 0 else 0
    known = [x for x in exact if math.isfinite(x)]
    lost = max(0.0, (known[0] - left) / max(len(known) - 1, 1))
    ahead = lost * (stages - len(found))
    return max(0, math.ceil(wanted - left + ahead))


def _certified(passed: Passed, bits: int, inside: bool) -> Certified:
    balls = passed.result(BALLS)
    steps: dict[str, dict[str, Distance]] = {}
    if inside:
        seen: set[int] = set()
        for step in reversed(passed.graph.steps):  # of several names the last says most
            node = passed.graph.nodes[step.node]
            known = step.node in seen or step.node in passed.graph.inputs.values()
            if known or node.op == "constant" or step.part or step.inside or not node.shape:
                continue
            seen.add(step.node)
            exact = passed.runs[BALLS][step.node]
            steps[step.address] = {
                kind: distance(exact, passed.runs[kind][step.node], kind, bits) for kind in TYPES
            }
    distances = {kind: distance(balls, passed.result(kind), kind, bits) for kind in TYPES}
    return Certified(passed.stage.name, radius(balls), distances, steps)


def radius(balls: Balls) -> float:
    """The largest radius, infinite where an enclosure is unbounded."""
    radii = [float(b.rad()) for b in balls.matrix.entries()]
    return max((r if math.isfinite(r) else math.inf for r in radii), default=0.0)


def distance(balls: Balls, floats: Any, kind: str, bits: int) -> Distance:
    """How far floats are from what the enclosures hold."""
    pairs: Pairs = of_balls(balls, bits)
    _, most = pairs.distance(np.asarray(floats))
    unit = unit_in_last_place(pairs, float_info(kind))
    with np.errstate(all="ignore"):
        ulps = np.where(np.isfinite(unit) & (unit > 0), most / unit, 0.0)
    at = np.unravel_index(int(np.argmax(ulps)), ulps.shape)
    return Distance(
        float(ulps[at]), tuple(int(i) for i in at), float(np.mean(ulps)),
        float(np.max(most[np.isfinite(pairs.high)], initial=0.0)),
    )  # fmt: skip


def _result(
    forward: Forward, found: list[Certified], digits: int, bits: int, top: int
) -> Certificate:
    predicted: int | None = None
    words: tuple[Word, ...] = ()
    vector: tuple[str, ...] = ()
    if forward.weights.architecture.unembeds:
        logits = forward.logits()
        made = forward.probabilities(logits)
        scores, P = logits[BALLS].balls(), made[BALLS].balls()
        order = sorted(range(len(scores)), key=lambda i: -float(scores[i].mid()))
        words = tuple(Word(i, decimal(P[i], digits)) for i in order[:top])
        first, others = scores[order[0]], order[1:]
        if all(first > scores[i] for i in others):
            predicted = order[0]
    else:
        passed = forward.sentence()
        made = {name: passed.result(name) for name in forward.systems}
        vector = tuple(decimal(ball, digits) for ball in made[BALLS].balls())
    result = {kind: distance(made[BALLS], made[kind], kind, bits) for kind in TYPES}
    return Certificate(forward.tokens, digits, bits, tuple(found), vector, words, predicted, result)


def decimal(ball: Any, digits: int) -> str:
    """The decimal that all of an enclosure rounds to; else what is certain, and a "?"."""
    bounds = ends(ball)
    if bounds is None:
        return "?"
    return certain(*bounds, digits)
