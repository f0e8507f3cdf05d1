r"""The backward pass of a graph, as more nodes and steps of the same graph.

The gradient of a number, a loss, by every step that it is computed from: dA has the shape of A
and its entries are ∂loss/∂A_ij. What is added are operations of the same table, in the order in
which backpropagation takes them, so that exact values, enclosures, floats, decimals and pages
need nothing further. See `symattn.adjoints` for the rules.

Source: Rumelhart, Hinton, Williams, Learning Representations by Back-propagating Errors (1986).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from symattn.adjoints import Adjoints, stacked, zeros
from symattn.errors import AddressError, ShapeError
from symattn.graph import Graph, NamedNode, split_address
from symattn.lines import Line, Lines, log_softmax_of
from symattn.tracer import Recorder, Tracer, constant, reduce_axes, reindex, unary

#: What stands before a step's name in the name of its gradient: dA, layer[0].head[1].dA.
MARK = "d"


class Extension(Protocol):
    """What is added to a traced graph."""

    def extended(self, graph: Graph, fixed: frozenset[int], masks: frozenset[str]) -> Graph:
        """The graph with more nodes and steps after its own.

        Args:
            fixed: nodes that a value was put in place of: nothing goes back beyond them.
            masks: inputs that are masks, which no gradient is taken by unasked.
        """


@dataclass(frozen=True)
class Loss:
    r"""Cross-entropy of a softmax's rows at given places: loss = mean_i(−log P_{i, t_i}).

    Steps ``log_P`` (as scores less the logarithm of their sum of exponentials, which floats
    survive), ``L`` where there are several rows, ``loss``.

    Attributes:
        probabilities: the address of a softmax, P.
        targets: by row, the place in it; a row without one is not asked.

    Source: Goodfellow, Bengio, Courville, Deep Learning (2016), eq. 6.12 and 6.30.
    """

    probabilities: str
    targets: tuple[tuple[int, int], ...]

    def extended(self, graph: Graph, fixed: frozenset[int], masks: frozenset[str]) -> Graph:
        step = graph.find(self.probabilities)
        if graph.nodes[step.node].op != "softmax":
            raise AddressError(
                f"{self.probabilities}: wanted a softmax for a cross-entropy, such as P"
            )
        grown = _Growing(graph)
        logits = grown.at(graph.nodes[step.node].inputs[0])
        m = reduce_axes("max", logits, -1, keepdims=True)
        total = reduce_axes("sum", unary("exp", logits - m), -1, keepdims=True)
        log_P = logits - m - unary("log", total)
        grown.name(log_P, "log_P")
        if logits.ndim == 1:
            loss = -log_P[self.targets[0][1]]
        else:
            rows, places = (list(column) for column in zip(*self.targets, strict=True))
            if len(rows) == 1:
                loss = -log_P[rows[0], places[0]]
            else:
                L = -log_P[rows, places]
                pairs = ", ".join(f"({i}, {t})" for i, t in self.targets)
                listed = ", ".join(f"({i},{t})" for i, t in self.targets)
                latex = rf"-\left(«log_P»[i, t_i]\right)_{{(i, t_i) = {listed}}}"
                source = f"[-log_P[i, t] for i, t in ({pairs})]"
                grown.name(L, "L", Line(source, (latex, latex), {"log_P": log_P.node}))
                loss = reduce_axes("sum", L, 0, keepdims=False) / len(rows)
        grown.name(loss, "loss")
        return grown.graph()


@dataclass(frozen=True)
class Backward:
    """The gradients of a number by what it is computed from.

    Attributes:
        of: the address of a step of one number, or of an entry: ``loss``, ``P[1]``.
        by: addresses that a gradient is wanted by; none: every input but masks, and all steps
            on the way.
    """

    of: str
    by: tuple[str, ...] = ()

    def extended(self, graph: Graph, fixed: frozenset[int], masks: frozenset[str]) -> Graph:
        grown = _Growing(graph)
        node = number_at(graph, grown, self.of)
        wanted = [graph.find(address).node for address in self.by]
        leaves = wanted or [n for name, n in graph.inputs.items() if name not in masks] + [*fixed]
        adjoints = _backward(grown, node, None, leaves, fixed, named=True)
        for address in self.by:
            step = graph.find(address)
            if step.node not in adjoints:
                grown.gradient(zeros(grown.recorder, graph.nodes[step.node].shape), step)
        return grown.graph()


@dataclass(frozen=True)
class Jacobian:
    """The derivatives of every entry of a step by every entry of others: ``dA_dZ``.

    Each has the shape of the one and then of the other; one pass an entry.

    Attributes:
        of: the address of a step, or of a row of one: ``P[2]``.
        by: addresses of steps.
    """

    of: str
    by: tuple[str, ...]

    def extended(self, graph: Graph, fixed: frozenset[int], masks: frozenset[str]) -> Graph:
        grown = _Growing(graph)
        address, cell = split_address(self.of)
        of = graph.find(address)
        value = grown.at(of.node) if cell is None else grown.at(of.node)[cell]
        shape, name = value.shape, of.name + self.of[len(address) :]
        wanted = [graph.find(address) for address in self.by]
        rows: dict[int, list[Tracer]] = {step.node: [] for step in wanted}
        for place in range(int(np.prod(shape, dtype=int))):
            seed = _unit(grown.recorder, place, shape)
            found = _backward(grown, value, seed, list(rows), fixed, named=False)
            for node, parts in rows.items():
                here = graph.nodes[node].shape
                parts.append(found[node] if node in found else zeros(grown.recorder, here))
        for step in wanted:
            whole = (*shape, *graph.nodes[step.node].shape)
            made = stacked(rows[step.node], whole)
            row = name[len(of.name) :]
            quotient = rf"\frac{{\partial «{of.name}»{row}[i]}}{{\partial «{step.name}»[j]}}"
            latex = rf"\left({quotient}\right)_{{i,j}}"
            line = Line(f"jacobian({name}, {step.name})", (latex, latex),
                        {of.name: of.node, step.name: step.node})  # fmt: skip
            address = f"{_scope(of)}{MARK}{name}_{MARK}{step.name}"
            grown.add(made, address, line, primal=step.address, of=f"{of.address}{row}")
        return grown.graph()


def number_at(graph: Graph, grown: _Growing, address: str) -> Tracer:
    """The number that gradients are of.

    Raises:
        AddressError: no such step or entry.
        ShapeError: a step of more than one number.
    """
    name, cell = split_address(address)
    step = graph.find(name)
    shape = graph.nodes[step.node].shape
    whole = grown.at(step.node)
    if cell is None:
        if shape:
            first = ",".join("0" * len(shape))
            raise ShapeError(
                f"{address} has shape {shape}, and a gradient is of one number: wanted an entry "
                f"such as {name}[{first}], or a loss; d[{name!r}].jacobian(…) has them all"
            )
        return whole
    if len(cell) != len(shape) or any(
        isinstance(i, slice) or not -n <= i < n for i, n in zip(cell, shape, strict=False)
    ):
        raise AddressError(f"{name} has shape {shape}; there is no entry {address}")
    return whole[tuple(cell)]


class _Growing:
    """A graph while nodes and steps are added to it."""

    def __init__(self, graph: Graph) -> None:
        self.start = graph
        self.recorder = Recorder(list(graph.nodes), list(graph.steps))
        self.adjoints = Adjoints(self.recorder, ())
        self.lines = Lines(self.recorder.nodes, graph.steps, self.adjoints.kinds)
        self.addresses = {s.address for s in graph.steps}
        self.taken = {s.node for s in graph.steps}

    def at(self, number: int) -> Tracer:
        return Tracer(self.recorder, number)

    def name(self, value: Tracer, address: str, line: Line | None = None) -> None:
        """Add a step as if a line had named it."""
        self.add(value, address, line)

    def gradient(self, value: Tracer, step: NamedNode) -> Tracer:
        """Name the gradient by a step; a value that has a name already is named anew."""
        if value.node in self.taken or value.node < len(self.start.nodes):
            value = reindex(value, lambda grid: grid, "a second name")
        return self.add(value, f"{_scope(step)}{MARK}{step.name}", None, primal=step.address)

    def targets(self, value: Tracer) -> None:
        """Name the words that were wanted, a row each: Y."""
        if value.node not in self.taken:
            self.add(value, "Y", Line("", ("", ""), {}))

    def add(
        self,
        value: Tracer,
        address: str,
        line: Line | None,
        *,
        primal: str | None = None,
        of: str | None = None,
    ) -> Tracer:
        found, n = address, 0
        while found in self.addresses:
            n += 1
            found = f"{address}~{n}"
        source, latex, bindings = line or self.lines.line(value.node)
        is_fixed = not source
        if is_fixed:
            step = NamedNode(found, value.node)
        else:
            step = NamedNode(found, value.node, source, bindings, primal=primal, of=of, latex=latex)
        self.addresses.add(found)
        self.taken.add(value.node)
        self.recorder.steps.append(step)
        self.lines.name(step)
        return value

    def graph(self) -> Graph:
        return replace(
            self.start,
            nodes=tuple(self.recorder.nodes),
            steps=tuple(self.recorder.steps),
            kinks={**self.start.kinks, **self.adjoints.signs},
        )


def _scope(step: NamedNode) -> str:
    """What stands before a step's name in its address."""
    return step.address[: len(step.address) - len(step.name)]


