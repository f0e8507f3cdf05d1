"""Whole blocks of Transformers, and stacks of them, as plain NumPy that reads like the papers.

Shapes in the docstrings: n tokens, m tokens of an encoder's output (memory), N layers, h heads,
h_kv heads of keys and values, dimensions d_model, d_k, d_v, d_ff, |V| words. Rows are tokens.

Weights of a layer are named as in the papers, one matrix a head: W_Q is h × d_model × d_k. A
stack takes the same names with one axis more, in front, that counts the layers: W_Q is
N × h × d_model × d_k, and its layer i is W_Q[i]. What is left out, biases and gains, is left
out in every layer. Steps of head j of layer i stand at ``layer[i].head[j].A``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symattn import attention
from symattn.errors import OptionError, ShapeError
from symattn.functions import causal_mask, layer_norm, rms_norm, rope, sinusoidal_positions
from symattn.trace import inlined, model
from symattn.transformer import feed_forward_network

#: Attention whose steps are those of the head that calls it.
scaled_dot_product_attention = inlined(attention.scaled_dot_product_attention)


@model(name="head", masks=("M",))
def layer_head(
    x: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    memory: Any = None,
    M: Any = None,
    scale: Any = None,
    *,
    b_Q: Any = None,
    b_K: Any = None,
    b_V: Any = None,
    pairing: str = "",
    base: Any = 10000,
) -> Any:
    """One head of a layer, from its input to its output: n × d_model -> n × d_v.

    Steps: Q, K, V, with RoPE also Q_turned and K_turned, then those of
    `symattn.attention.scaled_dot_product_attention`.

    Args:
        W_Q, W_K, W_V: d_model × d_k, d_model × d_k, d_model × d_v.
        memory: m × d_model, where keys and values come from; x itself if left out.
        M: additive mask, n × m, of 0 and -inf.
        scale: the divisor of the scores, √d_k if left out.
        b_Q, b_K, b_V: d_k, d_k, d_v.
        pairing: of RoPE, ``"interleaved"`` or ``"half"``; without it nothing is turned.
        base: of RoPE's angles.

    Raises:
        OptionError: another pairing.
        MaskError: a row that sees no key; it is named.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.2; rotary
    positions: Su et al., RoFormer (2021), eq. 16.
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
    if pairing:
        Q_turned = rope(Q, base=base, pairing=pairing)
        K_turned = rope(K, base=base, pairing=pairing)
    else:
        Q_turned = Q
        K_turned = K
    O = scaled_dot_product_attention(Q_turned, K_turned, V, M, scale)
    return O


