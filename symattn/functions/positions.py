"""Positions: added to embeddings, turned into queries and keys, or as a bias of scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from symattn.errors import OptionError, ShapeError


def sinusoidal_positions(n: int, d: int, offset: int = 0, *, layout: str = "interleaved") -> Any:
    """Sinusoidal position encodings, n × d: rows are the positions offset, offset + 1, ….

    Interleaved: column 2i is sin(pos / 10000^{2i/d}), column 2i + 1 the cosine of the
    same; the last column of an odd d is a sine. Exact: the angles are kept.

    Args:
        layout: ``"interleaved"``, the paper's, or ``"half"``: all sines, then all cosines of
            the same angles, as in tensor2tensor.

    Raises:
        OptionError: another layout.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.5.

    >>> sinusoidal_positions(2, 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]])
    """
    pos = np.arange(n)[:, None] + offset
    i = np.arange((d + 1) // 2)
    angle = pos / 10000 ** (2 * i / d)
    if layout == "interleaved":
        pairs = np.stack([np.sin(angle), np.cos(angle)], axis=-1)
        PE = pairs.reshape(n, -1)[:, :d]
    elif layout == "half":
        PE = np.concatenate([np.sin(angle), np.cos(angle)], axis=-1)[:, :d]
    else:
        raise OptionError(f"layout: wanted 'interleaved' or 'half', got {layout!r}")
    return PE


def rotated(x: Any, cos: Any, sin: Any, *, pairing: str) -> Any:
    """Each pair of x turned by its angle: (a, b) becomes (a cos - b sin, a sin + b cos).

    Args:
        x: … × n × d.
        cos, sin: … × n × r/2; the first r features are turned, the others stay.
        pairing: ``"interleaved"``, features 2i and 2i + 1 (the paper's), or ``"half"``,
            i and i + r/2 (GPT-NeoX, Llama in transformers).

    Raises:
        OptionError: another pairing.
        ShapeError: more features to turn than there are.

    Source: Su et al., RoFormer (2021), section 3.4.2, eq. 34.
    """
    r, d = 2 * cos.shape[-1], x.shape[-1]
    if r > d:
        raise ShapeError(f"wanted at most {d} features to turn, got {r}")
    if pairing == "interleaved":
        a, b = x[..., 0:r:2], x[..., 1:r:2]
        pairs = np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1)
        turned = pairs.reshape((*x.shape[:-1], r))
    elif pairing == "half":
        a, b = x[..., : r // 2], x[..., r // 2 : r]
        turned = np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)
    else:
        raise OptionError(f"pairing: wanted 'interleaved' or 'half', got {pairing!r}")
    if r == d:
        return turned
    return np.concatenate([turned, x[..., r:]], axis=-1)


def rope_angles(positions: Any, r: int, base: Any = 10000, offset: int = 0) -> Any:
    """The angles of a rotary position embedding, n × r/2: m·base^{-2i/r} at position m.

    Args:
        positions: of the n rows, whole numbers.
        r: how many features are turned, in pairs.
        offset: added to every position.

    Raises:
        ShapeError: an odd r.

    Source: Su et al., RoFormer (2021), section 3.4.2, eq. 15.

    >>> rope_angles([0, 1], 4)
    array([[0.  , 0.  ],
           [1.  , 0.01]])
    """
    if r % 2:
        raise ShapeError(f"wanted an even number of features to turn, got {r}")
    m = np.reshape(positions, (-1, 1)) + offset
    i = np.arange(r // 2)
    theta = base ** (-2 * i / r)
    angle = m * theta
    return angle


def rope(
    x: Any,
    positions: Any = None,
    base: Any = 10000,
    *,
    pairing: str,
    dimensions: int | None = None,
    offset: int = 0,
) -> Any:
    """Rotary position embedding of queries or keys: … × n × d -> … × n × d.

    Pair i of the row at position m is turned by m·base^{-2i/r}. Exact: the angles are kept.

    Args:
        positions: of the n rows; offset, offset + 1, … if left out.
        pairing: ``"interleaved"`` or ``"half"``, see `rotated`; always named.
        dimensions: r, how many of the d features are turned; all if left out.
        offset: added to every position.

    Raises:
        OptionError: another pairing.
        ShapeError: an odd number of features to turn, or more than there are.

    Source: Su et al., RoFormer (2021), section 3.4.2, eq. 15 and 34; partial: Black et
    al., GPT-NeoX-20B (2022), section 2.1.

    >>> rope(np.array([[1.0, 2.0, 3.0, 4.0]]), [1], pairing="interleaved").round(4)
    array([[-1.1426,  1.9221,  2.9599,  4.0298]])
    """
    n, r = x.shape[-2], x.shape[-1] if dimensions is None else dimensions
    m = np.arange(n) if positions is None else positions
    angle = rope_angles(m, r, base, offset)
    return rotated(x, np.cos(angle), np.sin(angle), pairing=pairing)


def alibi_slopes(h: int) -> Any:
    """ALiBi's slopes of h heads: 2^{-8/h}, 2^{-16/h}, …, 2^{-8}.

    For an h that is no power of two: those of the power p below it, then every other one
    of 2p heads, from the first.
    Source: Press, Smith, Lewis, Train Short, Test Long (2022), section 3, and its code.

    >>> (1 / alibi_slopes(4)).tolist(), (1 / alibi_slopes(3)).tolist()
    ([4.0, 16.0, 64.0, 256.0], [16.0, 256.0, 4.0])
    """
    p = 2 ** (h.bit_length() - 1)
    k = np.concatenate([2 * np.arange(1, p + 1), np.arange(1, 2 * (h - p), 2)])
    m = 2 ** (-4 * k / p)
    return m


def alibi_bias(h: int, n_q: int, n_k: int, offset: int = 0) -> Any:
    """ALiBi's bias of the scores, h × n_q × n_k: minus slope times distance.

    Query i stands at position offset + i. Keys after it are as far as those before it; a
    causal model masks them.
    Source: Press, Smith, Lewis, Train Short, Test Long (2022), section 3.

    >>> alibi_bias(1, 2, 2)[0]
    array([[-0.        , -0.00390625],
           [-0.00390625, -0.        ]])
    """
    i = np.arange(n_q)[:, None] + offset
    j = np.arange(n_k)
    m = alibi_slopes(h)
    B = -m[:, None, None] * np.abs(i - j)
    return B
