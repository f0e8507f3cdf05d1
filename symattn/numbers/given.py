"""Exact arrays as they are given: inputs and constants, before a number system takes them in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np

from symattn.graph import Array
from symattn.literals import NEGATIVE_INFINITY

#: Integers below it are float64s.
EXACT_INTEGERS = 2**53


@dataclass(frozen=True)
class Integers:
    """Rationals over one denominator: a matrix of integers whose columns are the last axis.

    Attributes:
        numerators: in order; 0 at -oo.
        matrix: the same as an `fmpz_mat`; all axes but the last are its rows.
        denominator: of every entry.
        marks: of the array's shape, -1 at -oo and 0 elsewhere; None where there is none.
    """

    numerators: list[int]
    matrix: Any
    denominator: Any
    marks: Array | None


class Given:
    """An array of exact entries, which several number systems take in.

    Each is an `Exact`, or a number in normal form: a value of another derivation.

    Args:
        entries: the array; it is not changed afterwards.
        radii: half-widths of entries that are known only to their printed digits.
    """

    def __init__(self, entries: Array, radii: Array | None = None) -> None:
        self.entries = entries
        self.radii = radii

    @classmethod
    def of(cls, value: Array | Given) -> Given:
        return value if isinstance(value, Given) else cls(value)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.entries.shape)

    @cached_property
    def integers(self) -> Integers | None:
        """The entries over one denominator; None unless all are rational or -oo."""
        from flint import fmpz, fmpz_mat  # not for those who only list the steps

        entries = self.entries.reshape(-1).tolist()
        marks = None
        if set(map(type, entries)) != {Fraction}:
            signs = [0 if isinstance(e, Fraction) else -1 for e in entries]
            if any(s and e != NEGATIVE_INFINITY for s, e in zip(signs, entries, strict=True)):
                return None
            marks = np.array(signs, np.int8).reshape(self.shape)
            entries = [Fraction(0) if s else e for s, e in zip(signs, entries, strict=True)]
        ratios = [e.as_integer_ratio() for e in entries]
        denominators = {d for _, d in ratios}
        whole = lcm(*denominators)
        factors = {d: whole // d for d in denominators}
        numerators = [n * factors[d] for n, d in ratios]
        matrix = fmpz_mat(*sides(self.shape), numerators)
        return Integers(numerators, matrix, fmpz(whole), marks)

    @cached_property
    def floats(self) -> tuple[Array, Array] | None:
        """The nearest float64s, and a bound on how far each is off; None if that takes more work.

        A quotient of two integers that are floats themselves is rounded correctly. It
        is exact where the denominator, reduced, is a power of two.
        """
        whole = self.integers
        if whole is None or whole.denominator >= EXACT_INTEGERS:
            return None
        if max(map(abs, whole.numerators), default=0) >= EXACT_INTEGERS:
            return None
        top, bottom = np.array(whole.numerators, np.int64), int(whole.denominator)
        values = top / bottom
        reduced = bottom // np.gcd(top, bottom)
        is_exact = (reduced & (reduced - 1)) == 0
        errors = np.where(is_exact, 0.0, np.abs(values) * 2.0**-53)
        values, errors = values.reshape(self.shape), errors.reshape(self.shape)
        if whole.marks is not None:
            values = np.where(whole.marks < 0, -np.inf, values)
            errors = np.where(whole.marks < 0, 0.0, errors)
        return values, errors


class Stored(Given):
    """Floats as a file of weights holds them, each the exact number that it is in binary.

    Args:
        stored: in float64 or a narrower type.
    """

    def __init__(self, stored: Array) -> None:
        self.stored = stored
        self.radii = None

    @cached_property
    def entries(self) -> Array:  # type: ignore[override]
        out = np.empty(self.shape, dtype=object)
        out.reshape(-1)[:] = [Fraction(x) for x in self.doubles.reshape(-1).tolist()]
        return out

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.stored.shape)

    @property
    def doubles(self) -> Array:
        """The same numbers in float64, which holds those of every narrower type."""
        return np.asarray(self.stored, np.float64)

    @property
    def integers(self) -> Integers | None:
        return None

    @property
    def floats(self) -> tuple[Array, Array] | None:
        return self.doubles, np.zeros(self.shape)


def sides(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of the matrix that holds an array: the last axis is its columns.

    >>> sides((2, 3, 4)), sides((4,)), sides(())
    ((6, 4), (1, 4), (1, 1))
    """
    rows = 1
    for n in shape[:-1]:
        rows *= n
    return rows, shape[-1] if shape else 1
