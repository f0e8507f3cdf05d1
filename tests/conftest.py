"""What tests share: the built-in derivations, made once."""

from __future__ import annotations

import pytest
from hypothesis import settings

import symattn as sa

settings.register_profile("default", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("default")


@pytest.fixture(scope="session")
def article() -> sa.Derivation:
    return sa.article()


@pytest.fixture(scope="session")
def encoder() -> sa.Derivation:
    return sa.load("article-encoder")


@pytest.fixture(autouse=True)
def no_forced_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """CI likes to set it, and commands in tests print into pipes."""
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
