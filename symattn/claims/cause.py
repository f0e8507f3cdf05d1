"""Why a printed step is wrong: derive again under a hypothesis, and match it whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symattn.claims.judge import Judgement, digits_of, is_rounding, plain
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.steps import Step

MAX_DIGITS = 4  # decimals to which people round in between


@dataclass(frozen=True)
class RoundedFirst:
    """A step was rounded to so many decimals before it was carried on."""

    step: Step
    digits: int


def rounded_first(
    derivation: Derivation, judgements: Sequence[Judgement]
) -> dict[str, RoundedFirst]:
    """For each step with a wrong entry, find the rounding in between that explains it.

    A hypothesis counts only if it gives every entry printed for that step, the
    wrong ones and the right ones alike. Earlier steps and fewer decimals are tried
    first, and each hypothesis is derived once.

    Returns:
        By address of the step; steps that no hypothesis explains are left out.
    """
    printed: dict[str, list[tuple[Judgement, Entry]]] = {}
    for j in judgements:
        if j.entry is not None:
            printed.setdefault(j.step, []).append((j, j.entry))
    open_steps = {
        a: cells for a, cells in printed.items() if any(j.verdict == "wrong" for j, _ in cells)
    }
    found: dict[str, RoundedFirst] = {}
    for hypothesis, other in _hypotheses(derivation, [c[0][1].step for c in open_steps.values()]):
        for address, cells in open_steps.items():
            step = other.step(address)
            if address in found or hypothesis.step.node >= step.node:
                continue
            if all(_prints(j, Entry(step, entry.index)) for j, entry in cells):
                found[address] = hypothesis
        if len(found) == len(open_steps):
            break
    return found


def _hypotheses(
    derivation: Derivation, wrong: list[Step]
) -> Iterator[tuple[RoundedFirst, Derivation]]:
    """Each rounding of a step before the wrong ones, with the derivation it leads to."""
    last = max((step.node for step in wrong), default=0)
    needed = {step.node for step in wrong}
    for i in reversed(range(last + 1)):
        if i in needed:
            needed.update(derivation.graph.nodes[i].inputs)
    for step in derivation.steps:
        if step.node not in needed or step.given or step.inside or step.node == last:
            continue
        for digits in range(1, MAX_DIGITS + 1):
            if step.is_exact_at(digits):
                break  # it has no more decimals than these: rounding changes nothing
            yield RoundedFirst(step, digits), derivation.with_({step.address: step.decimal(digits)})


def _prints(judgement: Judgement, entry: Entry) -> bool:
    text = plain(judgement.printed)
    return is_rounding(text, entry.decimal(digits_of(text)), lambda: entry.rational)
