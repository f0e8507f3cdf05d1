"""What people do differently: changes of one step, each a hook on the graph over balls.

A variation replaces the value of one step, given the values of a run without it; the
rest of the derivation follows. Each is named in words that a reader can act on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from symattn.derivation import Derivation
from symattn.errors import AddressError
from symattn.graph import Array, Run
from symattn.literals import NEGATIVE_INFINITY
from symattn.numbers.ball import Ball, Balls
from symattn.numbers.enclosure import START, TINY, binary_exponent, to_fraction
from symattn.rounding import fixed
from symattn.steps import Step

MAX_DIGITS = 4  # decimals to which people round in between


@dataclass(frozen=True)
class Variation:
    """A change of one step.

    Attributes:
        kind: ``rounded``, ``cut``, ``scale``, ``mask``, ``softmax``, ``transpose``,
            ``variance``.
        text: what was done, as a sentence without its full stop.
        step: the step that it changes.
        value: its value, from those of a run without the change.
        digits: for a rounding, to how many decimals.
    """

    kind: str
    text: str
    step: Step
    value: Callable[[Run], Balls]
    digits: int = 0


class Variations:
    """The variations of one derivation."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self.ball = Ball(START)

    def before(self, target: Step) -> Iterator[Variation]:
        """Those that change what a step is computed from, or how; the plainest first."""
        needed = self.derivation.graph.ancestors(target.node)
        for variation in (*self._formulas(), *self._roundings(target)):
            if variation.step.node in needed and not variation.step.given:
                yield variation

    def _step(self, name: str) -> Step | None:
        try:
            return self.derivation.step(name)
        except AddressError:
            return None

    def _formulas(self) -> Iterator[Variation]:
        yield from self._scales()
        yield from self._masks()
        yield from self._products()
        yield from self._variances()

    # Dividing by something else.

    def _scales(self) -> Iterator[Variation]:
        S, Z, K = self._step("S"), self._step("Z"), self._step("K")
        if S is None or Z is None or S.node == Z.node:
            return
        E = self._step("E")
        d_k = K.shape[-1] if K is not None else None
        d_model = E.shape[-1] if E is not None else None
        used = self._divisor(S, Z)
        choices: dict[str, Any] = {"not divided by √d_k": arb(1)}
        with ctx.workprec(START):
            if d_k:
                choices |= {
                    "divided by √d_k": arb(d_k).sqrt(), "divided by d_k, not by √d_k": arb(d_k)
                }  # fmt: skip
            if d_model and d_model != d_k:
                choices |= {"divided by √d_model, not by √d_k": arb(d_model).sqrt()}
                choices |= {"divided by d_model, not by √d_k": arb(d_model)}
            if used is not None:
                for digits in (1, 2, 3):
                    for rounded in _roundings_of(used, digits):
                        text = f"divided by {fixed(rounded, digits)}, a rounded divisor"
                        choices[text] = arb(fmpq(rounded.numerator, rounded.denominator))
        for text, divisor in choices.items():
            if used is not None and used.overlaps(divisor):
                continue

            def value(run: Run, divisor: Any = divisor, S: Step = S) -> Balls:
                one = Balls.of([divisor], ())
                return self.ball.div(run[S.node], one)

            yield Variation("scale", f"{S.short} was {text}", Z, value)

    def _divisor(self, S: Step, Z: Step) -> Any:
        """What Z divides S by, from an entry that is not 0."""
        scores, scaled = (self.derivation.enclosures.at(START)[x.node] for x in (S, Z))
        with ctx.workprec(START):
            for a, b in zip(scores.flat, scaled.flat, strict=True):
                if hasattr(a, "contains") and hasattr(b, "contains") and not b.contains(0):
                    return a / b
        return None

    # Masking otherwise.

    def _masks(self) -> Iterator[Variation]:
        Z, masked, A = self._step("Z"), self._step("Z_masked"), self._step("A")
        if Z is None or masked is None or A is None or len(Z.shape) != 2:
            return
        keep = self._kept()
        if keep is None or masked.node == Z.node:
            causal = np.tri(*Z.shape, dtype=bool)
            yield Variation("mask", "a causal mask was applied", A, self._weights(Z, causal))
            return
        zero = Balls.of([arb(0)] * keep.size, keep.shape)
        yield Variation("mask", "the mask was left out", masked, lambda run: run[Z.node])
        yield Variation(
            "mask", "the mask was inverted", masked, lambda run: _hidden(run[Z.node], ~keep)
        )
        yield Variation(
            "mask",
            "the mask was multiplied: hidden scores are 0 and not −∞",
            masked,
            lambda run: self.ball.where(run[Z.node], zero, keep=keep),
        )
        yield Variation(
            "mask",
            "the mask was applied after the softmax",
            A,
            lambda run: self.ball.where(self.ball.softmax(run[Z.node]), zero, keep=keep),
        )

    def _weights(self, Z: Step, keep: Array) -> Callable[[Run], Balls]:
        return lambda run: self.ball.softmax(_hidden(run[Z.node], keep))

    def _kept(self) -> Array | None:
        """Where the mask lets through; None without a mask of 0 and −∞."""
        M = self.derivation.inputs.get("M")
        if M is None or not {*M.flat} <= {Fraction(0), NEGATIVE_INFINITY}:
            return None
        return np.array([m == 0 for m in M.flat]).reshape(M.shape)

    # Products and softmax along other axes.

    def _products(self) -> Iterator[Variation]:
        Q, K, S, A = (self._step(name) for name in "QKSA")
        if Q and K and S and len(K.shape) == 2 and Q.shape[-1] == K.shape[0]:
            text = f"{K.short} was not transposed"
            if (*Q.shape[:-1], K.shape[1]) == S.shape:

                def product(run: Run) -> Balls:
                    return self.ball.matmul(run[Q.node], run[K.node])

                yield Variation("transpose", text, S, product)
        if A and len(A.shape) == 2:
            scores = self.derivation.graph.nodes[A.node]
            if scores.op == "softmax":
                turned = np.arange(A.forms.size).reshape(A.shape)
                yield Variation(
                    "softmax",
                    "the softmax was taken over columns",
                    A,
                    lambda run: self._columns(run[scores.inputs[0]], turned),
                )

    def _columns(self, scores: Balls, places: Array) -> Balls:
        back = np.arange(places.size).reshape(places.shape[::-1])
        return self.ball.gather(self.ball.softmax(self.ball.gather(scores, places.T)), back.T)

    # Rounding in between.

    def _variances(self) -> Iterator[Variation]:
        """A norm's variance as statistics programs have it, divided by d − 1."""
        for var in self.derivation.steps:
            d = self._squares_averaged(var) if var.name == "var" else 0
            if d > 1:
                with ctx.workprec(START):
                    factor = Balls.of([arb(d) / (d - 1)], ())

                def value(run: Run, var: Step = var, factor: Balls = factor) -> Balls:
                    return self.ball.mul(run[var.node], factor)

                text = f"{var.short} was divided by d − 1 = {d - 1}, not by d = {d}"
                yield Variation("variance", text, var, value)

    def _squares_averaged(self, step: Step) -> int:
        """How many squares a step is the mean of; 0 where it is none."""
        nodes = self.derivation.graph.nodes
        path = [nodes[step.node]]
        while path[-1].op in ("div", "sum"):
            path.append(nodes[path[-1].inputs[0]])
        return path[-1].shape[-1] if [n.op for n in path] == ["div", "sum", "power"] else 0

    def _roundings(self, target: Step) -> Iterator[Variation]:
        Z, masked = self._step("Z"), self._step("Z_masked")
        for step in self.derivation.steps:
            if step.given or step.inside or step.node >= target.node or not step.shape:
                continue
            if Z is not None and masked is not None and step.node == masked.node != Z.node:
                continue  # it has the decimals of Z
            for digits in range(1, MAX_DIGITS + 1):
                if step.is_exact_at(digits):
                    break  # it has no more decimals than these: rounding changes nothing
                for kind, word in (("rounded", "rounded"), ("cut", "cut off")):
                    text = f"{step.short} was {word} to {digits} decimal{'s' * (digits > 1)} first"

                    def value(
                        run: Run, step: Step = step, digits: int = digits, kind: str = kind
                    ) -> Balls:
                        return rounded(run[step.node], digits, kind == "cut")

                    yield Variation(kind, text, step, value, digits)


