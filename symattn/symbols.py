"""Symbols: matrices of them, which ones an array contains, and values put in their place.

A symbol is real and finite. Those of a matrix are called by their place in it,
``W_Q[0,1]``, as an entry of a step is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from symattn.errors import AddressError, LiteralError, ShapeError, SymattnError, nearest
from symattn.graph import Array, split_address
from symattn.literals import Apply, Exact, Infinity, Name, as_name, exact, folded


def symbols_like(name: str, shape: Any) -> Array:
    """An array of SymPy symbols, for `derive` and `with_`: each called by its place.

    Args:
        name: of the matrix: a letter, then letters, digits and _.
        shape: as NumPy takes it, or anything that has one (a step, an array).

    Raises:
        LiteralError: what is no name.
        ShapeError: what is no shape, or has nothing in it.

    >>> symbols_like("W_Q", (2, 2))
    array([[W_Q[0,0], W_Q[0,1]],
           [W_Q[1,0], W_Q[1,1]]], dtype=object)
    """
    from symattn.numbers.symbolic import number

    made = np.frompyfunc(number, 1, 1)(names_like(name, _shape(name, shape)))
    return np.asarray(made, dtype=object)


def names_like(name: str, shape: tuple[int, ...]) -> Array:
    """The same as the neutral names that inputs are made of."""
    if not re.fullmatch(r"[^\W\d]\w*", name):
        raise LiteralError(f"wanted the name of a matrix such as W_Q, got {name!r}")
    out = np.empty(shape, dtype=object)
    for index in np.ndindex(shape):
        out[index] = Name(f"{name}[{','.join(map(str, index))}]" if index else as_name(name).name)
    return out


def _shape(name: str, wanted: Any) -> tuple[int, ...]:
    given = getattr(wanted, "shape", wanted)
    sizes = given if isinstance(given, tuple | list) else (given,)
    if not all(
        isinstance(n, int | np.integer) and not isinstance(n, bool) and n > 0 for n in sizes
    ):
        raise ShapeError(f"{name}: wanted a shape such as (2, 3), got {wanted!r}")
    return tuple(map(int, sizes))


def with_symbols(
    matrices: Mapping[str, Array], addresses: Iterable[str]
) -> tuple[dict[str, Array], dict[str, Exact]]:
    """Matrices with symbols at some addresses, and the numbers that they stand for.

    Args:
        addresses: whole matrices, ``W_Q``, or cells, ``W_Q[0,1]`` and ``E[:,0]``.

    Raises:
        AddressError: no such matrix or cell.
        LiteralError: an infinity; a symbol is finite.
    """
    found, numbers = dict(matrices), dict[str, Exact]()
    for address in addresses:
        name, cell = split_address(address)
        if name not in matrices:
            known = ", ".join(matrices)
            raise AddressError(f"no matrix {name!r}{nearest(name, matrices)}; known are {known}")
        given = matrices[name]
        chosen = np.zeros(given.shape, dtype=bool)
        try:
            chosen[cell or ()] = True
        except IndexError:
            raise AddressError(f"no entry {address}; {name} has shape {given.shape}") from None
        for index in map(tuple, np.argwhere(chosen).tolist()):
            if isinstance(given[index], Infinity):
                raise LiteralError(f"{address}: a symbol is finite, got {given[index]}")
        symbols = names_like(name, given.shape)
        found[name] = np.where(chosen, symbols, found[name])
        own = {s.name: x for s, x in zip(symbols[chosen], given[chosen], strict=True) if s != x}
        numbers |= own
    return found, numbers


def symbols_in(values: Sequence[Exact]) -> tuple[str, ...]:
    """The names of the symbols in exact numbers, in the order in which they stand there."""
    found: dict[str, None] = {}
    if not {Name, Apply} & set(map(type, values)):
        return ()  # most arrays, at a glance
    for value in values:
        if isinstance(value, Name):
            found[value.name] = None
        elif isinstance(value, Apply):
            found.update(dict.fromkeys(symbols_in(value.args)))
    return tuple(found)


def substituted(array: Array, values: Mapping[str, Exact], where: str) -> Array:
    """The array with numbers, or other symbols, in place of symbols; all at once.

    It is the same array where none of them stands in it.

    Args:
        where: the name of the array, for messages.
    """
    if not any(name in values for name in symbols_in(array.ravel().tolist())):
        return array
    out = np.empty(array.shape, dtype=object)
    for index in np.ndindex(array.shape):
        try:
            out[index] = _substituted(cast("Exact", array[index]), values)
        except SymattnError as error:
            raise type(error)(f"{where}[{','.join(map(str, index))}]: {error}") from None
    return out


def _substituted(value: Exact, values: Mapping[str, Exact]) -> Exact:
    if isinstance(value, Name):
        return values.get(value.name, value)
    if isinstance(value, Apply):
        return folded(value.op, *(_substituted(a, values) for a in value.args))
    return value


def values_of(
    changes: Mapping[Any, Any], known: tuple[str, ...], array: Callable[[Any, str], Array]
) -> dict[str, Exact]:
    """Values by symbol: ``{"a": 1}``, or ``{"W_Q": matrix}`` for every ``W_Q[i,j]``.

    Args:
        known: the symbols there are.
        array: takes a value in exactly; the second argument says where it stands.

    Raises:
        AddressError: a symbol that does not occur.
        LiteralError: infinity in place of one.
        ShapeError: an array for a single symbol, or one without a place for a symbol.
    """
    found: dict[str, Exact] = {}
    for key, value in changes.items():
        symbol = as_name(key) if isinstance(key, str) else exact(key)
        if not isinstance(symbol, Name):
            raise LiteralError(f"wanted a symbol, or its name such as a or W_Q[0,1], got {key!r}")
        name = symbol.name
        given = array(value, name)
        cells = [s for s in known if s.startswith(f"{name}[")]
        if name in known:
            if given.ndim:
                raise ShapeError(f"{name}: wanted one number, got an array of shape {given.shape}")
            found[name] = cast("Exact", given[()])
        elif cells:
            found.update({s: _at(given, s) for s in cells})
        else:
            raise AddressError(f"no symbol {name!r}{nearest(name, known)}; {there_are(known)}")
    for name, value in found.items():
        if isinstance(value, Infinity):
            raise LiteralError(f"{name}: a symbol is finite, got {value}")
    return found


def _at(array: Array, symbol: str) -> Exact:
    stem, _, cell = symbol.partition("[")
    index = tuple(map(int, cell[:-1].split(",")))
    try:
        if array.ndim != len(index):
            raise IndexError
        found = cast("Exact", array[index])
    except IndexError:
        raise ShapeError(
            f"{stem}: wanted an array with an entry {symbol}, got one of shape {array.shape}"
        ) from None
    return found


def listed(names: tuple[str, ...], shown: int = 4) -> str:
    """A few of the names, for a message: ``a, b, c, d and 3 more``."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def there_are(known: tuple[str, ...]) -> str:
    """Which symbols there are, for a message."""
    return f"the free symbols are {listed(known)}" if known else "there are no free symbols"
