"""What pictures show of numbers: floats for the eye, certified decimals, which cells are masked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from symattn.entries import Entry
from symattn.errors import OptionError
from symattn.literals import Infinity
from symattn.notation import visible
from symattn.steps import Step

#: How dark the darkest shade is: text in the page's colour stays legible on it.
DARKEST = 0.65

#: Cells that a picture may have.
MOST = 10_000


def check(step: Step, wanted: str) -> None:
    """Refuse what has no numbers, or more than can be drawn.

    Raises:
        OptionError: symbols, or more than 10,000 cells.
    """
    if step.has_symbols:
        found = ", ".join(step.derivation.symbols[:3])
        raise OptionError(
            f"{step.short} contains symbols ({found}); {wanted} wants numbers; "
            f"{step.derivation.way_back}"
        )
    count = int(np.prod(step.shape, dtype=int))
    if count > MOST:
        raise OptionError(f"{wanted} wants at most {MOST:,} entries; {step.short} has {count:,}")


def value(entry: Entry) -> float:
    """An entry as a float, for lengths and shades only: the middle of its enclosure."""
    ball = entry.step.derivation.enclosures.ball((entry.step.node, entry.index))
    if isinstance(ball, Infinity):
        return ball.sign * inf
    return float(ball.mid()) if ball.is_finite() else 0.0


def decimals(step: Step) -> dict[tuple[int, ...], str]:
    """By index the certified decimal, as pages show it."""
    shown = step.displayed("text")
    return {index: sign(str(shown[index])) for index in np.ndindex(step.shape)}


def decimal(entry: Entry) -> str:
    """The certified decimal of one entry, as pages show it."""
    return sign(entry.step.displayed_at(entry.index, "text"))


def sign(text: str) -> str:
    """A decimal with the signs that print has for minus and infinity.

    >>> sign("-oo"), sign("-0.5")
    ('−∞', '−0.5')
    """
    return text.replace("oo", "∞").replace("-", "−")


def is_zero(entry: Entry) -> bool:
    """Whether an entry is exactly 0 as it stands."""
    form = entry.form
    if isinstance(form, Infinity) or entry.step.derivation.radii:
        return not isinstance(form, Infinity) and value(entry) == 0
    return bool(form.rational() == 0)


def masked(step: Step) -> set[tuple[int, ...]]:
    """The entries that a mask took away: −∞, or the weight of a score that is."""
    derivation = step.derivation
    node = derivation.graph.nodes[step.node]
    softmax = node.op == "softmax" and not step.given
    forms = derivation.forms[node.inputs[0] if softmax else step.node]
    return {
        index
        for index in np.ndindex(step.shape)
        if isinstance(forms[index], Infinity) and forms[index].sign < 0
    }


def largest_finite(values: Sequence[float]) -> float:
    """The largest absolute value; 1 where there is none but 0, so that it can divide."""
    return max((abs(v) for v in values if isfinite(v)), default=0.0) or 1.0


def words(step: Step, axis: int) -> list[str] | None:
    """The labels along an axis, or None."""
    found = step.axes[axis] if step.shape else None
    return [visible(word) or "(empty)" for word in found] if found else None


def names(step: Step, axis: int) -> list[str]:
    """The labels along an axis, or its indices."""
    return words(step, axis) or [str(i) for i in range(step.shape[axis])]


def said(entry: Entry, shown: str) -> str:
    """An entry in words: ``A, row mouse, column cat: 0.40``."""
    axes = [names(entry.step, axis) for axis in range(len(entry.index))]
    return _in_words(entry.step.short, axes, entry.index, shown)


def _in_words(name: str, axes: Sequence[list[str]], index: tuple[int, ...], shown: str) -> str:
    kinds = ("row", "column") if len(index) == 2 else ("entry",) * len(index)
    places = (f"{kind} {axis[i]}" for kind, axis, i in zip(kinds, axes, index, strict=True))
    return f"{', '.join([name, *places])}: {shown}"


@dataclass(frozen=True)
class Sheet:
    """An array as a heatmap shows it.

    Attributes:
        name: its address.
        symbol: LaTeX.
        shape: of the array.
        names: for each axis the words along it, or its indices.
        values: by index, for shades only.
        shown: by index the certified decimal.
        masked: the entries that a mask took away.
    """

    name: str
    symbol: str
    shape: tuple[int, ...]
    names: tuple[list[str], ...]
    values: Mapping[tuple[int, ...], float]
    shown: Mapping[tuple[int, ...], str]
    masked: Collection[tuple[int, ...]]

    def said(self, index: tuple[int, ...]) -> str:
        """An entry in words: ``A, row mouse, column cat: 0.40``."""
        return _in_words(self.name, self.names, index, self.shown[index])

    def address(self, index: tuple[int, ...]) -> str:
        """The address of an entry."""
        return f"{self.name}[{','.join(map(str, index))}]" if index else self.name


def sheet(step: Step) -> Sheet:
    """A step for a heatmap.

    Raises:
        OptionError: as `check`.
    """
    check(step, "a heatmap")
    axes = tuple(names(step, axis) for axis in range(len(step.shape)))
    values = {entry.index: value(entry) for entry in step.entries()}
    return Sheet(step.short, step.symbol, step.shape, axes, values, decimals(step), masked(step))


def list_of(parts: Sequence[str], most: int = 12) -> str:
    """Words one after another, and how many more there are.

    >>> list_of(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    rest = len(parts) - most
    return ", ".join(parts[:most]) + (f" and {rest} more" if rest > 0 else "")
