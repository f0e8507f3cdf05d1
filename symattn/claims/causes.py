"""Why a printed step is wrong: derive again under a hypothesis, and match it whole.

A hypothesis is where the step was carried on from (the exact steps before it, or a wrong
printed one), what was done differently on the way (see `variations`), and whether the
result was rounded or cut off. It is named only if it gives every number printed for the
step: the wrong ones, and the right ones as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import isinf
from typing import Any

import numpy as np
from flint import arb, ctx

from symattn import progress
from symattn.certify import bounds_of, ends
from symattn.claims.placing import Claimed
from symattn.claims.reading.cells import Printed
from symattn.claims.variations.core import Variation, Variations
from symattn.derivation import Derivation
from symattn.errors import SymattnError
from symattn.graph import Run
from symattn.literals import NEGATIVE_INFINITY, POSITIVE_INFINITY, Infinity
from symattn.numbers.ball import Ball, Balls
from symattn.numbers.enclosure import START, enclose
from symattn.numbers.floating import Floating
from symattn.numbers.grid import flat_index
from symattn.rounding import to_float
from symattn.steps import Step

#: Relative accuracy that is asked of a float print: of single precision, and of double.
SINGLE, DOUBLE = Fraction(1, 10**5), Fraction(1, 10**12)


MAX_ENTRIES = 10_000  # of a step for which hypotheses are derived
#: Hypotheses that a document's wrong steps may take, times the nodes of the graph: thousands
#: for attention alone, hundreds for a whole Transformer.
MAX_WORK = 500_000


@dataclass(frozen=True)
class Part:
    """One thing that was done: its kind, and a sentence without its full stop."""

    kind: str
    text: str
    step: Step | None = None
    digits: int = 0


@dataclass(frozen=True)
class Cause:
    """What explains a step: one thing that was done, or two."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return ", and ".join(part.text for part in self.parts)


#: Kinds of causes, the plainest first; one that is not here comes after them.
PLAIN = {
    kind: place
    for place, kind in enumerate(
        ("carried", "truncated", "rounded", "cut", "exchanged", "sign", "mask", "softmax",
         "transpose", "scale", "variance", "float")
    )
}  # fmt: skip


@dataclass(frozen=True)
class Explained:
    """The wrong numbers of a step, or of one printed row of it.

    Attributes:
        causes: what explains them all, the simplest first; empty for a slip.
        tried: how many hypotheses were derived to find out; 0 where not all were: for steps of
            over 10,000 entries, after many wrong ones of a large model, and where inputs are
            symbols.
    """

    step: Step
    wrong: tuple[Claimed, ...]
    causes: tuple[Cause, ...]
    tried: int = 0


def explained(
    derivation: Derivation, claims: Sequence[Claimed], wrong: Sequence[Claimed]
) -> list[Explained]:
    """Explain wrong numbers, step by step: a step whole, or else what was printed together."""
    engine = _Engine(derivation, claims, wrong)
    by_step: dict[str, list[Claimed]] = {}
    for claim in claims:
        by_step.setdefault(claim.entry.step.address, []).append(claim)
    is_wrong = set(map(id, wrong))
    found: list[Explained] = []
    steps = sorted(by_step.values(), key=lambda c: c[0].entry.step.node)
    for cells in progress.over(steps, "step"):
        bad = [c for c in cells if id(c) in is_wrong]
        if not bad:
            continue
        causes = engine.causes(cells)
        groups = list(dict.fromkeys(c.group for c in cells))
        if causes or len(groups) == 1 or not engine.tried:
            found.append(Explained(bad[0].entry.step, tuple(bad), tuple(causes), engine.tried))
            continue
        for group in groups:
            together = [c for c in cells if c.group == group]
            bad = [c for c in together if id(c) in is_wrong]
            if bad:
                causes = engine.causes(together)
                found.append(Explained(bad[0].entry.step, tuple(bad), tuple(causes), engine.tried))
    return found


@dataclass(frozen=True)
class _Base:
    """Where a step is carried on from.

    Attributes:
        settled: the nodes that no longer matter: the printed steps and what these come from.
    """

    parts: tuple[Part, ...] = ()
    hooks: Mapping[str, Callable[[Balls], Balls]] = field(default_factory=dict)
    settled: frozenset[int] = frozenset()


