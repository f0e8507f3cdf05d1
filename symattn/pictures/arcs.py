"""Who attends to whom: tokens in a row, and arcs from queries to keys."""

from __future__ import annotations

from symattn.entries import Entry
from symattn.errors import OptionError
from symattn.pictures import lettering, seen
from symattn.pictures.svg import SIZE, Element, Ink, element, hint, number, picture
from symattn.steps import Step

ROOM = 110.0  # of a label
THICK = 8.0  # a weight of 1
LOOP = 9.0
RISE = 30.0  # of an arc to the next token
SMALL = 12.0

#: Tokens up to which the weights are written on their arcs.
WRITTEN = 6
MOST = 64


def arcs(step: Step, standalone: bool = False) -> str:
    """An arc for each weight: above to earlier tokens, below to later ones, a ring to itself.

    An arc is as thick and dark as its weight; a weight of 0, masked ones among them, has none.
    Where rows and columns are different tokens, they stand in two rows with lines between.

    Raises:
        OptionError: no matrix of weights, symbols, or more than 64 tokens.
    """
    found = weights(step)
    if step.shape[0] == step.shape[1] and seen.names(step, 0) == seen.names(step, 1):
        return _in_a_row(step, found, standalone)
    return _in_two_rows(step, found, standalone)


def weights(step: Step) -> dict[tuple[int, ...], float]:
    """By index, what arcs are as thick as.

    Raises:
        OptionError: as `arcs`.
    """
    seen.check(step, "a picture of arcs")
    if len(step.shape) != 2:
        raise OptionError(
            f"arcs want a matrix of weights, tokens × tokens, such as A; "
            f"{step.short} has shape {step.shape}"
        )
    if max(step.shape) > MOST:
        raise OptionError(f"arcs want at most {MOST} tokens; {step.short} has {step.shape}")
    found = {entry.index: seen.value(entry) for entry in step.entries()}
    if not all(-1e-9 <= w <= 1 + 1e-9 for w in found.values()):
        raise OptionError(
            f"arcs want weights from 0 to 1, such as A; {step.short} has others: see a heatmap"
        )
    return found


def _kept(step: Step) -> list[Entry]:
    return [entry for entry in step.entries() if not seen.is_zero(entry)]


def _stroke(weight: float) -> dict[str, float]:
    return {"stroke_width": max(0.4, THICK * weight), "stroke_opacity": 0.3 + 0.6 * weight}


def _in_a_row(step: Step, weights: dict[tuple[int, ...], float], standalone: bool) -> str:
    tokens = seen.names(step, 0)
    n = len(tokens)
    written = n <= WRITTEN
    widest = max(lettering.width(token) for token in tokens)
    apart = max(84.0 if written else 40.0, min(widest, ROOM) + 14)
    kept = _kept(step)
    back = max((i - j for i, j in (e.index for e in kept) if j < i), default=0)
    ahead = max((j - i for i, j in (e.index for e in kept) if j > i), default=0)
    head = SMALL + 6 if written else 6.0
    above = max(2 * LOOP + 8, RISE * back + THICK / 2) + head
    line = above + SIZE
    room = min(ROOM, apart - 10)
    children: list[Element] = []
    for i in range(n):
        row = [entry for entry in kept if entry.index[0] == i]
        parts = [_arc(entry, weights[entry.index], apart, line, written) for entry in row]
        children.append(element("g", *parts, data_row=str(i)))
    children += [
        lettering.label(token, (i + 0.5) * apart, line, room, text_anchor="middle")
        for i, token in enumerate(tokens)
    ]
    below = RISE * ahead + THICK / 2 + head + 8 if ahead else 0.0
    return picture(
        n * apart,
        line + 0.3 * SIZE + below,
        children,
        title=f"{step.short}: who attends to whom",
        about=_about(step, kept),
        standalone=standalone,
        kind="arcs",
    )


def _arc(entry: Entry, weight: float, apart: float, line: float, written: bool) -> Element:
    query, key = entry.index
    shown = seen.decimal(entry)
    top, bottom = line - SIZE - 2, line + 0.3 * SIZE + 4
    x, to = (query + 0.5) * apart, (key + 0.5) * apart
    if query == key:
        d = f"M{number(x)} {number(top)}"
        d += f"a{LOOP} {LOOP} 0 1 1 0.01 0"
        at = top - 2 * LOOP - 6
    else:
        down = key > query
        side = bottom if down else top
        high = RISE * abs(query - key)
        # A cubic's apex is three quarters of the way to its handles.
        handle = side + high / 0.75 if down else side - high / 0.75
        lean = 0.2 * (to - x)
        d = f"M{number(x)} {number(side)}"
        d += f"C{number(x + lean)} {number(handle)} {number(to - lean)} {number(handle)}"
        d += f" {number(to)} {number(side)}"
        at = side + high + 6 + 0.8 * SMALL if down else side - high - 6
    parts = [
        hint(_said(entry, shown)),
        element("path", d=d, fill="none", stroke=Ink.ACCENT, **_stroke(weight)),
    ]
    if written:
        middle = (x + to) / 2
        parts.append(element("text", shown, x=middle, y=at, text_anchor="middle", font_size=SMALL))
    return element("g", *parts, data_entry=entry.address)


def _in_two_rows(step: Step, weights: dict[tuple[int, ...], float], standalone: bool) -> str:
    queries, keys = (seen.names(step, axis) for axis in (0, 1))
    widest = max(lettering.width(token) for token in (*queries, *keys))
    apart = max(44.0, min(widest, ROOM) + 14)
    n = max(len(queries), len(keys))
    high = 110.0
    room = apart - 10

    def place(i: int, of: int) -> float:
        return (i + 0.5 + (n - of) / 2) * apart

    kept = _kept(step)
    top, bottom = SIZE + 6, SIZE + 6 + high
    children: list[Element] = []
    for i in range(len(queries)):
        parts = []
        for entry in kept:
            if entry.index[0] != i:
                continue
            x, to = place(i, len(queries)), place(entry.index[1], len(keys))
            d = f"M{number(x)} {number(top)}C{number(x)} {number(top + high / 2)}"
            d += f" {number(to)} {number(top + high / 2)} {number(to)} {number(bottom)}"
            shown = seen.decimal(entry)
            parts.append(
                element(
                    "path",
                    hint(_said(entry, shown)),
                    d=d,
                    fill="none",
                    stroke=Ink.ACCENT,
                    **_stroke(weights[entry.index]),
                    data_entry=entry.address,
                )
            )
        children.append(element("g", *parts, data_row=str(i)))
    for tokens, y in ((queries, SIZE), (keys, bottom + 6 + 0.8 * SIZE)):
        children += [
            lettering.label(token, place(i, len(tokens)), y, room, text_anchor="middle")
            for i, token in enumerate(tokens)
        ]
    return picture(
        n * apart,
        bottom + 6 + 1.1 * SIZE,
        children,
        title=f"{step.short}: who attends to whom",
        about=_about(step, kept) + " Above are the queries, below the keys.",
        standalone=standalone,
        kind="arcs",
    )


def _said(entry: Entry, shown: str) -> str:
    query, key = (seen.names(entry.step, axis)[i] for axis, i in enumerate(entry.index))
    return f"{query} attends to {key}: {shown}"


def _about(step: Step, kept: list[Entry]) -> str:
    said = [_said(entry, seen.decimal(entry)) for entry in kept]
    return f"{seen.list_of(said, 40)}." if said else "Nothing has any weight."
