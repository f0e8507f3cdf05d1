"""Attention with everything that is put into it, as plain NumPy that reads like the papers.

Shapes in the docstrings: n_q queries, n_k keys, dimensions d_model, d_k, d_v; h heads of
queries, h_kv heads of keys and values. Rows are tokens. `symattn.transformer` has the short
forms of the first paper.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symattn.errors import OptionError, ShapeError
from symattn.functions import relu, softmax
from symattn.trace import inlined, model


@model(name="SDPA", masks=("M",))
def scaled_dot_product_attention(
    Q: Any,
    K: Any,
    V: Any,
    M: Any = None,
    scale: Any = None,
    *,
    softcap: Any = None,
    bias: Any = None,
    sink: Any = None,
    fully_masked: str = "error",
) -> Any:
    """Scaled dot-product attention: n_q × d_k, n_k × d_k, n_k × d_v -> n_q × d_v.

    Without options its steps are S, Z, A and O; with a mask also Z_masked.

    Args:
        M: additive mask, n_q × n_k (or what broadcasts to it), of 0 and -inf.
        scale: the divisor of the scores, √d_k if left out; ONNX and PyTorch take its
            reciprocal.
        softcap: c of c·tanh(Z/c), taken before bias and mask.
        bias: added to the scores, n_q × n_k: relative positions, ALiBi.
        sink: a logit of no key (a number; 0 is softmax with 1 added to each row's sum):
            its share of the weights is dropped, so rows of A add to less than 1.
        fully_masked: ``"error"``, or ``"zero"``: a row that sees no key gives a row of 0,
            as in ONNX and PyTorch. A sink takes such a row's weights without being asked.

    Raises:
        MaskError: a row that sees no key; it is named.
        ShapeError: when traced, shapes that do not fit; NumPy's ValueError otherwise.

    Source: Vaswani et al., Attention Is All You Need (2017), eq. 1; softcap: Gemma Team,
    Gemma 2 (2024), section 2; sinks: Xiao et al., Efficient Streaming Language Models with
    Attention Sinks (2024), eq. 2, and learned ones: OpenAI, gpt-oss (2025), section 2.2.
    """
    d_k = K.shape[-1]
    S = Q @ K.T
    if scale is None:
        Z = S / np.sqrt(d_k)
    else:
        Z = S / scale
    if softcap is None:
        Z_capped = Z
    else:
        Z_capped = softcap * np.tanh(Z / softcap)
    if bias is None:
        Z_biased = Z_capped
    else:
        Z_biased = Z_capped + bias
    if M is None:
        Z_masked = Z_biased
    else:
        Z_masked = Z_biased + M
    if fully_masked not in ("error", "zero"):
        raise OptionError(f"fully_masked: wanted 'error' or 'zero', got {fully_masked!r}")
    if sink is None and fully_masked == "zero":
        A = softmax(Z_masked, fully_masked="zero")
    elif sink is None:
        A = softmax(Z_masked)
    else:
        Z_sink = np.concatenate([Z_masked, sink + np.zeros((len(Q), 1))], axis=-1)
        A_sink = softmax(Z_sink)
        A = A_sink[:, :-1]
    O = A @ V
    return O


@model(name="GQA", masks=("M",))
def grouped_query_attention(
    Q: Any,
    K: Any,
    V: Any,
    M: Any = None,
    scale: Any = None,
    *,
    softcap: Any = None,
    bias: Any = None,
    sink: Any = None,
    fully_masked: str = "error",
) -> Any:
    """Attention of h heads over h_kv heads of keys and values -> h × n_q × d_v.

    Head q of the queries attends to head ⌊q / (h / h_kv)⌋. With h_kv = h these are the
    heads of multi-head attention, with h_kv = 1 of multi-query attention.

    Args:
        Q, K, V: h × n_q × d_k, h_kv × n_k × d_k, h_kv × n_k × d_v.
        M, bias: n_q × n_k for all heads, or h × n_q × n_k.
        sink: one logit for all heads, or h of them.
        scale, softcap, fully_masked: see `scaled_dot_product_attention`.

    Raises:
        ShapeError: h is not divisible by h_kv.
        MaskError: a row that sees no key.

    Source: Ainslie et al., GQA (2023), section 2.2; Shazeer, Fast Transformer Decoding
    (2019), section 3.
    """
    h, h_kv = len(Q), len(K)
    if h % h_kv:
        raise ShapeError(f"wanted a number of query heads divisible by h_kv = {h_kv}, got h = {h}")
    g = h // h_kv
    masks = [M] * h if M is None or M.ndim < 3 else M
    biases = [bias] * h if bias is None or bias.ndim < 3 else bias
    sinks = sink if getattr(sink, "shape", ()) else [sink] * h
    head = [
        scaled_dot_product_attention(
            Q[i], K[i // g], V[i // g], masks[i], scale,
            softcap=softcap, bias=biases[i], sink=sinks[i], fully_masked=fully_masked,
        )
        for i in range(h)
    ]  # fmt: skip
    O = np.stack(head)
    return O


def split_heads(W: Any, h: int, d_k: int | None = None) -> Any:
    """A projection for all heads, cut into one a head: d × h·d_k -> h × d × d_k.

    A bias of h·d_k entries gives h × d_k.

    Raises:
        ShapeError: the columns are not divisible by h, or are not h·d_k.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.2.

    >>> split_heads(np.arange(4).reshape(1, 4), 2).tolist()
    [[[0, 1]], [[2, 3]]]
    """
    d_model = W.shape[-1]
    if d_k is None and d_model % h:
        raise ShapeError(f"wanted a dimension divisible by h = {h}, got {d_model}")
    if d_k is not None and h * d_k != d_model:
        raise ShapeError(f"wanted h·d_k = {h}·{d_k} = {h * d_k} columns, got {d_model}")
    heads = np.reshape(W, (*W.shape[:-1], h, d_model // h))
    return np.swapaxes(heads, 0, -2)


@model(name="MHA", masks=("M",))
def multi_head(
    x: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    W_O: Any,
    memory: Any = None,
    M: Any = None,
    scale: Any = None,
    *,
    b_Q: Any = None,
    b_K: Any = None,
    b_V: Any = None,
    b_O: Any = None,
    softcap: Any = None,
    bias: Any = None,
    sink: Any = None,
    fully_masked: str = "error",
) -> Any:
    """Multi-head attention with all projections and their biases: n_q × d_model -> n_q × d_out.

    Args:
        x: n_q × d_model, what asks.
        W_Q: h × d_model × d_k, one matrix a head; see `split_heads`.
        W_K, W_V: h_kv × d_memory × d_k, h_kv × d_memory × d_v; d_k and d_v are free.
        W_O: h·d_v × d_out.
        memory: n_k × d_memory, what is asked (cross-attention); x itself if left out.
        b_Q, b_K, b_V, b_O: h × d_k, h_kv × d_k, h_kv × d_v, d_out.
        M, scale, softcap, bias, sink, fully_masked: see `grouped_query_attention`.

    Raises:
        ShapeError: h is not divisible by h_kv; when traced, shapes that do not fit.
        MaskError: a row that sees no key.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.2 and 3.2.3.
    """
    if memory is None:
        memory = x
    Q = x @ W_Q
    K = memory @ W_K
    V = memory @ W_V
    if b_Q is not None:
        Q = Q + b_Q[:, None]
    if b_K is not None:
        K = K + b_K[:, None]
    if b_V is not None:
        V = V + b_V[:, None]
    head = grouped_query_attention(
        Q, K, V, M, scale, softcap=softcap, bias=bias, sink=sink, fully_masked=fully_masked
    )
    y = np.concatenate([head[i] for i in range(len(W_Q))], axis=-1) @ W_O
    if b_O is not None:
        y = y + b_O
    return y


@inlined
@model(name="LinearAttention")
def linear_attention(Q: Any, K: Any, V: Any) -> Any:
    """Linear attention, for contrast: φ(Q)(φ(K)ᵀV) over the row sums; n_q × d_v.

    φ(x) = elu(x) + 1 stands in for the exponential of the scores; no n_q × n_k matrix is
    made, and no mask can be added. Q, K, V as in `scaled_dot_product_attention`.

    Source: Katharopoulos et al., Transformers are RNNs (2020), eq. 5 and 7.
    """
    phi_Q = relu(Q) + np.exp(-relu(-Q))
    phi_K = relu(K) + np.exp(-relu(-K))
    total = np.sum(phi_K, axis=0)
    O = phi_Q @ (phi_K.T @ V) / (phi_Q @ total)[:, None]
    return O


@model(name="head")
def linear_attention_head(E: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    """A head of linear attention: E is n × d_model, the result n × d_v.

    Args:
        W_Q, W_K, W_V: d_model × d_k, d_model × d_k, d_model × d_v.

    Source: Katharopoulos et al., Transformers are RNNs (2020), eq. 5 and 7.
    """
    Q = E @ W_Q
    K = E @ W_K
    V = E @ W_V
    O = linear_attention(Q, K, V)
    return O
