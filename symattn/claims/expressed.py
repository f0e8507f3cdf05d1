"""Whether an expression of entries is equal to an entry.

It is where the normal forms are equal, or where it is the entry's own definition; it is not
where enclosures are separate, or a theorem says so. Everything else is undecided.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from symattn import decide
from symattn.claims.entry_names import Expression
from symattn.claims.reading.translate import NAMED, exact_text
from symattn.decide import Answer
from symattn.definitions import defines
from symattn.entries import Entry
from symattn.errors import SymattnError
from symattn.expression import Cell
from symattn.literals import Apply, Exact, Infinity, Name, parse
from symattn.numbers import compact
from symattn.numbers.ball import Ball
from symattn.numbers.enclosure import START
from symattn.numbers.normal_form import Sum, referred

#: Bits up to which enclosures of an expression and of its entry are told apart.
LIMIT = 16 * START


def equals(entry: Entry, said: Expression) -> Answer:
    """Whether what is printed equals the entry: ``zero`` where the difference is proven to be."""
    if isinstance(entry.form, Infinity):
        return _infinite(entry, _form(said))
    if isinstance(said.value, Name) and _is_same(entry, said.entries[said.value.name]):
        return Answer("zero", "it is the entry itself")
    if _are_apart(entry, said, START):
        return Answer("nonzero", f"the enclosures are separate at {START} bits")
    form = _form(said)
    if isinstance(form, Infinity):
        return _infinite(entry, form)
    if form is not None and referred(form) == referred(entry.form):
        return Answer("zero", "the normal forms are equal")
    tree = _tree(said.value, said)
    if _is_definition(entry, tree):
        return Answer("zero", "it is the definition of the entry")
    if isinstance(form, Sum) and not entry.step.derivation.radii:
        found = decide.is_zero(form - entry.form)
        if found.verdict != "unknown":
            return found
    bits = 2 * START
    while bits <= LIMIT and not entry.step.derivation.radii:
        if _are_apart(entry, said, bits):
            return Answer("nonzero", f"the enclosures are separate at {bits} bits")
        bits *= 2
    return Answer("unknown", f"the enclosures still overlap at {LIMIT} bits")


def equals_times(entry: Entry, factor: Sum, said: Expression) -> Answer:
    """Whether what is printed equals the entry times a number, by normal forms alone."""
    form = _form(said)
    if isinstance(form, Infinity) or isinstance(entry.form, Infinity):
        return _infinite(entry, form)
    if form is None:
        return Answer("unknown", "it is not defined, or too long")
    return decide.is_zero(form - entry.form * factor)


def rounds_to(entry: Entry, text: str) -> bool:
    """Whether an expression with decimals in it can be the entry, each within half its last place.

    Of a text that is none, False.
    """
    said = exact_text(text)
    if said is None:
        return False
    decimals: dict[str, Any] = {}

    def name(match: re.Match[str]) -> str:
        half = Fraction(1, 2 * 10 ** len(match[1]))
        value = Fraction(match[0])
        low, high = (arb(fmpq(x.numerator, x.denominator)) for x in (value - half, value + half))
        decimals[f"r_{len(decimals)}"] = low.union(high)
        return f"r_{len(decimals) - 1}"

    with ctx.workprec(START):
        tree = _DECIMAL.sub(name, said)
        try:
            left = Ball(START, decimals).number(parse(tree, NAMED))
            right = entry.step.derivation.enclosures.ball((entry.step.node, entry.index))
        except SymattnError:
            return False
        both = isinstance(left, arb) and isinstance(right, arb)
        return bool(both and left.is_finite() and left.overlaps(right))


_DECIMAL = re.compile(r"(?<![\w.])\d+\.(\d+)(?![\w.])")


def _infinite(entry: Entry, form: Any) -> Answer:
    if form is None:
        return Answer("unknown", "it is not defined, or too long")
    return Answer("zero" if form == entry.form else "nonzero", "one is infinite")


def _is_same(entry: Entry, other: Entry) -> bool:
    return entry.step.node == other.step.node and entry.index == other.index


def _form(said: Expression) -> Any:
    """The value of an expression in normal form; None where it is not defined, or too long."""
    try:
        return compact.number(said.value, {name: e.form for name, e in said.entries.items()})
    except SymattnError:
        return None


def _tree(value: Exact, said: Expression) -> Any:
    if isinstance(value, Name):
        entry = said.entries[value.name]
        return Cell(entry.step.node, entry.index)
    if isinstance(value, Apply):
        return Apply(value.op, tuple(_tree(a, said) for a in value.args))
    return value


def _is_definition(entry: Entry, tree: Any) -> bool:
    try:
        return not entry.step.given and defines(entry.step, entry.index, tree)
    except SymattnError:
        return False


def _are_apart(entry: Entry, said: Expression, bits: int) -> bool:
    """Whether enclosures at a precision have no number in common."""
    known = entry.step.derivation.enclosures

    def ball(e: Entry) -> Any:
        return known.ball((e.step.node, e.index), bits)

    try:
        named = {name: ball(e) for name, e in said.entries.items()}
        if any(isinstance(b, Infinity) for b in named.values()):
            return False
        with ctx.workprec(bits):
            left, right = Ball(bits, named).number(said.value), ball(entry)
    except SymattnError:
        return False
    if not (isinstance(left, arb) and isinstance(right, arb)):
        return isinstance(left, Infinity) != isinstance(right, Infinity)
    return bool(left.is_finite() and right.is_finite() and not left.overlaps(right))
