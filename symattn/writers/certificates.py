"""What `certify` prints: errors of floats, layer by layer, and certified digits."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from symattn.notation import visible
from symattn.writers.columns import table
from symattn.writers.screen import PLAIN, Screen

if TYPE_CHECKING:
    from symattn.pretrained.certificate import Certificate, Distance

#: Entries of a vector that are printed; all of them are in JSON.
SHOWN = 6


@dataclass(frozen=True)
class Named:
    """A certificate with the words that stand for its tokens, where there is a tokenizer."""

    certificate: Certificate
    words: tuple[str, ...]
    names: dict[int, str]


def text(found: Named, screen: Screen = PLAIN) -> str:
    """Tables for a terminal."""
    c = found.certificate
    lines = [
        f"{len(c.tokens)} tokens: {visible(' '.join(found.words))}",
        "",
        "Errors against the certified values of the file's weights, in units in the last place",
        "(largest, mean), and the largest in absolute terms:",
        table(
            ["", "certain to", *_types(c)],
            [_row(s.name, s.radius, s.distances) for s in c.stages],
            left=1,
            screen=screen,
            repeated=1,
        ),
    ]
    inside = [
        [f"{s.name}.{address}", *_cells(distances)]
        for s in c.stages
        for address, distances in _worst(s.steps)
    ]
    if inside:
        lines += ["", "Inside, the steps of each stage that are farthest off:"]
        lines.append(table(["step", *_types(c)], inside, left=1, screen=screen, repeated=1))
    lines += ["", f"{c.bits} bits of precision."]
    return "\n".join([*lines, *_ending(found, screen)])


def _types(c: Certificate) -> list[str]:
    types = c.result
    return [word for kind in types for word in (f"{kind}: ulps", "mean", "absolute")]


def _row(name: str, radius: float, distances: Any) -> list[str]:
    certain = "exact" if radius == 0 else f"{radius:.1e}"
    return [name, certain, *_cells(distances)]


def _cells(distances: Any) -> list[str]:
    return [cell for distance in distances.values() for cell in _of(distance)]


def _of(d: Distance) -> list[str]:
    if d.absolute == 0:
        return ["0", "0", "0"]
    return [f"{d.ulps:,.1f}", f"{d.mean_ulps:,.2f}", f"{d.absolute:.1e}"]


def _worst(steps: Any) -> list[tuple[str, Any]]:
    """The steps of a stage with the largest mean error of the first type."""
    order = sorted(steps.items(), key=lambda item: -next(iter(item[1].values())).mean_ulps)
    return order[:3]


def _ending(found: Named, screen: Screen) -> list[str]:
    c = found.certificate
    off = ", ".join(f"{k} is off by at most {d.absolute:.1e}" for k, d in c.result.items())
    if c.words:
        rows = [[str(w.token), found.names.get(w.token, ""), w.decimal] for w in c.words]
        lines = [table(["token", "word", "probability"], rows, left=2, screen=screen)]
        if c.predicted is None:
            said = "The most likely next token is undecided at this precision."
            lines.append(screen.ink(said, "warning"))
        else:
            word = found.names.get(c.predicted, "")
            named = visible(f"{c.predicted} {word}".strip())
            said = f"The next token is {named}: its logit lies above all others, proven."
            lines.append(screen.ink(said, "good"))
        return [*lines, f"Of the probabilities {off}."]
    shown = c.vector[:SHOWN]
    more = f", … ({len(c.vector)} entries)" if len(c.vector) > SHOWN else ""
    return [f"The sentence's vector: {', '.join(shown)}{more}", f"Of its entries {off}."]


def data(found: Named) -> dict[str, Any]:
    """All of it, for JSON."""
    c = found.certificate
    made = asdict(c)
    for stage in made["stages"]:
        if not math.isfinite(stage["radius"]):
            stage["radius"] = None
    made["tokens"] = [{"id": i, "word": w} for i, w in zip(c.tokens, found.words, strict=True)]
    for word in made["words"]:
        word["word"] = found.names.get(word["token"])
    return made
