"""Steps and entries as JSON."""

from __future__ import annotations

from typing import Any


def any_json(found: Any) -> Any:
    """A step, an entry, or nested lists of them."""
    from symattn.entries import Entry

    if isinstance(found, list):
        return [any_json(part) for part in found]
    return entry_json(found) if isinstance(found, Entry) else step_json(found)


def step_json(step: Any) -> dict[str, Any]:
    """What a step is, in every form."""
    return {
        "address": step.address,
        "symbol": step.symbol,
        "shape": list(step.shape),
        "source": step.source,
        "formula": step.formula,
        "substitution": step.substitution,
        "exact": step.full_texts("text").tolist(),
        "latex": step.texts("latex").tolist(),
        "where": dict(step.where("latex")),
        "decimals": None if step.has_symbols else step.shown().tolist(),
        "labels": [list(axis) if axis else None for axis in step.axes],
    }


def entry_json(entry: Any) -> dict[str, Any]:
    """What an entry is, in every form."""
    from symattn.numbers.texts import full

    return {
        "address": entry.address,
        "labels": list(entry.labels),
        "formula": entry.formula(),
        "substitution": entry.substitution(),
        "exact": full(entry.form, entry.step.derivation.expansion("text")),
        "size": entry.size,
        "latex": entry.latex(),
        "decimal": None if entry.has_symbols else entry.step.shown_at(entry.index),
    }
