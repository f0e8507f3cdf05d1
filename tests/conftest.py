"""What tests share: the built-in derivations, made once."""

from __future__ import annotations

import socket
from typing import Any, NoReturn

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


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reaches beyond this machine; a kernel of Jupyter's may be asked on it."""
    real = {name: getattr(socket.socket, name) for name in ("connect", "connect_ex")}

    def guarded(name: str) -> Any:
        def call(self: socket.socket, address: Any) -> Any:
            if self.family != socket.AF_UNIX and not is_local(address):
                refused(address)
            return real[name](self, address)

        return call

    def refused(host: Any, *_: Any, **__: Any) -> NoReturn:
        raise AssertionError(f"a test wanted the network: {host}")

    def is_local(address: Any) -> bool:
        return str(address[0]) in ("127.0.0.1", "::1", "localhost")

    for name in real:
        monkeypatch.setattr(socket.socket, name, guarded(name))
    lookup = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo",
        lambda host, *rest, **more: lookup(host, *rest, **more) if is_local((host,)) else refused(host),
    )  # fmt: skip
