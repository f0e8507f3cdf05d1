"""Which entries of a distribution a decoding rule keeps: top-k and nucleus, proven.

Entries are ranked by `symattn.comparison`; a float only says where to look first.
What ties is reported with all that tie, and an order that is not settled is
`Undecided` where it decides what is kept, and only there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from symattn import numerals
from symattn.cells import marked
from symattn.comparison import Comparison, compare
from symattn.entries import Entry
from symattn.errors import AddressError, ExactnessError, Undecided
from symattn.literals import Infinity, exact
from symattn.notation import Notation
from symattn.numbers import compact
from symattn.numbers.normal_form import ONE, Sum, divided, total
from symattn.rounding import between, surviving


@dataclass(frozen=True)
class Selection:
    """The entries that a rule keeps.

    Attributes:
        rule: ``top 3``, or ``nucleus 9/10``.
        row: the entries that it was asked of.
        kept: the largest first, with all of those that tie for the last place.
        size: how many the rule asks for; fewer than are kept, if there is such a tie.
        tied: the entries that tie for the last place; none if all of them are asked for.
    """

    rule: str
    row: tuple[Entry, ...]
    kept: tuple[Entry, ...]
    size: int
    tied: tuple[Entry, ...] = ()

    @cached_property
    def forms(self) -> list[Sum]:
        """What is kept, divided by its sum, in normal form.

        Raises:
            ExactnessError: it was no distribution to begin with.
        """
        check_distribution(self.row)
        return divided([entry.form for entry in self.kept])

    @property
    def exact(self) -> Any:
        """The renormalised distribution over what is kept: an immutable 1 × m SymPy matrix."""
        import sympy

        from symattn.numbers.normal_form import to_sympy

        return sympy.ImmutableDenseMatrix(1, len(self.kept), [to_sympy(f) for f in self.forms])

    def texts(self, style: Notation) -> list[str]:
        """The same as LaTeX or plain text, long parts by their names."""
        from symattn.numbers import texts

        step = self.row[0].step
        names = step.derivation.names(step.node, style)
        return [
            texts.text(form, style, names, entry.index, step.derivation.display.roots)
            for form, entry in zip(self.forms, self.kept, strict=True)
        ]

    def decimal(self, digits: int | None = None) -> list[str]:
        """The same as certified decimals.

        Raises:
            Undecided: a rounding that is not settled.
        """
        return [self._decimal(i, digits) for i in range(len(self.kept))]

    def shown(self, digits: int | None = None) -> list[str]:
        """The same for people: what is not settled ends in "?" after the proven digits."""
        return [self._shown(i, digits) for i in range(len(self.kept))]

    def _shown(self, i: int, digits: int | None) -> str:
        try:
            return self._decimal(i, digits)
        except Undecided as error:
            return f"{error.proven}?"

    def displayed(self, style: Notation) -> list[str]:
        """The same as its step's display has decimals; each is rounded for itself.

        Sums are not kept: of what is left over, the display's `row_sums` say nothing.
        """
        return [self._displayed(i, style) for i in range(len(self.kept))]

    def _displayed(self, i: int, style: Notation) -> str:
        step = self.kept[i].step
        display = step.derivation.display.at(step.address)
        if step.derivation.radii:
            return numerals.written(self._shown(i, None), style, display.decimal_mark)
        try:
            found = numerals.alone(self.forms[i], step.digits, display)
        except Undecided as error:
            found = numerals.Numeral(f"{error.proven}?")
        text = found.written(style, display.decimal_mark)
        return marked(text, style, small=found.small)

    def _decimal(self, i: int, digits: int | None) -> str:
        from symattn.certify import decimal_of, ends

        entry = self.kept[i]
        wanted = entry.step.digits if digits is None else digits
        if not entry.step.derivation.radii:
            return decimal_of(self.forms[i], wanted)
        check_distribution(self.row)
        bounds = ends(_ball(entry) / _total(self.kept))
        found = bounds and between(*bounds, wanted)
        if not found:
            proven = surviving(*bounds, wanted) if bounds else ""
            raise Undecided(f"{entry.address}: the printed inputs leave it open", proven)
        return found

    def json(self) -> dict[str, Any]:
        """The selection as plain data; what is renormalised is None for no distribution."""
        texts: Sequence[str | None]
        decimals: Sequence[str | None]
        nothing = [None] * len(self.kept)
        try:
            texts, decimals = self.texts("text"), self.shown()
        except (ExactnessError, Undecided):
            texts = decimals = nothing
        kept = [
            {"address": e.address, "labels": list(e.labels), "decimal": e.step.shown_at(e.index),
             "renormalised": text, "renormalised_decimal": decimal}
            for e, text, decimal in zip(self.kept, texts, decimals, strict=True)
        ]  # fmt: skip
        tied = [e.address for e in self.tied]
        return {"rule": self.rule, "size": self.size, "kept": kept, "tied": tied}

    def __repr__(self) -> str:
        from symattn.writers import terminal

        return terminal.selection(self)

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.markdown(shown.selection(self))


def top_k(row: Sequence[Entry], k: int) -> Selection:
    """The k largest entries of a row; with all that tie for the last place.

    Raises:
        Undecided: whether an entry is among them is not settled.
        ExactnessError: an entry with symbols, or a k that is no positive integer.

    Source: Fan, Lewis, Dauphin, Hierarchical Neural Story Generation (2018), section 5.4.

    >>> import symattn as sa
    >>> [e.address for e in top_k(sa.article()["P"].entries(), 2).kept]
    ['P[1]', 'P[3]']
    """
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise ExactnessError(f"wanted how many to keep, a whole number of at least 1, got {k!r}")
    entries, rule = _checked(row), f"top {k}"
    kept: list[Entry] = []
    for group in _ranked(entries):
        room = k - len(kept)
        if room <= 0:
            break
        kept += group.entries
        if len(group.entries) > room:
            group.check_settled()
            return Selection(rule, entries, tuple(kept), k, tuple(group.entries))
    return Selection(rule, entries, tuple(kept), len(kept))


def nucleus(row: Sequence[Entry], p: Any) -> Selection:
    """The smallest set of most probable entries whose sum is at least p.

    With a tie for the last place all that tie are kept, and `Selection.size` says how many
    are enough.

    Args:
        row: a distribution: entries that are not negative and sum to 1.
        p: an exact number, 0 < p <= 1: ``"0.9"`` is 9/10.

    Raises:
        Undecided: an order, or whether a sum reaches p, is not settled.
        ExactnessError: an entry with symbols, what is no distribution, a p out of range or
            a Python float.

    Source: Holtzman, Buys, Du, Forbes, Choi, The Curious Case of Neural Text Degeneration
    (2020), section 3.1, eq. 2.

    >>> import symattn as sa
    >>> [e.address for e in nucleus(sa.article()["P"].entries(), "1/2").kept]
    ['P[1]', 'P[3]']
    """
    threshold = compact.number(exact(p))
    in_range = not isinstance(threshold, Infinity) and not threshold.has_symbols
    if (
        not in_range
        or not _is(compare(threshold, 0), "greater")
        or _is(compare(threshold, 1), "greater")
    ):
        raise ExactnessError(f"wanted a p with 0 < p <= 1, got {p}")
    entries, rule = _checked(row), f"nucleus {p}"
    check_distribution(entries)
    spare = ONE - threshold

    def reaches(rest: Sequence[Entry]) -> bool:
        """Whether what is left leaves enough: of a sum of 1, the rest is at most 1 - p."""
        found = _against(rest, spare)
        if found.verdict in ("different", "undecided"):
            names = ", ".join(e.address for e in entries if e not in rest)
            raise Undecided(f"whether {names} together reach {p}: {found}")
        return found.verdict != "greater"

    groups = _ranked(entries)
    after = [e for group in groups for e in group.entries]
    starts = [0]
    for group in groups:
        starts.append(starts[-1] + len(group.entries))
    # The group that is reached with: what follows it is spare, what follows the one before is not.
    at = _first(len(groups), lambda i: reaches(after[starts[i + 1] :]))
    own, kept, later = groups[at].entries, after[: starts[at + 1]], after[starts[at + 1] :]
    if groups[at].open:
        # All of it is needed, in whatever order, if none of it can be left out.
        if any(reaches([*later, entry]) for entry in own):
            groups[at].check_settled()
        return Selection(rule, entries, tuple(kept), len(kept))
    enough = 1 + _first(len(own), lambda m: reaches([*own[m + 1 :], *later]))
    tied = own if enough < len(own) else []
    return Selection(rule, entries, tuple(kept), starts[at] + enough, tuple(tied))


def _first(n: int, holds: Callable[[int], bool]) -> int:
    """The first of n places where something holds that then holds on, and at the last anyway."""
    low, high = 0, n - 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _is(found: Comparison, *verdicts: str) -> bool:
    if found.verdict in ("different", "undecided"):
        raise Undecided(str(found))
    return found.verdict in verdicts


def _checked(row: Sequence[Entry]) -> tuple[Entry, ...]:
    if not row or not all(isinstance(entry, Entry) for entry in row):
        raise AddressError("wanted a row of entries, such as those of P or of A[0]")
    for entry in row:
        entry.check_number()
    return tuple(row)


def check_distribution(row: Sequence[Entry]) -> None:
    """Refuse entries that are not proven to be probabilities of one distribution.

    Raises:
        ExactnessError: a negative entry, or a sum other than 1.
        Undecided: not settled.
    """
    step = row[0].step
    node = step.derivation.graph.nodes[step.node]
    whole = len({e.index for e in row}) == step.shape[-1] and len({e.index[:-1] for e in row}) == 1
    if node.op == "softmax" and not node.params.get("zero") and not step.given and whole:
        return
    wanted = f"{step.short}: wanted a distribution, such as a softmax gives"
    for entry in row:
        if isinstance(entry.form, Infinity) or _is(compare(entry, 0), "less"):
            raise ExactnessError(f"{wanted}; {entry.address} is {entry.text()}")
    if not _is(_against(row, ONE), "equal"):
        raise ExactnessError(f"{wanted}; the entries do not sum to 1")


def _against(entries: Sequence[Entry], number: Sum) -> Comparison:
    """The sum of entries, compared with a number."""
    derivation = entries[0].step.derivation if entries else None
    if derivation is None or not derivation.radii:
        return compare(total(e.form for e in entries), number)
    from symattn.numbers.enclosure import START, enclose

    ball, other = _total(entries), enclose(number, START)
    if ball < other or ball > other:
        return Comparison("less" if ball < other else "greater", "the enclosures are separate")
    return Comparison("undecided", "the printed digits of the inputs leave it open")


def _total(entries: Sequence[Entry]) -> Any:
    balls = list(map(_ball, entries))
    return sum(balls[1:], start=balls[0])


def _ball(entry: Entry) -> Any:
    return entry.step.derivation.enclosures.ball((entry.step.node, entry.index))


# Ranking.


@dataclass
class _Group:
    """Entries with no order among them: they tie, unless something in it is `open`."""

    entries: list[Entry]
    open: list[str] = field(default_factory=list)

    def check_settled(self) -> None:
        if self.open:
            raise Undecided(self.open[0])


def _ranked(entries: Sequence[Entry]) -> list[_Group]:
    """Groups of entries, the largest first: every entry is proven larger than those of the next.

    Where the order of two is not settled, they share a group.
    """
    known: dict[tuple[int, int], Comparison] = {}

    def order(a: Entry, b: Entry) -> Comparison:
        key = (id(a), id(b))
        if key not in known:
            known[key] = compare(a, b)
        return known[key]

    line: list[Entry] = []
    for entry in sorted(entries, key=_size, reverse=True):
        at = len(line)
        while at and order(line[at - 1], entry).verdict == "less":
            at -= 1
        line.insert(at, entry)
    groups: list[_Group] = []
    for entry in line:
        groups.append(_Group([entry]))
        while len(groups) > 1 and (found := _unsettled(groups[-2], groups[-1], order)) is not None:
            last = groups.pop()
            groups[-1] = _Group(
                groups[-1].entries + last.entries, groups[-1].open + last.open + found
            )
    for group in groups:
        if not group.open:
            group.entries.sort(key=lambda e: e.index)
    return groups


def _unsettled(
    first: _Group, second: _Group, order: Callable[[Entry, Entry], Comparison]
) -> list[str] | None:
    """Why two groups are one: nothing if they tie; None if they are two."""
    # Of entries that tie, one stands for all.
    left = first.entries if first.open else first.entries[-1:]
    right = second.entries if second.open else second.entries[:1]
    pairs = [(a, b, order(a, b)) for a in left for b in right]
    if all(found.verdict == "greater" for _, _, found in pairs):
        return None
    return [
        f"{a.address} and {b.address}: {found}"
        for a, b, found in pairs
        if found.verdict not in ("greater", "equal")
    ]


def _size(entry: Entry) -> tuple[int, Any]:
    """Where to look first: infinities apart, the middle of the enclosure."""
    if isinstance(entry.form, Infinity):
        return entry.form.sign, 0
    return 0, _ball(entry).mid()
