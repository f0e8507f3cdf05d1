"""Run the benchmarks: `python -m benchmarks`, from the root of a clone."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.row import Outcome
from benchmarks.rows import ROWS
from benchmarks.setting import setting


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, one round: does it run")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="rows whose name begins like this"
    )
    parser.add_argument("--list", action="store_true", help="name the rows, and measure nothing")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there")
    parser.add_argument(
        "--from", type=Path, metavar="FILE", dest="source", help="take results from there instead"
    )
    parser.add_argument("--readme", action="store_true", help="put them into benchmarks/README.md")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the row `growth`")
    asked = parser.parse_args(words)
    if asked.quick and (asked.readme or asked.plot):
        parser.error("what --quick measures says nothing: it goes into no README and no plot")
    return asked


def measured(only: Sequence[str] | None, quick: bool) -> list[Outcome]:
    """Measure the rows, and print each when it is done."""
    wanted = [r for r in ROWS if not only or any(map(r.name.startswith, only))]
    if not wanted:
        raise SystemExit(f"no such row; there are {', '.join(r.name for r in ROWS)}")
    outcomes = []
    for row in wanted:
        outcomes.append(row.measure(quick))
        print("\n".join(report.lines(outcomes[-1], judged=not quick)), flush=True)
    return outcomes


def main() -> None:
    """Measure, or read what was measured; then write what was asked for."""
    asked = arguments()
    if asked.list:
        print("\n".join(row.name for row in ROWS))
        return
    if asked.source:
        data: dict[str, Any] = json.loads(asked.source.read_text("utf-8"))
        where = data["setting"]
        outcomes = [Outcome.from_json(found) for found in data["rows"]]
    else:
        where = setting()
        print(report.facts(where))
        if asked.quick:
            print("quick: tiny sizes, whatever a row is called; its ratios say nothing")
        print("to measure one row again: python -m benchmarks --only NAME", flush=True)
        outcomes = measured(asked.only, asked.quick)
    if asked.json:
        data = {"setting": where, "rows": [outcome.json() for outcome in outcomes]}
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        asked.json.write_text(text, encoding="utf-8")
    if asked.readme:
        report.rewrite_readme(outcomes, where)
    if asked.plot:
        _plot([o for o in outcomes if o.points], asked.plot)


def _plot(grown: list[Outcome], path: Path) -> None:
    try:
        from benchmarks.plot import plot

        for outcome in grown:
            plot(outcome.points, path)
    except ImportError:
        print("matplotlib is not installed: no plot")
    if not grown:
        print("the row `growth` was not measured: no plot")


if __name__ == "__main__":
    main()
