"""A norm's variance as statistics programs have it."""

from __future__ import annotations

from collections.abc import Iterator

from flint import arb, ctx

from symattn.claims.variations.core import Setting, Variation
from symattn.graph import Graph, Run
from symattn.numbers.ball import Balls
from symattn.numbers.enclosure import START
from symattn.steps import Step


def variations(setting: Setting, target: Step) -> Iterator[Variation]:
    """A variance divided by d − 1."""
    for var in setting.derivation.steps:
        d = _squares_averaged(setting.derivation.graph, var) if var.name == "var" else 0
        if d > 1:
            with ctx.workprec(START):
                factor = Balls.of([arb(d) / (d - 1)], ())

            def value(run: Run, var: Step = var, factor: Balls = factor) -> Balls:
                return setting.ball.mul(run[var.node], factor)

            text = f"{var.short} was divided by d − 1 = {d - 1}, not by d = {d}"
            yield Variation("variance", text, var, value)


def _squares_averaged(graph: Graph, step: Step) -> int:
    """How many squares a step is the mean of; 0 where it is none."""
    path = [graph.nodes[step.node]]
    while path[-1].op in ("div", "sum"):
        path.append(graph.nodes[path[-1].inputs[0]])
    return path[-1].shape[-1] if [n.op for n in path] == ["div", "sum", "power"] else 0
