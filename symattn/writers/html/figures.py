"""Which pictures a step gets, and the map of all steps."""

from __future__ import annotations

from symattn.derivation import Derivation
from symattn.errors import SymattnError
from symattn.steps import Step


def of(step: Step) -> str:
    """What is drawn below a step's matrix: arcs or bars of weights, arrows of vectors.

    Nothing where there is nothing to draw: symbols, more tokens than a picture holds.
    """
    found = _drawn(step)
    if found is None:
        return ""
    picture, caption = found
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def _drawn(step: Step) -> tuple[str, str] | None:
    graph, axes = step.derivation.graph, step.axes
    try:
        if graph.nodes[step.node].op == "softmax" and all(axes):
            if len(step.shape) == 1:
                from symattn.pictures.bars import bars

                return bars(step), "the probabilities"
            if len(step.shape) == 2 and axes[0] == axes[1]:
                from symattn.pictures.arcs import arcs

                return arcs(step), "who attends to whom"
        before = _embedded(step)
        if before is not None:
            from symattn.pictures.arrows import arrows

            return arrows(before, step), "the tokens' vectors before attention, and after it"
    except SymattnError:  # symbols, or more than a picture holds
        return None
    return None


def _embedded(step: Step) -> Step | None:
    """The embeddings that attention made vectors in the plane of: those of O."""
    if step.name != "O" or len(step.shape) != 2 or step.shape[1] != 2:
        return None
    before = next((s for s in step.derivation.steps if s.name == "E"), None)
    return before if before is not None and before.shape == step.shape else None


def stepmap(derivation: Derivation | None) -> str:
    """The graph of steps; each node leads to the block of its step."""
    from symattn.pictures.stepmap import stepmap

    return "" if derivation is None else stepmap(derivation)
