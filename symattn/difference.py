"""Two derivations side by side: which steps differ, entry by entry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from symattn.entries import Entry
from symattn.literals import Infinity

if TYPE_CHECKING:
    from symattn.derivation import Derivation
    from symattn.steps import Step

#: What is known of a step in two derivations. ``shape``: it has another one in each;
#: ``left`` and ``right``: only one of them has it.
Kind = Literal["same", "different", "shape", "left", "right"]


@dataclass(frozen=True)
class EntryDifference:
    """An entry that differs, in each derivation; or of which that is not known."""

    left: Entry
    right: Entry
    undecided: bool = False


@dataclass(frozen=True)
class StepDifference:
    """A step in two derivations.

    Attributes:
        entries: those that differ, or are not proven to be the same.
    """

    address: str
    kind: Kind
    left: Step | None = None
    right: Step | None = None
    entries: tuple[EntryDifference, ...] = ()


@dataclass(frozen=True)
class Difference:
    """What two derivations have in common, and what not; steps in the order of the left one.

    >>> import symattn as sa
    >>> d = sa.article()
    >>> found = d.diff(d.with_(E=[[1, 0], ["1/5", 1], [0, 0]]))
    >>> [s.address for s in found.changed if s.kind == "different"][:3]
    ['E', 'Q', 'K']
    """

    steps: tuple[StepDifference, ...]

    @property
    def changed(self) -> tuple[StepDifference, ...]:
        """The steps that are not the same."""
        return tuple(s for s in self.steps if s.kind != "same")

    def __str__(self) -> str:
        from symattn.writers import differences

        return differences.text(self)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        from symattn.writers import differences, jupyter

        return jupyter.markdown(differences.blocks(self))


def difference(left: Derivation, right: Derivation) -> Difference:
    """Compare two derivations step by step; entries are the same where that is proven."""
    ours = {s.short: s for s in left.steps}
    theirs = {s.short: s for s in right.steps}
    found = []
    for address, step in ours.items():
        other = theirs.get(address)
        if other is None:
            found.append(StepDifference(address, "left", step))
        elif step.shape != other.shape:
            found.append(StepDifference(address, "shape", step, other))
        else:
            entries = tuple(_entries(step, other))
            kind: Kind = "different" if entries else "same"
            found.append(StepDifference(address, kind, step, other, entries))
    found += [StepDifference(a, "right", None, s) for a, s in theirs.items() if a not in ours]
    return Difference(tuple(found))


def _entries(left: Step, right: Step) -> Iterator[EntryDifference]:
    for index in np.ndindex(left.shape):
        same = _same(left.forms[index], right.forms[index])
        if not same:
            yield EntryDifference(Entry(left, index), Entry(right, index), same is None)


def _same(x: Any, y: Any) -> bool | None:
    """Whether two exact values are equal; None where that is not settled."""
    if isinstance(x, Infinity) or isinstance(y, Infinity) or x == y:
        return bool(x == y)
    from symattn.decide import is_zero, sign

    difference = x - y
    if not difference.has_symbols and sign(difference, limit=128).sign:
        return False
    answer = is_zero(difference).verdict
    return None if answer == "unknown" else answer == "zero"
