"""How statements are checked: steps that are equal, symbols that occur, signs, witnesses.

A statement is checked on what the model's own functions give for inputs of symbols, in the
normal form of `symattn.numbers.normal_form`. Equal means identical as functions of the symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from symattn import decide
from symattn.comparison import compare
from symattn.derivation import Derivation, derive
from symattn.entries import Entry
from symattn.errors import SymattnError
from symattn.graph import Array, NamedNode
from symattn.literals import NEGATIVE_INFINITY, Infinity, exact
from symattn.numbers import compact
from symattn.numbers.held import opened
from symattn.numbers.normal_form import ZERO, Monomial, Sum, symbols_of
from symattn.properties.core import Outcome
from symattn.steps import Step
from symattn.symbols import names_like

#: Bits up to which numbers of a witness are told apart.
BITS = 1024

#: Terms of a difference from which counterexamples are looked for before its zero test.
LONG = 64

#: Which small numbers counterexamples are looked for among; see `numbers`.
SHIFTS = (1, 5, 3)


def symbols(name: str, *shape: int) -> Any:
    """An array of symbols, each called by its place, as an input of `derive`."""
    return names_like(name, shape)


def causal(n: int) -> Any:
    """The additive causal mask of n tokens, n × n, as an input."""
    out = np.full((n, n), NEGATIVE_INFINITY, dtype=object)
    out[np.tril_indices(n)] = Fraction(0)
    return out


def returned(function: Callable[..., Any], **inputs: Any) -> Step:
    """What a function returns for these inputs, as a step."""
    return result(derive(function, **inputs))


def result(derivation: Derivation) -> Step:
    """What a derivation's function returns."""
    return Step(derivation, NamedNode("return", derivation.graph.result))


# Equal as functions.


def equal(left: Any, right: Any) -> Outcome:
    """Whether two arrays are equal whatever the symbols stand for, entry by entry.

    Args:
        left, right: steps, entries in (nested) lists or arrays, or numbers; shapes broadcast.
    """
    ways: dict[str, None] = {}
    open_: Outcome | None = None
    ours, theirs = np.broadcast_arrays(_entries(left), _entries(right))
    for index in np.ndindex(ours.shape):
        found = _pair(ours[index], theirs[index])
        if found.verdict == "refuted":
            return found
        if found.verdict == "undecided":
            open_ = open_ or found
        ways[found.method] = None
    return open_ or Outcome("proven", "; ".join(ways))


def _pair(a: Any, b: Any) -> Outcome:
    """Whether two entries are equal as functions."""
    x, y = _form(a), _form(b)
    if x is not None and x == y:
        return Outcome("proven", "identical normal forms")
    difference = x - y if isinstance(x, Sum) and isinstance(y, Sum) else None
    if difference is not None:
        # Two derivations with numbers take less than the zero test of a long sum.
        shown = different(a, b, SHIFTS[:1]) if len(difference) > LONG else None
        if shown is not None:
            return Outcome("refuted", "counterexample", witness=shown)
        known = decide.is_zero(difference)
        if known.verdict == "zero":
            return Outcome("proven", known.why)
    shown = different(a, b, SHIFTS)
    if shown is not None:
        return Outcome("refuted", "counterexample", witness=shown)
    found = compare(a, b, limit=BITS)
    if found.verdict == "equal":
        return Outcome("proven", found.why)
    if found.verdict == "undecided":
        return Outcome("undecided", found.why, witness=_named(a, b))
    return Outcome("refuted", found.why, witness=_named(a, b) + at(found.witness))


def different(a: Any, b: Any, shifts: Sequence[int]) -> str | None:
    """A counterexample: numbers for the symbols at which two entries are proven to differ.

    It is looked for among a few small numbers; None where none was found, or nothing has symbols.
    """
    derivations = [x.step.derivation for x in (a, b) if isinstance(x, Entry)]
    names = list(dict.fromkeys(name for d in derivations for name in d.symbols))
    for shift in shifts if names else ():
        values = numbers(names, shift)
        try:
            left, right = (_substituted(x, values) for x in (a, b))
            found = compare(left, right, limit=BITS)
        except SymattnError:
            continue  # not defined there
        if found.verdict in ("less", "greater", "different"):
            return f"{_value(left, a)} against {_value(right, b)}{at(values)}"
    return None


