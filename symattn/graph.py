"""The trace of a model: nodes of primitive operations, and running them.

A `Graph` knows shapes and no values. A number system (see `symattn.numbers`)
gives each operation its meaning, so one graph yields exact matrices, floats and
error bounds alike. Named nodes are the *steps*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from symattn import progress
from symattn.errors import AddressError, SymattnError, nearest

Array = np.ndarray[Any, np.dtype[Any]]

#: What a name of a line stood for: a node, several, or a static value as text.
Binding = int | tuple[int, ...] | str

#: How many steps a message names.
NAMES_LISTED = 40

#: The name of a returned expression that has no other; of several, ``return.0``, ….
RETURN = "return"

#: Every operation a number system has to define: name -> number of operands
#: (-1: any number). `gather` stands for every reindexing: transposes, slices,
#: reshapes and repeats; `sign` (-1, 0 or 1) stands in derivatives of maxima only.
OPERATIONS: dict[str, int] = {
    "matmul": 2, "add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "power": 2,
    "exp": 1, "log": 1, "sqrt": 1, "sin": 1, "cos": 1, "tanh": 1, "erf": 1, "sign": 1,
    "sum": 1, "max": 1, "maximum": 2, "where": 2, "gather": 1, "concat": -1, "softmax": 1,
}  # fmt: skip


class NumberSystem(Protocol):
    """A table of the operations above, each a method, and two ways in.

    Values are arrays of whatever the system counts with; no other room looks
    inside them.
    """

    def array(self, exact: Any) -> Any:
        """Take an array of `Exact` entries in, or a `Given` that holds one."""

    def replaced(self, value: Any, shape: tuple[int, ...]) -> Any:
        """Check a value that a hook returned."""


@dataclass(frozen=True, slots=True)
class Node:
    """One operation: ``op`` is an operation, ``"input"`` or ``"constant"``."""

    op: str
    inputs: tuple[int, ...]
    shape: tuple[int, ...]
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A node with a name.

    Attributes:
        address: the whole address, such as ``head[0].A``.
        node: index of the node.
        source: the right-hand side of the line that named it, as normalised
            Python; ``None`` for inputs and for the inside of a softmax.
        bindings: what each local name of that line stood for: the index of a
            node, those of a list, or a static value as text.
        inside: the address of the softmax this step is the inside of.
        where: file and line.
        part: whether it is a row or matrix of a stack that was given.
        primal: of a gradient or Jacobian, the address of the step that it is by.
        of: of a Jacobian, the address of the step that it is of.
        latex: the right-hand side as LaTeX with holes, a quotient as a fraction and as a
            factor, where it was not rendered from the source.
    """

    address: str
    node: int
    source: str | None = None
    bindings: Mapping[str, Binding] = field(default_factory=dict)
    inside: str | None = None
    where: str = ""
    part: bool = False
    primal: str | None = None
    of: str | None = None
    latex: tuple[str, str] | None = None

    @property
    def name(self) -> str:
        """The last part of the address, without scopes: ``A``, ``A.exp``, ``return.0``."""
        scopes, _, last = (self.inside or self.address).rpartition(".")
        if scopes.rpartition(".")[2] == RETURN:
            last = f"{RETURN}.{last}"
        return self.address[len(self.inside or self.address) - len(last) :]

    @property
    def returned(self) -> bool:
        """Whether it has no name but that it is returned."""
        return self.name.partition(".")[0] == RETURN


@dataclass(frozen=True)
class Graph:
    """What tracing a function gives.

    Attributes:
        results: the nodes that it returns; one, or as many as a returned tuple has.
        kinks: by sign that a backward pass takes, the maximum whose ties it tells, and whether
            those that tie share the gradient.
    """

    name: str
    nodes: tuple[Node, ...]
    inputs: Mapping[str, int]
    steps: tuple[NamedNode, ...]
    results: tuple[int, ...]
    kinks: Mapping[int, tuple[int, bool]] = field(default_factory=dict)

    @property
    def result(self) -> int:
        """The node that it returns.

        Raises:
            AddressError: it returns several, which `results` has.
        """
        if len(self.results) > 1:
            raise AddressError(f"{self.name} returns {len(self.results)} arrays, and no single one")
        return self.results[0]

    @cached_property
    def by_name(self) -> dict[str, list[NamedNode]]:
        """The steps of each name, in order."""
        found: dict[str, list[NamedNode]] = {}
        for step in self.steps:
            found.setdefault(step.name, []).append(step)
        return found

    def find(self, address: str) -> NamedNode:
        """Return the step at an address, whole or cut to its last parts.

        Raises:
            AddressError: no step, or more than one, ends like this.
        """
        found = [s for s in self.steps if s.address == address]
        if not found:
            tail = "." + address
            found = [s for s in self.steps if s.address.endswith(tail)]
        if not found:
            names = list(dict.fromkeys(self.short(s) for s in self.steps))
            more = len(names) - NAMES_LISTED
            listed = ", ".join(names[:NAMES_LISTED]) + (f" and {more} more" if more > 0 else "")
            raise AddressError(
                f"no step {address!r}{nearest(address, names)}; the steps are {listed}"
            )
        if len({s.node for s in found}) > 1:
            raise AddressError(
                f"{address!r} fits {len(found)} steps: {', '.join(s.address for s in found)}"
            )
        return found[0]

    def ancestors(self, node: int) -> set[int]:
        """The nodes that a node is computed from, and itself."""
        needed = {node}
        for i in reversed(range(node + 1)):
            if i in needed:
                needed.update(self.nodes[i].inputs)
        return needed

    def short(self, step: NamedNode) -> str:
        """A step's address, cut to its last parts as far as it stays the only one."""
        parts = step.address.split(".")
        for n in range(step.name.count(".") + 1, len(parts)):
            tail = ".".join(parts[-n:])
            fits = {
                s.node for s in self.steps if s.address == tail or s.address.endswith("." + tail)
            }
            if len(fits) == 1:
                return tail
        return step.address


