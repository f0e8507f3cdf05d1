"""What somebody wrote in the boxes of a worksheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from symattn.claims.judge import Judgement, Verdict
from symattn.claims.placing import Claimed
from symattn.derivation import Derivation
from symattn.expression import Cell
from symattn.steps import entries_of

#: Of several verdicts on one entry, the one that counts stands first.
ORDER: tuple[Verdict, ...] = ("wrong", "right", "undecided", "unmatched", "unanswered")


@dataclass(frozen=True)
class Answers:
    """By the entries that a worksheet left blank, in order, the verdicts on what is there now."""

    verdicts: Mapping[str, Verdict]

    @property
    def counts(self) -> Mapping[str, int]:
        """How many are right, wrong and unanswered; undecided and unmatched if there are any."""
        found = Counter(self.verdicts.values())
        words: tuple[Verdict, ...] = ("right", "wrong", "unanswered", "undecided", "unmatched")
        return {w: found[w] for w in words if found[w] or w in words[:3]}

    @property
    def unanswered(self) -> list[str]:
        """The addresses of those that are still blank, or are not there any more."""
        return [address for address, verdict in self.verdicts.items() if verdict == "unanswered"]


def answers_of(
    derivation: Derivation, blank: Sequence[str], judged: Iterable[tuple[Claimed, Judgement]]
) -> Answers:
    """Pick the verdicts on the entries that a worksheet left blank.

    Raises:
        AddressError: an address that the derivation does not have.
    """
    found: dict[str, Verdict] = {
        entry.address: "unanswered"
        for address in blank
        for entry in entries_of(derivation[address])
    }
    for claim, judgement in judged:
        known = found.get(claim.entry.address)
        # Names of entries, and a matrix with a factor before it, are a formula and no answer.
        is_answer = not claim.printed.is_named and claim.factor is None
        if known is not None and is_answer:
            found[claim.entry.address] = min(known, judgement.verdict, key=ORDER.index)
    return Answers(found)


def told_apart(
    derivation: Derivation, blank: Sequence[str], claims: Sequence[Claimed]
) -> list[Claimed]:
    """The claims that tell what somebody did: of a step with blanks, what was written there."""
    asked = {
        Cell(entry.step.node, entry.index)
        for address in blank
        for entry in entries_of(derivation[address])
    }
    steps = {cell.node for cell in asked}
    return [
        c
        for c in claims
        if c.printed.kind != "blank"
        and (c.entry.step.node not in steps or Cell(c.entry.step.node, c.entry.index) in asked)
    ]