class _Engine:
    def __init__(
        self, derivation: Derivation, claims: Sequence[Claimed], wrong: Sequence[Claimed]
    ) -> None:
        self.derivation = derivation
        self.claims = claims
        self.wrong_steps = {c.entry.step.node: c.entry.step for c in wrong}
        self.ball = Ball(START)
        self.variations = Variations(derivation)
        self._runs: dict[tuple[str, ...], Run] = {}
        self.tried = 0
        self.spent = 0

    def causes(self, cells: list[Claimed]) -> list[Cause]:
        """What explains every one of these numbers of a step."""
        target = cells[0].entry.step
        found: list[Cause] = []
        self.tried = 0
        if target.forms.size > MAX_ENTRIES or self.spent > MAX_WORK or self.derivation.symbols:
            return []  # hypotheses are derived with numbers
        for base in self.bases(target):
            run = self.run(base)
            for parts, values in self.values(base, run, target, cells):
                self.tried += 1
                self.spent += len(self.derivation.graph.nodes)
                if self.spent > MAX_WORK:
                    self.tried = 0
                    return []
                for cut in (False, True):
                    last = (Part("truncated", "it was cut off and not rounded"),) if cut else ()
                    made = (*base.parts, *parts, *last)
                    if 0 < len(made) <= 2 and all(_prints(values, c, cut) for c in cells):
                        found.append(Cause(made))
        found += self.floats(target, cells)
        found.sort(
            key=lambda cause: (
                len(cause.parts),
                *(PLAIN.get(p.kind, len(PLAIN)) for p in cause.parts),
            )
        )
        singles = {c.parts[0].text for c in found if len(c.parts) == 1}
        # What a single thing explains needs no second one.
        kept = [c for c in found if len(c.parts) == 1 or not singles & {p.text for p in c.parts}]
        return list(dict.fromkeys(kept))

    def bases(self, target: Step) -> Iterator[_Base]:
        """The exact steps before; each wrong printed step, the nearest first; and two of them."""
        yield _Base()
        needed = self.derivation.graph.ancestors(target.node) - {target.node}
        steps = [self.wrong_steps[n] for n in sorted(self.wrong_steps, reverse=True) if n in needed]
        yield from (self.carried(step) for step in steps)
        for late, early in combinations(steps, 2):
            if early.node not in self.derivation.graph.ancestors(late.node):
                yield self.carried(late, early)

    def carried(self, *steps: Step) -> _Base:
        """Carrying on from printed steps."""
        text = "it was carried on from the printed {}"
        return _Base(
            tuple(Part("carried", text.format(step.short), step) for step in steps),
            {step.address: self.printed(step) for step in steps},
            frozenset().union(*(self.derivation.graph.ancestors(s.node) for s in steps)),
        )

    def printed(self, step: Step) -> Callable[[Balls], Balls]:
        """Puts what was printed in place of a step's own entries, where it was."""
        values = {
            c.entry.index: c.printed.value
            for c in self.claims
            if c.entry.step.node == step.node and c.factor is None and c.printed.value is not None
        }

        def hook(own: Balls) -> Balls:
            entries = list(own.flat)
            with ctx.workprec(START):
                for index, value in values.items():
                    entries[flat_index(index, step.shape)] = self.ball.number(value)
            return Balls.of(entries, step.shape)

        return hook

    def run(self, base: _Base, variation: Variation | None = None) -> Run:
        key = (*(p.text for p in base.parts), variation.text if variation else "")
        if key not in self._runs:
            hooks = dict(base.hooks)
            if variation is not None:
                before = self.run(base)
                changed = variation.value
                hooks[variation.step.address] = lambda _: changed(before)
            self._runs[key] = self.derivation.running(self.ball, hooks)
        return self._runs[key]

    def values(
        self, base: _Base, run: Run, target: Step, cells: list[Claimed]
    ) -> Iterator[tuple[tuple[Part, ...], Balls]]:
        """The step's values under each hypothesis that goes on from a base."""
        try:
            plain: Balls = run[target.node]
        except SymattnError:
            return
        yield (), plain
        if len(base.parts) > 1:
            return
        yield from _rearranged(plain, target, cells)
        for variation in self.variations.before(target):
            if variation.step.node in base.settled:
                continue
            part = Part(variation.kind, variation.text, variation.step, variation.digits)
            try:
                yield (part,), self.run(base, variation)[target.node]
            except SymattnError:
                continue  # a mask that leaves a row without a key, say

    def floats(self, target: Step, cells: list[Claimed]) -> list[Cause]:
        """Whether a float type's own rounding errors explain it."""
        out = []
        for kind in ("float32", "float16"):
            try:
                values = self._floats[kind][target.node]
            except SymattnError:
                continue
            balls = Balls.of([_from_float(float(v)) for v in values.flat], target.shape)
            if all(_prints(balls, c, False) for c in cells):
                out.append(Cause((Part("float", f"it was computed in {kind}", target),)))
                break
        return out

    @cached_property
    def _floats(self) -> dict[str, Run]:
        return {k: self.derivation.running(Floating(k)) for k in ("float32", "float16")}


