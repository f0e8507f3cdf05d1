"""Masking otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from flint import arb

from symattn.claims.variations.core import Setting, Variation
from symattn.graph import Array, Run
from symattn.literals import NEGATIVE_INFINITY
from symattn.numbers.ball import Balls
from symattn.steps import Step


def variations(setting: Setting, target: Step) -> Iterator[Variation]:
    """Another mask, or the same one put elsewhere."""
    Z, masked, A = setting.step("Z"), setting.step("Z_masked"), setting.step("A")
    if Z is None or masked is None or A is None or len(Z.shape) != 2:
        return
    keep = _kept(setting)
    if keep is None or masked.node == Z.node:
        causal = np.tri(*Z.shape, dtype=bool)
        yield Variation("mask", "a causal mask was applied", A, _weights(setting, Z, causal))
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
        lambda run: setting.ball.where(run[Z.node], zero, keep=keep),
    )
    yield Variation(
        "mask",
        "the mask was applied after the softmax",
        A,
        lambda run: setting.ball.where(setting.ball.softmax(run[Z.node]), zero, keep=keep),
    )


def _weights(setting: Setting, Z: Step, keep: Array) -> Callable[[Run], Balls]:
    return lambda run: setting.ball.softmax(_hidden(run[Z.node], keep))


def _kept(setting: Setting) -> Array | None:
    """Where the mask lets through; None without a mask of 0 and −∞."""
    M = setting.derivation.inputs.get("M")
    if M is None or not {*M.flat} <= {Fraction(0), NEGATIVE_INFINITY}:
        return None
    return np.array([m == 0 for m in M.flat]).reshape(M.shape)


def _hidden(x: Balls, keep: Array) -> Balls:
    entries = [
        ball if kept else NEGATIVE_INFINITY for ball, kept in zip(x.flat, keep.flat, strict=True)
    ]
    return Balls.of(entries, x.shape)
