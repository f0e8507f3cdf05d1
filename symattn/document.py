"""A derivation and a text become a page: prose filled with values, and blocks.

In a body, ``{…}`` inside a line is a value:

    {A[1,1]}  {A[1,1] 4}      a decimal, with the display's digits or as many as said
    {exact A[1,1]}            the exact value, as inline maths
    {share Z[2,0]}            the entry's share of the sum of its row, a decimal
    {largest P}               the label of the largest entry (of all that tie)
    {sentence P}              the tokens and that label
    {verified}                one line on how the numbers were checked

and alone on a line it is a block:

    {show A.exp A.sum A}      the equation of each step; {show *} of all, {show layer[0].*}
                              of those at such addresses; the spec says what is folded
    {entry S[1,2]}            one entry written out
                              (after both, what stands for names of steps not on the page)
    {formula attention}       the equations of a function of the model
    {changes E O}             a table of two steps, row by row
    {probabilities P}         a table of a row of labelled entries
    {claims}                  what was printed, judged, with causes
    {steps}                   a table of every step
    {map}                     a drawing of which steps feed which; a sentence where none is drawn
    {properties softmax}      what holds whatever the weights: statements of a family, of a name,
                              ``own`` and ``model`` for the spec's; all if none is named
    {reconstructed}           the note that explains the daggers
    {backward}                the gradients of the loss; {backward for WORD} of a word's;
                              {backward F W_1 for WORD} of some steps only
    {descent W_1 1/2}         one step of gradient descent: a weight, the rate; for WORD
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from symattn import formulas, notation, numerals, progress
from symattn.blocks import (
    Block,
    Equation,
    Fold,
    Heading,
    Inline,
    Inlines,
    Items,
    Map,
    Page,
    Paragraph,
    Plain,
    Styled,
    Table,
    inlines,
    plain,
    row,
)
from symattn.claims.causes import explained
from symattn.claims.judge import Judgement, cell, judge
from symattn.claims.placing import Claimed
from symattn.comparison import largest
from symattn.derivation import Derivation
from symattn.display import MAX_DIGITS
from symattn.entries import Entry
from symattn.equations import definitions, equation, equation_parts, with_decimals
from symattn.errors import SpecError, SymattnError, Undecided, nearest
from symattn.expression import Cell
from symattn.folding import folded
from symattn.layout import LINE, aligned, width
from symattn.literals import exact
from symattn.numbers import compact
from symattn.numbers.texts import text
from symattn.stepmap import Box, stepmap
from symattn.steps import Step, entries_of
from symattn.text import Section, Text, authored
from symattn.verify import verify

#: The float types that a page tells of.
VERIFIED = ("float64", "float32")

#: Characters up to which an equation has frames: a frame is a macro to MathJax, which takes one
#: only where the rest of the equation fits its buffer of 5 KB.
FRAMED = 5000

#: The blocks of texts, each a method of `Builder`.
BLOCKS = (
    "show", "entry", "formula", "changes", "probabilities", "claims", "steps", "reconstructed",
    "map", "properties", "backward", "descent",
)  # fmt: skip

_COMMAND = re.compile(r"\{([^{}]+)\}")


def page(derivation: Derivation, text: Text | None = None) -> Page:
    """Build the page of a derivation that was loaded from a spec.

    Args:
        text: in place of the one that the spec names.

    Raises:
        SpecError: the text asks for something that this derivation does not have.
    """
    if derivation.spec is None:
        raise SpecError("a page needs a title and a text: load the derivation from a spec")
    return Builder(derivation, text or derivation.spec.text).page()


def commands(lines: Iterable[str]) -> list[str]:
    """The commands in somebody else's document, one a line, for `Builder.asked`."""
    return [" ".join(line.split()) for line in lines if line.strip()]


