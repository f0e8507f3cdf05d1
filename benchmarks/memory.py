"""Peak memory of one derivation, in a process of its own.

Run as `python -m benchmarks.memory import` or `… derive N D`; prints megabytes.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak() -> float:
    """The process's peak resident size in MB.

    On Linux as /proc tells it: `getrusage` also counts the process this one was started
    from, as large as it was at that moment.
    """
    if STATUS.exists():
        for line in STATUS.read_text("ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1024 * 1024 if sys.platform == "darwin" else 1024)


def main(words: list[str]) -> None:
    """Import all that a derivation needs; with sizes, also derive every step exactly."""
    import symattn as sa
    from benchmarks import inputs
    from symattn.numbers import compact
    from symattn.transformer import attention_head

    compact.shared()
    if words[0] == "derive":
        n, d = map(int, words[1:])
        derivation = sa.derive(attention_head, **inputs.head(1, n, d))
        _ = derivation.forms
    print(peak())


if __name__ == "__main__":
    main(sys.argv[1:])
