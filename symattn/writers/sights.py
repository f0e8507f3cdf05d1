"""What `show` prints of a step of a trained model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symattn.writers.columns import matrix
from symattn.writers.screen import PLAIN, Screen

if TYPE_CHECKING:
    from symattn.pretrained.looking import Seen

#: Columns without words that a terminal shows; JSON has all.
COLUMNS = 8


def text(seen: Seen, digits: int, screen: Screen = PLAIN) -> str:
    """Aligned certified decimals with their words."""
    shape = " × ".join(map(str, seen.balls.shape)) or "a number"
    head = f"{seen.address} = {seen.source}" if seen.source else seen.address
    cells, axes = seen.decimals(digits), list(seen.axes)
    note = ""
    if cells.ndim and not axes[-1] and cells.shape[-1] > COLUMNS:
        note = f"the first {COLUMNS} of {cells.shape[-1]} columns; --json has all"
        cells = cells[..., :COLUMNS]
    shown = matrix(cells, axes, screen)
    lines = [f"{screen.ink(head, 'heading')}    ({shape})", shown, f"{seen.bits} bits of precision"]
    return "\n".join([*lines, *([note] if note else [])])


def data(seen: Seen, digits: int) -> dict[str, Any]:
    """Plain data."""
    return {
        "address": seen.address,
        "source": seen.source,
        "shape": list(seen.balls.shape),
        "labels": [list(axis) if axis else None for axis in seen.axes],
        "decimals": seen.decimals(digits).tolist(),
        "bits": seen.bits,
    }
