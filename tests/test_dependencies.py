"""What constraints say was tried is what pyproject.toml allows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def bounds() -> dict[str, str]:
    """By dependency, of every extra but that of our own site, its lower bound."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = table["project"]
    lists = [
        project["dependencies"],
        *(rs for extra, rs in project["optional-dependencies"].items() if extra != "docs"),
        table["build-system"]["requires"],
    ]
    found: dict[str, str] = {}
    for requirement in (r for rs in lists for r in rs):
        match = re.match(r"([\w-]+)>=([\d.]+)", requirement)
        assert match, f"{requirement} has no lower bound"
        assert found.setdefault(match[1], match[2]) == match[2], f"{match[1]} has two bounds"
    return found


def tried(name: str) -> dict[str, str]:
    lines = (ROOT / "constraints" / name).read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def padded(version: str) -> tuple[int, ...]:
    return tuple(map(int, [*version.split("."), "0", "0"][:3]))


def test_the_oldest_are_the_bounds() -> None:
    assert {k: padded(v) for k, v in tried("oldest.txt").items()} == {
        k: padded(v) for k, v in bounds().items()
    }


@pytest.mark.parametrize("name", tried("newest.txt"))
def test_the_newest_are_allowed(name: str) -> None:
    assert padded(tried("newest.txt")[name]) >= padded(bounds()[name])
    assert tried("newest.txt").keys() == bounds().keys()
