"""Products and softmax along other axes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symattn.claims.variations.core import Setting, Variation
from symattn.graph import Array, Run
from symattn.numbers.ball import Balls
from symattn.steps import Step


def variations(setting: Setting, target: Step) -> Iterator[Variation]:
    """Q K in place of Q Kᵀ, and the softmax of columns."""
    Q, K, S, A = (setting.step(name) for name in "QKSA")
    if Q and K and S and len(K.shape) == 2 and Q.shape[-1] == K.shape[0]:
        text = f"{K.short} was not transposed"
        if (*Q.shape[:-1], K.shape[1]) == S.shape:

            def product(run: Run) -> Balls:
                return setting.ball.matmul(run[Q.node], run[K.node])

            yield Variation("transpose", text, S, product)
    if A and len(A.shape) == 2:
        scores = setting.derivation.graph.nodes[A.node]
        if scores.op == "softmax":
            turned = np.arange(A.forms.size).reshape(A.shape)
            yield Variation(
                "softmax",
                "the softmax was taken over columns",
                A,
                lambda run: _columns(setting, run[scores.inputs[0]], turned),
            )


def _columns(setting: Setting, scores: Balls, places: Array) -> Balls:
    back = np.arange(places.size).reshape(places.shape[::-1])
    return setting.ball.gather(setting.ball.softmax(setting.ball.gather(scores, places.T)), back.T)
