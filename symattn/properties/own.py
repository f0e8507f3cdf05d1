"""A user's own statement: two arrays of a derivation, or functions of them, that are equal.

The sides are recorded into the derivation's graph, as the lines of a model are, so every number
system can give them their values.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from symattn import rules  # noqa: F401  (what arrays understand)
from symattn.derivation import Derivation
from symattn.errors import AddressError, LiteralError, ShapeError, TraceError, nearest
from symattn.graph import NamedNode, Node, broadcast_shape, split_address
from symattn.literals import exact_array
from symattn.properties.checks import equal, symbols
from symattn.properties.core import Outcome
from symattn.steps import Step
from symattn.symbols import symbols_in
from symattn.trace import trace
from symattn.tracer import Recorder, Tracer


@dataclass(frozen=True)
class Stated:
    """What a spec states: names of steps or functions, or a number, on either side.

    Attributes:
        arguments: by a function's parameter, the step that it gets, where that has another name.
        claimed: whether it is stated as true.
        symbolic: the inputs that are symbols; None for all.
    """

    lhs: str
    rhs: str
    title: str = ""
    latex: str = ""
    source: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    claimed: bool = True
    symbolic: tuple[str, ...] | None = None


class Arrays:
    """The steps of a derivation as arrays to calculate with: ``d["A"].sum(axis=1)``.

    Operators, methods and NumPy's functions work as in a model; `apply` calls a model's function.
    """

    def __init__(self, derivation: Derivation) -> None:
        self._derivation = derivation
        self._recorder = Recorder(nodes=list(derivation.graph.nodes))

    def __getitem__(self, address: str) -> Tracer:
        """A step, or an entry or row of one: ``d["A"]``, ``d["A[1,0]"]``.

        Raises:
            AddressError: no such step.
        """
        if not isinstance(address, str):
            raise AddressError(f'wanted the name of a step such as "A", got {address!r}')
        name, cell = split_address(address)
        step = Tracer(self._recorder, self._derivation.step(name).node)
        return step if cell is None else step[cell]

    def number(self, value: Any) -> Tracer:
        """An exact number or array, as `symattn.derive` takes it: ``d.number("sqrt(2)")``."""
        array = exact_array(value, "a side of a property")
        return self._recorder.add("constant", [], array.shape, value=array)

    def apply(self, function: Callable[..., Any], /, **arrays: Tracer) -> Tracer:
        """What a NumPy function made by def gives for arrays: ``d.apply(softmax, x=d["Z"])``."""
        graph = trace(function, {name: x.shape for name, x in arrays.items()})
        moved = {node: arrays[name].node for name, node in graph.inputs.items()}
        nodes = self._recorder.nodes
        for i, node in enumerate(graph.nodes):
            if i not in moved:
                inputs = tuple(moved[j] for j in node.inputs)
                moved[i] = len(nodes)
                nodes.append(Node(node.op, inputs, node.shape, node.params))
        return Tracer(self._recorder, moved[graph.result])

    def side(self, value: Any) -> Tracer:
        """A side of a statement: what a function of these arrays gives, or an exact number.

        Raises:
            TraceError: a function that gives no array of these.
        """
        found = value(self) if callable(value) else value
        if isinstance(found, Tracer):
            if found.recorder is not self._recorder:
                raise TraceError("wanted arrays of the derivation that is passed in")
            return found
        return self.number(found)

    def named(
        self, word: str, arguments: Mapping[str, str], functions: Mapping[str, Any]
    ) -> Tracer:
        """A side as a spec names it: a step, a function of the model, or a number.

        A function's parameters are the steps of their names, or those that `arguments` says.

        Raises:
            AddressError: none of these, or a function without a step for a parameter.
        """
        name, _ = split_address(word)
        if self._has(name):
            return self[word]
        if word in functions:
            return self.apply(functions[word], **self._for(functions[word], arguments))
        with suppress(LiteralError):
            array = exact_array(word, "a side")
            if not symbols_in(array.ravel().tolist()):
                return self.number(word)
        known = [s.name for s in self._derivation.steps] + list(functions)
        raise AddressError(
            f"no step or function {word!r}{nearest(word, known)}; wanted a step of the derivation, "
            "a function of its model, or a number"
        )

    def _has(self, name: str) -> bool:
        steps = self._derivation.graph.steps
        return any(name == s.address or s.address.endswith(f".{name}") for s in steps)

    def _for(self, function: Any, arguments: Mapping[str, str]) -> dict[str, Tracer]:
        """The steps that a function's parameters get."""
        parameters = inspect.signature(function).parameters
        for name in arguments:
            if name not in parameters:
                known = ", ".join(parameters)
                raise AddressError(
                    f"{function.__name__} has no parameter {name!r}{nearest(name, parameters)}; "
                    f"its parameters are {known}"
                )
        found = {}
        for name, parameter in parameters.items():
            step = arguments.get(name, name)
            if name in arguments or self._has(step):
                found[name] = self[step]
            elif (
                parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
            ):
                raise AddressError(
                    f"{function.__name__}: no step {name!r} for its parameter; say which one it "
                    f'gets, such as with.{name} = "A"'
                )
        return found

    def compared(self, left: Tracer, right: Tracer) -> Outcome:
        """Whether two of these arrays are equal, whatever the symbols.

        Raises:
            ShapeError: their shapes do not fit.
        """
        try:
            broadcast_shape([left.shape, right.shape])
        except ValueError:
            raise ShapeError(
                f"wanted sides of shapes that fit, got {left.shape} and {right.shape}"
            ) from None
        grown = self._derivation.with_nodes(tuple(self._recorder.nodes))
        return equal(
            *(Step(grown, NamedNode(n, x.node)) for n, x in (("lhs", left), ("rhs", right)))
        )


def symbolic(derivation: Derivation, names: tuple[str, ...] | None = None) -> Derivation:
    """The same derivation with symbols for its matrices, masks and numbers left as they are.

    Args:
        names: of those that become symbols; all if left out.

    Raises:
        AddressError: no such input.
    """
    inputs = derivation.inputs
    for name in names or ():
        if name not in inputs:
            raise AddressError(
                f"no input {name!r}{nearest(name, inputs)}; known are {', '.join(inputs)}"
            )
    wanted = (
        [n for n, x in inputs.items() if x.shape and n not in derivation.masks]
        if names is None
        else names
    )
    if not wanted:
        return derivation
    return derivation.with_({name: symbols(name, *inputs[name].shape) for name in wanted})
