"""What `show` prints of a step of a trained model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from symattn.graph import Array
from symattn.notation import as_code
from symattn.writers import matrices
from symattn.writers.columns import matrix
from symattn.writers.screen import PLAIN, Screen

if TYPE_CHECKING:
    from symattn.pretrained.looking import Seen

#: Columns without words that people are shown; JSON has all.
COLUMNS = 8


def text(seen: Seen, digits: int, screen: Screen = PLAIN) -> str:
    """Aligned certified decimals with their words."""
    shape = " × ".join(map(str, seen.balls.shape)) or "a number"
    head = f"{seen.address} = {seen.source}" if seen.source else seen.address
    cells, note = _cells(seen, digits)
    shown = matrix(cells, list(seen.axes), screen)
    lines = [f"{screen.ink(head, 'heading')}    ({shape})", shown, f"{seen.bits} bits of precision"]
    return "\n".join([*lines, *note])


def latex(seen: Seen, digits: int) -> str:
    """The matrix of certified decimals, with its words; what is left out as a comment."""
    cells, note = _cells(seen, digits)
    return "\n".join([_equation(seen, cells), *(f"% {line}" for line in note)])


def markdown(seen: Seen, digits: int) -> str:
    """The same in a fence of mathematics."""
    cells, note = _cells(seen, digits)
    return "\n\n".join([f"```math\n{_equation(seen, cells)}\n```", *note])


def _equation(seen: Seen, cells: Array) -> str:
    shown = np.empty_like(cells)
    for index in np.ndindex(cells.shape):
        shown[index] = matrices.decimal_latex(str(cells[index]))
    return rf"{as_code(seen.address)} \approx {matrices.latex(shown, seen.axes)}"


def _cells(seen: Seen, digits: int) -> tuple[Array, list[str]]:
    """The decimals that people are shown, and a line on those that are left out."""
    cells = seen.decimals(digits)
    if not cells.ndim or seen.axes[-1] or cells.shape[-1] <= COLUMNS:
        return cells, []
    note = f"the first {COLUMNS} of {cells.shape[-1]} columns; --json has all"
    return cells[..., :COLUMNS], [note]


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
