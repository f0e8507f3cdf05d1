"""Steps on matplotlib's axes, for figures of one's own; matplotlib is imported when asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from symattn.errors import OptionError
from symattn.pictures import seen
from symattn.pictures.arcs import THICK, weights
from symattn.pictures.arrows import points
from symattn.pictures.bars import winners
from symattn.steps import Step
from symattn.writers.plot_text import lettered
from symattn.writers.plots import new_axes

#: By what a step can be plotted as, the ranks that suit it.
KINDS = {"heatmap": (1, 2), "bars": (0, 1), "arcs": (2,), "arrows": (2,)}

#: Cells up to which the numbers are written into them.
WRITTEN = 400


def plot(step: Step, kind: str | None = None, axes: Any = None) -> Any:
    """A step on axes: a heatmap with certified decimals, bars of a row, arcs, or arrows.

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
    if len(step.shape) not in KINDS[chosen]:
        ranks = " or ".join(map(str, KINDS[chosen]))
        raise OptionError(f"{chosen}: wanted rank {ranks}; {step.short} has shape {step.shape}")
    axes = new_axes() if axes is None else axes
    draw = {"heatmap": _heatmap, "bars": _bars, "arcs": _arcs, "arrows": _arrows}[chosen]
    draw(step, axes)
    return axes


def _heatmap(step: Step, axes: Any) -> None:
    from matplotlib.patches import Rectangle

    values = np.array([seen.value(e) for e in step.entries()]).reshape(-1, step.shape[-1])
    finite = np.where(np.isfinite(values), values, np.nan)
    top = seen.largest_finite(list(values.flat))
    is_signed = bool(np.nanmin(np.append(finite, 0.0)) < 0)
    axes.imshow(
        finite, cmap="RdBu_r" if is_signed else "Blues", vmin=-top if is_signed else 0.0, vmax=top
    )
    for index in seen.masked(step):
        corner = (index[-1] - 0.5, (index[0] if len(index) > 1 else 0) - 0.5)
        cell = Rectangle(corner, 1, 1, fill=False, hatch="///", edgecolor="0.75", linewidth=0)
        axes.add_patch(cell)
    names, style = lettered(seen.names(step, len(step.shape) - 1))
    axes.set_xticks(range(values.shape[1]), names, **style)
    rows, style = lettered(seen.names(step, 0) if len(step.shape) > 1 else [""])
    axes.set_yticks(range(values.shape[0]), rows, **style)
    axes.xaxis.tick_top()
    axes.set_title(step.short, parse_math=False)
    if values.size <= WRITTEN:
        shown = list(seen.decimals(step).values())
        for place, text in zip(np.ndindex(values.shape), shown, strict=True):
            share = abs(finite[place]) / top if np.isfinite(finite[place]) else 0.0
            ink = "white" if share > 0.6 else "black"
            axes.text(place[1], place[0], text, ha="center", va="center", color=ink)


def _bars(step: Step, axes: Any) -> None:
    entries = step.entries()
    best = {e.index for e in winners(entries)}
    names, style = lettered(seen.names(step, 0) if step.shape else [step.short])
    colours = ["C0" if e.index in best else "0.7" for e in entries]
    places = range(len(entries))
    made = axes.barh(places, [seen.value(e) for e in entries], color=colours)
    axes.bar_label(made, [seen.decimal(e) for e in entries], padding=3)
    axes.set_yticks(places, names, **style)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel(step.short, parse_math=False)


def _arcs(step: Step, axes: Any) -> None:
    """Tokens in a row; queries above keys where these are others, as in `symattn.pictures.arcs`."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    found = weights(step)
    queries, keys = (seen.names(step, axis) for axis in (0, 1))
    is_one = queries == keys
    for entry in step.entries():
        if seen.is_zero(entry):
            continue
        i, j = map(float, entry.index)
        if not is_one:
            corners = [(i, 1.0), (i, 0.5), (j, 0.5), (j, 0.0)]
        elif i == j:
            corners = [(i, 0.0), (i - 0.4, 0.6), (i + 0.4, 0.6), (i, 0.0)]
        else:  # above to earlier tokens, below to later ones
            corners = [(i, 0.0), (i, (i - j) / 1.5), (j, (i - j) / 1.5), (j, 0.0)]
        path = Path(corners, [Path.MOVETO, *[Path.CURVE4] * 3])
        weight = found[entry.index]
        style = {"linewidth": max(0.4, THICK * weight), "alpha": 0.3 + 0.6 * weight}
        axes.add_patch(PathPatch(path, fill=False, edgecolor="C0", **style))
    names, style = lettered(keys)
    axes.set_xticks(range(len(keys)), names, **style)
    if not is_one:
        above, style = lettered(queries)
        axes.secondary_xaxis("top").set_xticks(range(len(queries)), above, **style)
    axes.set_yticks([])
    axes.autoscale_view()
    axes.set_title(step.short, parse_math=False)


def _arrows(step: Step, axes: Any) -> None:
    names, style = lettered(seen.names(step, 0))
    for name, (x, y) in zip(names, points(step), strict=True):
        axes.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": "C0"})
        axes.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", **style)
    xs, ys = zip((0.0, 0.0), *points(step), strict=True)
    axes.scatter(xs, ys, s=0)  # which the limits are taken from
    axes.margins(0.2)
    axes.set_aspect("equal")
    axes.axhline(0, color="0.8", linewidth=1, zorder=0)
    axes.axvline(0, color="0.8", linewidth=1, zorder=0)
    axes.set_title(step.short, parse_math=False)
