"""Which steps feed which: the graph, cut down to what has a name."""

from __future__ import annotations

from symattn.derivation import Derivation
from symattn.steps import Step


def feeds(derivation: Derivation) -> dict[Step, tuple[Step, ...]]:
    """By step, those that it is computed from directly, in order; inputs have none.

    >>> import symattn as sa
    >>> found = feeds(sa.article())
    >>> {step.short: [s.short for s in found[step]] for step in found}["Z_masked"]
    ['Z', 'M']
    """
    nodes = derivation.graph.nodes
    found: dict[Step, tuple[Step, ...]] = {}
    for step in derivation.steps:
        if step.given and not step.is_part:
            found[step] = ()
            continue
        before: dict[Step, None] = {}
        waiting = list(reversed(nodes[step.node].inputs))
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            named = derivation.step_at(node)
            if named is not None:
                before[named] = None
            else:
                waiting += reversed(nodes[node].inputs)
        found[step] = tuple(before)
    return found