def _from_float(value: float) -> Any:
    if np.isinf(value):
        return NEGATIVE_INFINITY if value < 0 else POSITIVE_INFINITY
    return arb(value)


def _rearranged(
    plain: Balls, target: Step, cells: list[Claimed]
) -> Iterator[tuple[tuple[Part, ...], Balls]]:
    """Its own entries in other places, or with other signs, where they do not print as they are."""
    off = [c for c in cells if not _prints(plain, c, False)]
    if not off:
        return
    entries = np.array([*range(plain.size)]).reshape(plain.shape)
    ball = Ball(START)
    for axis, word in enumerate(("rows", "columns")[: plain.ndim]):
        if plain.ndim == 2:
            lines = sorted({c.entry.index[axis] for c in off})
            if len(lines) == 2:
                order = list(range(plain.shape[axis]))
                order[lines[0]], order[lines[1]] = lines[1], lines[0]
                text = f"{word} {lines[0]} and {lines[1]} were exchanged"
                yield (Part("exchanged", text),), ball.gather(plain, entries.take(order, axis))
    if plain.ndim == 2 and plain.shape[0] == plain.shape[1]:
        yield (Part("exchanged", "rows and columns were exchanged"),), ball.gather(plain, entries.T)
    places = [c.entry.index for c in off]
    if len(set(places)) == 2:
        swapped = entries.copy()
        first, second = dict.fromkeys(places)
        swapped[first], swapped[second] = entries[second], entries[first]
        text = f"{target._cell(first)} and {target._cell(second)} were exchanged"
        yield (Part("exchanged", text),), ball.gather(plain, swapped)
    flipped = list(plain.flat)
    with ctx.workprec(START):
        for index in set(places):
            k = flat_index(index, plain.shape)
            if not isinstance(flipped[k], Infinity):
                flipped[k] = -flipped[k]
    sign = "a sign was lost or added" if len(set(places)) == 1 else "signs were lost or added"
    yield (Part("sign", sign),), Balls.of(flipped, plain.shape)


def _prints(values: Balls, claim: Claimed, cut: bool) -> bool:
    """Whether a value would be printed as it was: rounded, or cut off toward zero."""
    ball, printed = values[claim.entry.index], claim.printed
    if isinstance(ball, Infinity) or printed.kind in ("infinity", "nan", "blank", "unreadable"):
        return bool(printed.value == ball)
    if claim.factor is not None:
        with ctx.workprec(START):
            ball = ball * enclose(claim.factor, START)
    if not ball.is_finite():
        return False
    if printed.kind == "exact":
        known, own = bounds_of(printed.value), ends(ball)
        return bool(known and own and known[0] <= own[1] and own[0] <= known[1])
    return _is_printed(ball, printed, cut)


def _is_printed(ball: Any, printed: Printed, cut: bool) -> bool:
    value = printed.value
    assert isinstance(value, Fraction)  # decimals and integers
    unit = Fraction(10) ** -(printed.decimals or 0)
    about = float(ball)
    far = 1.001 * to_float(unit) + 2e-5 * abs(about)
    if not isinf(about) and abs(about - to_float(value)) > far:
        return False  # without a fraction in sight
    found = ends(ball)
    assert found is not None  # finite, as its caller saw
    low, high = found
    if cut:
        if value < 0 or (not value and high <= 0):
            value, low, high = -value, -high, -low
        return value <= high and low < value + unit
    reach = unit / 2
    if printed.is_raw_float:
        reach += abs(value) * (DOUBLE if (printed.significant or 0) >= 10 else SINGLE)
    return low - reach <= value <= high + reach
