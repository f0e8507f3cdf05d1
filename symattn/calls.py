"""What a traced function calls: whether its source is traced, its name, and what it changes."""

from __future__ import annotations

import functools
import operator
import os
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symattn.tracer import Tracer

_LIBRARY = os.path.dirname(os.__file__) + os.sep
_method_that_calls = operator.attrgetter("__call__")


def is_traced(function: Any) -> bool:
    """Whether it was made by def, and is no part of NumPy or of Python's own library."""
    if not isinstance(function, types.FunctionType):
        return False
    file = function.__code__.co_filename
    ours = file.startswith(_LIBRARY) and "site-packages" not in file
    return not ours and not _is_numpys(function.__module__)


def called_by(thing: Any) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """The function that a call of something runs, and the object it is a method of; else None.

    >>> class Scaled:
    ...     def __call__(self, x): ...
    >>> called_by(Scaled())[0].__qualname__
    'Scaled.__call__'
    """
    if is_traced(thing):
        return thing, ()
    if isinstance(thing, types.MethodType):
        owner = thing.__self__
        known = isinstance(owner, Tracer) or _is_numpys(type(owner).__module__)
        return None if known or not is_traced(thing.__func__) else (thing.__func__, (owner,))
    call = _method_that_calls(type(thing))
    return (call, (thing,)) if is_traced(call) else None


def written(thing: Any) -> str:
    """What is called, as people write it.

    >>> written(max), written(np.linalg.inv), written(os.path.join)
    ('max', 'np.linalg.inv', 'posixpath.join')
    """
    named = thing if isinstance(thing, type) or hasattr(thing, "__qualname__") else type(thing)
    module = getattr(named, "__module__", None) or "builtins"
    if _is_numpys(module):
        # NumPy 2.0 says its inner module of random numbers.
        inner = [room for room in module.split(".")[1:] if room != "mtrand"]
        rooms = ["np", *(room for room in inner if not room.startswith("_"))]
    else:
        rooms = [] if module in ("builtins", "__main__") else [module]
    return ".".join([*rooms, named.__name__])


def draws(function: Any) -> bool:
    """Whether it is one of NumPy's functions or generators of random numbers."""
    owner = type(getattr(function, "__self__", None)).__module__
    return any(
        m.startswith("numpy.random") for m in (owner, getattr(function, "__module__", "") or "")
    )


class InPlace:
    """A list, or anything else that is no array, of which ``x += y`` changes itself."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _changes(name: str) -> Callable[[InPlace, Any], Any]:
    change = getattr(operator, f"__i{name}__")
    return lambda self, other: change(self.value, other)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul",
              "and", "or", "xor", "lshift", "rshift"):  # fmt: skip
    setattr(InPlace, f"__{_name}__", _changes(_name))


def shares(held: Any, x: Any) -> bool:
    """Whether what a name holds, lists and dicts too, has the memory of an array."""
    if isinstance(held, list | tuple):
        return any(shares(part, x) for part in held)
    if isinstance(held, dict):
        return any(shares(part, x) for part in held.values())
    if isinstance(held, Tracer) and isinstance(x, Tracer):
        return held.storage is x.storage
    arrays = isinstance(held, np.ndarray) and isinstance(x, np.ndarray)
    return arrays and np.may_share_memory(held, x)


def _is_numpys(module: str | None) -> bool:
    return (module or "").partition(".")[0] == "numpy"


def _kind(x: Tracer) -> type:
    """What NumPy would have in its place."""
    return np.ndarray if x.shape else np.float64


def _attribute(x: Tracer, name: str, *default: Any) -> Any:
    return getattr(x, name) if hasattr(_kind(x), name) or not default else default[0]


#: What asks for no value, and is answered as of an array of NumPy's.
ABOUT_ARRAYS: Mapping[Any, Callable[..., Any]] = {
    isinstance: lambda x, kinds: issubclass(_kind(x), kinds),
    type: _kind,
    hasattr: lambda x, name: hasattr(_kind(x), name),
    getattr: _attribute,
}

#: What calls the function that is its first argument.
CALLS_ANOTHER: Mapping[Any, bool] = dict.fromkeys([map, filter, functools.reduce], True)

#: What `functools.cache` makes of a function, which is its `__wrapped__`.
CACHED = type(functools.cache(lambda: None))
