"""Which words stand beside the rows and columns of a step.

Labels are given for inputs (a vocabulary along an axis, tokens along another)
and carried through the graph: a product keeps its outer axes, a reindexing takes
the labels along, a reduction drops an axis.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symattn.graph import Array, Graph, NamedNode, Node, split_address

Axis = tuple[str, ...] | None
Axes = tuple[Axis, ...]


def propagate(graph: Graph, given: Mapping[str, Axes]) -> list[Axes]:
    """Return, for every node, a tuple of labels (or None) for each of its axes."""
    names = {node: name for name, node in graph.inputs.items()}
    like = {s.node: s for s in graph.steps if s.primal}
    out: list[Axes] = []
    for i, node in enumerate(graph.nodes):
        operands = [(graph.nodes[j], out[j]) for j in node.inputs]
        if node.op == "input":
            axes = given.get(names[i], (None,) * len(node.shape))
        elif i in like:  # a gradient has the labels of what it is by
            axes = _like(graph, like[i], out)
        else:
            axes = _carried(node, operands)
        out.append(axes)
    return out


def _like(graph: Graph, step: NamedNode, known: list[Axes]) -> Axes:
    """The labels of a gradient; of a Jacobian, those of what it is of come first."""
    found = known[graph.find(step.primal or "").node]
    of, cell = split_address(step.of or "")
    if cell is None and of:
        return known[graph.find(of).node] + found
    return (None,) * (len(graph.nodes[step.node].shape) - len(found)) + found


def _carried(node: Node, operands: list[tuple[Node, Axes]]) -> Axes:
    if node.op == "constant" or not operands:
        return (None,) * len(node.shape)
    first, axes = operands[0]
    if node.op == "matmul":
        second, other = operands[1]
        rows = axes[:-1] if len(first.shape) > 1 else ()
        columns = other[-1:] if len(second.shape) > 1 else ()
        found = (*rows, *columns)
        return (None,) * (len(node.shape) - len(found)) + found
    if node.op == "gather":
        return _gathered(node.params["index"], first.shape, axes)
    if node.op in ("sum", "max"):
        axis = node.params["axis"]
        kept: Axes = (None,) if node.params["keepdims"] else ()
        return axes[:axis] + kept + axes[axis + 1 :]
    if node.op == "concat":
        return _joined(node.params["axis"], operands)
    return _merged(node.shape, operands)


def _joined(axis: int, operands: list[tuple[Node, Axes]]) -> Axes:
    """Side by side along an axis: what has no labels there has empty ones beside what has."""
    parts = [axes[axis] or ("",) * operand.shape[axis] for operand, axes in operands]
    along = tuple(label for part in parts for label in part)
    others = list(zip(*(axes for _, axes in operands), strict=True))
    first = [next((labels for labels in part if labels is not None), None) for part in others]
    return (*first[:axis], along if any(along) else None, *first[axis + 1 :])


def _merged(shape: tuple[int, ...], operands: list[tuple[Node, Axes]]) -> Axes:
    """Elementwise, with broadcasting: the first operand that labels a full axis."""
    out: list[Axis] = [None] * len(shape)
    for operand, axes in operands:
        shift = len(shape) - len(operand.shape)
        for k, labels in enumerate(axes):
            if out[k + shift] is None and operand.shape[k] == shape[k + shift]:
                out[k + shift] = labels
    return tuple(out)


def _gathered(index: Array, source: tuple[int, ...], axes: Axes) -> Axes:
    """An axis of the result has labels where it alone walks along a labelled source axis."""
    out: list[Axis] = [None] * index.ndim
    if index.size == 0 or not any(axes):
        return tuple(out)
    coordinates = np.unravel_index(index, source)
    for labels, place in zip(axes, coordinates, strict=True):
        if labels is None:
            continue
        for k in range(index.ndim):
            line = np.moveaxis(place, k, 0).reshape(index.shape[k], -1)
            alone = (line == line[:, :1]).all()
            if alone and (
                (index.shape[k] > 1 and (line[:, 0] != line[0, 0]).any()) or _only(index, k)
            ):
                out[k] = tuple(labels[i] for i in line[:, 0])
                break
    return tuple(out)


def _only(index: Array, k: int) -> bool:
    """Whether k is the only axis, so that even one entry walks along it."""
    return index.ndim == 1 and index.shape[k] == 1
