"""Names, signs, spaces and strings of typst's mathematics."""

from __future__ import annotations

import re
import unicodedata
from xml.etree.ElementTree import Element

from symattn.mathml_parts import text_of

#: Functions that typst sets upright, with the space of an operator.
OPERATORS = {"arccos", "arcsin", "arctan", "arg", "cos", "cosh", "exp", "inf", "lim", "ln", "log",
              "max", "min", "sin", "sinh", "sup", "tan", "tanh"}  # fmt: skip
_SILENT = {"\u2061", "\u2062", "\u2063", "\u2064", ""}
ACCENTS = {"ˆ": "hat", "^": "hat", "˜": "tilde", "~": "tilde", "→": "arrow",
            "\u20d7": "arrow", "˙": "dot",
            "¯": "macron", "‾": "overline", "\u0305": "overline", "\u0332": "underline",
            "⏟": "underbrace", "⏞": "overbrace"}  # fmt: skip
_SPACES = {"0.1667": "thin", "0.2222": "med", "0.2778": "thick", "1": "quad", "2": "wide"}
_ALPHABETS = {"BOLD": "bold", "MONOSPACE": "mono", "DOUBLE-STRUCK": "bb", "FRAKTUR": "frak"}

#: What has its own space, so that one beside it is not set.
SPACED = {*"=<>≈≤≥≠∼&+×⋅⊙→∈⇒", *_SPACES.values()}
_PLAIN = set("=+<>!?*%@;")
PAIRS = {"(": ")", "[": "]", "⌊": "⌋", "⌈": "⌉", "⟨": "⟩", "{": "}"}

#: Characters of a token from which on it is set in lines.
LONG = 44

#: A comma on its way: in a call it is escaped, elsewhere it is plain.
COMMA = "\x01"


def string(text: str) -> str:
    r"""A string literal of typst's.

    >>> print(string('a "b" \\ $'))
    "a \"b\" \\ $"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in escaped) + '"'


def token(text: str) -> str:
    """A token's text, which the looks of a document set apart."""
    return f"tok({string(text)}{', long: #true' if len(text) > LONG else ''})"


def operator(shown: str, alone: bool) -> str:
    """An operator, escaped where typst reads it otherwise.

    Args:
        alone: whether it is a bracket that nothing closes.
    """
    shown = shown.replace("\xa0", " ").strip()
    if shown in _SILENT:
        return ""
    if shown in OPERATORS:
        return shown
    if shown == ",":
        return COMMA
    if shown in PAIRS or shown in PAIRS.values():
        return f"\\{shown}" if alone or shown in "{}" else shown
    if len(shown) > 1:
        return string(shown)
    return shown if shown in _PLAIN or not shown.isascii() else f"\\{shown}"


def name(part: Element) -> str:
    """A letter as it is, a word as an upright string, letters of other alphabets by their name."""
    text = text_of(part)
    plain = unicodedata.normalize("NFKC", text)
    if plain != text and text != "ℓ":
        names = {unicodedata.name(c, "") for c in text if unicodedata.normalize("NFKC", c) != c}
        for word, function in _ALPHABETS.items():
            if all(n.startswith(f"MATHEMATICAL {word} ") for n in names):
                return f"{function}({string(plain)})"
    if part.get("mathvariant") == "normal":
        return f"upright({string(text)})" if len(text) > 1 else f"upright({text})"
    if text in OPERATORS:
        return text
    return text if len(text) == 1 and (text.isalpha() or not text.isascii()) else string(text)


def space(part: Element) -> str:
    """A space by its name or width."""
    width = part.get("width") or part.get("style", "").partition("margin-left:")[2].rstrip(";")
    match = re.fullmatch(r"(-?[\d.]+)em", width)
    if match is None:
        return ""
    for size, name in _SPACES.items():
        if abs(float(match[1]) - float(size)) < 1e-3:
            return name
    return f"#h({match[1]}em)"
