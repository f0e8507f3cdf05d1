"""Activations, entry by entry."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from symattn import tracer
from symattn.errors import OptionError
from symattn.trace import primitive


@primitive(partial(tracer.unary, "erf"))
def erf(x: Any) -> Any:
    """The error function: (2/√π) ∫ e^{-t²} dt from 0 to x. Shape-preserving.

    NumPy has none; in a traced function this one is exact.
    Source: NIST Digital Library of Mathematical Functions, eq. 7.2.1.

    >>> erf(np.array([0.0, 1.0])).round(6)
    array([0.      , 0.842701])
    """
    x = np.asarray(x)
    return np.vectorize(math.erf, otypes=[x.dtype if x.dtype.kind == "f" else float])(x)


def relu(x: Any) -> Any:
    """Rectifier: max(0, x). Shape-preserving; a hidden zero is decided, or said to be undecided.

    Source: Nair and Hinton, Rectified Linear Units Improve Restricted Boltzmann Machines (2010).
    """
    return np.maximum(0, x)


def sigmoid(x: Any) -> Any:
    """Logistic sigmoid: 1 / (1 + e^{-x}). Shape-preserving.

    Source: Goodfellow, Bengio, Courville, Deep Learning (2016), eq. 3.30.
    """
    return 1 / (1 + np.exp(-x))


def swish(x: Any, beta: Any = 1) -> Any:
    """Swish: x·σ(βx). Shape-preserving.

    Source: Ramachandran, Zoph, Le, Searching for Activation Functions (2017), section 4.
    """
    return x * sigmoid(beta * x)


def silu(x: Any) -> Any:
    """Sigmoid-weighted linear unit: x·σ(x), which is Swish with β = 1. Shape-preserving.

    Source: Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2.
    """
    return x * sigmoid(x)


def gelu(x: Any, *, kind: str) -> Any:
    """Gaussian error linear unit. Shape-preserving.

    Args:
        kind: ``"erf"``, x·Φ(x) itself, or ``"tanh"``, the approximation of the same paper.
            They differ in the fourth digit; so the kind is always named.

    Raises:
        OptionError: another kind.

    Source: Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2.

    >>> gelu(np.array([1.0]), kind="erf").round(6), gelu(np.array([1.0]), kind="tanh").round(6)
    (array([0.841345]), array([0.841192]))
    """
    if kind == "erf":
        return x / 2 * (1 + erf(x / np.sqrt(2)))
    if kind == "tanh":
        return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    raise OptionError(f"gelu: wanted kind 'erf' or 'tanh', got {kind!r}")
