"""A pytest plugin: coverage records which test, parameters and all, runs a line."""

from __future__ import annotations

from collections.abc import Iterator

import coverage
import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    running = coverage.Coverage.current()
    assert running is not None, "wanted `coverage run -m pytest -p tests.mutation.contexts`"
    running.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        running.switch_context("")
