"""Arrays whose entries are held in one flint matrix, so that flint does the work on them."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from symattn.graph import Array
from symattn.numbers.given import sides


class Grid:
    """A flint matrix with an array's shape, and which entries are infinities.

    Attributes:
        matrix: all axes but the last are its rows; what stands at a mark means nothing.
        shape: the array's.
        marks: of that shape, -1 at -oo, 1 at oo, 0 at numbers; None where there are no infinities.
    """

    __slots__ = ("marks", "matrix", "shape")

    def __init__(self, matrix: Any, shape: tuple[int, ...], marks: Array | None = None) -> None:
        self.matrix = matrix
        self.shape = shape
        self.marks = marks

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def place(self, index: tuple[int, ...]) -> tuple[int, int]:
        """Row and column of the matrix where an entry of the array stands."""
        return divmod(flat_index(index, self.shape), self.shape[-1] if self.shape else 1)

    def taken(self, index: Array) -> tuple[Any, tuple[int, ...], Array | None]:
        """Matrix, shape and marks of the entries at flat indices."""
        shape = tuple(index.shape)
        marks = None if self.marks is None else self.marks.reshape(-1)[index]
        if marks is not None and not marks.any():
            marks = None
        if _is_transpose(index, self.shape):
            return self.matrix.transpose(), shape, marks
        entries = self.matrix.entries()
        taken = [entries[i] for i in index.ravel().tolist()]
        return type(self.matrix)(*sides(shape), taken), shape, marks


def flat_index(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    """The place of an entry among all entries in order.

    >>> flat_index((1, 2), (2, 3))
    5
    """
    flat = 0
    for i, n in zip(index, shape, strict=True):
        flat = flat * n + i
    return flat


def object_array(entries: list[Any], shape: tuple[int, ...]) -> Array:
    """An object array of entries in order; NumPy does not look inside them."""
    return np.fromiter(entries, dtype=object, count=len(entries)).reshape(shape)


def _is_transpose(index: Array, shape: tuple[int, ...]) -> bool:
    if len(shape) != 2 or index.shape != shape[::-1]:
        return False
    return bool((np.arange(index.size).reshape(shape) == index.T).all())


def selected_rows(index: Array, shape: tuple[int, ...]) -> list[int] | None:
    """Which rows a reindexing of a matrix takes, if it takes rows whole; else None.

    >>> selected_rows(np.array([2, 3]), (2, 2)), selected_rows(np.array([1, 3]), (2, 2))
    ([1], None)
    """
    columns = shape[-1] if shape else 1
    if index.ndim not in (1, 2) or index.shape[-1] != columns:
        return None
    starts = index.reshape(-1, columns)[:, :1]
    whole = index.reshape(-1, columns) == starts + np.arange(columns)
    if (starts % columns).any() or not whole.all():
        return None
    return [int(i) // columns for i in starts[:, 0]]


def broadcast_index(shape: tuple[int, ...], to: tuple[int, ...]) -> Array:
    """The flat indices that broadcast an array of one shape to another."""
    return np.asarray(np.broadcast_to(np.arange(prod(shape)).reshape(shape), to))
