"""Worked examples with known errors in them, derived by mpmath and not by symattn.

An author derives attention step by step and prints each step. At a step an error may be
injected: a variation of the formulas (a scale forgotten, an intermediate rounded first), or
one of the printing (cut off, exchanged, a sign, a slip). From a step that is printed wrong
the author carries on from the printed numbers, or from those in hand, or from right ones.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mpmath import mp, mpf

mp.dps = 60
#: Closer to a tie, or to a whole number of units, than any number that is not exactly there.
TINY = mpf(10) ** -45
HIDDEN = -mpf("inf")

Matrix = list[list[Any]]
Values = dict[str, Matrix]
ORDER = ("Q", "K", "V", "S", "Z", "Z_masked", "A", "O")
AFTER = {  # what each step is computed from
    "Q": (), "K": (), "V": (), "S": ("Q", "K"), "Z": ("S",), "Z_masked": ("Z",),
    "A": ("Z_masked",), "O": ("A", "V"),
}  # fmt: skip


def upstream(step: str) -> set[str]:
    """The steps that a step is computed from, itself left out."""
    return {a for b in AFTER[step] for a in (b, *upstream(b))}


# Arithmetic.


def product(a: Matrix, b: Matrix) -> Matrix:
    columns = list(zip(*b, strict=True))
    return [
        [sum((x * y for x, y in zip(row, c, strict=True)), mpf(0)) for c in columns] for row in a
    ]


def transposed(a: Matrix) -> Matrix:
    return [list(column) for column in zip(*a, strict=True)]


def softmax(a: Matrix) -> Matrix:
    return [[mp.exp(x) / sum(map(mp.exp, row)) for x in row] for row in a]


def where(keep: list[list[bool]], a: Matrix, other: Any) -> Matrix:
    return [
        [x if k else other for x, k in zip(row, seen, strict=True)]
        for row, seen in zip(a, keep, strict=True)
    ]


def each(f: Callable[[Any], Any], a: Matrix) -> Matrix:
    return [[f(x) for x in row] for row in a]


def to_units(x: Any, digits: int, cut: bool) -> int:
    """How many units of the last place, rounded half away from zero or cut off."""
    size = abs(x) * mpf(10) ** digits
    units = int(mp.floor(size + TINY)) if cut else int(mp.floor(size + mpf("0.5") + TINY))
    return -units if x < 0 else units


def rounded(digits: int, cut: bool = False) -> Callable[[Any], Any]:
    return lambda x: x if mp.isinf(x) else mpf(to_units(x, digits, cut)) / mpf(10) ** digits


def fixed(x: Any, digits: int, cut: bool = False) -> str:
    """A number as text; `-oo` for what is hidden."""
    if mp.isinf(x):
        return "-oo"
    units = to_units(x, digits, cut)
    text = f"{abs(units):0{digits + 1}d}"
    return "-" * (units < 0) + text[:-digits] + "." + text[-digits:]


def is_rounding(text: str, x: Any, digits: int) -> bool:
    """Whether a printed number is a correct rounding; either way at a tie."""
    if mp.isinf(x) or text == "-oo":
        return (text == "-oo") == bool(mp.isinf(x))
    return bool(abs(mpf(text) - x) * 2 * mpf(10) ** digits <= 1 + TINY)


# The author.


@dataclass(frozen=True)
class Part:
    """One thing that the author did: what a cause says about it, "" for a slip."""

    said: str
    step: str = ""
    change: Callable[[Values], Matrix] | None = None
    print: Callable[[Matrix], Matrix] | None = None
    cut: bool = False
    slip: Callable[[list[list[str]]], list[list[str]]] | None = None
    kind: str = ""


@dataclass
class Printed:
    """A step as it is printed, with what was done to it.

    Attributes:
        minimal: the fewest things that give what is printed; several ways of it, maybe.
    """

    step: str
    rows: list[list[str]]
    exact: Matrix
    minimal: list[tuple[Part, ...]] = field(default_factory=list)

    def wrong(self, digits: int) -> set[tuple[int, int]]:
        return {
            (i, j)
            for i, row in enumerate(self.rows)
            for j, text in enumerate(row)
            if not is_rounding(text, self.exact[i][j], digits)
        }


class Author:
    """One worked example, with an author who errs."""

    def __init__(self, seed: int, errors: float) -> None:
        self.random = random.Random(seed)
        self.digits = self.random.choice((2, 2, 3, 3, 4, 5))
        self.drawn_inputs()
        self.exact = self.derived({}, None)
        self.base: dict[str, Matrix] = {}
        self.variation: Part | None = None
        self.printed: list[Printed] = []
        for step in self.steps_printed():
            self.write(step, self.random.random() < errors)

    # What is given.

    def drawn_inputs(self) -> None:
        draw = self.random
        n, d_model, self.d_k = draw.randint(2, 4), draw.randint(2, 4), draw.choice((2, 2, 3, 3, 4))
        d_v = draw.choice((self.d_k, draw.randint(1, 3)))
        shapes = draw.choice((
            {"E": (n, d_model), "W_Q": (d_model, self.d_k), "W_K": (d_model, self.d_k),
             "W_V": (d_model, d_v)},
            {"Q": (n, self.d_k), "K": (n, self.d_k), "V": (n, d_v)},
            {"E": (n, self.d_k)},
        ))  # fmt: skip
        places = draw.choice((1, 1, 2))
        size = draw.choice((10, 20))
        self.given: dict[str, list[list[str]]] = {}
        for name, (rows, columns) in shapes.items():
            top = size * 10 ** (places - 1)
            self.given[name] = [
                [fixed(mpf(draw.randint(-top, top)) / 10**places, places) for _ in range(columns)]
                for _ in range(rows)
            ]
        self.d_model = d_model if "W_Q" in shapes else None
        self.mask = draw.choice(("none", "causal", "given"))
        keep = [[j <= i or self.mask == "none" for j in range(n)] for i in range(n)]
        if self.mask == "given":
            while True:
                keep = [[draw.random() < 0.6 for _ in range(n)] for _ in range(n)]
                if all(any(row) and not all(row) for row in keep):
                    break
            zero = [["0"] * n for _ in range(n)]
            self.given["M"] = where(keep, zero, "-oo")
        self.keep, self.n = keep, n

    def steps_printed(self) -> list[str]:
        computed = ("Q", "K", "V") if "W_Q" in self.given else ()
        masked = () if self.mask == "none" else ("Z_masked",)
        steps = [*computed, "S", "Z", *masked, "A", "O"]
        for step in ("Q", "V", "S", "Z", "Z_masked"):  # some steps are left out
            if step in steps and self.random.random() < 0.15:
                steps.remove(step)
        return steps

    def derived(self, base: dict[str, Matrix], variation: Part | None) -> Values:
        """Every step, some put in place and one changed; what cannot be derived is left out."""
        if variation is not None and variation.kind == "float":
            return self.in_half_precision()
        known: Values = {k: each(mpf, v) for k, v in self.given.items() if k != "M"}
        root = mp.sqrt(self.d_k)

        def projected(name: str) -> Matrix:
            weights = known.get(f"W_{name}")
            return product(known["E"], weights) if weights else known["E"]

        formulas: dict[str, Callable[[], Matrix]] = {
            **{name: lambda name=name: projected(name) for name in "QKV"},
            "S": lambda: product(known["Q"], transposed(known["K"])),
            "Z": lambda: each(lambda x: x / root, known["S"]),
            "Z_masked": lambda: where(self.keep, known["Z"], HIDDEN),
            "A": lambda: softmax(known["Z_masked"]),
            "O": lambda: product(known["A"], known["V"]),
        }
        for step in ORDER:
            if step in base:
                known[step] = base[step]
                continue
            try:
                known[step] = known[step] if step in known else formulas[step]()
                if variation is not None and variation.change and variation.step == step:
                    known[step] = variation.change(known)
            except (ZeroDivisionError, KeyError):
                known.pop(step, None)  # a row without a key, and what follows from it
        return known

    def in_half_precision(self) -> Values:
        """What NumPy makes of it in float16."""
        known = {
            k: np.array(v, dtype=float).astype(np.float16)
            for k, v in self.given.items()
            if k != "M"
        }
        for name in "QKV":
            if name not in known:
                weights = known.get(f"W_{name}")
                known[name] = known["E"] if weights is None else known["E"] @ weights
        known["S"] = known["Q"] @ known["K"].T
        known["Z"] = known["S"] / np.sqrt(np.float16(self.d_k))
        hidden = np.where(np.array(self.keep), 0.0, -np.inf).astype(np.float16)
        known["Z_masked"] = known["Z"] + hidden
        powers = np.exp(known["Z_masked"] - known["Z_masked"].max(axis=-1, keepdims=True))
        known["A"] = powers / powers.sum(axis=-1, keepdims=True)
        known["O"] = known["A"] @ known["V"]
        return {k: each(lambda x: mpf(float(x)), v.tolist()) for k, v in known.items()}

    # Writing a step down.

    def write(self, step: str, erring: bool) -> None:
        inherited = self.inherited(step)
        own = self.error(step, inherited) if erring and len(inherited) < 2 else None
        parts = (*inherited, *((own,) if own else ()))
        rows = self.rows(step, parts)
        if rows is None:
            return  # it cannot be computed so: the author leaves the step out
        done = Printed(step, rows, self.exact[step])
        self.printed.append(done)
        if own and own.change is not None and self.variation is None:
            self.variation = own
        wrong = done.wrong(self.digits)
        if wrong:
            done.minimal = self.minimal(step, parts, rows)
            self.carry_on(done)
        elif self.variation is own and own is not None:
            self.variation = None  # it did not show, and is forgotten

    def inherited(self, step: str) -> tuple[Part, ...]:
        before = upstream(step)
        parts = [Part(f"carried on from the printed {b}", b, kind="carried") for b in self.base
                 if b in before]  # fmt: skip
        if self.variation is not None and self.variation.step in {*before, step}:
            parts.append(self.variation)
        return tuple(parts)

    def rows(self, step: str, parts: tuple[Part, ...]) -> list[list[str]] | None:
        base = {p.step: self.base[p.step] for p in parts if p.kind == "carried"}
        variation = next((p for p in parts if p.change is not None), None)
        value = self.derived(base, variation).get(step)
        if value is None:
            return None
        for part in parts:
            if part.print is not None:
                value = part.print(value)
        cut = any(part.cut for part in parts)
        rows = [[fixed(x, self.digits, cut) for x in row] for row in value]
        for part in parts:
            if part.slip is not None:
                rows = part.slip(rows)
        return rows

    def minimal(
        self, step: str, parts: tuple[Part, ...], rows: list[list[str]]
    ) -> list[tuple[Part, ...]]:
        for size in range(1, len(parts) + 1):
            found = [
                some
                for some in itertools.combinations(parts, size)
                if self.rows(step, some) == rows
            ]
            if found:
                return found
        raise AssertionError("all parts together give what is printed")

    def carry_on(self, done: Printed) -> None:
        """From the printed numbers, from those in hand, or from right ones."""
        way = self.random.choice(("printed", "printed", "in hand", "right"))
        if way == "right":
            self.base, self.variation = {}, None
        elif way == "printed":
            before = upstream(done.step)
            self.base = {k: v for k, v in self.base.items() if k not in before}
            self.base[done.step] = each(lambda t: HIDDEN if t == "-oo" else mpf(t), done.rows)
            if self.variation is not None and self.variation.step in {*before, done.step, ""}:
                self.variation = None

    # Errors.

    def error(self, step: str, inherited: tuple[Part, ...]) -> Part | None:
        kinds = ["cut", "slip"]
        if not any(p.change is not None for p in inherited):
            kinds += ["exchange", "sign"]
            if self.variation is None:
                kinds += ["formula", "formula", "rounding", "rounding"]
                if not inherited and not self.base:
                    kinds.append("float")
        return getattr(self, f"_{self.random.choice(kinds)}")(step)

    def _cut(self, step: str) -> Part:
        return Part("cut off and not rounded", cut=True, kind="truncated")

    def _float(self, step: str) -> Part:
        return Part("computed in float16", "", lambda v: v[step], kind="float")

    def _rounding(self, step: str) -> Part | None:
        before = [s for s in ORDER if s in upstream(step) and s not in self.given]
        taken = {a for b in self.base for a in (b, *upstream(b))}
        before = [s for s in before if s not in taken and s != "Z_masked"]
        if "W_Q" not in self.given:
            before = [s for s in before if s not in "QKV"]
        if not before:
            return None
        first, digits = self.random.choice(before), self.random.randint(1, 4)
        cut = self.random.random() < 0.4
        word = "cut off" if cut else "rounded"
        f = rounded(digits, cut)
        return Part(
            f"{first} was {word} to {digits} decimal", first, lambda v: each(f, v[first]),
            kind="intermediate " + word,
        )  # fmt: skip

    def _formula(self, step: str) -> Part | None:
        taken = {a for b in self.base for a in (b, *upstream(b))}
        within = {step, *upstream(step)} - taken
        found = [p for p in (*self.scales(), *self.masks(), *self.products()) if p.step in within]
        return self.random.choice(found) if found else None

    def scales(self) -> list[Part]:
        root = mp.sqrt(self.d_k)
        choices = {"not divided by √d_k": mpf(1), "divided by d_k, not by √d_k": mpf(self.d_k)}
        if self.d_model not in (None, self.d_k):
            choices["divided by √d_model, not by √d_k"] = mp.sqrt(self.d_model)
            choices["divided by d_model, not by √d_k"] = mpf(self.d_model)
        for digits, cut in itertools.product((1, 2, 3), (False, True)):
            text = fixed(root, digits, cut)
            choices[f"divided by {text}, a rounded divisor"] = mpf(text)
        return [
            Part(said, "Z", lambda v, d=d: each(lambda x: x / d, v["S"]), kind="scale")
            for said, d in choices.items()
            if abs(d - root) > TINY
        ]

    def masks(self) -> list[Part]:
        if self.mask == "none":
            causal = [[j <= i for j in range(self.n)] for i in range(self.n)]
            return [Part("a causal mask was applied", "A",
                         lambda v: softmax(where(causal, v["Z"], HIDDEN)), kind="mask")]  # fmt: skip
        turned = [[not k for k in row] for row in self.keep]
        return [
            Part("the mask was left out", "Z_masked", lambda v: v["Z"], kind="mask"),
            Part("the mask was inverted", "Z_masked",
                 lambda v: where(turned, v["Z"], HIDDEN), kind="mask"),
            Part("the mask was multiplied", "Z_masked",
                 lambda v: where(self.keep, v["Z"], mpf(0)), kind="mask"),
            Part("the mask was applied after the softmax", "A",
                 lambda v: where(self.keep, softmax(v["Z"]), mpf(0)), kind="mask"),
        ]  # fmt: skip

    def products(self) -> list[Part]:
        found = []
        if all(any(row[j] for row in self.keep) for j in range(self.n)):
            found.append(Part("the softmax was taken over columns", "A",
                              lambda v: transposed(softmax(transposed(v["Z_masked"]))),
                              kind="softmax"))  # fmt: skip
        if self.n == self.d_k:
            found.append(Part("was not transposed", "S", lambda v: product(v["Q"], v["K"]),
                              kind="transpose"))  # fmt: skip
        return found

    def _exchange(self, step: str) -> Part | None:
        rows, columns = len(self.exact[step]), len(self.exact[step][0])
        draw = self.random
        which = draw.choice(("rows", "columns", "entries", "both"))

        def exchanged(first: tuple[int, int], second: tuple[int, int]) -> Part:
            def change(a: Matrix) -> Matrix:
                a = [list(row) for row in a]
                (i, j), (k, m) = first, second
                a[i][j], a[k][m] = a[k][m], a[i][j]
                return a

            said = f"{_cell(step, *first)} and {_cell(step, *second)} were exchanged"
            return Part(said, print=change, kind="entries exchanged")

        if which == "both":
            said = "rows and columns were exchanged"
            return Part(said, print=transposed, kind="transposed") if rows == columns else None
        if which == "entries":
            cells = [(i, j) for i in range(rows) for j in range(columns)]
            return exchanged(*sorted(draw.sample(cells, 2)))
        size = rows if which == "rows" else columns
        if size < 2:
            return None
        first, second = sorted(draw.sample(range(size), 2))
        order = list(range(size))
        order[first], order[second] = second, first
        take: Callable[[Matrix], Matrix] = lambda a: [a[i] for i in order]  # noqa: E731
        if which == "columns":
            take = lambda a: [[row[j] for j in order] for row in a]  # noqa: E731
        return Part(f"{which} {first} and {second} were exchanged", print=take,
                    kind="lines exchanged")  # fmt: skip

    def _sign(self, step: str) -> Part:
        rows, columns = len(self.exact[step]), len(self.exact[step][0])
        cells = [(i, j) for i in range(rows) for j in range(columns)]
        chosen = set(self.random.sample(cells, self.random.choice((1, 1, 2))))

        def flip(a: Matrix) -> Matrix:
            return [
                [-x if (i, j) in chosen and not mp.isinf(x) else x for j, x in enumerate(row)]
                for i, row in enumerate(a)
            ]

        return Part("lost or added", print=flip, kind="sign")

    def _slip(self, step: str) -> Part:
        draw = self.random
        i, j = draw.randrange(len(self.exact[step])), draw.randrange(len(self.exact[step][0]))
        size = draw.choice((1, 10, draw.randint(1, 100))) * draw.choice((-1, 1))

        def slip(rows: list[list[str]]) -> list[list[str]]:
            rows = [list(row) for row in rows]
            if rows[i][j] != "-oo":
                x = mpf(rows[i][j]) + mpf(size) / mpf(10) ** self.digits
                rows[i][j] = fixed(x, self.digits)
            return rows

        return Part("", slip=slip, kind="slip")


def _cell(step: str, i: int, j: int) -> str:
    return f"{step}[{i},{j}]"
