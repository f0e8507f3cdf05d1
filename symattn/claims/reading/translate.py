"""An exact number in LaTeX, Unicode or Python, said in the grammar of `literals`."""

from __future__ import annotations

import re
from fractions import Fraction

from symattn.errors import LiteralError
from symattn.literals import PI, Apply, Exact, Infinity, Name, parse

MAX_LENGTH = 300
MAX_DEPTH = 20

#: What a document calls by a name and is a number.
NAMED = {"pi": PI}

_FUNCTIONS = {"exp": "exp", "ln": "log", "log": "log", "sin": "sin", "cos": "cos", "tanh": "tanh",
              "erf": "erf", "sqrt": "sqrt"}  # fmt: skip
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<skip>\\(?:left|right|[bB]igg?[lr]?|displaystyle|mathrm|operatorname|,|;|:|!|\ )|~)
    | (?P<number>\d+(?:\.\d*)?|\.\d+)
    | (?P<command>\\[a-zA-Z]+)
    | (?P<name>(?:(?:np|numpy|math|torch|sp|sympy|jnp)\.)?[A-Za-z_][A-Za-z_0-9]*)
    | (?P<sign>\*\*|[-+*/^(){}\[\]√×·⋅÷−½⅓⅔¼¾])
    )""",
    re.VERBOSE,
)
_SIGNS = {"×": "*", "·": "*", "⋅": "*", "÷": "/", "−": "-", "**": "^"}
_FRACTIONS = {"½": "(1/2)", "⅓": "(1/3)", "⅔": "(2/3)", "¼": "(1/4)", "¾": "(3/4)"}


def exact_text(text: str, limit: int = MAX_LENGTH) -> str | None:
    r"""Say an exact number in the grammar of `literals`, or None where that fails.

    >>> exact_text(r"\frac{13\sqrt{2}}{25}")
    '((13*sqrt(2))/(25))'
    >>> exact_text("np.sqrt(2)/2"), exact_text(r"e^{\frac12}"), exact_text("1 2 ,")
    ('sqrt(2)/2', 'exp(((1)/(2)))', None)
    """
    if len(text) > limit:
        return None
    try:
        return _Translator(text).whole()
    except LiteralError:
        return None


def exact_value(text: str) -> Exact | None:
    """The exact number, if the text is one and there is no symbol in it."""
    said = exact_text(text)
    if said is None:
        return None
    try:
        value = parse(said, NAMED)
    except LiteralError:
        return None
    return value if is_number(value) else None


def divisor_text(text: str) -> str | None:
    r"""Say an exact number that may hold a size, d_k or another, or None.

    >>> divisor_text(r"\frac{1}{\sqrt{d_{k}}}")
    '((1)/(sqrt(d_k)))'
    """
    said = exact_text(_SIZE.sub(lambda m: f"d_{m[1] or m[2] or m[3]}", text))
    try:
        value = parse(said) if said else None
    except LiteralError:
        return None
    return said if value is not None and _SIZES.issuperset(_names(value)) else None


_SIZE = re.compile(
    r"d_\{(?:\\(?:text|mathrm)\{)(k|model|head)\}\}|d_\{(k|model|head)\}"
    r"|d_\\(?:text|mathrm)\{(k|model|head)\}"
)
_SIZES = {"d", "d_k", "d_model", "d_head", "n"}


def _names(value: Exact) -> set[str]:
    if isinstance(value, Apply):
        return set().union(*map(_names, value.args))
    return {value.name} if isinstance(value, Name) else set()


def is_number(value: Exact) -> bool:
    """Whether an exact number holds no symbol."""
    if isinstance(value, Apply):
        return all(is_number(part) for part in value.args)
    return isinstance(value, Fraction | Infinity)


class _Translator:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        self.at = 0
        self.depth = 0
        position, end = 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None:
                raise LiteralError(f"{text[position]!r} is not part of a number")
            kind = match.lastgroup or ""
            if kind != "skip":
                self.tokens.append((kind, match[kind]))
            position = match.end()

    def whole(self) -> str:
        said = self._sequence("")
        if not said:
            raise LiteralError("nothing there")
        return said

    def _next(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise LiteralError("it ends too early")
        token = self.tokens[self.at]
        self.at += 1
        return token

    def _peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _sequence(self, closing: str) -> str:
        """Everything up to a closing bracket, with the products that are left unsaid."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LiteralError("nested too deep")
        said, after_atom, last = "", False, ""
        while self._peek() != closing or (not closing and self.at < len(self.tokens)):
            kind, token = self._next()
            operator = _SIGNS.get(token, token)
            if operator in ("+", "-", "*", "/", "^") or token in (r"\cdot", r"\times"):
                said += operator if len(operator) == 1 else "*"
                if operator == "^" and self._peek() == "{":
                    said += self._group()
                after_atom = operator == "^" and said.endswith(")")
            else:
                if after_atom and kind == "number" and last == "number":
                    raise LiteralError("two numbers side by side")
                said += ("*" if after_atom else "") + self._atom(kind, token)
                after_atom = True
            last = kind
        if closing:
            self._next()
        self.depth -= 1
        return said

    def _group(self) -> str:
        """The argument of a command: a group in braces, or a single digit or command."""
        kind, token = self._next()
        if token == "{":
            return f"({self._sequence('}')})"
        if kind == "number" and len(token) > 1:
            # LaTeX takes one character: \frac12 is 1/2.
            self.at -= 1
            self.tokens[self.at] = (kind, token[1:])
            token = token[0]
        return f"({self._atom(kind, token)})"

    def _atom(self, kind: str, token: str) -> str:
        if token in ("(", "{", "["):
            return f"({self._sequence({'(': ')', '{': '}', '[': ']'}[token])})"
        if token in _FRACTIONS:
            return _FRACTIONS[token]
        if token == "√":
            return f"sqrt{self._group() if self._peek() in '{(' else '(' + self._next()[1] + ')'}"
        name = token.rpartition(".")[2].lstrip("\\") if kind in ("command", "name") else ""
        if token in (r"\frac", r"\dfrac", r"\tfrac", r"\cfrac"):
            return f"({self._group()}/{self._group()})"
        if token == r"\sqrt":
            return self._root()
        if name in ("e", "mathrm{e}") and self._peek() in ("^", "**"):
            self._next()
            return f"exp{self._group() if self._peek() == '{' else self._signed()}"
        if name in _FUNCTIONS and self._peek() in ("(", "{"):
            inner = self._sequence(")") if self._next()[1] == "(" else self._sequence("}")
            return f"{_FUNCTIONS[name]}({inner})"
        if name in ("log", "ln") and self._peek() and self._peek() not in "+-*/^":
            return f"log({self._atom(*self._next())})"  # \\log 2
        if kind == "number" or (kind == "name" and "." not in token):
            return token
        if token == r"\infty":
            return "oo"
        if token == r"\pi":
            return "pi"
        raise LiteralError(f"{token!r} is not part of a number")

    def _signed(self) -> str:
        sign = "-" if self._peek() in ("-", "−") else ""
        if sign:
            self._next()
        return f"({sign}{self._atom(*self._next())})"

    def _root(self) -> str:
        if self._peek() != "[":
            return f"sqrt{self._group()}"
        self._next()
        degree = self._sequence("]")
        return f"({self._group()}^(1/({degree})))"
