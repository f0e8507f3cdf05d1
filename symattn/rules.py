"""NumPy's functions and the methods of arrays, each as operations of the graph.

A rule has the signature of the function it stands for, as far as it is understood:
any other keyword is refused by its name. What is listed in docs/numpy.md is here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from symattn.einsum import contracted, einsum, labels_of
from symattn.errors import ShapeError, TraceError
from symattn.graph import Array
from symattn.tracer import (
    METHODS,
    NUMPY,
    REMEDIES,
    Tracer,
    absolute,
    binary,
    common,
    compared,
    concatenate,
    fold,
    lift,
    matmul,
    maximum,
    recorder_of,
    reduce_axes,
    refuse,
    reindex,
    stack,
    unary,
    where,
)

# Reductions.


def array_sum(a: Any, axis: Any = None, *, keepdims: bool = False) -> Tracer:
    return reduce_axes("sum", _traced(a), axis, keepdims)


def array_max(a: Any, axis: Any = None, *, keepdims: bool = False) -> Tracer:
    return reduce_axes("max", _traced(a), axis, keepdims)


def array_min(a: Any, axis: Any = None, *, keepdims: bool = False) -> Tracer:
    return -reduce_axes("max", -_traced(a), axis, keepdims)


def mean(a: Any, axis: Any = None, *, keepdims: bool = False) -> Tracer:
    x = _traced(a)
    total = reduce_axes("sum", x, axis, keepdims)
    return total / _entries(x, total)


def var(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False) -> Tracer:
    x = _traced(a)
    centred = x - mean(x, axis, keepdims=True)
    total = reduce_axes("sum", centred * centred, axis, keepdims)
    count = _entries(x, total) - operator.index(ddof)
    if count < 1:
        refuse(ShapeError, f"ddof={ddof} of {count + ddof} entries leaves nothing to divide by")
    return total / count


def std(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False) -> Tracer:
    return unary("sqrt", var(a, axis, ddof=ddof, keepdims=keepdims))


def _entries(x: Tracer, reduced: Tracer) -> int:
    """How many entries of x became one."""
    if not x.size:
        refuse(ShapeError, f"a mean of nothing: shape {x.shape} has no entries")
    return x.size // reduced.size


def cumsum(a: Any, axis: Any = None) -> Tracer:
    """Sums up to each place, one added to the last as NumPy does."""
    x = _traced(a)
    if axis is None:
        x, axis = reshape(x, -1), 0
    rows = reindex(x, lambda grid: np.moveaxis(grid, axis, 0), "np.cumsum")
    sums = [rows[:1]] if len(rows) else [rows]
    for k in range(1, len(rows)):
        sums.append(sums[-1] + rows[k : k + 1])
    return reindex(concatenate(sums), lambda grid: np.moveaxis(grid, 0, axis), "np.cumsum")


# Entry by entry.


def square(x: Any) -> Tracer:
    return binary("mul", x, x)


def minimum(a: Any, b: Any) -> Tracer:
    recorder = common(a, b)
    return -maximum(-lift(a, recorder), -lift(b, recorder))


def clip(
    a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None
) -> Tracer:
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    recorder = common(a, low, high)
    x = lift(a, recorder)
    if not _is_open(low, -np.inf):
        x = maximum(x, low)
    return x if _is_open(high, np.inf) else minimum(x, high)


def _is_open(bound: Any, infinity: float) -> bool:
    """Whether a bound is none: -inf is a mark, and not compared with."""
    return bound is None or (isinstance(bound, float) and bound == infinity)


def triangle(keep: Callable[..., Array]) -> Callable[..., Tracer]:
    """`np.tril` or `np.triu`: the other half is selected away, -oo too, never multiplied."""

    def rule(m: Any, k: int = 0) -> Tracer:
        x = _traced(m)
        rows = x.shape if x.ndim > 1 else (x.size, x.size)
        return where(keep(np.ones(rows[-2:], bool), k), x, 0)

    return rule


# Reindexing: by what NumPy does to the grid of indices.


def moved(function: Callable[..., Array]) -> Callable[..., Tracer]:
    """A function that only rearranges or repeats, as a rule; its axes are fixed."""
    what = f"np.{function.__name__}"

    def rule(a: Any, *args: Any, **kwargs: Any) -> Tracer:
        return reindex(_traced(a), lambda grid: function(grid, *args, **kwargs), what)

    return rule


def reshape(a: Any, shape: Any) -> Tracer:
    return reindex(_traced(a), lambda grid: np.reshape(grid, shape), "reshape")


def _variadic(function: Callable[..., Array]) -> Callable[..., Tracer]:
    """`x.reshape(2, 3)` beside `x.reshape((2, 3))`; `transpose` alike."""

    def rule(x: Tracer, *order: Any) -> Tracer:
        wanted = order[0] if len(order) == 1 else order or None
        return reindex(x, lambda grid: function(grid, wanted), function.__name__)

    return rule


def split(divide: Callable[..., list[Array]]) -> Callable[..., list[Tracer]]:
    """`np.split` or `np.array_split`: a list of parts."""

    def rule(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tracer]:
        x = _traced(ary)
        places = np.arange(x.shape[axis] if -x.ndim <= axis < x.ndim else 0)
        try:
            parts = divide(places, indices_or_sections)
        except (ValueError, TypeError) as error:
            refuse(ShapeError, f"np.{divide.__name__} of an array of shape {x.shape}: {error}")
        what = f"np.{divide.__name__}"
        return [reindex(x, partial(np.take, indices=part, axis=axis), what) for part in parts]

    return rule


def joined(arrays: Any, axis: int | None = 0) -> Tracer:
    if axis is None:
        return concatenate([reshape(a, -1) for a in _each(arrays)])
    return concatenate(arrays, axis)


def hstack(tup: Any) -> Tracer:
    parts = [reindex(a, np.atleast_1d, "np.hstack") for a in _each(tup)]
    return concatenate(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(tup: Any) -> Tracer:
    return concatenate([reindex(a, np.atleast_2d, "np.vstack") for a in _each(tup)])


def _each(arrays: Any) -> list[Tracer]:
    recorder = common(arrays)
    return [lift(a, recorder) for a in arrays]


def as_floats(x: Tracer, dtype: Any, *, copy: bool = True) -> Tracer:
    """``x.astype(float)``, which changes nothing here; any other type would round."""
    if not is_float64(dtype):
        refuse(
            TraceError,
            f".astype({_name(dtype)}) would round; leave the type out, it is chosen when the graph "
            "is run: d.floats(np.float32), step.numeric(np.float32)",
        )
    return x.copy_of() if copy else x


def is_float64(dtype: Any) -> bool:
    try:
        return bool(np.dtype(dtype) == np.float64)
    except TypeError:
        return False


def _name(dtype: Any) -> str:
    return getattr(dtype, "__name__", None) or repr(dtype)


# Products.


def dot(a: Any, b: Any) -> Tracer:
    """The last axis of a with the last but one of b; unlike @ also for numbers and batches."""
    x, y = _pair(a, b)
    if not x.shape or not y.shape:
        return x * y
    return matmul(x, y) if y.ndim < 3 else _last_with(x, y, y.ndim - 2)


def inner(a: Any, b: Any) -> Tracer:
    x, y = _pair(a, b)
    return x * y if not x.shape or not y.shape else _last_with(x, y, y.ndim - 1)


def _last_with(x: Tracer, y: Tracer, axis: int) -> Tracer:
    """The last axis of x contracted with an axis of y."""
    if x.shape[-1] != y.shape[axis]:
        return matmul(x, y)  # which says what does not fit
    left, right = labels_of(x, "x"), labels_of(y, "y")
    right[axis] = left[-1]
    kept = [label for label in (*left, *right) if label != left[-1]]
    return contracted([(x, left), (y, right)], kept)


def outer(a: Any, b: Any) -> Tracer:
    x, y = _pair(a, b)
    return reshape(x, (-1, 1)) * reshape(y, (1, -1))


def _pair(a: Any, b: Any) -> tuple[Tracer, Tracer]:
    recorder = common(a, b)
    return lift(a, recorder), lift(b, recorder)


# Static arrays: integers and booleans, which stay exact.


def _static(dtype: Any) -> Any:
    """The type of a constant array: what would be a float64 is an integer here."""
    if dtype is None or is_float64(dtype):
        return int
    if np.dtype(dtype).kind not in "biu":
        refuse(TraceError, f"a constant of type {_name(dtype)} would round; leave the type out")
    return dtype


def filled(make: Callable[..., Array]) -> Callable[..., Array]:
    return lambda shape, dtype=None: make(shape, _static(dtype))


def alike(make: Callable[..., Array]) -> Callable[..., Array]:
    return lambda a, dtype=None: make(_shape(a), _static(dtype))


def _shape(x: Any) -> tuple[int, ...]:
    return x.shape if isinstance(x, Tracer) else np.shape(x)


def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Array:
    return np.eye(N, M, k, _static(dtype))


def identity(n: Any, dtype: Any = None) -> Array:
    return np.eye(n, dtype=_static(dtype))


def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Array:
    return np.tri(N, M, k, _static(dtype))


def arange(*limits: Any, dtype: Any = None) -> Array:
    whole = [fold(limit) for limit in limits]
    if any(n is None or n.denominator != 1 for n in whole):
        refuse(TraceError, "np.arange takes integers here; write np.arange(n) * step")
    return np.arange(*map(int, whole), dtype=_static(dtype))  # type: ignore[arg-type]


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    kind = None if dtype is None or is_float64(dtype) else _static(dtype)
    if kind is None and isinstance(fill_value, Tracer):
        return reindex(fill_value, lambda grid: np.broadcast_to(grid, shape), "np.full")
    return np.full(shape, fill_value, kind)


def full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    return full(_shape(a), fill_value, dtype)


def _taken(value: Any, dtype: Any, *, copy: bool) -> Any:
    """`np.array` of lists that hold tracers, or of fixed integers and booleans."""
    if recorder_of([value]) is not None:
        return as_floats(_traced(value), float if dtype is None else dtype, copy=copy)
    made = np.array(value)
    if dtype is None:
        return made
    return made.astype(_static(dtype)) if made.dtype.kind in "biu" else np.array(value, dtype)


def _traced(x: Any) -> Tracer:
    return x if isinstance(x, Tracer) else lift(x, common(x))


CONSTRUCTORS: Mapping[Any, Callable[..., Any]] = {
    np.zeros: filled(np.zeros), np.ones: filled(np.ones),
    np.zeros_like: alike(np.zeros), np.ones_like: alike(np.ones),
    np.eye: eye, np.identity: identity, np.tri: tri, np.arange: arange,
    np.full: full, np.full_like: full_like,
    np.array: lambda object, dtype=None: _taken(object, dtype, copy=True),
    np.asarray: lambda a, dtype=None: _taken(a, dtype, copy=False),
}  # fmt: skip

_UNARY = ("exp", "log", "sqrt", "sin", "cos", "tanh")

NUMPY.update({
    **CONSTRUCTORS,
    np.add: lambda x1, x2: binary("add", x1, x2),
    np.subtract: lambda x1, x2: binary("sub", x1, x2),
    np.multiply: lambda x1, x2: binary("mul", x1, x2),
    np.divide: lambda x1, x2: binary("div", x1, x2),
    np.power: lambda x1, x2: binary("power", x1, x2),
    np.negative: lambda x: -x,
    np.square: square, np.abs: absolute,
    np.maximum: maximum, np.minimum: minimum, np.clip: clip,
    np.matmul: matmul, np.dot: dot, np.inner: inner, np.outer: outer, np.einsum: einsum,
    np.where: where, np.tril: triangle(np.tril), np.triu: triangle(np.triu),
    np.concatenate: joined, np.stack: stack, np.hstack: hstack, np.vstack: vstack,
    np.split: split(np.split), np.array_split: split(np.array_split),
    np.copy: lambda a: _traced(a).copy_of(),
    np.reshape: reshape, np.transpose: moved(np.transpose), np.swapaxes: moved(np.swapaxes),
    np.repeat: moved(np.repeat), np.tile: moved(np.tile), np.squeeze: moved(np.squeeze),
    np.expand_dims: moved(np.expand_dims), np.broadcast_to: moved(np.broadcast_to),
    np.sum: array_sum, np.max: array_max, np.min: array_min,
    np.mean: mean, np.var: var, np.std: std, np.cumsum: cumsum,
    **{getattr(np, op): partial(unary, op) for op in _UNARY},
    **{getattr(np, name): partial(compared, test) for name, test in {
        "less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
        "greater_equal": operator.ge, "equal": operator.eq, "not_equal": operator.ne,
    }.items()},
})  # fmt: skip


METHODS.update({
    "sum": array_sum, "max": array_max, "min": array_min,
    "mean": mean, "var": var, "std": std, "cumsum": cumsum, "clip": clip, "dot": dot,
    "reshape": _variadic(np.reshape), "transpose": _variadic(np.transpose),
    "swapaxes": moved(np.swapaxes), "repeat": moved(np.repeat), "squeeze": moved(np.squeeze),
    "copy": lambda x: x.copy_of(), "astype": as_floats,
})  # fmt: skip

#: Functions that make floats out of integers, and which of their arguments are numbers:
#: recorded even where none of these is a tracer.
MAKES_FLOATS: Mapping[Any, slice] = {
    **dict.fromkeys([np.divide, np.power], slice(0, 2)),
    **dict.fromkeys([getattr(np, op) for op in _UNARY], slice(0, 1)),
    **dict.fromkeys([np.mean, np.var, np.std], slice(0, 1)),
    np.where: slice(1, 3),
}

_LARGEST = 'it branches on values; derive the scores and ask their step: d["P"].largest()'
_ASKED = "it asks for values; ask what was derived, as d.verify() does"
_ROUNDED = 'digits are chosen at the step: d["A"].decimal(2)'
REMEDIES.update({
    "argmax": _LARGEST, "argmin": _LARGEST,
    **dict.fromkeys(["sort", "argsort", "median", "unique"], "it branches on values"),
    "max": "np.max or np.maximum is understood", "min": "np.min or np.minimum is understood",
    **dict.fromkeys(["any", "all", "isfinite", "isnan", "isclose", "allclose"], _ASKED),
    **dict.fromkeys(["round", "around", "floor", "ceil"], _ROUNDED),
    "dtype": "it is chosen when the graph is run: d.floats(np.float32)",
    "sign": "it jumps at 0, where no enclosure settles it; x / np.abs(x) where x is not 0",
    "erf": "symattn.functions.erf is",
    "empty": "np.zeros is", "empty_like": "np.zeros_like is",
    "linspace": "np.arange(n) * step is",
    "ravel": "x.reshape(-1) is", "flatten": "x.reshape(-1) is",
})  # fmt: skip
