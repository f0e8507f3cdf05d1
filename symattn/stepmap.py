"""The map of a derivation: its steps as boxes, and what feeds what, small enough to be drawn."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from symattn.derivation import Derivation
from symattn.feeds import feeds
from symattn.steps import Step

#: Boxes that a reader still finds a way through.
MOST = 60

#: Layers and heads that do again what the first one did.
_AGAIN = re.compile(r"(?:[^.]+\.)*?[^.]+\[[1-9]\d*\](?=\.)")
_CALL = re.compile(r"[^.]+\[\d+\](?=\.)")


@dataclass(frozen=True)
class Box:
    """A step, or a scope whose steps are drawn as one.

    Attributes:
        scope: the address of the scope that it stands in; ``""`` outside of any.
        name: its name in that scope.
        steps: the step, or those of the scope.
        before: the places in the map of the boxes that feed it, in order.
    """

    scope: str
    name: str
    steps: tuple[Step, ...]
    before: tuple[int, ...]

    @property
    def given(self) -> bool:
        """Whether it is an input and nothing that was computed."""
        return all(step.given for step in self.steps)


def stepmap(derivation: Derivation, most: int = MOST) -> tuple[Box, ...]:
    """The boxes of a derivation's map, in the order of its steps; none where they are too many.

    Where every step would take more than `most` boxes, inputs are left out, and layers and heads
    after the first are one box each; where that is too many still, every scope is one. What is
    inside of a softmax is left out: its result comes from the scores.

    >>> import symattn as sa
    >>> boxes = stepmap(sa.article())
    >>> [(b.scope, b.name, [boxes[i].name for i in b.before]) for b in boxes][-4:-2]
    [('', 'x_last', ['O']), ('', 'F', ['x_last', 'W_1'])]
    """
    fed = {s: b for s, b in feeds(derivation).items() if not s.inside}
    if len(fed) <= most:
        return _boxes(fed, lambda address: "")
    fed = {s: b for s, b in fed.items() if not s.given}
    found = (_boxes(fed, scope_of) for scope_of in (_again, _outermost))
    return next((boxes for boxes in found if len(boxes) <= most), ())


def _again(address: str) -> str:
    match = _AGAIN.match(address)
    return match[0] if match else ""


def _outermost(address: str) -> str:
    match = _CALL.match(address)
    return match[0] if match else ""


def _boxes(fed: dict[Step, tuple[Step, ...]], scope_of: Callable[[str], str]) -> tuple[Box, ...]:
    """A box for each scope that is drawn as one, and for each other step."""
    groups: dict[str, list[Step]] = {}
    for step in fed:
        groups.setdefault(scope_of(step.address) or step.address, []).append(step)
    place = {step: i for i, steps in enumerate(groups.values()) for step in steps}
    boxes = []
    for i, (address, steps) in enumerate(groups.items()):
        before = dict.fromkeys(place[b] for step in steps for b in fed[step] if b in place)
        whole = address if steps[0].address != address else ""
        cut = re.match(r"((?:[^.]+\[\d+\]\.)*)(.*)", whole or address)
        scope, name = (cut[1].rstrip("."), cut[2]) if cut else ("", address)
        boxes.append(Box(scope, name, tuple(steps), tuple(b for b in before if b != i)))
    return tuple(boxes)
