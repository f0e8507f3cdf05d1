"""Softmax weights, and mixtures of rows by them, held as the matrices they come from.

Row i of a softmax has a basis of its own: e^{z_ij}/ℓ_i for each key j. A product
A V of weights and rational values has the rows of V as coefficients over that
basis, whatever i is, so A V W_O and A V + E are held as two or three rational
matrices; n² entries of n terms are made only for who asks for them. Operations
return None where their result has no such form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from flint import fmpq

from symattn.graph import Array
from symattn.numbers.grid import flat_index, object_array, selected_rows
from symattn.numbers.held import Deferred, Held
from symattn.numbers.normal_form import NO_POWERS, ONE, ZERO, Kernel, Monomial, Sum, intern
from symattn.numbers.scaled import Scaled

_ONE_TERM = fmpq(1)
_UNITY: Monomial = (1, None, NO_POWERS)


class Scores:
    """Rows of scores, exponentiated: each row made when first asked for, and kept."""

    def __init__(self, scores: Scaled) -> None:
        self.scores = scores
        self._exponents: dict[int, Monomial] = {}
        self._numerators: dict[int, list[Monomial | None]] = {}
        self._totals: dict[int, Sum] = {}

    @classmethod
    def of(cls, scores: Scaled) -> Scores:
        """The one for these scores: a softmax and its inside share it."""
        if scores.scores is None:
            scores.scores = cls(scores)
        found: Scores = scores.scores
        return found

    def numerators(self, row: int) -> list[Monomial | None]:
        """e^{z_ij} of a row as monomials; None where masked."""
        if row not in self._numerators:
            matrix, marks = self.scores.grid.matrix, self.scores.marks
            columns = range(matrix.ncols())
            hidden = None if marks is None else marks.reshape(-1, matrix.ncols())[row].tolist()
            self._numerators[row] = [
                None if hidden and hidden[j] else self._exponential(matrix[row, j]) for j in columns
            ]
        return self._numerators[row]

    def _exponential(self, numerator: Any) -> Monomial:
        key = int(numerator)
        found = self._exponents.get(key)
        if found is None:
            z = self.scores.number(numerator) if key else None
            found = self._exponents[key] = (1, z, NO_POWERS)
        return found

    def total(self, row: int) -> Sum:
        """ℓ_i, the sum of a row's exponentials."""
        if row not in self._totals:
            terms: dict[Monomial, fmpq] = {}
            for m in self.numerators(row):
                if m is not None:
                    terms[m] = terms[m] + 1 if m in terms else _ONE_TERM
            self._totals[row] = intern(Sum(terms))
        return self._totals[row]


class Basis:
    """The monomials of a row of weights, and the coefficient that they share.

    Attributes:
        monomials: one a key; None where the weight is 0.
        c: the coefficient.
    """

    __slots__ = ("_again", "_distinct", "_first", "c", "monomials")

    def __init__(self, monomials: list[Monomial | None], c: fmpq) -> None:
        self.monomials = monomials
        self.c = c
        places: dict[Monomial, int] = {}
        first: list[int] = []
        again: list[tuple[int, int]] = []
        for k, m in enumerate(monomials):
            if m is None:
                continue
            if m in places:
                again.append((places[m], k))
            else:
                places[m] = len(first)
                first.append(k)
        self._distinct = list(places)
        # Keys in order, and those whose monomial an earlier key has too.
        self._first = first if len(first) < len(monomials) else None
        self._again = again

    def entry(self, k: int) -> Sum:
        """The weight of one key."""
        m = self.monomials[k]
        return ZERO if m is None else Sum({m: self.c})

    def combined(self, column: list[fmpq], radicand: int, has_zero: bool) -> Sum:
        """Σ_k column_k · √radicand · weight_k, like terms collected."""
        values = column if self._first is None else [column[k] for k in self._first]
        for place, k in self._again:
            values[place] = values[place] + column[k]
        if self.c != 1:
            values = [v * self.c for v in values]
        keys: Iterable[Monomial] = self._distinct
        if radicand != 1:
            keys = [(radicand, m[1], m[2]) for m in keys]
        terms = dict(zip(keys, values, strict=True))
        # Where like terms were collected, they may have cancelled.
        clean = not has_zero and not self._again
        return Sum(terms if clean else {m: v for m, v in terms.items() if v})


