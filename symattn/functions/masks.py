"""Additive masks: 0 where a query sees a key, -inf where it does not.

n_q queries, n_k keys. Query i stands at position offset + i, where offset is the length
of the past (0 without a cache); keys stand at 0, 1, …. A mask is made by selection and
added to the scores; 0 and 1, which would be added as they are, are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symattn.errors import MaskError, OptionError


def additive_mask(*, keep: Any = None, drop: Any = None) -> Any:
    """An additive mask from booleans, of their shape.

    Args:
        keep: True where a key is seen, as in PyTorch's scaled_dot_product_attention and ONNX.
        drop: True where it is not, as in PyTorch's nn.MultiheadAttention. One of the two.

    Raises:
        MaskError: both or none are given, or what is given is not boolean.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.3.

    >>> additive_mask(keep=[True, False])
    array([  0., -inf])
    """
    if (keep is None) == (drop is None):
        raise MaskError("wanted a boolean mask as either keep= or drop=, got both or none")
    given = np.asarray(keep if drop is None else drop)
    if given.dtype != bool:
        raise MaskError(f"wanted booleans, got {given.dtype}: 0 and 1 do not say which they mean")
    seen = given if drop is None else ~given
    M = np.where(seen, 0, -np.inf)
    return M


def causal_mask(n_q: int, n_k: int, offset: int = 0) -> Any:
    """Additive causal mask, n_q × n_k: query i stands at position offset + i.

    0 at keys up to the query's own position, -inf after it.
    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.3.

    >>> causal_mask(2, 2)
    array([[  0., -inf],
           [  0.,   0.]])
    """
    i = np.arange(n_q)[:, None]
    j = np.arange(n_k)
    M = np.where(j <= offset + i, 0, -np.inf)
    return M


def sliding_window_mask(
    n_q: int, n_k: int, window: int | tuple[int | None, int | None], offset: int = 0
) -> Any:
    """Additive mask of a window around each query's position, n_q × n_k.

    Args:
        window: ``(left, right)``: how many positions beside its own a query sees, None
            for all of them (ONNX's -1); or ``w``: w keys, the query's own and the w - 1
            before it, as Mistral counts, which is ``(w - 1, 0)``.

    Raises:
        OptionError: a window of no keys, or a negative side.

    Source: Beltagy, Peters, Cohan, Longformer (2020), section 3.1; Jiang et al.,
    Mistral 7B (2023), section 2.

    >>> sliding_window_mask(3, 3, 2)
    array([[  0., -inf, -inf],
           [  0.,   0., -inf],
           [-inf,   0.,   0.]])
    """
    left, right = window if isinstance(window, tuple) else (window - 1, 0)
    if (left is not None and left < 0) or (right is not None and right < 0):
        raise OptionError(f"window: wanted (left, right) from 0 on, or w from 1 on, got {window}")
    before = n_k + offset + n_q if left is None else left
    after = n_k + offset + n_q if right is None else right
    i = np.arange(n_q)[:, None] + offset
    j = np.arange(n_k)
    M = np.where((i - before <= j) & (j <= i + after), 0, -np.inf)
    return M


def prefix_mask(n: int, p: int) -> Any:
    """Additive mask of a prefix language model, n × n: all see the first p keys, else causal.

    Raises:
        OptionError: p is not between 0 and n.

    Source: Raffel et al., Exploring the Limits of Transfer Learning (2020), section 3.2.1.

    >>> prefix_mask(3, 2)
    array([[  0.,   0., -inf],
           [  0.,   0., -inf],
           [  0.,   0.,   0.]])
    """
    if not 0 <= p <= n:
        raise OptionError(f"prefix: wanted from 0 to {n} keys, got {p}")
    i = np.arange(n)[:, None]
    j = np.arange(n)
    M = np.where((j < p) | (j <= i), 0, -np.inf)
    return M


def padding_mask(lengths: int | Sequence[int], n_k: int) -> Any:
    """Additive mask of padded keys: 0 before a sequence's length, -inf from it on.

    Args:
        lengths: of one sequence, which gives 1 × n_k, or of b, which gives b × 1 × n_k.

    Raises:
        OptionError: a length that is not between 1 and n_k.

    Source: Vaswani et al., Attention Is All You Need (2017), section 3.2.3.

    >>> padding_mask(2, 3)
    array([[  0.,   0., -inf]])
    """
    length = np.asarray(lengths)[..., None, None]
    if np.any(length < 1) or np.any(length > n_k):
        raise OptionError(f"lengths: wanted from 1 to {n_k} keys, got {lengths}")
    j = np.arange(n_k)[None]
    M = np.where(j < length, 0, -np.inf)
    return M


def intersection(M_1: Any, M_2: Any) -> Any:
    """The mask under which a key is seen where both masks show it. Shapes broadcast.

    Source: the sum of two additive masks, as ONNX's Attention-24 composes its own.

    >>> intersection(causal_mask(2, 2), padding_mask(1, 2))
    array([[  0., -inf],
           [  0., -inf]])
    """
    return M_1 + M_2


def union(M_1: Any, M_2: Any) -> Any:
    """The mask under which a key is seen where either mask shows it. Shapes broadcast.

    Source: Beltagy, Peters, Cohan, Longformer (2020), section 3.1 (windows and global keys).

    >>> union(causal_mask(2, 2), padding_mask(2, 2))
    array([[0., 0.],
           [0., 0.]])
    """
    return np.maximum(M_1, M_2)
