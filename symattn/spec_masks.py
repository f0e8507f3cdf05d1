"""The masks of a spec: a word, rows of booleans or numbers, or the pattern they follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from symattn import functions
from symattn.errors import OptionError
from symattn.graph import Array
from symattn.literals import POSITIVE_INFINITY, Infinity, exact_array
from symattn.models import MAX_ENTRIES
from symattn.spec_table import Table, shown

PATTERNS = ("keep", "drop", "add", "prefix", "padding", "window")


def read_mask(
    table: Table, key: str, n_q: int, n_k: int, *, hides_rows: bool = False
) -> Array | None:
    """The additive mask that a key says, n_q × n_k; None where it hides nothing.

    Args:
        hides_rows: whether a row that sees nothing is wanted (``fully_masked = "zero"``).

    Raises:
        SpecError: what is no mask, with the key and the row.
    """
    value = table.table.get(key, "none")
    if value == "none":
        return None
    if n_q * n_k > MAX_ENTRIES:
        table.fail(key, f"wanted at most {MAX_ENTRIES:,} entries, got {n_q} × {n_k}")
    if value == "causal":
        return exact_array(functions.causal_mask(n_q, n_k), key)
    wanted = 'wanted "none", "causal", {keep = …}, {drop = …}, {add = …}, {prefix = 2}, '
    if not isinstance(value, dict) or len(value) != 1:
        table.fail(key, f"{wanted}{{padding = 3}} or {{window = 2}}, got {shown(value)}")
    table.known_keys(value, PATTERNS, key)
    kind, given = next(iter(value.items()))
    where = f"{key}.{kind}"
    if kind in ("prefix", "padding", "window"):
        M = exact_array(_pattern(table, kind, given, where, n_q, n_k), key)
    else:
        _check_shape(table, given, n_q, n_k, where)
        M = _rows(table, kind, given, where)
    if not hides_rows:
        _check_visible(table, M, where)
    return M


def _pattern(table: Table, kind: str, given: Any, where: str, n_q: int, n_k: int) -> Any:
    try:
        if kind == "window":
            return functions.sliding_window_mask(n_q, n_k, read_window(table, given, where))
        size = table.whole(given, where, 0)
        if kind == "padding":
            return np.broadcast_to(functions.padding_mask(size, n_k), (n_q, n_k))
        if n_q != n_k:
            table.fail(where, f"wanted as many queries as keys, got {n_q} and {n_k}")
        return functions.prefix_mask(n_k, size)
    except OptionError as error:
        table.fail(where, str(error))


def read_window(table: Table, given: Any, where: str) -> int | tuple[int, int]:
    """A window: w keys, or [left, right]."""
    if isinstance(given, list) and len(given) == 2:
        left, right = (table.whole(v, f"{where}[{i}]", 0) for i, v in enumerate(given))
        return left, right
    if isinstance(given, list):
        table.fail(where, f"wanted a number of keys, or [left, right], got {shown(given)}")
    return table.whole(given, where, 1)


def _rows(table: Table, kind: str, rows: list[list[Any]], where: str) -> Array:
    if kind == "add":
        M = table.exact(rows, where)
        if POSITIVE_INFINITY in set(M.flat):
            table.fail(where, "wanted numbers and -oo, got oo")
        return M
    if not all(isinstance(v, bool) for row in rows for v in row):
        table.fail(where, "wanted true and false; numbers are given as {add = …}")
    keep = np.array(rows, dtype=bool) ^ (kind == "drop")
    return exact_array(np.where(keep, 0, -np.inf), where)


def _check_visible(table: Table, M: Array, where: str) -> None:
    """Refuse a row that leaves nothing to see."""
    for i, row in enumerate(M):
        if all(isinstance(entry, Infinity) for entry in row):
            table.fail(where, f"row {i} is masked everywhere; leave at least one key visible to it")


def _check_shape(table: Table, rows: Any, n_q: int, n_k: int, where: str) -> None:
    if not isinstance(rows, list) or len(rows) != n_q:
        table.fail(where, f"wanted {n_q} rows, one a token, got {shown(rows)}")
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != n_k:
            table.fail(f"{where}[{i}]", f"wanted {n_k} entries, got {shown(row)}")
