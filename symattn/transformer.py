"""The models: plain NumPy functions that read like the papers they come from.

Shapes in the docstrings: n tokens, vocabulary of |V| words, dimensions d_model,
d_k, d_v, d_ff, h heads. Rows are tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symattn.functions import softmax
from symattn.trace import model


@model(name="Attention")
def attention(Q: Any, K: Any, V: Any) -> Any:
    """Scaled dot-product attention: n × d_k, n × d_k, n × d_v -> n × d_v.

    Source: Vaswani et al. (2017), eq. 1.
    """
    d_k = K.shape[-1]
    return softmax(Q @ K.T / np.sqrt(d_k)) @ V


@model(name="head", masks=("M",))
def attention_head(
    E: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    M: Any = None,
    scale: Any = None,
    *,
    fully_masked: str = "error",
) -> Any:
    """One attention head, step by step: E is n × d_model, the result n × d_v.

    Args:
        W_Q, W_K, W_V: d_model × d_k, d_model × d_k, d_model × d_v.
        M: additive mask, n × n, of 0 and -inf; without it every token sees all.
        scale: the divisor of the scores, √d_k if left out.
        fully_masked: see `symattn.functions.softmax`.

    Source: Vaswani et al. (2017), section 3.2.1.
    """
    d_k = W_K.shape[-1]
    Q = E @ W_Q
    K = E @ W_K
    V = E @ W_V
    S = Q @ K.T
    if scale is None:
        Z = S / np.sqrt(d_k)
    else:
        Z = S / scale
    if M is None:
        A = softmax(Z)
    elif fully_masked == "zero":
        Z_masked = Z + M
        A = softmax(Z_masked, fully_masked="zero")
    else:
        Z_masked = Z + M
        A = softmax(Z_masked)
    O = A @ V
    return O


@model(name="next_token", masks=("M",))
def next_token(
    W_vocab: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    W_1: Any,
    M: Any = None,
    *,
    tokens: Sequence[int],
    scale: Any = None,
    fully_masked: str = "error",
) -> Any:
    """From a sentence to the distribution of its next token, |V| probabilities.

    One head, a linear feed-forward layer, and an unembedding tied to the
    embedding. `tokens` are the columns of W_vocab (d_model × |V|) that make the
    sentence; W_1 is d_v × d_model. Positions, W_O, residuals and norms are left out.

    Source: Vaswani et al. (2017), section 3; weight tying: Press and Wolf (2017).
    """
    E = W_vocab.T[tokens]
    O = attention_head(E, W_Q, W_K, W_V, M, scale, fully_masked=fully_masked)
    x_last = O[-1]
    F = x_last @ W_1
    logits = F @ W_vocab
    P = softmax(logits)
    return P


@model(name="offsets")
def embedding_offsets(W_vocab: Any, *, tokens: Sequence[int]) -> Any:
    """Whether a is to b as c is to d, by offsets of embeddings: |V| similarities.

    `tokens` are the columns a, b, c, d of W_vocab (d_model × |V|). With r = a − b and s = c − d,
    D is how far the offsets differ, `cosine` how far they point the same way, and `similarity`
    the cosine of each word with a − s, at which b stands if they are the same.

    Source: Mikolov, Yih, Zweig, Linguistic Regularities in Continuous Space Word
    Representations (2013), section 4.
    """
    E = W_vocab.T[tokens]
    r = E[0] - E[1]
    s = E[2] - E[3]
    D = r - s
    cosine = np.inner(r, s) / np.sqrt(np.inner(r, r) * np.inner(s, s))
    y = E[0] - s
    X = W_vocab.T
    similarity = X @ y / np.sqrt(np.sum(X**2, axis=-1) * np.inner(y, y))
    return similarity


@model(name="FFN")
def feed_forward(x: Any, W_1: Any, b_1: Any, W_2: Any, b_2: Any) -> Any:
    """Position-wise feed-forward network with ReLU: n × d_model -> n × d_model.

    W_1 is d_model × d_ff, W_2 is d_ff × d_model.
    Source: Vaswani et al. (2017), eq. 2.
    """
    return np.maximum(0, x @ W_1 + b_1) @ W_2 + b_2


@model(name="MultiHead")
def multi_head_attention(E: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any) -> Any:
    """Self-attention with h heads: n × d_model -> n × d_model.

    W_Q, W_K, W_V hold one matrix a head (h × d_model × d_k, …); W_O is h·d_v × d_model.
    Source: Vaswani et al. (2017), section 3.2.2.
    """
    h = len(W_Q)
    head = [attention(E @ W_Q[i], E @ W_K[i], E @ W_V[i]) for i in range(h)]
    return np.concatenate(head, axis=-1) @ W_O


@model(name="worked", masks=("M",))
def worked_attention(
    E: Any = None,
    W_Q: Any = None,
    W_K: Any = None,
    W_V: Any = None,
    Q: Any = None,
    K: Any = None,
    V: Any = None,
    S: Any = None,
    Z: Any = None,
    Z_masked: Any = None,
    A: Any = None,
    M: Any = None,
    scale: Any = None,
) -> Any:
    """One attention head from whatever a worked example gives, as far as that leads.

    Args:
        E: n × d_model; it stands for Q, K and V where these and the weights are left out.
        Q, K, V, S, Z, Z_masked, A: steps that are given and not computed.
        M: additive mask, n_q × n_k, of 0 and -inf.
        scale: the divisor of the scores.

    Source: Vaswani et al. (2017), section 3.2.1.
    """
    if V is None and E is not None:
        V = E if W_V is None else E @ W_V
    if A is None:
        if Z_masked is None:
            if Z is None:
                if S is None:
                    if Q is None:
                        Q = E if W_Q is None else E @ W_Q
                    if K is None:
                        K = E if W_K is None else E @ W_K
                    S = Q @ K.T
                Z = S / scale
            Z_masked = Z if M is None else Z + M
        A = softmax(Z_masked)
    if V is None:
        return A
    O = A @ V
    return O
