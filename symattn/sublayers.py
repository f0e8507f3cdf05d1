"""The parts of a layer, as plain NumPy that reads like the papers: heads, norms, FFN.

Shapes in the docstrings: n tokens, m tokens of an encoder's output (memory), h heads, h_kv
heads of keys and values, dimensions d_model, d_k, d_v, d_ff. Rows are tokens. Weights of a
layer are named as in the papers, one matrix a head: W_Q is h × d_model × d_k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symattn import attention
from symattn.config import DEFAULT, Config
from symattn.errors import OptionError, ShapeError
from symattn.functions import gelu, layer_norm, relu, rms_norm, rotated, silu
from symattn.trace import inlined, model

#: Attention whose steps are those of the head that calls it.
scaled_dot_product_attention = inlined(attention.scaled_dot_product_attention)


@model(name="head", masks=("M",))
def layer_head(
    x: Any, W_Q: Any, W_K: Any, W_V: Any, memory: Any = None, M: Any = None, bias: Any = None,
    angle: Any = None, *, b_Q: Any = None, b_K: Any = None, b_V: Any = None, K_past: Any = None,
    V_past: Any = None, sink: Any = None, scale: Any = None, softcap: Any = None,
    config: Config = DEFAULT,
) -> Any:  # fmt: skip
    """One head of a layer, from its input to its output: n × d_model -> n × d_v.

    Steps: Q, K, V, with RoPE also Q_turned and K_turned, with a cache K_all and V_all, then
    those of `symattn.attention.scaled_dot_product_attention`.

    Args:
        W_Q, W_K, W_V: d_model × d_k, d_model × d_k, d_model × d_v.
        memory: m × d_model, where keys and values come from; x itself if left out.
        M: additive mask, n × (n_past + n), of 0 and -inf.
        bias: added to the scores, of the same shape.
        angle: of RoPE, n × r/2, see `symattn.functions.rope_angles`; without it nothing turns.
        b_Q, b_K, b_V: d_k, d_k, d_v.
        K_past, V_past: keys, as they were turned, and values of earlier tokens:
            n_past × d_k, n_past × d_v.
        scale: the divisor of the scores, √d_k if left out.
        sink, softcap: see `symattn.attention.scaled_dot_product_attention`.
        config: its pairing and fully_masked count here.

    Raises:
        MaskError: a row that sees no key; it is named.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.2; rotary
    positions: Su et al., RoFormer (2021), eq. 16; the cache: Shazeer, Fast Transformer
    Decoding (2019), section 2.4.1.
    """
    if memory is None:
        memory = x
    if b_Q is None:
        Q = x @ W_Q
    else:
        Q = x @ W_Q + b_Q
    if b_K is None:
        K = memory @ W_K
    else:
        K = memory @ W_K + b_K
    if b_V is None:
        V = memory @ W_V
    else:
        V = memory @ W_V + b_V
    if angle is None:
        Q_turned = Q
        K_turned = K
    elif config.pairing == "half":
        Q_turned = rotated(Q, np.cos(angle), np.sin(angle), pairing="half")
        K_turned = rotated(K, np.cos(angle), np.sin(angle), pairing="half")
    else:
        Q_turned = rotated(Q, np.cos(angle), np.sin(angle), pairing="interleaved")
        K_turned = rotated(K, np.cos(angle), np.sin(angle), pairing="interleaved")
    if K_past is None:
        K_all = K_turned
        V_all = V
    else:
        K_all = np.concatenate([K_past, K_turned])
        V_all = np.concatenate([V_past, V])
    O = scaled_dot_product_attention(
        Q_turned, K_all, V_all, M, scale,
        softcap=softcap, bias=bias, sink=sink, fully_masked=config.fully_masked,
    )  # fmt: skip
    return O


@inlined
@model(name="MultiHead", masks=("M",))
def layer_attention(
    x: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, memory: Any = None, M: Any = None,
    bias: Any = None, angle: Any = None, *, b_Q: Any = None, b_K: Any = None, b_V: Any = None,
    b_O: Any = None, K_past: Any = None, V_past: Any = None, sink: Any = None, scale: Any = None,
    softcap: Any = None, config: Config = DEFAULT,
) -> Any:  # fmt: skip
    """The heads of a layer side by side, times W_O: n × d_model -> n × d_model.

    Head q of the queries has the keys and values of head ⌊q / (h / h_kv)⌋.

    Args:
        W_Q: h × d_model × d_k; W_K, W_V: h_kv × d_model × d_k, h_kv × d_model × d_v.
        W_O: h·d_v × d_model.
        b_Q, b_K, b_V, b_O: h × d_k, h_kv × d_k, h_kv × d_v, d_model.
        bias: for all heads, or h of them in front.
        sink: of each head, h.
        K_past, V_past: h_kv × n_past × d_k, h_kv × n_past × d_v.
        The others: see `layer_head`.

    Raises:
        ShapeError: h is not divisible by h_kv.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.2; grouped heads:
    Ainslie et al., GQA (2023), section 2.2.
    """
    h, h_kv = len(W_Q), len(W_K)
    if h % h_kv:
        raise ShapeError(f"wanted a number of query heads divisible by h_kv = {h_kv}, got h = {h}")
    g = h // h_kv
    O = [
        layer_head(
            x, W_Q[i], W_K[i // g], W_V[i // g], memory, M,
            bias if bias is None or bias.ndim < 3 else bias[i], angle,
            b_Q=None if b_Q is None else b_Q[i],
            b_K=None if b_K is None else b_K[i // g],
            b_V=None if b_V is None else b_V[i // g],
            K_past=None if K_past is None else K_past[i // g],
            V_past=None if V_past is None else V_past[i // g],
            sink=None if sink is None else sink[i],
            scale=scale, softcap=softcap, config=config,
        )
        for i in range(h)
    ]  # fmt: skip
    H = np.concatenate(O, axis=-1)
    if b_O is None:
        attn = H @ W_O
    else:
        attn = H @ W_O + b_O
    return attn


@model(name="cross", masks=("M",))
def cross_attention(
    x: Any, memory: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, M: Any = None, **options: Any
) -> Any:
    """Attention of a decoder to an encoder's output, in a scope of its own: n × d_model.

    Args:
        memory: m × d_model.
        M: additive mask, n × m, such as `symattn.functions.padding_mask`.
        W_Q, W_K, W_V, W_O, options: see `layer_attention`.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.3, first item.
    """
    return layer_attention(x, W_Q, W_K, W_V, W_O, memory, M, **options)


@inlined
@model(name="Norm")
def normalised(
    x: Any, gamma: Any = None, beta: Any = None, eps: Any = None, *, norm_kind: str = "layer"
) -> Any:
    """LayerNorm or RMSNorm of each row, by name. Shape-preserving: … × d.

    Args:
        gamma, beta, eps: see `symattn.functions.layer_norm`; its ε where eps is left out.
        norm_kind: ``"layer"`` or ``"rms"``, which has no beta.

    Raises:
        OptionError: another kind, or a beta for RMSNorm.

    Source: see `symattn.functions.layer_norm` and `symattn.functions.rms_norm`.
    """
    if norm_kind not in ("layer", "rms"):
        raise OptionError(f"norm_kind: wanted 'layer' or 'rms', got {norm_kind!r}")
    if norm_kind == "rms" and beta is not None:
        raise OptionError("beta: wanted with LayerNorm only; RMSNorm has none")
    if norm_kind == "layer" and eps is None:
        return layer_norm(x, gamma, beta)
    if norm_kind == "layer":
        return layer_norm(x, gamma, beta, eps)
    if eps is None:
        return rms_norm(x, gamma)
    return rms_norm(x, gamma, eps)


@inlined
@model(name="before")
def norm_before(x: Any, gamma: Any, beta: Any, eps: Any, config: Config) -> Any:
    """What a sub-layer reads: the rows normalised where norms come first, else as they are.

    Raises:
        OptionError: a gain or shift where there is no norm.

    Source: Xiong et al., On Layer Normalization in the Transformer Architecture (2020),
    table 1: Pre-LN.
    """
    if config.norm == "none" and (gamma is not None or beta is not None):
        raise OptionError("gamma, beta: wanted with a norm only; norm is 'none'")
    if config.norm not in ("pre", "sandwich"):
        return x
    return normalised(x, gamma, beta, eps, norm_kind=config.norm_kind)


@inlined
@model(name="within")
def norm_within(x: Any, gamma: Any, beta: Any, eps: Any, config: Config) -> Any:
    """What a sub-layer gives before it is added: normalised in a sandwich, else as it is.

    Raises:
        OptionError: a gain or shift where there is no such norm.

    Source: Ding et al., CogView (2021), section 2.4: Sandwich-LN; Gemma Team, Gemma 2
    (2024), section 2, "Post-norm and pre-norm with RMSNorm".
    """
    if config.norm != "sandwich" and (gamma is not None or beta is not None):
        raise OptionError(f"gamma_1_post, …: wanted in a sandwich only; norm is {config.norm!r}")
    if config.norm != "sandwich":
        return x
    return normalised(x, gamma, beta, eps, norm_kind=config.norm_kind)


@inlined
@model(name="after")
def norm_after(x: Any, gamma: Any, beta: Any, eps: Any, config: Config) -> Any:
    """What a sub-layer hands on: the sum normalised where norms come last, else as it is.

    Source: Xiong et al., On Layer Normalization in the Transformer Architecture (2020),
    table 1: Post-LN, the placement of Vaswani et al. (2017), section 3.1.
    """
    if config.norm != "post":
        return x
    return normalised(x, gamma, beta, eps, norm_kind=config.norm_kind)


@model(name="FFN")
def feed_forward_network(
    x: Any,
    W_1: Any,
    W_2: Any,
    b_1: Any = None,
    b_2: Any = None,
    W_gate: Any = None,
    b_gate: Any = None,
    *,
    kind: str,
    gelu_kind: str = "",
) -> Any:
    """Position-wise feed-forward network of any kind: n × d_model -> n × d_model.

    f(x W_1 + b_1) W_2 + b_2, or gated: (f(x W_gate + b_gate) ⊙ (x W_1 + b_1)) W_2 + b_2.
    Steps: u = x W_1 + b_1, g of the gate, f its activation, a what W_2 multiplies, F.

    Args:
        W_1, W_gate: d_model × d_ff; W_2: d_ff × d_model. Biases are optional.
        kind: f is ``"linear"`` (x itself), ``"relu"``, ``"gelu"`` or ``"silu"``; ``"swiglu"``
            is gated with SiLU, ``"geglu"`` with GELU.
        gelu_kind: ``"erf"`` or ``"tanh"``, wanted where GELU is.

    Raises:
        OptionError: another kind, or a GELU that is not named.
        ShapeError: a gate without W_gate, or W_gate without a gate.

    Source: Vaswani et al. (2017), eq. 2; gated: Shazeer, GLU Variants Improve Transformer
    (2020), eq. 6 (his W is W_gate here, his V is W_1).
    """
    kinds = ("linear", "relu", "gelu", "silu", "swiglu", "geglu")
    if kind not in kinds:
        raise OptionError(f"kind: wanted one of {', '.join(kinds)}, got {kind!r}")
    if kind.startswith("ge") != bool(gelu_kind):
        raise OptionError(f"gelu_kind: wanted 'erf' or 'tanh' with a GELU only, got {gelu_kind!r}")
    if kind.endswith("glu") != (W_gate is not None):
        raise ShapeError(f"W_gate: wanted with swiglu and geglu, and only there; kind is {kind!r}")
    if b_gate is not None and W_gate is None:
        raise ShapeError("b_gate: wanted with W_gate only")
    if b_1 is None:
        u = x @ W_1
    else:
        u = x @ W_1 + b_1
    if W_gate is None:
        g = u
    elif b_gate is None:
        g = x @ W_gate
    else:
        g = x @ W_gate + b_gate
    if kind == "linear":
        f = g
    elif kind == "relu":
        f = relu(g)
    elif kind in ("silu", "swiglu"):
        f = silu(g)
    elif gelu_kind == "tanh":
        f = gelu(g, kind="tanh")
    elif gelu_kind == "erf":
        f = gelu(g, kind="erf")
    else:
        raise OptionError(f"gelu_kind: wanted 'erf' or 'tanh', got {gelu_kind!r}")
    if W_gate is None:
        a = f
    else:
        a = f * u
    if b_2 is None:
        F = a @ W_2
    else:
        F = a @ W_2 + b_2
    return F
