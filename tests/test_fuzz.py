"""A short run of tests/fuzz: every reader, some hundreds of broken inputs, the same each time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("safetensors", reason="safetensors is missing: pip install 'symattn[models]'")

from symattn.errors import SymattnError
from tests.fuzz import harness
from tests.fuzz.harness import Fault, Target, run, tried
from tests.fuzz.targets import TARGETS

#: Inputs of a target that derives what it reads, as most do; others take a hundredth of the time.
FEW, MANY = 30, 300
QUICK = ("literals", "numbers", "addresses", "weights", "shards", "tokenizer")


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_is_a_fault(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is broken is refused in one line: no other exception, no long wait, no long message."""
    if name == "tokenizer":
        pytest.importorskip("tokenizers", reason="tokenizers is missing")
    monkeypatch.setattr(harness, "SECONDS", 20)  # endless is a fault; a busy machine is none
    report = run(TARGETS[name](), seed=1, inputs=MANY if name in QUICK else FEW)
    assert list(report.faults.values()) == []
    assert report.inputs >= FEW and len(report.outcomes) > 1


def _fault(reader: Callable[[str], str]) -> Fault:
    (fault,) = run(Target("case", reader, ("x",), ("x",)), inputs=1).faults.values()
    return fault


def test_the_harness_sees_what_it_looks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception, a deep recursion, a loop and memory that is held are each a fault."""
    monkeypatch.setattr(harness, "GROWTH", 100)

    def fails(text: str) -> str:
        raise KeyError(text)

    def nests(text: str) -> str:
        return nests(text)

    def loops(text: str) -> str:
        while True:
            pass

    def holds(text: str) -> str:
        return str(len(b"1" * 400_000_000))

    assert _fault(fails).kind == "KeyError"
    assert _fault(nests).kind == "RecursionError"
    monkeypatch.setattr(harness, "SECONDS", 0.5)
    assert _fault(loops).kind == "slow"
    monkeypatch.setattr(harness, "SECONDS", 60)  # pages take long to come on a busy machine
    assert _fault(holds).kind == "memory"


def test_a_long_message_is_a_fault() -> None:
    """What is refused is told in a few lines."""

    class Long(SymattnError):
        def __str__(self) -> str:
            return "wanted this, got " + "that " * 5000

    def long(text: str) -> str:
        raise Long

    _, fault, _ = tried(Target("case", long, ("x",), ("x",)), "x")
    assert fault is not None and fault.kind == "long message"
