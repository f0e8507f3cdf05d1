"""What objects show of themselves in a notebook, as blocks; `jupyter` writes them as Markdown.

One rule for all of them: Markdown (``_repr_markdown_``), which Jupyter, VS Code, Colab and marimo
typeset with its mathematics and tables; for steps and entries LaTeX as well (``_repr_latex_``),
with the same equations, since VS Code prefers it. None gives HTML: all would prefer that, and few
of them typeset mathematics in it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from symattn.blocks import (
    Block,
    Equation,
    Paragraph,
    Styled,
    Table,
    decimal,
    inlines,
    plain,
    row,
)
from symattn.comparison import Comparison
from symattn.entries import Entry, Explanation, place
from symattn.equations import definitions, equation_parts, with_decimals
from symattn.layout import aligned
from symattn.notation import visible
from symattn.steps import Step, entries_of
from symattn.writers import terminal

if TYPE_CHECKING:
    from symattn.derivation import Derivation
    from symattn.selection import Selection
    from symattn.verify import Report

#: Lines of an equation whose entries are too wide for a matrix; more are left out, and that said.
LINES = 12

#: Steps in the table of a derivation.
STEPS = 60

Marks = Collection[tuple[int, ...]]


def derivation(found: Derivation) -> list[Block]:
    """What it is of, and a table of its steps."""
    header = row(["step", "symbol", "shape", "formula"])
    rows = []
    for one in found.steps[:STEPS]:
        formula = (one.formula or "").partition(" = ")[2]
        shape = r" \times ".join(map(str, one.shape)) or "1"
        said = f"${formula}$" if formula else "given" if one.given else ""
        rows.append(row([f"`{one.short}`", f"${one.symbol}$", f"${shape}$", said]))
    title = found.spec.title if found.spec is not None else found.graph.name
    blocks: list[Block] = [Paragraph((Styled(2, plain(visible(" ".join(title.split())))),))]
    blocks.append(Table(header, tuple(rows)))
    if len(found.steps) > STEPS:
        last = found.steps[-1].short
        more = f"and {len(found.steps) - STEPS} more: `d.steps` has all, `{last}` is the last"
        blocks.append(Paragraph(inlines(more)))
    return blocks


def step(one: Step) -> list[Block]:
    """Its equation as on a page, what its names stand for, and which decimals were moved."""
    return [_equation(one), *_named(one.where()), *_nearest(one)]


def steps(found: Sequence[Step]) -> list[Block]:
    """Their equations, short ones beside each other, and all names that are in them."""
    from symattn.document import side_by_side

    named = dict(name for one in found for name in one.where())
    notes = [note for one in found for note in _nearest(one)]
    return [*side_by_side([_equation(one) for one in found]), *_named(list(named.items())), *notes]


def _equation(one: Step) -> Equation:
    marked = marks(one.derivation).get(one.address, ())
    lines, entries = equation_parts(one, marked)
    if len(entries) <= LINES:
        return Equation(aligned(lines + entries), (one,))
    if one.shows_decimals and len(one.shape) in (1, 2):
        lines, _ = equation_parts(one, marked, names=False)
        return Equation(with_decimals(one, lines), (one,))
    more = rf"&\;\;\vdots \quad \text{{and {len(entries) - LINES} lines more}}"
    return Equation(aligned([*lines, *entries[:LINES], more]), (one,))


def _named(named: Sequence[tuple[str, str]]) -> list[Block]:
    return [Equation(definitions(named))] if named else []


def _nearest(one: Step) -> list[Block]:
    return [Paragraph(plain(line)) for line in terminal.notes(one)]


def marks(found: Derivation) -> Mapping[str, set[tuple[int, ...]]]:
    """By step, the entries that its spec calls reconstructed, as long as they are the spec's."""
    marked: dict[str, set[tuple[int, ...]]] = {}
    spec = found.spec
    for address in spec.reconstructed if spec is not None else ():
        for entry in entries_of(found[address]):
            own = entry.step.address
            given = found.inputs.get(own)
            is_kept = given is None or np.array_equal(given, spec.matrices.get(own, given))
            if is_kept and not found.is_replaced(own):
                marked.setdefault(own, set()).add(entry.index)
    return marked


def entry(one: Entry) -> list[Block]:
    """Its exact value and decimal, and what its names stand for."""
    about = f" {one.about}" if one.about else ""
    latex = f"{one.step.entry_symbol(one.index)} = {one.step.written_at(one.index, 'latex')}{about}"
    return [Equation(latex, (one,)), *_named(_names_of(one))]


def _names_of(one: Entry) -> list[tuple[str, str]]:
    return list(one.step.named([one.index], "latex").values())


def explanation(found: Explanation) -> list[Block]:
    """Where the entry stands, the chain of equalities, and what its names stand for."""
    one = found.entry
    words = place(one)
    head = (*inlines(f"`{one.address}`"), *plain(f": {words}" if words else ""))
    return [Paragraph(head), Equation(found.latex(), (one,)), *_named(_names_of(one))]


def comparison(found: Comparison) -> list[Block]:
    """The verdict and its reason."""
    verdict, _, why = str(found).partition(": ")
    return [Paragraph((Styled(2, plain(verdict)), *plain(f": {why}")))]


def report(found: Report) -> list[Block]:
    """A table of every step in every float type, and a sentence for each disagreement."""
    header, *rows = terminal.report_rows(found)
    table = Table(row(list(map(plain, header))), tuple(row(list(map(plain, r))) for r in rows))
    return [table, *(Paragraph(plain(line)) for line in terminal.report_notes(found))]


def selection(found: Selection) -> list[Block]:
    """What is kept, with the distribution that is left, and any tie."""
    one = found.row[0].step
    first = list(map(plain, terminal.words_of(found)))
    header, values = terminal.selection_columns(found, "latex")
    exact = [one.display_option("values") == "exact", *("≈" not in head for head in header)]
    columns = [
        first,
        *(
            [inlines(f"${t}$") if e else decimal(t) for t in v]
            for e, v in zip(exact, values, strict=False)
        ),
    ]
    head = row(["", f"${one.symbol}$", *header])
    table = Table(head, tuple(row(list(r)) for r in zip(*columns, strict=True)))
    notes = [terminal.selection_head(found), *terminal.selection_notes(found)]
    return [Paragraph(plain(notes[0])), table, *(Paragraph(plain(n)) for n in notes[1:])]


def sentences(text: str) -> list[Block]:
    """A paragraph a line, for what is told in words."""
    return [Paragraph(plain(line.strip())) for line in text.split("\n") if line.strip()]
