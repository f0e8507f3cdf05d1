"""A matrix as shaded cells, the number in each."""

from __future__ import annotations

from math import isfinite

import numpy as np

from symattn.errors import OptionError
from symattn.pictures import lettering, seen
from symattn.pictures.svg import SIZE, Element, Ink, element, hatching, hint, picture
from symattn.steps import Step

ROW = 30.0
ROOM = 120.0  # of a label
GAP = 10.0

#: Cells up to which the numbers are written; beyond, shades and what a pointer rests on.
WRITTEN = 600


def heatmap(step: Step | seen.Sheet, standalone: bool = False) -> str:
    """A step of any rank up to 4 as shaded cells with labels and certified decimals.

    Shades go from 0 to the largest value; where there are negative ones too, two colours
    go from 0 to the largest of both signs. Masked cells are hatched.

    Raises:
        OptionError: symbols, more than 10,000 entries, or a rank above 4.
    """
    if len(step.shape) > 4:
        name = step.name if isinstance(step, seen.Sheet) else step.short
        raise OptionError(f"a heatmap wants a rank of at most 4; {name} has shape {step.shape}")
    sheet = step if isinstance(step, seen.Sheet) else seen.sheet(step)
    panels = list(np.ndindex(sheet.shape[:-2]))
    drawing = _Drawing(sheet)
    children: list[Element] = []
    top = 0.0
    for panel in panels:
        children += drawing.panel(panel, top)
        top += drawing.height + 2 * GAP
    return picture(
        drawing.width,
        top - 2 * GAP,
        children,
        title=f"{sheet.name} as a heatmap",
        about=_about(sheet, drawing),
        standalone=standalone,
        kind="heatmap",
    )


class _Drawing:
    """The measures that all matrices of one array share."""

    def __init__(self, sheet: seen.Sheet) -> None:
        self.sheet, self.values = sheet, sheet.values
        rank = len(sheet.shape)
        self.rows = sheet.shape[-2] if rank > 1 else 1
        self.columns = sheet.shape[-1] if rank else 1
        self.top = seen.largest_finite(list(sheet.values.values()))
        self.shown = sheet.shown
        self.masked = sheet.masked
        self.written = self.rows * self.columns <= WRITTEN
        self.row_names = sheet.names[rank - 2] if rank > 1 else []
        self.column_names = sheet.names[rank - 1] if rank else []
        widest = max((lettering.width(text) for text in self.shown.values()), default=0.0)
        heads = max((lettering.width(name) for name in self.column_names), default=0.0)
        self.cell = max(34.0, widest + 16, min(heads + 10, ROOM)) if self.written else 14.0
        self.high = ROW if self.written else 14.0
        sides = max((lettering.width(name) for name in self.row_names), default=0.0)
        self.symbol = sheet.symbol
        self.left = (
            GAP
            + 2
            + max(
                min(sides, ROOM),
                lettering.symbol_width(self.symbol + self._cut(_last_panel(sheet))),
            )
        )
        self.head = ROW if self.written else 14.0 + ROW
        self.width = self.left + self.columns * self.cell
        self.height = self.head + self.rows * self.high

    @staticmethod
    def _cut(panel: tuple[int, ...]) -> str:
        return f"[{','.join(map(str, panel))}]" if panel else ""

    def panel(self, panel: tuple[int, ...], top: float) -> list[Element]:
        """One matrix of the step, below `top`."""
        base = top + self.head
        out = [
            lettering.symbol(
                self.symbol + self._cut(panel), 0.0, top + 0.62 * ROW, font_weight="bold"
            )
        ]
        if self.written:
            out += [
                lettering.label(
                    name,
                    self.left + (j + 0.5) * self.cell,
                    top + 0.62 * ROW,
                    self.cell - 4,
                    text_anchor="middle",
                )
                for j, name in enumerate(self.column_names)
            ]
            out += [
                lettering.label(
                    name,
                    self.left - GAP,
                    base + (i + 0.5) * self.high + 0.35 * SIZE,
                    self.left - GAP + 2,
                    text_anchor="end",
                )
                for i, name in enumerate(self.row_names)
            ]
        for i, j in np.ndindex(self.rows, self.columns):
            rank = len(self.sheet.shape)
            index = (*panel, i, j)[-rank:] if rank else ()
            out.append(self._cell(index, self.left + j * self.cell, base + i * self.high))
        return out

    def _cell(self, index: tuple[int, ...], x: float, y: float) -> Element:
        value, shown = self.values[index], self.shown[index]
        said = self.sheet.said(index)
        hidden = index in self.masked
        box = {"x": x + 1, "y": y + 1, "width": self.cell - 2, "height": self.high - 2, "rx": 3.0}
        parts: list[Element] = [hint(f"{said} (masked)" if hidden else said)]
        parts.append(element("rect", **box, fill="none", stroke=Ink.QUIET, stroke_opacity=0.35))
        share = abs(value) / self.top if isfinite(value) else 0.0
        if share:
            ink = Ink.ACCENT if value > 0 else Ink.OTHER
            parts.append(
                element("rect", **box, fill=ink, fill_opacity=max(0.02, seen.DARKEST * share))
            )
        if hidden:
            parts.append(hatching(box["x"], box["y"], box["width"], box["height"]))
        if self.written:
            parts.append(
                element(
                    "text",
                    shown,
                    x=x + self.cell / 2,
                    y=y + self.high / 2 + 0.35 * SIZE,
                    text_anchor="middle",
                    fill_opacity=0.65 if hidden else None,
                )
            )
        return element("g", *parts, data_entry=self.sheet.address(index))


def _last_panel(sheet: seen.Sheet) -> tuple[int, ...]:
    """The indices of the last matrix of an array of rank 3 or 4."""
    return tuple(n - 1 for n in sheet.shape[:-2])


def _about(sheet: seen.Sheet, drawing: _Drawing) -> str:
    shape = " × ".join(map(str, sheet.shape)) or "a number"
    cells = [sheet.said(index) for index in drawing.shown]
    hatched = " Hatched cells are masked." if drawing.masked else ""
    scale = (
        "Two colours tell negative from positive values."
        if any(v < 0 for v in drawing.values.values() if isfinite(v))
        else "The larger the value, the darker the cell."
    )
    return f"{sheet.name} is {shape}. {scale}{hatched} {seen.list_of(cells, 40)}."
