"""The built-in specs and their texts."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def builtin_folder() -> Path:
    """Where the built-in examples and their texts are."""
    return Path(str(resources.files("symattn") / "examples"))


def builtin_names() -> list[str]:
    """The names of the built-in specs."""
    return sorted(p.stem for p in builtin_folder().glob("*.toml") if not p.stem.endswith(".en"))


def builtin_text(name: str) -> str:
    """The text of a file among the examples."""
    return (builtin_folder() / name).read_text("utf-8")
