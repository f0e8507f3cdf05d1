"""LaTeX as native MathML, with its words for those who listen."""

from __future__ import annotations

import html

from symattn import mathml
from symattn.errors import SymattnError
from symattn.layout import width

#: Characters, as `width` counts them, from which an equation in a line of text may not fit a phone.
WIDE = 22


class Maths:
    """Turns LaTeX into MathML, each text once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bool], str] = {}
        self._words: dict[str, str] = {}

    def inner(self, latex: str, *, display: bool = False) -> str:
        """What stands inside ``<math>``; the LaTeX itself where it cannot be read."""
        key = (latex, display)
        if key not in self._known:
            try:
                made = mathml.text(latex, displayed=display)
                self._known[key] = made.partition(">")[2].removesuffix("</math>")
            except mathml.MathError:
                self._known[key] = f"<mtext>{html.escape(latex)}</mtext>"
        return self._known[key]

    def words(self, latex: str) -> str:
        """An equation in words; its LaTeX where there are none."""
        if latex not in self._words:
            from symattn import spoken

            try:
                self._words[latex] = spoken.equation(latex)
            except SymattnError:
                self._words[latex] = latex
        return self._words[latex]

    def cell(self, latex: str) -> str:
        """An exact value in a cell, whose name is read instead."""
        return f'<math aria-hidden="true">{self.inner(latex)}</math>'

    def number(self, text: str) -> str:
        """An integer in a cell."""
        return f'<math aria-hidden="true"><mn>{text}</mn></math>'

    def inline(self, latex: str) -> str:
        """An equation in a line of text."""
        made = f"<math {self._label(latex)}>{self.inner(latex)}</math>"
        return (
            f'<span class="long">{made}</span>'
            if len(latex) > WIDE and width(latex) > WIDE
            else made
        )

    def display(self, latex: str) -> str:
        """An equation on a line of its own."""
        inner = self.inner(latex, display=True)
        return f'<math display="block" {self._label(latex)}>{inner}</math>'

    def _label(self, latex: str) -> str:
        """What is read; `alttext` would say the same, and browsers tell it nobody."""
        return f'aria-label="{html.escape(self.words(latex))}"'
