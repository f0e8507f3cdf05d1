"""Why a printed step is wrong: derive again under a hypothesis, and match it whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from symattn.claims.judge import Judgement, is_rounding
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.numbers import symbolic
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
    open_steps = {a: cells for a, cells in printed.items() if not all(j.right for j, _ in cells)}
    found: dict[str, RoundedFirst] = {}
    for hypothesis, values in _hypotheses(derivation, [c[0][1].step for c in open_steps.values()]):
        for address, cells in open_steps.items():
            node = cells[0][1].step.node
            if address in found or hypothesis.step.node >= node:
                continue
            if all(_prints(j, values[node][entry.index]) for j, entry in cells):
                found[address] = hypothesis
        if len(found) == len(open_steps):
            break
    return found


def _hypotheses(
    derivation: Derivation, wrong: list[Step]
) -> Iterator[tuple[RoundedFirst, list[Any]]]:
    """Each rounding of a step before the wrong ones, with the values it leads to."""
    system = symbolic.shared()
    last = max((step.node for step in wrong), default=0)
    needed = {step.node for step in wrong}
    for i in reversed(range(last + 1)):
        if i in needed:
            needed.update(derivation.graph.nodes[i].inputs)
    for step in derivation.steps:
        if step.node not in needed or step.given or step.node == last:
            continue
        for digits in range(1, MAX_DIGITS + 1):
            rounded = system.rounded(step.value, digits)
            if (rounded == step.value).all():
                break  # it has no more decimals than these: rounding changes nothing
            hook = {step.address: lambda _, to=rounded: to}
            yield RoundedFirst(step, digits), derivation.run(system, hook, last)


def _prints(judgement: Judgement, value: Any) -> bool:
    digits = len(judgement.printed.partition(".")[2])
    return is_rounding(judgement.printed, value, symbolic.decimal(value, digits))
