"""The pages of a worksheet: the derivation with its boxes, and the key with all working."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from symattn.blocks import (
    Block,
    Code,
    Equation,
    Fold,
    Heading,
    Inlines,
    Page,
    Paragraph,
    Plain,
    inlines,
    plain,
)
from symattn.derivation import Derivation
from symattn.document import Builder
from symattn.entries import Entry
from symattn.errors import OptionError, SpecError
from symattn.examples import builtin_folder
from symattn.steps import Step
from symattn.text import Section, Text, load_text
from symattn.worksheets.blanks import ROOM, Blanks
from symattn.worksheets.chosen import chosen, is_count

#: Blocks that work with what may be blank, or quote it; their parts of a text are left out.
TELLING = ("backward", "claims", "descent", "properties")

#: What stands for a word that would give a number away. Underscores are markup in many formats.
LINE = "." * 10


@dataclass(frozen=True)
class Worksheet:
    """A sheet and its key.

    Attributes:
        sheet: the page with boxes. It carries no derivation, and its equations no steps, so that
            no writer can show what the page does not.
        key: every step that has blanks in full, and the working of each entry.
        blank: the addresses of what is left blank: steps, and entries of others.
        boxes: the address of every entry that has a box, in order.
    """

    sheet: Page
    key: Page
    blank: tuple[str, ...]
    boxes: tuple[str, ...]


def worksheet(
    derivation: Derivation,
    blank: str | Sequence[str] = (),
    *,
    seed: int | None = None,
    prose: bool = True,
    typed: bool = False,
) -> Worksheet:
    """Make a worksheet of a derivation that was loaded from a spec.

    Args:
        blank: what to leave blank: addresses (``"A,O[1]"`` or a list of them), or how many
            entries to pick at random (``"5"``, ``"30%"``). S, Z, A and O if nothing is said.
        seed: of what is picked at random, 0 if left out; the sheet says it.
        prose: whether the text of the spec stands around the steps.
        typed: whether to say how numbers are written into the file.

    Raises:
        AddressError: no such step or entry.
        OptionError: nothing would be blank, or everything; a seed that is no whole number.
        ExactnessError: the derivation has symbols in it.
        SpecError: it was not loaded from a spec.

    >>> import symattn as sa
    >>> made = worksheet(sa.article(), "A[1], O", seed=7)
    >>> made.blank, made.key.title
    (('A[1,0]', 'A[1,1]', 'A[1,2]', 'O'), 'cat chases mouse (worksheet 7): key')
    """
    if derivation.spec is None:
        raise SpecError("a worksheet needs a title and a text: load the derivation from a spec")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise OptionError(f"seed: wanted a whole number, got {seed!r}")
    derivation.check_numbers()
    # A box is for what is asked, what is written out would tell it, and nothing is folded away.
    derivation = derivation.with_display(highlight=(), working=(), fold=())
    text = _text(derivation, prose)
    shown = Builder(derivation, text).shown
    asked = chosen(derivation, blank, seed or 0, shown)
    if any(entry.step.node not in shown for entry in asked):
        text = _text(derivation, prose=False)  # which shows every step
    blanks = Blanks(derivation, asked)
    title = " ".join(derivation.spec.title.split())
    if seed is None and is_count(blank):
        seed = 0
    if seed is not None:
        title = text.phrase("sheet", title=title, number=str(seed))
    sheet = _Sheet(derivation, text, blanks).sheet(title, typed)
    marked = derivation.with_display(highlight=blanks.addresses)
    solved = Blanks(marked, [marked.step(e.step.address)[e.index] for e in blanks.asked])
    key = _Key(marked, text, solved).key(text.phrase("key", title=title))
    boxes = tuple(entry.address for entry in blanks.asked)
    return Worksheet(sheet, key, tuple(blanks.addresses), boxes)


def _text(derivation: Derivation, prose: bool) -> Text:
    text: Text = derivation.spec.text
    if not prose or derivation.spec.text_name == "default.en.toml":
        text = Text(load_text(builtin_folder() / "worksheet.en.toml").sections, text.words)
    return Text(tuple(s for section in text.sections for s in _untold(section)), text.words)


def _untold(section: Section) -> list[Section]:
    """A section without the parts, each from its heading on, whose blocks tell too much."""
    first, *others = re.split(r"(?m)^(?=### )", section.body)
    if _tells(first):
        return []
    return [replace(section, body="".join([first, *(p for p in others if not _tells(p))]))]


def _tells(part: str) -> bool:
    return re.search(rf"(?m)^\s*\{{(?:{'|'.join(TELLING)})(?![\w.\[])", part) is not None


class _Sheet(Builder):
    """Builds the page with boxes: a page, except where it would show what is blank."""

    def __init__(self, derivation: Derivation, text: Text, blanks: Blanks) -> None:
        super().__init__(derivation, text)
        self.blanks = blanks

    def sheet(self, title: str, typed: bool) -> Page:
        made = self.page()
        blocks = [Paragraph(inlines(f"{self.words['sheet_name']} {LINE * 6}")), *self.note(typed)]
        return Page(title, tuple(_bare(b) for b in (*blocks, *made.blocks)))

    def note(self, typed: bool) -> list[Block]:
        """What to do with the boxes."""
        blanks = self.blanks
        count = len(blanks.asked)
        said = {"count": str(count), "digits": _digits(blanks.steps)}
        words = [self.text.phrase("sheet_boxes" if count > 1 else "sheet_one_box", **said)]
        first = blanks.asked[0]
        name = f"${first.step.entry_symbol(first.index)}$"
        words.append(self.text.phrase("sheet_names", name=name))
        parts = inlines(" ".join(words))
        if typed:
            before, _, after = self.words["sheet_typed"].partition("{room}")
            parts = (*parts, Plain(f" {before}"), Code(ROOM), Plain(after))
        return [Paragraph(parts)]

    # What a page shows of single entries.

    def value(self, command: str) -> Inlines:
        word, _, rest = command.partition(" ")
        if word == "exact":
            entry = self.entry_of(rest)
            if self.blanks.hides(entry.step, entry.index) or not self.blanks.is_exact(entry.step):
                return inlines(f"${self.name(entry)}$")
        return super().value(command)

    def _number(self, entry: Entry, digits: int | None = None) -> str:
        return f"${self.name(entry)}$" if self.hides(entry) else super()._number(entry, digits)

    def _component(self, entry: Entry) -> str:
        return self.name(entry) if self.hides(entry) else super()._component(entry)

    def share(self, entry: Entry) -> Inlines:
        row_of = entry.step[entry.index[:-1]] if entry.index[1:] else entry.step.entries()
        is_told = any(map(self.hides, row_of)) or self.blanks.is_told_by(entry.part)
        return plain(LINE) if is_told else super().share(entry)

    def winners(self, address: str) -> list[str]:
        hidden = any(map(self.hides, self.entries_of(address)))
        return [LINE] if hidden else super().winners(address)

    def largest(self, entries: list[Entry]) -> list[Entry]:
        return [] if any(map(self.hides, entries)) else super().largest(entries)

    def unchanged(self, before: list[Entry], after: list[Entry]) -> bool:
        hidden = any(map(self.hides, (*before, *after)))
        return not hidden and super().unchanged(before, after)

    def _note(self, entry: Entry, digits: int | None = None) -> None:
        if not self.hides(entry):
            super()._note(entry, digits)

    def entry(self, rest: str) -> list[Block]:
        entry = self.entry_of(rest)
        if entry.step.node not in self.blanks.later and not self.hides(entry):
            return super().entry(rest)
        self._note(entry)
        return [Equation(self.blanks.working(entry))]

    # Steps.

    def show(self, rest: str) -> list[Block]:
        steps = self.steps_of(rest)
        whole = [s for s in steps if self.is_whole(s)]
        places = [(step, [e.index for e in step.entries()]) for step in whole]
        return [*self._folded(steps), *self.definitions(places)]

    def is_whole(self, step: Step) -> bool:
        """Whether a step stands there as on any page."""
        return step.node not in self.blanks.later and not self.blanks.hidden_in(step)

    def _equations(self, steps: list[Step]) -> list[Block]:
        blocks: list[Block] = []
        run: list[Step] = []
        for step in steps:
            if self.is_whole(step):
                run.append(step)
                continue
            blocks += super()._equations(run)
            run = []
            for entry in step.entries():
                self._note(entry)
            marked = self.marks.get(step.address, set())
            blocks.append(Equation(self.blanks.equation(step, marked)))
        return [*blocks, *super()._equations(run)]

    def hides(self, entry: Entry) -> bool:
        return self.blanks.hides(entry.step, entry.index)

    def name(self, entry: Entry) -> str:
        return self.blanks.name(entry.step, entry.index)


class _Key(Builder):
    """Builds the key: each step with blanks, then the working of each of its entries."""

    def __init__(self, derivation: Derivation, text: Text, blanks: Blanks) -> None:
        super().__init__(derivation, text)
        self.blanks = blanks
        self.shown = {step.node for step in blanks.steps}

    def key(self, title: str) -> Page:
        blocks: list[Block] = []
        for step in self.blanks.steps:
            blocks.append(Heading(3, inlines(f"${step.symbol}$")))
            blocks += self._equations([step])
            asked = [e for e in self.blanks.asked if e.step.node == step.node]
            if not step.given:
                blocks += [Equation(entry.explain().latex(), (entry,)) for entry in asked]
            whole = [entry.index for entry in step.entries()]
            blocks += [*self.definitions([(step, whole)]), *self.nearest()]
        return Page(title, tuple(blocks), self.d)


def _digits(steps: Sequence[Step]) -> str:
    """How many decimals to write: those of the steps, by step where they differ."""
    by_digits: dict[int, list[str]] = {}
    for step in steps:
        by_digits.setdefault(step.digits, []).append(f"${step.symbol}$")
    if len(by_digits) == 1:
        return str(*by_digits)
    return ", ".join(f"{digits} ({', '.join(names)})" for digits, names in by_digits.items())


def _bare(block: Block) -> Block:
    """A block that does not know what it is about."""
    if isinstance(block, Equation):
        return Equation(block.latex)
    if isinstance(block, Fold):
        return replace(block, blocks=tuple(map(_bare, block.blocks)))
    return block
