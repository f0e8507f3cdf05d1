"""The entries of a step as cells of tables: exact value, decimal, name, marks."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from symattn import spoken
from symattn.claims.judge import Judgement
from symattn.entries import Entry
from symattn.graph import Array
from symattn.layout import LINE, width
from symattn.literals import Infinity
from symattn.steps import Step
from symattn.writers.html.maths import Maths

Index = tuple[int, ...]


@dataclass
class Marks:
    """What is known of entries beside their values.

    Attributes:
        claims: what somebody printed for an entry, judged; by step and index.
        reconstructed: entries that nobody knows the originals of.
    """

    claims: Mapping[tuple[str, Index], Judgement] = field(default_factory=dict)
    reconstructed: frozenset[tuple[str, Index]] = frozenset()


class StepCells:
    """The cells of one step."""

    def __init__(
        self, step: Step, key: int, maths: Maths, marks: Marks, is_of_spec: bool = True
    ) -> None:
        self.step = step
        self.key = key
        #: Whether the spec's own derivation has it, and not only one that adds gradients to it.
        self.is_of_spec = is_of_spec
        self.maths = maths
        self.marks = marks
        self.exact: Array = step.texts("latex")
        self.decimals: Array | None = step.displayed("text") if step.shows_decimals else None

    @cached_property
    def is_list(self) -> bool:
        """Whether its exact entries are too wide for a matrix, and stand one a line."""
        step = self.step
        if step.inside and step.name.endswith(".sum"):
            return True
        return bool(step.shape) and width(step.latex(labels=True)) > LINE

    @cached_property
    def is_weights(self) -> bool:
        """Whether its rows are what a softmax gives."""
        step = self.step
        return step.derivation.graph.nodes[step.node].op == "softmax" and bool(step.shape)

    def decimal(self, index: Index) -> str:
        """The decimal of an entry as the page shows it; "" where it adds nothing."""
        if self.decimals is None or isinstance(self.step.forms[index], Infinity):
            return ""
        shown = str(self.decimals[index])
        if self.step.is_highlighted(index):  # by a box, where plain text has brackets
            shown = shown[1:-1]
        return f"−{shown[1:]}" if shown.startswith("-") else shown  # and 6.1e-6 stays one

    @cached_property
    def _words(self) -> str:
        return spoken.step_words(self.step)

    def name(self, index: Index) -> str:
        """An entry in words, for those who listen; see `symattn.spoken.entry_words`."""
        entry = Entry(self.step, index)
        return spoken.entry_words(entry, self._words)

    def cell(self, index: Index, *, with_exact: bool = True) -> str:
        """One ``<td>``."""
        entry = Entry(self.step, index)
        decimal = self.decimal(index)
        with_exact = with_exact and self.step.shows_exact
        if with_exact and self._is_whole(index):
            decimal = ""
        place = (self.step.address, index)
        # For `symattn check`, right behind the number that it is about.
        marker = f"<!-- symattn: {entry.address} -->" if index and self.is_of_spec else ""
        dagger = '<sup class="dagger">†</sup>' if place in self.marks.reconstructed else ""
        inside = self._exact(index) if with_exact or not decimal else ""
        if decimal:
            inside += f'{dagger}<span class="d">{html.escape(decimal)}</span>{marker}'
        else:
            inside += f"{marker if self._is_whole(index) else ''}{dagger}"
        classes = self._classes(index)
        judged = self.marks.claims.get(place)
        if judged is not None and judged.verdict != "right":
            inside += f'<span class="claim">{html.escape(said(judged))}</span>'
            classes.append("claimed")
        attributes = f' class="{" ".join(classes)}"' if classes else ""
        if self.is_weights and (share := self._share(index)):
            attributes += f' style="--w:{share}"'
        name = html.escape(self.name(index) + (f"; {said(judged)}" if judged else ""))
        return f'<td data-c="{self.key}.{entry.flat}" aria-label="{name}"{attributes}>{inside}</td>'

    def _exact(self, index: Index) -> str:
        latex = str(self.exact[index])
        if self._is_whole(index):  # with its sign as one number, which is what `check` reads
            return self.maths.number(latex.replace("-", "−"))
        return self.maths.cell(latex)

    def _is_whole(self, index: Index) -> bool:
        """Whether it is an integer as it stands, to which a decimal adds nothing."""
        form = self.step.forms[index]
        if isinstance(form, Infinity) or self.step.derivation.radii:
            return False
        known = form.rational()
        return known is not None and known.q == 1

    def _classes(self, index: Index) -> list[str]:
        form = self.step.forms[index]
        if self.step.is_highlighted(index):
            return ["boxed"]
        if isinstance(form, Infinity):
            return ["off"]
        masks = self.is_weights or bool(self.step.inside)
        return ["off"] if masks and form.rational() == 0 else []

    def _share(self, index: Index) -> str:
        """A weight to shade by: two decimals."""
        step = self.step
        if step.forms[index].has_symbols:
            return ""
        shown = step.shown_at(index, 2) if step.has_symbols else str(self._shares[index])
        return shown.rstrip("?")

    @cached_property
    def _shares(self) -> Array:
        return self.step.shown(2)


def said(judged: Judgement) -> str:
    """A verdict in words."""
    if judged.verdict == "right":
        return f"printed {judged.printed}, right"
    if judged.verdict == "wrong":
        return f"printed {judged.printed}, should be {judged.correct}"
    return f"printed {judged.printed}, {judged.verdict}"
