"""A variation: a change of one step, as a hook on the graph over balls; and where they are found.

A variation replaces the value of one step, given the values of a run without it; the
rest of the derivation follows. Each is named in words that a reader can act on. A family
of them is a file of `symattn.claims.variations.families` with a function ``variations``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from symattn.derivation import Derivation
from symattn.errors import AddressError
from symattn.graph import Run
from symattn.numbers.ball import Ball, Balls
from symattn.numbers.enclosure import START
from symattn.steps import Step


@dataclass(frozen=True)
class Variation:
    """A change of one step.

    Attributes:
        kind: one word for it, such as ``rounded`` or ``mask``; see `symattn.claims.causes.PLAIN`.
        text: what was done, as a sentence without its full stop.
        step: the step that it changes.
        value: its value, from those of a run without the change.
        digits: for a rounding, to how many decimals.
    """

    kind: str
    text: str
    step: Step
    value: Callable[[Run], Balls]
    digits: int = 0


class Setting:
    """What a family makes its variations of: a derivation, and the number system of balls."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self.ball = Ball(START)

    def step(self, name: str) -> Step | None:
        """The step of that name, if there is exactly one."""
        try:
            return self.derivation.step(name)
        except AddressError:
            return None


#: A family: the variations that could explain a step.
Family = Callable[[Setting, Step], Iterator[Variation]]


@cache
def families() -> tuple[Family, ...]:
    """Every family: the function ``variations`` of each file."""
    package = import_module("symattn.claims.variations.families")
    names = sorted(module.name for module in iter_modules(package.__path__))
    return tuple(import_module(f"{package.__name__}.{name}").variations for name in names)


class Variations:
    """The variations of one derivation."""

    def __init__(self, derivation: Derivation) -> None:
        self.setting = Setting(derivation)

    def before(self, target: Step) -> Iterator[Variation]:
        """Those that change what a step is computed from, or how."""
        needed = self.setting.derivation.graph.ancestors(target.node)
        for family in families():
            for variation in family(self.setting, target):
                if variation.step.node in needed and not variation.step.given:
                    yield variation
