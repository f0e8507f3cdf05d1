"""Dividing the scores by something else."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from symattn.claims.variations.core import Setting, Variation
from symattn.graph import Run
from symattn.numbers.ball import Balls
from symattn.numbers.enclosure import START, TINY, binary_exponent, to_fraction
from symattn.rounding import fixed
from symattn.steps import Step


def variations(setting: Setting, target: Step) -> Iterator[Variation]:
    """S divided by another number than the one that Z has."""
    S, Z, K = setting.step("S"), setting.step("Z"), setting.step("K")
    if S is None or Z is None or S.node == Z.node:
        return
    E = setting.step("E")
    d_k = K.shape[-1] if K is not None else None
    d_model = E.shape[-1] if E is not None else None
    used = _divisor(setting, S, Z)
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
            return setting.ball.div(run[S.node], one)

        yield Variation("scale", f"{S.short} was {text}", Z, value)


def _divisor(setting: Setting, S: Step, Z: Step) -> Any:
    """What Z divides S by, from an entry that is not 0."""
    scores, scaled = (setting.derivation.enclosures.at(START)[x.node] for x in (S, Z))
    with ctx.workprec(START):
        for a, b in zip(scores.flat, scaled.flat, strict=True):
            if hasattr(a, "contains") and hasattr(b, "contains") and not b.contains(0):
                return a / b
    return None


def _roundings_of(value: Any, digits: int) -> list[Fraction]:
    """A positive number rounded, and cut off where that is another; none if it is exact."""
    if not value.is_finite() or binary_exponent(value.mid()) > TINY:
        return []
    middle = to_fraction(value.mid())
    found = {Fraction(int(middle * 10**digits + half), 10**digits) for half in (0, Fraction(1, 2))}
    return sorted(f for f in found if f and not value.contains(fmpq(f.numerator, f.denominator)))
