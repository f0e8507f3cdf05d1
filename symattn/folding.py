"""What of a page is folded: layers and heads that do again what the first one did."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from symattn.display import FOLDS
from symattn.steps import Step


def folded(steps: Sequence[Step], fold: Collection[str]) -> Iterator[tuple[str, list[Step]]]:
    """Runs of steps, each with the address of the scope that is folded, or ``""``.

    A scope is folded where it is not the first of its kind: ``layer[1]``, ``head[1]``; of
    scopes in scopes the outermost.
    """
    kinds = [FOLDS[word] for word in fold if FOLDS[word]]
    pattern = re.compile(rf"(?:.*?\.)??(?:{'|'.join(kinds)})\[[1-9]\d*\](?=\.)")

    def scope(step: Step) -> str:
        match = pattern.match(step.address) if kinds else None
        return match[0] if match else ""

    for address, run in groupby(steps, scope):
        yield address, list(run)
