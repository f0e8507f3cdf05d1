"""Whether a printed decimal is a correct rounding of the exact value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol

from symattn.certify import decimal_of
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.errors import Undecided

Verdict = Literal["right", "wrong", "undecided"]


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
        verdict: whether what was printed is a correct rounding, if that is settled.
        entry: the entry it was printed for, None for a number alone.
        step: the address of the step, without the cell.
    """

    at: str
    printed: str
    correct: str
    verdict: Verdict
    entry: Entry | None = None

    @property
    def step(self) -> str:
        return self.entry.step.address if self.entry else self.at


def judge(derivation: Derivation, claims: Sequence[Printed]) -> list[Judgement]:
    """Judge every decimal of every claim, in order."""
    found: list[Judgement] = []
    for claim in claims:
        if claim.at is None:
            found.append(_judged_number(claim))
            continue
        for entry, printed in _cells(derivation[claim.at], claim.printed):
            found.append(_judged(entry, printed))
    return found


def _cells(place: Any, printed: Any) -> Iterator[tuple[Entry, str]]:
    """Pair entries with what was printed for them; a step, an entry, or lists of entries."""
    if isinstance(place, Entry):
        yield place, str(printed)
    else:
        for part, text in zip(place, printed, strict=True):
            yield from _cells(part, text)


def _judged(entry: Entry, printed: str) -> Judgement:
    text = plain(printed)
    try:
        correct = entry.decimal(digits_of(text))
    except Undecided as error:
        return Judgement(entry.address, printed, f"{error.proven}?", "undecided", entry)
    right = is_rounding(text, correct, lambda: entry.rational)
    return Judgement(entry.address, printed, correct, "right" if right else "wrong", entry)


def _judged_number(claim: Printed) -> Judgement:
    text = plain(str(claim.printed))
    try:
        correct = decimal_of(claim.value, digits_of(text))
    except Undecided as error:
        return Judgement(claim.value_text, str(claim.printed), f"{error.proven}?", "undecided")
    value = claim.value if isinstance(claim.value, Fraction) else None
    right = is_rounding(text, correct, lambda: value)
    verdict: Verdict = "right" if right else "wrong"
    return Judgement(claim.value_text, str(claim.printed), correct, verdict)


def plain(printed: str) -> str:
    """A printed decimal with an ASCII sign, or none for plus."""
    return printed.replace("−", "-").lstrip("+")


def digits_of(text: str) -> int:
    """How many decimals a decimal has."""
    return len(text.partition(".")[2])


def is_rounding(text: str, correct: str, rational: Callable[[], Fraction | None]) -> bool:
    """Whether a decimal is a correct rounding: half away from zero, or either way at a tie.

    Args:
        text: what was printed, see `plain`.
        correct: the exact value, rounded half away from zero to as many decimals.
        rational: the exact value where it is rational, asked only if the two differ.
    """
    if "oo" in (text, correct) or "-oo" in (text, correct):
        return text == correct
    if Fraction(text) == Fraction(correct):
        return True
    # Half-even and half-up differ from half away from zero by one unit, at an exact tie.
    if abs(Fraction(text) - Fraction(correct)) != Fraction(1, 10 ** digits_of(text)):
        return False
    value = rational()
    return value is not None and abs(Fraction(text) - value) * 2 * 10 ** digits_of(text) == 1
