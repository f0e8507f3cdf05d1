"""Whole models, from tokens to probabilities: embeddings, a stack, logits, losses.

Shapes in the docstrings: n tokens, vocabulary of |V| words, dimension d_model; the weights of
stacks as in `symattn.layers`. Rows are tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symattn import layers
from symattn.config import DEFAULT, NUMBERS, Config
from symattn.errors import OptionError, ShapeError
from symattn.functions import cross_entropy, gelu, layer_norm, sinusoidal_positions, softmax
from symattn.sublayers import normalised
from symattn.trace import inlined, model

#: A stack whose steps are those of the model that calls it: ``layer[0].head[0].A``.
stack = inlined(layers.encoder)


@inlined
@model(name="Embedding")
def embedded(
    W_vocab: Any, W_pos: Any = None, W_type: Any = None, *, tokens: Sequence[int],
    types: Sequence[int] | None = None, offset: int = 0, config: Config = DEFAULT,
) -> Any:  # fmt: skip
    """Tokens as rows, with their positions and types added: n × d_model.

    Args:
        W_vocab: d_model × |V|: the columns are the embeddings of words.
        W_pos: learned positions, a row each; at least offset + n rows × d_model.
        W_type: token types (segments), a row each.
        tokens, types: n columns of W_vocab, n rows of W_type.
        offset: the position of the first token.
        config: its positions, and whether embeddings are scaled by √d_model.

    Raises:
        OptionError: W_pos and W_type without their use, or the other way round.
        ShapeError: not as many types as tokens; more positions than W_pos has.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.4 and 3.5; learned
    positions and types: Devlin et al., BERT (2019), section 3 and figure 2.
    """
    if (config.positions == "learned") != (W_pos is not None):
        raise OptionError(
            f"W_pos: wanted with learned positions only; they are {config.positions!r}"
        )
    if (W_type is None) != (types is None):
        raise OptionError("W_type and types: wanted together")
    d_model, n = len(W_vocab), len(tokens)
    tokens = list(tokens)  # a tuple would be an index of two axes
    if types is not None and len(types) != n:
        raise ShapeError(f"types: wanted {n}, one a token, got {len(types)}")
    if W_pos is not None and len(W_pos) < offset + n:
        raise ShapeError(f"W_pos: wanted {offset + n} positions, got {len(W_pos)}")
    if config.scaled:
        E = W_vocab.T[tokens] * np.sqrt(d_model)
    else:
        E = W_vocab.T[tokens]
    if config.positions == "sinusoidal":
        PE = sinusoidal_positions(n, d_model, offset)
        E_pos = E + PE
    elif config.positions == "learned":
        PE = W_pos[offset : offset + n]
        E_pos = E + PE
    else:
        E_pos = E
    if types is None:
        E_type = E_pos
    else:
        TE = W_type[list(types)]
        E_type = E_pos + TE
    return E_type


@inlined
@model(name="Unembedding")
def unembedded(y: Any, W_U: Any, b_U: Any = None, softcap_out: Any = None) -> Any:
    """Logits of every position: n × d_model -> n × |V|.

    Args:
        W_U: d_model × |V|; tied weights are the embeddings' own W_vocab.
        b_U: |V|.
        softcap_out: c of c·tanh(logits/c).

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.4; tied: Press and
    Wolf, Using the Output Embedding to Improve Language Models (2017), section 3; softcap:
    Gemma Team, Gemma 2 (2024), section 2.
    """
    if softcap_out is None and b_U is None:
        logits = y @ W_U
        return logits
    if softcap_out is None:
        logits = y @ W_U + b_U
        return logits
    if b_U is None:
        uncapped = y @ W_U
    else:
        uncapped = y @ W_U + b_U
    logits = softcap_out * np.tanh(uncapped / softcap_out)
    return logits


@inlined
@model(name="Transform")
def transformed(y: Any, W_T: Any, b_T: Any, gamma_T: Any, beta_T: Any, eps: Any) -> Any:
    """What BERT puts between its last layer and its logits: n × d_model -> n × d_model.

    Steps: T, then GELU (erf) of it, then a LayerNorm.
    Source: Devlin et al., BERT (2019), section 3.1, task 1, as its published code has it.
    """
    T = y @ W_T + b_T
    T_gelu = gelu(T, kind="erf")
    if eps is None:
        return layer_norm(T_gelu, gamma_T, beta_T)
    return layer_norm(T_gelu, gamma_T, beta_T, eps)


@inlined
@model(name="Output")
def distribution(logits: Any, temperature: Any = None) -> Any:
    """The probabilities of every position's next token: n × |V|, softmax(logits/T).

    Source: Hinton, Vinyals, Dean, Distilling the Knowledge in a Neural Network (2015), eq. 1.
    """
    if temperature is None:
        P = softmax(logits)
    else:
        P = softmax(logits / temperature)
    return P


@inlined
@model(name="Loss")
def losses(logits: Any, tokens: Sequence[int]) -> Any:
    """The cross-entropy of every position but the last, each predicting the token after it.

    Steps: L, of n - 1 entries, and their mean, the loss.
    Source: Radford et al., Improving Language Understanding by Generative Pre-Training
    (2018), eq. 1, as a mean.
    """
    if len(tokens) < 2:
        raise ShapeError("loss: wanted at least two tokens: each predicts the next, got one")
    scored = logits[:-1]
    L = cross_entropy(scored, list(tokens)[1:])
    loss = np.mean(L)
    return loss


@model(name="LM", masks=("M",))
def language_model(
    W_vocab: Any, W_pos: Any = None, W_type: Any = None, W_U: Any = None, b_U: Any = None,
    M: Any = None, bias: Any = None, *, tokens: Sequence[int],
    types: Sequence[int] | None = None, offset: int = 0, gamma_in: Any = None,
    beta_in: Any = None, W_T: Any = None, b_T: Any = None, gamma_T: Any = None,
    beta_T: Any = None, softcap_out: Any = None, temperature: Any = None,
    config: Config = DEFAULT, **weights: Any,
) -> Any:  # fmt: skip
    """From tokens to the distribution of every position's next token: n × |V|.

    GPT-2, Llama and Gemma are this with ``mask="causal"``; BERT is it without a mask, and a
    position's distribution is then that of the token in its own place.

    Args:
        W_vocab, W_pos, W_type, tokens, types, offset: see `embedded`.
        W_U, b_U, softcap_out: see `unembedded`; without W_U it is W_vocab (tied).
        gamma_in, beta_in: of the norm after the embeddings, where config has one.
        W_T, b_T, gamma_T, beta_T: of BERT's transform before the logits: d_model × d_model,
            and d_model each.
        temperature: see `distribution`.
        M, bias, weights: see `symattn.layers.encoder`.

    Raises:
        OptionError, ShapeError: see `embedded` and `symattn.layers.encoder_layer`.

    Source: Radford et al., Language Models are Unsupervised Multitask Learners (2019),
    section 2.3; Touvron et al., LLaMA (2023), section 2.2; Devlin et al., BERT (2019).
    """
    x = embedded(W_vocab, W_pos, W_type, tokens=tokens, types=types, offset=offset, config=config)
    if config.norm_in:
        x = normalised(x, gamma_in, beta_in, weights.get("eps"), norm_kind=config.norm_kind)
    y = stack(x, M, bias, offset=offset, config=config, **weights)
    if W_T is not None:
        y = transformed(y, W_T, b_T, gamma_T, beta_T, weights.get("eps"))
    logits = unembedded(y, W_vocab if W_U is None else W_U, b_U, softcap_out)
    P = distribution(logits, temperature)
    if (
        config.loss and "K_past" not in weights
    ):  # a row after a cache has the losses before it elsewhere
        loss = losses(logits, tokens)
        return P, loss
    return P


@model(name="Transformer", masks=("M", "M_out", "M_cross"))
def encoder_decoder(
    W_vocab: Any, W_U: Any = None, b_U: Any = None, M: Any = None, M_out: Any = None,
    M_cross: Any = None, *, tokens: Sequence[int], outputs: Sequence[int],
    gamma_out: Any = None, beta_out: Any = None, gamma_out_dec: Any = None,
    beta_out_dec: Any = None, temperature: Any = None, config: Config = DEFAULT, **weights: Any,
) -> Any:  # fmt: skip
    """The Transformer of the first paper, from two token sequences to distributions: n × |V|.

    The encoder reads the m tokens, the decoder the n outputs so far; each of its positions
    predicts the next output. Both share one vocabulary, as in the paper.

    Args:
        W_vocab: d_model × |V|; W_U, b_U: see `unembedded`; without W_U it is W_vocab (tied).
        tokens, outputs: m and n columns of W_vocab.
        M, M_out, M_cross: additive masks of the encoder, m × m; of the decoder's
            self-attention, n × n, causal if left out; of its cross-attention, n × m.
        weights: of the encoder by their names, W_Q and so on; of the decoder with ``_dec``,
            W_Q_dec, and of its cross-attention with ``_cross``, W_Q_cross.
        temperature: see `distribution`.

    Raises:
        OptionError, ShapeError: see `embedded` and `symattn.layers.decoder_layer`.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3 and figure 1.
    """
    x = embedded(W_vocab, tokens=tokens, config=config)
    of_encoder = {k: W for k, W in weights.items() if not k.endswith(("_dec", "_cross"))}
    memory = layers.encoder(
        x, M, gamma_out=gamma_out, beta_out=beta_out, config=config, **of_encoder
    )
    x_out = embedded(W_vocab, tokens=outputs, config=config)
    numbers = {k: W for k, W in weights.items() if k in NUMBERS}
    of_decoder = {
        k.removesuffix("_dec"): W for k, W in weights.items() if k.endswith(("_dec", "_cross"))
    }
    y = layers.decoder(
        x_out, memory, M_out, M_cross, gamma_out=gamma_out_dec, beta_out=beta_out_dec,
        config=config, **of_decoder, **numbers,
    )  # fmt: skip
    logits = unembedded(y, W_vocab if W_U is None else W_U, b_U)
    P = distribution(logits, temperature)
    return P
