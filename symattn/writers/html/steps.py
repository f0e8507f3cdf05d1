"""A step of a derivation as a block of a page: its equation, and its entries in tables."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from symattn import notation
from symattn.entries import Entry
from symattn.equations import working
from symattn.steps import Step
from symattn.writers.html.cells import Index, StepCells

Labels = Sequence[str] | None


def block(cells: StepCells, anchor: str, drawn: str = "") -> str:
    """The block of a step.

    Args:
        anchor: its id on the page; "" where the step is shown a second time.
        drawn: its pictures.
    """
    step, maths = cells.step, cells.maths
    equation = working(step)
    lead = "="
    shown = ""
    if equation == step.symbol:
        lead = f"{maths.inline(step.symbol)}<span>=</span>"
    else:
        shown = f'<div class="eq">{maths.display(equation)}</div>'
        lead = "<span>=</span>"
    name = html.escape(step.short)
    id_ = f' id="{anchor}"' if anchor else ""
    body = _tables(cells, lead)
    size = " small" if not shown and not cells.is_list and _is_small(step) else ""
    return (
        f'<div class="step{size}"{id_} data-s="{cells.key}" role="group" aria-label="step {name}">'
        f"{shown}{body}{drawn}</div>"
    )


def _is_small(step: Step) -> bool:
    return len(step.shape) <= 2 and (step.shape[-1:] or (1,))[0] <= 5


def _tables(cells: StepCells, lead: str) -> str:
    step = cells.step
    if not cells.is_list:
        if not step.shows_exact:
            lead = _approximately(step, lead)
        return _row(lead, _matrices(cells, with_exact=True))
    listed = _list(cells)
    is_sum = step.inside is not None and step.name.endswith(".sum")
    if is_sum or cells.decimals is None:
        return _row("", listed)
    if not step.shows_exact:
        return _row(_approximately(step, lead), _matrices(cells, with_exact=False))
    return (
        _row(_approximately(step, lead), _matrices(cells, with_exact=False))
        + f'<details class="exact"><summary>exact entries of <code>{html.escape(step.short)}</code>'
        f"</summary>{_row('', listed)}</details>"
    )


def _approximately(step: Step, lead: str) -> str:
    sign = "=" if step.decimals_are_exact else "≈"
    return lead.replace("<span>=</span>", f"<span>{sign}</span>")


def _row(lead: str, tables: str) -> str:
    before = f'<div class="lead">{lead}</div>' if lead else ""
    return f'<div class="value">{before}<div class="scroll">{tables}</div></div>'


def _matrices(cells: StepCells, *, with_exact: bool) -> str:
    shape = cells.step.shape
    if len(shape) < 3:
        return _matrix(cells, (), with_exact)
    return "".join(_matrix(cells, lead, with_exact) for lead in np.ndindex(shape[:-2]))


def _matrix(cells: StepCells, lead: Index, with_exact: bool) -> str:
    """One matrix; rank 1 as one row, rank 0 as one cell."""
    step = cells.step
    name = html.escape(step.short + (f"[{','.join(map(str, lead))}]" if lead else ""))
    classes = "m" + (" heat" if cells.is_weights else "")
    if not step.shape:
        cell = cells.cell((), with_exact=with_exact)
        return f'<table class="{classes} scalar" aria-label="{name}"><tr>{cell}</tr></table>\n'
    columns = step.shown_axes[-1]
    rows = step.shown_axes[-2] if len(step.shape) > 1 else None
    height = step.shape[-2] if len(step.shape) > 1 else 1
    corner = f'<th class="corner"><span class="hidden">{name}</span></th>'
    head = f"{corner}{_heads(columns, step.shape[-1], 'col')}"
    body = []
    for i in range(height):
        where = (*lead, i) if len(step.shape) > 1 else ()
        label = (
            _heads(rows, height, "row", i) if len(step.shape) > 1 else '<td class="corner"></td>'
        )
        line = "".join(
            cells.cell((*where, j), with_exact=with_exact) for j in range(step.shape[-1])
        )
        body.append(f"<tr>{label}{line}</tr>")
    caption = f"<caption>{name}</caption>" if lead else ""
    return (
        f'<table class="{classes}" aria-label="{name}">{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>\n"
    )


def _heads(labels: Labels, size: int, scope: str, only: int | None = None) -> str:
    """Header cells: tokens where there are any, else the places, faintly."""
    out = []
    for i in range(size) if only is None else (only,):
        if labels and labels[i]:
            out.append(f'<th scope="{scope}">{html.escape(notation.visible(labels[i]))}</th>')
        else:
            out.append(f'<th scope="{scope}" class="i">{i}</th>')
    return "".join(out)


def _list(cells: StepCells) -> str:
    """An entry a line."""
    step = cells.step
    rows = []
    for index in np.ndindex(step.shape):
        symbol = cells.maths.inline(step.entry_symbol(index))
        words = [notation.visible(label) for label in Entry(step, index).shown_labels if label]
        label = f"<small>{html.escape(', '.join(words))}</small>" if words else ""
        rows.append(f'<tr><th scope="row">{symbol}{label}</th>{cells.cell(index)}</tr>')
    name = html.escape(f"entries of {step.short}")
    return f'<table class="l" aria-label="{name}"><tbody>{"".join(rows)}</tbody></table>\n'
