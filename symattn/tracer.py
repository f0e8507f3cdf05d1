"""Tracer arrays: they know a shape and where they came from, and no value.

A `Tracer` stands in for a NumPy array while a model runs once. Operators on it
append nodes to the graph being recorded; what NumPy's functions and the methods of
arrays append is said in `symattn.rules`.
"""

from __future__ import annotations

import inspect
import math
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import FrameType, MethodType
from typing import Any, NoReturn

import numpy as np

from symattn.errors import ExactnessError, ShapeError, SymattnError, TraceError
from symattn.graph import Array, NamedNode, Node, broadcast_shape
from symattn.literals import POSITIVE_INFINITY, Apply, Exact, Infinity, exact, is_float_mask

#: Code objects compiled by `symattn.trace`: their frames carry the user's own lines.
TRACED_CODE: set[Any] = set()

#: What is recorded for a NumPy function, and for a method of arrays; see `symattn.rules`.
NUMPY: dict[Any, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}

#: What to do instead of a function that is refused, by its name.
REMEDIES: dict[str, str] = {}


#: What the trace under way refused, also where the function's own `except` caught it.
REFUSALS: ContextVar[list[SymattnError] | None] = ContextVar("REFUSALS", default=None)


def traced_frames() -> Iterator[FrameType]:
    """The traced frames, from the innermost."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code in TRACED_CODE:
            yield frame
        frame = frame.f_back


def user_line() -> str:
    """``file.py:12`` of the innermost traced frame, or an empty string."""
    return next((f"{f.f_code.co_filename}:{f.f_lineno}" for f in traced_frames()), "")


def refuse(kind: type[SymattnError], message: str) -> NoReturn:
    """Raise an error that names the line of the traced function.

    Where that line is in another file than the function that is derived, the line in
    its own file from which it was reached is named too.
    """
    lines = [(frame.f_code.co_filename, frame.f_lineno) for frame in traced_frames()]
    if lines:
        (file, line), own = lines[0], lines[-1][0]
        message = f"{file}:{line}: {message}"
        if file != own:
            reached = next(n for f, n in lines if f == own)
            message += f" (reached from {own}:{reached})"
    error = kind(message)
    caught = REFUSALS.get()
    if caught is not None and kind is not ShapeError:  # NumPy refuses shapes that do not fit, too
        caught.append(error)
    raise error


#: Operations of a graph: as many as hundreds of layers have.
MAX_OPERATIONS = 20_000


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
        if len(self.nodes) >= MAX_OPERATIONS:
            refuse(
                TraceError,
                f"wanted a function of at most {MAX_OPERATIONS:,} operations, got more",
            )
        self.nodes.append(Node(op, tuple(t.node for t in inputs), shape, params))
        return Tracer(self, len(self.nodes) - 1)

    def name_of(self, node: int) -> str:
        return next((s.name for s in reversed(self.steps) if s.node == node), "the operand")


BRANCHING = "branching on a value; only shapes and fixed options can be branched on"
NEEDS_VALUE = "a value is wanted here, and tracing knows only shapes"
IN_PLACE = "changes an array in place; use np.where instead"

_SIGNS = {
    operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=",
    operator.eq: "==", operator.ne: "!=",
}  # fmt: skip


def _no_operator(sign: str) -> Callable[..., NoReturn]:
    def refused(self: Tracer, *_: Any) -> NoReturn:
        refuse(TraceError, f"arrays take + - * / ** and @; {sign} is not understood")

    return refused


class Tracer:
    """An array of known shape, whose value is a node of the graph.

    Attributes:
        storage: the same for all arrays that would share their memory in NumPy, as views do.
    """

    __slots__ = ("node", "recorder", "storage")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 1000

    def __init__(self, recorder: Recorder, node: int) -> None:
        self.recorder = recorder
        self.node = node
        self.storage = object()

    def copy_of(self) -> Tracer:
        """The same value in memory of its own."""
        return Tracer(self.recorder, self.node)

    # What is known without a value.

    @property
    def shape(self) -> tuple[int, ...]:
        return self.recorder.nodes[self.node].shape

    @shape.setter
    def shape(self, _: Any) -> None:
        refuse(TraceError, "a shape that is assigned changes an array in place; use x.reshape")

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

    def __format__(self, form: str) -> str:
        if form:
            refuse(
                TraceError,
                f"the format {form!r} wants a value, and tracing knows only shapes; printed "
                "without a format an array shows its name and shape",
            )
        return repr(self)

    def __copy__(self) -> Tracer:
        return self.copy_of()

    def __deepcopy__(self, _: Any) -> Tracer:
        return self.copy_of()

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
        return self.copy_of()

    def __abs__(self) -> Tracer:
        return absolute(self)

    __mod__ = __rmod__ = _no_operator("%")
    __floordiv__ = __rfloordiv__ = _no_operator("//")
    __divmod__ = __rdivmod__ = _no_operator("divmod")
    __invert__ = _no_operator("~")
    __and__ = __rand__ = _no_operator("&")
    __or__ = __ror__ = _no_operator("|")
    __xor__ = __rxor__ = _no_operator("^")
    __lshift__ = __rlshift__ = _no_operator("<<")
    __rshift__ = __rrshift__ = _no_operator(">>")

    # Reindexing.

    @property
    def T(self) -> Tracer:
        return reindex(self, np.transpose, "transpose")

    def __getitem__(self, key: Any) -> Tracer:
        for part in key if isinstance(key, tuple) else (key,):
            if isinstance(part, Tracer):
                refuse(TraceError, "an index that depends on a value; only fixed ones can be taken")
        return reindex(self, lambda grid: grid[key], "indexing")

    # What would need a value.

    def __setitem__(self, key: Any, value: Any) -> None:
        refuse(TraceError, f"item assignment {IN_PLACE}")

    def __delitem__(self, key: Any) -> None:
        refuse(TraceError, "del of an item changes an array in place; take what stays by x[…]")

    def __bool__(self) -> bool:
        refuse(TraceError, BRANCHING)

    def _needs_value(self, *_: Any) -> Any:
        refuse(TraceError, NEEDS_VALUE)

    __float__ = __complex__ = item = tolist = _needs_value

    # A number made of fixed numbers alone (a shape, a literal) can be counted with.

    def _fixed(self) -> Fraction:
        value = fold(self)
        return self._needs_value() if value is None else value

    def __trunc__(self) -> int:
        return math.trunc(self._fixed())

    def __floor__(self) -> int:
        return math.floor(self._fixed())

    def __ceil__(self) -> int:
        return math.ceil(self._fixed())

    def __round__(self, places: int | None = None) -> int | Fraction:
        return round(self._fixed(), places)

    def __index__(self) -> int:
        value = fold(self)
        if value is None or value.denominator != 1:
            refuse(TraceError, "an integer known from shapes alone is wanted here")
        return value.numerator

    def __int__(self) -> int:
        return int(self._fixed())

    def __lt__(self, other: Any) -> Any:
        return compared(operator.lt, self, other)

    def __le__(self, other: Any) -> Any:
        return compared(operator.le, self, other)

    def __gt__(self, other: Any) -> Any:
        return compared(operator.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        return compared(operator.ge, self, other)

    def __eq__(self, other: Any) -> Any:
        return compared(operator.eq, self, other)

    def __ne__(self, other: Any) -> Any:
        return compared(operator.ne, self, other)

    def __array__(self, *_: Any, **__: Any) -> Any:
        refuse(TraceError, "this call wants a NumPy array of values, and tracing knows only shapes")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        rule = METHODS.get(name)
        if rule is None:
            refuse(TraceError, f"arrays have no .{name} that symattn understands{remedy(name)}")
        return MethodType(partial(_ruled, rule, f".{name}"), self)

    # NumPy's own ways in.

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        if method != "__call__":
            refuse(TraceError, f"np.{ufunc.__name__}.{method} is not understood")
        return call_numpy(ufunc, args, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return call_numpy(function, args, kwargs)


def call_numpy(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Record a NumPy function, or say that it is not understood."""
    rule = NUMPY.get(function)
    if rule is None:
        not_understood(function)
    return _ruled(rule, f"np.{function.__name__}", *args, **kwargs)


