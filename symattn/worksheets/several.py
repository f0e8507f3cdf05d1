"""Worksheets for a class: different ones, by seeds that follow each other, and one key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from symattn.blocks import Block, Equation, Heading, Page, plain
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.errors import OptionError
from symattn.steps import entries_of
from symattn.worksheets.chosen import is_count
from symattn.worksheets.examples import differ
from symattn.worksheets.sheet import Worksheet, worksheet

#: The most sheets that are made at once.
MOST = 1000


@dataclass(frozen=True)
class Numbered:
    """A worksheet, and the seed that it is made by."""

    seed: int | None
    made: Worksheet


def worksheets(
    derived: Callable[[int | None], Derivation],
    blank: str | Sequence[str] = (),
    *,
    seed: int | None = None,
    count: int = 1,
    prose: bool = True,
    typed: bool = False,
) -> list[Numbered]:
    """So many worksheets, any two of which ask for other numbers or in other places.

    Each is that of its own seed, so that it can be made again alone; seeds whose sheet would ask
    what one before asks are left out. That numbers differ is proven, step by step: in each step
    that two sheets leave blank in the same places, one number at least is another.

    Args:
        derived: the derivation by the seed.
        blank, prose, typed: see `symattn.worksheets.sheet.worksheet`.
        seed: of the first. A single sheet of which nothing is random needs none.

    Raises:
        OptionError: fewer than one, or not so many different ones.
    """
    if type(count) is not int or not 1 <= count <= MOST:
        raise OptionError(f"count: wanted 1 to {MOST} worksheets, got {count!r}")
    if seed is None and count == 1 and not is_count(blank):
        return [Numbered(None, worksheet(derived(None), blank, prose=prose, typed=typed))]
    seed = seed or 0
    found: list[Numbered] = []
    asked: list[dict[str, list[Entry]]] = []
    for number in range(seed, seed + 10 * count + 10):
        derivation = derived(number)
        made = worksheet(derivation, blank, seed=number, prose=prose, typed=typed)
        steps = by_step(entries_of([derivation[address] for address in made.boxes]))
        if any(_are_alike(steps, others) for others in asked):
            continue
        asked.append(steps)
        found.append(Numbered(number, made))
        if len(found) == count:
            return found
    raise OptionError(
        f"count: wanted {count} worksheets, of which no two ask the same, and found {len(found)} "
        "among ten times as many seeds: ask for fewer, or leave more blank"
    )


def by_step(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Entries by the address of their step."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.step.address, []).append(entry)
    return found


def _are_alike(some: dict[str, list[Entry]], others: dict[str, list[Entry]]) -> bool:
    """Whether a step is left blank in the same places in both, and its numbers may be the same."""
    places, other_places = (
        {address: [e.index for e in entries] for address, entries in asked.items()}
        for asked in (some, others)
    )
    return places == other_places and not all(
        differ(entries, others[address]) for address, entries in some.items()
    )


def key_of(sheets: Sequence[Numbered], title: str) -> Page:
    """The keys of several worksheets as one page."""
    if len(sheets) == 1:
        return sheets[0].made.key
    return Page(title, tuple(block for sheet in sheets for block in _keyed(sheet.made)))


def _keyed(made: Worksheet) -> Iterator[Block]:
    yield Heading(2, plain(made.sheet.title))
    for block in made.key.blocks:
        # Of several derivations none is the page's.
        yield replace(block, about=()) if isinstance(block, Equation) else block
