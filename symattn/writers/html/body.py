"""The blocks of a page, and the steps that its text does not show, as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.blocks import Block, Equation, Fold, Heading, Items, Map, Page, Paragraph, Table
from symattn.claims.judge import judge
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.steps import Step, entries_of
from symattn.writers.html import figures, steps
from symattn.writers.html.cells import Index, Marks, StepCells
from symattn.writers.html.keys import Keys
from symattn.writers.html.maths import Maths
from symattn.writers.html.prose import Prose


class Body:
    """Writes blocks in order; knows which steps have been shown."""

    def __init__(self, page: Page) -> None:
        self.derivation = page.derivation
        self.maths = Maths()
        self.prose = Prose(self.maths)
        self.keys = Keys(page.derivation)
        self.marks = _marks(page.derivation)
        self.shown: set[int] = set()
        #: Headings of sections: their anchors and texts.
        self.contents: list[tuple[str, str]] = []
        self._headings = 0

    def blocks(self, blocks: Sequence[Block]) -> str:
        """Blocks in order."""
        out: list[str] = []
        for i, block in enumerate(blocks):
            if not self._repeats(blocks[i - 1] if i else None, block):
                out.append(self._block(block))
        return "\n".join(out)

    def _repeats(self, before: Block | None, block: Block) -> bool:
        """Whether a fold holds the exact entries of the step before it, whose block has them."""
        return (
            isinstance(before, Equation)
            and isinstance(block, Fold)
            and len(before.about) == 1
            and isinstance(before.about[0], Step)
            and all(isinstance(b, Equation) and not b.about for b in block.blocks)
        )

    def _block(self, block: Block) -> str:
        if isinstance(block, Heading):
            self._headings += 1
            anchor = f"part-{self._headings}"
            written = self.prose.heading(block, anchor)
            if block.level == 2:
                self.contents.append((anchor, self.prose.inlines(block.parts)))
            return written
        if isinstance(block, Paragraph):
            return self.prose.paragraph(block)
        if isinstance(block, Items):
            return self.prose.items(block)
        if isinstance(block, Table):
            return self.prose.table(block)
        if isinstance(block, Fold):
            title = self.prose.inlines(block.title)
            inside = self.blocks(block.blocks)
            return f"<details class='fold'><summary>{title}</summary>\n{inside}\n</details>"
        if isinstance(block, Map):
            return self.prose.paragraph(Paragraph(block.instead))
        return self._equation(block)

    def _equation(self, block: Equation) -> str:
        about = [part for part in block.about if isinstance(part, Step)]
        if about:
            shown = [self.step(step) for step in about]
            return f'<div class="steps">{"".join(shown)}</div>' if len(shown) > 1 else shown[0]
        entry = next((part for part in block.about if isinstance(part, Entry)), None)
        written = self.maths.display(block.latex)
        if entry is None:
            return f'<div class="eq scroll">{written}</div>'
        place = f"{self.keys.of(entry.step)}.{entry.flat}"
        return f'<div class="eq scroll" data-about="{place}">{written}</div>'

    def step(self, step: Step) -> str:
        """The block of a step."""
        key = self.keys.of(step)
        anchor = "" if key in self.shown else f"step-{key}"
        self.shown.add(key)
        own = self.derivation is not None and key < len(self.derivation.graph.nodes)
        drawn = figures.of(step) if anchor else ""
        return steps.block(StepCells(step, key, self.maths, self.marks, own), anchor, drawn)

    def remaining(self) -> str:
        """The steps that the text does not show, folded."""
        rest = [step for key, step in sorted(self.keys.steps.items()) if key not in self.shown]
        if self.derivation is not None:
            known = {step.node for step in rest} | self.shown
            rest += [step for step in self.derivation.steps if step.node not in known]
        if not rest:
            return ""
        shown = "\n".join(self.step(step) for step in sorted(rest, key=lambda s: s.node))
        return (
            '<details class="fold rest" id="rest"><summary>steps that the text does not show'
            f"</summary>\n{shown}\n</details>"
        )

    def symbols(self) -> str:
        """The symbol of each step, for the script to copy."""
        made = (
            f'<math data-s="{key}">{self.maths.inner(step.symbol)}</math>'
            for key, step in sorted(self.keys.steps.items())
        )
        return f'<template id="symbols">{"".join(made)}</template>'

    def table_of_contents(self) -> str:
        """Links to the sections."""
        links = "".join(f'<li><a href="#{a}">{title}</a></li>' for a, title in self.contents)
        return (
            f'<details class="toc"><summary>Contents</summary><ul>{links}</ul></details>'
            if links
            else ""
        )


def _marks(derivation: Derivation | None) -> Marks:
    """Claims of the spec, judged, and what it calls reconstructed."""
    if derivation is None or derivation.spec is None:
        return Marks()
    spec = derivation.spec
    unknown: set[tuple[str, Index]] = set()
    for address in spec.reconstructed:
        for entry in entries_of(derivation[address]):
            unknown.add((entry.step.address, entry.index))
    claims = {}
    if spec.claims and not any(step.has_symbols for step in derivation.steps):
        for judged in judge(derivation, spec.claims):
            if judged.entry is not None:
                claims[judged.entry.step.address, judged.entry.index] = judged
    return Marks(claims, frozenset(unknown))
