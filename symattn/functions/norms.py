"""Normalisations of each row."""

from __future__ import annotations

from typing import Any

import numpy as np


def layer_norm(x: Any, gamma: Any = None, beta: Any = None, eps: Any = 1e-5) -> Any:
    """Layer normalisation over the last axis: (x - μ)/√(σ² + ε) ⊙ γ + β.

    Shape-preserving: … × d. σ² is the population variance (divided by d), ε stands
    inside the root.

    Args:
        gamma, beta: of d entries; left out, the normalised rows are not scaled or moved.
        eps: exact: the default is 1/100000.

    Raises:
        ExactnessError: when derived, a row of equal entries with ε = 0; the row is named.

    Source: Ba, Kiros, Hinton, Layer Normalization (2016), eq. 3 and 4.

    >>> layer_norm(np.array([1.0, 2.0, 3.0, 4.0]), eps=0).round(4)
    array([-1.3416, -0.4472,  0.4472,  1.3416])
    """
    mu = np.mean(x, axis=-1, keepdims=True)
    var = np.mean((x - mu) ** 2, axis=-1, keepdims=True)
    sigma = np.sqrt(var + eps)
    x_hat = (x - mu) / sigma
    if gamma is not None and beta is not None:
        y = x_hat * gamma + beta
    elif gamma is not None:
        y = x_hat * gamma
    elif beta is not None:
        y = x_hat + beta
    else:
        y = x_hat
    return y


def rms_norm(x: Any, gamma: Any = None, eps: Any = 1e-5) -> Any:
    """Root mean square normalisation over the last axis: x/√(mean(x²) + ε) ⊙ γ.

    Shape-preserving: … × d.

    Args:
        gamma: of d entries; left out, the normalised rows are not scaled.
        eps: exact: the default is 1/100000; the paper has none.

    Raises:
        ExactnessError: when derived, a row of zeros with ε = 0; the row is named.

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization (2019), eq. 4.

    >>> rms_norm(np.array([3.0, 4.0]), eps=0).round(4)
    array([0.8485, 1.1314])
    """
    ms = np.mean(x**2, axis=-1, keepdims=True)
    x_hat = x / np.sqrt(ms + eps)
    if gamma is None:
        y = x_hat
    else:
        y = x_hat * gamma
    return y