#: A hook sees the value of a step in the running number system and may return another.
Hook = Callable[[Any], Any]


class Run:
    """A graph interpreted over a number system, node by node as values are asked for.

    Args:
        inputs: for each of ``graph.inputs`` what the system's `array` takes in.
        hooks: by index of the node: rounds or replaces its value.
        known: by index of the node: gives its value, which then is not computed.

    ``values[i]`` is the value of node i; an error in it names the step.
    """

    def __init__(
        self,
        graph: Graph,
        system: NumberSystem,
        inputs: Mapping[str, Any],
        hooks: Mapping[int, Hook] | None = None,
        known: Mapping[int, Callable[[], Any]] | None = None,
    ) -> None:
        self.graph = graph
        self.system = system
        self.inputs = {node: inputs[name] for name, node in graph.inputs.items()}
        self.hooks = hooks or {}
        self.known = known or {}
        self._values: dict[int, Any] = {}

    def __getitem__(self, node: int) -> Any:
        if node not in self._values:
            for i in self._missing(node):
                self._values[i] = self._computed(i)
        return self._values[node]

    def all(self) -> list[Any]:
        """The value of every node, in order."""
        return [self[i] for i in progress.over(range(len(self.graph.nodes)), "operation")]

    def _missing(self, node: int) -> list[int]:
        """What has to be computed for a node, in order, the node itself last."""
        needed, found = [node], {node}
        while needed:
            at = needed.pop()
            operands = () if at in self.known else self.graph.nodes[at].inputs
            new = {i for i in operands if i not in found and i not in self._values}
            found |= new
            needed += new
        return sorted(found)

    def _computed(self, i: int) -> Any:
        node, system = self.graph.nodes[i], self.system
        try:
            if i in self.known:
                value = self.known[i]()
            elif node.op == "input":
                value = system.array(self.inputs[i])
            elif node.op == "constant":
                value = system.array(node.params["value"])
            else:
                operation = getattr(system, node.op)
                value = operation(*(self._values[j] for j in node.inputs), **node.params)
            if i in self.hooks:
                value = system.replaced(self.hooks[i](value), node.shape)
        except SymattnError as error:
            raise type(error)(_located(self.graph, i, str(error))) from None
        return value


def _located(graph: Graph, node: int, message: str) -> str:
    """Say at which step an operation failed: the first one named at or after it."""
    later = [s for s in graph.steps if s.node >= node and not s.inside]
    if not later:
        return message
    step = min(later, key=lambda s: s.node)
    place = f" ({step.where})" if step.where else ""
    return f"{step.address}{place}: {message}"


_CELL = re.compile(r"(?P<step>.*?)(?:\[(?P<cell>[-0-9,\s:]*)\])?\Z", re.DOTALL)


def split_address(text: str) -> tuple[str, tuple[int | slice, ...] | None]:
    """Split ``"A[1,0]"`` into ``("A", (1, 0))``; without a cell, the second is None.

    ``:`` means a whole axis: ``"W[:,3]"`` gives ``(slice(None), 3)``.

    Raises:
        AddressError: what stands in the last brackets is no cell.

    >>> split_address("head[0].A[1,0]")
    ('head[0].A', (1, 0))
    """
    match = _CELL.match(text.strip())
    assert match is not None  # the pattern matches every string
    step, cell = match["step"], match["cell"]
    if cell is None:
        return step, None
    parts: list[int | slice] = []
    for part in cell.split(","):
        word = part.strip()
        if word == ":":
            parts.append(slice(None))
        elif re.fullmatch(r"-?[0-9]{1,9}", word):
            parts.append(int(word))
        else:
            raise AddressError(f"wanted an entry such as A[1,0], got {text!r}")
    return step, tuple(parts)


def broadcast_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """NumPy's broadcasting rule.

    Raises:
        ValueError: the shapes do not fit.
    """
    return np.broadcast_shapes(*shapes)
