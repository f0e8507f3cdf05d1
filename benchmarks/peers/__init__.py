"""The other ways to do the same work, each as a careful but ordinary user writes it."""

from __future__ import annotations

from importlib.util import find_spec


def installed(module: str) -> bool:
    """Whether an optional peer can be measured here."""
    return find_spec(module) is not None
