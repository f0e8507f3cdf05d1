"""Whole arrays of exact entries as text, in one pass.

Each text is what `printing` makes of the entry alone, as far as there is room for it. Matrices
of rationals and softmax weights are written from their integers, without their entries being made.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import gcd
from typing import Any

import numpy as np

from symattn.graph import Array
from symattn.layout import MAX_CHARACTERS
from symattn.literals import Infinity
from symattn.notation import Notation, Roots
from symattn.numbers.expansion import Expansion, counted
from symattn.numbers.grid import object_array
from symattn.numbers.mixture import Exponentials
from symattn.numbers.normal_form import Sum
from symattn.numbers.printing import NO_NAMES, Names, Printer, TooLong
from symattn.numbers.scaled import Scaled


def text(
    x: Any,
    style: Notation,
    names: Names = NO_NAMES,
    index: tuple[int, ...] = (),
    roots: Roots = "rationalised",
) -> str:
    """One entry: a number in normal form, or an infinity; a note if it is too long."""
    found = text_within(x, style, names, index, roots)
    return full(x, Expansion(style, roots)) if found is None else found


def text_within(
    x: Any,
    style: Notation,
    names: Names = NO_NAMES,
    index: tuple[int, ...] = (),
    roots: Roots = "rationalised",
) -> str | None:
    """One entry, or None if there is no room for its characters."""
    if isinstance(x, Infinity):
        return str(x).replace("oo", r"\infty") if style == "latex" else str(x)
    return _within(Printer(style, names, roots), x, index)


def _within(printer: Printer, x: Sum, index: tuple[int, ...]) -> str | None:
    try:
        return printer.write(x, index)
    except TooLong:
        return None


def full(x: Any, expansion: Expansion) -> str:
    """One entry without names; if that is too long, a note that says how long."""
    if isinstance(x, Infinity):
        return text(x, expansion.style)
    size = expansion.size(x)
    if size <= MAX_CHARACTERS:
        return expansion.full(x)
    note = f"({counted(size)} characters: see expand)"
    return rf"\text{{{note}}}" if expansion.tex else note


def full_texts(x: Any, expansion: Expansion) -> Array:
    """Every entry as `full` gives it."""
    found = texts(x, expansion.style, roots=expansion.roots)
    for index, known in np.ndenumerate(found):
        if known is None:
            found[index] = full(x[index], expansion)
    return found


def texts(x: Any, style: Notation, names: Names = NO_NAMES, roots: Roots = "rationalised") -> Array:
    """Every entry of an array; None for an entry without room for its characters."""
    if isinstance(x, Scaled):
        found: list[Any] = _scaled(x, style, roots)
    elif isinstance(x, Exponentials):
        found = _exponentials(x, Printer(style, names, roots))
    else:
        found = _by_entry(x, Printer(style, names, roots))
    return object_array(found, x.shape)


def _by_entry(x: Any, printer: Printer) -> list[str | None]:
    return [
        text(entry, printer.style)
        if isinstance(entry, Infinity)
        else _within(printer, entry, index)
        for index, entry in np.ndenumerate(np.asarray(x, dtype=object))
    ]


def _scaled(x: Scaled, style: Notation, roots: Roots) -> list[str]:
    known = _Known(x, partial(quotient, radicand=x.radicand, style=style, roots=roots))
    found = [known[n] for n in x.integers()]
    if x.marks is not None:
        for i in np.flatnonzero(x.marks).tolist():
            found[i] = text(Infinity(-1), style)
    return found


class _Known(dict[int, str]):
    """By numerator, what is written for a number; each worked out once."""

    def __init__(self, x: Scaled, write: Callable[[int, int], str]) -> None:
        super().__init__()
        self.whole = int(x.denominator)
        self.write = write

    def __missing__(self, n: int) -> str:
        common = gcd(n, self.whole)
        found = self[n] = self.write(n // common, self.whole // common)
        return found


def quotient(
    p: int,
    q: int,
    radicand: int,
    style: Notation,
    inline: bool = False,
    roots: Roots = "rationalised",
) -> str:
    r"""p√radicand/q, reduced, as `printing` writes it; `inline` without a bar.

    >>> quotient(-13, 25, 2, "latex"), quotient(1, 2, 2, "text"), quotient(-3, 1, 1, "text")
    ('-\\frac{13 \\sqrt{2}}{25}', 'sqrt(2)/2', '-3')
    >>> quotient(13, 25, 2, "text", roots="divided"), quotient(1, 2, 2, "text", roots="divided")
    ('26/(25*sqrt(2))', '1/sqrt(2)')
    """
    if radicand == 1 and (inline or style == "text"):
        return f"{p}/{q}" if q != 1 else str(p)
    if not p:
        return "0"
    size, barred = abs(p), style == "latex" and not inline
    root = rf"\sqrt{{{radicand}}}" if style == "latex" else f"sqrt({radicand})"
    between = " " if style == "latex" else "*"
    if radicand == 1:
        top, bottom = str(size), str(q)
    elif roots == "divided" and q != 1:
        common = gcd(radicand, q)
        top, q = str(size * (radicand // common)), q // common
        bottom = root if q == 1 else f"{q}{between}{root}"
        bottom = bottom if q == 1 or barred else f"({bottom})"
    else:
        top, bottom = root if size == 1 else f"{size}{between}{root}", str(q)
    if bottom != "1":
        top = rf"\frac{{{top}}}{{{bottom}}}" if barred else f"{top}/{bottom}"
    return "-" + top if p < 0 else top


def _exponentials(x: Exponentials, printer: Printer) -> list[str | None]:
    """Each e^z over the name of its row's sum, from the integers of the scores."""
    scores = x.scores.scores
    style, tex, radicand = printer.style, printer.tex, scores.radicand

    def exponential(p: int, q: int) -> str:
        if not p:
            return "1"
        z = quotient(p, q, radicand, style, inline=True, roots=printer.roots)
        return f"e^{{{z}}}" if tex else f"exp({z})"

    known = _Known(scores, exponential)
    integers, width = scores.integers(), x.shape[-1]
    marks = [0] * len(integers) if scores.marks is None else scores.marks.reshape(-1).tolist()
    out: list[str | None] = []
    for k, row in enumerate(x.rows):
        part = slice(row * width, (row + 1) * width)
        of_row, hidden = integers[part], marks[part]
        label = printer.names.row((x.scores, row)) if x.divided else None
        if x.divided and (label is None or _is_uniform(of_row, hidden)):
            out += _one_by_one(x, k, printer)
            continue
        before, after = (r"\frac{", f"}}{{{label}}}") if tex else ("", f"/{label}")
        if label is None:
            before, after = "", ""
        out += [
            "0" if mark else f"{before}{known[n]}{after}"
            for n, mark in zip(of_row, hidden, strict=True)
        ]
    return out


def _is_uniform(scores: list[int], marks: Any) -> bool:
    """Whether all that is seen has one score: its weights have no exponentials."""
    return len({n for n, mark in zip(scores, marks, strict=True) if not mark}) == 1


def _one_by_one(x: Exponentials, k: int, printer: Printer) -> list[str | None]:
    basis = x.basis(k)
    index = tuple(map(int, np.unravel_index(k, x.shape[:-1])))
    return [_within(printer, basis.entry(j), (*index, j)) for j in range(x.shape[-1])]
