"""What a benchmark is made of: sides that are timed, and the targets held beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any, Protocol

OURS = "symattn"

#: Named series of (n, seconds).
Points = dict[str, list[tuple[int, float]]]


class Mismatch(Exception):
    """Two sides of a row came to different results, so their times say nothing."""


@dataclass(frozen=True)
class Side:
    """Something to time once.

    Attributes:
        run: does the work, from inputs that are built already.
        scale: what its seconds are multiplied by: 1/20 where `run` does the work
            twenty times, 8 where it does an eighth of it.
    """

    run: Callable[[], Any]
    scale: float = 1.0


@dataclass(frozen=True)
class Case:
    """One row's sides over one set of inputs, by name.

    Attributes:
        check: given every side's result, raises `Mismatch`, or returns notes.
    """

    sides: Mapping[str, Side]
    check: Callable[[Mapping[str, Any]], list[str]] = lambda _: []


@dataclass(frozen=True)
class Target:
    """What is hoped for; it is printed beside what was measured, and nothing fails by it.

    Attributes:
        peer: the side it is measured against.
        value: None where the row is for reading only.
        faster: whether the ratio is the peer's time over ours, and should be at least
            `value`; else it is ours over the peer's, and should be at most that.
    """

    peer: str
    value: float | None
    faster: bool = True
    unit: str = "×"
    ours: str = OURS

    def ratio(self, ours: float, theirs: float) -> float:
        return theirs / ours if self.faster else ours / theirs

    def __str__(self) -> str:
        if self.value is None:
            return "for reading"
        return f"{'≥' if self.faster else '≤'} {self.value:g} {self.unit}"


@dataclass(frozen=True)
class Finding:
    """One measured ratio, or another number that has a target.

    Attributes:
        ours, theirs: median seconds, where seconds were measured.
        measured: the median of the rounds' ratios; None where there is none, and `note`
            says why.
    """

    ours_name: str
    peer: str
    target: str
    unit: str
    measured: float | None
    met: bool | None = None
    ours: float | None = None
    theirs: float | None = None
    note: str = ""


def finding(
    target: Target,
    measured: float | None,
    ours: float | None = None,
    theirs: float | None = None,
    note: str = "",
) -> Finding:
    """What was measured, held beside its target."""
    met = None
    if measured is not None and target.value is not None:
        met = measured >= target.value if target.faster else measured <= target.value
    unit = target.unit
    return Finding(target.ours, target.peer, str(target), unit, measured, met, ours, theirs, note)


def doublings(seconds: Mapping[int, float], most: float) -> list[Finding]:
    """What each doubling of n multiplies the seconds by, held beside the most that it may."""
    return [
        finding(
            Target(f"itself, n = {n} to {double}", most, faster=False),
            seconds[double] / seconds[n],
            seconds[double],
            seconds[n],
        )
        for n, double in pairwise(seconds)
    ]


@dataclass(frozen=True)
class Outcome:
    """What a row came to."""

    name: str
    what: str
    rounds: int
    findings: list[Finding]
    notes: list[str] = field(default_factory=list)
    points: Points = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Outcome:
        findings = [Finding(**found) for found in data["findings"]]
        points = {k: [(n, s) for n, s in line] for k, line in data["points"].items()}
        return cls(**{**data, "findings": findings, "points": points})


class Row(Protocol):
    """Anything with a name that can be measured."""

    @property
    def name(self) -> str: ...

    def measure(self, quick: bool) -> Outcome:
        """Measure it; `quick` is with tiny sizes and one round, to see that it runs."""
