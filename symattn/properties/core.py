"""A property, what was found of it, and the list that families of properties fill."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal

from symattn.blocks import Inlines, inlines, plain
from symattn.errors import OptionError, ShapeError, nearest

Verdict = Literal["proven", "refuted", "undecided"]


@dataclass(frozen=True)
class Size:
    """The sizes at which statements are checked: n tokens, d_model = d, h heads.

    Raises:
        OptionError: a size below 1, or a single token, of which there is nothing to say.
        ShapeError: d is not divisible by h.

    >>> Size.read("n=4,d=2,h=2").d_k
    1
    """

    n: int = 3
    d: int = 2
    h: int = 1

    def __post_init__(self) -> None:
        for name, least in (("n", 2), ("d", 1), ("h", 1)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise OptionError(
                    f"size: wanted {name} as a whole number of at least {least}, got {value!r}"
                )
        if self.d % self.h:
            raise ShapeError(f"size: wanted d divisible by h = {self.h}, got d = {self.d}")

    @classmethod
    def read(cls, text: str) -> Size:
        """From text such as ``n=4,d=2,h=2``; what is left out is n = 3, d = 2, h = 1.

        Raises:
            OptionError: other text.
        """
        found: dict[str, int] = {}
        for part in text.split(","):
            match = re.fullmatch(r"\s*([a-z]\w*)\s*=\s*([0-9]{1,4})\s*", part)
            if match is None or match[1] not in ("n", "d", "h") or match[1] in found:
                raise OptionError(f"size: wanted such as n=4,d=2,h=2, got {text!r}")
            found[match[1]] = int(match[2])
        return cls(**found)

    @property
    def d_k(self) -> int:
        """Features of a head's queries, keys and values: d/h."""
        return self.d // self.h

    def __str__(self) -> str:
        return f"n = {self.n}, d = {self.d}, h = {self.h}"


@dataclass(frozen=True)
class Outcome:
    """What a check found.

    Attributes:
        method: how it was decided, or how far was looked.
        sizes: for which sizes; "" for the size that was asked for.
        witness: values that show it, or a counterexample.
    """

    verdict: Verdict
    method: str
    sizes: str = ""
    witness: str = ""


Check = Callable[[Size], Outcome]


@dataclass(frozen=True)
class Property:
    """A statement with its check.

    Attributes:
        name: ``family.name``.
        title: a sentence, with ``$inline maths$``.
        latex: the same as a formula.
        source: where it is stated, or its place in the field.
        check: decides it at a size.
        claimed: whether it is stated as true; a sentence that is often said and false is not.
    """

    name: str
    title: str
    latex: str
    source: str
    check: Check
    claimed: bool = True

    @property
    def family(self) -> str:
        return self.name.partition(".")[0]


@dataclass(frozen=True)
class Statement:
    """A property and what was found of it."""

    name: str
    title: str
    latex: str
    source: str
    claimed: bool
    verdict: Verdict
    method: str
    sizes: str
    witness: str

    @property
    def is_as_claimed(self) -> bool:
        """Whether what is claimed was found: a false sentence is refuted."""
        return self.verdict == ("proven" if self.claimed else "refuted")

    @property
    def is_wrong(self) -> bool:
        """Whether the contrary of what is claimed was found."""
        return self.verdict != "undecided" and not self.is_as_claimed

    @property
    def inlines(self) -> Inlines:
        """The statement as an item of a page: verdict, sentence, formula, how, for which sizes."""
        stated = f" **{self.verdict}** {self.title}" + (f" ${self.latex}$." if self.latex else "")
        how = f" For {self.sizes}: {self.method}."
        how += f" {self.witness}." * bool(self.witness) + f" [{self.source}]" * bool(self.source)
        return (*inlines(stated.lstrip()), *plain(how))

    def __str__(self) -> str:
        from symattn.writers import statements

        return statements.text([self])

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, statements

        return jupyter.markdown(statements.blocks([self])[:1])


class Statements(tuple[Statement, ...]):
    """Statements, which show themselves as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        from symattn.writers import statements

        return statements.text(self)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, statements

        return jupyter.markdown(statements.blocks(self))


class Family:
    """The properties of one file; `stated` is a decorator of their checks."""

    def __init__(self, name: str) -> None:
        self.name = name.rpartition(".")[2]
        self.properties: list[Property] = []

    def stated(
        self, title: str, latex: str, *, source: str, claimed: bool = True
    ) -> Callable[[Check], Check]:
        """Decorator of a check: the property is called ``family.name of the function``."""

        def add(check: Check) -> Check:
            name = f"{self.name}.{check.__name__}"
            self.properties.append(Property(name, title, latex, source, check, claimed))
            return check

        return add


def families() -> list[str]:
    """The names of the families: the files of `symattn.properties.families`."""
    return sorted(module.name for module in iter_modules(_package().__path__))


def _package() -> Any:
    return import_module("symattn.properties.families")


@cache
def family(name: str) -> dict[str, Property]:
    """The properties of a family, by name: its file has a FAMILY."""
    found: Family = import_module(f"{_package().__name__}.{name}").FAMILY
    return {p.name: p for p in found.properties}


def chosen(words: Sequence[str]) -> list[Property]:
    """The properties of some names or families, in that order; of no words all.

    Raises:
        OptionError: a word that is neither.
    """
    known = families()
    found: dict[str, Property] = {}
    for word in words or known:
        name = word.partition(".")[0]
        if name not in known:
            raise OptionError(
                f"no property {word!r}{nearest(word, known)}; families are {', '.join(known)}"
            )
        own = family(name)
        if word != name and word not in own:
            raise OptionError(
                f"no property {word!r}{nearest(word, own)}; known are {', '.join(own)}"
            )
        found |= own if word == name else {word: own[word]}
    return list(found.values())
