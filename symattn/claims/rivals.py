"""Documents with more than one example: which numbers belong to which.

A tutorial may print two K: a filter of a convolution and the keys, the keys of two heads,
or those of two exercises. One is where a derivation starts; what stands after another one
comes from that, and is not judged by this. And weights may be printed twice, before and
after a mask is put on, or with and without a scale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symattn.claims.judge import Judging, digits_of
from symattn.claims.placing import Claimed, Unmatched
from symattn.claims.reading import Printed, PrintedMatrix
from symattn.derivation import Derivation
from symattn.errors import AddressError

MAX_RIVALS = 4  # matrices of one name from which a derivation is tried


def distinct(matrices: Sequence[PrintedMatrix]) -> list[PrintedMatrix]:
    """The matrices without those that restate an earlier one, with a slip or not."""
    found: list[PrintedMatrix] = []
    for m in matrices:
        if len(found) < MAX_RIVALS and not any(_restates(m, other) for other in found):
            found.append(m)
    return found


def _restates(one: PrintedMatrix, other: PrintedMatrix) -> bool:
    """Whether they are the same, or would be but for less than half of the numbers."""
    if one.shape != other.shape:
        return False
    same = sum(map(_is_same, one.cells, other.cells))
    return 2 * same > len(one.cells)


def _is_same(one: Printed, other: Printed) -> bool:
    if not (isinstance(one.value, Fraction) and isinstance(other.value, Fraction)):
        return one.value == other.value
    digits = min((digits_of(c) for c in (one, other) if c.kind == "decimal"), default=0)
    is_exact = "decimal" not in (one.kind, other.kind)
    return abs(one.value - other.value) <= (0 if is_exact else Fraction(10) ** -digits / 2)


def elsewhere(
    given: Mapping[str, PrintedMatrix],
    rivals: Mapping[str, Sequence[PrintedMatrix]],
    matrices: Sequence[PrintedMatrix],
    derivation: Derivation,
    line: Callable[[PrintedMatrix], int],
) -> dict[int, str]:
    """By their ids, the matrices that belong to another example, and why."""
    found: dict[int, str] = {}
    for name, chosen in given.items():
        others = rivals.get(name, ())
        if len(others) < 2:
            continue
        for m in matrices:
            before = [r for r in others if r.start <= m.start]
            if m is chosen or not before or before[-1] is chosen:
                continue
            if before[-1] is m:
                found[id(m)] = (
                    f"it is another {name} than that of line {line(chosen)}, which was taken"
                )
            elif _comes_from(m.name.step or "", name, derivation):
                found.setdefault(
                    id(m), f"it follows another {name}, that of line {line(before[-1])}"
                )
    return found


def _comes_from(step: str, name: str, derivation: Derivation) -> bool:
    try:
        node = derivation.step(name).node
        return node in derivation.graph.ancestors(derivation.step(step).node)
    except AddressError:
        return False


def without_variants(
    claims: Sequence[Claimed], derivation: Derivation, other: Derivation, said: str
) -> tuple[tuple[Claimed, ...], tuple[Unmatched, ...]]:
    """The claims without weights and outputs that are right under another mask or scale.

    Only where the same entries are printed for both: weights that are printed once, and
    without the mask that the document speaks of, are wrong.
    """
    groups: dict[tuple[str, int], list[Claimed]] = {}
    for claim in claims:
        if claim.entry.step.address in ("A", "O"):
            groups.setdefault((claim.entry.step.address, claim.group), []).append(claim)
    places = {key: {c.entry.index for c in cells} for key, cells in groups.items()}
    if sum(map(len, places.values())) == len({(k[0], i) for k in places for i in places[k]}):
        return tuple(claims), ()  # nothing is printed twice
    judging, judging_other = Judging(derivation), Judging(other)
    fits = {key: _right(judging, cells) for key, cells in groups.items()}
    moved: dict[int, Unmatched] = {}
    for (step, group), cells in groups.items():
        own = places[step, group]
        twins = [k for k in fits if k[0] == step and k[1] != group and places[k] & own]
        if fits[step, group] == 1 or not any(fits[k] > Fraction(1, 2) for k in twins):
            continue
        theirs = [_of(c, other) for c in cells]
        if _right(judging_other, theirs) > max(Fraction(1, 2), fits[step, group]):
            why = f"it is {step} with {said}, and another {step} is judged"
            moved[group] = Unmatched(cells[0].printed.start, step, why)
    kept = [c for c in claims if c.group not in moved]
    return tuple(kept), tuple(moved.values())


def _of(claim: Claimed, derivation: Derivation) -> Claimed:
    step = derivation.step(claim.entry.step.address)
    return replace(claim, entry=type(claim.entry)(step, claim.entry.index))


def _right(judging: Judging, claims: Sequence[Claimed]) -> Fraction:
    found = (judging.judged(c.entry, c.printed, c.factor).verdict for c in claims)
    return Fraction(sum(verdict == "right" for verdict in found), len(claims))
