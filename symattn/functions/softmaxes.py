"""Softmax and what is near to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symattn import tracer
from symattn.errors import OptionError, ShapeError
from symattn.numbers.arrays import check_rows
from symattn.trace import primitive


def _record(x: Any, axis: int = -1, fully_masked: str = "error") -> Any:
    _check(fully_masked)
    return tracer.softmax(x, axis, fully_masked)


@primitive(_record)
def softmax(x: Any, axis: int = -1, fully_masked: str = "error") -> Any:
    """Softmax: A_ij = e^{x_ij} / Σ_k e^{x_ik}; 0 where x_ij is -inf.

    Shape-preserving. Traced as one operation; on floats the row's maximum is
    subtracted first, which changes nothing but the rounding.

    Args:
        fully_masked: ``"error"``, or ``"zero"``: a row of -inf alone gives a row of 0.

    Raises:
        MaskError: a row of -inf alone; it is named.

    Source: Goodfellow, Bengio, Courville, Deep Learning (2016), eq. 4.1.

    >>> softmax(np.array([0.0, -np.inf]))
    array([1., 0.])
    """
    _check(fully_masked)
    rows = np.moveaxis(np.asarray(x), axis, -1)
    full = check_rows(np.isneginf(rows), fully_masked == "zero")
    shown = np.where(full, 0, rows)
    e = np.exp(shown - np.max(shown, axis=-1, keepdims=True))
    A = e / np.sum(e, axis=-1, keepdims=True)
    return np.moveaxis(np.where(full, 0, A), -1, axis)


def _check(fully_masked: str) -> None:
    if fully_masked not in ("error", "zero"):
        raise OptionError(f"fully_masked: wanted 'error' or 'zero', got {fully_masked!r}")


def tempered_softmax(x: Any, temperature: Any) -> Any:
    """Softmax of x/T: flatter for T > 1, sharper for T < 1. Shape-preserving.

    Source: Hinton, Vinyals, Dean, Distilling the Knowledge in a Neural Network (2015), eq. 1.
    """
    return softmax(x / temperature)


def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithm of softmax: x_ij - log Σ_k e^{x_ik}; -inf where x_ij is -inf.

    Shape-preserving. The row's maximum m, which cancels, keeps floats from overflowing.
    Source: Goodfellow, Bengio, Courville, Deep Learning (2016), eq. 6.30.

    >>> log_softmax(np.array([1000.0, 1000.0])).round(6)
    array([-0.693147, -0.693147])
    """
    m = np.max(x, axis=axis, keepdims=True)
    return x - m - np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True))


def cross_entropy(logits: Any, targets: Sequence[int]) -> Any:
    """Cross-entropy of every position: L_i = -log softmax(logits)_{i, target of i}; n numbers.

    Their mean is the loss that language models are trained on.

    Args:
        logits: n × |V|.
        targets: n columns of them, one a position.

    Raises:
        ShapeError: not as many targets as positions.

    Source: Goodfellow, Bengio, Courville, Deep Learning (2016), eq. 6.12 and 6.30.

    >>> cross_entropy(np.array([[0.0, 0.0], [0.0, np.log(3)]]), [0, 1]).round(6)
    array([0.693147, 0.287682])
    """
    n = len(logits)
    if len(targets) != n:
        raise ShapeError(f"targets: wanted {n}, one a position, got {len(targets)}")
    log_P = log_softmax(logits)
    L = -log_P[np.arange(n), targets]
    return L


def softcap(x: Any, c: Any) -> Any:
    """Soft cap: c·tanh(x/c), between -c and c. Shape-preserving.

    Of scores it is taken before the mask: after it, -inf would become -c.
    Source: Gemma Team, Gemma 2 (2024), section 2, "Logit soft-capping".
    """
    return c * np.tanh(x / c)
