"""The matrices of a spec: rows of numbers, or a word for them, with sizes that fit each other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from symattn.attention import split_heads
from symattn.errors import ShapeError
from symattn.graph import Array
from symattn.literals import exact_array
from symattn.models import MAX_ENTRIES, Model
from symattn.spec_table import Table, plain, shown
from symattn.symbols import names_like

#: What may stand for a matrix, and the value of its entries beside a diagonal.
WORDS = ("identity", "ones", "zeros")
#: What the entries along an axis are called.
_NOUNS = {"h": "heads", "h_kv": "heads", "N": "layers", "N_dec": "layers"}


class Sizes:
    """The sizes of axes, each with the key that said it first."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.known: dict[str, int] = {}
        self.said_by: dict[str, str] = {}

    def say(self, axis: str, size: int, by: str) -> None:
        self.known[axis], self.said_by[axis] = size, by

    def of(self, axis: str) -> int | None:
        """The size of an axis, also of a product: ``h*d_v``."""
        sizes = [self.known.get(part) for part in axis.split("*")]
        return prod(s for s in sizes if s is not None) if None not in sizes else None

    def fit(self, name: str, axes: tuple[str, ...], shape: tuple[int, ...]) -> None:
        """Check a matrix against the sizes that are known; what it tells is known from then on."""
        where = f"matrices.{name}"
        for place, (axis, size) in enumerate(zip(axes, shape, strict=True)):
            known = self.of(axis)
            if known is None and "*" not in axis:
                self.say(axis, size, name)
            elif known is not None and size != known:
                self.table.fail(where, self._message(axes, place, known, size))

    def _message(self, axes: tuple[str, ...], place: int, known: int, size: int) -> str:
        axis = axes[place]
        noun = _noun(axes, place)
        if axis == "|V|":
            return (
                f"wanted a {noun[:-1]} for each of the {known} words of the vocabulary, got {size}"
            )
        if axis in ("n", "n_out"):
            return f"wanted a {noun[:-1]} for each of the {known} tokens, got {size}"
        by = self.said_by.get(axis, "")
        said = f", as in {by}" if by and axis != "d_model" else ""
        return f"wanted {axis} = {known} {noun}{said}, got {size}"


def _noun(axes: tuple[str, ...], place: int) -> str:
    if axes[place] in _NOUNS:
        return _NOUNS[axes[place]]
    if len(axes) == 1:
        return "entries"
    return {1: "columns", 2: "rows"}.get(len(axes) - place, "matrices")


