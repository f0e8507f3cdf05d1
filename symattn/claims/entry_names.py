r"""Names of entries in what is printed: ``\frac{e^{Z[1,0]}}{\ell_1}`` by the entries it names.

A name is the symbol of a step with an index in brackets, which counts from zero, or with a
subscript, which counts from zero or from one: ``A[1,0]``, ``A_{1,0}``, ``\ell^{A^{(0,1)}}_2``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from symattn.claims.reading.translate import NAMED, exact_text
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.errors import LiteralError
from symattn.literals import Apply, Exact, Name, parse
from symattn.steps import Step

MAX_LENGTH = 6000  # characters of an expression
PLACEHOLDER = "entry_"

_IN_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\}"
_NAME = re.compile(
    rf"""
      (?P<base>\\log\s+(?:\\[a-zA-Z]+|[A-Za-z])|\\(?:hat|mathrm|text|mathbf|mathit|bm|boldsymbol|operatorname)\s*\{{[^{{}}]*\}}
        |{_IN_BRACES}|\\[a-zA-Z]+|[^\W\d_][^\W_]*)
      (?P<marks>(?:'|\s*[_^]\s*(?:{_IN_BRACES}|\\[a-zA-Z]+|[A-Za-z0-9]))*)
      (?P<index>\s*\[\s*\d{{1,9}}(?:\s*,\s*\d{{1,9}})*\s*\])?
    """,
    re.VERBOSE,
)
_MARK = re.compile(rf"'|\s*([_^])\s*({_IN_BRACES}|\\[a-zA-Z]+|[A-Za-z0-9])")
_FONT = re.compile(r"\\(?:mathrm|text|mathbf|mathit|bm|boldsymbol|operatorname)(?![a-zA-Z])")
_DIGITS = re.compile(r"\{?\s*(\d{1,9}(?:\s*,\s*\d{1,9})*)\s*\}?")
_FREE = re.compile(r"(.{1,200})_\{?[ijk]\}?")
_RULE = re.compile(r"^\s*\\(?:hline|midrule)(?![a-zA-Z])")
_FUNCTION = re.compile(r"\\mathrm\{(erf)\}")


@dataclass(frozen=True)
class Expression:
    """What is printed, by the entries that it names.

    Attributes:
        value: an exact number in which names stand for entries.
        entries: by these names, the entries.
        missing: what is named and does not exist, such as ``A[9,0]`` of a step with 3 rows.
        has_brackets: whether an index stands in brackets.
        has_subscripts: whether an index is a subscript.
    """

    value: Exact
    entries: Mapping[str, Entry]
    missing: tuple[str, ...] = ()
    has_brackets: bool = False
    has_subscripts: bool = False


class EntryNames:
    """Reads names of the entries of one derivation.

    Attributes:
        base: what subscripts count from, 0 or 1.
    """

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self.base = 0

    @cached_property
    def steps(self) -> Mapping[str, Step]:
        """By what a document calls them, the steps; what several are called is left out."""
        found: dict[str, list[Step]] = {}
        for step in self.derivation.steps:
            for name in dict.fromkeys(map(_plain, (step.symbol, step.short))):
                found.setdefault(name, []).append(step)
        return {name: steps[0] for name, steps in found.items() if len(steps) == 1}

    def entry(self, text: str) -> Entry | None:
        """The entry that a text names, and nothing else stands there."""
        text = text.strip()
        match = _NAME.fullmatch(text)
        found = self._named(match) if match else None
        return found if isinstance(found, Entry) else None

    def step(self, text: str) -> Step | None:
        r"""The step that a label names: ``A^{(0,1)}``, and row sums by ``\ell_i`` as well."""
        found = self.steps.get(_plain(text))
        if found is None and (match := _FREE.fullmatch(text.strip())):
            found = self.steps.get(_plain(match[1]))
            return found if found is not None and found.inside else None
        return found

    def symbols(self, text: str, place: str = "") -> Iterator[Step | None]:
        """The steps that a formula names, in order, without those that are one number.

        Args:
            place: a sign that stands for a matrix; None is given for it.
        """
        at = 0
        while at < len(text):
            if place and text.startswith(place, at):
                yield None
                at += len(place)
                continue
            match = _NAME.match(text, at)
            if match is None:
                at += 1
                continue
            step, end = self._symbol(match)
            if step is not None and step.shape:
                yield step
            at = end

    def _symbol(self, match: re.Match[str]) -> tuple[Step | None, int]:
        """The step that a symbol is, perhaps transposed or to a power; and where to go on."""
        marks = [match.start("marks"), *(m.end() + match.start("marks") for m in
                 _MARK.finditer(match["marks"]))]  # fmt: skip
        for end in reversed(marks):
            said = match.string[match.start() : end]
            if (step := self.steps.get(_plain(said))) is not None:
                return step, end
        return None, _past(match)

    def names_entry(self, text: str) -> bool:
        """Whether a text looks like the name of an entry, of whatever derivation."""
        match = _NAME.fullmatch(text.strip())
        return match is not None and match["index"] is not None

    def read(self, text: str) -> Expression | None:
        """What is printed, as an expression of entries; None for anything else."""
        text = _RULE.sub("", text)
        if len(text) > MAX_LENGTH or PLACEHOLDER in text:
            return None
        pieces: list[str] = []
        entries: dict[str, Entry] = {}
        missing: list[str] = []
        kinds: set[str] = set()
        at = 0
        while match := _NAME.search(text, at):
            found = self._named(match)
            pieces.append(text[at : match.start()])
            if found is None:
                # What it begins with is no name; names may stand inside of its marks.
                at = _past(match)
                pieces.append(text[match.start() : at])
                continue
            kinds.add("bracket" if match["index"] else "subscript")
            name = f"{PLACEHOLDER}{len(entries)}"
            if isinstance(found, str):
                missing.append(found)
                pieces.append(" 1 ")
            else:
                entries[name] = found
                pieces.append(f" {name} ")
            at = match.end()
        value = _value(_FUNCTION.sub(r"\\\1", "".join([*pieces, text[at:]])))
        if value is None or not entries.keys() >= _names(value):
            return None
        return Expression(value, entries, tuple(missing), "bracket" in kinds, "subscript" in kinds)

    def _named(self, match: re.Match[str]) -> Entry | str | None:
        """The entry that a name is; its name where its step has no such entry."""
        said = match["base"] + match["marks"]
        step = self.steps.get(_plain(said))
        if match["index"]:
            if step is None or not step.shape:
                return None
            return _entry(step, match["index"], 0, match[0])
        if step is not None and not step.shape:
            return Entry(step, ())
        for mark in reversed(list(_MARK.finditer(match["marks"]))):
            digits = _DIGITS.fullmatch(mark[2] or "") if mark[1] == "_" else None
            if not digits:
                continue
            rest = match["marks"][: mark.start()] + match["marks"][mark.end() :]
            step = self.steps.get(_plain(match["base"] + rest))
            if step is not None and step.shape:
                places = digits[1]
                if len(step.shape) == len(places) == 2:
                    places = f"{places[0]},{places[1]}"
                if places.count(",") + 1 == len(step.shape):
                    return _entry(step, places, self.base, match[0])
        return None


def _past(match: re.Match[str]) -> int:
    """Where to go on behind what is no name: names may stand inside of its marks."""
    base = match["base"]
    if re.match(r"\\log\s", base):
        return match.start() + len("\\log")
    return match.start() + (1 if base.startswith("{") else len(base.partition("{")[0]))


def _entry(step: Step, places: str, base: int, said: str) -> Entry | str:
    index = tuple(int(place) - base for place in re.findall(r"\d+", places))
    fits = len(index) == len(step.shape) and all(
        0 <= i < n for i, n in zip(index, step.shape, strict=True)
    )
    return Entry(step, index) if fits else said


def _value(text: str) -> Exact | None:
    said = exact_text(text, MAX_LENGTH)
    if said is None:
        return None
    try:
        return parse(said, NAMED, limit=4 * MAX_LENGTH)
    except LiteralError:
        return None


def _names(value: Exact) -> set[str]:
    if isinstance(value, Apply):
        return set().union(*map(_names, value.args))
    return {value.name} if isinstance(value, Name) else set()


def _plain(symbol: str) -> str:
    """A symbol without fonts, spaces and braces, its subscripts first."""
    marks = {"_": "", "^": "", "'": ""}
    match = _NAME.fullmatch(symbol.strip())
    if match is None or match["index"]:
        return _bare(symbol)
    for mark in _MARK.finditer(match["marks"]):
        marks[mark[1] or "'"] += _bare(mark[2] or "'") + " "
    return f"{_bare(match['base'])}{marks[chr(39)]}_{marks['_']}^{marks['^']}"


def _bare(text: str) -> str:
    return re.sub(r"\\,|[\s{}]", "", _FONT.sub("", text))