class Builder:
    """Builds the page of a derivation, block by block."""

    def __init__(self, derivation: Derivation, text: Text) -> None:
        self.d = derivation
        self.spec = derivation.spec
        self.words: Mapping[str, str] = text.words
        self.text = text
        self.marks = self._reconstructed()
        #: Entries of steps that the page does not show, listed already with what they stand for.
        self.defined: set[Cell] = set()
        #: Entries whose decimals are not the nearest: said already, and still to be said.
        self.said: dict[tuple[int, tuple[int, ...], int], str] = {}
        self.moved: dict[tuple[int, tuple[int, ...], int], str] = {}
        #: Whether a decimal reads 0 for what is not 0, and whether that is said.
        self.small = self.small_said = False

    def page(self) -> Page:
        blocks: list[Block] = []
        if self.d.radii:
            blocks.append(Paragraph(inlines(self.words["printed_inputs"])))
        for name in self.d.biases:
            symbol = self.d.step(name).symbol
            blocks.append(Paragraph(inlines(self.text.phrase("bias", mask=symbol))))
        for section in progress.over(self.text.sections, "section"):
            try:
                blocks += self.section(section)
            except SymattnError as error:
                raise SpecError(f"{section.where}: {error}") from None
        return Page(" ".join(self.spec.title.split()), tuple(blocks), self.d, self.words)

    def section(self, section: Section) -> list[Block]:
        blocks: list[Block] = []
        for paragraph in re.split(r"\n\s*\n", section.body.strip()):
            blocks += self.paragraph(paragraph.strip())
            blocks += self.nearest()
        # A section in which nothing is left to say (no claims) goes with its title.
        if section.title and blocks:
            blocks.insert(0, Heading(2, self.filled(section.title)))
        return blocks

    def paragraph(self, text: str) -> list[Block]:
        lines = text.split("\n")
        if text.startswith("{") and all(_COMMAND.fullmatch(line.strip()) for line in lines):
            blocks: list[Block] = []
            for line in lines:
                blocks += self.block(line.strip()[1:-1])
            return blocks
        for marker, numbered in ((r"- ", False), (r"\d+\. ", True)):
            if re.match(marker, text):
                items = re.split(rf"(?m)^{marker}", text)[1:]
                return [Items(tuple(self.filled(_joined(i)) for i in items), numbered)]
        if text.startswith("### "):
            return [Heading(3, self.filled(_joined(text[4:])))]
        return [Paragraph(self.filled(_joined(text)))] if text else []

    def filled(self, text: str) -> Inlines:
        """Inlines with every ``{…}`` outside maths and code replaced by its value."""
        return tuple(part for piece in authored(text) for part in self._filled(piece))

    def _filled(self, piece: Inline) -> list[Inline]:
        if isinstance(piece, Styled):
            return [Styled(piece.level, tuple(p for x in piece.parts for p in self._filled(x)))]
        if not isinstance(piece, Plain):
            return [piece]
        out: list[Inline] = []
        for i, part in enumerate(_COMMAND.split(piece.text)):
            if i % 2:
                out += self.value(part)
            elif part:
                out.append(Plain(part))
        return out

    # Values in a line.

    def value(self, command: str) -> Inlines:
        word, _, rest = command.partition(" ")
        if word == "verified":
            return inlines(self.verified())
        if word == "exact":
            entry = self.entry_of(rest)
            return inlines(f"${entry.step.written_at(entry.index, 'latex')}$")
        if word == "share":
            return self.share(self.entry_of(rest))
        if word == "largest":
            return plain(" / ".join(self.winners(rest)))
        if word == "sentence":
            return plain(" ".join([*self.spec.tokens, " / ".join(self.winners(rest))]))
        entry = self.entry_of(word)
        if rest and not (re.fullmatch("[0-9]{1,4}", rest) and int(rest) <= MAX_DIGITS):
            wanted = f"a number of decimals after the address, at most {MAX_DIGITS}"
            raise SpecError(f"{{{command}}}: wanted {wanted}")
        return self._shown(entry, int(rest) if rest else None)

    def _shown(self, entry: Entry, digits: int | None = None) -> Inlines:
        return inlines(self._number(entry, digits))

    def _number(self, entry: Entry, digits: int | None = None) -> str:
        """Its decimal, for a line of text; with symbols, which have none, its exact value."""
        step, index = entry.step, entry.index
        if entry.has_symbols:
            return f"${step.written_at(index, 'latex')}$"
        self._note(entry, digits)
        if numerals.numeral(step, index, digits).is_plain and not step.is_highlighted(index):
            return step.displayed_at(index, "text", digits)
        return f"${step.displayed_at(index, 'latex', digits)}$"

    def _vector(self, entries: list[Entry]) -> str:
        return f"$({self.separator.join(map(self._component, entries))})$"

    def _component(self, entry: Entry) -> str:
        self._note(entry)
        step = entry.step
        return (step.written_at if entry.has_symbols else step.displayed_at)(entry.index, "latex")

    @property
    def separator(self) -> str:
        """What separates numbers of a list: a comma, unless that stands before decimals."""
        return "; " if self.d.display.decimal_mark == "," else ", "

    def _written(self, text: str) -> str:
        """A decimal, or a text with decimals in it, with the display's mark."""
        mark = self.d.display.decimal_mark
        return text if mark == "." else re.sub(r"(?<=\d)\.(?=\d)", mark, text)

    def _note(self, entry: Entry, digits: int | None = None) -> None:
        """Keep for the next note that an entry's decimal is marked."""
        step, index = entry.step, entry.index
        wanted = step.digits if digits is None else digits
        if index in step.moved(wanted):
            decimal = numerals.written(
                step.decimal_at(index, wanted), "latex", self.d.display.decimal_mark
            )
            key = (step.node, index, wanted)
            self.moved[key] = rf"${step.entry_symbol(index)} \approx {decimal}$"
        if not entry.has_symbols and numerals.numeral(step, index, wanted).small:
            self.small = True

    def _note_step(self, step: Step, digits: int | None = None) -> None:
        """The same of all entries of a step."""
        for index in step.moved(digits):
            self._note(step[index], digits)
        if step.reads_zero(digits):
            self.small = True

    def nearest(self) -> list[Block]:
        """The sentences on decimals that are not the nearest, and on those that read 0."""
        new = [said for key, said in self.moved.items() if key not in self.said]
        self.said |= self.moved
        self.moved = {}
        blocks: list[Block] = []
        if new:
            phrase = self.text.phrase("row_sums", nearest=self.separator.join(new))
            blocks.append(Paragraph(inlines(phrase)))
        if self.small and not self.small_said:
            self.small_said = True
            blocks.append(Paragraph(inlines(self.words["small"])))
        return blocks

    def entry_of(self, address: str) -> Entry:
        found = self.d[address]
        if not isinstance(found, Entry):
            raise SpecError(f"{{{address}}}: wanted an entry such as A[1,0]")
        return found

    def winners(self, address: str) -> list[str]:
        entries = self.entries_of(address)
        if any(entry.has_symbols for entry in entries):
            return [self.words["depends"]]
        return [_word(e) for e in self.largest(entries)] or [self.words["undecided"]]

    def largest(self, entries: list[Entry]) -> list[Entry]:
        """The proven winners; none where that is undecided, or depends on symbols."""
        try:
            return [] if any(entry.has_symbols for entry in entries) else largest(entries)
        except Undecided:
            return []

    def entries_of(self, address: str) -> list[Entry]:
        """The entries of a step, or of a row of one: P, P[2]."""
        found = self.d[address]
        if isinstance(found, Step):
            return found.entries()
        if not isinstance(found, list) or not all(isinstance(e, Entry) for e in found):
            raise SpecError(f"{{{address}}}: wanted a step or a row, such as P or P[2]")
        return found

    def step_of(self, address: str) -> Step:
        found = self.d[address]
        if not isinstance(found, Step):
            raise SpecError(f"{{{address}}}: wanted a step such as A")
        return found

    def share(self, entry: Entry) -> Inlines:
        part = entry.part
        if part.has_symbols:
            return inlines(f"${text(part, 'latex', roots=self.d.display.roots)}$")
        shown = numerals.alone(part, self.d.display.digits, self.d.display)
        self.small = self.small or shown.small
        mark = self.d.display.decimal_mark
        if shown.is_plain:
            return plain(shown.written("text", mark))
        value = shown.written("latex", mark)
        return inlines(rf"${{{value}}}^{{\ddagger}}$" if shown.small else f"${value}$")

    def verified(self) -> str:
        if any(step.has_symbols for step in self.d.steps):
            return self.words["has_symbols"]
        report = verify(self.d, types=VERIFIED)
        if not report.agrees:
            return self._written(report.disagreements[0])
        phrases = []
        for kind in VERIFIED:
            bound = max(c.largest_bound for c in report.checks if c.type == kind)
            if math.isinf(bound):
                phrases.append(self.text.phrase("verified_overflow", type=kind))
            else:
                power = _power_of_ten(bound)
                phrases.append(self.text.phrase("verified_bound", bound=power, type=kind))
        return self.text.phrase("verified", bounds=f" {self.words['and']} ".join(phrases))

    # Blocks.

    @classmethod
    def of_blocks(cls, derivation: Derivation) -> Builder:
        """What builds blocks for a page that is somebody else's: of its text only the words."""
        return cls(derivation, Text((), derivation.spec.text.words))

    def asked(self, command: str) -> list[Block]:
        """The blocks of a command in somebody else's document, and the notes on its marks.

        A name alone is a step to show, or an entry to write out.

        Raises:
            SymattnError: it asks for what there is not.
        """
        word, _, rest = command.partition(" ")
        if command == word and word not in (*BLOCKS, "verified"):
            found = self.d[word]
            if not isinstance(found, Step | Entry):
                raise SpecError(f"{command}: wanted a step or an entry, such as A or S[1,2]")
            word, rest = "show" if isinstance(found, Step) else "entry", word
            command = f"{word} {rest}"
        if word == "show":
            steps = self.steps_of(rest)
            if not steps:
                raise SpecError(f"{command}: there are no such steps")
            self.shown.update(step.node for step in steps)
        return [*self.block(command), *self.nearest()]

    def block(self, command: str) -> list[Block]:
        word, _, rest = command.partition(" ")
        if word in BLOCKS:
            made: Callable[[str], list[Block]] = getattr(self, word)
            return made(rest.strip())
        if len(command.split()) > 1 and word not in ("exact", "share", "largest", "sentence"):
            raise SpecError(f"{{{command}}}: unknown block{nearest(word, BLOCKS)}")
        return [Paragraph(self.value(command))]

    def show(self, rest: str) -> list[Block]:
        steps = self.steps_of(rest)
        places = [(s, list(np.ndindex(s.shape))) for s in steps]
        return [*self._folded(steps), *self.definitions(places)]

    def _folded(self, steps: list[Step]) -> list[Block]:
        """Their equations, those of further layers and heads folded as the display says."""
        blocks: list[Block] = []
        for scope, run in folded(steps, self.d.display.fold):
            if scope and len(run) > 1:
                blocks.append(self._fold(scope, run[:-1]))
                run = run[-1:]
            blocks += self._equations(run)
        return blocks

    def steps_of(self, rest: str) -> list[Step]:
        """The steps of a text's words, each once: addresses, or patterns with stars."""
        return list(dict.fromkeys(step for word in rest.split() for step in self._matching(word)))

    def _matching(self, word: str) -> list[Step]:
        if "*" not in word:
            return [self.step_of(word)]
        pattern = re.compile(".*".join(map(re.escape, word.split("*"))))
        # Of stacked weights the parts are shown, each where it is used.
        return [
            step for step in self.d.steps
            if pattern.fullmatch(step.address) and not (step.given and len(step.shape) > 2)
        ]  # fmt: skip

    def _fold(self, scope: str, steps: list[Step]) -> Fold:
        first = re.sub(r"\[\d+\]$", "[0]", scope)
        said = {"scope": scope, "n": str(len(steps)), "first": first}
        return Fold(
            inlines(self.text.phrase("folded", **said)),
            tuple(self._equations(steps)),
            inlines(self.text.phrase("left_out", **said)),
        )

    def backward(self, rest: str) -> list[Block]:
        names, target = self._for(rest)
        back = self.d.backward(target=target)
        steps = [
            step for step in back.steps
            if step.node >= len(self.d.graph.nodes)
            and not (len(step.shape) > 2 and step.primal and back.step(step.primal).given)
        ]  # fmt: skip
        if names:
            wanted = {back.step(name).address for name in names}
            steps = [s for s in steps if s.primal in wanted or s.address in wanted]
        blocks = self._folded(steps)
        shown = self.shown | {step.node for step in steps}
        places = [(step, list(np.ndindex(step.shape))) for step in steps]
        return [*blocks, *self.definitions(places, shown), *self._kinks(back)]

    def _for(self, rest: str) -> tuple[list[str], str | int | None]:
        """The words before ``for``, and what the model should predict."""
        before, found, word = f" {rest}".partition(" for ")
        return before.split(), _target(self.d, word.strip()) if found else None

    def _kinks(self, back: Derivation) -> list[Block]:
        """What was taken where a maximum has no derivative."""
        items = []
        for kink in back.kinks:
            taken = self.words["kink_shared" if kink.shared else "kink_zero"]
            word = "kink" if kink.decided else "may_kink"
            items.append(inlines(self.text.phrase(word, place=f"`{kink.place}`", taken=taken)))
        return [Items(tuple(items), False)] if items else []

    def descent(self, rest: str) -> list[Block]:
        words, target = self._for(rest)
        if len(words) != 2:
            raise SpecError(f"{{descent {rest}}}: wanted a weight and a rate, such as W_1 1/2")
        weight, rate = words
        made = self.d.without_radii().gradient_step(weight, rate=rate, target=target)
        step = made.derivation.step(weight)
        slope = made.derivation.step(made.slopes[0])
        eta = text(compact.number(exact(rate)), "latex")
        lines = [rf"{step.symbol} - {eta} {slope.symbol} &= {step.latex()} - {eta} {slope.symbol}"]
        if made.now.has_symbols:
            return [Equation(aligned(lines)), Paragraph(inlines(self.words["has_symbols"]))]
        after, digits = made.after.step(weight), self.d.display.digits
        self._note_step(after, digits)
        lines.append(rf"&\approx {after.latex(digits, labels=True)}")
        verdict = {"less": "fell", "greater": "rose", "equal": "stayed"}
        said = {"before": made.before, "after": made.now}
        shown = {name: self._number(e, 4) for name, e in said.items()}
        phrase = self.text.phrase(verdict.get(made.comparison.verdict, "open"), **shown)
        return [Equation(aligned(lines)), Paragraph(inlines(phrase)), *self._kinks(made.derivation)]

    def _equations(self, steps: list[Step]) -> list[Block]:
        """Their equations, short ones beside each other; long entries are folded on demand."""
        for step in steps:
            if step.shows_decimals:
                self._note_step(step)
        if "entries" not in self.d.display.fold:
            shown = [
                e
                for s in progress.over(steps, "step")
                for e in (Equation(self._equation(s), (s,)), *self._worked(s))
            ]
            return side_by_side(shown)
        blocks: list[Block] = []
        short: list[Equation] = []
        for step in progress.over(steps, "step"):
            marked = self.marks.get(step.address, set())
            lines, entries = equation_parts(self._drawn(step), marked, names=False)
            if not entries or not step.shows_decimals or len(step.shape) not in (1, 2):
                short += [Equation(aligned(lines + entries), (step,)), *self._worked(step)]
                continue
            blocks += side_by_side(short)
            short = []
            blocks.append(Equation(with_decimals(step, lines), (step,)))
            said = {"step": step.short}
            blocks.append(
                Fold(
                    inlines(self.text.phrase("entries", **said)),
                    (Equation(aligned(entries)),),
                    inlines(self.text.phrase("no_entries", **said)),
                )
            )
            blocks += self._worked(step)
        return [*blocks, *side_by_side(short)]

    def _drawn(self, step: Step) -> Step:
        """A step with its frames, or without them where its equation is too long for these."""
        if not self.d.display.highlight or len(framed := equation(step)) <= FRAMED:
            return step
        bare = step.derivation.with_display(highlight=())
        return bare.step(step.address) if r"\boxed" in framed else step

    def _worked(self, step: Step) -> list[Equation]:
        """The entries that the display writes out."""
        for entry in step.worked():
            self._note(entry)
        return [Equation(entry.explain().latex(), (entry,)) for entry in step.worked()]

    @cached_property
    def shown(self) -> set[int]:
        """The nodes of the steps that the page shows, as far as its text names steps there are."""
        found: set[int] = set()
        for section in self.text.sections:
            for match in re.finditer(r"(?m)^\s*\{show ([^{}]+)\}\s*$", section.body):
                found.update(step.node for step in self.steps_of(match[1].strip()))
        return found

    def definitions(
        self, places: list[tuple[Step, list[tuple[int, ...]]]], shown: set[int] | None = None
    ) -> list[Block]:
        """What entries name of steps that the page does not show: each once, in order."""
        shown = self.shown if shown is None else shown
        if all(step.node in shown for step in self.d.steps):
            return []
        needed: dict[Cell, tuple[str, str]] = {}
        waiting = {step.node: (step, indices) for step, indices in places}
        while waiting:  # from the last step on: what is named stands before it
            step, indices = waiting.pop(max(waiting))
            for named, meaning in step.named(indices, "latex").items():
                if named.node in shown or named in self.defined:
                    continue
                self.defined.add(named)
                needed[named] = meaning
                waiting.setdefault(named.node, (step.at(named), []))[1].append(named.index)
        ordered = [needed[c] for c in sorted(needed, key=lambda c: (c.node, c.index))]
        return [Equation(definitions(ordered))] if ordered else []

    def _equation(self, step: Step) -> str:
        return equation(self._drawn(step), self.marks.get(step.address, set()))

    def entry(self, rest: str) -> list[Block]:
        entry = self.entry_of(rest)
        self._note(entry)
        named = self.definitions([(entry.step, [entry.index])])
        return [Equation(entry.explain().latex(), (entry,)), *named]

    def formula(self, rest: str) -> list[Block]:
        out: list[Block] = []
        for name in rest.split():
            functions: Mapping[str, Any] = self.spec.functions
            if name not in functions:
                raise SpecError(f"no function {name!r}{nearest(name, functions)}")
            out += [Equation(e) for e in reversed(formulas.formulas(functions[name]))]
        return out

    def changes(self, rest: str) -> list[Block]:
        names = rest.split()
        if len(names) != 2:
            raise SpecError(f"{{changes {rest}}}: wanted two steps, such as {{changes E O}}")
        first, second = map(self.step_of, names)
        if first.shape != second.shape or len(first.shape) != 2:
            raise SpecError(
                f"{{changes {rest}}}: wanted two matrices of one shape, got {first.shape} and "
                f"{second.shape}"
            )
        header = row([self.words["token"], f"${first.symbol}$", f"${second.symbol}$"])
        rows = []
        for i in range(first.shape[0]):
            label = (first.axes[0] or [str(i)] * (i + 1))[i]
            same = self.unchanged(first[i], second[i])
            after = self.words["unchanged"] if same else self._vector(second[i])
            rows.append(row([plain(notation.visible(label)), self._vector(first[i]), after]))
        return [Table(header, tuple(rows))]

    def unchanged(self, before: list[Entry], after: list[Entry]) -> bool:
        """Whether two rows are the same."""
        return all(a.form == b.form for a, b in zip(before, after, strict=True))

    def probabilities(self, rest: str) -> list[Block]:
        entries = self.entries_of(rest)
        step = entries[0].step
        if len(entries) != step.shape[-1]:
            raise SpecError(f"{{probabilities {rest}}}: wanted a row of entries, got {step.shape}")
        best = {e.index for e in self.largest(entries)}
        place = f"[{','.join(map(str, entries[0].index[:-1]))}]" if len(step.shape) > 1 else ""
        header = row([self.words["token"], f"${step.symbol}{place}$", ""])
        rows = [
            row(
                [
                    plain(_word(e)),
                    self._shown(e),
                    self.words["most_likely"] if e.index in best else "",
                ]
            )
            for e in entries
        ]
        return [Table(header, tuple(rows))]

    def claims(self, rest: str) -> list[Block]:
        words = self.words
        if any(step.has_symbols for step in self.d.steps) and self.spec.claims:
            return [Paragraph(inlines(words["has_symbols"]))]
        judgements = judge(self.d, self.spec.claims)
        header = row([words["place"], words["printed"], words["correct"], words["verdict"]])
        rows = [
            row([self._place(j), j.printed, self._written(j.correct), words[j.verdict]])
            for j in judgements
        ]
        verdicts = tuple(j.verdict for j in judgements)
        table = Table(header, tuple(rows), quoted=True, verdicts=verdicts)
        return [table, *self.causes(judgements)] if rows else []

    def _place(self, judgement: Judgement) -> str:
        if judgement.entry:
            return f"${judgement.entry.step.entry_symbol(judgement.entry.index)}$"
        value = next(c.value for c in self.spec.claims if c.value_text == judgement.at)
        return f"${text(compact.number(value), 'latex', roots=self.d.display.roots)}$"

    def causes(self, judgements: list[Judgement]) -> list[Block]:
        claims = [Claimed(j.entry, cell(j.printed)) for j in judgements if j.entry]
        verdicts = [j.verdict for j in judgements if j.entry]
        wrong = [c for c, v in zip(claims, verdicts, strict=True) if v == "wrong"]
        by_cause: dict[tuple[str, int] | None, list[str]] = {}
        for found in explained(self.d, claims, wrong):
            parts = [c.parts[0] for c in found.causes if len(c.parts) == 1]
            cause = next((p for p in parts if p.kind == "rounded" and p.step), None)
            key = (cause.step.symbol, cause.digits) if cause and cause.step else None
            by_cause.setdefault(key, []).append(f"${found.step.symbol}$")
        out: list[Block] = []
        for known, steps in by_cause.items():
            at = f" {self.words['and']} ".join(steps)
            word = "cause_rounded" if known else "no_cause"
            step, digits = known or ("", 0)
            sentence = self.text.phrase(word, step=f"${step}$", digits=str(digits), at=at)
            out.append(Paragraph(inlines(sentence)))
        return out

    def steps(self, rest: str) -> list[Block]:
        words = self.words
        header = row([words["step"], words["symbol"], words["shape"], words["formula"]])
        rows = []
        for step in self.d.steps:
            formula = (step.formula or "").partition(" = ")[2]
            shape = r" \times ".join(map(str, step.shape)) or "1"
            rows.append(
                row(
                    [
                        f"`{step.short}`",
                        f"${step.symbol}$",
                        f"${shape}$",
                        f"${formula}$" * bool(formula),
                    ]
                )
            )
        return [Table(header, tuple(rows))]

    def map(self, rest: str) -> list[Block]:
        boxes = stepmap(self.d)
        if not boxes:
            said = self.text.phrase("no_map", n=str(len(self.d.steps)))
            return [Paragraph(inlines(said))]
        parts = []
        for box in boxes:
            if box.before:
                sources = f" {self.words['and']} ".join(
                    ", ".join(_box(boxes[i]) for i in some)
                    for some in (box.before[:-1], box.before[-1:])
                    if some
                )
                parts.append(self.text.phrase("map_from", step=_box(box), sources=sources))
        return [Map(self.d, inlines(f"{'; '.join(parts)}."))]

    def properties(self, rest: str) -> list[Block]:
        found = self.spec.statements(rest.split())
        return [Items(tuple(s.inlines for s in found))] if found else []

    def reconstructed(self, rest: str) -> list[Block]:
        return [Paragraph(inlines(self.words["reconstructed"]))] if self.marks else []

    def _reconstructed(self) -> dict[str, set[tuple[int, ...]]]:
        marks: dict[str, set[tuple[int, ...]]] = {}
        for address in self.spec.reconstructed:
            found = self.d[address]
            for entry in entries_of(found):
                marks.setdefault(entry.step.address, set()).add(entry.index)
        return marks


