"""How many of ONNX's node cases agree, by operator: ``python -m tests.onnx_report``."""

from __future__ import annotations

import time

from tests.onnx_cases import ADAPTERS, cases, outcomes


def main() -> None:
    """Print a line for each operator, and below it what does not agree."""
    cases()
    start = time.perf_counter()
    for operator in ADAPTERS:
        found = list(outcomes(operator))
        print(f"{operator:20} {sum(not wrong for _, wrong in found):3} of {len(found)}")
        for case, wrong in found:
            if wrong:
                print(f"    {case.name}: {wrong[0]} ({len(wrong)} in all)")
    print(f"{time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
