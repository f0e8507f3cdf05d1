"""Words on matplotlib's axes: no mathematics in them, and in fonts that have their signs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from symattn.notation import visible

#: A font whose glyphs are boxes that say which script a sign is of.
_BOXES = ("last resort", "lastresort")


def lettered(words: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """Texts as they are to be written, and the properties to write them with.

    A sign that no font of matplotlib's settings has is set in an installed one that has it; where
    there is none, its number stands for it, since a glyph that is missing is a warning later.
    """
    from matplotlib import rcParams

    families = list(rcParams["font.family"])
    shown, more = [], []
    for word in words:
        text = ""
        for sign in visible(word):
            font = "" if sign.isascii() else _font(sign, tuple(families))
            more += [font] if font else []
            text += sign if font is not None else sign.encode("unicode_escape").decode("ascii")
        shown.append(text)
    return shown, {
        "parse_math": False,
        "usetex": False,
        "family": [*families, *dict.fromkeys(more)],
    }


@cache
def _font(sign: str, families: tuple[str, ...]) -> str | None:
    """The installed font that a sign needs; "" where it needs none, None where there is none."""
    from matplotlib import font_manager

    def has(path: str) -> bool:
        return bool(font_manager.get_font(path).get_char_index(ord(sign)))

    wanted = [font_manager.FontProperties(family=[family]) for family in families]
    if any(map(has, map(font_manager.findfont, wanted))):
        return ""
    found = [
        (font.style != "normal", str(font.weight) not in ("400", "normal"), font.name)
        for font in font_manager.fontManager.ttflist
        if not font.name.lower().startswith(_BOXES) and has(font.fname)
    ]
    return min(found)[2] if found else None
