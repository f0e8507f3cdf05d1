"""Which entries a worksheet asks for: addresses, or so many at random."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import TypeVar

import numpy as np

from symattn import expression
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.errors import OptionError
from symattn.expression import Cell
from symattn.literals import Infinity
from symattn.steps import Step, entries_of
from symattn.worksheets.handed import handed_on, leaves

T = TypeVar("T")

#: What is left blank where nothing is said: the first attention of a model, step by step.
DEFAULT = ("S", "Z", "A", "O")


def chosen(
    derivation: Derivation,
    blank: str | Sequence[str] = (),
    seed: int = 0,
    among: Collection[int] | None = None,
) -> tuple[Entry, ...]:
    """The entries that a worksheet leaves blank, in the order of the derivation.

    Args:
        blank: addresses of steps, rows or entries, as a list or with commas between them:
            ``"A[2],O"``; or how many entries, ``"5"`` or ``"30%"``, which are then picked at
            random. Without it, `DEFAULT`.
        seed: of what is picked at random.
        among: the nodes of the steps that are picked from; all if left out.

    Raises:
        AddressError: no such step or entry.
        OptionError: nothing, more than there is, or everything.
    """
    words = _words(blank)
    if isinstance(blank, str) and blank and not words:
        raise OptionError(f"blank: wanted addresses such as A,O[1], or a number, got {blank!r}")
    counts = [word for word in words if _COUNT.fullmatch(word)]
    if counts and words[1:]:
        raise OptionError(f"blank: wanted addresses, or one number such as 5, got {blank!r}")
    if counts:
        found = _sampled(derivation, counts[0], seed, among)
    elif words:
        found = [entry for word in words for entry in entries_of(derivation[word])]
    else:
        found = [entry for step in _usual(derivation) for entry in step.entries()]
    asked = {Cell(e.step.node, e.index): e for e in found}
    if len(asked) >= sum(int(np.prod(s.shape, dtype=int)) for s in derivation.steps):
        raise OptionError("blank: everything would be blank, with nothing left to start from")
    return tuple(asked[cell] for cell in sorted(asked, key=lambda c: (c.node, c.index)))


_COUNT = re.compile(r"[+-]?[\d.]+\s*%?")


def is_count(blank: str | Sequence[str]) -> bool:
    """Whether it says how many entries, and not which."""
    return any(_COUNT.fullmatch(word) for word in _words(blank))


def _words(blank: str | Sequence[str]) -> list[str]:
    return split(blank) if isinstance(blank, str) else [str(word).strip() for word in blank]


def split(text: str) -> list[str]:
    """Addresses with commas between them.

    >>> split("A[1,1], O")
    ['A[1,1]', 'O']
    """
    return [word.strip() for word in re.split(r",(?![^\[\]]*\])", text) if word.strip()]


def _usual(derivation: Derivation) -> list[Step]:
    """By each name of `DEFAULT` the first step; where there is none, all that is computed."""
    first: dict[str, Step] = {}
    for step in _computed(derivation):
        if step.name in DEFAULT:
            first.setdefault(step.name, step)
    return list(first.values()) or list(_computed(derivation))


def _computed(derivation: Derivation) -> Iterator[Step]:
    return (s for s in derivation.steps if not (s.given or s.inside or s.is_gradient))


def _sampled(
    derivation: Derivation, count: str, seed: int, among: Collection[int] | None
) -> list[Entry]:
    """So many entries that take some work; of the others only if there are not enough."""
    steps = [s for s in _computed(derivation) if among is None or s.node in among]
    entries = [e for step in steps for e in step.entries() if _takes_work(e)]
    wanted = _count(count, len(entries))
    hard = [e for e in entries if not _is_trivial(e)]
    generator = Random(seed)
    found = sampled(generator, hard, min(wanted, len(hard)))
    easy = [e for e in entries if _is_trivial(e)]
    return found + sampled(generator, easy, wanted - len(found))


def _count(text: str, there: int) -> int:
    number = text.rstrip("% ")
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", number) or ("." in number and "%" not in text):
        raise OptionError(f"blank: wanted a number of entries such as 5, or 30%, got {text!r}")
    wanted = Fraction(number)
    most = 100 if "%" in text else there
    is_possible = 0 < wanted <= most
    if "%" in text:
        wanted = Fraction(max(1, round(wanted * there / 100)))
    if not is_possible or wanted > there:
        raise OptionError(f"blank: wanted 1 to {there} entries to leave blank, got {text}")
    return int(wanted)


def sampled(generator: Random, population: Sequence[T], count: int) -> list[T]:
    """So many of a population, in an order of their own.

    Of the methods of `Random`, only `random` gives the same on every version of Python.
    """
    pool = list(population)
    for i in range(count):
        j = i + int(generator.random() * (len(pool) - i))
        pool[i], pool[j] = pool[j], pool[i]
    return pool[:count]


def _takes_work(entry: Entry) -> bool:
    """Whether it is finite, and more than an entry of another step once more."""
    if isinstance(entry.form, Infinity):
        return False
    step = entry.step
    tree = expression.expand(step.derivation.graph, step.node, entry.index)
    forms = step.derivation.forms
    same = [cell for cell in leaves(tree) if forms[cell.node][cell.index] == entry.form]
    return not same or handed_on(step, tree, same) is None


def _is_trivial(entry: Entry) -> bool:
    value = entry.form.rational()
    return value is not None and value in (0, 1)
