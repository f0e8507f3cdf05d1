"""Index notation as products and sums: what `np.einsum` means, in operations of the graph.

Two operands at a time. Indices that both have and nothing later asks for are
contracted: by a matrix product wherever there is one, so that exact matrices keep
their shape, else by a product of entries and a sum.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from symattn.errors import ShapeError, TraceError
from symattn.tracer import Tracer, common, lift, matmul, reduce_axes, refuse, reindex

#: An index: a letter, or an axis that an ellipsis stands for, counted from the last.
Label = Hashable

#: An operand, and the index along each of its axes.
Indexed = tuple[Tracer, list[Label]]

ELLIPSIS = "..."


def einsum(subscripts: Any, /, *operands: Any, optimize: Any = False) -> Tracer:
    """Record an `np.einsum`; how NumPy would optimise it changes nothing but the rounding.

    Raises:
        ShapeError: what NumPy refuses.
        TraceError: subscripts that are no string.
    """
    if not isinstance(subscripts, str):
        refuse(TraceError, 'np.einsum takes its subscripts as a string here, such as "ij,jk->ik"')
    recorder = common(operands)
    arrays = [lift(x, recorder) for x in operands]
    try:
        np.einsum_path(subscripts, *(np.broadcast_to(np.int8(0), x.shape) for x in arrays))
    except (ValueError, TypeError) as error:
        refuse(ShapeError, f"np.einsum({subscripts!r}): {error}")
    terms, output = _parsed(subscripts, [x.ndim for x in arrays])
    return contracted(list(zip(arrays, terms, strict=True)), output)


def _parsed(subscripts: str, ranks: Sequence[int]) -> tuple[list[list[Label]], list[Label]]:
    """The indices of each operand and of the result."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = []
    for term, rank in zip(left.split(","), ranks, strict=True):
        terms.append(_labels(term, rank - len(term.replace(ELLIPSIS, ""))))
    hidden = max((sum(isinstance(x, int) for x in term) for term in terms), default=0)
    if arrow:
        return terms, _labels(right, hidden)
    letters = left.replace(",", "").replace(".", "")
    once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
    return terms, [*_labels(ELLIPSIS, hidden), *once]


def _labels(term: str, hidden: int) -> list[Label]:
    before, dots, after = term.partition(ELLIPSIS)
    between = range(-hidden, 0) if dots else ()
    return [*before, *between, *after]


def labels_of(x: Tracer, name: str) -> list[Label]:
    """An index of its own for each axis."""
    return [(name, axis) for axis in range(x.ndim)]


def contracted(terms: Sequence[Indexed], output: Sequence[Label]) -> Tracer:
    """The product of the operands, summed over each index that is not in the output."""
    left = [_broadcast(_diagonal(term), terms) for term in terms]
    total = left.pop(0)
    while left:
        other = left.pop(0)
        later = {*output, *(label for _, labels in left for label in labels)}
        total = _product(total, other, later)
    x, labels = _summed(total, set(output))
    return _ordered(x, labels, output)


def _diagonal(term: Indexed) -> Indexed:
    """An operand with each of its indices once: the diagonal where one was repeated."""
    x, labels = term
    once = list(dict.fromkeys(labels))
    if len(once) == len(labels):
        return x, list(labels)
    numbers = [once.index(label) for label in labels]
    axes = list(range(len(once)))
    return reindex(x, lambda grid: np.einsum(grid, numbers, axes), "np.einsum"), once


def _broadcast(term: Indexed, terms: Sequence[Indexed]) -> Indexed:
    """An operand with each index as long as the longest that has its name."""
    x, labels = term
    lengths = dict.fromkeys(labels, 1)
    for other, names in terms:
        for label, n in zip(names, other.shape, strict=True):
            if label in lengths and n != 1:
                lengths[label] = n
    wanted = tuple(lengths[label] for label in labels)
    if wanted == x.shape:
        return term
    return reindex(x, lambda grid: np.broadcast_to(grid, wanted), "np.einsum"), labels


def _product(a: Indexed, b: Indexed, later: set[Label]) -> Indexed:
    """The product of two operands, without the indices that nothing later asks for."""
    a, b = _summed(a, later | set(b[1])), _summed(b, later | set(a[1]))
    shared = [label for label in a[1] if label in b[1]]
    inner = [label for label in shared if label not in later]
    batch = [label for label in shared if label in later]
    rows = [label for label in a[1] if label not in shared]
    columns = [label for label in b[1] if label not in shared]
    if inner and (rows or columns or not batch):
        return _matrix_product(a, b, (batch, rows, inner, columns))
    labels = [*batch, *rows, *columns, *inner]
    product = _spread(a, labels) * _spread(b, labels)
    return _summed((product, labels), later)


def _matrix_product(
    a: Indexed, b: Indexed, parts: tuple[list[Label], list[Label], list[Label], list[Label]]
) -> Indexed:
    """A product of matrices, or of vectors, once a batch; several indices become one axis."""
    batch, rows, inner, columns = parts
    size = dict(zip((*a[1], *b[1]), (*a[0].shape, *b[0].shape), strict=True))

    def length(labels: list[Label]) -> int:
        return int(np.prod([size[label] for label in labels], dtype=int))

    lead = tuple(size[label] for label in batch)
    # A vector stays one, except in a batch, where @ knows only matrices.
    above = (length(rows),) if rows or batch else ()
    beside = (length(columns),) if columns or batch else ()
    left = _shaped(_ordered(*a, [*batch, *rows, *inner]), (*lead, *above, length(inner)))
    right = _shaped(_ordered(*b, [*batch, *inner, *columns]), (*lead, length(inner), *beside))
    labels = [*batch, *rows, *columns]
    return _shaped(matmul(left, right), tuple(size[label] for label in labels)), labels


def _summed(term: Indexed, keep: set[Label]) -> Indexed:
    x, labels = term
    axes = tuple(i for i, label in enumerate(labels) if label not in keep)
    if not axes:
        return term
    return reduce_axes("sum", x, axes, keepdims=False), [x for x in labels if x in keep]


def _ordered(x: Tracer, labels: Sequence[Label], order: Sequence[Label]) -> Tracer:
    axes = [labels.index(label) for label in order]
    if axes == list(range(x.ndim)):
        return x
    return reindex(x, lambda grid: np.transpose(grid, axes), "np.einsum")


def _spread(term: Indexed, labels: Sequence[Label]) -> Tracer:
    """An operand with an axis for each of the indices, of length 1 where it has none."""
    x, own = term
    ordered = _ordered(x, own, [label for label in labels if label in own])
    lengths = iter(ordered.shape)
    return _shaped(ordered, tuple(next(lengths) if label in own else 1 for label in labels))


def _shaped(x: Tracer, shape: tuple[int, ...]) -> Tracer:
    return x if x.shape == shape else reindex(x, lambda grid: grid.reshape(shape), "np.einsum")