def numbers(names: Sequence[str], shift: int) -> dict[str, Fraction]:
    """A small number for every symbol, not the same for neighbours; 1, 2 or 3 for one alone."""
    return {
        name: Fraction((3 * k + shift) % 7 - 3 or 2, 2)
        if "[" in name
        else Fraction(1 + (k + shift) % 3)
        for k, name in enumerate(names)
    }


def _substituted(value: Any, values: Mapping[str, Fraction]) -> Any:
    """An entry with numbers in place of symbols; a number as it is."""
    if not isinstance(value, Entry) or not value.step.derivation.symbols:
        return value
    d = value.step.derivation
    d = d.subs({name: values[name] for name in d.symbols})
    return Entry(_same_step(value.step, d), value.index)


def _same_step(step: Step, derivation: Derivation) -> Step:
    """The step at the same node of a derivation with other numbers."""
    if len(derivation.graph.nodes) < len(step.derivation.graph.nodes):
        derivation = derivation.with_nodes(step.derivation.graph.nodes)
    return Step(derivation, NamedNode(step.address, step.node))


def _value(value: Any, before: Any) -> str:
    """``A[0,1] ≈ 0.23``; a number as it is."""
    if not isinstance(value, Entry):
        return str(value)
    form = value.form
    c = form.rational() if isinstance(form, Sum) else None
    shown = f"= {c}" if c is not None else f"≈ {value.step.shown_at(value.index, 3)}"
    return f"{_name(before)} {shown}"


def _entries(value: Any) -> Array:
    if isinstance(value, Step):
        out = np.empty(value.shape, dtype=object)
        for entry in value.entries():
            out[entry.index] = entry
        return out
    if isinstance(value, list | tuple):
        return np.stack([_entries(part) for part in value])
    if isinstance(value, np.ndarray):
        return value
    out = np.empty((), dtype=object)
    out[()] = value
    return out


def _form(value: Any) -> Any:
    """A number or entry in normal form; None where it is known to printed digits only."""
    if isinstance(value, Entry):
        return None if value.step.derivation.radii else value.form
    return value if isinstance(value, Sum) else compact.number(exact(value))


def _named(a: Any, b: Any) -> str:
    """Which entries differ, where they have an address."""
    return " against ".join(_name(x) for x in (a, b))


def _name(value: Any) -> str:
    if not isinstance(value, Entry):
        return str(value)
    stem = value.step.address.replace("return", value.step.derivation.graph.name)
    return f"{stem}[{','.join(map(str, value.index))}]" if value.index else stem


def at(values: Mapping[str, Fraction]) -> str:
    """`` at E = (1, 2; 3, 4), c = 1``: the numbers of symbols, those of a matrix by rows."""
    rows: dict[str, dict[str, list[str]]] = {}
    for name, value in values.items():
        stem, _, cell = name.partition("[")
        rows.setdefault(stem, {}).setdefault(cell.rpartition(",")[0], []).append(str(value))
    shown = []
    for stem, lines in rows.items():
        text = "; ".join(", ".join(line) for line in lines.values())
        alone = stem in values
        shown.append(f"{stem} = {text}" if alone else f"{stem} = ({text})")
    return " at " + ", ".join(shown) if shown else ""


# What occurs, and what matters.


def symbols_by_row(step: Step) -> list[set[str]]:
    """The names of the symbols in each row of a matrix."""
    known: dict[Sum, set[str]] = {}
    return [
        set().union(*(symbols_of(f, known) for f in row if not isinstance(f, Infinity)))
        for row in opened(step.forms)
    ]


def is_of(names: Iterable[str], matrix: str, row: int) -> list[str]:
    """Those of some symbols that stand in a row of a matrix, in their order."""
    return [name for name in names if name.startswith(f"{matrix}[{row},")]


