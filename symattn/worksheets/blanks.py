"""What a worksheet shows of each entry: a box, a name, a decimal, or all of it.

A number that is left blank is asked for once, in the equation of its own step. Wherever
else a page would print it, its name stands: in formulas that are filled with values, in prose,
in steps that only hand it on, as a mask of zeros does. And since an exact value of a later
step has those before it in it, as e^z has z, such a step shows its decimals alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property, reduce
from operator import or_
from typing import Any

import numpy as np

from symattn import expression, notation
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.equations import ARRAYS, equation, equation_parts, formula_line, substitution_line
from symattn.expression import Cell
from symattn.feeds import feeds
from symattn.layout import LINE, aligned, width
from symattn.literals import Infinity
from symattn.steps import Step
from symattn.worksheets.handed import handed_on, leaves
from symattn.writers import matrices

#: What makes room in a box, and what a number is written in place of.
ROOM = r"\phantom{000.00}"

#: A box to write a number in, by hand or in place of what is in it.
BOX = rf"\boxed{{{ROOM}}}"

#: An exact value without exponentials and names, in which nothing of another entry can be seen.
_PLAIN = re.compile(r"(?:\\(?:frac|sqrt|log|left|right|infty)(?![a-zA-Z])|[\d{}()\s+\-.])*")


class Blanks:
    """The entries of a derivation that are left blank, and what else is then not shown.

    Attributes:
        asked: the entries that are left blank, in order.
        repeats: by an entry that has the value of one of them, handed on, that one.
        later: the nodes of the steps that come from any of them.
    """

    def __init__(self, derivation: Derivation, asked: Sequence[Entry]) -> None:
        self.derivation = derivation
        self.asked = tuple(asked)
        self.cells = frozenset(Cell(e.step.node, e.index) for e in asked)
        self.later = self._later()
        self.repeats = self._repeats()

    def _later(self) -> frozenset[int]:
        found: set[int] = set()
        known = {cell.node for cell in self.cells}
        fed = feeds(self.derivation)
        for step in self.derivation.steps:
            before = {s.node for s in fed[step]} | {s.node for s in self._inside(step)}
            if before & (known | found):
                found.add(step.node)
        return frozenset(found)

    def _inside(self, step: Step) -> list[Step]:
        """Of a softmax, its exponentials and their sums; of the sums, the exponentials."""
        if step.inside and step.name.endswith(".sum"):
            of, names = step.inside, [".exp"]
        else:
            of, names = step.address, [".exp", ".sum"]
        return [
            s for s in self.derivation.steps if s.inside == of and s.name.endswith(tuple(names))
        ]

    def _repeats(self) -> dict[Cell, Cell]:
        """In the order of the derivation, so that what an entry repeats may be a repeat itself."""
        found: dict[Cell, Cell] = {}
        forms = self.derivation.forms
        bits = {cell: 1 << i for i, cell in enumerate(self.cells)}
        alike: dict[Any, list[Cell]] = {}
        for cell in self.cells:
            alike.setdefault(forms[cell.node][cell.index], []).append(cell)
        #: By entry, the hidden ones that reach it, as bits.
        reach: dict[Cell, int] = dict(bits)
        for step in self.derivation.steps:
            if step.node not in self.later:
                continue
            for index in np.ndindex(step.shape):
                cell = Cell(step.node, index)
                if cell in self.cells:
                    continue
                tree = expression.expand(self.derivation.graph, step.node, index)
                sources = self._sources(step, index, tree)
                reach[cell] = reduce(or_, (reach.get(source, 0) for source in sources), 0)
                form = forms[cell.node][index]
                hidden = [c for c in sources if c in self.cells or c in found]
                hidden = [c for c in hidden if forms[c.node][c.index] == form]
                handed = self._handed_on(step, tree, hidden)
                if handed is None and not _is_whole(form):
                    # What comes from it and is equal to it tells it, however it comes.
                    far = alike.get(form, ())
                    handed = next((c for c in far if bits[c] & reach[cell]), None)
                if handed is not None:
                    found[cell] = found.get(handed, handed)
        return found

    def _sources(
        self, step: Step, index: tuple[int, ...], tree: expression.Expression
    ) -> list[Cell]:
        """The entries that an entry is computed from, those inside a softmax among them."""
        row = index if step.inside else index[:-1]
        inside = [
            Cell(s.node, (*row, *last))
            for s in self._inside(step)
            for last in np.ndindex(s.shape[len(row) :])
        ]
        return list(dict.fromkeys([*leaves(tree), *inside]))

    def _handed_on(
        self, step: Step, tree: expression.Expression, hidden: list[Cell]
    ) -> Cell | None:
        """Of hidden entries that have the same value the one that an entry is."""
        if not hidden or not step.inside:
            return handed_on(step, tree, hidden) if hidden else None
        # A sum of one exponential that is not 0.
        return hidden[0] if step.name.endswith(".sum") else None

    def hides(self, step: Step, index: tuple[int, ...]) -> bool:
        """Whether the value of an entry is not shown."""
        cell = Cell(step.node, index)
        return cell in self.cells or cell in self.repeats

    def hidden_in(self, step: Step) -> list[tuple[int, ...]]:
        """The indices of the entries of a step that are not shown."""
        return [index for index in np.ndindex(step.shape) if self.hides(step, index)]

    def is_told_by(self, form: Any) -> bool:
        """Whether a number is that of an entry that is not shown, and hardly so by chance."""
        forms = self.derivation.forms
        return not _is_whole(form) and any(forms[c.node][c.index] == form for c in self.cells)

    def is_exact(self, step: Step) -> bool:
        """Whether the exact values of a step are shown."""
        return step.node not in self.later or self._is_plain(step)

    def name(self, step: Step, index: tuple[int, ...]) -> str:
        """LaTeX of the name that stands for an entry: its own, or of the one that it repeats."""
        cell = self.repeats.get(Cell(step.node, index), Cell(step.node, index))
        return step.at(cell).entry_symbol(cell.index)

    @property
    def addresses(self) -> list[str]:
        """What is left blank: steps, and entries of those that are blank in part."""
        found: list[str] = []
        for step in self.steps:
            own = [e.address for e in self.asked if e.step.node == step.node]
            found += [step.short] if len(own) == step.forms.size else own
        return found

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps with blanks, in order."""
        return tuple({e.step.node: e.step for e in self.asked}.values())

    # Equations.

    def equation(self, step: Step, marked: Collection[tuple[int, ...]] = ()) -> str:
        """LaTeX of a step's equation as the worksheet has it; see `symattn.equations`."""
        hidden = self.hidden_in(step)
        if not hidden and step.node not in self.later:
            return equation(step, marked)
        substituted = self._substitution(step)
        if not hidden and self._is_plain(step):
            first, entries = equation_parts(step, marked, substituted=substituted)
            return aligned([*first, *entries])
        return aligned([*formula_line(step), *substituted, *self._values(step, marked)])

    def _is_plain(self, step: Step) -> bool:
        if self.derivation.radii or not step.shows_exact:
            return False
        if not step.wants_decimals:
            return True
        if step.node in self._telling:
            return False
        texts = step.texts("latex")
        fits = width(matrices.latex(texts)) <= LINE
        return fits and all(_PLAIN.fullmatch(text) for text in texts.flat)

    @cached_property
    def _telling(self) -> frozenset[int]:
        r"""The later steps with an exact value in which a hidden number is read.

        As 3 is in 3/4 that is a fourth of it, in \sqrt{3}, or in 1/3 that is one over a sum.
        """
        return frozenset(
            step.node
            for step in self.derivation.steps
            if step.node in self.later and any(self._tells(step, i) for i in np.ndindex(step.shape))
        )

    def _tells(self, step: Step, index: tuple[int, ...]) -> bool:
        if self.hides(step, index) or _is_whole(step.forms[index]):
            return False
        tree = expression.expand(self.derivation.graph, step.node, index)
        text = step.text_at(index, "latex")
        for cell in self._sources(step, index, tree):
            source = self.derivation.step_at(cell.node)
            if source is not None and self.hides(source, cell.index):
                value = source.text_at(cell.index, "latex").lstrip("-")
                if value not in ("0", "1") and _read_in(value, text):
                    return True
        return False

    def _substitution(self, step: Step) -> list[str]:
        found = step.substituted(lambda operand: self._operand(step, operand))
        if not step.display_option("substitution") or found == step.formula_as_substituted:
            return []
        return substitution_line(step, found)

    def _operand(self, step: Step, operand: Step) -> str:
        """A matrix in a formula; its symbol where it is hidden in part, or too wide."""
        if self.hidden_in(operand) or not self.is_exact(operand) or width(operand.latex()) > LINE:
            return operand.symbol
        return step.put_in(operand)

    def _values(self, step: Step, marked: Collection[tuple[int, ...]]) -> list[str]:
        """The one matrix of a step in which something is hidden, or that is no longer exact."""
        exact = self._is_plain(step)
        shown = step.written("latex", marked) if exact else step.displayed("latex", None, marked)
        cells = np.asarray(shown, dtype=object)
        for index in np.ndindex(step.shape):
            if Cell(step.node, index) in self.cells:
                cells[index] = BOX
            elif self.hides(step, index):
                cells[index] = self.name(step, index)
        is_all = len(self.hidden_in(step)) == cells.size
        sign = "=" if exact or is_all or step.decimals_are_exact else r"\approx"
        if step.inside and step.name.endswith(".sum") and step.shape:
            return [self._line(step, i, f"{sign} {cells[i]}") for i in np.ndindex(step.shape)]
        if len(step.shape) > 2 and width(matrices.latex(cells)) > ARRAYS:
            return [
                f"{step.entry_symbol(i)} &{sign} {matrices.latex(cells[i])}"
                for i in np.ndindex(step.shape[:-2])
            ]
        return [f"&{sign} {matrices.latex(cells, step.shown_axes)}"]

    def _line(self, step: Step, index: tuple[int, ...], value: str) -> str:
        words = ", ".join(label for label in step[index].shown_labels if label)
        label = rf" \qquad {notation.text(words)}" if words else ""
        return f"{step.entry_symbol(index)} &{value}{label}"

    def working(self, entry: Entry) -> str:
        """LaTeX of an entry written out, as far as that gives nothing away."""
        step, index = entry.step, entry.index
        parts = [entry.formula()]
        if not self.hides(step, index):
            parts.append(entry.substitution(is_kept=self._is_kept))
            parts.append(entry.latex() if self.is_exact(step) else None)
        chain = [p for i, p in enumerate(parts) if p is not None and p not in parts[:i]]
        if not chain:
            return self.name(step, index)
        lines = [f"{step.entry_symbol(index)} &= {chain[0]}", *(f"&= {p}" for p in chain[1:])]
        if not self.hides(step, index) and entry.about:
            lines.append(f"&{entry.about}")
        return aligned(lines)

    def _is_kept(self, step: Step, index: Any) -> bool:
        is_masked = isinstance(step.forms[index], Infinity)
        return self.hides(step, index) or not self.is_exact(step) or is_masked


def _is_whole(form: Any) -> bool:
    """Whether it is an integer, or no number: what is equal to it may well be so by chance."""
    value = None if isinstance(form, Infinity) else form.rational()
    return isinstance(form, Infinity) or (value is not None and value.q == 1)


def _read_in(number: str, text: str) -> bool:
    r"""Whether a number stands in a text, and not only as part of a longer one.

    >>> _read_in("3", r"\frac{1}{3}"), _read_in("3", r"\frac{1}{23}")
    (True, False)
    """
    return re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", text) is not None