def with_backward(text: Text, derivation: Derivation, target: str | None = None) -> Text:
    """A text with the backward pass as its last section.

    Args:
        target: what the model should predict, where it has no loss of its own; a word or a place.
    """
    words = text.words
    start = derivation if target is None else derivation.with_loss(_target(derivation, target))
    loss = start.backward().step(start.graph.steps[-1].address if target else "loss")
    body = text.phrase("backward_text", loss=f"${loss.symbol}$")
    block = "{backward}" if target is None else f"{{backward for {_target(derivation, target)}}}"
    section = Section("backward", words["backward"], f"{body}\n\n{block}", "backward")
    return Text((*text.sections, section), words)


def _target(derivation: Derivation, word: str) -> str | int:
    """A word of the vocabulary, or its place."""
    labels = derivation.step("P").axes[-1] or ()
    if word in labels:
        return labels.index(word)
    return int(word) if word.isdigit() else word


def side_by_side(equations: list[Equation]) -> list[Block]:
    r"""Short equations in a row share a line.

    >>> side_by_side([Equation("x = 1"), Equation("y = 2")])
    [Equation(latex='x = 1, \\qquad y = 2', about=())]
    """
    out: list[Block] = []
    last = Equation("")
    for one in equations:
        joined = rf"{last.latex}, \qquad {one.latex}"
        if out and "aligned" not in joined and width(joined) < LINE:
            last = out[-1] = Equation(joined, last.about + one.about)
        else:
            last = one
            out.append(last)
    return out


def _box(box: Box) -> str:
    """What a sentence calls a box of the map: a step by its symbol, a scope by its address."""
    if len(box.steps) == 1:
        return f"${box.steps[0].symbol}$"
    return f"`{box.scope}.{box.name}`" if box.scope else f"`{box.name}`"


def _word(entry: Entry) -> str:
    """The label of an entry's column, or its address."""
    return notation.visible(entry.labels[-1] or entry.address)


def _joined(text: str) -> str:
    return " ".join(line.strip() for line in text.split("\n"))


def _power_of_ten(bound: float) -> str:
    """The next power of ten, as LaTeX: the same on every machine."""
    exponent = 0
    while Fraction(bound) <= Fraction(10) ** (exponent - 1):
        exponent -= 1
    while Fraction(bound) > Fraction(10) ** exponent:
        exponent += 1
    return f"10^{{{exponent}}}" if exponent else "1"
