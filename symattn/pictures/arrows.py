"""Rows of an n × 2 matrix as arrows in the plane, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, hypot, isfinite, log10

from symattn.errors import OptionError
from symattn.pictures import lettering, seen
from symattn.pictures.svg import SIZE, Element, Ink, element, hint, number, picture
from symattn.steps import Step

SIDE = 260.0  # of a panel
EDGE = 44.0  # around the arrows, for labels
ROOM = 96.0  # of a label
SMALL = 11.0
MOST = 64

Point = tuple[float, float]
Box = tuple[float, float, float, float]


def arrows(before: Step, after: Step | None = None, standalone: bool = False) -> str:
    """The rows of a step as arrows from the origin; beside it those of another, on one scale.

    In the second panel each arrow of the first is there as a shade.

    Raises:
        OptionError: no matrix of two columns, symbols, entries that are infinite, or more
            than 64 rows.
    """
    steps = [before] if after is None else [before, after]
    found = [points(step) for step in steps]
    scale = _Scale.of([point for part in found for point in part])
    children: list[Element] = []
    for k, step in enumerate(steps):
        ghosts = found[0] if k and len(found[0]) == len(found[1]) else []
        panel = _panel(step, found[k], ghosts, scale)
        children.append(
            element("g", *panel, transform=f"translate({number(k * (scale.width + 24))} 0)")
        )
    return picture(
        len(steps) * scale.width + 24 * (len(steps) - 1),
        scale.height,
        children,
        title=" and ".join(step.short for step in steps) + " as arrows in the plane",
        about=" ".join(_about(step) for step in steps),
        standalone=standalone,
        kind="arrows",
    )


def points(step: Step) -> list[Point]:
    """The rows of a step as points in the plane.

    Raises:
        OptionError: as `arrows`.
    """
    seen.check(step, "a picture of arrows")
    if len(step.shape) != 2 or step.shape[1] != 2:
        raise OptionError(
            f"arrows want a matrix of two columns, such as E with d = 2; "
            f"{step.short} has shape {step.shape}"
        )
    if step.shape[0] > MOST:
        raise OptionError(f"arrows want at most {MOST} rows; {step.short} has {step.shape[0]}")
    rows = [(seen.value(x), seen.value(y)) for x, y in step]
    if not all(isfinite(x) for row in rows for x in row):
        raise OptionError(f"arrows want finite numbers; {step.short} has infinite ones")
    return rows


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round places from low to high: 1, 2 or 5 times a power of ten apart.

    >>> ticks(-0.3, 1.2)
    [0.0, 0.5, 1.0]
    """
    span = high - low
    rough = span / about
    power = 10.0 ** floor(log10(rough))
    apart = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    first, last = ceil(low / apart - 1e-9), floor(high / apart + 1e-9)
    return [round(k * apart, 12) + 0.0 for k in range(first, last + 1)]


@dataclass(frozen=True)
class _Scale:
    """The part of the plane that every panel shows."""

    left: float
    bottom: float
    unit: float
    width: float
    height: float
    xs: tuple[float, ...]
    ys: tuple[float, ...]

    @classmethod
    def of(cls, found: Sequence[Point]) -> _Scale:
        xs, ys = ([0.0, *(p[k] for p in found)] for k in (0, 1))
        span = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
        unit = SIDE / span
        left, bottom = min(xs) * unit - EDGE, min(ys) * unit - EDGE
        width = max((max(xs) - min(xs)) * unit, 90.0) + 2 * EDGE
        height = max((max(ys) - min(ys)) * unit, 60.0) + 2 * EDGE
        wide, high = (
            ticks(at / unit, (at + size) / unit, max(2, round(size / 70)))
            for at, size in ((left, width), (bottom, height))
        )
        return cls(left, bottom, unit, width, height, tuple(wide), tuple(high))

    def place(self, point: Point) -> Point:
        x, y = point
        return x * self.unit - self.left, self.height - (y * self.unit - self.bottom)


def _panel(step: Step, found: list[Point], ghosts: list[Point], scale: _Scale) -> list[Element]:
    origin = scale.place((0.0, 0.0))
    out, taken = _axes(scale)
    out.append(lettering.symbol(step.symbol, 4.0, 1.1 * SIZE, font_weight="bold"))
    taken.append((0.0, 0.0, 10 + lettering.symbol_width(step.symbol), 1.6 * SIZE))
    tips = [scale.place(point) for point in found]
    out += [_arrow(origin, scale.place(ghost), Ink.QUIET, 0.45, dashed=True) for ghost in ghosts]
    words: dict[tuple[str, str], list[int]] = {}
    shown = seen.decimals(step)
    for i in range(len(found)):
        words.setdefault((shown[i, 0], shown[i, 1]), []).append(i)
    names = seen.names(step, 0)
    for i, tip in enumerate(tips):
        said = f"{step.short}, {names[i]}: ({shown[i, 0]}, {shown[i, 1]})"
        out.append(_arrow(origin, tip, Ink.ACCENT, 1.0, said=said, row=i))
    segments = [(origin, tip) for tip in tips]
    for same in words.values():
        text = ", ".join(names[i] for i in same)
        out.append(_label(text, tips[same[0]], origin, segments, taken, scale))
    return out


