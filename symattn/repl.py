"""A Python prompt whose typed-in functions can be traced: their source is kept."""

from __future__ import annotations

import code
import linecache
from typing import Any

from symattn.derivation import Derivation


class Console(code.InteractiveConsole):
    """Gives every input its own file name, and remembers its text under it."""

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__(names)
        self.count = 0

    def runsource(self, source: str, filename: str = "<input>", symbol: str = "single") -> bool:
        name = f"<symattn-{self.count}>"
        # Without a time stamp linecache never drops the lines.
        linecache.cache[name] = (len(source), None, (source + "\n").splitlines(True), name)
        more = super().runsource(source, name, symbol)
        if not more:
            self.count += 1
        return more


def run(derivation: Derivation) -> None:
    """Start the prompt with `sa` (the package), `np` and `d` (the derivation)."""
    import numpy as np

    import symattn as sa

    steps = ", ".join(step.short for step in derivation.steps)
    banner = f"symattn {sa.__version__}. d is the derivation; its steps: {steps}.\n" \
        'Try d["A"], d["A"][1, 1].explain(), d["A"].decimal(20), d.verify().'  # fmt: skip
    Console({"sa": sa, "np": np, "d": derivation}).interact(banner, exitmsg="")
