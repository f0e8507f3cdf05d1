"""Plots of what varies, with matplotlib, which is imported when one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

from flint import arb, fmpq

from symattn import files
from symattn.certify import ends
from symattn.errors import OptionError
from symattn.numbers.enclosure import START
from symattn.varying.points import Point
from symattn.varying.regions import Region
from symattn.varying.vary import Map, Variation
from symattn.writers.plot_text import lettered

#: Points that a curve is drawn through.
SAMPLES = 241

#: Endings of files that a plot is written to.
ENDINGS = (".svg", ".png", ".pdf")

#: What matplotlib says in each of the time of writing, and that it says nothing.
UNDATED: dict[str, dict[str, None]] = {
    ".svg": {"Date": None},
    ".png": {},
    ".pdf": {"CreationDate": None},
}


def plot(found: Any, axes: Any = None) -> Any:
    """Probabilities along one entry, or the map of two; see `symattn.varying.vary`."""
    if axes is None:
        axes = new_axes()
    if isinstance(found, Map):
        _draw_map(found, axes)
    else:
        _draw_curves(found, axes)
    return axes


def save(found: Any, path: Path) -> None:
    """Write the plot to a file: .svg, .png or .pdf, the same bytes each time.

    Raises:
        OptionError: another ending; matplotlib is not installed.
        FileError: it cannot be written.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise OptionError(f"{path}: wanted a file ending in {', '.join(ENDINGS)}")
    figure = _figure()  # and none of pyplot's, which looks for a screen
    from matplotlib import rc_context

    made = BytesIO()
    with rc_context({"svg.hashsalt": "symattn", "text.usetex": False}):
        plot(found, figure.subplots())
        figure.savefig(made, format=ending[1:], metadata=UNDATED[ending])
    files.write(path, made.getvalue())


def new_axes() -> Any:
    """Axes of a figure of their own, which needs no screen.

    Raises:
        OptionError: matplotlib is not installed.
    """
    return _figure().subplots()


def _figure() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise OptionError(
            "plots need matplotlib, which is not installed: "
            "pip install 'symattn[plot]' (in a clone '.[plot]')"
        ) from None
    return Figure(figsize=(7, 4.5), layout="constrained")


def _draw_curves(found: Variation, axes: Any) -> None:
    low, high = _seen(found)
    xs = [low + (high - low) * Fraction(k, SAMPLES - 1) for k in range(SAMPLES)]
    curves = [_probabilities(found, x) for x in xs]
    named: list[tuple[str, Any]] = []
    for i, word in enumerate(found.words):
        line = axes.plot(list(map(float, xs)), [c[i] for c in curves], color=f"C{i % 10}")
        named.append((word, line[0]))
    for row in found.open:
        if row.low is not None and row.high is not None:  # only ranges have open rows
            span = axes.axvspan(_float(row.low), _float(row.high), color="0.85")
            named.append(("undecided", span))
    for threshold in found.thresholds:
        x = _float(threshold.at)
        axes.axvline(x, color="0.4", linestyle="--", linewidth=1)
        axes.annotate(
            threshold.at.decimal(min(found.digits, 4)),
            (x, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize="small",
        )
    here = _float(Point.of_exact(found.parameters[0].value))
    if low <= here <= high:
        named.append(("now", axes.axvline(here, color="0.7", linewidth=1, zorder=0)))
    axes.set_xlim(float(low), float(high))
    axes.set_xlabel(found.parameters[0].address, parse_math=False)
    axes.set_ylabel(found.ranking.step.short, parse_math=False)
    _legend(axes, named)


def _legend(axes: Any, named: Sequence[tuple[str, Any]], **where: Any) -> None:
    """A legend of any words: matplotlib hides those that begin with an underscore."""
    texts, style = lettered([word for word, _ in named])
    handles = [handle for _, handle in named]
    legend = axes.legend(handles, list(map(str, range(len(texts)))), frameon=False, **where)
    for text, word in zip(legend.get_texts(), texts, strict=True):
        text.set(text=word, **style)


def _seen(found: Variation) -> tuple[Fraction, Fraction]:
    """The part of the line that is drawn: the range, or what holds every threshold and today's."""
    points = [_float(t.at) for t in found.thresholds]
    points.append(_float(Point.of_exact(found.parameters[0].value)))
    space = Fraction((max(points) - min(points)) / 2 or 1)
    low = Fraction(min(points)) - space if found.low is None else found.low
    high = Fraction(max(points)) + space if found.high is None else found.high
    return low, high


def _probabilities(found: Variation, x: Fraction) -> list[float]:
    """Floats for the eye; not a number where the model is not defined."""
    balls = found.ranking.probabilities([arb(fmpq(x.numerator, x.denominator))], START)
    return [float(b.mid()) if b.is_finite() else float("nan") for b in balls]


def _float(x: Point) -> float:
    bounds = ends(x.start)
    return float("nan") if bounds is None else float(sum(bounds) / 2)


def _draw_map(found: Map, axes: Any) -> None:
    from matplotlib.patches import Patch, Rectangle

    names: dict[str, str] = {}
    for cell in found.cells:
        name, colour = _colour(found, cell)
        names[name] = colour
        (left, right), (bottom, top) = ((float(a), float(b)) for a, b in (cell.x, cell.y))
        axes.add_patch(
            Rectangle((left, bottom), right - left, top - bottom, facecolor=colour, linewidth=0)
        )
    for line in found.lines:
        if line.tilt is None:
            axes.axvline(_float(line.offset), color="black", linewidth=1)
        else:
            axes.axline(
                (0, _float(line.offset)), slope=_float(line.tilt), color="black", linewidth=1
            )
    here = [_float(Point.of_exact(p.value)) for p in found.parameters]
    axes.plot(*here, marker="o", color="black", markersize=4, linestyle="none")
    axes.set_xlim(*map(float, found.x))
    axes.set_ylim(*map(float, found.y))
    axes.set_xlabel(found.parameters[0].address, parse_math=False)
    axes.set_ylabel(found.parameters[1].address, parse_math=False)
    order = [*found.words, "mixed", "undecided"]
    named = [(n, Patch(color=names[n])) for n in order if n in names]
    _legend(axes, named, loc="upper left", bbox_to_anchor=(1, 1))


def _colour(found: Map, cell: Region) -> tuple[str, str]:
    if cell.settled:
        i = min(cell.winners)
        return found.words[i], f"C{i % 10}"
    return ("mixed", "0.75") if cell.mixed else ("undecided", "0.45")
