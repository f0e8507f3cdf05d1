"""Pictures as files: SVG, or PNG through typst; which picture suits what is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symattn import typesetting
from symattn.entries import Entry
from symattn.equations import equation
from symattn.errors import OptionError
from symattn.pictures.arcs import arcs
from symattn.pictures.arrows import arrows
from symattn.pictures.bars import bars
from symattn.pictures.heatmap import heatmap
from symattn.steps import Step
from symattn.typst_names import string
from symattn.writers import pdf

#: What a step, a row or an entry can be shown as.
KINDS = ("equation", "heatmap", "bars", "arcs", "arrows")

#: Pixels per inch of a PNG.
PPI = 200.0


def made(found: Any, kind: str, form: str) -> str | bytes:
    """A picture of a step, an entry, or a row of entries.

    Args:
        kind: one of `KINDS`.
        form: ``svg`` or ``png``.

    Raises:
        OptionError: a kind that does not suit what is shown; typst is not installed, which
            equations and PNG need.
    """
    if kind == "equation":
        latex = _equation(found)
        return pdf.equation_svg(latex) if form == "svg" else pdf.equation_png(latex, ppi=PPI)
    drawn: dict[str, Callable[..., str]] = {
        "heatmap": heatmap, "bars": bars, "arcs": arcs, "arrows": _arrows,
    }  # fmt: skip
    draw = drawn[kind]
    rows = kind == "bars" and isinstance(found, list)
    if not isinstance(found, Step) and not rows:
        raise OptionError(f"{kind}: wanted a step such as A" + " or a row" * (kind == "bars"))
    svg = draw(found, standalone=True)
    return svg if form == "svg" else png(svg)


def png(svg: str) -> bytes:
    """A picture as PNG.

    Raises:
        OptionError: typst is not installed.
    """
    page = "#set page(width: auto, height: auto, margin: 0pt)"
    source = f'{page}\n#image(bytes({string(svg)}), format: "svg")\n'
    return typesetting.compiled(source, "png", ppi=PPI)


def _equation(found: Any) -> str:
    if isinstance(found, Step):
        return equation(found)
    if isinstance(found, Entry):
        return found.explain().latex()
    raise OptionError("equation: wanted a step such as A, or an entry such as A[1,0]")


def _arrows(step: Step, standalone: bool) -> str:
    """The rows of a step, and before it those of the embeddings that they are made from."""
    before = [s for s in step.derivation.steps if s.name == "E" and s.shape == step.shape]
    if before and before[0].node < step.node:
        return arrows(before[0], step, standalone)
    return arrows(step, None, standalone)
