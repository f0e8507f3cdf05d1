"""What the page's script reads: where each entry comes from, its digits, its floats.

A compact JSON object: `result`, the number of the step that the model returns, `mark`, the decimal
mark where it is no point, and `steps`, by their numbers:

    n  its short name            s  its shape
    u  1 if it is called by row sums' names, ℓ_i
    i  1 if it is the inside of a softmax
    f  of each entry the expression that it is: [key, place] is a cell, a string a number,
       and ["op", …] an operation; null for what was given, [] for the whole
    d  of each entry what tells its decimals; see `symattn.leading`
    x  by float type, of each entry the float and its distance in ulps ("" where there is none)
    p  by place, what brackets its exact value needs: 0 a sum, 1 a product, 2 a sign
    w  by place, the cells that its exact value names
    l  places whose exact value is too long to be put in for a name
    v  by place, what was printed for it: [printed, correct, verdict]

Exact values are not in it: they stand on the page, once, and the script copies them from there.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np

from symattn.derivation import Derivation
from symattn.distances import distances
from symattn.entries import mentions
from symattn.expression import Cell, Expression, expand, precedence
from symattn.layout import is_long
from symattn.leading import leading
from symattn.literals import Infinity, Name
from symattn.steps import Step
from symattn.writers.html.cells import Marks
from symattn.writers.html.keys import Keys

FLOATS = ("float64", "float32")
_OPS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "power": "^"}

#: The outermost operation of a text that stands for itself: a number, a name, a fraction.
ATOM = 4


def embedded(data: Any) -> str:
    """JSON that no text in it can end the script element of."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def collected(keys: Keys, marks: Marks) -> dict[str, Any]:
    """The data of every step that the page shows, and of those that these come from."""
    done: dict[int, dict[str, Any]] = {}
    while waiting := {k: s for k, s in keys.steps.items() if k not in done}:
        for key, step in waiting.items():
            done[key] = _step(step, keys, marks)
    _add_floats(keys, done)
    found = {"steps": {str(key): done[key] for key in sorted(done)}, "result": keys.result}
    signs = {step.derivation.display.decimal_mark for step in keys.steps.values()} - {"."}
    return found | ({"mark": signs.pop()} if signs else {})


def _step(step: Step, keys: Keys, marks: Marks) -> dict[str, Any]:
    indices = list(np.ndindex(step.shape))
    found: dict[str, Any] = {"n": step.short, "s": list(step.shape)}
    if step.inside:
        found |= {"i": 1, "u": int(step.name.endswith(".sum"))}
    if not step.given:
        graph = step.derivation.graph
        found["f"] = [_tree(expand(graph, step.node, index), step, keys) for index in indices]
    found["d"] = leading(step)
    texts = [step.text_at(index, "latex") for index in indices]
    levels = {i: precedence(text) for i, text in enumerate(texts)}
    found["p"] = {i: level for i, level in levels.items() if level < ATOM}
    found["l"] = [i for i, text in enumerate(texts) if is_long(text, "latex")]
    found["w"] = _named(step, texts, keys)
    found["v"] = {
        i: [judged.printed, judged.correct, judged.verdict]
        for i, index in enumerate(indices)
        if (judged := marks.claims.get((step.address, index))) is not None
    }
    return {name: value for name, value in found.items() if value or name in "ns"}


def _tree(e: Expression, step: Step, keys: Keys) -> Any:
    if isinstance(e, Cell):
        return list(keys.cell(step, e))
    if isinstance(e, Fraction):
        return str(e)
    if isinstance(e, Infinity):
        return str(e)
    if isinstance(e, Name):
        return ["name", e.name]
    return [_OPS.get(e.op, e.op), *(_tree(a, step, keys) for a in e.args)]


def _named(step: Step, texts: list[str], keys: Keys) -> dict[int, list[tuple[int, int]]]:
    """By place, the cells that an exact value names."""
    indices = list(np.ndindex(step.shape))
    known = step.named(indices, "latex")
    out: dict[int, list[tuple[int, int]]] = {}
    for i, text in enumerate(texts):
        cells = [keys.cell(step, c) for c, (name, _) in known.items() if mentions(text, name)]
        if cells:
            out[i] = cells
    return out


def _add_floats(keys: Keys, done: dict[int, dict[str, Any]]) -> None:
    for derivation, found in _by_derivation(keys).items():
        if any(step.has_symbols for step in derivation.steps):
            continue
        steps = [step for _, step in found]
        for (key, _), by_kind in zip(found, distances(steps, FLOATS), strict=True):
            done[key]["x"] = {
                kind: [
                    [_float(value), _ulps(ulps, absolute)]
                    for value, ulps, absolute in zip(
                        d.values.flat, d.ulps.flat, d.absolute.flat, strict=True
                    )
                ]
                for kind, d in by_kind.items()
            }


def _by_derivation(keys: Keys) -> dict[Derivation, list[tuple[int, Step]]]:
    out: dict[Derivation, list[tuple[int, Step]]] = {}
    for key, step in keys.steps.items():
        out.setdefault(step.derivation, []).append((key, step))
    return out


def _float(value: Any) -> str:
    """The shortest decimal that is read back as this float."""
    return str(value)


def _ulps(ulps: float, absolute: float) -> str:
    """The distance in ulps, or where there are none, as it is."""
    if absolute == 0:
        return "0"
    if math.isfinite(ulps):
        return f"{ulps:.2g}"
    return f"={absolute:.2g}" if math.isfinite(absolute) else ""
