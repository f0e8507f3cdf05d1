r"""The rule of each operation for going backwards: from its adjoint to those of its operands.

The adjoint of a node is the gradient of one number by it, of the node's own shape, here dY for
a node Y. Each rule records operations of the same table, so that every number system runs them:
of Y = A B, dA = dY Bᵀ and dB = Aᵀ dY; of Y = softmax(Z), row by row dZ = Y ⊙ (dY − Σ_j dY_j Y_j).

Source: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), section 3.2; matrices:
Giles, Collected Matrix Derivative Results (2008), section 2.

Where a maximum ties it has no derivative. By convention here the operands that tie share the
adjoint evenly, as PyTorch's do, and beside a constant get none of it: ReLU'(0) = 0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from symattn.graph import Array, Node
from symattn.literals import PI
from symattn.tracer import (
    Recorder,
    Tracer,
    concatenate,
    constant,
    fold,
    lift,
    maximum,
    reduce_axes,
    reindex,
    reshape,
    unary,
    where,
)

#: What one use of a node adds to its adjoint: the node, and how much.
Contribution = tuple[int, Tracer]


class Adjoints:
    """Records the rules' operations after the nodes there are.

    Attributes:
        named: the nodes whose adjoints get a name.
        depends: the nodes that a gradient is wanted by, and what is computed from them.
        kinds: by node recorded, what a reindexing is for; see `symattn.lines.Lines`.
        signs: by sign recorded, the maximum whose ties it tells, and whether these share.
    """

    def __init__(self, recorder: Recorder, depends: Iterable[int]) -> None:
        self.recorder = recorder
        self.depends = set(depends)
        self.named = {step.node for step in recorder.steps}
        self.kinds: dict[int, str] = {}
        self.signs: dict[int, tuple[int, bool]] = {}
        self.one = constant(1, recorder)
        #: Of the last log-softmax, the distribution that it is compared with, if it is fixed.
        self.targets: Tracer | None = None

    def contributions(self, number: int, g: Tracer) -> list[Contribution]:
        """What the operands of a node get of its adjoint g."""
        node = self.recorder.nodes[number]
        rule: Callable[..., list[Contribution]] = getattr(self, "_" + node.op)
        return rule(node, g, self.at(number), *map(self.at, node.inputs))

    def at(self, number: int) -> Tracer:
        return Tracer(self.recorder, number)

    def wants(self, x: Tracer) -> bool:
        return x.node in self.depends

    def is_one(self, g: Tracer) -> bool:
        return g.node == self.one.node

    def times(self, g: Tracer, factor: Tracer) -> Tracer:
        return factor if self.is_one(g) and not factor.shape else g * factor

    # Shapes.

    def repeated(self, x: Tracer, shape: tuple[int, ...], axis: int | None = None) -> Tracer:
        """A number or array repeated to a shape, along one axis that a sum took away."""
        if x.shape == shape:
            return x

        def view(grid: Array) -> Array:
            if axis is not None and grid.ndim < len(shape):
                grid = np.expand_dims(grid, axis)
            return np.broadcast_to(grid, shape)

        made = reindex(x, view, "broadcast")
        self.kinds[made.node] = "repeated"
        return made

    def fitted(self, g: Tracer, x: Tracer) -> Tracer:
        """What an operand that was broadcast gets: the sum over its repetitions."""
        while len(g.shape) > len(x.shape):
            g = reduce_axes("sum", g, 0, keepdims=False)
        for axis, (came, wanted) in enumerate(zip(g.shape, x.shape, strict=True)):
            if came != wanted:
                g = reduce_axes("sum", g, axis, keepdims=True)
        return g

    def broadcast(self, g: Tracer, shape: tuple[int, ...]) -> Tracer:
        return g if g.shape == shape else self.repeated(g, shape)

    def each(self, g: Tracer, *parts: tuple[Tracer, Callable[[], Tracer]]) -> list[Any]:
        """Entry by entry: of those operands that are wanted, what is made of g."""
        return [(x.node, self.fitted(make(), x)) for x, make in parts if self.wants(x)]

    # Entry by entry.

    def _add(self, node: Node, g: Tracer, y: Tracer, a: Tracer, b: Tracer) -> Any:
        return self.each(g, (a, lambda: g), (b, lambda: g))

    def _sub(self, node: Node, g: Tracer, y: Tracer, a: Tracer, b: Tracer) -> Any:
        return self.each(g, (a, lambda: g), (b, lambda: -g))

    def _mul(self, node: Node, g: Tracer, y: Tracer, a: Tracer, b: Tracer) -> Any:
        if a.node == b.node:
            return self.each(g, (a, lambda: self.times(g, 2 * a)))
        return self.each(g, (a, lambda: self.times(g, b)), (b, lambda: self.times(g, a)))

    def _div(self, node: Node, g: Tracer, y: Tracer, a: Tracer, b: Tracer) -> Any:
        return self.each(g, (a, lambda: g / b), (b, lambda: -(self.times(g, y) / b)))

    def _neg(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        return self.each(g, (x, lambda: constant(-1, self.recorder) if self.is_one(g) else -g))

    def _power(self, node: Node, g: Tracer, y: Tracer, a: Tracer, b: Tracer) -> Any:
        def by_base() -> Tracer:
            n = fold(b)
            if n is None:
                return self.times(g, b * a ** (b - 1))
            if n == 1:
                return g
            slope = a if n == 2 else a ** constant(n - 1, self.recorder)
            return self.times(g, constant(n, self.recorder) * slope)

        return self.each(g, (a, by_base), (b, lambda: self.times(g, y * unary("log", a))))

    def _exp(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        return self.each(g, (x, lambda: self.times(g, y)))

    def _log(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        return self.each(g, (x, lambda: g / x))

    def _sqrt(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        return self.each(g, (x, lambda: g / (2 * y)))

    def _sin(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        return self.each(g, (x, lambda: self.times(g, unary("cos", x))))

    def _cos(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        return self.each(g, (x, lambda: -self.times(g, unary("sin", x))))

    def _tanh(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        return self.each(g, (x, lambda: self.times(g, 1 - y * y)))

    def _erf(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        """The derivative is 2/√π e^{-x²}."""

        def slope() -> Tracer:
            factor = 2 / unary("sqrt", constant(PI, self.recorder))
            return factor * unary("exp", -(x * x))

        return self.each(g, (x, lambda: self.times(g, slope())))

    def _sign(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        return []  # constant where it has a derivative

    def _maximum(self, node: Node, g: Tracer, y: Tracer, a: Tracer, b: Tracer) -> Any:
        def share(x: Tracer, other: Tracer) -> Tracer:
            sign = self.sign(x if fold(other) == 0 else x - other, y, self.wants(other))
            if self.wants(other):
                return self.times(g, (1 + sign) / 2)
            return self.times(g, maximum(sign, 0))

        return self.each(g, (a, lambda: share(a, b)), (b, lambda: share(b, a)))

    def sign(self, x: Tracer, of: Tracer, shared: bool) -> Tracer:
        made = unary("sign", x)
        self.signs[made.node] = of.node, shared
        return made

    def _where(self, node: Node, g: Tracer, y: Tracer, a: Tracer, b: Tracer) -> Any:
        keep = node.params["keep"]
        return self.each(
            g,
            (a, lambda: where(keep, self.broadcast(g, y.shape), 0)),
            (b, lambda: where(keep, 0, g)),
        )

    # Reductions.

    def _kept(self, x: Tracer, node: Node) -> Tracer:
        """A reduction with the axis that it took away, of length 1."""
        if node.params["keepdims"]:
            return x
        made = reindex(x, lambda grid: np.expand_dims(grid, node.params["axis"]), "expand_dims")
        self.kinds[made.node] = "repeated"
        return made

    def _sum(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        return [(x.node, self.repeated(g, x.shape, node.params["axis"]))] if self.wants(x) else []

    def _max(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        if not self.wants(x):
            return []
        is_largest = 1 + self.sign(x - self._kept(y, node), y, True)
        ties = reduce_axes("sum", is_largest, node.params["axis"], keepdims=True)
        return [(x.node, self._kept(g, node) * (is_largest / ties))]

    def _softmax(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        if not self.wants(x):
            return []
        return [(x.node, y * (g - reduce_axes("sum", y * g, -1, keepdims=True)))]

    def log_softmax(self, x: Tracer, g: Tracer, known: int | None) -> Tracer:
        """Of log softmax(x), whose softmax may be a node already: dx = dY − softmax(x) Σ_j dY_j."""
        weights = unary("softmax", x) if known is None else self.at(known)
        fixed = static_value(self.recorder.nodes, g.node)
        rows = [] if fixed is None else fixed.reshape(-1, fixed.shape[-1]).tolist()
        totals = {sum(row) for row in rows}
        if fixed is not None and len(totals) == 1 and (total := totals.pop()):
            # As it is in a mean of cross-entropies: (P − Y)/n, where the rows of Y are 1 once.
            self.targets = constant(fixed / total, self.recorder)
            error = weights - self.targets
            return error if total == -1 else error / constant(-1 / total, self.recorder)
        return g - weights * reduce_axes("sum", g, -1, keepdims=True)

    # Products.

    def _matmul(self, node: Node, g: Tracer, y: Tracer, a: Tracer, b: Tracer) -> Any:
        found = []
        if self.wants(a):
            found.append((a.node, self.fitted(self._left(g, a, b), a)))
        if self.wants(b):
            turned = self._turned(b)
            if turned is not None and a.ndim > 1 and a.shape[:-2] == b.shape[:-2]:
                found.append((turned.node, _transposed(g) @ a))  # of A Bᵀ, dB = dYᵀ A
            else:
                found.append((b.node, self.fitted(self._right(g, a, b), b)))
        return found

    def _turned(self, x: Tracer) -> Tracer | None:
        """What an operand without a name is the transpose of."""
        return None if x.node in self.named else transpose_of(x)

    def _left(self, g: Tracer, a: Tracer, b: Tracer) -> Tracer:
        if b.ndim == 1:
            return g * b if a.ndim == 1 else _column(g) * b if g.ndim > 1 else _outer(g, b)
        turned = transpose_of(b)
        return g @ (_transposed(b) if turned is None else turned)

    def _right(self, g: Tracer, a: Tracer, b: Tracer) -> Tracer:
        if a.ndim == 1:
            if b.ndim == 1:
                return self.times(g, a)
            return _outer(a, g) if g.ndim == 1 else _column(a) * _row(g)
        if b.ndim == 1:
            return _transposed(a) @ g if g.ndim == 1 else reduce_axes(
                "sum", a * _column(g), -2, keepdims=False
            )  # fmt: skip
        return _transposed(a) @ g

    # Reindexing.

    def _gather(self, node: Node, g: Tracer, y: Tracer, x: Tracer) -> Any:
        return [(x.node, self.scattered(g, node.params["index"], x.shape))] if self.wants(x) else []

    def scattered(self, g: Tracer, index: Array, shape: tuple[int, ...]) -> Tracer:
        """Entries put back where they were taken from, those taken several times added up."""
        places = index.reshape(-1)
        size = int(np.prod(shape, dtype=int))
        order = np.argsort(places, kind="stable")
        counts = np.bincount(places, minlength=size)
        most = int(counts.max(initial=0))
        if not most:
            return constant(np.zeros(shape, int), self.recorder)
        first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        # The k-th time that each entry was taken, and whether it was that often.
        source = np.stack([order[np.minimum(first + k, len(order) - 1)] for k in range(most)])
        keep = np.stack([counts > k for k in range(most)])
        layers = (most, *shape) if most > 1 else shape
        made = reindex(g, lambda grid: grid.reshape(-1)[source.reshape(layers)], "scatter")
        if not keep.all():
            made = where(keep.reshape(layers), made, 0)
        if most > 1:
            made = reduce_axes("sum", made, 0, keepdims=False)
        if most > 1 or not keep.all():
            self.kinds[made.node] = "scattered"
        return made

    def _concat(self, node: Node, g: Tracer, y: Tracer, *parts: Tracer) -> Any:
        axis, found, start = node.params["axis"], [], 0
        for part in parts:
            end = start + part.shape[axis]
            if self.wants(part):
                place = (slice(None),) * axis + (slice(start, end),)
                found.append((part.node, g[place]))
            start = end
        return found


def _transposed(x: Tracer) -> Tracer:
    return reindex(x, lambda grid: np.swapaxes(grid, -1, -2), "swapaxes")


def transpose_of(x: Tracer) -> Tracer | None:
    """The array that a node is the transpose of, its last two axes exchanged."""
    node = x.recorder.nodes[x.node]
    if node.op != "gather" or x.ndim < 2:
        return None
    operand = Tracer(x.recorder, node.inputs[0])
    grid = np.arange(operand.size).reshape(operand.shape)
    if operand.ndim != x.ndim or not np.array_equal(
        np.swapaxes(grid, -1, -2), node.params["index"]
    ):
        return None
    return operand


def _column(x: Tracer) -> Tracer:
    return reindex(x, lambda grid: grid[..., None], "expand_dims")


def _row(x: Tracer) -> Tracer:
    return reindex(x, lambda grid: grid[..., None, :], "expand_dims")


def _outer(a: Tracer, b: Tracer) -> Tracer:
    return _column(a) @ reshape(b, (1, -1))


#: What fixed numbers can be calculated with before there is a number system.
_FIXED: dict[str, Callable[..., Any]] = {
    "neg": operator.neg, "add": operator.add, "mul": operator.mul, "div": operator.truediv,
}  # fmt: skip


def static_value(nodes: Sequence[Node], number: int) -> Array | None:
    """The value of a node that fixed numbers alone make: an array of fractions; else None."""
    node = nodes[number]
    if node.op == "constant":
        value: Array = node.params["value"]
        return value if all(isinstance(x, Fraction) for x in value.flat) else None
    if node.op not in ("gather", "where", *_FIXED):
        return None
    operands: list[Any] = [static_value(nodes, i) for i in node.inputs]
    if any(x is None for x in operands):
        return None
    if node.op == "gather":
        found = operands[0].reshape(-1)[node.params["index"]]
    elif node.op == "where":
        found = np.where(node.params["keep"], *operands)
    else:
        found = _FIXED[node.op](*operands)
    return np.asarray(found, dtype=object)


def zeros(recorder: Recorder, shape: tuple[int, ...]) -> Tracer:
    """An array of exact zeros."""
    out = np.empty(shape, dtype=object)
    out.fill(Fraction(0))
    return lift(out, recorder)


def stacked(parts: list[Tracer], shape: tuple[int, ...]) -> Tracer:
    """Arrays of one shape as the rows of one more axis, or several."""
    rows = [reindex(p, lambda grid: grid[None], "stack") for p in parts]
    return reshape(concatenate(rows), shape)