class Exponentials(Held):
    """e^{z_ij} for rows of scores, divided by their sums (softmax) or not."""

    __slots__ = ("_bases", "divided", "rows", "scores")

    def __init__(
        self,
        scores: Scores,
        shape: tuple[int, ...],
        divided: bool,
        rows: Sequence[int] | None = None,
        source: Held | None = None,
    ) -> None:
        super().__init__(shape, source)
        self.scores = scores
        self.divided = divided
        #: The rows of the scores that its own rows are.
        self.rows = range(scores.scores.grid.matrix.nrows()) if rows is None else rows
        self._bases: dict[int, Basis] = {}

    def basis(self, k: int) -> Basis:
        """What row k is made of."""
        if k not in self._bases:
            self._bases[k] = self._made_basis(self.rows[k])
        return self._bases[k]

    def _made_basis(self, row: int) -> Basis:
        numerators = self.scores.numerators(row)
        if not self.divided:
            return Basis(numerators, _ONE_TERM)
        total = self.scores.total(row)
        if len(total.terms) == 1:
            # All that is seen has one score: the weights are 1/count, without exponentials.
            share = 1 / next(iter(total.terms.values()))
            return Basis([None if m is None else _UNITY for m in numerators], share)
        below = frozenset([(Kernel("sum", total), -1)])
        return Basis([None if m is None else (1, m[1], below) for m in numerators], _ONE_TERM)

    def entry(self, index: tuple[int, ...]) -> Any:
        k, column = divmod(flat_index(index, self.shape), self.shape[-1])
        return self.basis(k).entry(column)

    def made(self) -> Array:
        columns = range(self.shape[-1])
        bases = map(self.basis, range(len(self.rows)))
        return object_array([basis.entry(j) for basis in bases for j in columns], self.shape)

    def gather(self, index: Array) -> Exponentials | None:
        rows = selected_rows(index, self.shape)
        if rows is None:
            return None
        chosen = [self.rows[r] for r in rows]
        return Exponentials(self.scores, tuple(index.shape), self.divided, chosen, self)

    def sums(self, keepdims: bool) -> Deferred:
        """The sum of each row, made when asked for; it is `about` rows of scores."""
        shape = self.shape[:-1] + ((1,) if keepdims else ())

        def make() -> Array:
            totals = [ONE if self.divided else self.scores.total(r) for r in self.rows]
            return object_array(totals, shape)

        rows = () if self.divided else tuple((self.scores, row) for row in self.rows)
        return Deferred(shape, make, rows)

    def matmul(self, values: Scaled) -> Mixture | None:
        """The mixture of a matrix's rows."""
        if values.marks is not None or self.ndim > 2 or values.ndim != 2:
            return None
        return Mixture(((self, values),), None, (*self.shape[:-1], values.shape[1]))


