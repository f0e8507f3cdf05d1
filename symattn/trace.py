"""Trace a plain NumPy function into a graph, by running it once on tracers.

The function's own syntax tree is rewritten so that assignments name steps and
numbers stay exact, and compiled under its own file name and line numbers, with
its own globals: breakpoints, coverage and tracebacks keep working. Source that
is missing, or edited since import, is refused: what runs is what is shown.
"""

from __future__ import annotations

import ast
import functools
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, overload

import numpy as np

from symattn.calls import (
    ABOUT_ARRAYS,
    CACHED,
    CALLS_ANOTHER,
    InPlace,
    called_by,
    draws,
    shares,
    written,
)
from symattn.errors import ExactnessError, LiteralError, SymattnError, TraceError
from symattn.graph import RETURN, Binding, Graph, NamedNode, Node
from symattn.literals import CONSTANTS, exact
from symattn.rewrite import compiled
from symattn.rules import CONSTRUCTORS, MAKES_FLOATS, is_float64
from symattn.tracer import (
    IN_PLACE,
    METHODS,
    NUMPY,
    REFUSALS,
    TRACED_CODE,
    Recorder,
    Tracer,
    call_numpy,
    constant,
    fold,
    lift,
    not_understood,
    recorder_of,
    refuse,
    remedy,
    traced_frames,
    user_line,
)

MAX_SCOPES = 64  # calls inside calls

#: Functions traced as one operation: function -> what to record.
PRIMITIVES: dict[Any, Callable[..., Tracer]] = {}

_UNCHANGING = (int, float, complex, str, tuple, Fraction)

#: What stays exact in place of a function of `math` that NumPy lacks.
_MATH = {"erf": "symattn.functions.erf"}

_INTEGER_MATH = frozenset(
    getattr(math, name)
    for name in ("ceil", "floor", "prod", "gcd", "lcm", "comb", "perm", "factorial", "isqrt")
)
#: Methods of static arrays that would make floats out of integers.
_FLOAT_METHODS = frozenset(["mean", "var", "std"])


