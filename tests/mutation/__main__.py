"""Plant a sample of faults, run the tests that reach each, and count which are noticed.

    coverage run --data-file=c.data -m pytest -p tests.mutation.contexts -m "not render and not torch and not hf" \
        --junitxml=c.xml
    python -m tests.mutation --record c.data --durations c.xml --sample 1000 --seed 0 --out mutants.jsonl

Needs `pip install mutmut coverage`. Each mutant gets a fork of a process that has the libraries loaded and not
symattn, in a copy of the checkout. A mutant is killed where a test fails, cannot start, or hangs; one whose tests
all pass has survived, and so has one that no test reaches.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.mutation.mutants import Mutant, sample
from tests.mutation.tests_of import TestsOf

ROOT = Path(__file__).parent.parent.parent

#: hypothesis is loaded before pytest may rewrite its assertions, of which it has none.
QUIET = "ignore::pytest.PytestAssertRewriteWarning"


def load_libraries() -> None:
    """What every test imports, once; symattn itself is imported in each fork."""
    import click.testing  # noqa: F401
    import flint  # noqa: F401
    import hypothesis  # noqa: F401
    import latexify  # noqa: F401
    import math_core  # noqa: F401
    import ml_dtypes  # noqa: F401
    import mpmath  # noqa: F401
    import numpy  # noqa: F401
    import pytest  # noqa: F401
    import rich.console  # noqa: F401
    import sympy  # noqa: F401

    assert not any(name.partition(".")[0] == "symattn" for name in sys.modules)


def run_tests(nodes: list[str], limit: float) -> str:
    """In a fork: what became of the tests."""
    child = os.fork()
    if child == 0:
        os.setpgrp()
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        import pytest

        code = 3
        try:
            code = int(
                pytest.main(
                    [
                        "-x",
                        "-q",
                        "--tb=no",
                        "-p",
                        "no:cacheprovider",
                        "-o",
                        "addopts=",
                        "-W",
                        QUIET,
                        *nodes,
                    ]
                )
            )
        finally:
            os._exit(code)
    started = time.monotonic()
    while time.monotonic() - started < limit:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return "survived" if code == 0 else "no tests" if code == 5 else "killed"
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hung"


def try_one(
    mutant: Mutant, copy: Path, tests: TestsOf, budget: float, control: bool
) -> dict[str, object]:
    nodes, expected = tests.within(tests.lines(mutant.path, mutant.line, mutant.last_line), budget)
    target = copy / mutant.path
    original = target.read_text("utf-8")
    started = time.monotonic()
    if nodes:
        target.write_text(original if control else mutant.text, "utf-8")
        for stale in target.parent.glob(f"__pycache__/{target.stem}.*.pyc"):
            stale.unlink()
        try:
            became = run_tests(nodes, 30 + 10 * expected)
        finally:
            target.write_text(original, "utf-8")
    else:
        became = "not reached"
    return {
        "path": mutant.path, "line": mutant.line, "before": mutant.before, "after": mutant.after,
        "became": became, "tests": len(nodes), "seconds": round(time.monotonic() - started, 2),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument(
        "--record", type=Path, required=True, help="coverage's data, with a context for each test"
    )
    parser.add_argument(
        "--durations", type=Path, required=True, help="pytest's --junitxml of the same run"
    )
    parser.add_argument("--sample", type=int, help="how many mutants (all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--budget", type=float, default=40.0, help="seconds of tests for one mutant, cheapest first"
    )
    parser.add_argument(
        "--part", default="1/1", help="2/3: the second third, for a process on each core"
    )
    parser.add_argument("--control", action="store_true", help="plant nothing: all have to survive")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="a line of JSON for each mutant; what is there is kept",
    )
    options = parser.parse_args()

    chosen, total = sample(ROOT, options.sample, options.seed)
    part, parts = map(int, options.part.split("/"))
    done = (
        {json.loads(line)["number"] for line in options.out.open()}
        if options.out.exists()
        else set()
    )
    tests = TestsOf(options.record.resolve(), options.durations)
    with tempfile.TemporaryDirectory() as folder, options.out.resolve().open("a") as out:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
        )
        for name in listed.stdout.split("\0")[:-1]:
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, Path(folder) / name)
        os.chdir(folder)
        sys.path[:] = [folder, *(place for place in sys.path if place not in ("", str(ROOT)))]
        os.environ |= {"PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        sys.dont_write_bytecode = True
        for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
            del sys.modules[name]  # the copy's own
        load_libraries()
        counts: Counter[object] = Counter()
        for number, mutant in enumerate(chosen):
            if number % parts != part - 1 or number in done:
                continue
            result = {
                "number": number,
                **try_one(mutant, Path(folder), tests, options.budget, options.control),
            }
            counts[result["became"]] += 1
            out.write(json.dumps(result, ensure_ascii=False) + "\n")
            out.flush()
            print(
                f"{number + 1}/{len(chosen)} of {total}",
                dict(counts),
                result["became"],
                mutant,
                flush=True,
            )


if __name__ == "__main__":
    main()