def rounded(x: Balls, digits: int, cut: bool = False) -> Balls:
    """Every entry as people round it, half away from zero; or cut off, toward zero.

    A ball that holds a tie, or for cutting off a whole number of units, is taken to be it.
    """
    out = []
    with ctx.workprec(START):
        for ball in x.flat:
            is_mark = not hasattr(ball, "mid")
            if is_mark or not ball.is_finite() or binary_exponent(ball.mid()) > TINY:
                out.append(ball)  # nobody rounds a number of thousands of digits
                continue
            middle = to_fraction(ball.mid()) * 10**digits
            size = abs(middle) + to_fraction(ball.rad()) * 10**digits
            units = int(size) if cut else int(size + Fraction(1, 2))
            units = -units if middle < 0 else units
            out.append(arb(fmpq(units, 10**digits)))
    return Balls.of(out, x.shape)


def _hidden(x: Balls, keep: Array) -> Balls:
    entries = [
        ball if kept else NEGATIVE_INFINITY for ball, kept in zip(x.flat, keep.flat, strict=True)
    ]
    return Balls.of(entries, x.shape)


def _roundings_of(value: Any, digits: int) -> list[Fraction]:
    """A positive number rounded, and cut off where that is another; none if it is exact."""
    if not value.is_finite() or binary_exponent(value.mid()) > TINY:
        return []
    middle = to_fraction(value.mid())
    found = {Fraction(int(middle * 10**digits + half), 10**digits) for half in (0, Fraction(1, 2))}
    return sorted(f for f in found if f and not value.contains(fmpq(f.numerator, f.denominator)))
