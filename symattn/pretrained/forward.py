"""A forward pass over several number systems at once, a stage at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symattn import progress
from symattn.graph import Array, Graph, Run
from symattn.language import distribution, transformed, unembedded
from symattn.numbers.given import Stored
from symattn.pretrained.stages import Stage, Traced, number, run_stage, sentence, stages
from symattn.pretrained.weights import Weights

#: Words whose logits are computed at a time: as many columns of W_U are held.
WORDS = 4096


@dataclass(frozen=True)
class Passed:
    """A stage that has run.

    Attributes:
        graph: of the stage.
        runs: by number system, its values; those of steps not asked for yet are computed then.
    """

    stage: Stage
    graph: Graph
    runs: Mapping[str, Run]

    def result(self, system: str) -> Any:
        """What the stage hands on."""
        return self.runs[system][self.graph.result]


class Forward:
    """A pass of a model over tokens.

    Args:
        systems: number systems by name; each stage runs over all of them.
        types: of each token, where the model has types; 0 if left out.
    """

    def __init__(
        self,
        weights: Weights,
        tokens: Sequence[int],
        systems: Mapping[str, Any],
        types: Sequence[int] | None = None,
    ) -> None:
        self.weights = weights
        self.tokens = tuple(tokens)
        self.systems = systems
        self.types = tuple(types or (0,) * len(self.tokens))
        self.stages = stages(weights, self.tokens, self.types)
        self._traced = Traced()
        self._states: dict[str, Any] = {}

    def run(self) -> Iterator[Passed]:
        """Each stage as it has run, before the next one; what it holds goes with it.

        Raises:
            ModelError: a file that lacks or spoils what is read.
        """
        for stage in progress.over(self.stages, "stage"):
            passed = self._passed(stage, self._states)
            yield passed
            self._states = {name: passed.result(name) for name in self.systems}

    def _passed(self, stage: Stage, states: Mapping[str, Any]) -> Passed:
        given = {name: read() for name, read in stage.weights.items()}
        shapes = {name: value.shape for name, value in given.items()}
        if stage.reads:
            shapes = {stage.reads: tuple(next(iter(states.values())).shape), **shapes}
        graph = self._traced.graph(stage, shapes)
        runs = {
            name: run_stage(graph, system, given, {stage.reads: states[name]} if states else {})
            for name, system in self.systems.items()
        }
        return Passed(stage, graph, runs)

    def sentence(self) -> Passed:
        """The vector of the sentence, after the last stage."""
        return self._passed(Stage("sentence", sentence, {}, {}, "x"), self._states)

    def logits(self, position: int = -1) -> dict[str, Any]:
        """By number system, the logits of a position, 1 × |V|, after the last stage."""
        architecture, weights = self.weights.architecture, self.weights
        at = range(len(self.tokens))[position]
        d = architecture.sizes["d_model"]
        index = np.arange(at * d, (at + 1) * d).reshape(1, d)
        states = {n: s.gather(self._states[n], index) for n, s in self.systems.items()}
        if "W_T" in weights:
            names = ("W_T", "b_T", "gamma_T", "beta_T")
            own: dict[str, Any] = {name: lambda name=name: weights(name) for name in names}
            own["eps"] = lambda: number(architecture.eps)
            made = self._passed(Stage("transform", transformed, own, {}, "y"), states)
            states = {name: made.result(name) for name in self.systems}
        blocks: dict[str, list[Any]] = {name: [] for name in self.systems}
        words = architecture.sizes["|V|"]
        for start in progress.over(range(0, words, WORDS), "block of words"):
            some = range(start, min(start + WORDS, words))
            own = {"W_U": lambda some=some: Stored(self._columns(some))}
            if "b_U" in weights:
                own["b_U"] = lambda some=some: Stored(weights.array("b_U")[some.start : some.stop])
            made = self._passed(Stage("unembedding", unembedded, own, {}, "y"), states)
            for name in self.systems:
                blocks[name].append(made.result(name))
        return {n: s.concat(*blocks[n], axis=-1) for n, s in self.systems.items()}

    def _columns(self, words: range) -> Array:
        tied = "W_U" not in self.weights
        return self.weights.rows("W_vocab" if tied else "W_U", words).T

    def probabilities(self, logits: Mapping[str, Any]) -> dict[str, Any]:
        """By number system, softmax of logits."""
        made = self._passed(Stage("", distribution, {}, {}, "logits"), logits)
        return {name: made.result(name) for name in self.systems}
