"""What exact arrays in matrix shape have in common: entries on demand.

A held array knows its shape, gives one entry or all of them as `Sum`s when asked,
and says whether an operation had to look at every entry (`opened`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from symattn.graph import Array


class Held:
    """Base of the arrays that hold exact entries in some other form than one by one."""

    __slots__ = ("_entries", "opened", "shape", "source")

    def __init__(self, shape: tuple[int, ...], source: Held | None = None) -> None:
        self.shape = shape
        #: Whether an operation went on with the entries one by one.
        self.opened = False
        #: The array whose entries these are, reindexed.
        self.source = source
        self._entries: Array | None = None

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def entry(self, index: tuple[int, ...]) -> Any:
        """One entry: a `Sum`, or -oo."""
        return self.entries[index]

    def made(self) -> Array:
        """Every entry, as an object array."""
        raise NotImplementedError

    @property
    def entries(self) -> Array:
        """Every entry, made once."""
        if self._entries is None:
            self._entries = self.made()
        return self._entries

    def __getitem__(self, index: Any) -> Any:
        whole = isinstance(index, tuple) and len(index) == len(self.shape)
        if self._entries is None and whole and all(isinstance(i, int) for i in index):
            return self.entry(tuple(i % n for i, n in zip(index, self.shape, strict=True)))
        return self.entries[index]

    @property
    def flat(self) -> Iterator[Any]:
        return iter(self.entries.flat)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.entries, dtype=object, copy=copy)


class Deferred(Held):
    """Entries that are made by a function when first asked for.

    Attributes:
        about: the rows of scores whose sums they are; see `mixture`.
    """

    __slots__ = ("_make", "about")

    def __init__(
        self, shape: tuple[int, ...], make: Callable[[], Array], about: tuple[Any, ...] = ()
    ) -> None:
        super().__init__(shape)
        self._make = make
        self.about = about

    def made(self) -> Array:
        return self._make()


def has_symbols(x: Any) -> bool:
    """Whether any entry contains a symbol: none that is held in matrix shape does."""
    if isinstance(x, Held) and not (isinstance(x, Deferred) and not x.about):
        return False
    return any(getattr(entry, "has_symbols", False) for entry in x.flat)


def opened(x: Any) -> Array:
    """The entries one by one, for an operation that has no better way."""
    if not isinstance(x, Held):
        return np.asarray(x, dtype=object)
    source: Held | None = x
    while source is not None:
        source.opened = True
        source = source.source
    return x.entries
