"""Tracer arrays: they know a shape and where they came from, and no value.

A `Tracer` stands in for a NumPy array while a model runs once. Operators and
NumPy functions on it append nodes to the graph being recorded; what NumPy
itself would turn into a float (``np.sqrt(2)``, ``1 / 3``) becomes a node too.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, NoReturn

import numpy as np

from symattn.errors import ExactnessError, ShapeError, SymattnError, TraceError
from symattn.graph import Array, NamedNode, Node, broadcast_shape
from symattn.literals import POSITIVE_INFINITY, Exact, Infinity, is_float_mask

#: Code objects compiled by `symattn.trace`: their frames carry the user's own lines.
TRACED_CODE: set[Any] = set()


def user_line() -> str:
    """``file.py:12`` of the innermost traced frame, or an empty string."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code in TRACED_CODE:
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def refuse(kind: type[SymattnError], message: str) -> NoReturn:
    """Raise an error that names the line of the traced function."""
    line = user_line()
    raise kind(f"{line}: {message}" if line else message)


@dataclass
class Recorder:
    """The graph while it grows."""

    nodes: list[Node] = field(default_factory=list)
    steps: list[NamedNode] = field(default_factory=list)
    scopes: list[str] = field(default_factory=list)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(
        self, op: str, inputs: Sequence[Tracer], shape: tuple[int, ...], **params: Any
    ) -> Tracer:
        self.nodes.append(Node(op, tuple(t.node for t in inputs), shape, params))
        return Tracer(self, len(self.nodes) - 1)

    def name_of(self, node: int) -> str:
        return next((s.name for s in reversed(self.steps) if s.node == node), "the operand")


