"""Memory, and time as n doubles: numbers of ours alone that have a target."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from benchmarks import growth
from benchmarks.measure import python
from benchmarks.row import OURS, Outcome, Target, finding

FROM = 16  # below, what does not depend on n decides


@dataclass(frozen=True)
class Memory:
    """Peak resident memory of a process that derives every step, less a bare import's."""

    name: str = "memory"
    what: str = "Peak memory, n = 128, d = 64, all steps exact (less a bare import's)"

    def measure(self, quick: bool) -> Outcome:
        n, d = (6, 4) if quick else (128, 64)
        bare = float(python("-m", "benchmarks.memory", "import"))
        full = float(python("-m", "benchmarks.memory", "derive", str(n), str(d)))
        target = Target("-", 300, faster=False, unit="MB")
        note = f"{full:.0f} MB in all, {bare:.0f} MB after the imports alone"
        return Outcome(self.name, self.what, 1, [finding(target, full - bare)], [note])


@dataclass(frozen=True)
class Growth:
    """Time at 2n over time at n, for each doubling; peers as far as their budget goes."""

    name: str = "growth"
    what: str = (
        "Growth as n doubles, d = 16: every step exact, 30 digits of each matrix, LaTeX of A"
    )

    def measure(self, quick: bool) -> Outcome:
        sizes = (2, 4) if quick else growth.SIZES
        points, notes = growth.points(sizes)
        ours = dict(points[OURS])
        findings = []
        for n, double in pairwise(n for n in sizes if quick or n >= FROM):
            target = Target(f"itself, n = {n} to {double}", 4.5, faster=False)
            if double in ours:
                found = finding(target, ours[double] / ours[n], ours[double], ours[n])
            else:
                found = finding(target, None, note=f"n = {double} is not done in its budget")
            findings.append(found)
        return Outcome(self.name, self.what, 1, findings, notes, points)


ROWS = (Memory(), Growth())
