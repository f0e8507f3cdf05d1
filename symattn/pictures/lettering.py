"""Text in a picture: how wide it is about, cut where it is too wide, symbols with subscripts."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from symattn.notation import GREEK, visible
from symattn.pictures.svg import SIZE, Element, Value, element, hint

#: Widths in ems of what is wider or narrower than most; of sans-serif fonts the wider ones.
_NARROW = frozenset("iljtfrI.,:;'|!()[]{}/\\ `-")
_WIDE = frozenset("mwMWOQGNHD@%—…&#<>=+~^_√∂")

#: What a room that was made of widths may lack of their sum.
_ROUNDING = 1e-6


def width(text: str, size: float = SIZE) -> float:
    """How wide a text is, estimated from above.

    >>> width("猫") > width("a") > width("i")
    True
    """
    return size * sum(map(_ems, visible(text)))


def _ems(sign: str) -> float:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me"):
        return 0.0
    if unicodedata.east_asian_width(sign) in ("W", "F"):
        return 1.0 if unicodedata.category(sign) != "So" else 1.4
    if sign in _NARROW:
        return 0.42
    if sign in _WIDE:
        return 0.9
    return 0.72 if sign.isupper() else 0.65


def shortened(text: str, room: float, size: float = SIZE) -> str:
    """The text, or as much of it as there is room for and an ellipsis.

    >>> shortened("attention", 40), shortened("cat", 40)
    ('att…', 'cat')
    """
    text = visible(text)
    if width(text, size) <= room + _ROUNDING:
        return text
    kept = ""
    for sign in text:
        if width(kept + sign + "…", size) > room:
            break
        kept += sign
    return kept.rstrip() + "…"


def label(text: str, x: float, y: float, room: float, **attributes: Value) -> Element:
    """A word at a place: cut to its room, and then in full where a pointer rests on it."""
    size = attributes.get("font_size")
    shown = shortened(text, room, size if isinstance(size, float) else SIZE)
    whole = [hint(text)] if shown != visible(text) else []
    return element("text", *whole, shown, x=x, y=y, **attributes)


@dataclass(frozen=True)
class Run:
    """Signs of a symbol that stand alike: slanted or not, how large, how far above the line."""

    text: str
    slanted: bool = False
    scale: float = 1.0
    rise: float = 0.0


_SIGNS = {
    "ell": "ℓ", "partial": "∂", "infty": "∞", "log": "log ", "varepsilon": "ε", "backslash": "\\",
    "wedge": "^", "sim": "~", "top": "⊤", "ast": "*", "dagger": "†", "cdot": "·", "sqrt": "√",
}  # fmt: skip
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[\s\S]")
_UPRIGHT = ("mathrm", "text", "mathtt", "texttt", "mathbf", "left", "right", "displaystyle")


def runs(latex: str) -> list[Run]:
    r"""A symbol's LaTeX as runs of text.

    >>> [(run.text, run.rise > 0, run.rise < 0) for run in runs(r"Z_{\mathrm{masked}}^{(0)}")]
    [('Z', False, False), ('masked', False, True), ('(0)', True, False)]
    """
    found: list[Run] = []
    _read(_TOKEN.findall(latex), found, False, 1.0, 0.0, False)
    merged: list[Run] = []
    for run in found:
        last = merged[-1] if merged else None
        if last and (last.slanted, last.scale, last.rise) == (run.slanted, run.scale, run.rise):
            merged[-1] = Run(last.text + run.text, run.slanted, run.scale, run.rise)
        else:
            merged.append(run)
    return merged


def _read(
    tokens: list[str], out: list[Run], upright: bool, scale: float, rise: float, single: bool
) -> None:
    """Read up to the end of a group, or one argument; tokens are taken away from the front."""
    while tokens:
        token = tokens.pop(0)
        if token == "}":
            return
        if token == "{":
            _read(tokens, out, upright, scale, rise, False)
        elif token in ("_", "^"):
            shift = 0.42 * scale if token == "^" else -0.22 * scale
            _read(tokens, out, upright, 0.72 * scale, rise + shift, True)
        elif token.startswith("\\"):
            _command(token[1:], tokens, out, upright, scale, rise)
        elif not token.isspace() or upright:
            out.append(Run(token, not upright and token.isalpha(), scale, rise))
        if single:
            return


def _command(
    name: str, tokens: list[str], out: list[Run], upright: bool, scale: float, rise: float
) -> None:
    if name in _UPRIGHT:
        if name not in ("left", "right", "displaystyle"):
            _read(tokens, out, True, scale, rise, True)
    elif name == "hat":
        at = len(out)
        _read(tokens, out, upright, scale, rise, True)
        if len(out) > at:
            last = out[-1]
            out[-1] = Run(last.text + "\u0302", last.slanted, last.scale, last.rise)
    elif name == "frac":
        _read(tokens, out, upright, scale, rise, True)
        out.append(Run("/", False, scale, rise))
        _read(tokens, out, upright, scale, rise, True)
    elif name in GREEK:
        full = ("GREEK CAPITAL LETTER " if name[0].isupper() else "GREEK SMALL LETTER ") + name
        sign = unicodedata.lookup(full.upper().replace("LAMBDA", "LAMDA"))
        out.append(Run(sign, not upright, scale, rise))
    elif name in _SIGNS:
        out.append(Run(_SIGNS[name], False, scale, rise))
    elif name == ",":
        out.append(Run(" ", False, scale, rise))
    else:
        out.append(Run(name, False, scale, rise))


def symbol_width(latex: str, size: float = SIZE) -> float:
    """How wide a symbol is, estimated from above."""
    return sum(width(run.text, size * run.scale) for run in runs(latex))


def symbol(latex: str, x: float, y: float, size: float = SIZE, **attributes: Value) -> Element:
    """A symbol at a place, subscripts and superscripts as tspans."""
    parts: list[Element | str] = []
    at = 0.0
    for run in runs(latex):
        down = (at - run.rise) * size
        at = run.rise
        parts.append(
            element(
                "tspan",
                run.text,
                dy=down or None,
                font_size=size * run.scale if run.scale != 1 else None,
                font_style="italic" if run.slanted else None,
            )
        )
    return element("text", *parts, x=x, y=y, font_size=size, **attributes)
