"""Steps on matplotlib's axes, for figures of one's own; matplotlib is imported when asked for."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from symattn.errors import OptionError
from symattn.pictures import seen
from symattn.pictures.arrows import points
from symattn.pictures.bars import winners
from symattn.steps import Step
from symattn.writers.plots import new_axes

#: What a step can be plotted as.
KINDS = ("heatmap", "bars", "arrows")

#: Cells up to which the numbers are written into them.
WRITTEN = 400


def plot(step: Step, kind: str | None = None, axes: Any = None) -> Any:
    """A step on axes: a heatmap with certified decimals, bars of a row, or arrows in the plane.

    Args:
        kind: one of `KINDS`; bars for a row of numbers and a heatmap for a matrix if left out.
        axes: matplotlib's, of a figure of one's own; new ones if left out.

    Raises:
        OptionError: no such kind, or one that does not suit the step; matplotlib is missing.
    """
    chosen = kind or ("bars" if len(step.shape) < 2 else "heatmap")
    if chosen not in KINDS:
        raise OptionError(f"kind: wanted one of {', '.join(KINDS)}, got {kind!r}")
    seen.check(step, f"a plot ({chosen})")
    wanted = {"heatmap": (1, 2), "bars": (0, 1), "arrows": (2,)}[chosen]
    if len(step.shape) not in wanted:
        ranks = " or ".join(map(str, wanted))
        raise OptionError(f"{chosen}: wanted rank {ranks}; {step.short} has shape {step.shape}")
    axes = new_axes() if axes is None else axes
    with warnings.catch_warnings():
        # A glyph that a font lacks is a box there; it is no reason to stop.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        {"heatmap": _heatmap, "bars": _bars, "arrows": _arrows}[chosen](step, axes)
    return axes


def _heatmap(step: Step, axes: Any) -> None:
    values = np.array([seen.value(e) for e in step.entries()]).reshape(-1, step.shape[-1])
    finite = np.where(np.isfinite(values), values, np.nan)
    top = seen.largest_finite(list(values.flat))
    is_signed = bool(np.nanmin(np.append(finite, 0.0)) < 0)
    axes.imshow(
        finite, cmap="RdBu_r" if is_signed else "Blues", vmin=-top if is_signed else 0.0, vmax=top
    )
    axes.set_xticks(range(values.shape[1]), seen.names(step, len(step.shape) - 1))
    rows = seen.names(step, 0) if len(step.shape) > 1 else [""]
    axes.set_yticks(range(values.shape[0]), rows)
    axes.xaxis.tick_top()
    axes.set_title(step.short)
    if values.size <= WRITTEN:
        shown = list(seen.decimals(step).values())
        for place, text in zip(np.ndindex(values.shape), shown, strict=True):
            share = abs(finite[place]) / top if np.isfinite(finite[place]) else 0.0
            ink = "white" if share > 0.6 else "black"
            axes.text(place[1], place[0], text, ha="center", va="center", color=ink)


def _bars(step: Step, axes: Any) -> None:
    entries = step.entries()
    best = {e.index for e in winners(entries)}
    names = seen.names(step, 0) if step.shape else [step.short]
    colours = ["C0" if e.index in best else "0.7" for e in entries]
    places = range(len(entries))
    made = axes.barh(places, [seen.value(e) for e in entries], color=colours)
    axes.bar_label(made, [seen.decimal(e) for e in entries], padding=3)
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel(step.short)


def _arrows(step: Step, axes: Any) -> None:
    for name, (x, y) in zip(seen.names(step, 0), points(step), strict=True):
        axes.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": "C0"})
        axes.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points")
    xs, ys = zip((0.0, 0.0), *points(step), strict=True)
    axes.scatter(xs, ys, s=0)  # which the limits are taken from
    axes.margins(0.2)
    axes.set_aspect("equal")
    axes.axhline(0, color="0.8", linewidth=1, zorder=0)
    axes.axvline(0, color="0.8", linewidth=1, zorder=0)
    axes.set_title(step.short)