def independent(
    step: Step, matrix: str, hidden: Callable[[int], Iterable[int]], rows: Iterable[int]
) -> Outcome:
    """Whether row i of a step depends on no entry in the rows `hidden(i)` of an input.

    Proven where no symbol of these occurs in its normal form; refuted by two derivations that
    differ in these entries alone, and in the row.
    """
    found: Outcome | None = None
    occurring = symbols_by_row(step)
    for i in rows:
        for j in hidden(i):
            if not is_of(occurring[i], matrix, j):
                continue
            shown = depends(step.derivation, step, i, matrix, j)
            if shown.verdict == "proven":
                return Outcome("refuted", "counterexample", witness=shown.witness)
            found = shown
    if found is not None:
        return Outcome("undecided", "a symbol occurs, and no witness was found")
    return Outcome("proven", "symbols that occur")


def depends(derivation: Derivation, step: Step, i: int, matrix: str, j: int) -> Outcome:
    """Whether row i of a step depends on row j of an input: two derivations that differ.

    All symbols get small numbers; those of the row get two different ones.
    """
    for shift in SHIFTS:
        values = numbers(derivation.symbols, shift)
        turned = {name: -values[name] for name in is_of(values, matrix, j)}
        ours, theirs = (
            _entries(_same_step(step, derivation.subs(given)))[i]
            for given in (values, {**values, **turned})
        )
        for a, b in zip(ours.flat, theirs.flat, strict=True):
            if compare(a, b, limit=BITS).verdict in ("less", "greater", "different"):
                was, is_ = (x.step.shown_at(x.index, 3) for x in (a, b))
                row = ", ".join(map(str, turned.values()))
                return Outcome(
                    "proven",
                    "two exact derivations that differ",
                    witness=f"{_name(a)} ≈ {was}{at(values)}; with {matrix}[{j}] = ({row}) "
                    f"it is {is_}",
                )
    return Outcome("undecided", "no two derivations were found that differ")


# Signs.


def is_positive(x: Sum) -> bool:
    """Whether every term is a positive number times exponentials: e^x > 0."""
    return decide.is_positive(x)


def grows(x: Sum, positive: Sequence[str]) -> bool:
    """Whether x > 0 follows from some symbols being positive, e^a > e^b for a > b.

    Each negative term c·e^b is set against a positive one c·e^a, where a - b is a sum of
    products of these symbols with positive coefficients. What stands under the fraction bar
    has to be positive, and the same in all terms.
    """
    rests = {powers for _, _, powers in x.terms}
    if len(rests) != 1 or not x.terms:
        return False
    (powers,) = rests
    for kernel, _ in powers:
        fine = kernel.kind == "sum" and is_positive(kernel.arguments[0])
        if not fine and not (kernel.kind == "symbol" and kernel.arguments[0] in positive):
            return False
    above = [(e, c) for (_, e, _), c in x.terms.items() if c > 0]
    for (_, low, _), c in x.terms.items():
        if c > 0:
            continue
        for k, (high, size) in enumerate(above):
            if size == -c and _is_above(high, low, positive):
                del above[k]
                break
        else:
            return False
    return True


def _is_above(high: Sum | None, low: Sum | None, positive: Sequence[str]) -> bool:
    gap = (ZERO if high is None else high) - (ZERO if low is None else low)
    return bool(gap.terms) and all(c > 0 and _of(m, positive) for m, c in gap.terms.items())


def _of(monomial: Monomial, positive: Sequence[str]) -> bool:
    """Whether a monomial is a product of powers of these symbols, and of a square root."""
    _, exponent, powers = monomial
    return exponent is None and all(
        k.kind == "symbol" and k.arguments[0] in positive for k, _ in powers
    )


# Several checks in one.


def every(outcomes: Iterable[Outcome], *, sizes: str = "", witness: str = "") -> Outcome:
    """All of them proven, or the first that is not; their methods side by side."""
    methods: dict[str, None] = {}
    open_: Outcome | None = None
    for found in outcomes:
        if found.verdict == "refuted":
            return found
        if found.verdict == "undecided":
            open_ = open_ or found
        methods[found.method] = None
        witness = witness or found.witness
    return open_ or Outcome("proven", "; ".join(methods), sizes, witness)
