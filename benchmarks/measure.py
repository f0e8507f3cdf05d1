"""Timing: sides in turn, ratios within each round, the median over the rounds."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import ENVIRONMENT
from benchmarks.row import Case, Outcome, Side, Target, finding

ROOT = Path(__file__).parent.parent

BUDGET = 20.0  # seconds after which a row begins no other round
LEAST = 3  # rounds, however slow


@dataclass(frozen=True)
class Pairs:
    """A row of sides that are timed in turn.

    Attributes:
        build: given a seed and whether to be quick, the sides over inputs of their own.
            Each round has another seed, so that no side meets its own earlier results.
        targets: which sides are run, and compared.
        rounds: as many, if the budget allows.
    """

    name: str
    what: str
    build: Callable[[int, bool], Case]
    targets: tuple[Target, ...]
    rounds: int = 15

    def measure(self, quick: bool) -> Outcome:
        wanted = [name for t in self.targets for name in (t.ours, t.peer)]
        if not quick:  # warm: imports, and what is built when first needed
            self._round(self.build(0, True), wanted, 0)
        times: list[dict[str, float]] = []
        notes: list[str] = []
        begun = time.perf_counter()
        while len(times) < (1 if quick else self.rounds):
            if len(times) >= LEAST and time.perf_counter() - begun > BUDGET:
                break
            case = self.build(1 + len(times), quick)
            taken, results = self._round(case, wanted, len(times))
            if not times:
                notes = case.check(results)
            times.append(taken)
        findings = []
        for target in self.targets:
            if target.peer not in times[0]:
                findings.append(finding(target, None, note=f"{target.peer} is not installed"))
                continue
            ours = [taken[target.ours] for taken in times]
            theirs = [taken[target.peer] for taken in times]
            ratio = median(map(target.ratio, ours, theirs))
            findings.append(finding(target, ratio, median(ours), median(theirs)))
        return Outcome(self.name, self.what, len(times), findings, notes)

    def _round(
        self, case: Case, wanted: Sequence[str], number: int
    ) -> tuple[dict[str, float], dict[str, Any]]:
        """Each side once; every other round goes backwards, so that none is always first."""
        names = [name for name in case.sides if name in wanted]
        times, results = {}, {}
        for name in names if number % 2 == 0 else names[::-1]:
            times[name], results[name] = timed(case.sides[name])
        return times, results


def timed(side: Side) -> tuple[float, Any]:
    """Seconds, and what came out; without Python's garbage collector, as `timeit` does."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        result = side.run()
        return (time.perf_counter() - start) * side.scale, result
    finally:
        gc.enable()


def process(words: Sequence[str], folder: Path = ROOT) -> Side:
    """A whole process, from its start to its end, in the environment that was found."""

    def run() -> None:
        subprocess.run(
            words,
            check=True,
            cwd=folder,
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    return Side(run)


def python(*words: str, timeout: float | None = None) -> str:
    """What another Python process prints, started where `benchmarks` is found."""
    done = subprocess.run(
        [sys.executable, *words],
        check=True,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=timeout,
    )
    return done.stdout
