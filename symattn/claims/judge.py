"""Whether what was printed is right: a correct rounding of the exact value, or equal to it.

A number printed to k decimals is right if the exact value rounds to it, half away from
zero; at an exact tie half-even and half-up are right as well. A float as programs print
them (seven digits and more) is right within what the arithmetic of its type allows. Where
inputs are known only to their printed digits, a number that these leave open is right,
with a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

from symattn import decide, row_sums
from symattn.certify import bounds_of, decimal_of
from symattn.claims.reading.cells import Printed, read
from symattn.claims.reading.mapped import Mapped
from symattn.comparison import compare
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.errors import Undecided
from symattn.literals import Infinity
from symattn.numbers import texts
from symattn.numbers.bounded import RunningError
from symattn.numbers.compact import number
from symattn.numbers.normal_form import Sum, fraction
from symattn.rounding import fixed

if TYPE_CHECKING:
    from symattn.claims.entry_names import EntryNames

Verdict = Literal["right", "wrong", "undecided", "unmatched", "unanswered"]

#: Significant digits from which a float was printed by a program in double precision.
DOUBLE = 10


class Claim(Protocol):
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
    """One printed number.

    Attributes:
        at: its address, or the number it was printed for.
        printed: as printed.
        correct: what it should be, to as many decimals.
        verdict: whether what was printed is right, if that is settled.
        entry: the entry it was printed for, None for a number alone.
        note: what has to be known beside the verdict.
    """

    at: str
    printed: str
    correct: str
    verdict: Verdict
    entry: Entry | None = None
    note: str = ""

    @property
    def step(self) -> str:
        """The address of the step, without the cell."""
        return self.entry.step.address if self.entry else self.at

    def _repr_markdown_(self) -> str:
        from symattn.writers import findings, jupyter

        return jupyter.markdown(findings.judgement(self))


def judge(derivation: Derivation, claims: Sequence[Claim]) -> list[Judgement]:
    """Judge every number of every claim of a spec, in order."""
    found: list[Judgement] = []
    judging = Judging(derivation)
    for claim in claims:
        if claim.at is None:
            found.append(_judged_number(claim))
            continue
        for entry, printed in _cells(derivation[claim.at], claim.printed):
            found.append(judging.judged(entry, cell(printed)))
    return found


def cell(text: str) -> Printed:
    """A printed number outside any document."""
    return read(Mapped.plain(text), 0, len(text))


def _cells(place: Any, printed: Any) -> Iterator[tuple[Entry, str]]:
    """Pair entries with what was printed for them; a step, an entry, or lists of entries."""
    if isinstance(place, Entry):
        yield place, str(printed)
    else:
        for part, text in zip(place, printed, strict=True):
            yield from _cells(part, text)


def _judged_number(claim: Claim) -> Judgement:
    printed = str(claim.printed)
    digits = digits_of(cell(printed))
    try:
        correct = decimal_of(claim.value, digits)
    except Undecided as error:
        return Judgement(claim.value_text, printed, f"{error.proven}?", "undecided")
    rational = claim.value if isinstance(claim.value, Fraction) else None
    right = is_rounding(plain(printed), correct, lambda: rational)
    return Judgement(claim.value_text, printed, correct, "right" if right else "wrong")


class Judging:
    """Judges the printed numbers of one derivation."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self._errors: dict[str, Any] = {}

    @cached_property
    def names(self) -> EntryNames:
        """How entries are called; a page that judges its own spec's numbers asks for none."""
        from symattn.claims.entry_names import EntryNames

        return EntryNames(self.derivation)

    def judged(self, entry: Entry, printed: Printed, factor: Sum | None = None) -> Judgement:
        """Judge one printed number.

        Args:
            factor: what was printed is the entry times this; None for 1.
        """

        def say(verdict: Verdict, correct: str, note: str = "") -> Judgement:
            return Judgement(entry.address, printed.text, correct, verdict, entry, note)

        if printed.kind == "blank":
            return say("unanswered", "")
        if printed.kind == "unreadable":
            return self._expressed(entry, printed, factor, say)
        if entry.step.has_symbols:
            if entry.has_symbols:
                return say("undecided", "", "the entry contains symbols")
        elif not self.derivation.radii and factor is None and printed.plain:
            known = self._known(entry, max(digits_of(printed), 0))
            if known is not None and printed.plain == known:
                return say("right", known)  # to the letter, as most are
        if isinstance(entry.form, Infinity) or printed.kind in ("infinity", "nan"):
            right = printed.value == entry.form
            return say("right" if right else "wrong", self._shown(entry, printed, factor))
        if self.derivation.radii:
            return self._within(entry, printed, factor, say)
        try:
            if printed.kind == "exact":
                return self._equal(entry, printed, factor, say)
            correct = self._shown(entry, printed, factor)
        except Undecided as error:
            return say("undecided", f"{error.proven}?", str(error))
        digits = digits_of(printed)
        if digits < 0:  # 1e3: to the thousand
            near = self._is_near(entry, printed, Fraction(10) ** -digits / 2)
            return say("right" if near and factor is None else "wrong", correct)
        written = fixed(_fraction(printed), digits)
        if is_rounding(written, correct, lambda: _rational(entry, factor)):
            return say("right", correct)
        if printed.starred and factor is None and self._is_kept(entry, printed, digits):
            return say("right", correct, "not the nearest, so that its row adds to 1")
        if printed.is_raw_float and factor is None and self._is_float_of(entry, printed):
            return say("right", correct, "within the error of the float type it was printed in")
        return say("wrong", correct)

    def _shown(self, entry: Entry, printed: Printed, factor: Sum | None) -> str:
        """The exact value to as many decimals as were printed."""
        if isinstance(entry.form, Infinity):
            return str(entry.form)
        digits = max(digits_of(printed), 0)
        if factor is not None:
            return decimal_of(entry.form * factor, digits)
        found = self._known(entry, digits)
        return entry.decimal(digits) if found is None else found

    def _known(self, entry: Entry, digits: int) -> str | None:
        """Its certified decimal, where that is had together with all others of the step."""
        return self.derivation.enclosures.decimals(entry.step.node, digits)[entry.flat]

    def _equal(
        self, entry: Entry, printed: Printed, factor: Sum | None, say: Callable[..., Judgement]
    ) -> Judgement:
        if factor is None:
            from symattn.claims.expressed import rounds_to

            found = compare(entry, printed.value)
            if found.verdict == "undecided":
                return say("undecided", entry.latex(), found.why)
            if found.verdict == "equal":
                return say("right", printed.text)
            if printed.approximate and rounds_to(entry, printed.text):
                return say("right", entry.latex(), "as far as the decimals in it say")
            return say("wrong", entry.latex())
        assert printed.value is not None  # exact
        answer = decide.is_zero(entry.form * factor - number(printed.value))
        correct = texts.text(entry.form * factor, "latex")
        if answer.verdict == "unknown":
            return say("undecided", correct, answer.why)
        return say("right" if answer.verdict == "zero" else "wrong", correct)

    def _expressed(
        self, entry: Entry, printed: Printed, factor: Sum | None, say: Callable[..., Judgement]
    ) -> Judgement:
        """Judge an expression of entries, by their names."""
        from symattn.claims.expressed import equals, equals_times

        found = self.names.read(printed.text)
        if found is None:
            return say("unmatched", "", "it is no number that can be read")
        if found.missing:
            return say("wrong", entry.latex(), f"there is no entry {found.missing[0]}")
        answer = equals(entry, found) if factor is None else equals_times(entry, factor, found)
        if answer.verdict == "unknown":
            return say("undecided", entry.latex(), answer.why)
        if answer.verdict == "zero":
            return say("right", printed.text)
        return say("wrong", entry.latex())

    def _is_kept(self, entry: Entry, printed: Printed, digits: int) -> bool:
        """Whether the largest remainders of its row give it this decimal."""
        moved = row_sums.moved(entry.step, digits).get(entry.index)
        return moved is not None and Fraction(moved) == _fraction(printed)

    def _is_near(self, entry: Entry, printed: Printed, reach: Fraction) -> bool:
        bounds = self.derivation.enclosures.bounds((entry.step.node, entry.index))
        value = _fraction(printed)
        return bounds is not None and any(abs(value - end) <= reach for end in bounds)

    def _is_float_of(self, entry: Entry, printed: Printed) -> bool:
        """Whether a float is within the running error bound of its type, and its last digit."""
        kind = "float64" if (printed.significant or 0) >= DOUBLE else "float32"
        if kind not in self._errors:
            self._errors[kind] = self.derivation.running(RunningError(kind))
        bound = float(self._errors[kind][entry.step.node].bound[entry.index])
        if bound == float("inf"):
            return False
        last_digit = Fraction(1, 10 ** digits_of(printed))
        return self._is_near(entry, printed, Fraction(bound) + last_digit / 2)

    def _within(
        self, entry: Entry, printed: Printed, factor: Sum | None, say: Callable[..., Judgement]
    ) -> Judgement:
        """Judge where the inputs are intervals: by whether the two can be the same number."""
        bounds = self.derivation.enclosures.bounds((entry.step.node, entry.index))
        if bounds is None or factor is not None:
            return say("undecided", "", "the printed digits of the inputs leave it open")
        digits = max(digits_of(printed), 0)
        if printed.kind == "exact":
            known = bounds_of(printed.value)
            half = Fraction(0)
        else:
            known = (_fraction(printed),) * 2
            half = Fraction(1, 2 * 10**digits)
        correct = entry.step.shown_at(entry.index, digits)
        if known is None or known[0] - half > bounds[1] or known[1] + half < bounds[0]:
            return say("wrong", correct)
        settled = known[0] - half <= bounds[0] and bounds[1] <= known[1] + half
        note = "" if settled else "within what the printed digits of the inputs leave open"
        return say("right", correct, note)


def _rational(entry: Entry, factor: Sum | None) -> Fraction | None:
    if factor is None:
        return entry.rational
    found = decide.rational_value(entry.form * factor)
    return None if found is None else fraction(found)


def _fraction(printed: Printed) -> Fraction:
    assert isinstance(printed.value, Fraction)  # decimals and integers
    return printed.value


def digits_of(printed: Printed) -> int:
    """How many decimals a number was printed to; 0 for an integer."""
    return printed.decimals or 0


def plain(printed: str) -> str:
    """A printed decimal with an ASCII sign, or none for plus."""
    return printed.replace("−", "-").lstrip("+")


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
    digits = len(text.partition(".")[2])
    if abs(Fraction(text) - Fraction(correct)) != Fraction(1, 10**digits):
        return False
    value = rational()
    return value is not None and abs(Fraction(text) - value) * 2 * 10**digits == 1