class Mixture(Held):
    """rest + Σ B_h C_h: weights or exponentials B_h, rational coefficients C_h.

    Attributes:
        parts: pairs (B_h, C_h), with as many rows in each B_h as the mixture has.
        rest: a rational matrix of the mixture's shape, or None.
    """

    __slots__ = ("_columns", "parts", "rest")

    def __init__(
        self,
        parts: tuple[tuple[Exponentials, Scaled], ...],
        rest: Scaled | None,
        shape: tuple[int, ...],
        source: Held | None = None,
    ) -> None:
        super().__init__(shape, source)
        self.parts = parts
        self.rest = rest
        self._columns: list[list[tuple[list[fmpq], bool]]] | None = None

    def columns(self) -> list[list[tuple[list[fmpq], bool]]]:
        """By part, the columns of its coefficients beside √radicand, and whether each has a 0."""
        if self._columns is None:
            self._columns = []
            for _, c in self.parts:
                entries = [fmpq(z, c.denominator) for z in c.grid.matrix.entries()]
                width = c.grid.matrix.ncols()
                columns = [entries[j::width] for j in range(width)]
                self._columns.append([(column, not all(column)) for column in columns])
        return self._columns

    def entry(self, index: tuple[int, ...]) -> Any:
        k, column = divmod(flat_index(index, self.shape), self.shape[-1])
        found = ZERO if self.rest is None else self.rest.entry(index)
        for (weights, c), columns in zip(self.parts, self.columns(), strict=True):
            entries, has_zero = columns[column]
            part = weights.basis(k).combined(entries, c.radicand, has_zero)
            found = found + part if found.terms else part
        return found

    def made(self) -> Array:
        return object_array([self.entry(index) for index in np.ndindex(self.shape)], self.shape)

    # Operations: each on the coefficients alone.

    def _mapped(self, change: Callable[[Scaled], Scaled | None]) -> Mixture | None:
        """The same change of every coefficient matrix and of the rest."""
        coefficients = [change(c) for _, c in self.parts]
        rest = None if self.rest is None else change(self.rest)
        if None in coefficients or (rest is None) != (self.rest is None):
            return None
        parts = tuple((w, c) for (w, _), c in zip(self.parts, coefficients, strict=True) if c)
        return Mixture(parts, rest, (*self.shape[:-1], parts[0][1].shape[-1]))

    def matmul(self, values: Scaled) -> Mixture | None:
        if values.marks is not None or values.ndim != 2:
            return None
        return self._mapped(lambda c: c.matmul(values))

    def times(self, radicand: int, c: fmpq) -> Mixture | None:
        return self._mapped(lambda x: x.times(radicand, c))

    def negated(self) -> Mixture | None:
        return self._mapped(lambda x: x.negated())

    def plus(self, other: Any, sign: int = 1) -> Mixture | None:
        """The sum or difference with another mixture, or with a rational array, broadcast."""
        if isinstance(other, Scaled):
            shape = np.broadcast_shapes(self.shape, other.shape)
            if other.marks is not None or shape != self.shape:
                return None
            total = (self.rest or Scaled.zeros(self.shape)).plus(other, sign)
            return None if total is None else Mixture(self.parts, total, self.shape)
        if self.shape != other.shape:
            return None
        added = other if sign > 0 else other.negated()
        if added is None:
            return None
        rest = self.rest or added.rest
        if self.rest and added.rest:
            rest = self.rest.plus(added.rest)
            if rest is None:
                return None
        return Mixture(self.parts + added.parts, rest, self.shape)

    def gather(self, index: Array) -> Mixture | None:
        """Whole rows of it."""
        rows = selected_rows(index, self.shape)
        if rows is None:
            return None
        columns = self.shape[-1]
        parts = []
        for weights, c in self.parts:
            width = weights.shape[-1]
            of_weights = np.array(rows)[:, None] * width + np.arange(width)
            chosen = weights.gather(of_weights if index.ndim == 2 else of_weights[0])
            assert chosen is not None  # whole rows, as above
            parts.append((chosen, c))
        rest = None if self.rest is None else self.rest.gather(index)
        return Mixture(tuple(parts), rest, (*index.shape[:-1], columns), source=self)


def joined(mixtures: Sequence[Mixture]) -> Mixture | None:
    """Mixtures beside each other, along their last axis: coefficients padded with 0."""
    if any(m.shape[:-1] != mixtures[0].shape[:-1] for m in mixtures):
        return None
    width = sum(m.shape[-1] for m in mixtures)
    parts: list[tuple[Exponentials, Scaled]] = []
    rest: Scaled | None = None
    at = 0
    for m in mixtures:
        parts += [(w, c.padded(at, width)) for w, c in m.parts]
        if m.rest is not None:
            wide = m.rest.padded(at, width)
            rest = wide if rest is None else rest.plus(wide)
            if rest is None:
                return None
        at += m.shape[-1]
    return Mixture(tuple(parts), rest, (*mixtures[0].shape[:-1], width))
