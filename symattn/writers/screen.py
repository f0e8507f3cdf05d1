r"""What text is written for: a terminal with its width and colours, or a pipe with neither.

A colour never says anything alone: without it the same words stand there. Roles are words,
``"label"`` of a row or column, ``"heading"``, ``"faint"``, ``"strong"``, ``"good"``, ``"bad"``,
``"warning"``, or ``""``.

>>> print(repr(Screen(colours=16).ink("wrong", "bad")), Screen().ink("wrong", "bad"))
'\x1b[31mwrong\x1b[0m' wrong
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Select Graphic Rendition (ECMA-48, 8.3.117) of each role. The 16 colours are those of the
#: reader's theme.
_ROLES = {
    "label": "36",
    "heading": "1",
    "strong": "1",
    "faint": "2",
    "good": "32",
    "bad": "31",
    "warning": "35",
}

#: Of 256, such as have a contrast of 3.8 or more to black and to white.
_ROLES_256 = {"label": "38;5;31", "good": "38;5;28", "bad": "38;5;160", "warning": "38;5;130"}


#: Blocks of scripts that run from right to left (Unicode, DerivedBidiClass), and runs of them: over
#: what runs in no direction, such as digits, but not over the gap of two columns.
_LEFTWARDS = (
    "[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_RUN = re.compile(rf"{_LEFTWARDS}(?:(?:(?!  )[^\w\x00-\x1f]|\d)*{_LEFTWARDS})*")


def isolated(text: str) -> str:
    r"""The text for a terminal, whose order of writing no word changes beyond its own end.

    Words from right to left stand between U+2068 and U+2069 (Unicode, UAX 9): without these a
    terminal that orders text would turn the numbers behind them around.

    >>> ascii(isolated("\u05d0\u05d1  0.5  0.2"))
    "'\\u2068\\u05d0\\u05d1\\u2069  0.5  0.2'"
    """
    return _RUN.sub("\u2068\\g<0>\u2069", text)


#: A regular expression of the codes that there are.
INK = r"\x1b\[(?:" + "|".join({"0", *_ROLES.values(), *_ROLES_256.values()}) + ")m"


@dataclass(frozen=True)
class Screen:
    """Where text is shown.

    Attributes:
        width: the columns of a terminal; None where nothing folds.
        colours: 0, 16 or 256.
    """

    width: int | None = None
    colours: int = 0

    def ink(self, text: str, role: str) -> str:
        """A text in the colour of its role."""
        if not self.colours or not role or not text:
            return text
        code = (self.colours == 256 and _ROLES_256.get(role)) or _ROLES[role]
        return f"\x1b[{code}m{text}\x1b[0m"


#: Pipes, files, and a plain Python prompt.
PLAIN = Screen()
