r"""What a page about a spec says besides matrices of numbers, by the names of its steps.

Equations of single entries, ``A[1,0] = \frac{e^{Z[1,0]}}{\ell_1} \approx 0.36``; matrices of
entries' names; the matrices that a formula was filled with; and formulas that name another
step of the kind that they mean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby

from symattn.claims.consistency import Inconsistent
from symattn.claims.entry_names import EntryNames
from symattn.claims.judge import Judging
from symattn.claims.placing import Claimed, Unmatched, aliased, matrix_claims
from symattn.claims.reading import Equality, PrintedMatrix, Reading
from symattn.claims.reading.equations import PLACE, bare
from symattn.claims.reading.labels import Named, named_by_marker
from symattn.errors import SymattnError
from symattn.steps import Step


@dataclass
class EntryClaims:
    """What was found."""

    claims: list[Claimed] = field(default_factory=list)
    unmatched: list[Unmatched] = field(default_factory=list)
    odd: list[Inconsistent] = field(default_factory=list)


def entry_claims(reading: Reading, judging: Judging, aliases: Mapping[str, str]) -> EntryClaims:
    """Read what a page says of the entries of a derivation, beside `placing.placed`."""
    return _Collector(reading, judging, aliases).collected()


class _Collector:
    def __init__(self, reading: Reading, judging: Judging, aliases: Mapping[str, str]) -> None:
        self.reading = reading
        self.judging = judging
        self.names: EntryNames = judging.names
        self.aliases = aliases
        self.found = EntryClaims()

    def collected(self) -> EntryClaims:
        for equality in self.reading.equalities:
            if self.kind_at(equality.start) != "show":
                self.equality(equality)
        matrices = [*self.reading.matrices, *self.reading.named]
        shown = [m for m in matrices if self.kind_at(m.start) != "show"]
        ordered = sorted(shown, key=lambda m: (m.chain, m.start))
        for _, chain in groupby(ordered, key=lambda m: m.chain):
            self.chain(list(chain))
        return self.found

    def kind_at(self, place: int) -> str:
        """The kind of block that a place stands in."""
        return next((b.kind for b in self.reading.blocks if b.start <= place < b.end), "")

    # Equations without matrices.

    def equality(self, equality: Equality) -> None:
        entry = self.names.entry(equality.label)
        if entry is None:
            step = self.names.step(equality.label)
            if step is not None and not step.shape:
                entry = step.entries()[0]
            if equality.filled and entry is None:
                return  # a matrix, whose values and formulas are read as such
        if entry is None:
            if step is not None:
                self.formulas(step, [(s.text, s.start) for s in equality.sides])
            elif self.names.names_entry(equality.label) and any(
                side.is_number for side in equality.sides
            ):
                why = "its label names no entry that is known here"
                self.found.unmatched.append(Unmatched(equality.start, equality.label, why))
            return
        quoted = self.kind_at(equality.start) == "quoted"
        marked = {m.printed.start for m in self.reading.marked}
        for side in equality.sides:
            is_read = side.is_number or side.is_named or self.names.read(side.text) is not None
            if is_read and side.start not in marked:
                group = -equality.start - 1
                self.found.claims.append(Claimed(entry, side, None, group, quoted))

    # Matrices of names, and matrices in formulas.

    def chain(self, matrices: list[PrintedMatrix]) -> None:
        values = [m for m in matrices if not m.operand and m.labels]
        step = self.step_of(values[0]) if values else None
        if step is None:
            return
        lines = self.lines(*values[0].outer)
        said = [(label, _line_of(label, lines)) for label in values[0].labels[1:]]
        self.formulas(step, said)
        for m in values:
            if m.is_named:
                self.matrix(aliased(m, self.names, self.aliases))
        operands = [m for m in matrices if m.operand]
        for expression, group in groupby(operands, key=lambda m: m.expression):
            self.operands(step, expression, list(group))

    def lines(self, start: int, end: int) -> list[tuple[int, str]]:
        """The lines of a stretch of the document, each with where it begins."""
        found = []
        for line in self.reading.document.text[start:end].splitlines(keepends=True):
            found.append((start, _tight(line)))
            start += len(line)
        return found

    def step_of(self, m: PrintedMatrix) -> Step | None:
        meant = aliased(m, self.names, self.aliases)
        try:
            found = self.judging.derivation[meant.name.step or ""]
        except SymattnError:
            return None
        return found if isinstance(found, Step) and not meant.name.index else None

    def matrix(self, m: PrintedMatrix) -> None:
        """A matrix that claims to be a step, all or some of its cells by names."""
        if not any(c.is_number or self.names.read(c.text) for c in m.cells):
            return
        quoted = self.kind_at(m.start) == "quoted"
        try:
            self.found.claims += matrix_claims(m, self.judging, -m.start - 1, quoted, True)
        except SymattnError as error:
            self.found.unmatched.append(Unmatched(m.start, m.label or "a matrix", str(error)))

    def operands(self, step: Step, expression: str, group: list[PrintedMatrix]) -> None:
        """The matrices that stand in a formula for the steps that it names, in order."""
        self.substitution(step, expression, group[0].start)
        # A list in brackets is an index, and was read as no matrix.
        seen = expression.replace(f"[{PLACE}]", "")
        there = list(self.names.symbols(seen, PLACE))
        places = [k for k, found in enumerate(there) if found is None]
        if len(places) != len(group):
            return
        lists = {k for k, m in zip(places, group, strict=True) if m.notation == "list"}
        there = [found for k, found in enumerate(there) if k not in lists]
        group = [m for m in group if m.notation != "list"]
        written = dict.fromkeys((step.formula_as_substituted, _right_side(step)))
        for formula in filter(None, written):
            meant = [s for s in self.names.symbols(formula) if s is not None]
            wanted = [s for s, found in zip(meant, there, strict=False) if found is None]
            if (
                len(there) == len(meant)
                and len(wanted) == len(group)
                and all(found in (None, s) for found, s in zip(there, meant, strict=True))
                and all(_has_shape(m, s) for m, s in zip(group, wanted, strict=True))
            ):
                for m, s in zip(group, wanted, strict=True):
                    self.matrix(replace(m, name=named_by_marker(s.address), labels=(s.symbol,)))
                return
            is_one = len(meant) == 1 and there == [None] * len(group)
            if is_one and self.array(meant[0], group):
                return

    def array(self, step: Step, group: list[PrintedMatrix]) -> bool:
        """Matrices side by side that are a step of three axes; whether they are as many."""
        if len(step.shape) != 3 or step.shape[0] != len(group):
            return False
        for k, m in enumerate(group):
            name = Named(step.address, str(k), "bracket", "marker", step.address)
            self.matrix(replace(m, name=name, labels=(step.symbol,)))
        return True

    def substitution(self, step: Step, expression: str, at: int) -> None:
        """Numbers beside the matrices of a formula that is filled with values."""
        own = _tight(bare(_MATRIX.sub(PLACE, step.substitution or "")))
        printed = _tight(expression)
        if printed != own and _NUMBER.sub("", printed) == _NUMBER.sub("", own):
            pairs = zip(_NUMBER.findall(printed), _NUMBER.findall(own), strict=False)
            wrong, right = next((p for p in pairs if p[0] != p[1]), (printed, own))
            why = f"the formula of {step.short} has {right} there"
            self.found.odd.append(Inconsistent(at, f"{wrong} in a formula", why))

    def formulas(self, step: Step, said: list[tuple[str, int]]) -> None:
        """Formulas that are the step's own except for the layers and heads of what they name."""
        own = _tight(_right_side(step))
        if not own:
            return
        for text, at in said:
            printed = _tight(text)
            if printed != own and _SCOPE.sub("", printed) == _SCOPE.sub("", own):
                pairs = zip(_SCOPE.findall(printed), _SCOPE.findall(own), strict=False)
                wrong, right = next((p for p in pairs if p[0] != p[1]), (printed, own))
                why = f"the formula of {step.short} has {right} there"
                self.found.odd.append(Inconsistent(at, f"{wrong} in a formula", why))


_LOOSE = re.compile(r"\s|&|\\(?:left|right)(?![a-zA-Z])\.?")
_MATRIX = re.compile(r"\\begin\{(bmatrix|array)\}.*?\\end\{\1\}", re.DOTALL)
_NUMBER = re.compile(r"\d+")
_SCOPE = re.compile(r"\^\{\((?:[^{}()]|\{[^{}]*\})*\)\}")


def _line_of(label: str, lines: list[tuple[int, str]]) -> int:
    """Where the line begins on which a label stands."""
    said = _tight(label)
    return next((at for at, line in lines if said in line), lines[0][0])


def _right_side(step: Step) -> str:
    return (step.formula or "").partition(" = ")[2]


def _has_shape(m: PrintedMatrix, step: Step) -> bool:
    return m.is_regular and m.shape == (1, *step.shape)[-2:]


def _tight(text: str) -> str:
    return _LOOSE.sub("", text).rstrip(".,;")
