"""How far each float of a derivation is from its exact value, in ulps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from symattn.graph import Array
from symattn.numbers.floating import Floating, float_info
from symattn.numbers.pairs import unit_in_last_place
from symattn.verify import enclosed

if TYPE_CHECKING:
    from symattn.steps import Step


class Distances(NamedTuple):
    """How far the floats of a step are from the exact values, entry by entry.

    Attributes:
        values: as NumPy computes them in the type, from the inputs on.
        ulps: in units of the last place at the exact value; nan where there is no such unit (0,
            an underflow, an infinity), or no enclosure settles the entry.
        absolute: the distance itself; nan where no enclosure settles the entry.
    """

    values: Array
    ulps: Array
    absolute: Array


def distances(steps: Sequence[Step], kinds: Sequence[str]) -> list[dict[str, Distances]]:
    """For each step of one derivation and each float type, the distance of every entry.

    Inputs known only to their printed digits are taken at their midpoints.

    Raises:
        ExactnessError: the derivation has symbols in it.

    >>> import symattn as sa
    >>> found = distances([sa.article()["E"]], ["float32"])[0]["float32"]
    >>> print(found.values[1, 0], round(float(found.ulps[1, 0]), 2))
    0.2 0.2
    """
    if not steps:
        return []
    derivation = steps[0].derivation.without_radii()
    derivation.check_numbers()
    floats = {kind: derivation.running(Floating(kind)) for kind in kinds}
    out: list[dict[str, Distances]] = []
    for given in steps:
        step = derivation.step_at(given.node)
        assert step is not None  # the same graph
        exact = enclosed(step)
        found: dict[str, Distances] = {}
        for kind, run in floats.items():
            values = np.asarray(run[step.node])
            most = exact.pairs.distance(values)[1]
            with np.errstate(all="ignore"):
                ulps = most / unit_in_last_place(exact.pairs, float_info(kind))
            known = exact.settled & np.isfinite(most)
            found[kind] = Distances(
                values, np.where(known, ulps, np.nan), np.where(known, most, np.nan)
            )
        out.append(found)
    return out
