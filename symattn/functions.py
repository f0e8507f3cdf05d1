"""Functions that models are built of: plain NumPy, each citing its source.

Shapes in the docstrings: n tokens, d features.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from symattn import tracer
from symattn.trace import primitive


@primitive(tracer.softmax)
def softmax(x: Any, axis: int = -1) -> Any:
    """Softmax: A_ij = e^{x_ij} / Σ_k e^{x_ik}; 0 where x_ij is -inf.

    Shape-preserving. Traced as one operation; on floats the row's maximum is
    subtracted first, which changes nothing but the rounding.
    Source: Goodfellow, Bengio, Courville, Deep Learning (2016), eq. 4.1.

    >>> softmax(np.array([0.0, -np.inf]))
    array([1., 0.])
    """
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


@primitive(partial(tracer.unary, "erf"))
def erf(x: Any) -> Any:
    """Error function: 2/√π ∫ e^{-t²} dt from 0 to x, entry by entry.

    Shape-preserving. Traced as one operation.
    Source: NIST Digital Library of Mathematical Functions, eq. 7.2.1.

    >>> erf(np.array([0.0, np.inf]))
    array([0., 1.])
    """
    by_entry = np.vectorize(math.erf, otypes=[float])
    return by_entry(x)


def causal_mask(n_q: int, n_k: int, offset: int = 0) -> Any:
    """Additive causal mask, n_q × n_k: query i stands at position offset + i.

    0 at keys up to the query's own position, -inf after it.
    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.3.

    >>> causal_mask(2, 2)
    array([[  0., -inf],
           [  0.,   0.]])
    """
    i = np.arange(n_q)[:, None]
    j = np.arange(n_k)
    M = np.where(j <= offset + i, 0, -np.inf)
    return M
