"""Words for what stands alone: signs, letters, tokens, decimals, places in a row."""

from __future__ import annotations

import re
import unicodedata

from symattn import notation

SIGNS = {
    "=": "equals",
    "≈": "is approximately",
    "≠": "is not equal to",
    "+": "plus",
    "−": "minus",
    "-": "minus",
    "±": "plus or minus",
    "×": "times",
    "⋅": "times",
    "·": "times",
    "⊙": "elementwise times",
    "∘": "composed with",
    "/": "divided by",
    "≤": "is at most",
    "≥": "is at least",
    "<": "is less than",
    ">": "is greater than",
    "≪": "is much less than",
    "→": "to",
    "↦": "maps to",
    "⟹": "implies",
    "⇒": "implies",
    "∈": "in",
    "∧": "and",
    "∨": "or",
    "¬": "not",
    "∼": "tilde",
    "|": "bar",
    "‖": "double bar",
    "\\": "backslash",
    "∂": "partial",
    "∇": "nabla",
    "∞": "infinity",
    "⊤": "transpose",
    "∗": "star",
    "*": "star",
    "†": "dagger",
    "‡": "double dagger",
    "′": "prime",
    "″": "double prime",
    "…": "and so on",
    "∑": "the sum",
    "∏": "the product",
    "∫": "the integral",
    "%": "percent",
    "!": "factorial",
    "?": "question mark",
    ":": "colon",
    "(": "open parenthesis",
    ")": "close parenthesis",
    "[": "open bracket",
    "]": "close bracket",
    "{": "open brace",
    "}": "close brace",
    "⌊": "the floor of",
    "⌋": "end floor",
    "⌈": "the ceiling of",
    "⌉": "end ceiling",
    "⟨": "open angle",
    "⟩": "close angle",
}
_SILENT = {"\u2061", "\u2062", "\u2063", "\u2064", ""}

#: Signs above or below something.
ACCENTS = {
    "ˆ": "hat",
    "^": "hat",
    "¯": "bar",
    "‾": "bar",
    "\u0305": "bar",
    "\u0332": "underlined",
    "˜": "tilde",
    "~": "tilde",
    "→": "vector",
    "\u20d7": "vector",
    "˙": "dot",
    "⏟": "braced",
    "⏞": "braced",
}

#: Letters that Unicode names at length.
NAMES = {"ℓ": "ell", "ε": "epsilon", "ϵ": "epsilon", "𝚎": "e", "ⅆ": "d"}

#: Superscripts that are no powers.
MARKS = {sign: SIGNS[sign] for sign in "⊤′″†‡∗*"}

_FUNCTIONS = {
    "sin": "sine",
    "cos": "cosine",
    "max": "the maximum",
    "min": "the minimum",
    "var": "the variance",
    "mean": "the mean",
}
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)


def token(text: str) -> str:
    """An operator, a name or a number; nothing for what is not seen."""
    text = text.replace("\xa0", " ").strip()
    if text in _SILENT:
        return ""
    if text in SIGNS:
        return SIGNS[text]
    if text in _FUNCTIONS:
        return _FUNCTIONS[text]
    return NAMES.get(text) or " ".join(map(_letter, _pieces(text)))


def _pieces(text: str) -> list[str]:
    """Words as they are, with underscores as spaces; letters of other alphabets alone."""
    plain = unicodedata.normalize("NFKC", text).replace("_", " ")
    return re.findall(r"[A-Za-z0-9.,]+|\S", plain) if len(text) > 1 else [plain]


def _letter(text: str) -> str:
    if text in NAMES or text in SIGNS:
        return NAMES.get(text) or SIGNS[text]
    if len(text) == 1 and "GREEK" in (name := unicodedata.name(text, "")):
        capital = "capital " if "CAPITAL" in name else ""
        return capital + name.rpartition("LETTER ")[2].partition(" ")[0].lower()
    return text


def label(text: str) -> str:
    """A token's text, as it is; a sign alone by its name, and spaces alone by theirs."""
    shown = notation.visible(text.replace("\xa0", " "))
    if not shown.strip():
        return "space" if shown else "empty"
    if len(shown) == 1 and not shown.isalnum():
        return unicodedata.name(shown, shown).lower()
    return shown


def ordinal(at: int) -> str:
    """``first`` for 0: said so that it cannot be mistaken for an index, which begins at 0.

    >>> ordinal(0), ordinal(11), ordinal(22)
    ('first', '12th', '23rd')
    """
    if at < len(_ORDINALS):
        return _ORDINALS[at]
    n = at + 1
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def decimal_words(decimal: str) -> str:
    """A decimal as pages print it: with an exponent, in the brackets of a highlighted cell, marked.

    >>> decimal_words("-0.25"), decimal_words("-oo"), decimal_words("0.39?"), decimal_words("0.34*")
    ('minus 0.25', 'minus infinity', '0.39 and digits that are not settled', '0.34 star')
    >>> decimal_words("[0,5]"), decimal_words("1.3e-5"), decimal_words("?")
    ('0.5 boxed', '1.3 times 10 to the power minus 5', 'no digit is settled')
    """
    if decimal == "?":
        return "no digit is settled"
    boxed = decimal.startswith("[") and decimal.endswith("]")
    shown = decimal.strip("[]").replace(",", ".").replace("oo", "infinity")
    number, _, exponent = shown.rstrip("*†‡?").partition("e")
    said = re.sub(r"^[-−]", "minus ", number)
    if exponent and number != "infinity":
        said += f" times 10 to the power {re.sub('^[-−]', 'minus ', exponent)}"
    said += " and digits that are not settled" * ("?" in shown)
    said += "".join(f" {SIGNS[mark]}" for mark in "*†‡" if mark in shown)
    return f"{said} boxed" if boxed else said
