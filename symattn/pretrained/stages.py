"""A trained model as stages, each a traced function over its own weights.

The functions are those that small examples are derived with. A stage is traced once, and run
over any number system with the weights of each layer in turn, so that no more than one layer is
held. Shapes: n tokens, d_model, |V| words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from symattn.config import DEFAULT, Config, has_window
from symattn.errors import ModelError
from symattn.graph import Graph, Run
from symattn.language import embedded
from symattn.layers import encoder_layer, final_norm, masks_of, positions_of
from symattn.numbers.given import Given, Stored
from symattn.pretrained.weights import Weights
from symattn.sublayers import normalised
from symattn.trace import inlined, model, trace

_layer = inlined(encoder_layer)


@model(name="layer")
def layer(x: Any, *, window: bool = False, config: Config = DEFAULT, **weights: Any) -> Any:
    """One layer with the mask and the positions of its model: n × d_model -> n × d_model.

    Args:
        window: whether it is one of the layers that see a window.
        weights: see `symattn.layers.encoder_layer`, and base of RoPE's angles.

    Source: see `symattn.layers.encoder`.
    """
    n = len(x)
    M, M_window = masks_of(n, 0, None, config)
    bias, angle = positions_of(n, 0, 0, config, weights)
    here = {name: W for name, W in weights.items() if name != "base"}
    return _layer(x, M_window if window else M, bias, angle, config=config, **here)


@model(name="sentence")
def sentence(x: Any) -> Any:
    """The vector of a sentence: the mean of its tokens' states, made of length 1; d_model.

    Source: Reimers and Gurevych, Sentence-BERT (2019), section 3, pooling MEAN.
    """
    v = np.mean(x, axis=0)
    y = v / np.sqrt(np.sum(v * v))
    return y


@dataclass(frozen=True)
class Stage:
    """A part of a forward pass.

    Attributes:
        name: what stands before the addresses of its steps: ``layer[2]``, or nothing.
        function: traced.
        weights: by argument, what reads it.
        options: what the function is passed as it is.
        reads: its argument that is the result before it; "" for the first stage.
    """

    name: str
    function: Callable[..., Any]
    weights: Mapping[str, Callable[[], Given]]
    options: Mapping[str, Any]
    reads: str


def stages(weights: Weights, tokens: Sequence[int], types: Sequence[int]) -> list[Stage]:
    """The stages of a model's pass over tokens, up to the states of its last layer.

    Raises:
        ModelError: no tokens, more than it has positions for, or one that it does not know.
    """
    architecture = weights.architecture
    _check_tokens(weights, tokens)
    config = architecture.config
    eps = partial(number, architecture.eps)
    gains: dict[str, Callable[[], Given]]
    options: dict[str, Any]
    found = [_embedding(weights, tokens, types)]
    if config.norm_in:
        gains = {
            "gamma": partial(weights, "gamma_in"), "beta": partial(weights, "beta_in"), "eps": eps,
        }  # fmt: skip
        options = {"norm_kind": config.norm_kind}
        found.append(Stage("norm", normalised, gains, options, "x"))
    for i in range(architecture.sizes["N"]):
        own: dict[str, Callable[[], Given]] = {
            name: partial(weights, name, i) for name in weights.of_layers
        }
        own["eps"] = eps
        if architecture.base is not None:
            own["base"] = partial(number, architecture.base)
        options = {"config": config, "window": has_window(config, i)}
        found.append(Stage(f"layer[{i}]", layer, own, options, "x"))
    if config.norm_out:
        gains = {"gamma_out": partial(weights, "gamma_out"), "eps": eps}
        if "beta_out" in weights:
            gains["beta_out"] = partial(weights, "beta_out")
        options = {"config": config, **({} if "beta_out" in weights else {"beta_out": None})}
        found.append(Stage("final", final_norm, gains, options, "x"))
    return found


def _check_tokens(weights: Weights, tokens: Sequence[int]) -> None:
    sizes = weights.architecture.sizes
    if not tokens:
        raise ModelError("tokens: wanted at least one, got none")
    for token in tokens:
        if not 0 <= token < sizes["|V|"]:
            raise ModelError(f"tokens: wanted numbers from 0 to {sizes['|V|'] - 1}, got {token}")
    if sizes["positions"] and len(tokens) > sizes["positions"]:
        raise ModelError(
            f"tokens: wanted at most {sizes['positions']}, for which the model has positions, got "
            f"{len(tokens)}"
        )


def _embedding(weights: Weights, tokens: Sequence[int], types: Sequence[int]) -> Stage:
    """Of the tables, the rows that the tokens use."""
    used = sorted(set(tokens))
    places = {token: i for i, token in enumerate(used)}
    own: dict[str, Callable[[], Given]] = {"W_vocab": partial(_columns, weights, used)}
    options: dict[str, Any] = {
        "tokens": [places[token] for token in tokens], "config": weights.architecture.config,
    }  # fmt: skip
    if "W_pos" in weights:
        own["W_pos"] = partial(_rows, weights, "W_pos", range(len(tokens)))
    if "W_type" in weights:
        own["W_type"] = partial(weights, "W_type")
        options["types"] = list(types)
    return Stage("embedding", embedded, own, options, "")


def _columns(weights: Weights, words: Sequence[int]) -> Stored:
    return Stored(weights.rows("W_vocab", words).T)


def _rows(weights: Weights, name: str, rows: Sequence[int]) -> Stored:
    return Stored(weights.rows(name, rows))


def number(value: Any) -> Given:
    """An exact number for a number system."""
    return Given(np.array(value, dtype=object))


class Traced:
    """Graphs of stages; those of one shape are traced once."""

    def __init__(self) -> None:
        self._graphs: dict[Any, Graph] = {}

    def graph(self, stage: Stage, shapes: Mapping[str, tuple[int, ...]]) -> Graph:
        """The graph of a stage over inputs of these shapes."""
        key = (stage.function, tuple(shapes.items()), repr(sorted(stage.options.items())))
        if key not in self._graphs:
            self._graphs[key] = trace(stage.function, shapes, stage.options)
        return self._graphs[key]


def run_stage(
    graph: Graph, system: Any, given: Mapping[str, Given], before: Mapping[str, Any]
) -> Run:
    """A stage over a number system.

    Parts of stacked weights are taken out of the file's floats and then taken in, which is
    quicker than out of what the system makes of them.

    Args:
        given: by argument, its weights.
        before: by argument, values of the system itself: results of other stages.
    """
    nodes, inputs = graph.nodes, graph.inputs
    stored = {inputs[name]: value for name, value in given.items() if isinstance(value, Stored)}
    known: dict[int, Callable[[], Any]] = {
        inputs[name]: partial(_same, value) for name, value in before.items()
    }
    for i, node in enumerate(nodes):
        if node.op == "gather" and node.inputs[0] in stored:
            whole = stored[node.inputs[0]].stored
            known[i] = partial(_part, system, whole, node.params["index"])
    everything = {**dict.fromkeys(before), **given}
    return Run(graph, system, everything, known=known)


def _part(system: Any, whole: Any, index: Any) -> Any:
    return system.array(Stored(whole.reshape(-1)[index]))


def _same(value: Any) -> Any:
    return value
