"""What number systems on NumPy arrays share: moving entries about, never changing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symattn.errors import ExactnessError, MaskError, ShapeError
from symattn.graph import Array
from symattn.literals import NEGATIVE_INFINITY, Infinity

FULLY_MASKED = (
    "row {row} of the scores is masked everywhere (-oo in all {n} places): its softmax is not "
    "defined; leave at least one key visible to it"
)

MASKED = "{op} met {mark}: a masked score is selected, not calculated with"


def is_mark(x: Any) -> bool:
    """Whether an entry is an infinity, which is a mark and not a number."""
    return isinstance(x, Infinity)


def selected(op: str, args: Sequence[Any], zero: Any) -> Any:
    """What an operation on entries selects where at least one is an infinity.

    -oo stays under sums with what is finite, is 0 under exp and loses every maximum;
    oo wins it.

    Raises:
        ExactnessError: any other operation: it would calculate with a mark.
    """
    marks = [a for a in args if is_mark(a)]
    if op == "maximum":
        a, b = args
        if is_mark(a):
            return b if a.sign < 0 else a
        return a if b.sign < 0 else b
    if all(m.sign < 0 for m in marks):
        if op == "exp":
            return zero
        if op == "add" or (op == "sub" and not is_mark(args[1])):
            return NEGATIVE_INFINITY
    raise ExactnessError(MASKED.format(op=op, mark=marks[0]))


class ArraySystem:
    """Base of the number systems whose values are NumPy arrays."""

    def gather(self, x: Array, index: Array) -> Array:
        """Take the entries of flattened x at `index`; the result has index's shape."""
        return np.asarray(x.reshape(-1)[index], dtype=x.dtype)

    def concat(self, *xs: Array, axis: int) -> Array:
        return np.concatenate(xs, axis=axis)

    def where(self, a: Array, b: Array, *, keep: Array) -> Array:
        """Select by static booleans: a where `keep` is true, else b."""
        return np.where(keep, a, b)

    def replaced(self, value: Any, shape: tuple[int, ...]) -> Any:
        return fitting(value, shape)


def fitting(value: Any, shape: tuple[int, ...]) -> Any:
    """A value that a hook returned, if it has the shape that its step has.

    Raises:
        ShapeError: it has another one.
    """
    if np.shape(value) != shape:
        raise ShapeError(f"wanted a value of shape {shape}, got {np.shape(value)}")
    return value


def multiplied(
    a: Array,
    b: Array,
    product: Callable[[Array, Array], Array],
    is_masked: Callable[[Any], bool] = is_mark,
) -> Array:
    """A matrix product of object arrays, NumPy's rules for vectors and batches included.

    Args:
        product: multiplies two matrices.
        is_masked: whether an entry is an infinity, which no product takes.
    """
    for operand in (a, b):
        if any(map(is_masked, operand.flat)):
            raise ExactnessError("matmul met -oo: mask the scores and take their softmax first")
    left = a if a.ndim > 1 else a[None, :]
    right = b if b.ndim > 1 else b[:, None]
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = np.broadcast_to(left, batch + left.shape[-2:])
    right = np.broadcast_to(right, batch + right.shape[-2:])
    out = np.empty((*batch, left.shape[-2], right.shape[-1]), dtype=object)
    for k in np.ndindex(batch):
        out[k] = product(left[k], right[k])
    if a.ndim == 1:
        out = out[..., 0, :]
    return np.asarray(out[..., 0] if b.ndim == 1 else out, dtype=object)


def check_rows(masked: Array, zero: bool = False) -> Array:
    """Refuse a softmax over a row in which every score is -oo.

    Args:
        masked: booleans, True where the score is -oo.
        zero: such a row is allowed; its weights are 0.

    Returns:
        Booleans, True for the rows that are masked everywhere, their last axis kept as 1.

    Raises:
        MaskError: names the row.
    """
    full = np.asarray(masked.all(axis=-1, keepdims=True))
    if full.any() and not zero:
        row = ",".join(map(str, np.argwhere(full)[0].tolist()[:-1]))
        raise MaskError(FULLY_MASKED.format(row=row or "0", n=masked.shape[-1]))
    return full


def by_row(function: Callable[..., Any], arrays: Sequence[Array]) -> Array:
    """An operation on entries, broadcast; what it refuses is refused by the row it stands in.

    Raises:
        ExactnessError: an entry's own, with its row.
    """
    try:
        return np.asarray(function(*arrays), dtype=object)
    except ExactnessError as error:
        entries = np.broadcast_arrays(*arrays)
        for index in np.ndindex(entries[0].shape):
            try:
                function(*(x[index] for x in entries))
            except ExactnessError as found:
                row = ",".join(map(str, index[:-1] or index))
                raise ExactnessError(f"{found}, in row {row}" if index else str(found)) from None
        raise error
