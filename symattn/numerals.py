"""The decimals of a displayed entry: rounded as its display says, and as they are written.

Data has a point and fixed decimals. What people read may have significant figures, an exponent
where fixed decimals would say 0.00 of what is not 0, and a decimal comma.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from symattn.errors import Undecided
from symattn.graph import Array
from symattn.notation import DecimalMark, Notation, Small
from symattn.rounding import Decimals, Figures

if TYPE_CHECKING:
    from symattn.display import Display
    from symattn.steps import Step

Index = tuple[int, ...]

#: Figures of a number that has an exponent because its decimals would be 0: any of them are
#: finer than those decimals.
FIGURES = 2

#: What the mark of a small number says.
SMALL = "‡ is not 0, or not known to be, and rounds to it"

#: Significant figures have an exponent if the first of them stands behind more zeros, or where
#: they would need zeros before the point that signify nothing; C's %g draws the same line.
SMALLEST = -4


@dataclass(frozen=True)
class Numeral:
    """A rounded number, as data writes it, and what is to be said of it.

    Attributes:
        text: ``0.40``, ``1.3e-5``, ``-oo``, or proven digits and ``?``.
        moved: whether it is not the nearest, so that its row adds to 1.
        small: whether it reads 0 for what is not 0, or not known to be.
    """

    text: str
    moved: bool = False
    small: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it is digits only, and no exponent or mark."""
        return not (self.moved or self.small or "e" in self.text)

    def written(self, style: Notation, mark: DecimalMark = ".") -> str:
        r"""It without its marks: ``0{,}40``, ``1.3 \cdot 10^{-5}``."""
        return written(self.text, style, mark)


def written(text: str, style: Notation, mark: DecimalMark = ".") -> str:
    r"""A number of data as people write it.

    >>> written("-1.3e-5", "latex", ","), written("1.3e-5", "text"), written("-oo", "latex")
    ('-1{,}3 \\cdot 10^{-5}', '1.3e-5', '-\\infty')
    """
    if mark == ",":
        text = text.replace(".", "{,}" if style == "latex" else ",")
    if style == "text":
        return text
    mantissa, has_exponent, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{exponent}}}" if has_exponent else text.replace("oo", r"\infty")


def positional(text: str) -> str:
    """Significant figures without their exponent, where that is the better way to read them.

    >>> positional("1.30e-2"), positional("1.30e2"), positional("1.30e3"), positional("1.3e-5")
    ('0.0130', '130', '1.30e3', '1.3e-5')
    """
    mantissa, has_exponent, after = text.partition("e")
    digits = mantissa.lstrip("-").replace(".", "")
    exponent = int(after or 0)
    if not has_exponent or not SMALLEST <= exponent < len(digits):
        return text
    sign = "-" if text.startswith("-") else ""
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole, rest = digits[: exponent + 1], digits[exponent + 1 :]
    return f"{sign}{whole}{rest and '.'}{rest}"


def fixed_figures(text: str) -> str:
    """The same without an exponent of small numbers, however small.

    >>> fixed_figures("1.3e-5"), fixed_figures("1.3e5")
    ('0.000013', '1.3e5')
    """
    mantissa, has_exponent, after = text.partition("e")
    if not has_exponent or int(after) >= 0 or int(after) < -MAX_ZEROS:
        return positional(text)
    digits = mantissa.lstrip("-").replace(".", "")
    return f"{'-' * text.startswith('-')}0.{'0' * (-int(after) - 1)}{digits}"


#: Zeros that are written out after the point; e^{-10^6} has 434,294 of them.
MAX_ZEROS = 1000


def numerals(step: Step, digits: int | None = None) -> Array:
    """The `Numeral` of every entry.

    Args:
        digits: as the step's display has them if left out.

    Raises:
        ExactnessError: an entry with symbols.
    """
    wanted = step.checked_digits(digits)
    if step.display_option("rounding") == "significant":
        found = step.figures_shown(max(wanted, 1))
        return _each(found, lambda index: _significant(step, found[index]))
    shown = step.shown(wanted)
    return _each(shown, lambda index: _decimal(step, index, shown[index], wanted))


def numeral(step: Step, index: Index, digits: int | None = None) -> Numeral:
    """The same of one entry."""
    wanted = step.checked_digits(digits)
    if step.display_option("rounding") == "significant":
        return _significant(step, step.figures_shown_at(index, max(wanted, 1)))
    return _decimal(step, index, step.shown_at(index, wanted), wanted)


def _each(like: Array, one: Callable[[Index], Numeral]) -> Array:
    out = np.empty(like.shape, dtype=object)
    for index in np.ndindex(like.shape):
        out[index] = one(index)
    return out


def _significant(step: Step, text: str) -> Numeral:
    return Numeral(text if text.endswith("?") else _figures(text, step.display_option("small")))


def _figures(text: str, small: Small) -> str:
    return positional(text) if small == "scientific" else fixed_figures(text)


def _decimal(step: Step, index: Index, decimal: str, digits: int) -> Numeral:
    moved = step.moved(digits).get(index)
    if moved is not None:
        return Numeral(moved, moved=True)
    if not _reads_zero(decimal):
        return Numeral(decimal)
    is_zero = step.derivation.enclosures.is_zero((step.node, index))
    if is_zero:
        return Numeral(decimal)
    if is_zero is False and step.display_option("small") == "scientific" and not step.keeps_sums:
        try:
            rule = Figures(min(max(digits, 1), FIGURES))
            return Numeral(step.derivation.enclosures.rounded((step.node, index), rule))
        except Undecided:  # by the printed digits of the inputs
            pass
    return Numeral(decimal, small=True)


def _reads_zero(decimal: str) -> bool:
    return not decimal.strip("0.")


def alone(value: Any, digits: int, display: Display) -> Numeral:
    """The numeral of a number that is no entry: of a share, or of what a claim should be.

    Raises:
        Undecided: its rounding is not settled at 32,768 bits.
    """
    from symattn.certify import rounded

    if display.rounding == "significant":
        return Numeral(_figures(rounded(value, Figures(max(digits, 1))), display.small))
    decimal = rounded(value, Decimals(digits))
    if not _reads_zero(decimal):
        return Numeral(decimal)
    try:
        found = rounded(value, Figures(min(max(digits, 1), FIGURES)))
    except Undecided:
        return Numeral(decimal, small=True)
    if found == "0":
        return Numeral(decimal)
    return Numeral(found) if display.small == "scientific" else Numeral(decimal, small=True)
