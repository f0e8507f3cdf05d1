"""What `symattn prove` takes, and how it grows with the number of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from benchmarks.row import Outcome, doublings


@dataclass(frozen=True)
class Proving:
    """Every property of the list with symbols for all numbers; nothing is kept between sizes."""

    name: str = "prove"
    what: str = "`symattn.prove()`, every property of the list as n doubles, d = 2, h = 1"

    def measure(self, quick: bool) -> Outcome:
        from symattn.properties.core import Size
        from symattn.properties.prover import prove

        sizes = (2, 3) if quick else (2, 4, 8)
        prove(size=Size(3, 2, 1))  # imports, and sources read once
        seconds, notes = dict[int, float](), list[str]()
        for n in sizes:
            began = perf_counter()
            found = prove(size=Size(n, 2, 1))
            seconds[n] = perf_counter() - began
            settled = sum(s.is_as_claimed for s in found)
            notes.append(f"n = {n}: {settled} of {len(found)} as claimed, {seconds[n]:.2f} s")
        return Outcome(self.name, self.what, 1, doublings(seconds, 8), notes)


ROWS = (Proving(),)