def not_understood(function: Any) -> NoReturn:
    """Refuse a NumPy function by its name, with what to do instead where that is known."""
    name = function.__name__
    rooms = (getattr(function, "__module__", None) or "numpy").split(".")[1:]
    where = "".join(f"{room}." for room in rooms if not room.startswith("_"))
    refuse(
        TraceError,
        f"np.{where}{name} is not among the NumPy functions understood{remedy(function)}",
    )


def remedy(what: Any) -> str:
    """What to do instead of what is refused, by its name, as the end of a sentence."""
    name = what if isinstance(what, str) else getattr(what, "__name__", "")
    return f": {REMEDIES[name]}" if name in REMEDIES else ""


def _ruled(rule: Callable[..., Any], what: str, /, *args: Any, **kwargs: Any) -> Any:
    try:
        return rule(*args, **kwargs)
    except TypeError as error:
        try:
            inspect.signature(rule).bind(*args, **kwargs)
        except TypeError as unfit:  # a keyword that NumPy knows and symattn does not
            known = ", ".join(inspect.signature(rule).parameters)
            refuse(TraceError, f"{what}: {unfit}; understood are {known}")
        refuse(TraceError, f"{what}: {error}")


def compared(test: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """A comparison of what is fixed: of numbers a boolean, else a static array of them.

    Raises:
        TraceError: one of the two depends on a value.
    """
    sides = [fold(x) if isinstance(x, Tracer) else x for x in (a, b)]
    if any(x is None for x in sides):
        refuse(TraceError, f"{_SIGNS[test]} on values is {BRANCHING}")
    if not any(isinstance(x, np.ndarray) for x in sides):
        return bool(test(*sides))
    columns = [np.asarray(x, dtype=object) for x in sides]
    return np.asarray(np.frompyfunc(test, 2, 1)(*columns), dtype=bool)


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
    if isinstance(value, Fraction | Infinity | Apply):
        return value
    if isinstance(value, float | np.floating) and np.isinf(value):
        return POSITIVE_INFINITY if value > 0 else Infinity(-1)
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            refuse(ExactnessError, "nan is no number; what is hidden is selected away by np.where")
        refuse(
            ExactnessError,
            f"the Python float {value!r} would enter an exact value; "
            "write the number in the function itself, or pass it in as an exact input",
        )
    if isinstance(value, Decimal) or _is_sympys(value):
        try:
            return exact(value)
        except SymattnError as error:
            refuse(type(error), str(error))
    refuse(TraceError, f"wanted a number or an array, got {type(value).__name__} {value!r}")


def _is_sympys(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "sympy"


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


def common(*values: Any) -> Recorder:
    recorder = recorder_of(values)
    assert recorder is not None  # callers hold at least one tracer
    return recorder


def binary(op: str, a: Any, b: Any) -> Tracer:
    recorder = common(a, b)
    a, b = lift(a, recorder), lift(b, recorder)
    try:
        shape = broadcast_shape([a.shape, b.shape])
    except ValueError:
        refuse(ShapeError, _misfit(op, a, b))
    return recorder.add(op, [a, b], shape)


def matmul(a: Any, b: Any) -> Tracer:
    recorder = common(a, b)
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
    except SymattnError:
        raise
    except (ValueError, IndexError, TypeError) as error:
        refuse(ShapeError, f"{what} of an array of shape {x.shape}: {error}")
    made = x.recorder.add("gather", [x], index.shape, index=index)
    if np.may_share_memory(index, grid):  # a view
        made.storage = x.storage
    return made


def reshape(x: Tracer, shape: Any) -> Tracer:
    return reindex(x, lambda grid: np.reshape(grid, shape), "reshape")


def reduce_axes(op: str, x: Tracer, axis: Any, keepdims: bool) -> Tracer:
    """A sum or maximum along one axis, several, or (None) all of them."""
    if axis is None:
        flat = reshape(x, -1)
        _check_not_empty(op, flat, 0)
        result = x.recorder.add(op, [flat], (), axis=0, keepdims=False)
        return reshape(result, (1,) * x.ndim) if keepdims else result
    axes = [_axis(a, x.ndim) for a in (axis if isinstance(axis, tuple | list) else (axis,))]
    if len(set(axes)) < len(axes):
        refuse(ShapeError, f"axis {axis} names an axis twice")
    for a in sorted(axes, reverse=True):
        _check_not_empty(op, x, a)
        kept = (1,) if keepdims else ()
        shape = (*x.shape[:a], *kept, *x.shape[a + 1 :])
        x = x.recorder.add(op, [x], shape, axis=a, keepdims=keepdims)
    return x


def _check_not_empty(op: str, x: Tracer, axis: int) -> None:
    if op == "max" and not x.shape[axis]:
        refuse(ShapeError, f"the maximum of nothing: axis {axis} of shape {x.shape} has no entries")


def _axis(axis: Any, ndim: int) -> int:
    try:
        index = operator.index(axis)
    except TypeError:
        refuse(TraceError, f"an axis is an integer or a tuple of these, got {axis!r}")
    if not -ndim <= index < ndim:
        refuse(ShapeError, f"axis {index} of an array with {ndim} axes")
    return index % ndim


def unary(op: str, x: Tracer) -> Tracer:
    return x.recorder.add(op, [x], x.shape)


def softmax(x: Tracer, axis: int = -1, fully_masked: str = "error") -> Tracer:
    """Record a softmax, with its numerators and row sums for those who look inside."""
    if not x.shape:
        refuse(ShapeError, "softmax of a single number; it wants at least one axis")
    last = x.ndim - 1
    if _axis(axis, x.ndim) != last:
        turned = reindex(x, lambda grid: np.swapaxes(grid, axis, -1), "swapaxes")
        made = softmax(turned, -1, fully_masked)
        return reindex(made, lambda grid: np.swapaxes(grid, axis, -1), "swapaxes")
    numerators = unary("exp", x)
    reduce_axes("sum", numerators, last, keepdims=False)
    if fully_masked == "zero":
        return x.recorder.add("softmax", [x], x.shape, zero=True)
    return unary("softmax", x)


def maximum(a: Any, b: Any) -> Tracer:
    return binary("maximum", a, b)


def absolute(x: Tracer) -> Tracer:
    return maximum(x, -x)


def where(condition: Any, a: Any, b: Any) -> Tracer:
    recorder = common(condition, a, b)
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
    recorder = common(arrays)
    parts = [lift(a, recorder) for a in arrays]
    at = _axis(axis, parts[0].ndim) if parts[0].ndim else 0
    try:
        shape = np.concatenate([np.empty(p.shape, bool) for p in parts], axis=at).shape
    except ValueError as error:
        refuse(ShapeError, f"np.concatenate: {error}")
    return recorder.add("concat", parts, shape, axis=at)


def stack(arrays: Any, axis: int = 0) -> Tracer:
    recorder = common(arrays)
    parts = [lift(a, recorder) for a in arrays]
    return concatenate(
        [reindex(p, lambda grid: np.expand_dims(grid, axis), "np.stack") for p in parts], axis
    )