def primitive(record: Callable[..., Tracer]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: in a trace, a call of the function is recorded as one operation."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        PRIMITIVES[function] = record
        return function

    return register


@overload
def model(function: Callable[..., Any], /) -> Callable[..., Any]: ...
@overload
def model(
    *, name: str | None = None, masks: tuple[str, ...] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
def model(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    masks: tuple[str, ...] = (),
) -> Any:
    """Decorator: a model, a NumPy function that can be derived; it is called as before.

    Args:
        name: of the scope that a call of it opens; its own if left out.
        masks: arguments that are additive masks, of 0 and -oo: 0 and 1 are refused there.

    Raises:
        TraceError: what is decorated is no function made by def.

    >>> @model
    ... def scores(Q, K):
    ...     S = Q @ K.T
    ...     return S
    >>> @model(name="head")
    ... def attention_head(E): ...

    ``scores.derive(Q=…, K=…)`` is then ``symattn.derive(scores, Q=…, K=…)``.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        check_function(function)
        function.__symattn_scope__ = name  # type: ignore[attr-defined]
        function.__symattn_masks__ = masks  # type: ignore[attr-defined]
        function.derive = functools.partial(_derive, function)  # type: ignore[attr-defined]
        return function

    return register if function is None else register(function)


def _derive(function: Callable[..., Any], /, **arguments: Any) -> Any:
    from symattn.derivation import derive

    return derive(function, **arguments)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: the function, whose steps are its caller's: a call of it opens no scope.

    Of another's function it makes a twin, and leaves that as it is.

    >>> @inlined
    ... def scores(Q, K): ...
    """
    copied = types.FunctionType(
        function.__code__, function.__globals__, function.__name__,
        function.__defaults__, function.__closure__,
    )  # fmt: skip
    copied.__kwdefaults__ = function.__kwdefaults__
    twin = functools.update_wrapper(copied, function)
    del twin.__wrapped__  # `inspect` then sees the twin itself
    twin.__symattn_inlined__ = True  # type: ignore[attr-defined]
    return twin


def scope_name(function: Callable[..., Any]) -> str:
    """The scope a call of the function opens: by `model`, or its own name."""
    return getattr(function, "__symattn_scope__", None) or function.__name__


def trace(
    function: Callable[..., Any],
    shapes: Mapping[str, tuple[int, ...]],
    options: Mapping[str, Any] | None = None,
) -> Graph:
    """Run a function once on tracers.

    Args:
        function: a Python function of NumPy arrays, with readable source.
        shapes: the shape of each array argument.
        options: the other arguments, passed as they are.

    What is returned is a step: under the name it has, as ``return``, or each part of a
    tuple, list or dict as ``return.0``, ``return.mean``, ….

    Raises:
        TraceError, ShapeError, ExactnessError: what cannot be traced, with file
            and line.

    >>> from symattn.transformer import attention_head
    >>> graph = trace(attention_head, dict.fromkeys(["E", "W_Q", "W_K", "W_V"], (2, 2)))
    >>> [step.address for step in graph.steps][4:]
    ['Q', 'K', 'V', 'S', 'Z', 'A.exp', 'A.sum', 'A', 'O']
    """
    check_function(function)
    run = _Run()
    arguments: dict[str, Any] = {}
    for name, shape in shapes.items():
        arguments[name] = run.recorder.add("input", [], shape)
        run.recorder.steps.append(NamedNode(name, arguments[name].node))
    inputs = {name: tracer.node for name, tracer in arguments.items()}
    _bind(function, {**arguments, **(options or {})})
    returned = _not_caught(partial(run.result, function, arguments, options or {}))
    results = _results(function, returned)
    nodes = tuple(run.recorder.nodes)
    steps = _without_parts_of_parts(nodes, run.recorder.steps)
    return _pruned(Graph(scope_name(function), nodes, inputs, steps, results))


def _without_parts_of_parts(
    nodes: Sequence[Node], steps: Sequence[NamedNode]
) -> tuple[NamedNode, ...]:
    """The steps, without parts of a stack that are only cut into smaller parts."""
    parts = {s.node for s in steps if s.part}
    used = {i for number, node in enumerate(nodes) if number not in parts for i in node.inputs}
    return tuple(s for s in steps if not s.part or s.node in used)


def _not_caught(traced: Callable[[], Any]) -> Any:
    """What a traced function returns, if it caught none of the refusals.

    With values there would have been nothing to catch: its `except` is another function.
    """
    refusals: list[SymattnError] = []
    token = REFUSALS.set(refusals)
    try:
        returned = traced()
    finally:
        REFUSALS.reset(token)
    if refusals:
        raise refusals[0]
    return returned


def _results(function: Any, returned: Any) -> tuple[int, ...]:
    """The nodes of what a function returned: one array, or a tuple, list or dict of them."""
    parts = {RETURN: returned} if isinstance(returned, Tracer) else parts_of(returned)
    code = function.__code__
    wanted = (
        f"{code.co_filename}:{code.co_firstlineno}: {function.__name__}: "
        "wanted an array returned, or a tuple, list or dict of arrays"
    )
    if not parts:
        raise TraceError(f"{wanted}; got {type(returned).__name__}")
    for place, part in parts.items():
        if not isinstance(part, Tracer):
            raise TraceError(f"{wanted}; got {type(part).__name__} at {place}")
    return tuple(part.node for part in parts.values())


def parts_of(value: Any) -> dict[str, Any]:
    """The parts of a tuple, list or dict by their address: ``return.0``, ``return.mean``."""
    if isinstance(value, tuple | list):
        names = getattr(value, "_fields", range(len(value)))
        return {f"{RETURN}.{name}": part for name, part in zip(names, value, strict=True)}
    if isinstance(value, dict) and all(isinstance(k, str) and k.isidentifier() for k in value):
        return {f"{RETURN}.{name}": part for name, part in value.items()}
    return {}


def check_function(function: Any) -> None:
    """Refuse a callable that has no source of its own.

    Raises:
        TraceError: it is no function made by def.
    """
    if not isinstance(function, types.FunctionType):
        raise TraceError(
            f"wanted a function made by def, got {type(function).__name__}; wrap it in one"
        )


def _bind(function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    import inspect

    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        wanted = ", ".join(inspect.signature(function).parameters)
        raise TraceError(
            f"{function.__name__}: {error}; wanted {wanted}, got {', '.join(arguments)}"
        ) from None


def _check_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse a call as Python does: an argument that is missing, or one too many."""
    import inspect

    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        refuse(TraceError, f"{function.__name__}: {error}")


def _pruned(graph: Graph) -> Graph:
    """Drop nodes that nothing named and nothing needs."""
    needed = {*graph.results, *graph.inputs.values(), *(s.node for s in graph.steps)}
    for i in reversed(range(len(graph.nodes))):
        if i in needed:
            needed.update(graph.nodes[i].inputs)
    order = sorted(needed)
    new = {old: i for i, old in enumerate(order)}
    nodes = tuple(
        Node(n.op, tuple(new[j] for j in n.inputs), n.shape, n.params)
        for n in (graph.nodes[i] for i in order)
    )
    steps = tuple(
        replace(
            s,
            node=new[s.node],
            bindings={k: _moved(v, new) for k, v in s.bindings.items()},
        )
        for s in graph.steps
    )
    inputs = {name: new[node] for name, node in graph.inputs.items()}
    return Graph(graph.name, nodes, inputs, steps, tuple(new[i] for i in graph.results))


def _moved(bound: Binding, new: Mapping[int, int]) -> Binding:
    """A binding after nodes got new numbers; nothing where they were dropped."""
    if isinstance(bound, tuple):
        return tuple(new[i] for i in bound) if all(i in new for i in bound) else ""
    return new.get(bound, "") if isinstance(bound, int) else bound


def part_of_input(nodes: Sequence[Node], node: int) -> tuple[int, tuple[int, ...]] | None:
    """The input that a reindexing takes a whole row, matrix, … of, and the place of it.

    None for what is computed, moved about, or has more than two axes.
    """
    shape, source = nodes[node].shape, node
    if len(shape) > 2:
        return None
    index = np.arange(math.prod(shape))
    while nodes[source].op == "gather":
        index = nodes[source].params["index"].reshape(-1)[index]
        source = nodes[source].inputs[0]
    whole = nodes[source].shape
    ahead = len(whole) - len(shape)
    if nodes[source].op != "input" or ahead < 1 or whole[ahead:] != shape:
        return None
    if index[0] % index.size or not np.array_equal(index, index[0] + np.arange(index.size)):
        return None
    place = np.unravel_index(index[0] // index.size, whole[:ahead])
    return source, tuple(map(int, place))


class _Run:
    """One trace: the helpers that rewritten code calls."""

    def __init__(self) -> None:
        self.recorder = Recorder()
        self.rewritten_functions: dict[int, tuple[Any, Callable[..., Any]]] = {}
        #: Of each call that is under way, whether its steps are its caller's.
        self.inlined: list[bool] = []

    def result(
        self, function: Callable[..., Any], arguments: Mapping[str, Any], options: Mapping[str, Any]
    ) -> Any:
        """Call the traced function, which may itself be one that is traced as one operation."""
        record = PRIMITIVES.get(function)
        if record is None:
            return self.rewritten(function)(**arguments, **options)
        source = f"{function.__name__}({', '.join(arguments)})"
        return self.name(RETURN, record(**arguments, **options), source, dict(arguments))

    def rewritten(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, rewritten to record into this run."""
        code = function.__code__
        if code in TRACED_CODE:  # defined inside a function already rewritten
            return function
        # The function itself is kept beside its copy, so that its id stays its own.
        found = self.rewritten_functions.get(id(function))
        if found is None:
            try:
                found = (function, self._rewrite(function))
            except TraceError as error:  # its source; the line that calls it is named, too
                refuse(TraceError, str(error))
            self.rewritten_functions[id(function)] = found
        return found[1]

    def _rewrite(self, function: Callable[..., Any]) -> Callable[..., Any]:
        new_code, defaults = compiled(function.__code__)
        helpers = {
            "__sa_name__": self.name, "__sa_call__": self.call, "__sa_literal__": self.literal,
            "__sa_div__": self.div, "__sa_pow__": self.pow, "__sa_constant__": self.constant,
            "__sa_items__": self.items, "__sa_alone__": self.alone,
        }  # fmt: skip
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        closure = tuple(
            cells[name] if name in cells else types.CellType(helpers[name])
            for name in new_code.co_freevars
        )
        made = types.FunctionType(new_code, function.__globals__, function.__name__, None, closure)
        made.__defaults__ = self._defaults(function.__defaults__, defaults.positional)
        keyword = function.__kwdefaults__ or {}
        exact_keywords = {
            name: self._default(value, defaults.keyword.get(name))
            for name, value in keyword.items()
        }
        made.__kwdefaults__ = exact_keywords or None
        return made

    def _defaults(
        self, values: tuple[Any, ...] | None, sources: list[str | None]
    ) -> tuple[Any, ...] | None:
        if values is None:
            return None
        return tuple(self._default(v, s) for v, s in zip(values, sources, strict=True))

    def _default(self, value: Any, source: str | None) -> Any:
        """A float default is read from its source, where it is exact."""
        if source is None or not isinstance(value, float) or math.isinf(value):
            return value
        try:
            return self.literal(source)
        except LiteralError:
            return value  # refused by line where it meets an array

    # Called by rewritten code.

    def literal(self, text: str) -> Tracer:
        return constant(exact(text), self.recorder)

    def constant(self, owner: Any, name: str) -> Any:
        """``owner.name``, where NumPy's π and e are exact."""
        if owner is np or owner is math:
            return constant(CONSTANTS[name], self.recorder)
        return getattr(owner, name)

    def div(self, a: Any, b: Any) -> Any:
        if recorder_of((a, b)) is None and _is_number(a) and _is_number(b):
            a = lift(a, self.recorder)
        return a / b

    def pow(self, a: Any, b: Any) -> Any:
        if recorder_of((a, b)) is None and _is_number(a) and _is_number(b) and np.min(b) < 0:
            a = lift(a, self.recorder)
        return a**b

    def items(self, owner: Any, what: str) -> Any:
        """The owner of an item that is set or deleted: a list or a dict, and no array."""
        if isinstance(owner, Tracer | np.ndarray):
            refuse(TraceError, f"{what} {IN_PLACE}")
        return owner

    def alone(self, name: str, value: Any) -> Any:
        """What ``x += y`` changes: an array that nothing else holds, or something else in place."""
        if not isinstance(value, Tracer | np.ndarray):
            return value if isinstance(value, _UNCHANGING) else InPlace(value)
        for depth, frame in enumerate(traced_frames()):
            for other, theirs in frame.f_locals.items():
                if value.shape and (depth, other) != (0, name) and shares(theirs, value):
                    refuse(
                        TraceError,
                        f"an assignment such as {name} += … changes the array in place, and "
                        f"{other} in {frame.f_code.co_name} is the same; write {name} = {name} + …",
                    )
        return value

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Every call in a traced function comes through here."""
        record = _lookup(PRIMITIVES, function)
        if record is not None:
            return record(lift(args[0], self.recorder), *args[1:], **kwargs)
        if _lookup(NUMPY, function) is not None:
            return self._numpy(function, args, kwargs)
        if type(function) is partial:
            kwargs = {**function.keywords, **kwargs}
            return self.call(function.func, *function.args, *args, **kwargs)
        if isinstance(function, CACHED):
            return self.call(function.__wrapped__, *args, **kwargs)
        traced = called_by(function)
        if traced is not None:
            inside, owner = traced
            is_object = owner and not isinstance(function, types.MethodType)
            name = type(function).__name__ if is_object else ""
            return self._scope(inside, (*owner, *args), kwargs, name)
        if isinstance(getattr(function, "__self__", None), np.ndarray | np.generic):
            return self._static_method(function, args, kwargs)
        if args and not kwargs:
            answer = self._pythons(function, args)
            if answer is not None:
                return answer()
        return self._untraced(function, args, kwargs)

    def _pythons(self, function: Any, args: tuple[Any, ...]) -> Callable[[], Any] | None:
        """Python's own functions that ask for no value, or that call another one."""
        about = _lookup(ABOUT_ARRAYS, function)
        if about is not None and isinstance(args[0], Tracer):
            return partial(about, *args)
        if (function is float or function is np.float64) and fold(args[0]) is not None:
            return partial(lift, args[0], self.recorder)
        if _lookup(CALLS_ANOTHER, function) and called_by(args[0]):
            return partial(function, partial(self.call, args[0]), *args[1:])
        return None

    def _untraced(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call what is no rule and has no source to trace: what is Python's own, or a class."""
        name = written(function)
        if draws(function):
            refuse(
                TraceError, f"{name} draws numbers; draw them outside, and pass them as an input"
            )
        if function is eval or function is exec:
            refuse(TraceError, f"{name}() runs text, and what it does is not seen")
        module = getattr(function, "__module__", None) or ""
        if module == "math" and function not in _INTEGER_MATH:
            own = function.__name__
            hint = f"np.{own}" if hasattr(np, own) else _MATH.get(own, "the NumPy function")
            refuse(ExactnessError, f"{name} returns a float; {hint} stays exact")
        try:
            result = function(*args, **kwargs)
        except (TraceError, ExactnessError) as error:
            message = str(error).removeprefix(f"{user_line()}: ")
            if message == str(error) or name in message or not _holds_tracers(args, kwargs):
                raise
            refusals = REFUSALS.get() or []
            if error in refusals:
                refusals.remove(error)  # it is said again, with the call's name
            refuse(type(error), f"{name}(): {message}{remedy(function)}")
        is_numpy = isinstance(function, np.ufunc) or module.partition(".")[0] == "numpy"
        if is_numpy and not isinstance(function, type) and _holds_floats(result):
            not_understood(function)
        return result

    def _numpy(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if function not in CONSTRUCTORS and not _holds_tracers(args, kwargs):
            numbers = MAKES_FLOATS.get(function)
            if numbers is None or not args[numbers]:
                return function(*args, **kwargs)
            lifted = [lift(a, self.recorder) for a in args[numbers]]
            args = (*args[: numbers.start], *lifted, *args[numbers.stop :])
        return call_numpy(function, args, kwargs)

    def _static_method(self, method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A method of an array of integers or booleans, which stays exact."""
        name, array = method.__name__, method.__self__
        if name == "astype" and args and is_float64(args[0]) and array.dtype.kind in "biu":
            return array.astype(int)
        if name in _FLOAT_METHODS:
            return METHODS[name](lift(array, self.recorder), *args, **kwargs)
        return method(*args, **kwargs)

    def _scope(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], name: str = ""
    ) -> Any:
        recorder = self.recorder
        if len(recorder.scopes) >= MAX_SCOPES:
            refuse(TraceError, f"{function.__name__} calls itself more than {MAX_SCOPES} deep")
        inside = self.rewritten(function)
        is_inlined = getattr(function, "__symattn_inlined__", False)
        self.inlined.append(is_inlined)
        if not is_inlined:
            name = name or scope_name(function)
            outer = ".".join(recorder.scopes)
            count = recorder.counts.get((outer, name), 0)
            recorder.counts[outer, name] = count + 1
            recorder.scopes.append(f"{name}[{count}]")
        try:
            self._name_parts(function, args, kwargs)
            return inside(*args, **kwargs)
        except TypeError:
            _check_call(function, args, kwargs)
            raise
        finally:
            self.inlined.pop()
            if not is_inlined:
                recorder.scopes.pop()

    def _name_parts(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A matrix of a stack that was given is called by the parameter it is passed as."""
        nodes = self.recorder.nodes
        for name, value in {**dict(zip(function.__code__.co_varnames, args, strict=False)),
                            **kwargs}.items():  # fmt: skip
            if not isinstance(value, Tracer) or nodes[value.node].op != "gather":
                continue
            part = part_of_input(nodes, value.node)
            if part is None or any(s.node == value.node for s in self.recorder.steps):
                continue
            stack = next(s for s in self.recorder.steps if s.node == part[0])
            source = f"{stack.address}[{', '.join(map(str, part[1]))}]"
            address = self._fresh(".".join([*self.recorder.scopes, name]))
            self.recorder.steps.append(
                NamedNode(address, value.node, source, {stack.address: stack.node}, part=True)
            )

    def name(self, target: str, value: Any, source: str, local: dict[str, Any]) -> Any:
        """Name the value that a line assigns; returns it unchanged."""
        if target == RETURN and self.inlined and self.inlined[-1]:
            return value  # what it is called is its caller's to say
        parts = parts_of(value) if target == RETURN else {}
        if recorder_of(parts.values()) is not None:
            sources = part_sources(source, value)
            for (place, part), own in zip(parts.items(), sources, strict=True):
                self._name_one(place, part, own, local)
        return self._name_one(target, value, source, local)

    def _name_one(self, target: str, value: Any, source: str, local: dict[str, Any]) -> Any:
        if not isinstance(value, Tracer):
            return value
        recorder = self.recorder
        returned = target.partition(".")[0] == RETURN
        if returned and any(s.node == value.node for s in recorder.steps):
            return value  # returned under the name it has
        address = self._fresh(".".join([*recorder.scopes, target]))
        where = user_line()
        if recorder.nodes[value.node].op == "softmax":
            for offset, part in ((2, "exp"), (1, "sum")):
                recorder.steps.append(
                    NamedNode(f"{address}.{part}", value.node - offset, inside=address, where=where)
                )
        bindings = {k: self._binding(v) for k, v in local.items()}
        recorder.steps.append(NamedNode(address, value.node, source, bindings, where=where))
        return value

    def _fresh(self, address: str) -> str:
        """The address, with ``~1``, ``~2``, … when the name was bound before."""
        taken = {s.address for s in self.recorder.steps}
        candidate, n = address, 0
        while candidate in taken:
            n += 1
            candidate = f"{address}~{n}"
        return candidate

    def _binding(self, value: Any) -> Binding:
        """The node of a tracer, those of a list of them, the text of a static value, or nothing."""
        if isinstance(value, Tracer):
            return value.node
        if isinstance(value, tuple | list) and all(isinstance(x, Tracer) for x in value):
            return tuple(x.node for x in value)
        if isinstance(value, tuple | list | int | np.integer) and recorder_of([value]) is None:
            return str(value)
        return ""


def part_sources(source: str, value: Any) -> list[str]:
    """The source of each part of what a line returns, as far as the line shows it apart."""
    tree = ast.parse(source, mode="eval").body
    found: list[ast.expr] = []
    if isinstance(tree, ast.Tuple | ast.List):
        found = tree.elts
    elif isinstance(tree, ast.Dict) and None not in tree.keys:
        found = tree.values
    elif isinstance(tree, ast.Call) and _makes(tree, value):
        named = {k.arg: k.value for k in tree.keywords}
        rest = value._fields[len(tree.args) :]
        found = [*tree.args, *(named[name] for name in rest if name in named)]
    places = parts_of(value)
    if len(found) == len(places) and not any(isinstance(e, ast.Starred) for e in found):
        return [ast.unparse(e) for e in found]
    keys = value if isinstance(value, dict) else range(len(places))
    parts = [ast.Subscript(tree, ast.Constant(key), ast.Load()) for key in keys]
    return [ast.unparse(part) for part in parts]


def _makes(call: ast.Call, value: Any) -> bool:
    """Whether a call is the one that makes this named tuple, of its fields."""
    name = ast.unparse(call.func).rpartition(".")[2]
    return hasattr(value, "_fields") and name == type(value).__name__


def _holds_tracers(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    return recorder_of([*args, *kwargs.values()]) is not None


def _holds_floats(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc"


def _lookup(table: Mapping[Any, Any], function: Any) -> Any:
    try:
        return table.get(function)
    except TypeError:  # an unhashable callable
        return None


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | np.integer | np.ndarray | Tracer)
    return number and not isinstance(value, bool)
