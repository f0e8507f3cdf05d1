"""Which tests run a line, from coverage's record of one run of the suite, and how long each takes.

Tests are told apart by their parameters too, see `tests.mutation.contexts`: one of many takes little time.
"""

from __future__ import annotations

import ast
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

from coverage import CoverageData

#: What it says, it says of every file; lines that no test runs are held against it.
HOUSE = "tests/test_house.py"


class TestsOf:
    """The tests that run a line, the most telling for their time first, as pytest names them."""

    __test__ = False  # a tool for tests, none itself

    def __init__(self, record: Path, durations: Path):
        self.data = CoverageData(str(record))
        self.data.read()
        self.measured = {Path(name).as_posix(): name for name in self.data.measured_files()}
        self.seconds: dict[str, float] = defaultdict(float)
        for case in ET.parse(durations).iter("testcase"):
            path = case.get("classname", "").replace(".", "/")
            self.seconds[f"{path}.py::{case.get('name')}"] += float(case.get("time", 0))

    def lines(self, path: str, first: int, last: int) -> list[str]:
        """Contexts of any of the lines; where only the import runs them, of the whole file."""
        name, by_line = self._of(path)
        found = {context for line in range(first, last + 1) for context in by_line.get(line, ())}
        if name and not found:  # the record has a statement of many lines at one of them
            found = {
                context for line in _statement(name, first) for context in by_line.get(line, ())
            }
        covered: Counter[str] = Counter(c for contexts in by_line.values() for c in set(contexts))
        if found <= {""}:
            found = set(covered)

        def telling(context: str) -> float:
            """What runs much of the file in little time goes first."""
            return (self.seconds[context] + 0.02) / covered[context]

        known = sorted((c for c in found if c in self.seconds), key=telling)
        return known or [c for c in self.seconds if c.startswith(f"{HOUSE}::")]

    @cache  # noqa: B019  # as long as the record
    def _of(self, path: str) -> tuple[str, dict[int, list[str]]]:
        """The file of that path, and the contexts by line; of copies that tests made, the one they ran most."""
        names = [name for shown, name in self.measured.items() if shown.endswith("/" + path)]
        by_file = [(name, self.data.contexts_by_lineno(name)) for name in names]
        return max(by_file, key=lambda f: sum(map(len, f[1].values())), default=("", {}))

    def within(self, contexts: list[str], budget: float) -> tuple[list[str], float]:
        """Those of them, from the first, that fit into so many seconds (at least one), as node ids, and their seconds."""
        chosen: list[str] = []
        spent = 0.0
        for context in contexts:
            if chosen and spent + self.seconds[context] > budget:
                continue
            spent += self.seconds[context]
            chosen.append(context)
        return chosen, spent


@cache
def _statements(path: str) -> tuple[range, ...]:
    """The lines of each statement of a file, of a compound one those before its body."""
    found = []
    for node in ast.walk(ast.parse(Path(path).read_text("utf-8"))):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            found.append(range(node.lineno, max(end, node.lineno) + 1))
    return tuple(sorted(found, key=len))


def _statement(path: str, line: int) -> range:
    """The lines of the innermost statement that a line belongs to."""
    return next((lines for lines in _statements(path) if line in lines), range(line, line + 1))
