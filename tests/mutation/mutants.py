"""Faults to plant: mutmut's operators over the modules whose answers are believed."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import create_mutations

#: The rooms that find answers or judge them.
ROOMS = ("literals.py", "numbers", "graph.py", "trace.py", "derivation.py", "verify.py", "claims")


@dataclass(frozen=True)
class Mutant:
    """One change of one place: the file's new text, and what changed."""

    path: str  # below the root
    line: int
    last_line: int
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before}  ->  {self.after}"


def files(root: Path) -> list[Path]:
    found: list[Path] = []
    for room in ROOMS:
        place = root / "symattn" / room
        found.extend(sorted(place.rglob("*.py")) if place.is_dir() else [place])
    return [path for path in found if path.name != "__init__.py" or path.stat().st_size > 200]


def _shown(module: cst.Module, node: cst.CSTNode) -> str:
    return " ".join(module.code_for_node(node).split())[:200]


def _is_type(node: cst.CSTNode) -> bool:
    """Whether a statement names a type, which mypy alone reads: ``Kind = Literal["a", "b"]``."""
    if not isinstance(node, cst.Assign) or not isinstance(node.targets[0].target, cst.Name):
        return False
    is_named = re.fullmatch(r"_?[A-Z][a-z]\w*", node.targets[0].target.value)
    return bool(is_named) and isinstance(node.value, cst.Subscript | cst.BinaryOperation | cst.Name)


class Source:
    """A file, and the changes of it that mutmut's operators make."""

    def __init__(self, root: Path, path: Path):
        self.path = path
        self.name = str(path.relative_to(root))
        self.code = path.read_text("utf-8")
        self.module, found, _, _ = create_mutations(str(path), self.code)
        self.mutations = [m for m in found if not _is_type(m.original_node)]
        self._positions = MetadataWrapper(self.module, unsafe_skip_copy=True).resolve(
            PositionProvider
        )

    def mutant(self, number: int) -> Mutant | None:
        """One of them; None where it says the same or is no Python."""
        mutation = self.mutations[number]
        where = self._positions.get(mutation.original_node)
        changed = self.module.deep_replace(mutation.original_node, mutation.mutated_node)  # type: ignore[arg-type]
        if where is None or not isinstance(changed, cst.Module) or changed.code == self.code:
            return None
        try:
            compile(changed.code, self.name, "exec", dont_inherit=True)
        except SyntaxError:
            return None
        before, after = (
            _shown(self.module, mutation.original_node),
            _shown(self.module, mutation.mutated_node),
        )
        return Mutant(self.name, where.start.line, where.end.line, before, after, changed.code)


def sample(root: Path, size: int | None, seed: int) -> tuple[list[Mutant], int]:
    """A random sample (all of them without a size), and how many there are to sample from."""
    sources = [Source(root, path) for path in files(root)]
    numbered = [(source, number) for source in sources for number in range(len(source.mutations))]
    total = len(numbered)
    if size is not None and size < total:
        numbered = random.Random(seed).sample(numbered, size)
    return [found for source, number in numbered if (found := source.mutant(number))], total
