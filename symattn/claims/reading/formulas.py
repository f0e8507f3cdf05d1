"""What an expression calculates: a small grammar of products, quotients and softmaxes.

sum     = product (("+" | "-") product)*
product = factor (("*" | "@" | "/" | nothing) factor)*
factor  = name | number | function "(" sum ")" | "(" sum ")", each with ^T or an index
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from symattn.claims.reading.spelling import plain
from symattn.claims.reading.words import ROWS, step_named

MAX_LENGTH = 300
MAX_DEPTH = 12

_TOKEN = re.compile(
    r"\s*(?:(?P<frac>\\[dt]?frac)|(?P<sqrt>\\sqrt|sqrt|√)|(?P<command>\\[a-zA-Z]+)"
    r"|(?P<name>[^\W\d_]\w*(?:\s[^\W\d_]\w*)*)"
    r"|(?P<number>\d+(?:\.\d*)?)|(?P<place>□)|(?P<power>\*\*)|(?P<sign>[-+*@/(){}\[\],^_⊺×·|=:.]))"
)
Kind = Literal["", "bracket", "subscript", "superscript"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an expression is: a step, perhaps transposed, or a plain number (step "")."""

    step: str
    transposed: bool = False
    index: str = ""
    index_kind: Kind = ""
    is_formula: bool = False
    scaled: bool = False


_NUMBER = Meaning("")
_UNKNOWN = Meaning("?")
_PRODUCTS: dict[tuple[str, str, bool], str] = {
    ("E", "W_Q", False): "Q", ("E", "W_K", False): "K", ("E", "W_V", False): "V",
    ("Q", "K", True): "S", ("E", "E", True): "S", ("A", "V", False): "O", ("A", "E", False): "O",
}  # fmt: skip


class _NoFormula(Exception):
    """The text is not of this grammar."""


@lru_cache(maxsize=1024)
def meaning_of(text: str) -> Meaning | None:
    r"""The step that an expression calculates, or None.

    >>> meaning_of(r"\text{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)V").step
    'O'
    >>> meaning_of("queries @ keys.T").step, meaning_of("S/\\sqrt{2}").step
    ('S', 'Z')
    """
    if len(text) > MAX_LENGTH:
        return None
    if step := step_named(text.strip()):
        return Meaning(step)
    if re.search(r"\.softmax\([^()]*\)$", text):
        return Meaning("A", is_formula=True)
    if re.search(r"\.masked_fill_?\(", text):
        return Meaning("Z_masked", is_formula=True)
    try:
        found = _Formula(plain(text)).whole()
    except _NoFormula:
        return None
    is_step = found.step not in ("", "?") and not found.transposed and not found.scaled
    return found if is_step else None