class Tracer:
    """An array of known shape, whose value is a node of the graph."""

    __slots__ = ("node", "recorder")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 1000

    def __init__(self, recorder: Recorder, node: int) -> None:
        self.recorder = recorder
        self.node = node

    # What is known without a value.

    @property
    def shape(self) -> tuple[int, ...]:
        return self.recorder.nodes[self.node].shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=int))

    def __len__(self) -> int:
        if not self.shape:
            refuse(TraceError, "len() of a single number")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tracer]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<{self.recorder.name_of(self.node)}, traced, shape {self.shape}>"

    # Arithmetic.

    def __add__(self, other: Any) -> Tracer:
        return binary("add", self, other)

    def __radd__(self, other: Any) -> Tracer:
        return binary("add", other, self)

    def __sub__(self, other: Any) -> Tracer:
        return binary("sub", self, other)

    def __rsub__(self, other: Any) -> Tracer:
        return binary("sub", other, self)

    def __mul__(self, other: Any) -> Tracer:
        return binary("mul", self, other)

    def __rmul__(self, other: Any) -> Tracer:
        return binary("mul", other, self)

    def __truediv__(self, other: Any) -> Tracer:
        return binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Tracer:
        return binary("div", other, self)

    def __pow__(self, other: Any) -> Tracer:
        return binary("power", self, other)

    def __rpow__(self, other: Any) -> Tracer:
        return binary("power", other, self)

    def __matmul__(self, other: Any) -> Tracer:
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Tracer:
        return matmul(other, self)

    def __neg__(self) -> Tracer:
        return self.recorder.add("neg", [self], self.shape)

    def __pos__(self) -> Tracer:
        return self

    def _no_operator(self, *_: Any) -> Any:
        refuse(TraceError, "arrays take + - * / ** and @; this operator is not understood")

    __abs__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __invert__ = _no_operator
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _no_operator

    # Reindexing.

    @property
    def T(self) -> Tracer:
        return self.transpose()

    def transpose(self, *axes: Any) -> Tracer:
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return reindex(self, lambda grid: np.transpose(grid, order or None), "transpose")

    def swapaxes(self, a: int, b: int) -> Tracer:
        return reindex(self, lambda grid: np.swapaxes(grid, a, b), "swapaxes")

    def reshape(self, *shape: Any) -> Tracer:
        wanted = shape[0] if len(shape) == 1 else shape
        return reindex(self, lambda grid: np.reshape(grid, wanted), "reshape")

    def __getitem__(self, key: Any) -> Tracer:
        for part in key if isinstance(key, tuple) else (key,):
            if isinstance(part, Tracer):
                refuse(TraceError, "an index that depends on a value; only fixed indices can")
        return reindex(self, lambda grid: grid[key], "indexing")

    # Reductions.

    def sum(self, axis: Any = None, keepdims: bool = False) -> Tracer:
        return reduce_axes("sum", self, axis, keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> Tracer:
        return reduce_axes("max", self, axis, keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Tracer:
        total = self.sum(axis, keepdims)
        return total / (self.size // max(total.size, 1))

    # What would need a value.

    def __setitem__(self, key: Any, value: Any) -> None:
        refuse(TraceError, "item assignment changes an array in place; use np.where instead")

    def __bool__(self) -> bool:
        refuse(TraceError, "branching on a value; only shapes and fixed options can be branched on")

    def _needs_value(self, *_: Any) -> Any:
        refuse(TraceError, "a value is wanted here, and tracing knows only shapes")

    __float__ = __complex__ = item = tolist = _needs_value

    # A number made of fixed numbers alone (a shape, a literal) can be counted with.

    def __index__(self) -> int:
        value = fold(self)
        if value is None or value.denominator != 1:
            refuse(TraceError, "an integer known from shapes alone is wanted here")
        return value.numerator

    def __int__(self) -> int:
        value = fold(self)
        return int(self._needs_value() if value is None else value)

    def _compare(self, other: Any, test: Callable[[Any, Any], bool]) -> bool:
        left, right = fold(self), fold(other)
        if left is None or right is None:
            refuse(
                TraceError,
                "branching on a value; only shapes and fixed options can be branched on",
            )
        return test(left, right)

    def __lt__(self, other: Any) -> bool:
        return self._compare(other, operator.lt)

    def __le__(self, other: Any) -> bool:
        return self._compare(other, operator.le)

    def __gt__(self, other: Any) -> bool:
        return self._compare(other, operator.gt)

    def __ge__(self, other: Any) -> bool:
        return self._compare(other, operator.ge)

    def __eq__(self, other: Any) -> bool:
        return self._compare(other, operator.eq)

    def __ne__(self, other: Any) -> bool:
        return self._compare(other, operator.ne)

    def __array__(self, *_: Any, **__: Any) -> Any:
        refuse(TraceError, "this call wants a NumPy array of values, and tracing knows only shapes")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(TraceError, f"arrays have no .{name} that symattn understands")

    # NumPy's own ways in.

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Tracer:
        if method != "__call__":
            refuse(TraceError, f"np.{ufunc.__name__}.{method} is not understood")
        return call_numpy(ufunc, args, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Tracer:
        return call_numpy(function, args, kwargs)


def fold(value: Any) -> Fraction | None:
    """The rational a number stands for, if fixed numbers alone made it; else None."""
    if not isinstance(value, Tracer):
        if isinstance(value, np.integer):
            value = int(value)
        return Fraction(value) if isinstance(value, int | Fraction) else None
    if value.shape:
        return None
    node = value.recorder.nodes[value.node]
    if node.op == "constant":
        number = node.params["value"][()]
        return number if isinstance(number, Fraction) else None
    arithmetic: dict[str, Callable[..., Fraction]] = {
        "add": operator.add,
        "sub": operator.sub,
        "mul": operator.mul,
        "div": operator.truediv,
        "neg": operator.neg,
    }
    operands = [fold(Tracer(value.recorder, i)) for i in node.inputs]
    if node.op not in arithmetic or None in operands:
        return None
    if node.op == "div" and operands[1] == 0:
        refuse(TraceError, "a division by zero")
    return arithmetic[node.op](*operands)


def constant(value: Any, recorder: Recorder) -> Tracer:
    """Record a static number or array.

    Raises:
        ExactnessError: it holds a float (infinities aside); the line is named.
    """
    array = value if isinstance(value, np.ndarray) else np.asarray(value, dtype=object)
    if array.dtype.kind == "f" and is_float_mask(array):
        # NumPy fills the other half of a mask of -inf with 0.0, which is exact.
        array = np.where(np.isinf(array), array.astype(object), 0)
    out = np.empty(array.shape, dtype=object)
    for index in np.ndindex(array.shape):
        out[index] = _exact_constant(array[index])
    return recorder.add("constant", [], array.shape, value=out)


def _exact_constant(value: Any) -> Exact:
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return Fraction(int(value))
    if isinstance(value, Fraction | Infinity):
        return value
    if isinstance(value, float | np.floating) and np.isinf(value):
        return POSITIVE_INFINITY if value > 0 else Infinity(-1)
    if isinstance(value, float | np.floating):
        refuse(
            ExactnessError,
            f"the Python float {value!r} would enter an exact value; "
            "write the number in the function itself, or pass it in as an exact input",
        )
    refuse(TraceError, f"wanted a number or an array, got {type(value).__name__} {value!r}")


def recorder_of(values: Iterable[Any]) -> Recorder | None:
    """The recorder of the first tracer among values, lists searched too."""
    for value in values:
        if isinstance(value, Tracer):
            return value.recorder
        if isinstance(value, list | tuple):
            found = recorder_of(value)
            if found:
                return found
    return None


def lift(value: Any, recorder: Recorder) -> Tracer:
    """A tracer for a tracer, a static value, or a list of these (stacked)."""
    if isinstance(value, Tracer):
        return value
    if isinstance(value, list | tuple) and recorder_of(value):
        return stack([lift(v, recorder) for v in value])
    return constant(value, recorder)


def _common(*values: Any) -> Recorder:
    recorder = recorder_of(values)
    assert recorder is not None  # callers hold at least one tracer
    return recorder


def binary(op: str, a: Any, b: Any) -> Tracer:
    recorder = _common(a, b)
    a, b = lift(a, recorder), lift(b, recorder)
    try:
        shape = broadcast_shape([a.shape, b.shape])
    except ValueError:
        refuse(ShapeError, _misfit(op, a, b))
    return recorder.add(op, [a, b], shape)


def matmul(a: Any, b: Any) -> Tracer:
    recorder = _common(a, b)
    a, b = lift(a, recorder), lift(b, recorder)
    try:
        if not a.shape or not b.shape:
            raise ValueError
        shape = np.matmul(np.empty(a.shape, bool), np.empty(b.shape, bool)).shape
    except ValueError:
        refuse(ShapeError, _misfit("@", a, b))
    return recorder.add("matmul", [a, b], shape)


def _misfit(op: str, a: Tracer, b: Tracer) -> str:
    names = [f"{t.recorder.name_of(t.node)} of shape {t.shape}" for t in (a, b)]
    return f"{op} wants shapes that fit, got {names[0]} and {names[1]}"


def reindex(x: Tracer, view: Callable[[Array], Array], what: str) -> Tracer:
    """Record any rearrangement, by doing it to the grid of flat indices."""
    grid = np.arange(x.size).reshape(x.shape)
    try:
        index = np.asarray(view(grid))
    except (ValueError, IndexError, TypeError) as error:
        refuse(ShapeError, f"{what} of an array of shape {x.shape}: {error}")
    return x.recorder.add("gather", [x], index.shape, index=index)


def reduce_axes(op: str, x: Tracer, axis: Any, keepdims: bool) -> Tracer:
    if axis is None:
        flat = x.reshape(-1)
        result = x.recorder.add(op, [flat], (), axis=0, keepdims=False)
        return result.reshape((1,) * x.ndim) if keepdims else result
    axes = sorted({_axis(a, x.ndim) for a in np.atleast_1d(axis)}, reverse=True)
    for a in axes:
        kept = (1,) if keepdims else ()
        shape = (*x.shape[:a], *kept, *x.shape[a + 1 :])
        x = x.recorder.add(op, [x], shape, axis=a, keepdims=keepdims)
    return x


def _axis(axis: Any, ndim: int) -> int:
    index = operator.index(axis)
    if not -ndim <= index < ndim:
        refuse(ShapeError, f"axis {index} of an array with {ndim} axes")
    return index % ndim


def unary(op: str, x: Tracer) -> Tracer:
    return x.recorder.add(op, [x], x.shape)


def softmax(x: Tracer, axis: int = -1) -> Tracer:
    """Record a softmax, with its numerators and row sums for those who look inside."""
    if not x.shape:
        refuse(ShapeError, "softmax of a single number; it wants at least one axis")
    last = x.ndim - 1
    if _axis(axis, x.ndim) != last:
        return softmax(x.swapaxes(axis, -1)).swapaxes(axis, -1)
    numerators = unary("exp", x)
    reduce_axes("sum", numerators, last, keepdims=False)
    return unary("softmax", x)


def maximum(a: Any, b: Any) -> Tracer:
    return binary("maximum", a, b)


def where(condition: Any, a: Any, b: Any) -> Tracer:
    recorder = _common(condition, a, b)
    if recorder_of([condition]):
        refuse(
            TraceError,
            "np.where on a condition that depends on values; np.maximum takes the larger, "
            "and a mask is a fixed array of booleans",
        )
    a, b = lift(a, recorder), lift(b, recorder)
    keep = np.asarray(condition, dtype=bool)
    try:
        shape = broadcast_shape([keep.shape, a.shape, b.shape])
    except ValueError:
        refuse(
            ShapeError, f"np.where wants shapes that fit, got {keep.shape}, {a.shape}, {b.shape}"
        )
    return recorder.add("where", [a, b], shape, keep=keep)


def concatenate(arrays: Any, axis: int = 0) -> Tracer:
    recorder = _common(arrays)
    parts = [lift(a, recorder) for a in arrays]
    at = _axis(axis, parts[0].ndim) if parts[0].ndim else 0
    try:
        shape = np.concatenate([np.empty(p.shape, bool) for p in parts], axis=at).shape
    except ValueError as error:
        refuse(ShapeError, f"np.concatenate: {error}")
    return recorder.add("concat", parts, shape, axis=at)


def stack(arrays: Any, axis: int = 0) -> Tracer:
    recorder = _common(arrays)
    parts = [lift(a, recorder) for a in arrays]
    return concatenate(
        [reindex(p, lambda grid: np.expand_dims(grid, axis), "np.stack") for p in parts], axis
    )


#: NumPy functions whose result on exact numbers is not a NumPy array of integers.
NUMPY: Mapping[Any, Callable[..., Tracer]] = {
    np.add: lambda a, b: binary("add", a, b),
    np.subtract: lambda a, b: binary("sub", a, b),
    np.multiply: lambda a, b: binary("mul", a, b),
    np.divide: lambda a, b: binary("div", a, b),
    np.power: lambda a, b: binary("power", a, b),
    np.negative: lambda x: -x,
    np.matmul: matmul,
    np.dot: matmul,
    np.maximum: maximum,
    np.where: where,
    np.concatenate: concatenate,
    np.stack: stack,
    np.array: lambda x, dtype=None: lift(x, _common(x)),
    np.asarray: lambda x, dtype=None: lift(x, _common(x)),
    np.transpose: lambda x, axes=None: x.transpose(*(axes or ())),
    np.swapaxes: lambda x, a, b: x.swapaxes(a, b),
    np.reshape: lambda x, shape: x.reshape(shape),
    np.sum: lambda x, axis=None, keepdims=False: x.sum(axis, keepdims),
    np.max: lambda x, axis=None, keepdims=False: x.max(axis, keepdims),
    np.mean: lambda x, axis=None, keepdims=False: x.mean(axis, keepdims),
    **{getattr(np, op): partial(unary, op) for op in ("exp", "log", "sqrt", "sin", "cos", "tanh")},
}

#: Of these, the ones that make floats out of integers: recorded even where no
#: operand is a tracer.
MAKES_FLOATS = frozenset(
    [np.divide, np.power, np.exp, np.log, np.sqrt, np.sin, np.cos, np.tanh, np.mean, np.where]
)


def call_numpy(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Tracer:
    """Record a NumPy function, or say that it is not understood."""
    rule = NUMPY.get(function)
    if rule is None:
        refuse(TraceError, f"np.{function.__name__} is not among the NumPy functions understood")
    try:
        return rule(*args, **kwargs)
    except TypeError as error:
        refuse(TraceError, f"np.{function.__name__}: {error}")
