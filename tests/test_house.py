"""The shape of the house: imports point one way; test_forbidden.py has what nobody does."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "symattn"
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p.name not in ("__init__.py", "__main__.py"))


def ranks() -> dict[str, int]:
    """Each module's row in the table of docs/architecture.md, from the top."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    found: dict[str, int] = {}
    for rank, row in enumerate(re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)):
        for name in re.findall(r"`([\w/]+)(?:\.py|/)?`", row.replace(".py", "")):
            module = name.rstrip("/").replace("/", ".")
            paths = sorted((PACKAGE / name).glob("*.py")) if (PACKAGE / name).is_dir() else []
            for path in paths:
                found.setdefault(f"{module}.{path.stem}", rank)
            found[module] = rank
    return found


def imported(path: Path) -> set[str]:
    """The package's modules that a module imports when it is loaded."""
    found: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("symattn"):
            base = (node.module or "").removeprefix("symattn").removeprefix(".")
            for alias in node.names:
                inner = f"{base}.{alias.name}".removeprefix(".")
                is_module = (PACKAGE / (inner.replace(".", "/") + ".py")).exists()
                found.add(inner if is_module else base)
    return found


def test_imports_point_one_way() -> None:
    order = ranks()
    for path in MODULES:
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        assert module in order, f"docs/architecture.md does not name {module}"
        for other in imported(path):
            if not other:
                continue  # the package itself
            assert order[other] <= order[module], f"{module} imports {other}, which stands below it"
            assert other != module


def test_the_engine_never_imports_a_model() -> None:
    models = {
        "functions", "attention", "transformer", "config", "sublayers", "layers", "language",
        "models", "pretrained", "properties", "spec", "spec_table", "spec_matrices", "spec_masks", "spec_reader",
        "examples", "worksheets",
    }  # fmt: skip
    allowed = {*models, "cli", "repl"}
    for path in MODULES:
        module = path.relative_to(PACKAGE).with_suffix("").parts[0]
        if module not in allowed:
            assert not {m.partition(".")[0] for m in imported(path)} & models, path.name
