"""How far long work has come, told to whoever watches; without a watcher nothing happens.

Work says what it goes through: ``for step in progress.over(steps, "step")``. What is seen of it is
the watcher's business, which a context variable holds: a Python session and a pipe have none, a
command on a terminal has `symattn.cli.bar`.

>>> [word.upper() for word in over(["cat", "mouse"], "word")]
['CAT', 'MOUSE']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol, TypeVar

T = TypeVar("T")


@dataclass(eq=False)
class Work:
    """Something that is gone through, item by item.

    Attributes:
        what: an item, in a word: ``"step"``.
        total: how many there are; None where nobody knows yet.
        done: how many are behind.
    """

    what: str
    total: int | None = None
    done: int = 0


class Watcher(Protocol):
    """What is told of work. It reads ``work.done`` whenever it likes."""

    def begun(self, work: Work) -> None:
        """Work begins, inside the work that is not ended."""

    def ended(self, work: Work) -> None:
        """Work is over, done or given up."""

    def hidden(self) -> AbstractContextManager[None]:
        """Show nothing while something else is printed."""


_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Watcher | None) -> Iterator[None]:
    """Within it, a watcher is told of all work; None tells nobody."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def hidden() -> AbstractContextManager[None]:
    """What is shown of work makes way for what is printed within it."""
    watcher = _WATCHER.get()
    return nullcontext() if watcher is None else watcher.hidden()


def over(items: Iterable[T], what: str) -> Iterable[T]:
    """The same items; a watcher is told of each that is done.

    Args:
        what: one of them, in a word.
    """
    watcher = _WATCHER.get()
    return items if watcher is None else _counted(items, what, watcher)


def _counted(items: Iterable[T], what: str, watcher: Watcher) -> Iterator[T]:
    with _under(watcher, Work(what, len(items) if isinstance(items, Sized) else None)) as made:
        for item in items:
            yield item
            made.done += 1


@contextmanager
def work(what: str, total: int | None = None) -> Iterator[Work]:
    """Work that counts itself, in a loop that has no items: it adds to ``done``."""
    watcher, made = _WATCHER.get(), Work(what, total)
    if watcher is None:
        yield made
    else:
        with _under(watcher, made):
            yield made


@contextmanager
def _under(watcher: Watcher, made: Work) -> Iterator[Work]:
    try:
        watcher.begun(made)
        yield made
    finally:
        watcher.ended(made)


def share(works: Sequence[Work]) -> float | None:
    """How much is done, from the outermost work to the innermost; None where nobody knows.

    >>> share([Work("document", 4, done=1), Work("step", 2, done=1)])
    0.375
    """
    if not works or works[0].total is None:
        return None
    found, part = 0.0, 1.0
    for made in works:
        if not made.total:
            break
        found += part * min(made.done / made.total, 1.0)
        part /= made.total
    return min(found, 1.0)
