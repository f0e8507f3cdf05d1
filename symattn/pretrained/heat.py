"""A step of a trained model for a heatmap."""

from __future__ import annotations

from math import inf

import numpy as np

from symattn import notation
from symattn.errors import OptionError
from symattn.notation import visible
from symattn.numbers.arrays import is_mark
from symattn.pictures.seen import MOST, Sheet, sign
from symattn.pretrained.looking import Seen


def sheet(found: Seen, digits: int) -> Sheet:
    """What a heatmap shows of a step: certified decimals, shades, words.

    Raises:
        OptionError: more than 10,000 entries.
    """
    shape = found.balls.shape
    if found.balls.size > MOST:
        raise OptionError(
            f"a heatmap wants at most {MOST:,} entries; {found.address} has {found.balls.size:,}"
        )
    shown = found.decimals(digits)
    places = list(np.ndindex(shape))
    marks = {i for i in places if is_mark(found.balls[i])}
    values = {i: _value(found.balls[i]) for i in places}
    axes = tuple(
        [visible(word) for word in axis] if axis else [str(k) for k in range(n)]
        for axis, n in zip(found.axes, shape, strict=True)
    )
    name = found.address.rpartition(".")[2].partition("[")[0]
    return Sheet(
        found.address, notation.symbol(name), shape, axes, values,
        {i: sign(str(shown[i])) for i in places}, marks,
    )  # fmt: skip


def _value(ball: object) -> float:
    return ball.sign * inf if is_mark(ball) else float(ball.mid())  # type: ignore[attr-defined]
