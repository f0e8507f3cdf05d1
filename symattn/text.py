"""Replaceable prose: sections with a title and a body, and the fixed words of a page.

A text is a TOML file, so that an author writes the page in another language or
tone without touching code:

    [words]            # fixed words of tables and captions, each with a default
    [section.ID]       # in the order of the page
    title = "…"
    body = '''…'''

A body is paragraphs, `$inline maths$`, `*emphasis*`, `**strong**`, `` `code` ``,
values such as ``{A[1,1]}`` (a decimal of this derivation) and, alone on a line,
blocks such as ``{show Q K V}``; `symattn.document` lists them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from symattn import files, mathml
from symattn.blocks import Inlines, Math, Styled, inlines
from symattn.errors import SpecError, nearest

MAX_BYTES = 10_000_000

#: The fixed words, in English; a text replaces those it needs to.
WORDS = {
    "step": "step",
    "symbol": "symbol",
    "shape": "shape",
    "formula": "formula",
    "token": "token",
    "unchanged": "unchanged",
    "place": "place",
    "printed": "printed",
    "correct": "correct",
    "verdict": "verdict",
    "right": "right",
    "wrong": "**wrong**",
    "and": "and",
    "most_likely": "most likely",
    "reconstructed": "Entries marked $\\dagger$ are reconstructed: nobody knows the originals.",
    "cause_rounded": "Rounding {step} to {digits} decimals first gives what was printed for {at}.",
    "no_cause": "No single rounding in between explains what was printed for {at}.",
    "printed_inputs": "The inputs are known to their printed digits only, and the exact values "
    "are those of the digits as printed. Decimals are shown as far as they are certain for every "
    "input that prints like that; a question mark stands where they end.",
    "bias": "Finite numbers of ${mask}$ are added to the scores as a bias and hide nothing, "
    "however large: only $-\\infty$ does.",
    "row_sums": "Decimals marked $\\ast$ are shown so that their row adds to 1. The nearest: "
    "{nearest}.",
    "small": "What is marked $\\ddagger$ rounds to 0, and is not 0, or not known to be.",
    "undecided": "undecided",
    "folded": "`{scope}`: {n} steps, like those of `{first}`",
    "entries": "exact entries of `{step}`",
    "no_entries": "The exact entries of `{step}` are left out here.",
    "map_from": "{step} comes from {sources}",
    "no_map": "A map of {n} steps would be too large to read, and is left out.",
    "left_out": "`{scope}`: {n} steps, like those of `{first}`, are left out here.",
    "depends": "(it depends on the symbols)",
    "verified": "Every step was computed again by NumPy, and every entry lies within the running "
    "error bound of its arithmetic: {bounds}. (Inside a softmax floats take another way, and only "
    "its result is compared.)",
    "verified_bound": "at most ${bound}$ in {type}",
    "verified_overflow": "without bound in {type}, which overflows",
    "backward": "The backward pass",
    "backward_text": "The gradient of {loss} by each step, in the order in which backpropagation "
    "takes them: each has the shape of its step, and comes from those before it. Masks have none.",
    "kink": "{place}: a maximum ties there and has no derivative; by convention {taken}.",
    "may_kink": "{place}: whether a maximum ties there is undecided; if so, {taken}.",
    "kink_zero": "0 is taken, ReLU'(0) = 0",
    "kink_shared": "those that tie share the gradient evenly",
    "fell": "The loss was {before} and is {after}: it fell, which the enclosures of both prove.",
    "rose": "The loss was {before} and is {after}: it rose, which the enclosures of both prove.",
    "stayed": "The loss was {before} and stays what it was, proven.",
    "open": "The loss was {before} and is {after}; which is less is undecided.",
    "notebook_start": "The equations below are what Python shows: run the cells, change them, look "
    "at other entries. What they show is stored, so that the notebook reads without being run; to "
    "run it, symattn has to be installed. Numbers in sentences stay those of the example as given.",
    "notebook_python": "In Python",
    "notebook_decimals": "As many decimals of `{step}` as are asked for, each of them proven:",
    "notebook_largest": "What is the most likely, which is proven:",
    "notebook_compare": "It and the next one, compared exactly:",
    "notebook_verify": "Whether NumPy's floats lie within the error that their arithmetic allows, "
    "in every step; `d.verify()` alone shows how far off they are:",
    "notebook_exercises": "Exercises",
    "notebook_change": "Change entries of `{matrix}` until another token becomes the most likely "
    "in `{step}`.",
    "notebook_change_any": "Change entries of `{matrix}`, and see what becomes of `{step}`.",
    "notebook_vary": "Where does the most likely token change as `{entry}` varies? Guess before "
    "you look.",
    "notebook_work": "Work out `{entry}` with a pencil, and write it in place of 0, such as "
    "`exp(1/2)/(1 + exp(1/2))`. Equal is proven; a decimal will not do.",
    "language": "en",
    "appendix": "What was left out above",
    "see_appendix": "See the appendix.",
    "sheet": "{title} (worksheet {number})",
    "sheet_name": "Name:",
    "sheet_boxes": "Write a number in each of the {count} boxes: exact, such as 1/3, or a decimal "
    "with {digits} places, rounded only when it is written down.",
    "sheet_one_box": "Write a number in the box: exact, such as 1/3, or a decimal with {digits} "
    "places, rounded only when it is written down.",
    "sheet_names": "A name such as {name} stands for the number that belongs in that box.",
    "sheet_typed": "In this file a number takes the place of {room} in its box.",
    "key": "{title}: key",
    "has_symbols": "With symbols in it there are no floats to compare.",
}


@dataclass(frozen=True)
class Section:
    """A titled part of a page. `where` names file and section, for messages."""

    id: str
    title: str
    body: str
    where: str


@dataclass(frozen=True)
class Text:
    """The sections of a page, in order, and its fixed words."""

    sections: tuple[Section, ...]
    words: Mapping[str, str]

    def phrase(self, word: str, **values: str) -> str:
        """A fixed word with ``{name}`` replaced by values; nothing else in braces is known."""

        def value(match: re.Match[str]) -> str:
            if match[1] not in values:
                known = ", ".join("{" + name + "}" for name in values)
                raise SpecError(f"words.{word}: {match[0]} is none of {known}")
            return values[match[1]]

        return re.sub(r"\{([^{}]*)\}", value, self.words[word])


def authored(text: str) -> Inlines:
    """The inlines of a text that somebody wrote.

    Raises:
        MathError: what stands between dollars is more than a formula.
    """
    found = inlines(text)
    _check(found)
    return found


def _check(parts: Inlines) -> None:
    for part in parts:
        if isinstance(part, Math):
            mathml.check(part.latex)
        elif isinstance(part, Styled):
            _check(part.parts)


def load_text(path: Path) -> Text:
    """Read a text file.

    Raises:
        SpecError: it cannot be read, or has keys that are not known.
    """
    name = path.name
    try:
        table = tomllib.loads(files.read(path, MAX_BYTES, SpecError, "a text").decode("utf-8-sig"))
    except SpecError:
        raise
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{name}: not valid TOML: {error}") from None
    _known(table, ("words", "section"), name)
    words = table.get("words", {})
    _known(words, tuple(WORDS), f"{name}: words")
    for key, value in words.items():
        if not isinstance(value, str):
            raise SpecError(f"{name}: words.{key}: wanted a string, got {value!r}")
        try:
            authored(value)
        except mathml.MathError as error:
            raise SpecError(f"{name}: words.{key}: {error}") from None
    if not isinstance(table.get("section", {}), dict):
        raise SpecError(f"{name}: section: wanted tables such as [section.start]")
    sections = []
    for key, value in table.get("section", {}).items():
        where = f"{name}: section.{key}"
        if not isinstance(value, dict):
            raise SpecError(f"{where}: wanted a table with title and body")
        _known(value, ("title", "body"), where)
        for part in ("title", "body"):
            if not isinstance(value.get(part), str):
                raise SpecError(f"{where}.{part}: wanted a string, got {value.get(part)!r}")
        sections.append(Section(key, _in_a_line(value["title"]), value["body"], where))
    return Text(tuple(sections), {**WORDS, **{k: _in_a_line(v) for k, v in words.items()}})


def _in_a_line(text: str) -> str:
    return " ".join(text.splitlines())


def _known(table: object, known: tuple[str, ...], where: str) -> None:
    if not isinstance(table, dict):
        raise SpecError(f"{where}: wanted a table")
    for key in table:
        if key not in known:
            raise SpecError(f"{where}: unknown key {key!r}{nearest(key, known)}")
