"""Time against n as an SVG, both axes logarithmic."""

from __future__ import annotations

from pathlib import Path

from benchmarks.row import OURS, Points

STYLES = {OURS: ("#0b5394", "o"), "SymEngine": ("#b45f06", "s"), "SymPy": ("#990000", "^")}


def plot(points: Points, path: Path) -> None:
    """Draw every side's line, with its name above its end.

    Raises:
        ImportError: matplotlib is not installed.
    """
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "symattn"  # the same points give the same file
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.2, 4.6), layout="constrained")
    sizes = sorted({n for line in points.values() for n, _ in line})
    for side, line in points.items():
        colour, marker = STYLES[side]
        ns, times = [n for n, _ in line], [s for _, s in line]
        axes.plot(ns, times, color=colour, marker=marker, markersize=5, linewidth=1.8)
        axes.annotate(
            side, (ns[-1], times[-1]), xytext=(-4, 8), textcoords="offset points",
            color=colour, ha="right",
        )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(sizes, [str(n) for n in sizes])
    axes.set_xlim(sizes[0] * 0.85, sizes[-1] * 1.15)
    axes.margins(y=0.12)
    axes.set_xlabel("n, tokens")
    axes.set_ylabel("seconds (20 at most)")
    axes.set_title("Attention head, d = 16: every step exact, LaTeX of A, 30 digits", fontsize=11)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)
