"""What an example for a worksheet should be like."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isqrt
from typing import Any

from symattn.errors import OptionError, nearest

#: By attribute, the words that it may be; the first is the default.
WORDS: dict[str, tuple[str, ...]] = {
    "model": ("attention_head", "next_token"),
    "mask": ("causal", "none"),
    "style": ("fractions", "exponentials"),
}

#: By attribute, the least and the most.
COUNTS = {"tokens": (2, 6), "width": (1, 4), "d_k": (1, 9)}


@dataclass(frozen=True)
class Wanted:
    """What an example should be like.

    Attributes:
        model: ``attention_head``, or ``next_token``, which goes on to the next word.
        tokens: how many.
        width: components of an embedding and of a value.
        d_k: components of a query: 1, 4 or 9, so that its root is whole.
        mask: ``causal`` or ``none``.
        style: ``fractions``: W_K holds multiples of logarithms, weights are fractions;
            ``exponentials``: scores are whole, weights have powers of e in them.

    Raises:
        OptionError: something else.
    """

    model: str = "attention_head"
    tokens: int = 3
    width: int = 2
    d_k: int = 4
    mask: str = "causal"
    style: str = "fractions"

    def __post_init__(self) -> None:
        for name, known in WORDS.items():
            value = getattr(self, name)
            if value not in known:
                raise OptionError(f"{name}: wanted one of {', '.join(known)}, got {value!r}")
        for name, (least, most) in COUNTS.items():
            value = getattr(self, name)
            if type(value) is not int or not least <= value <= most:
                raise OptionError(f"{name}: wanted {least} to {most}, got {value!r}")
        if isqrt(self.d_k) ** 2 != self.d_k:
            raise OptionError(f"d_k: wanted a square number (1, 4, 9), got {self.d_k}")

    @property
    def goes_on(self) -> bool:
        """Whether it goes on to the next word."""
        return self.model == "next_token"

    @property
    def root(self) -> int:
        """The divisor of the scores."""
        return isqrt(self.d_k)

    def visible(self, row: int) -> int:
        """How many tokens a token sees, from the first on."""
        return row + 1 if self.mask == "causal" else self.tokens


def wanted(**options: Any) -> Wanted:
    """The same, with an error for an option that there is none.

    >>> wanted(tokens=4).visible(0)
    1
    """
    known = [field.name for field in fields(Wanted)]
    for name in options:
        if name not in known:
            raise OptionError(
                f"an example has no {name!r}{nearest(name, known)}; known are {', '.join(known)}"
            )
    return Wanted(**options)
