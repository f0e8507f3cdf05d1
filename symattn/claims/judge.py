"""Whether a printed decimal is a correct rounding of the exact value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.numbers import symbolic


class Printed(Protocol):
    """A claim as a spec gives it: decimals printed `at` an address, or for a `value`."""

    @property
    def at(self) -> str | None: ...
    @property
    def value(self) -> Any: ...
    @property
    def value_text(self) -> str: ...
    @property
    def printed(self) -> Any: ...


@dataclass(frozen=True)
class Judgement:
    """One printed decimal.

    Attributes:
        at: its address, or the number it was printed for.
        printed: as printed.
        correct: the exact value rounded to as many decimals.
        right: whether what was printed is a correct rounding.
        entry: the entry it was printed for, None for a number alone.
        step: the address of the step, without the cell.
    """

    at: str
    printed: str
    correct: str
    right: bool
    entry: Entry | None = None

    @property
    def step(self) -> str:
        return self.entry.step.address if self.entry else self.at


def judge(derivation: Derivation, claims: Sequence[Printed]) -> list[Judgement]:
    """Judge every decimal of every claim, in order."""
    found: list[Judgement] = []
    for claim in claims:
        if claim.at is None:
            found.append(
                _judged(claim.value_text, str(claim.printed), symbolic.number(claim.value))
            )
            continue
        for entry, printed in _cells(derivation[claim.at], claim.printed):
            found.append(_judged(entry.address, printed, entry.value, entry))
    return found


def _cells(place: Any, printed: Any) -> Iterator[tuple[Entry, str]]:
    """Pair entries with what was printed for them; a step, an entry, or lists of entries."""
    if isinstance(place, Entry):
        yield place, str(printed)
    else:
        for part, text in zip(place, printed, strict=True):
            yield from _cells(part, text)


def _judged(at: str, printed: str, value: Any, entry: Entry | None = None) -> Judgement:
    text = printed.replace("−", "-").lstrip("+")
    digits = len(text.partition(".")[2])
    correct = symbolic.decimal(value, digits)
    return Judgement(at, printed, correct, is_rounding(text, value, correct), entry)


def is_rounding(printed: str, value: Any, correct: str) -> bool:
    """Whether a decimal is the value rounded half away from zero, or either way at a tie."""
    if printed in (correct, "-oo"):
        return printed == correct
    if "oo" in correct:
        return False
    if Fraction(printed) == Fraction(correct):
        return True
    digits = len(printed.partition(".")[2])
    if not value.is_Rational:
        return False
    distance = abs(Fraction(printed) - Fraction(int(value.p), int(value.q)))
    return distance == Fraction(1, 2 * 10**digits)


def shape_of(printed: Any) -> tuple[int, ...]:
    """The shape of nested lists of decimals."""
    return np.shape(np.array(printed, dtype=object))