def _unit(recorder: Recorder, place: int, shape: tuple[int, ...]) -> Tracer:
    seed = np.zeros(shape, dtype=int)
    seed.reshape(-1)[place] = 1
    return constant(seed, recorder)


def _dependent(nodes: Sequence[Any], leaves: Iterable[int], fixed: frozenset[int]) -> set[int]:
    """The leaves, and what is computed from them without going through what is fixed."""
    found = set(leaves)
    for number, node in enumerate(nodes):
        if number not in fixed and any(i in found for i in node.inputs):
            found.add(number)
    return found


def _backward(
    grown: _Growing,
    of: Tracer,
    seed: Tracer | None,
    leaves: list[int],
    fixed: frozenset[int],
    *,
    named: bool,
) -> dict[int, Tracer]:
    """The adjoint of every node between leaves and a number, by node.

    Args:
        seed: the adjoint of `of`, 1 if left out.
        named: whether adjoints of steps become steps.
    """
    recorder, adjoints = grown.recorder, grown.adjoints
    nodes = recorder.nodes
    dependent = _dependent(nodes[: of.node + 1], leaves, fixed)
    adjoints.depends = dependent
    softmaxes = {n.inputs[0]: i for i, n in enumerate(grown.start.nodes) if n.op == "softmax"}
    names = _names(grown.start) if named else {}
    pending: dict[int, list[Tracer]] = {of.node: [adjoints.one if seed is None else seed]}
    found: dict[int, Tracer] = {}
    for number in range(of.node, -1, -1):
        parts = pending.pop(number, None)
        if parts is None or number not in dependent:
            continue
        g = parts[0]
        for part in parts[1:]:
            g = g + part
        if number in names and (number != of.node or number in leaves):
            g = grown.gradient(g, names[number])
        found[number] = g
        if number in fixed or nodes[number].op == "input":
            continue
        scores = log_softmax_of(nodes, number)
        if scores is not None and scores in dependent:
            x = grown.at(scores)
            given = [(scores, adjoints.log_softmax(x, g, softmaxes.get(scores)))]
            if named and adjoints.targets is not None and adjoints.targets.ndim > 1:
                grown.targets(adjoints.targets)
        else:
            given = adjoints.contributions(number, g)
        for operand, part in given:
            pending.setdefault(operand, []).append(part)
    return found


def _names(graph: Graph) -> dict[int, NamedNode]:
    """By node, the step that names it; not what is inside a softmax."""
    found: dict[int, NamedNode] = {}
    for step in graph.steps:
        known = found.get(step.node)
        if step.inside is None and (known is None or known.returned):
            found[step.node] = step
    return found
