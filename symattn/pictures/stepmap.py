"""The map of a derivation: its steps from top to bottom, and lines from each to what it feeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symattn.derivation import Derivation
from symattn.feeds import feeds
from symattn.pictures import lettering
from symattn.pictures.svg import Element, Ink, element, hint, number, picture
from symattn.steps import Step

HEIGHT = 26.0  # of a node
APART = 34.0  # between rows
GAP = 10.0  # between the nodes of a row
LETTERS = 13.0
LANE = 6.0  # between lines that go past nodes
WIDEST = 330.0  # of a row; what is over stands in further rows

Row = list[Step]
Place = tuple[float, float, float]  # left end, top, width


def stepmap(derivation: Derivation, standalone: bool = False) -> str:
    """Every step as a node, a link to ``#step-NODE``, below all that it is computed from.

    What was given stands right above its first use. The inside of a softmax is its softmax's node.

    >>> import symattn as sa
    >>> svg = stepmap(sa.article())
    >>> svg.count("<a "), 'href="#step-19"' in svg
    (19, True)
    """
    known = _shown(derivation)
    rows = _rows(known)
    places = _places(rows)
    insides: dict[str, list[Step]] = {}
    for step in derivation.steps:
        if step.inside:
            insides.setdefault(step.inside, []).append(step)
    edges = [(source, step) for step, sources in known.items() for source in sources]
    right = max((x + w for x, _, w in places.values()), default=0.0)
    lanes = _lanes([e for e in edges if _is_long(*(places[s] for s in e))], places, right)
    lines = [_line(places[a], places[b], f"{a.node}-{b.node}", lanes.get((a, b))) for a, b in edges]
    nodes = [_node(step, places[step], insides.get(step.address, [])) for step in known]
    width = max([right, *lanes.values()])
    height = max((y for _, y, _ in places.values()), default=0.0) + HEIGHT
    return picture(
        width,
        height,
        [element("g", *lines, fill="none", stroke=Ink.QUIET, stroke_opacity=0.55), *nodes],
        title="Map of the steps",
        about=f"{len(known)} steps, each below those that it is computed from.",
        standalone=standalone,
        role="group",
        kind="map",
    )


def _shown(derivation: Derivation) -> dict[Step, tuple[Step, ...]]:
    """By step of the map, those that feed it. Of stacked weights the parts stand for themselves."""
    known = {
        step: () if step.is_part else tuple(s for s in before if not s.inside)
        for step, before in feeds(derivation).items()
        if not step.inside
    }
    used = {source for sources in known.values() for source in sources}
    stacked = {s for s in known if s.given and len(s.shape) > 2 and s not in used}
    return {step: sources for step, sources in known.items() if step not in stacked}


def _rows(before: Mapping[Step, tuple[Step, ...]]) -> list[Row]:
    """Steps by the longest way from what was given, which itself stands above its first use."""
    depth: dict[Step, int] = {}
    for step, sources in before.items():  # in the order of the computation
        depth[step] = max((depth[s] + 1 for s in sources if before[s]), default=0) if sources else 0
        if sources and not depth[step]:
            depth[step] = 1
    users: dict[Step, list[int]] = {}
    for step, sources in before.items():
        for source in sources:
            users.setdefault(source, []).append(depth[step])
    for step, sources in before.items():
        if not sources and step in users:
            depth[step] = min(users[step]) - 1
    rows: list[Row] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for step in before:
        rows[depth[step]].append(step)
    ordered = _ordered(rows, before)
    return [part for row in ordered for part in _fitting(row)]


def _ordered(rows: list[Row], before: Mapping[Step, tuple[Step, ...]]) -> list[Row]:
    """Each row in the order of the middles of what its steps come from, or are used by."""
    after: dict[Step, list[Step]] = {}
    for step, sources in before.items():
        for source in sources:
            after.setdefault(source, []).append(step)
    at: dict[Step, float] = {}

    def middle(step: Step, near: Iterable[Step]) -> float:
        found = [at[other] for other in near if other in at]
        return sum(found) / len(found) if found else at.get(step, 0.5)

    def settle(row: Row) -> None:
        for i, step in enumerate(row):
            at[step] = (i + 0.5) / len(row)

    for row in rows:
        settle(row)
    for sweep in range(4):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            row.sort(key=lambda s: middle(s, before[s] if sweep % 2 == 0 else after.get(s, ())))
            settle(row)
    return rows


def _fitting(row: Row) -> list[Row]:
    """A row, or where it is too wide several of about the same width."""
    total = sum(_width(step) + GAP for step in row)
    parts = max(1, -(-int(total) // int(WIDEST)))
    size = -(-len(row) // parts) if row else 1
    return [row[i : i + size] for i in range(0, len(row), size)]


def _places(rows: list[Row]) -> dict[Step, Place]:
    """The left end, the top and the width of each node; rows stand around one middle."""
    widths = [sum(_width(step) + GAP for step in row) - GAP for row in rows]
    full = max(widths, default=0.0)
    places: dict[Step, Place] = {}
    for i, (row, taken) in enumerate(zip(rows, widths, strict=True)):
        x = (full - taken) / 2
        for step in row:
            places[step] = (x, i * (HEIGHT + APART), _width(step))
            x += _width(step) + GAP
    return places


def _width(step: Step) -> float:
    return max(HEIGHT, lettering.symbol_width(step.symbol, LETTERS) + 14)


def _is_long(source: Place, target: Place) -> bool:
    """Whether there are rows in between."""
    return target[1] - source[1] > 1.5 * (HEIGHT + APART)


def _lanes(
    edges: list[tuple[Step, Step]], places: Mapping[Step, Place], right: float
) -> dict[tuple[Step, Step], float]:
    """Where lines over several rows go down, right of all nodes: short ones nearest to these."""
    taken: list[list[tuple[float, float]]] = []
    found: dict[tuple[Step, Step], float] = {}
    for edge in sorted(edges, key=lambda e: places[e[1]][1] - places[e[0]][1]):
        span = (places[edge[0]][1], places[edge[1]][1])
        lane = next(
            (
                i
                for i, others in enumerate(taken)
                if all(span[1] <= low or span[0] >= high for low, high in others)
            ),
            len(taken),
        )
        if lane == len(taken):
            taken.append([])
        taken[lane].append(span)
        found[edge] = right + 12 + LANE * lane
    return found


def _line(source: Place, target: Place, name: str, lane: float | None) -> Element:
    x, y = source[0] + source[2] / 2, source[1] + HEIGHT
    to_x, to_y = target[0] + target[2] / 2, target[1]
    bend = APART / 2
    if lane is None:
        d = f"M{_at(x, y)}C{_at(x, y + bend)} {_at(to_x, to_y - bend)} {_at(to_x, to_y)}"
    else:
        d = (
            f"M{_at(x, y)}C{_at(x, y + bend)} {_at(lane, y)} {_at(lane, y + APART)}"
            f"V{number(to_y - APART)}"
            f"C{_at(lane, to_y)} {_at(to_x, to_y - bend)} {_at(to_x, to_y)}"
        )
    return element("path", d=d, data_edge=name)


def _at(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"


def _node(step: Step, place: Place, inside: list[Step]) -> Element:
    x, y, w = place
    also = " ".join(str(other.node) for other in inside)
    return element(
        "a",
        hint(step.short),
        element(
            "rect", x=x, y=y, width=w, height=HEIGHT, rx=5.0, fill=Ink.PAPER, stroke=Ink.QUIET,
            stroke_dasharray="3 2" if step.given else None,
        ),
        lettering.symbol(step.symbol, x + w / 2, y + HEIGHT * 0.68, LETTERS, text_anchor="middle"),
        href=f"#step-{step.node}",
        data_also=also or None,
    )  # fmt: skip
