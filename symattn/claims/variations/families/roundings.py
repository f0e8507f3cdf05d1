"""Rounding in between."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from flint import arb, ctx, fmpq

from symattn.claims.variations.core import Setting, Variation
from symattn.graph import Run
from symattn.numbers.ball import Balls
from symattn.numbers.enclosure import START, TINY, binary_exponent, to_fraction
from symattn.steps import Step

MAX_DIGITS = 4  # decimals to which people round in between


def variations(setting: Setting, target: Step) -> Iterator[Variation]:
    """A step before this one rounded, or cut off, to some decimals."""
    Z, masked = setting.step("Z"), setting.step("Z_masked")
    for step in setting.derivation.steps:
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