def _axes(scale: _Scale) -> tuple[list[Element], list[Box]]:
    """The frame and the axes with their numbers, and where these stand."""
    x0, y0 = scale.place((0.0, 0.0))
    lines = [
        element(
            "rect",
            x=0.0,
            y=0.0,
            width=scale.width,
            height=scale.height,
            rx=4.0,
            fill="none",
            stroke=Ink.QUIET,
            stroke_opacity=0.35,
        ),
        element(
            "path",
            d=f"M0 {number(y0)}H{number(scale.width)}M{number(x0)} 0V{number(scale.height)}",
            fill="none",
            stroke=Ink.QUIET,
            stroke_opacity=0.7,
        ),
    ]
    texts: list[Element] = []
    taken: list[Box] = []
    for along, values in enumerate((scale.xs, scale.ys)):
        for value in values:
            if value == 0:
                continue
            x, y = scale.place((value, 0.0) if along == 0 else (0.0, value))
            text = seen.sign(f"{value:g}")
            wide = lettering.width(text, SMALL)
            inside = wide / 2 < x < scale.width - wide / 2 if along == 0 else y > 8
            if not inside or y > scale.height - 4:
                continue
            mark = (
                f"M{number(x)} {number(y - 3)}v6"
                if along == 0
                else f"M{number(x - 3)} {number(y)}h6"
            )
            lines.append(element("path", d=mark, stroke=Ink.QUIET, fill="none"))
            right, line = (x + wide / 2, y + 15) if along == 0 else (x - 6, y + 4)
            taken.append((right - wide, line - SMALL, right, line + 0.25 * SMALL))
            texts.append(
                element(
                    "text",
                    text,
                    x=x if along == 0 else right,
                    y=line,
                    text_anchor="middle" if along == 0 else "end",
                    font_size=SMALL,
                    fill_opacity=0.75,
                )
            )
    return [*lines, *texts], taken


def _arrow(
    start: Point,
    tip: Point,
    ink: Ink,
    opacity: float,
    *,
    dashed: bool = False,
    said: str = "",
    row: int | None = None,
) -> Element:
    """A line with a head; a dot where it has no length."""
    (x, y), (to, down) = start, tip
    length = hypot(to - x, down - y)
    inside: list[Element] = [hint(said)] if said else []
    if length < 1.0:
        inside.append(element("circle", cx=x, cy=y, r=4.0, fill=ink, fill_opacity=opacity))
    else:
        ux, uy = (to - x) / length, (down - y) / length
        size = min(10.0, length)
        bx, by = to - ux * size, down - uy * size
        inside.append(
            element(
                "path",
                d=f"M{number(x)} {number(y)}L{number(bx)} {number(by)}",
                stroke=ink,
                stroke_opacity=opacity,
                stroke_width=2.0,
                stroke_dasharray="4 4" if dashed else None,
                fill="none",
            )
        )
        wing = 0.4 * size
        corners = [(to, down), (bx - uy * wing, by + ux * wing), (bx + uy * wing, by - ux * wing)]
        inside.append(
            element(
                "polygon",
                points=" ".join(f"{number(a)},{number(b)}" for a, b in corners),
                fill=ink,
                fill_opacity=opacity,
            )
        )
    return element("g", *inside, data_row=None if row is None else str(row))


def _label(
    text: str,
    tip: Point,
    origin: Point,
    segments: list[tuple[Point, Point]],
    taken: list[Box],
    scale: _Scale,
) -> Element:
    """The label of a tip, where it is clear of others, of arrows and of the frame."""
    shown = lettering.shortened(text, ROOM)
    wide, high = lettering.width(shown), SIZE * 1.15
    best: tuple[float, Box] | None = None
    out = hypot(tip[0] - origin[0], tip[1] - origin[1]) or 1.0
    ux, uy = (tip[0] - origin[0]) / out, (tip[1] - origin[1]) / out
    for ring in range(8):
        for dx, dy in _AROUND:
            reach = 7.0 + 9.0 * ring
            cx = tip[0] + dx * (wide / 2 + reach)
            cy = tip[1] + dy * (high / 2 + reach)
            cx = min(max(cx, wide / 2 + 3), scale.width - wide / 2 - 3)
            cy = min(max(cy, high / 2 + 3), scale.height - high / 2 - 3)
            box = (cx - wide / 2, cy - high / 2, cx + wide / 2, cy + high / 2)
            cost = 1000.0 * sum(_overlap(box, other) for other in taken)
            cost += 60.0 * sum(_crosses(box, segment) for segment in segments)
            cost += 6.0 * ring + 4.0 * (1 - dx * ux - dy * uy)  # away from the origin, and near
            if best is None or cost < best[0]:
                best = (cost, box)
        if best is not None and best[0] < 60.0:
            break
    assert best is not None  # there are eight places around
    box = best[1]
    taken.append(box)
    whole = [hint(text)] if shown != text else []
    return element(
        "text",
        *whole,
        shown,
        x=(box[0] + box[2]) / 2,
        y=box[3] - 0.27 * high,
        text_anchor="middle",
    )


_AROUND = (
    (1, 0), (0.8, -0.8), (0, -1), (-0.8, -0.8), (-1, 0), (-0.8, 0.8), (0, 1), (0.8, 0.8),
)  # fmt: skip


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _crosses(box: Box, segment: tuple[Point, Point]) -> bool:
    """Whether a line runs through a box, looked at in 24 places."""
    (x, y), (to, down) = segment
    for k in range(25):
        a, b = x + (to - x) * k / 24, y + (down - y) * k / 24
        if box[0] - 1 < a < box[2] + 1 and box[1] - 1 < b < box[3] + 1:
            return True
    return False


def _about(step: Step) -> str:
    shown = seen.decimals(step)
    names = seen.names(step, 0)
    rows = [f"{names[i]} ({shown[i, 0]}, {shown[i, 1]})" for i in range(step.shape[0])]
    return f"{step.short}: {seen.list_of(rows, 40)}."
