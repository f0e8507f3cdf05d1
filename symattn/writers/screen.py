r"""What text is written for: a terminal with its width and colours, or a pipe with neither.

A colour never says anything alone: without it the same words stand there. Roles are words,
``"label"`` of a row or column, ``"heading"``, ``"faint"``, ``"strong"``, ``"good"``, ``"bad"``,
``"warning"``, or ``""``.

>>> print(repr(Screen(colours=16).ink("wrong", "bad")), Screen().ink("wrong", "bad"))
'\x1b[31mwrong\x1b[0m' wrong
"""

from __future__ import annotations

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
