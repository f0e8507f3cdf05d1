"""Inputs made of good ones: cut, doubled, joined, nested, and sprinkled with what breaks readers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

MAX_INPUT = 3000  # characters of what a mutation leaves

NUMBERS = (
    "0", "-0", "1", "-1", "2", "0.5", "1/3", "1/0", "0/0", "1e5", "1e-5", "1e400", "1e-400", "1e999999999",
    "9" * 60, "9" * 450, "9" * 5000, "0." + "3" * 250, "9**9**9", "2^64", "2^65", "(2^64)^64", "nan", "inf", "-oo",
    "NaN", "Infinity", "oo", "٣", "½", "1_000", "+1", "--1", ".5", "5.", "1.2.3", "0x1F", "1e", "true", "null",
    "-9223372036854775809", "18446744073709551616", "1,5", "64.3%", "sqrt(2)", "exp(1/2)", "log(0)", "sqrt(-1)",
    "sqrt(sqrt(2)+1)", "exp(exp(exp(9)))", "a_1", "pi",
)  # fmt: skip
SIGNS = (
    "\0", "\ud800", "\udfff", "\ufeff", "\u202e", "\u200b", "\u2028", "\x85", "\x0c", "\x1b[31m", "\r", "\r\n", "\n", "\n\n",
    "\t", " ", "é", "e\u0301", "中", "𝒜", "−", "–", "\\", "\\\\", '"', "'", '"""', "'''", "`", "```", "~~~", "$", "$$",
    "{", "}", "[", "]", "(", ")", "<", ">", "|", "&", "#", "%", "=", "==", ":", ";", ",", ".", "*", "**", "_", "^", "~", "!",
    "@", "?", "/", "-", "+", "…", "∞", "<!--", "-->", "]]>", "\\begin{", "\\end{", "%s", "{0}", "${x}", "\\1", "(?:",
)  # fmt: skip
_NUMBER = re.compile(r"-?\d+(?:[.,/]\d+)?")


def mutated(rng: Random, corpus: Sequence[str], words: Sequence[str]) -> str:
    """A text of the corpus, changed in one to six places."""
    text = rng.choice(corpus)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
        text = rng.choice(_CHANGES)(rng, text, corpus, words)[:MAX_INPUT]
    return text


Change = Callable[[Random, str, Sequence[str], Sequence[str]], str]


def _span(rng: Random, text: str) -> tuple[int, int]:
    start = rng.randint(0, len(text))
    return start, min(len(text), start + rng.choice((1, 1, 2, 4, 10, 40, 200)))


def _delete(rng: Random, text: str, corpus: Sequence[str], words: Sequence[str]) -> str:
    start, end = _span(rng, text)
    return text[:start] + text[end:]


def _double(rng: Random, text: str, corpus: Sequence[str], words: Sequence[str]) -> str:
    start, end = _span(rng, text)
    return text[:end] + text[start:end] * rng.choice((1, 1, 2, 5, 30)) + text[end:]


def _sign(rng: Random, text: str, corpus: Sequence[str], words: Sequence[str]) -> str:
    start, end = _span(rng, text)
    return text[:start] + rng.choice(SIGNS) + text[rng.choice((start, end)) :]


def _word(rng: Random, text: str, corpus: Sequence[str], words: Sequence[str]) -> str:
    start, end = _span(rng, text)
    return text[:start] + rng.choice(words) + text[rng.choice((start, start, end)) :]


def _number(rng: Random, text: str, corpus: Sequence[str], words: Sequence[str]) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return text + rng.choice(NUMBERS)
    there = rng.choice(found)
    return text[: there.start()] + rng.choice(NUMBERS) + text[there.end() :]


def _move(rng: Random, text: str, corpus: Sequence[str], words: Sequence[str]) -> str:
    start, end = _span(rng, text)
    rest = text[:start] + text[end:]
    at = rng.randint(0, len(rest))
    return rest[:at] + text[start:end] + rest[at:]


def _joined(rng: Random, text: str, corpus: Sequence[str], words: Sequence[str]) -> str:
    other = rng.choice(corpus)
    start, end = _span(rng, other)
    end = rng.choice((end, len(other)))
    at = rng.randint(0, len(text))
    return text[:at] + other[start:end] + text[rng.choice((at, len(text))) :]


def _nested(rng: Random, text: str, corpus: Sequence[str], words: Sequence[str]) -> str:
    start, end = _span(rng, text)
    depth = rng.choice((1, 1, 3, 30, 300))
    opening, closing = rng.choice(
        (("(", ")"), ("[", "]"), ("{", "}"), ("$", "$"), ("`", "`"), ("-", ""), ("\\frac{", "}"), ("^", ""))
    )  # fmt: skip
    closing *= depth - rng.choice((0, 0, 1))
    return text[:start] + opening * depth + text[start:end] + closing + text[end:]


def _flipped(rng: Random, text: str, corpus: Sequence[str], words: Sequence[str]) -> str:
    if not text:
        return chr(rng.randrange(1, 256))
    at = rng.randrange(len(text))
    return text[:at] + chr(rng.randrange(0, 256)) + text[at + 1 :]


def _cut(rng: Random, text: str, corpus: Sequence[str], words: Sequence[str]) -> str:
    return text[: rng.randint(0, len(text))]


_CHANGES: tuple[Change, ...] = (
    _delete, _delete, _double, _sign, _sign, _word, _word, _word, _number, _number, _number, _move,
    _joined, _joined, _nested, _flipped, _cut,
)  # fmt: skip
