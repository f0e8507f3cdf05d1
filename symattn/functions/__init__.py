"""Functions that models are built of: plain NumPy, each citing its source.

Shapes in the docstrings: n tokens, d features. Each is traced like a user's own: it is
exact, float or enclosed, as the number system is. Called with arrays, it is NumPy.
"""

from symattn.functions.activations import erf, gelu, relu, sigmoid, silu, swish
from symattn.functions.masks import (
    additive_mask,
    causal_mask,
    intersection,
    padding_mask,
    prefix_mask,
    sliding_window_mask,
    union,
)
from symattn.functions.norms import layer_norm, rms_norm
from symattn.functions.positions import (
    alibi_bias,
    alibi_slopes,
    rope,
    rope_angles,
    rotated,
    sinusoidal_positions,
)
from symattn.functions.softmaxes import (
    cross_entropy,
    log_softmax,
    softcap,
    softmax,
    tempered_softmax,
)

__all__ = [
    "additive_mask",
    "alibi_bias",
    "alibi_slopes",
    "causal_mask",
    "cross_entropy",
    "erf",
    "gelu",
    "intersection",
    "layer_norm",
    "log_softmax",
    "padding_mask",
    "prefix_mask",
    "relu",
    "rms_norm",
    "rope",
    "rope_angles",
    "rotated",
    "sigmoid",
    "silu",
    "sinusoidal_positions",
    "sliding_window_mask",
    "softcap",
    "softmax",
    "swish",
    "tempered_softmax",
    "union",
]
