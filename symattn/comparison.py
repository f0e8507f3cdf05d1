"""Compare two exact numbers, and say honestly what is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, product
from typing import Any, Literal

from flint import ctx, fmpq

from symattn import decide
from symattn.certify import check_number
from symattn.entries import Entry
from symattn.errors import ExactnessError, Undecided
from symattn.graph import NamedNode
from symattn.literals import Infinity, exact
from symattn.numbers import compact
from symattn.numbers.ball import Ball
from symattn.numbers.enclosure import LIMIT, START, enclose
from symattn.numbers.normal_form import Sum, TooLarge, fraction, symbols_of
from symattn.steps import Step

Verdict = Literal["equal", "less", "greater", "different", "undecided"]


@dataclass(frozen=True)
class Comparison:
    """What is known of x against y.

    Attributes:
        verdict: ``equal`` with its proof; ``less`` or ``greater`` (x than y) with
            separated enclosures; ``different``, proven unequal, with the order unsettled
            (or, with symbols, not asked); ``undecided``.
        why: the proof, or how far was looked.
        bits: the precision that was looked at; 0 where none was needed.
        witness: with symbols, values for them at which the two differ.
    """

    verdict: Verdict
    why: str
    bits: int = 0
    witness: dict[str, Fraction] = field(default_factory=dict)

    def __str__(self) -> str:
        words = {"different": "different, order unsettled"}.get(self.verdict, self.verdict)
        if self.witness:
            words = "different"
        at = ", ".join(f"{name} = {value}" for name, value in self.witness.items())
        return f"{words}: {self.why}" + (f" (at {at})" if at else "")

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.markdown(shown.comparison(self))


def compare(x: Any, y: Any, *, limit: int = LIMIT) -> Comparison:
    """Compare two numbers: entries, SymPy expressions, strings, integers, Fractions, Decimals.

    Numbers in normal form are taken as well, if there are no symbols in them.

    Args:
        limit: bits up to which enclosures are refined.

    Raises:
        ExactnessError, LiteralError: what is no exact number.

    >>> print(compare("exp(1)/(exp(1)+exp(2))", "1/(1+exp(1))"))
    equal: the normal form is empty once denominators are cleared
    >>> print(compare("exp(sqrt(2))", "4.1132503787829275"))
    greater: the enclosures are separate at 128 bits
    """
    try:
        return _compare(x, y, limit)
    except TooLarge as error:
        return Comparison("undecided", f"it would take {error}")
    except Undecided as error:
        return Comparison("undecided", str(error))


def largest(entries: Sequence[Entry]) -> list[Entry]:
    """The entry that is proven the largest, or all that are proven to tie for it.

    Raises:
        Undecided: two of them could not be told apart.
        ExactnessError: an entry with symbols.
    """
    for entry in entries:
        entry.check_number()
    best = list(entries[:1])
    for entry in entries[1:]:
        found = compare(entry, best[0])
        if found.verdict == "greater":
            best = [entry]
        elif found.verdict == "equal":
            best.append(entry)
        elif found.verdict != "less":
            raise Undecided(f"{entry.address} and {best[0].address}: {found}")
    return best


def _compare(x: Any, y: Any, limit: int) -> Comparison:
    x, y = _scores(x, y)
    if _is_interval(x) or _is_interval(y):
        return _intervals(x, y)
    left, right = _form(x), _form(y)
    if isinstance(left, Infinity) or isinstance(right, Infinity):
        return _infinite(left, right)
    difference = left - right
    if difference.has_symbols:
        return _functions(difference, x, y)
    found = decide.sign(difference, limit)
    if found.sign == 0:
        return Comparison("equal", found.zero.why)
    if found.sign is not None:
        at = f"the enclosures are separate at {found.bits} bits" if found.bits else found.zero.why
        return Comparison("greater" if found.sign > 0 else "less", at, found.bits)
    looked = f"the enclosures still overlap at {found.bits} bits"
    if found.zero.verdict == "nonzero":
        return Comparison("different", f"{found.zero.why}; {looked}", found.bits)
    return Comparison("undecided", f"{found.zero.why}; {looked}", found.bits)


def _scores(x: Any, y: Any) -> tuple[Any, Any]:
    """Of two weights of one softmax's row, their scores: e^x grows, and they decide more.

    Weights that are one number as they stand stay: log 2 + log 3 and log 6 are no such scores.
    """
    if not (isinstance(x, Entry) and isinstance(y, Entry)):
        return x, y
    if not _is_interval(x) and x.form == y.form:
        return x, y
    step, derivation = x.step, x.step.derivation
    same = derivation is y.step.derivation and step.node == y.step.node
    node = derivation.graph.nodes[step.node]
    if not same or x.index[:-1] != y.index[:-1] or node.op != "softmax" or step.given:
        return x, y
    scores = Step(derivation, NamedNode(step.address, node.inputs[0]))
    return Entry(scores, x.index), Entry(scores, y.index)


def _form(value: Any) -> Any:
    if isinstance(value, Sum):
        return value
    return value.form if isinstance(value, Entry) else compact.number(exact(value))


def _infinite(left: Any, right: Any) -> Comparison:
    a, b = (x.sign if isinstance(x, Infinity) else 0 for x in (left, right))
    if a == b:
        return Comparison("equal", "both are the same infinity")
    return Comparison("greater" if a > b else "less", "one is infinite")


def _functions(difference: Sum, x: Any, y: Any) -> Comparison:
    """With symbols: equal means identical as functions, different comes with a witness."""
    known = decide.is_zero(difference)
    if known.verdict == "zero":
        return Comparison("equal", f"identical as functions: {known.why}")
    names = sorted(symbols_of(difference))
    for point in _points(len(names)):
        values = dict(zip(names, point, strict=True))
        try:
            left, right = (_at(value, values) for value in (x, y))
        except ExactnessError:
            continue  # undefined there
        if not (left.is_finite() and right.is_finite()) or left.overlaps(right):
            continue  # undefined, or not told apart
        witness = {n: fraction(v) for n, v in values.items()}
        why = f"the enclosures are separate at {START} bits"
        return Comparison("different", why, START, witness)
    if known.verdict == "nonzero":
        return Comparison("different", known.why)
    return Comparison("undecided", f"{known.why}; no witness was found", START)


def _points(n: int) -> Iterator[tuple[fmpq, ...]]:
    """Where functions of n symbols are tried: small numbers first, then all at once."""
    few = [fmpq(k, q) for q in (1, 2) for k in (1, 2, -1, 3, 0)]
    yield from islice(product(few, repeat=n), 200)
    for k in range(40):
        yield tuple(
            fmpq((7 * k + 5 * i * (k + 1)) % 23 - 11 or 1, 2 + (k + i) % 5) for i in range(n)
        )


def _at(value: Any, symbols: dict[str, fmpq]) -> Any:
    """The enclosure of a number as it was written, with values for its symbols."""
    system = Ball(START, symbols=symbols)
    if isinstance(value, Entry):
        derivation = value.step.derivation
        return derivation.running(system)[value.step.node][value.index]
    with ctx.workprec(START):
        return system.number(exact(value))


# Entries whose inputs are known to their printed digits alone.


def _is_interval(value: Any) -> bool:
    return isinstance(value, Entry) and bool(value.step.derivation.radii)


def _intervals(x: Any, y: Any) -> Comparison:
    if _same_entry(x, y):
        return Comparison("equal", "the same entry of the same derivation")
    left, right = _ball(x), _ball(y)
    if isinstance(left, Infinity) or isinstance(right, Infinity):
        return _infinite(left, right)
    if left < right or left > right:
        verdict: Verdict = "less" if left < right else "greater"
        return Comparison(verdict, f"the enclosures are separate at {START} bits", START)
    if left.is_exact() and right.is_exact():  # and neither less nor greater
        return Comparison("equal", "both are exact whatever the inputs print")
    return Comparison("undecided", "the printed digits of the inputs leave it open", START)


def _same_entry(x: Any, y: Any) -> bool:
    if not (isinstance(x, Entry) and isinstance(y, Entry)):
        return False
    same = x.step.derivation is y.step.derivation and x.step.node == y.step.node
    return same and x.index == y.index


def _ball(value: Any) -> Any:
    if isinstance(value, Entry):
        place = (value.step.node, value.index)
        return value.step.derivation.enclosures.ball(place)
    form = _form(value)
    if isinstance(form, Infinity):
        return form
    check_number(form)
    return enclose(form, START)
