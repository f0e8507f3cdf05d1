"""The shape of the house: imports point one way; test_forbidden.py has what nobody does."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "symattn"
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p.name not in ("__init__.py", "__main__.py"))


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
ROOMS = ARCHITECTURE.partition("## The rooms")[2].partition("## ")[0]
INSIDE = ARCHITECTURE.partition("## Inside functions")[2].partition("## ")[0]


#: Modules that say what they offer.
OFFERING = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if "\n__all__ = " in path.read_text("utf-8")
)


def rows() -> list[list[str]]:
    """The modules of each row of the rooms in docs/architecture.md, from the top."""
    found: list[list[str]] = []
    for row in re.findall(r"^\| (`.*?) \|", ROOMS, re.MULTILINE):
        named: list[str] = []
        for name in re.findall(r"`([\w/]+)(?:\.py|/)?`", row.replace(".py", "")):
            module = name.rstrip("/").replace("/", ".")
            paths = sorted((PACKAGE / name).glob("*.py")) if (PACKAGE / name).is_dir() else []
            named += [module, *(f"{module}.{path.stem}" for path in paths)]
        found.append(named)
    return found


def ranks() -> dict[str, int]:
    """Each module's row; of one that has a row of its own beside its room's, that one."""
    found: dict[str, int] = {}
    for rank, named in enumerate(rows()):
        first = named[0]
        for module in named:
            if module.startswith(f"{first}.") and "." in module:
                found.setdefault(module, rank)
            else:
                found[module] = rank
    return found


def name_of(path: Path) -> str:
    """A module's name below the package: ``claims.judge``."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def targets(node: ast.AST) -> set[str]:
    """The package's modules that an import statement names."""
    if not (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("symattn")):
        return set()
    base = (node.module or "").removeprefix("symattn").removeprefix(".")
    found = set()
    for alias in node.names:
        inner = f"{base}.{alias.name}".removeprefix(".")
        is_module = (PACKAGE / (inner.replace(".", "/") + ".py")).exists()
        found.add(inner if is_module else base)
    return found - {""}  # the package itself


def imported(path: Path) -> set[str]:
    """The package's modules that a module imports when it is loaded."""
    return set().union(*map(targets, ast.parse(path.read_text("utf-8")).body))


def imported_inside(path: Path) -> set[str]:
    """Those that it imports inside functions, when they are called."""
    tree = ast.parse(path.read_text("utf-8"))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    return set().union(*(targets(node) for f in functions for node in ast.walk(f)))


def test_every_module_has_a_room() -> None:
    missing = {name_of(path) for path in MODULES} - set(ranks())
    assert not missing, f"docs/architecture.md does not name {', '.join(sorted(missing))}"


def upward(arrows: Callable[[Path], set[str]]) -> list[str]:
    """The arrows that point at what stands below in docs/architecture.md, or at itself."""
    order = ranks()
    return [
        f"{name_of(path)} --> {other}"
        for path in MODULES
        for other in sorted(arrows(path))
        if order[other] > order[name_of(path)] or other == name_of(path)
    ]


def test_imports_point_one_way() -> None:
    wrong = upward(imported)
    assert not wrong, "against docs/architecture.md:\n  " + "\n  ".join(wrong)


def exceptions() -> list[tuple[set[str], set[str]]]:
    """Who may import whom inside functions, as docs/architecture.md says."""
    return [
        tuple(
            {n.rstrip("/").replace("/", ".") for n in re.findall(r"`([\w/]+)`", c)} for c in cells
        )
        for cells in re.findall(r"^\| (`.*?) \| (`.*?) \|", INSIDE, re.MULTILINE)
    ]


def test_imports_inside_functions_are_those_that_are_said() -> None:
    def fits(module: str, names: set[str]) -> bool:
        return bool({module, module.rpartition(".")[0]} & names)

    found, rules = upward(imported_inside), exceptions()
    assert len(rules) > 4
    used = {arrow: [] for arrow in found}
    for arrow in found:
        left, right = arrow.split(" --> ")
        used[arrow] = [i for i, (a, b) in enumerate(rules) if fits(left, a) and fits(right, b)]
    unsaid = [arrow for arrow in found if not used[arrow]]
    assert not unsaid, "docs/architecture.md does not say:\n  " + "\n  ".join(unsaid)
    idle = set(range(len(rules))) - {i for hits in used.values() for i in hits}
    assert not idle, f"said, but not so: {[rules[i] for i in sorted(idle)]}"


def drawn() -> str:
    """The import graph as mermaid: a box a row, and no arrow that two others make."""
    order, names = ranks(), [named[0] for named in rows()]
    direct: dict[int, set[int]] = {rank: set() for rank in range(len(names))}
    for path in MODULES:
        direct[order[name_of(path)]] |= {order[other] for other in imported(path)}
    reach: dict[int, set[int]] = {}
    lines = ["flowchart BT"]
    for rank, below in direct.items():  # all of which stand above it, so they are known
        below -= {rank}
        reach[rank] = below.union(*(reach[other] for other in below))
        kept = [a for a in sorted(below) if not any(a in reach[b] for b in below)]
        lines.append(f'  r{rank}["{names[rank]}"]')
        lines += [f"  r{rank} --> r{other}" for other in kept]
    return "\n".join(lines) + "\n"


def test_the_graph_is_drawn() -> None:
    boxes = dict(re.findall(r'  (r\d+)\["(.*)"\]', drawn()))
    arrows = {(boxes[a], boxes[b]) for a, b in re.findall(r"  (r\d+) --> (r\d+)", drawn())}
    assert [*boxes.values()] == [named[0] for named in rows()]
    assert ("trace", "rewrite") in arrows
    assert ("trace", "errors") not in arrows  # by way of others
    assert not any((b, a) in arrows for a, b in arrows)


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


@pytest.mark.parametrize("name", OFFERING)
def test_what_a_module_offers_is_there_once(name: str) -> None:
    module = import_module(name)
    assert all(hasattr(module, offered) for offered in module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)


if __name__ == "__main__":
    print(drawn(), end="")
