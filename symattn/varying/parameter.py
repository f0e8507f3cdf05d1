"""An entry of an input that is left free, and what is ranked as it varies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from symattn.comparison import Comparison, compare
from symattn.decide import is_zero
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.errors import AddressError, ExactnessError, MaskError, OptionError, nearest
from symattn.generation import last_row
from symattn.graph import Array, NamedNode, Run, split_address
from symattn.literals import Exact, Infinity, Name
from symattn.numbers.ball import Ball
from symattn.numbers.degrees import Degrees
from symattn.numbers.dual import Dual, Duals
from symattn.numbers.enclosure import START
from symattn.steps import Step


@dataclass(frozen=True)
class Parameter:
    """An entry of an input.

    Attributes:
        name: of the input.
        index: of the entry.
        value: what it is in the derivation.
    """

    name: str
    index: tuple[int, ...]
    value: Exact

    @property
    def address(self) -> str:
        cell = ",".join(map(str, self.index))
        return f"{self.name}[{cell}]" if cell else self.name


def parameter(derivation: Derivation, address: str) -> Parameter:
    """The entry at an address such as ``W_vocab[1,3]``.

    Raises:
        AddressError: no entry of an input.
        OptionError: an option, or an input that only masks.
    """
    if not isinstance(address, str):
        raise AddressError(f'wanted an entry of an input such as "W_V[0,1]", got {address!r}')
    name, cell = split_address(address)
    inputs = {k: v for k, v in derivation.inputs.items() if k not in derivation.masks}
    if name in derivation.options:
        raise OptionError(f"{name} is an option, which takes fixed values; {_entries(inputs)}")
    if name in derivation.masks:
        raise OptionError(f"{name} is a mask, of fixed entries; {_entries(inputs)}")
    if name not in inputs:
        close = nearest(name, inputs)
        raise AddressError(f"{address} is no entry of an input{close}; {_entries(inputs)}")
    array = inputs[name]
    try:
        found = array[cell or ()]
    except IndexError:
        raise AddressError(f"no entry {address}; {name} has shape {array.shape}") from None
    if isinstance(found, np.ndarray):
        raise AddressError(f"wanted one entry of {name}, of shape {array.shape}, got {address}")
    if isinstance(found, Infinity):
        raise OptionError(
            f"{address} is {found}, which masks a score, and no number that could vary"
        )
    places = cast("tuple[int, ...]", cell or ())
    index = tuple(i + n if i < 0 else i for i, n in zip(places, array.shape, strict=True))
    return Parameter(name, index, found)


def _entries(inputs: Mapping[str, Any]) -> str:
    return f"wanted one of {', '.join(inputs)}, with a cell"


def check(derivation: Derivation) -> None:
    """Refuse what has no one number everywhere else.

    Raises:
        ExactnessError: symbols, or inputs that are known only to their printed digits.
    """
    derivation.check_numbers()
    if derivation.radii:
        raise ExactnessError(
            "wanted exact inputs, but some are known only to their printed digits; "
            "d.without_radii() takes them as they are printed"
        )


class Enclosed(NamedTuple):
    """Enclosures over an interval, at its middle, and of the derivatives."""

    values: list[Any]
    middles: list[Any]
    slopes: list[Any]


@dataclass(frozen=True)
class Slopes:
    """Enclosures of scores as one entry varies.

    Attributes:
        scores: the scores themselves.
        hidden: the row that a matrix of numbers makes the scores of, if there is one.
        columns: that matrix, column by column.
        bits: the precision.
    """

    scores: Enclosed
    hidden: Enclosed | None
    columns: list[Any]
    bits: int

    def difference(self, i: int, j: int) -> tuple[Any, Any, Any]:
        """Score i less score j: over the interval, at its middle, and the derivative.

        What the two columns have in common does not widen it.
        """
        with ctx.workprec(self.bits):
            plain = [x[i] - x[j] for x in self.scores]
            if self.hidden is None:
                return plain[0], plain[1], plain[2]
            apart = self.columns[i] - self.columns[j]
            close = [(arb_mat([x]) * apart)[0, 0] for x in self.hidden]
            found = [
                x.intersection(y) if x.is_finite() and y.is_finite() else x
                for x, y in zip(plain, close, strict=True)
            ]
            return found[0], found[1], found[2]


class Ranking:
    """The scores of the last row of what a function returns, as some entries vary.

    The largest weight of a softmax is that of its largest score. Without a softmax the
    entries themselves are ranked.

    Args:
        derivation: without symbols.
        parameters: the entries that are free.
    """

    def __init__(self, derivation: Derivation, parameters: Sequence[Parameter]) -> None:
        check(derivation)
        self.derivation = derivation
        self.parameters = tuple(parameters)
        row = last_row(derivation)
        self.step = row[0].step
        node = derivation.graph.nodes[self.step.node]
        self.is_softmax = node.op == "softmax" and not derivation.is_replaced(self.step.address)
        #: The node that the scores stand in, and their places there.
        self.node = node.inputs[0] if self.is_softmax else self.step.node
        free = self.degrees[self.node]
        self.indices = [entry.index for entry in row if free[entry.index] >= 0]  # no mask wins
        labels = self.step.axes[-1]
        self.words = [labels[i[-1]] if labels else str(i[-1]) for i in self.indices]
        self._bases: dict[int, Run] = {}

    @property
    def symbols(self) -> tuple[str, ...]:
        return tuple(p.address for p in self.parameters)

    @cached_property
    def free(self) -> Derivation:
        """The derivation with symbols in place of the entries."""
        return self.derivation.with_(self._arrays([Name(s) for s in self.symbols]))

    def at(self, values: Sequence[Exact]) -> Derivation:
        """The derivation with numbers in place of the entries."""
        return self.derivation.with_(self._arrays(values))

    def _arrays(self, values: Sequence[Any]) -> dict[str, Array]:
        changed: dict[str, Array] = {}
        for parameter, value in zip(self.parameters, values, strict=True):
            array = changed.get(parameter.name, self.derivation.inputs[parameter.name]).copy()
            array[parameter.index] = value
            changed[parameter.name] = array
        return changed

    @cached_property
    def degrees(self) -> Run:
        """By node, the degree that each entry has as a polynomial in the entries that vary."""
        return self.free.running(Degrees(self.symbols))

    @cached_property
    def degree(self) -> float:
        """That of the scores: 0 where nothing depends on them, infinite where none is proven."""
        return float(max(self.degrees[self.node][i] for i in self.indices))

    def forms(self, values: Sequence[Exact]) -> list[Any]:
        """The exact scores at numbers, in normal form."""
        found = self.at(values).forms[self.node]
        return [found[i] for i in self.indices]

    def compared(self, values: Sequence[Exact], i: int, j: int) -> Comparison:
        """Two scores at numbers, exactly; undecided where they are not defined."""
        at = self.at(values)
        step = Step(at, NamedNode(self.step.address, self.node))
        try:
            return compare(Entry(step, self.indices[i]), Entry(step, self.indices[j]))
        except (ExactnessError, MaskError) as error:
            return Comparison("undecided", str(error))

    def classes(self, points: Sequence[Sequence[Fraction]]) -> dict[int, frozenset[int]]:
        """Scores that are proven identical as functions, by the first of them.

        Args:
            points: where those that are not are told apart, if they are lucky.
        """
        tried = [
            self.balls([arb(fmpq(x.numerator, x.denominator)) for x in point], START)
            for point in points
        ]
        found: dict[int, set[int]] = {}
        for i in range(len(self.words)):
            for first, members in found.items():
                near = all(v[i].overlaps(v[first]) for v in tried)
                if near and self._identical(i, first):
                    members.add(i)
                    break
            else:
                found[i] = {i}
        return {first: frozenset(members) for first, members in found.items()}

    def _identical(self, i: int, j: int) -> bool:
        forms = self.free.forms[self.node]
        x, y = (forms[self.indices[k]] for k in (i, j))
        return bool(x == y or is_zero(x - y).verdict == "zero")

    # Enclosures.

    def balls(self, values: Sequence[Any], bits: int) -> list[Any]:
        """Enclosures of the scores at balls of values."""
        system = Ball(bits, dict(zip(self.symbols, values, strict=True)))
        found = self._run(system, self._known(bits, lambda x: x), self.node)
        return self._nothing if found is None else [found[i] for i in self.indices]

    def slopes(self, values: Sequence[Any], by: int, bits: int) -> Slopes:
        """The same, at the middle of one of the balls too, and of the derivatives by that entry."""
        system = Dual(bits, dict(zip(self.symbols, values, strict=True)), self.symbols[by])
        run = self.free.running(system, known=self._known(bits, Duals))
        try:
            scores = _enclosed(run[self.node], self.indices)
        except (ExactnessError, MaskError):  # not defined, as at a division by 0
            nothing = self._nothing
            return Slopes(Enclosed(nothing, nothing, nothing), None, [], bits)
        if self._product is None:
            return Slopes(scores, None, [], bits)
        row, matrix = self._product
        shape = self.derivation.graph.nodes[row].shape
        places = [(*self.indices[0][:-1], k) for k in range(shape[-1])]
        weights = self._base(bits)[matrix]
        columns = [
            arb_mat([[weights[k, i[-1]]] for k in range(weights.shape[0])]) for i in self.indices
        ]
        return Slopes(scores, _enclosed(run[row], places), columns, bits)

    @cached_property
    def _product(self) -> tuple[int, int] | None:
        """The nodes of a row and of a matrix of numbers whose product the scores are."""
        node = self.derivation.graph.nodes[self.node]
        if node.op != "matmul":
            return None
        row, matrix = node.inputs
        plain = len(self.derivation.graph.nodes[matrix].shape) == 2 and matrix in self._constant
        return (row, matrix) if plain and row not in self._constant else None

    def probabilities(self, values: Sequence[Any], bits: int) -> list[Any]:
        """Enclosures of what is returned, at balls of values."""
        system = Ball(bits, dict(zip(self.symbols, values, strict=True)))
        found = self._run(system, self._known(bits, lambda x: x), self.step.node)
        return self._nothing if found is None else [found[i] for i in self.indices]

    def _run(self, system: Any, known: dict[int, Callable[[], Any]], node: int) -> Any:
        """The value of a node; None where the model is not defined, as at a division by 0."""
        try:
            return self.free.running(system, known=known)[node]
        except (ExactnessError, MaskError):
            return None

    @property
    def _nothing(self) -> list[Any]:
        """Balls that enclose nothing."""
        return [arb("nan")] * len(self.indices)

    @cached_property
    def _constant(self) -> list[int]:
        """The nodes that none of the entries moves."""
        return [
            node
            for node in self.derivation.graph.ancestors(self.step.node)
            if (self.degrees[node] <= 0).all()
        ]

    def _base(self, bits: int) -> Run:
        """The derivation as it is, enclosed."""
        if bits not in self._bases:
            self._bases[bits] = self.derivation.running(Ball(bits))
        return self._bases[bits]

    def _known(self, bits: int, wrapped: Callable[[Any], Any]) -> dict[int, Callable[[], Any]]:
        """Values of what does not vary, calculated once."""
        base = self._base(bits)
        return {node: (lambda n=node: wrapped(base[n])) for node in self._constant}  # type: ignore[misc]


def _enclosed(found: Duals, places: Sequence[tuple[int, ...]]) -> Enclosed:
    zero = arb(0)
    return Enclosed(
        [found.value[i] for i in places],
        [found.centre[i] for i in places],
        [zero if found.slope is None else found.slope[i] for i in places],
    )
