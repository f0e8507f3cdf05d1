"""How numbers are shown: one place for pages, `symattn show`, specs and the Python prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from symattn.errors import OptionError
from symattn.notation import Roots, RowSums

DIGITS = 6  # decimals shown where nothing else is said


#: The choices of a display that are words.
DISPLAY_WORDS: dict[str, tuple[str, ...]] = {
    "row_sums": get_args(RowSums),
    "roots": get_args(Roots),
}


@dataclass(frozen=True)
class Display:
    """How pages and `symattn show` show steps; exact values and certified decimals stay the same.

    Attributes:
        digits: decimals of every step.
        steps: those of some, by address or name.
        fold: ``"layers"``, ``"heads"``: of each only the first is shown in full, and of the
            others what they hand on; ``"entries"``: of a step whose exact entries are too long
            for a matrix, the decimals.
        row_sums: ``"kept"``: decimals of a softmax's row add to 1 as the exact weights do; see
            `symattn.row_sums`. ``"rounded"``: each is the nearest.
        roots: ``"rationalised"``: √2/2 and 13√2/25; ``"divided"``: 1/√2 and 26/(25√2).
        factor: whether a matrix that is divided keeps the factor, (1/√2)·S; else it stands above
            the divisor, S/√2.

    Raises:
        OptionError: a word that is none of these.
    """

    digits: int = DIGITS
    steps: Mapping[str, int] = field(default_factory=dict)
    fold: tuple[str, ...] = ()
    row_sums: RowSums = "rounded"
    roots: Roots = "rationalised"
    factor: bool = True

    def __post_init__(self) -> None:
        for name, known in DISPLAY_WORDS.items():
            value = getattr(self, name)
            if value not in known:
                raise OptionError(f"{name}: wanted one of {', '.join(known)}, got {value!r}")
        if not isinstance(self.factor, bool):
            raise OptionError(f"factor: wanted True or False, got {self.factor!r}")

    def of(self, address: str, name: str) -> int:
        return self.steps.get(address, self.steps.get(name, self.digits))