@inlined
@model(name="MultiHead", masks=("M",))
def layer_attention(
    x: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    W_O: Any,
    memory: Any = None,
    M: Any = None,
    *,
    b_Q: Any = None,
    b_K: Any = None,
    b_V: Any = None,
    b_O: Any = None,
    pairing: str = "",
    base: Any = 10000,
) -> Any:
    """The heads of a layer side by side, times W_O: n × d_model -> n × d_model.

    Head q of the queries has the keys and values of head ⌊q / (h / h_kv)⌋.

    Args:
        W_Q: h × d_model × d_k; W_K, W_V: h_kv × d_model × d_k, h_kv × d_model × d_v.
        W_O: h·d_v × d_model.
        b_Q, b_K, b_V, b_O: h × d_k, h_kv × d_k, h_kv × d_v, d_model.
        memory, M, pairing, base: see `layer_head`.

    Raises:
        ShapeError: h is not divisible by h_kv.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.2; grouped heads:
    Ainslie et al., GQA (2023), section 2.2.
    """
    h, h_kv = len(W_Q), len(W_K)
    if h % h_kv:
        raise ShapeError(f"wanted a number of query heads divisible by h_kv = {h_kv}, got h = {h}")
    g = h // h_kv
    b_Q, b_K, b_V = ([None] * h if b is None else b for b in (b_Q, b_K, b_V))
    head = [
        layer_head(
            x, W_Q[i], W_K[i // g], W_V[i // g], memory, M,
            b_Q=b_Q[i], b_K=b_K[i // g], b_V=b_V[i // g], pairing=pairing, base=base,
        )
        for i in range(h)
    ]  # fmt: skip
    H = np.concatenate(head, axis=-1)
    if b_O is None:
        mixed = H @ W_O
    else:
        mixed = H @ W_O + b_O
    return mixed


@model(name="cross", masks=("M",))
def cross_attention(
    x: Any, memory: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, M: Any = None, **biases: Any
) -> Any:
    """Attention of a decoder to an encoder's output, in a scope of its own: n × d_model.

    Args:
        memory: m × d_model.
        M: additive mask, n × m, such as `symattn.functions.padding_mask`.
        W_Q, W_K, W_V, W_O, biases: see `layer_attention`.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.3, first item.
    """
    return layer_attention(x, W_Q, W_K, W_V, W_O, memory, M, **biases)


@inlined
@model(name="Norm")
def normalised(
    x: Any, gamma: Any = None, beta: Any = None, *, norm_kind: str = "layer", eps: Any = 1e-5
) -> Any:
    """LayerNorm or RMSNorm of each row, by name. Shape-preserving: … × d.

    Args:
        norm_kind: ``"layer"`` or ``"rms"``, which has no beta.
        gamma, beta, eps: see `symattn.functions.layer_norm`.

    Raises:
        OptionError: another kind, or a beta for RMSNorm.

    Source: see `symattn.functions.layer_norm` and `symattn.functions.rms_norm`.
    """
    if norm_kind == "layer":
        return layer_norm(x, gamma, beta, eps)
    if norm_kind != "rms":
        raise OptionError(f"norm_kind: wanted 'layer' or 'rms', got {norm_kind!r}")
    if beta is not None:
        raise OptionError("beta: wanted with LayerNorm only; RMSNorm has none")
    return rms_norm(x, gamma, eps)


@inlined
@model(name="before")
def norm_before(x: Any, gamma: Any, beta: Any, norm: str, norm_kind: str, eps: Any) -> Any:
    """What a sub-layer reads: the rows normalised where norms come first, else as they are.

    Raises:
        OptionError: no placement, or a gain or shift where there is no norm.

    Source: Xiong et al., On Layer Normalization in the Transformer Architecture (2020),
    table 1: Pre-LN.
    """
    if norm not in ("post", "pre", "none"):
        raise OptionError(f"norm: wanted 'post', 'pre' or 'none', got {norm!r}")
    if norm == "none" and (gamma is not None or beta is not None):
        raise OptionError("gamma, beta: wanted with a norm only; norm is 'none'")
    if norm != "pre":
        return x
    return normalised(x, gamma, beta, norm_kind=norm_kind, eps=eps)


@inlined
@model(name="after")
def norm_after(x: Any, gamma: Any, beta: Any, norm: str, norm_kind: str, eps: Any) -> Any:
    """What a sub-layer hands on: the sum normalised where norms come last, else as it is.

    Source: Xiong et al., On Layer Normalization in the Transformer Architecture (2020),
    table 1: Post-LN, the placement of Vaswani et al. (2017), section 3.1.
    """
    if norm != "post":
        return x
    return normalised(x, gamma, beta, norm_kind=norm_kind, eps=eps)


@model(name="layer", masks=("M",))
def encoder_layer(
    x: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    W_O: Any,
    W_1: Any,
    W_2: Any,
    M: Any = None,
    *,
    b_Q: Any = None,
    b_K: Any = None,
    b_V: Any = None,
    b_O: Any = None,
    b_1: Any = None,
    b_2: Any = None,
    W_gate: Any = None,
    b_gate: Any = None,
    gamma_1: Any = None,
    beta_1: Any = None,
    gamma_2: Any = None,
    beta_2: Any = None,
    norm: str = "post",
    norm_kind: str = "layer",
    kind: str = "relu",
    gelu_kind: str = "",
    eps: Any = 1e-5,
    pairing: str = "",
    base: Any = 10000,
) -> Any:
    """A layer of an encoder: self-attention, then a feed-forward network; n × d_model.

    Each is added to what it reads (the residual). Steps beside those of heads, norms and
    FFN: r_1 and r_2, the sums.

    Args:
        W_Q, W_K, W_V, W_O, b_Q, b_K, b_V, b_O: see `layer_attention`.
        W_1, W_2, b_1, b_2, W_gate, b_gate, kind, gelu_kind: see
            `symattn.transformer.feed_forward_network`.
        M: additive mask, n × n, of 0 and -inf; without it every token sees all.
        gamma_1, beta_1, gamma_2, beta_2: gain and shift of the norm at attention, and of
            that at the FFN; each of d_model, and may be left out.
        norm: ``"post"``, norm(x + f(x)); ``"pre"``, x + f(norm(x)); or ``"none"``.
        norm_kind, eps: see `normalised`.
        pairing, base: of RoPE, see `layer_head`.

    Raises:
        OptionError: an option that there is not, or a gain without a norm.
        ShapeError: when traced, shapes that do not fit.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.1 and figure 1.
    """
    u_1 = norm_before(x, gamma_1, beta_1, norm, norm_kind, eps)
    r_1 = x + layer_attention(
        u_1, W_Q, W_K, W_V, W_O, None, M,
        b_Q=b_Q, b_K=b_K, b_V=b_V, b_O=b_O, pairing=pairing, base=base,
    )  # fmt: skip
    x_1 = norm_after(r_1, gamma_1, beta_1, norm, norm_kind, eps)
    u_2 = norm_before(x_1, gamma_2, beta_2, norm, norm_kind, eps)
    r_2 = x_1 + feed_forward_network(
        u_2, W_1, W_2, b_1, b_2, W_gate, b_gate, kind=kind, gelu_kind=gelu_kind
    )
    x_2 = norm_after(r_2, gamma_2, beta_2, norm, norm_kind, eps)
    return x_2


@model(name="layer", masks=("M", "M_cross"))
def decoder_layer(
    x: Any,
    memory: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    W_O: Any,
    W_Q_cross: Any,
    W_K_cross: Any,
    W_V_cross: Any,
    W_O_cross: Any,
    W_1: Any,
    W_2: Any,
    M: Any = None,
    M_cross: Any = None,
    *,
    b_Q: Any = None,
    b_K: Any = None,
    b_V: Any = None,
    b_O: Any = None,
    b_Q_cross: Any = None,
    b_K_cross: Any = None,
    b_V_cross: Any = None,
    b_O_cross: Any = None,
    b_1: Any = None,
    b_2: Any = None,
    W_gate: Any = None,
    b_gate: Any = None,
    gamma_1: Any = None,
    beta_1: Any = None,
    gamma_2: Any = None,
    beta_2: Any = None,
    gamma_3: Any = None,
    beta_3: Any = None,
    norm: str = "post",
    norm_kind: str = "layer",
    kind: str = "relu",
    gelu_kind: str = "",
    eps: Any = 1e-5,
) -> Any:
    """A layer of a decoder: masked self-attention, cross-attention, FFN; n × d_model.

    Heads of self-attention are ``head[j]``, those of cross-attention ``cross[0].head[j]``.

    Args:
        memory: m × d_model, what the encoder gave.
        W_Q_cross, …, b_O_cross: of cross-attention, see `layer_attention`.
        M: additive mask of self-attention, n × n; causal if left out.
        M_cross: additive mask of cross-attention, n × m.
        gamma_1, …, beta_3: of the norms at self-attention, cross-attention and FFN.
        The others: see `encoder_layer`.

    Raises:
        OptionError: an option that there is not, or a gain without a norm.
        ShapeError: when traced, shapes that do not fit.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.1 and figure 1.
    """
    if M is None:
        M = causal_mask(len(x), len(x))
    u_1 = norm_before(x, gamma_1, beta_1, norm, norm_kind, eps)
    r_1 = x + layer_attention(u_1, W_Q, W_K, W_V, W_O, None, M, b_Q=b_Q, b_K=b_K, b_V=b_V, b_O=b_O)
    x_1 = norm_after(r_1, gamma_1, beta_1, norm, norm_kind, eps)
    u_2 = norm_before(x_1, gamma_2, beta_2, norm, norm_kind, eps)
    r_2 = x_1 + cross_attention(
        u_2, memory, W_Q_cross, W_K_cross, W_V_cross, W_O_cross, M_cross,
        b_Q=b_Q_cross, b_K=b_K_cross, b_V=b_V_cross, b_O=b_O_cross,
    )  # fmt: skip
    x_2 = norm_after(r_2, gamma_2, beta_2, norm, norm_kind, eps)
    u_3 = norm_before(x_2, gamma_3, beta_3, norm, norm_kind, eps)
    r_3 = x_2 + feed_forward_network(
        u_3, W_1, W_2, b_1, b_2, W_gate, b_gate, kind=kind, gelu_kind=gelu_kind
    )
    x_3 = norm_after(r_3, gamma_3, beta_3, norm, norm_kind, eps)
    return x_3


_encoder_layer = inlined(encoder_layer)


@model(name="layer", masks=("M",))
def decoder_only_layer(
    x: Any, M: Any = None, *, norm: str = "pre", norm_kind: str = "layer", kind: str = "relu",
    gelu_kind: str = "", eps: Any = 1e-5, pairing: str = "", base: Any = 10000, **weights: Any,
) -> Any:  # fmt: skip
    """A layer of a decoder alone: an encoder's layer whose tokens see no later ones; n × d_model.

    GPT-2 is ``kind="gelu", gelu_kind="tanh"`` with biases; Llama ``norm_kind="rms",
    kind="swiglu", pairing="half"``, fewer heads in W_K and W_V, and no biases.

    Args:
        M: additive mask, n × n; causal if left out.
        norm: see `encoder_layer`; here norms come first unless it says otherwise.
        weights: and the other options: see `encoder_layer`.

    Raises:
        OptionError, ShapeError: see `encoder_layer`.

    Source: Radford et al., Language Models are Unsupervised Multitask Learners (2019),
    section 2.3; Touvron et al., LLaMA (2023), section 2.2.
    """
    if M is None:
        M = causal_mask(len(x), len(x))
    return _encoder_layer(
        x, M=M, norm=norm, norm_kind=norm_kind, kind=kind, gelu_kind=gelu_kind, eps=eps,
        pairing=pairing, base=base, **weights,
    )  # fmt: skip


@inlined
@model(name="Final")
def final_norm(
    x: Any, gamma_out: Any, beta_out: Any, norm_out: bool, norm_kind: str, eps: Any
) -> Any:
    """The norm after the last layer, where there is one. Shape-preserving: n × d_model.

    Raises:
        OptionError: a gain or shift where there is no norm.

    Source: Radford et al. (2019), section 2.3: "an additional layer normalization".
    """
    if norm_out:
        return normalised(x, gamma_out, beta_out, norm_kind=norm_kind, eps=eps)
    if gamma_out is not None or beta_out is not None:
        raise OptionError("gamma_out, beta_out: wanted with norm_out only")
    return x


@model(name="encoder", masks=("M",))
def encoder(
    x: Any, M: Any = None, *, gamma_out: Any = None, beta_out: Any = None, norm_out: bool = False,
    norm: str = "post", norm_kind: str = "layer", kind: str = "relu", gelu_kind: str = "",
    eps: Any = 1e-5, pairing: str = "", base: Any = 10000, **weights: Any,
) -> Any:  # fmt: skip
    """An encoder of N layers: n × d_model -> n × d_model.

    Args:
        norm_out: whether a norm follows the last layer, with gamma_out and beta_out.
        weights: of all layers, each with its layers in front: W_Q is N × h × d_model × d_k;
            see `encoder_layer`, also for the options.

    Raises:
        OptionError, ShapeError: see `encoder_layer`.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.1.
    """
    for i in range(len(weights["W_Q"])):
        x = encoder_layer(
            x, M=M, norm=norm, norm_kind=norm_kind, kind=kind, gelu_kind=gelu_kind, eps=eps,
            pairing=pairing, base=base, **layer_weights(weights, i),
        )  # fmt: skip
    y = final_norm(x, gamma_out, beta_out, norm_out, norm_kind, eps)
    return y


@model(name="decoder", masks=("M", "M_cross"))
def decoder(
    x: Any, memory: Any, M: Any = None, M_cross: Any = None, *, gamma_out: Any = None,
    beta_out: Any = None, norm_out: bool = False, norm: str = "post", norm_kind: str = "layer",
    kind: str = "relu", gelu_kind: str = "", eps: Any = 1e-5, **weights: Any,
) -> Any:  # fmt: skip
    """A decoder of N layers over an encoder's output: n × d_model -> n × d_model.

    Args:
        memory: m × d_model, read by every layer.
        norm_out: whether a norm follows the last layer, with gamma_out and beta_out.
        weights: of all layers, as in `encoder`; see `decoder_layer`, also for the options.

    Raises:
        OptionError, ShapeError: see `decoder_layer`.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.1.
    """
    for i in range(len(weights["W_Q"])):
        x = decoder_layer(
            x, memory, M=M, M_cross=M_cross, norm=norm, norm_kind=norm_kind, kind=kind,
            gelu_kind=gelu_kind, eps=eps, **layer_weights(weights, i),
        )  # fmt: skip
    y = final_norm(x, gamma_out, beta_out, norm_out, norm_kind, eps)
    return y


@model(name="decoder_only", masks=("M",))
def decoder_only(
    x: Any, M: Any = None, *, gamma_out: Any = None, beta_out: Any = None, norm_out: bool = True,
    norm: str = "pre", norm_kind: str = "layer", kind: str = "relu", gelu_kind: str = "",
    eps: Any = 1e-5, pairing: str = "", base: Any = 10000, **weights: Any,
) -> Any:  # fmt: skip
    """A decoder alone, of N layers and a last norm: n × d_model -> n × d_model.

    Args:
        norm_out: whether a norm follows the last layer, with gamma_out and beta_out.
        weights: of all layers, as in `encoder`; see `decoder_only_layer`, also for the options.

    Raises:
        OptionError, ShapeError: see `encoder_layer`.

    Source: Radford et al., Language Models are Unsupervised Multitask Learners (2019),
    section 2.3; Touvron et al., LLaMA (2023), section 2.2.
    """
    for i in range(len(weights["W_Q"])):
        x = decoder_only_layer(
            x, M=M, norm=norm, norm_kind=norm_kind, kind=kind, gelu_kind=gelu_kind, eps=eps,
            pairing=pairing, base=base, **layer_weights(weights, i),
        )  # fmt: skip
    y = final_norm(x, gamma_out, beta_out, norm_out, norm_kind, eps)
    return y


@inlined
def layer_weights(weights: Any, i: int) -> Any:
    """The weights of layer i out of those of a stack, by name: W_Q[i], W_K[i] and so on.

    Raises:
        ShapeError: a weight that has other than W_Q's number of layers.

    Source: none; the layers are the first axis.
    """
    N = len(weights["W_Q"])
    for name, W in weights.items():
        if W is not None and len(W) != N:
            raise ShapeError(f"{name}: wanted {N} layers in front, as in W_Q, got {len(W)}")
    return {name: W if W is None else W[i] for name, W in weights.items()}


@inlined
@model(name="Embedding")
def embedded(
    W_vocab: Any,
    W_pos: Any = None,
    W_type: Any = None,
    *,
    tokens: Sequence[int],
    types: Sequence[int] | None = None,
    positions: str = "none",
    scaled: bool = False,
    offset: int = 0,
) -> Any:
    """Tokens as rows, with their positions and types added: n × d_model.

    Args:
        W_vocab: d_model × |V|: the columns are the embeddings of words.
        W_pos: learned positions, a row each; at least offset + n rows × d_model.
        W_type: token types (segments), a row each.
        tokens, types: n columns of W_vocab, n rows of W_type.
        positions: ``"sinusoidal"``, ``"learned"`` or ``"none"`` (RoPE turns queries and keys).
        scaled: whether embeddings are multiplied by √d_model, as in the first paper.
        offset: the position of the first token.

    Raises:
        OptionError: another kind of positions, or W_pos and W_type without their use.
        ShapeError: not as many types as tokens; more positions than W_pos has.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.4 and 3.5; learned
    positions and types: Devlin et al., BERT (2019), section 3 and figure 2.
    """
    if positions not in ("sinusoidal", "learned", "none"):
        raise OptionError(f"positions: wanted 'sinusoidal', 'learned' or 'none', got {positions!r}")
    if (positions == "learned") != (W_pos is not None):
        raise OptionError(f"W_pos: wanted with learned positions only; they are {positions!r}")
    if (W_type is None) != (types is None):
        raise OptionError("W_type and types: wanted together")
    d_model, n = len(W_vocab), len(tokens)
    tokens = list(tokens)  # a tuple would be an index of two axes
    if types is not None and len(types) != n:
        raise ShapeError(f"types: wanted {n}, one a token, got {len(types)}")
    if W_pos is not None and len(W_pos) < offset + n:
        raise ShapeError(f"W_pos: wanted {offset + n} positions, got {len(W_pos)}")
    if scaled:
        E = W_vocab.T[tokens] * np.sqrt(d_model)
    else:
        E = W_vocab.T[tokens]
    if positions == "sinusoidal":
        E_pos = E + sinusoidal_positions(n, d_model, offset)
    elif positions == "learned":
        E_pos = E + W_pos[offset : offset + n]
    else:
        E_pos = E
    if types is None:
        E_type = E_pos
    else:
        E_type = E_pos + W_type[list(types)]
    return E_type


@inlined
@model(name="Unembedding")
def unembedded(y: Any, W_U: Any, b_U: Any = None) -> Any:
    """Logits of every position: n × d_model -> n × |V|.

    Args:
        W_U: d_model × |V|; tied weights are the embeddings' own W_vocab.
        b_U: |V|.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.4; tied: Press and
    Wolf, Using the Output Embedding to Improve Language Models (2017), section 3.
    """
    if b_U is None:
        logits = y @ W_U
    else:
        logits = y @ W_U + b_U
    return logits


_decoder_only = inlined(decoder_only)


@model(name="LM", masks=("M",))
def language_model(
    W_vocab: Any, W_pos: Any = None, W_type: Any = None, W_U: Any = None, b_U: Any = None,
    M: Any = None, *, tokens: Sequence[int], types: Sequence[int] | None = None,
    positions: str = "none", scaled: bool = False, gamma_out: Any = None, beta_out: Any = None,
    norm_out: bool = True, norm: str = "pre", norm_kind: str = "layer", kind: str = "relu",
    gelu_kind: str = "", eps: Any = 1e-5, pairing: str = "", base: Any = 10000, **weights: Any,
) -> Any:  # fmt: skip
    """A language model from tokens to the logits of every position: n × |V|.

    Its other ends are functions: softmax, `symattn.functions.tempered_softmax`,
    `symattn.functions.log_softmax` and `symattn.functions.cross_entropy` of the logits.

    Args:
        W_vocab, W_pos, W_type, tokens, types, positions, scaled: see `embedded`.
        W_U, b_U: see `unembedded`; without W_U it is W_vocab (tied).
        weights: of all layers, see `decoder_only`, also for the options.

    Raises:
        OptionError, ShapeError: see `embedded` and `encoder_layer`.

    Source: Radford et al., Language Models are Unsupervised Multitask Learners (2019),
    section 2.3; Touvron et al., LLaMA (2023), section 2.2.
    """
    x = embedded(
        W_vocab, W_pos, W_type, tokens=tokens, types=types, positions=positions, scaled=scaled
    )
    y = _decoder_only(
        x, M, gamma_out=gamma_out, beta_out=beta_out, norm_out=norm_out, norm=norm,
        norm_kind=norm_kind, kind=kind, gelu_kind=gelu_kind, eps=eps, pairing=pairing, base=base,
        **weights,
    )  # fmt: skip
    if W_U is None:
        W_U = W_vocab
    return unembedded(y, W_U, b_U)