class Matrices:
    """The table ``[matrices]`` for one model."""

    def __init__(self, table: Table, model: Model, sizes: Sizes) -> None:
        self.table = table
        self.model = model
        self.sizes = sizes

    def read(self) -> dict[str, Array]:
        table, wanted = self.table, self.model.matrices
        given = table.table.get("matrices")
        names = ", ".join(self.model.required)
        if not isinstance(given, dict):
            table.fail("matrices", f"missing; wanted a table with {names}")
        table.known_keys(given, tuple(wanted), "matrices")
        for name in self.model.required:
            if name not in given:
                table.fail(f"matrices.{name}", f"missing; {self.model.name} takes {names}")
        found: dict[str, Array] = {}
        for name, axes in wanted.items():
            value = given.get(name)
            if isinstance(value, dict):
                found[name] = self.unknown(name, value, len(axes))
                self.sizes.fit(name, axes, found[name].shape)
            elif value is not None and not isinstance(value, str):
                found[name] = self.matrix(name, axes, value)
                self.sizes.fit(name, axes, found[name].shape)
        # Words are read last: the written matrices tell their sizes. Heads are not grouped
        # unless something says so.
        if "h" in self.sizes.known and "h_kv" not in self.sizes.known:
            self.sizes.say("h_kv", self.sizes.known["h"], self.sizes.said_by["h"])
        for name, axes in wanted.items():
            if isinstance(given.get(name), str):
                found[name] = self.of_word(name, axes, given[name])
                self.sizes.fit(name, axes, found[name].shape)
        return {name: found[name] for name in wanted if name in found}

    def matrix(self, name: str, axes: tuple[str, ...], value: Any) -> Array:
        where = f"matrices.{name}"
        heads = next((axis for axis in ("h", "h_kv") if axis in axes), None)
        is_flat = heads is not None and _depth(value) == len(axes) - 1 and name[0] in "Wb"
        if is_flat and heads not in self.sizes.known:
            self.table.fail(
                where,
                f"wanted one {'matrix' if name[0] == 'W' else 'row'} a head, {' × '.join(axes)}; "
                f"side by side they want {heads} = the number of heads",
            )
        self._even(where, value, len(axes) - is_flat)
        return self._by_head(where, axes, self.table.exact(value, where))

    def _by_head(self, where: str, axes: tuple[str, ...], array: Array) -> Array:
        """Heads side by side, cut into one matrix each; anything else as it is."""
        if array.ndim == len(axes):
            return array
        h = self.sizes.known["h" if "h" in axes else "h_kv"]
        layers = array if axes[0] in ("N", "N_dec") else [array]
        try:
            cut = [split_heads(W, h) for W in layers]
        except ShapeError as error:
            self.table.fail(where, str(error))
        return np.array(cut) if layers is array else cut[0]

    def radii(self, matrices: Mapping[str, Array]) -> dict[str, Array]:
        """With ``inputs = "printed"``, half a unit in the last place of every decimal."""
        if self.table.choice("inputs", ["exact", "printed"], default="exact") == "exact":
            return {}
        if self.table.table.get("symbolic"):
            self.table.fail("symbolic", 'symbols are exact; wanted inputs = "exact" beside them')
        found = {}
        for name, array in matrices.items():
            value = self.table.table["matrices"][name]
            half = np.full(array.shape, Fraction(0), dtype=object)
            if isinstance(value, list):
                printed = np.array(_mapped(value), dtype=object)
                half = self._by_head(f"matrices.{name}", self.model.matrices[name], printed)
            found[name] = half
        return found

    def _even(self, where: str, value: Any, depth: int) -> None:
        """Refuse what is no list of lists, so deep, of equal lengths."""
        if not isinstance(value, list) or not value:
            wanted = {1: "[0, 1]", 2: '[["0.2", "1"], …]', 3: "[[[0, 1], …], …]"}.get(
                depth, "[[[[0, …"
            )
            words = " or ".join(f'"{w}"' for w in WORDS)
            self.table.fail(where, f"wanted rows such as {wanted}, or {words}, got {shown(value)}")
        level = [(where, value)]
        for below in range(depth - 1):
            inner = []
            first = level[0][1][0]
            for place, rows in level:
                for i, row in enumerate(rows):
                    at = f"{place}[{i}]"
                    if not isinstance(row, list) or not row:
                        example = (
                            "a row such as [0, 1]" if below == depth - 2 else "rows of numbers"
                        )
                        self.table.fail(at, f"wanted {example}, got {shown(row)}")
                    if len(row) != len(first):
                        self.table.fail(
                            at, f"wanted {len(first)} entries as in row 0, got {len(row)}"
                        )
                    inner.append((at, row))
            level = inner
        self._check_entries(sum(len(row) for _, row in level), where)

    def _check_entries(self, n: int, where: str) -> None:
        if n > MAX_ENTRIES:
            self.table.fail(where, f"wanted at most {MAX_ENTRIES:,} entries")

    def unknown(self, name: str, value: Mapping[str, Any], rank: int) -> Array:
        """A matrix of symbols that no numbers are known for: ``{shape = [2, 3]}``."""
        where = f"matrices.{name}"
        self.table.known_keys(value, ("shape",), where)
        shape = value.get("shape")
        whole = isinstance(shape, list) and all(type(n) is int and n > 0 for n in shape)
        if not whole or not isinstance(shape, list) or len(shape) != rank:
            example = ", ".join(["2", "3", "2", "3"][:rank])
            self.table.fail(
                where, f"wanted {{shape = [{example}]}} for symbols, got {shown(value)}"
            )
        self._check_entries(prod(shape), where)
        return names_like(name, tuple(shape))

    def of_word(self, name: str, axes: tuple[str, ...], word: str) -> Array:
        where = f"matrices.{name}"
        if word not in WORDS:
            words = " or ".join(f'"{w}"' for w in WORDS)
            self.table.fail(where, f"wanted rows of numbers, or {words}, got {word!r}")
        if word == "identity":
            self._square(where, axes)
        sizes = [self.sizes.of(axis) for axis in axes]
        if None in sizes:
            axis = axes[sizes.index(None)]
            self.table.fail(where, f'"{word}" needs a size, {axis}: write the matrix out')
        shape = tuple(size for size in sizes if size is not None)
        self._check_entries(prod(shape), where)
        if word == "identity":
            return exact_array(np.broadcast_to(np.eye(shape[-1], dtype=int), shape), where)
        return exact_array(np.full(shape, int(word == "ones")), where)

    def _square(self, where: str, axes: tuple[str, ...]) -> None:
        """An identity is square; a size that nothing else tells is that of its other side."""
        if len(axes) < 2:
            self.table.fail(where, '"identity" is a matrix, and this is a row: wanted "ones"')
        rows, columns = self.sizes.of(axes[-2]), self.sizes.of(axes[-1])
        if columns is None and rows is not None and "*" not in axes[-1]:
            self.sizes.say(axes[-1], rows, where.partition(".")[2])
        elif rows != columns:
            self.table.fail(
                where,
                f'"identity" is square, and {axes[-2]} × {axes[-1]} is {rows or "?"} × '
                f"{columns or '?'}: write the matrix out",
            )


def _mapped(value: Any) -> Any:
    return [_mapped(v) for v in value] if isinstance(value, list) else _half_unit(value)


def _depth(value: Any) -> int:
    return 1 + _depth(value[0]) if isinstance(value, list) and value else 0


def _half_unit(printed: Any) -> Fraction:
    """0.47 is 0.465 to 0.475; integers, fractions and expressions are exact."""
    text = str(plain(printed)).strip()
    match = re.fullmatch(r"[-+−]?[0-9]*\.([0-9]*)(?:[eE]([-+]?[0-9]+))?", text)
    if match is None or isinstance(printed, int):
        return Fraction(0)
    places = len(match[1]) - int(match[2] or 0)
    return Fraction(1, 2) / Fraction(10) ** places
