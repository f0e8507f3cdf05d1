"""How numbers are shown: one table for specs, the command line and the Python prompt.

Each attribute of `Display` is an option: its default, its kind and a line of help. The reader of
specs, the options of `symattn write` and `symattn show`, `Derivation.with_display` and all their
errors are made from that. To add one is to add an attribute, and what it does where it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, get_args

from symattn.errors import OptionError, nearest
from symattn.notation import DecimalMark, Roots, Rounding, RowSums, Small, Values

DIGITS = 6  # decimals shown where nothing else is said

#: Most digits that anything is shown with.
MAX_DIGITS = 1000

#: What can be folded: scopes by their name, and entries that are written one a line.
FOLDS = {"layers": "layer", "heads": "head", "entries": ""}


@dataclass(frozen=True)
class Kind:
    """What values an option has.

    Attributes:
        name: ``count``, ``word``, ``flag``, ``words`` or ``addresses``.
        wanted: the same for a message.
        fits: whether a value is one.
        words: those that there are, of ``word`` and ``words``.
    """

    name: str
    wanted: str
    fits: Callable[[Any], bool]
    words: tuple[str, ...] = ()

    @property
    def is_list(self) -> bool:
        return self.name in ("words", "addresses")


def count(least: int, most: int) -> Kind:
    """Whole numbers in a range."""

    def fits(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return Kind("count", f"a whole number from {least} to {most}", fits)


def word(*words: str) -> Kind:
    """One of some words."""
    return Kind(
        "word", f"one of {', '.join(words)}", lambda v: isinstance(v, str) and v in words, words
    )


def _list(name: str, wanted: str, fits: Callable[[Any], bool], words: tuple[str, ...]) -> Kind:
    def all_fit(value: Any) -> bool:
        return isinstance(value, list | tuple) and all(map(fits, value))

    return Kind(name, wanted, all_fit, words)


FLAG = Kind("flag", "true or false", lambda value: isinstance(value, bool))
ADDRESSES = _list(
    "addresses", 'a list of addresses such as "A[1,0]"', lambda v: isinstance(v, str), ()
)


def words(*known: str) -> Kind:
    """Any of some words, as a list."""
    return _list("words", f"a list of {', '.join(known)}", lambda v: v in known, known)


@dataclass(frozen=True)
class Option:
    """A row of the table.

    Attributes:
        help: a line for the command line; of a flag for when it is on.
        per_step: whether it may be said for one step.
        pages: whether it concerns pages only, and not a step shown alone.
    """

    name: str
    default: Any
    kind: Kind
    help: str
    per_step: bool
    pages: bool

    def read(self, value: Any, shown: Callable[[Any], str] = repr) -> Any:
        """A value that fits, lists as tuples.

        Args:
            shown: how a message quotes a value.

        Raises:
            OptionError: it does not fit; the message says what was wanted and what came.
        """
        if not self.kind.fits(value):
            hint = nearest(value, self.kind.words) if isinstance(value, str) else ""
            raise OptionError(f"wanted {self.kind.wanted}, got {shown(value)}{hint}")
        return tuple(value) if self.kind.is_list else value

    def parsed(self, text: str) -> Any:
        """A value that is given as text: 4, kept, yes; a word or an address of a list, or none.

        Raises:
            OptionError: it is none.
        """
        known: dict[str, Any] = {}
        if self.kind.name == "flag":
            known = {"yes": True, "true": True, "no": False, "false": False}
        elif self.kind.is_list:
            known = {"none": ()}
        elif self.kind.name == "count" and text.isascii() and text.isdecimal():
            known = {text: int(text) if len(text) < 9 else text}
        return self.read(known.get(text, [text] if self.kind.is_list else text))


def row(kind: Kind, help: str, *, per_step: bool = False, pages: bool = False) -> dict[str, Any]:
    """What makes an attribute of `Display` an option: all of an `Option` but name and default."""
    return {"kind": kind, "help": help, "per_step": per_step, "pages": pages}


@dataclass(frozen=True)
class Display:
    """How pages and `symattn show` show steps; exact values and certified decimals stay the same.

    Attributes:
        digits: decimals, or significant figures.
        rounding: ``"decimals"`` or ``"significant"``: which of them `digits` counts.
        small: of a number that is not 0 and that its decimals would round to 0:
            ``"scientific"``: two significant figures with an exponent;
            ``"fixed"``: 0.00 with a mark that says it. Significant figures have an exponent
            where they are smaller than 0.0001, or never.
        decimal_mark: ``"."`` or ``","``.
        values: ``"exact"``: exact values only; ``"decimals"``: decimals only, of what has them,
            also of the matrices put into a formula; ``"both"``.
        labels: whether rows and columns of matrices have their labels.
        substitution: whether a formula is followed by itself with its matrices put in.
        highlight: entries, rows and whole steps that stand in a box.
        working: entries, rows and whole steps that are written out below their step, as
            the dot product they are, with its numbers put in.
        fold: ``"layers"``, ``"heads"``: of each only the first is shown in full, and of the
            others what they hand on; ``"entries"``: of a step whose exact entries are too long
            for a matrix, the decimals.
        row_sums: ``"kept"``: decimals of a softmax's row add to 1 as the exact weights do; see
            `symattn.row_sums`. ``"rounded"``: each is the nearest.
        roots: ``"rationalised"``: √2/2 and 13√2/25; ``"divided"``: 1/√2 and 26/(25√2).
        factor: whether a matrix that is divided keeps the factor, (1/√2)·S; else it stands above
            the divisor, S/√2.
        steps: by address or name, the options of some steps that differ from these.

    Raises:
        OptionError: a value that an option does not have, or no such option.
    """

    digits: int = field(
        default=DIGITS,
        metadata=row(count(0, MAX_DIGITS), "Decimals, or significant figures.", per_step=True),
    )
    rounding: Rounding = field(
        default="decimals",
        metadata=row(word(*get_args(Rounding)), "What --digits counts.", per_step=True),
    )
    small: Small = field(
        default="scientific",
        metadata=row(
            word(*get_args(Small)),
            "What would read 0.00 and is not 0: with its exponent, or as 0.00, marked.",
            per_step=True,
        ),
    )
    decimal_mark: DecimalMark = field(
        default=".",
        metadata=row(word(*get_args(DecimalMark)), "Decimal point or comma."),
    )
    values: Values = field(
        default="both",
        metadata=row(word(*get_args(Values)), "Exact values, decimals, or both.", per_step=True),
    )
    labels: bool = field(
        default=True,
        metadata=row(FLAG, "Labels of rows and columns.", per_step=True),
    )
    substitution: bool = field(
        default=True,
        metadata=row(FLAG, "Formulas once more with their matrices put in.", per_step=True),
    )
    highlight: tuple[str, ...] = field(
        default=(),
        metadata=row(ADDRESSES, "Box an entry, a row or a step: A[1,1], A[2], P."),
    )
    working: tuple[str, ...] = field(
        default=(),
        metadata=row(ADDRESSES, "Write an entry, a row or a step out below its step: S[1,2]."),
    )
    fold: tuple[str, ...] = field(
        default=(),
        metadata=row(
            words(*FOLDS), "Show only the first layer or head, or no long entries.", pages=True
        ),
    )
    row_sums: RowSums = field(
        default="rounded",
        metadata=row(
            word(*get_args(RowSums)),
            "Decimals of weights: each rounded, or such that rows add to 1; these are marked.",
            per_step=True,
        ),
    )
    roots: Roots = field(
        default="rationalised",
        metadata=row(word(*get_args(Roots)), "Roots in fractions: √2/2 or 1/√2."),
    )
    factor: bool = field(
        default=True,
        metadata=row(
            FLAG, "A divided matrix with its factor, (1/√2)·S, and not S/√2.", per_step=True
        ),
    )
    steps: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for option in OPTIONS.values():
            _set(self, option.name, _read(option, getattr(self, option.name), option.name))
        read = {}
        for step, given in _table(self.steps, "steps").items():
            read[step] = {
                name: _read(option_named(name, per_step=True), value, f"steps.{step}.{name}")
                for name, value in _table(given, f"steps.{step}").items()
            }
        _set(self, "steps", read)
        for step, given in {"": {}, **read}.items():
            self._check_together(step, given)

    def _check_together(self, step: str, given: Mapping[str, Any]) -> None:
        """Refuse options that do not go together."""
        where = f"steps.{step}." if step else ""
        if given.get("rounding", self.rounding) == "significant":
            if given.get("digits", self.digits) == 0:
                raise OptionError(f"{where}digits: wanted at least 1 significant figure, got 0")
            if given.get("row_sums", self.row_sums) == "kept":
                raise OptionError(
                    f"{where}row_sums: kept sums need rounding to decimals, got significant figures"
                )

    def changed(self, **changes: Any) -> Display:
        """The same with some options changed.

        What is said for all steps replaces what was said for some of them; `steps` adds to what
        is left of that.

        Raises:
            OptionError: no such option, or a value that it does not have.
        """
        for name in changes:
            if name != "steps":
                option_named(name)
        steps: dict[str, Mapping[str, Any]] = {
            step: {name: value for name, value in given.items() if name not in changes}
            for step, given in self.steps.items()
        }
        for step, given in _table(changes.get("steps", {}), "steps").items():
            steps[step] = {**steps.get(step, {}), **_table(given, f"steps.{step}")}
        return replace(self, **{**changes, "steps": {k: v for k, v in steps.items() if v}})

    def of(self, name: str, address: str) -> Any:
        """An option of the step at an address, which `steps` may call by its last parts."""
        given = [s for s, its in self.steps.items() if name in its and names_step(s, address)]
        # The longest says most exactly which step is meant.
        return self.steps[max(given, key=len)][name] if given else getattr(self, name)

    def at(self, address: str) -> Display:
        """What the step at an address has of each option, as a display for all."""
        own = {o.name: self.of(o.name, address) for o in OPTIONS.values() if o.per_step}
        return replace(self, **own, steps={})


def names_step(name: str, address: str) -> bool:
    """Whether a name is a step's address, or its last parts.

    >>> names_step("A", "layer[0].head[1].A"), names_step("sum", "A.sum")
    (True, True)
    """
    return address == name or address.endswith("." + name)


def _set(display: Display, name: str, value: Any) -> None:
    object.__setattr__(display, name, value)


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        wanted = "a table of steps" if where == "steps" else 'a table such as {"digits": 4}'
        raise OptionError(f"{where}: wanted {wanted}, got {value!r}")
    return value


def _read(option: Option, value: Any, where: str) -> Any:
    try:
        return option.read(value)
    except OptionError as error:
        raise OptionError(f"{where}: {error}") from None


#: Every option of a display, by name: the table.
OPTIONS: dict[str, Option] = {
    f.name: Option(f.name, f.default, **f.metadata) for f in fields(Display) if f.metadata
}


def option_named(name: str, *, per_step: bool = False) -> Option:
    """A row of the table.

    Args:
        per_step: whether it has to be one that may be said for one step.

    Raises:
        OptionError: there is none of that name.
    """
    known = [o.name for o in OPTIONS.values() if o.per_step or not per_step]
    if name not in known:
        what = "a step's display" if per_step else "a display"
        raise OptionError(
            f"{what} has no {name!r}{nearest(name, known)}; known are {', '.join(known)}"
        )
    return OPTIONS[name]
