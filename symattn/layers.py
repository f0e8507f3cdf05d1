"""Layers of encoders and decoders, and stacks of them, as plain NumPy.

Shapes in the docstrings: n tokens, m tokens of an encoder's output (memory), N layers, h heads,
h_kv heads of keys and values, dimensions d_model, d_k, d_v, d_ff. Rows are tokens.

Weights are passed by name; `symattn.config` lists them with their axes. A layer's W_Q is
h × d_model × d_k. A stack takes the same names with one axis more, in front, that counts the
layers: W_Q is N × h × d_model × d_k, and its layer i is W_Q[i]. A number, such as eps, is that
of every layer. Biases, gains and shifts may be left out, in every layer alike. Steps of head j
of layer i stand at ``layer[i].head[j].A``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symattn.config import (
    DEFAULT,
    NUMBERS,
    OF_ATTENTION,
    OF_CROSS_ATTENTION,
    OF_DECODER_LAYER,
    OF_ENCODER_LAYER,
    OF_FFN,
    Config,
    check_weights,
    has_window,
)
from symattn.errors import OptionError, ShapeError
from symattn.functions import alibi_bias, causal_mask, rope_angles, sliding_window_mask
from symattn.sublayers import (
    cross_attention,
    feed_forward_network,
    layer_attention,
    norm_after,
    norm_before,
    norm_within,
    normalised,
)
from symattn.trace import inlined, model


@model(name="SelfAttention", masks=("M",))
def self_attention(
    E: Any,
    M: Any = None,
    bias: Any = None,
    *,
    offset: int = 0,
    config: Config = DEFAULT,
    **weights: Any,
) -> Any:
    """Multi-head self-attention with its mask and its positions: n × d_model -> n × d_model.

    Args:
        M: additive mask, n × n; without it the mask and the window that config says.
        bias: added to the scores, n × n, or h × n × n.
        offset: the position of the first row.
        weights: W_Q, W_K, W_V, W_O, h × … as a layer has them, b_Q, b_K, b_V, b_O, a sink of
            each head; numbers: scale, softcap, and base of RoPE's angles.

    Raises:
        OptionError: a weight that nothing reads.
        ShapeError: h is not divisible by h_kv.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.2.
    """
    check_weights(weights, (*OF_ATTENTION, "scale", "softcap", "base"), "self-attention")
    n = len(E)
    M, M_window = masks_of(n, 0, M, config)
    slopes, angle = positions_of(n, 0, offset, config, weights)
    if bias is None:
        bias = slopes
    here = {k: W for k, W in weights.items() if k != "base"}
    return layer_attention(E, M=M_window, bias=bias, angle=angle, config=config, **here)


@inlined
@model(name="attended")
def attended(
    x: Any, M: Any, bias: Any, angle: Any, config: Config, weights: Any, memory: Any = None
) -> Any:
    """A layer's self-attention with the norms around it and its residual: n × d_model.

    Source: see `encoder_layer`.
    """
    w = weights.get
    read = norm_before(x, w("gamma_1"), w("beta_1"), w("eps"), config)
    attn = layer_attention(
        read, M=M, bias=bias, angle=angle, config=config,
        **{k: W for k, W in weights.items() if k in (*OF_ATTENTION, "scale", "softcap")},
    )  # fmt: skip
    f_1 = norm_within(attn, w("gamma_1_post"), w("beta_1_post"), w("eps"), config)
    r_1 = x + f_1
    x_1 = norm_after(r_1, w("gamma_1"), w("beta_1"), w("eps"), config)
    return x_1


@inlined
@model(name="fed")
def fed(x: Any, i: int, config: Config, weights: Any) -> Any:
    """A layer's feed-forward network with the norms around it and its residual: n × d_model.

    Args:
        i: which norm of the layer stands here: 2, or 3 after cross-attention.

    Source: see `encoder_layer`.
    """
    if config.ffn == "none":
        return x
    w = weights.get
    read = norm_before(x, w(f"gamma_{i}"), w(f"beta_{i}"), w("eps"), config)
    F = feed_forward_network(
        read, kind=config.ffn, gelu_kind=config.gelu,
        **{k: W for k, W in weights.items() if k in OF_FFN},
    )  # fmt: skip
    f_2 = norm_within(F, w(f"gamma_{i}_post"), w(f"beta_{i}_post"), w("eps"), config)
    r_2 = x + f_2
    x_2 = norm_after(r_2, w(f"gamma_{i}"), w(f"beta_{i}"), w("eps"), config)
    return x_2


@model(name="layer", masks=("M",))
def encoder_layer(
    x: Any, M: Any = None, bias: Any = None, angle: Any = None, *,
    config: Config = DEFAULT, **weights: Any,
) -> Any:  # fmt: skip
    """A layer of an encoder, or of a decoder alone: attention, then a feed-forward network.

    n × d_model -> n × d_model. Each is added to what it reads (the residual). Steps beside
    those of heads, norms and FFN: r_1 and r_2, the sums. Without a mask every token sees all.

    Args:
        M: additive mask, n × n, of 0 and -inf.
        bias: added to the scores, n × n, or h × n × n.
        angle: of RoPE, see `symattn.functions.rope_angles`.
        weights: W_Q, W_K, W_V, W_O, W_1, W_2, and as they are wanted the others of
            `symattn.config`; eps, scale and softcap are numbers.

    Raises:
        OptionError: a weight that nothing reads, or a gain without a norm.
        ShapeError: when traced, shapes that do not fit.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.1 and figure 1;
    GPT-2: Radford et al., Language Models are Unsupervised Multitask Learners (2019),
    section 2.3; Llama: Touvron et al., LLaMA (2023), section 2.2.
    """
    check_weights(weights, OF_ENCODER_LAYER, "a layer")
    x_1 = attended(x, M, bias, angle, config, weights)
    return fed(x_1, 2, config, weights)


@model(name="layer", masks=("M", "M_cross"))
def decoder_layer(
    x: Any, memory: Any, M: Any = None, M_cross: Any = None, bias: Any = None, angle: Any = None,
    *, config: Config = DEFAULT, **weights: Any,
) -> Any:  # fmt: skip
    """A layer of a decoder: masked self-attention, cross-attention, FFN; n × d_model.

    Heads of self-attention are ``head[j]``, those of cross-attention ``cross[0].head[j]``.

    Args:
        memory: m × d_model, what the encoder gave.
        M: additive mask of self-attention, n × n; causal if left out.
        M_cross: additive mask of cross-attention, n × m.
        weights: those of `encoder_layer`, and W_Q_cross, W_K_cross, W_V_cross, W_O_cross
            and their biases. Norm 2 is that at cross-attention, 3 that at the FFN.
        The others: see `encoder_layer`.

    Raises:
        OptionError, ShapeError: see `encoder_layer`.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.1 and figure 1.
    """
    check_weights(weights, OF_DECODER_LAYER, "a decoder's layer")
    if M is None:
        M = causal_mask(len(x), len(x))
    w = weights.get
    x_1 = attended(x, M, bias, angle, config, weights)
    read = norm_before(x_1, w("gamma_2"), w("beta_2"), w("eps"), config)
    cross = {
        k.removesuffix("_cross"): W
        for k, W in weights.items()
        if k in (*OF_CROSS_ATTENTION, "scale", "softcap")
    }
    attn = cross_attention(read, memory, M=M_cross, config=config, **cross)
    f_c = norm_within(attn, w("gamma_2_post"), w("beta_2_post"), w("eps"), config)
    r_c = x_1 + f_c
    x_c = norm_after(r_c, w("gamma_2"), w("beta_2"), w("eps"), config)
    return fed(x_c, 3, config, weights)


@inlined
@model(name="masks")
def masks_of(n_q: int, n_past: int, M: Any, config: Config) -> Any:
    """The mask of layers that see all they may, and of those that see a window of it.

    Each is n_q × (n_past + n_q), or None where nothing is hidden.

    Source: see `symattn.functions.causal_mask` and `symattn.functions.sliding_window_mask`.
    """
    if M is None and config.mask == "causal":
        M = causal_mask(n_q, n_past + n_q, n_past)
    if config.window is None:
        return M, M
    window = sliding_window_mask(n_q, n_past + n_q, config.window, n_past)
    if M is None:
        M_window = window
    else:
        M_window = M + window
    return M, M_window


@inlined
@model(name="shared")
def positions_of(n_q: int, n_past: int, offset: int, config: Config, weights: Any) -> Any:
    """What positions add to every layer: a bias of the scores (ALiBi), or angles (RoPE).

    Source: see `symattn.functions.alibi_bias` and `symattn.functions.rope_angles`.
    """
    if config.positions == "alibi":
        bias = alibi_bias(weights["W_Q"].shape[-3], n_q, n_past + n_q, n_past)
        return bias, None
    if config.positions != "rope":
        return None, None
    r = config.rope_dimensions or weights["W_K"].shape[-1]
    m = np.arange(n_q)
    base = weights.get("base", 10000)
    angle = rope_angles(m, r, base, offset)
    return None, angle


@inlined
@model(name="layers_in")
def layers_in(weights: Any) -> int:
    """How many layers the weights of a stack have in front: N.

    Raises:
        OptionError: no W_Q.
        ShapeError: a weight that has other than W_Q's number of layers.

    Source: none; the layers are the first axis.
    """
    if "W_Q" not in weights:
        raise OptionError("W_Q: missing; wanted N × h × d_model × d_k")
    N = len(weights["W_Q"])
    for name, W in weights.items():
        if W is not None and name not in NUMBERS and len(W) != N:
            raise ShapeError(f"{name}: wanted {N} layers in front, as in W_Q, got {len(W)}")
    return N


@inlined
@model(name="of_layer")
def of_layer(weights: Any, i: int) -> Any:
    """What layer i takes out of the weights of a stack, by name: W_Q[i], W_K[i] and so on.

    RoPE's base is not among it: layers get the angles that are made of it.

    Source: none; the layers are the first axis.
    """
    return {
        name: W if W is None or name in NUMBERS else W[i]
        for name, W in weights.items()
        if name != "base"
    }


@inlined
@model(name="Final")
def final_norm(x: Any, gamma_out: Any, beta_out: Any, eps: Any, config: Config) -> Any:
    """The norm after the last layer, where there is one. Shape-preserving: n × d_model.

    Raises:
        OptionError: a gain or shift where there is no norm.

    Source: Radford et al. (2019), section 2.3: "an additional layer normalization".
    """
    if config.norm_out:
        return normalised(x, gamma_out, beta_out, eps, norm_kind=config.norm_kind)
    if gamma_out is not None or beta_out is not None:
        raise OptionError("gamma_out, beta_out: wanted with norm_out only")
    return x


@model(name="encoder", masks=("M",))
def encoder(
    E: Any, M: Any = None, bias: Any = None, *, gamma_out: Any = None, beta_out: Any = None,
    offset: int = 0, config: Config = DEFAULT, **weights: Any,
) -> Any:  # fmt: skip
    """A stack of N layers, with or without a causal mask: n × d_model -> n × d_model.

    With ``mask="causal"`` it is a decoder alone, as GPT and Llama are.

    Args:
        M: additive mask, n × n; without it the mask that config says.
        bias: added to every layer's scores, n × n, or h × n × n.
        gamma_out, beta_out: of the norm after the last layer, where config has one.
        offset: the position of the first row. After K_past and V_past it is what they stand for,
            n_past tokens, unless theirs began later than at 0.
        weights: of all layers, each with its layers in front: W_Q is N × h × d_model × d_k;
            see `encoder_layer`. Numbers: eps, scale, softcap, and base of RoPE's angles.

    Raises:
        OptionError, ShapeError: see `encoder_layer`.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.1; a decoder alone:
    Radford et al. (2019), section 2.3; Touvron et al., LLaMA (2023), section 2.2.
    """
    x = E
    n = len(x)
    n_past = weights["K_past"].shape[-2] if "K_past" in weights else 0
    M, M_window = masks_of(n, n_past, M, config)
    slopes, angle = positions_of(n, n_past, offset, config, weights)
    if bias is None:
        bias = slopes
    for i in range(layers_in(weights)):
        seen = M_window if has_window(config, i) else M
        x = encoder_layer(x, seen, bias, angle, config=config, **of_layer(weights, i))
    y = final_norm(x, gamma_out, beta_out, weights.get("eps"), config)
    return y


@model(name="decoder", masks=("M", "M_cross"))
def decoder(
    x: Any, memory: Any, M: Any = None, M_cross: Any = None, *, gamma_out: Any = None,
    beta_out: Any = None, config: Config = DEFAULT, **weights: Any,
) -> Any:  # fmt: skip
    """A decoder of N layers over an encoder's output: n × d_model -> n × d_model.

    Args:
        memory: m × d_model, read by every layer.
        M: additive mask of self-attention, n × n; causal if left out.
        M_cross: additive mask of cross-attention, n × m.
        gamma_out, beta_out: see `encoder`.
        weights: of all layers, as in `encoder`; see `decoder_layer`.

    Raises:
        OptionError, ShapeError: see `decoder_layer`.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.1.
    """
    n = len(x)
    if M is None:
        M = causal_mask(n, n)
    bias, angle = positions_of(n, 0, 0, config, weights)
    for i in range(layers_in(weights)):
        here = of_layer(weights, i)
        x = decoder_layer(x, memory, M, M_cross, bias, angle, config=config, **here)
    y = final_norm(x, gamma_out, beta_out, weights.get("eps"), config)
    return y