class _Formula:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        self.at = 0
        self.depth = 0
        position, end = 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None:
                raise _NoFormula
            self.tokens += _split(match.lastgroup or "", match[match.lastgroup or 0])
            position = match.end()

    def whole(self) -> Meaning:
        found = self._sum("")
        if self.at < len(self.tokens):
            raise _NoFormula
        return found

    def _peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _next(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise _NoFormula
        self.at += 1
        return self.tokens[self.at - 1]

    def _sum(self, closing: str) -> Meaning:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _NoFormula
        found = self._product()
        while self._peek() in ("+", "-"):
            self._next()
            other = self._product()
            masked = found.step in ("S", "Z") and other.step == "M"
            found = Meaning("Z_masked", is_formula=True) if masked else _UNKNOWN
        if closing:
            while self._peek() == ",":  # further arguments: dim=-1
                self._next()
                while self._peek() not in (",", closing, ""):
                    self._next()
            if self._next()[1] != closing:
                raise _NoFormula
        self.depth -= 1
        return found

    def _product(self) -> Meaning:
        while self._peek() == "-":
            self._next()
        found = self._factor()
        while (sign := self._peek()) and sign not in ("+", "-", ")", "}", "]", ",", "=", "|"):
            if sign in ("*", "@", "/"):
                self._next()
            other = self._factor()
            found = _quotient(found, other) if sign == "/" else _product(found, other)
        return found

    def _factor(self) -> Meaning:
        kind, token = self._next()
        if token in ("(", "{"):
            found = self._sum({"(": ")", "{": "}"}[token])
        elif kind == "frac":
            found = _quotient(self._factor(), self._factor())
        elif kind in ("sqrt", "number"):
            found = _NUMBER
            if kind == "sqrt":
                self._factor()
        elif kind == "name":
            found = self._name(token)
        elif kind == "place":
            found = _UNKNOWN
        else:
            raise _NoFormula
        return self._marks(found)

    def _name(self, token: str) -> Meaning:
        word = token.lower().replace("_", "").replace(" ", "")
        if self._peek() == "(":
            if word.endswith("softmax"):
                self._next()
                self._sum(")")
                return Meaning("A", is_formula=True)
            if word in ("attention", "attn", "selfattention", "scaleddotproductattention"):
                self._next()
                self._sum(")")
                return Meaning("O", is_formula=True)
            if word in ("wquery", "wkey", "wvalue", "wq", "wk", "wv"):
                self._next()
                self._sum(")")
                return Meaning(word[1].upper(), is_formula=True)
            if word in ("mask", "masked", "causalmask"):
                self._next()
                self._sum(")")
                return Meaning("Z_masked", is_formula=True)
        if token == "e" and self._peek() in ("^", "**"):
            return _UNKNOWN  # exponentials, and no embeddings
        step = step_named(token)
        if step:
            return Meaning(step)
        numbered = re.fullmatch(r"(.+?)_?(\d+)", token)
        if numbered and (step := ROWS.get(numbered[1]) or step_named(numbered[1])):
            return Meaning(step, index=numbered[2], index_kind="subscript")
        if token in ROWS:
            return Meaning(ROWS[token])
        return _NUMBER if re.match(r"d_|d$|scale|n$|sqrt", token) else _UNKNOWN

    def _marks(self, found: Meaning) -> Meaning:
        """Transposes, indices and powers behind a factor."""
        transposed, index, kind = found.transposed, found.index, found.index_kind
        while (sign := self._peek()) in ("⊺", "_", "^", "**", "["):
            self._next()
            if sign == "⊺":
                transposed = not transposed
            elif sign == "**":
                self._factor()
            else:
                written = self._index("]" if sign == "[" else "")
                if found.step == "W" or (found.step == "?" and sign in "_^"):
                    continue
                if not index:
                    index = written
                    kind = {"[": "bracket", "_": "subscript"}.get(sign, "superscript")  # type: ignore[assignment]
        return Meaning(found.step, transposed, index, kind, found.is_formula, found.scaled)

    def _index(self, closing: str) -> str:
        """An index as written, up to its closing bracket; one token without."""
        token = self._next()[1]
        if not closing and token != "{":
            return token
        closing = closing or "}"
        depth, said = 1, ""
        while True:
            if token == "{" and said:
                depth += 1
            if token == closing:
                depth -= 1
                if not depth:
                    return said.strip("{}() ").replace(" ", "")
            said += token if token != "{" or said else " "
            token = self._next()[1]


def _split(kind: str, token: str) -> list[tuple[str, str]]:
    """A run of capitals is a product of its letters: QK, AV, XW_Q."""
    if kind != "name" or step_named(token):
        return [(kind, token)]
    if " " in token:
        return [part for word in token.split() for part in _split(kind, word)]
    if re.fullmatch(r"[A-Z]{2,4}(?:_\w+)?", token):
        parts = re.findall(r"[A-Z](?:_\w+$)?", token)
        return [("name", part) for part in parts]
    match = re.fullmatch(r"([A-Za-z]|alpha)_(\w+)", token)
    if match and (match[1] in ROWS or step_named(match[1])):
        return [("name", match[1]), ("sign", "_"), ("name", match[2])]
    return [(kind, token)]


def _product(left: Meaning, right: Meaning) -> Meaning:
    if left.step == "" and right.step == "":
        return _NUMBER
    if left.step == "" or right.step == "":
        return _scaled(left if left.step else right)
    if left.transposed:
        return _UNKNOWN
    step = _PRODUCTS.get((left.step, right.step, right.transposed), "?")
    found = Meaning(step, False, left.index, left.index_kind, True)
    return _scaled(found) if left.scaled or right.scaled else found


def _scaled(found: Meaning) -> Meaning:
    """A number times a step: scores become scaled ones, anything else waits for its product."""
    if found.step in ("S", "Z"):
        return Meaning("Z", False, found.index, found.index_kind, True)
    return replace(found, scaled=True)


def _quotient(left: Meaning, right: Meaning) -> Meaning:
    if left.step == "" and right.step in ("", "?"):
        return _NUMBER
    if left.step in ("S", "Z") and right.step in ("", "?"):
        return Meaning("Z", False, left.index, left.index_kind, True)
    return _UNKNOWN
