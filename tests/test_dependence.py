"""What can reach an entry: the number system of sets, and what is proven of whole models by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import symattn as sa
from symattn import cli
from symattn.config import Config
from symattn.errors import MaskError
from symattn.functions import causal_mask, softmax
from symattn.graph import OPERATIONS
from symattn.numbers.dependence import ZERO, Dependence, members, sources
from symattn.properties.checks import result, symbols_by_row
from symattn.properties.core import Size
from symattn.properties.families import causality
from symattn.properties.model import reach, statements
from symattn.spec_reader import load_spec


def reached(function: Any, rows: int = 3, **more: Any) -> Any:
    """The sources of each entry of what a function of an array x gives."""
    d = sa.derive(function, x=np.ones((rows, 1), int), **more)
    found = d.run(Dependence(), {"x": lambda _: sources((rows, 1))})[d.graph.result]
    return [members(entry) for entry in np.ravel(found)]


def test_every_operation_is_there() -> None:
    assert all(callable(getattr(Dependence, op)) for op in OPERATIONS)


def test_sources() -> None:
    assert sources((2, 2)).tolist() == [[1, 1], [2, 2]]
    assert members(0b101) == [0, 2]
    assert members(ZERO) == members(0) == []


def test_a_causal_average_takes_nothing_from_later_rows() -> None:
    def causal(x: Any) -> Any:
        A = softmax(x @ x.T + causal_mask(len(x), len(x)))
        return A @ x

    def free(x: Any) -> Any:
        return softmax(x @ x.T) @ x

    assert reached(causal) == [[0], [0, 1], [0, 1, 2]]
    assert reached(free) == [[0, 1, 2]] * 3


def test_operations() -> None:
    def each(x: Any) -> Any:
        return np.stack([np.exp(x[0]) * x[1], x[1] - x[2], np.maximum(x[0], 1), -(x[2] ** 2)])

    def sums(x: Any) -> Any:
        return np.concatenate([np.sum(x, axis=0), np.max(x[:2], axis=0), np.sqrt(x[0]) / x[2]])

    assert reached(each) == [[0, 1], [1, 2], [0], [2]]
    assert reached(sums) == [[0, 1, 2], [0, 1], [0, 2]]


def test_a_masked_weight_alone_is_an_exact_zero() -> None:
    """0·x goes; e^0 and 1/0's operands do not."""

    def product(x: Any) -> Any:
        A = softmax(causal_mask(2, 2))
        return np.stack([A[0, 1] * x[0], np.exp(A[0, 1] * x[0]), A[1, 0] * x[0], x[1] + A[0, 1]])

    assert reached(product) == [[], [], [0], [1]]


def test_a_row_masked_everywhere_is_refused() -> None:
    def hidden(x: Any) -> Any:
        return softmax(x.T + np.full((1, 3), -np.inf))

    with pytest.raises(MaskError, match="row 0"):
        reached(hidden)


@pytest.mark.parametrize("norm", ["none", "pre", "post"])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_no_symbol_occurs_that_cannot_reach(norm: str, mask: str) -> None:
    """The two ways to look agree: what occurs in the normal form is in the set."""
    size = Size(3, 2, 1)
    for N in (1, 2) if norm == "none" else (1,):
        d = causality.stack(size, Config(norm=norm, mask=mask), N=N)
        rows = reach(d, d["E"])
        occurring = symbols_by_row(result(d))
        for i, names in enumerate(occurring):
            of_tokens = {int(name[2]) for name in names if name.startswith("E[")}
            assert of_tokens == set(rows[i])


@pytest.mark.parametrize(("N", "w"), [(1, 2), (2, 2), (3, 2), (2, 3)])
def test_windows_reach_as_far_as_they_say(N: int, w: int) -> None:
    config = Config(norm="pre", mask="causal", window=w)
    one = np.ones((6, 2), int)
    weights = {name: np.ones((N, 1, 2, 2), int) for name in ("W_Q", "W_K", "W_V")}
    weights |= {name: np.ones((N, 2, 2), int) for name in ("W_O", "W_1", "W_2")}
    from symattn.layers import encoder

    d = sa.derive(encoder, E=one, config=config, **weights)
    far = N * (w - 1)
    assert reach(d, d["E"]) == [list(range(max(0, i - far), i + 1)) for i in range(6)]


@pytest.mark.parametrize("name", ["gpt2", "llama", "gemma2", "vaswani2017"])
def test_causal_presets_are_proven_whole(name: str) -> None:
    (found,) = load_spec(name).statements(["model"])
    assert (found.name, found.verdict) == ("model.causality", "proven")
    assert found.sizes.endswith("tokens, any weights")


def test_an_encoder_sees_what_comes_later() -> None:
    (found,) = load_spec("bert").statements(["model"])
    assert (found.name, found.verdict) == ("model.sees_later_tokens", "proven")
    assert found.witness.startswith("P[0,0] is 0.20")
    d = load_spec("bert").derive()
    d = d.with_(W_vocab=sa.symbols_like("w", d["W_vocab"]))
    assert [s.verdict for s in statements(d)] == ["undecided"]


def test_where_rows_are_no_tokens_nothing_is_said(tmp_path: Path) -> None:
    assert load_spec("article").statements(["model"]) == ()
    assert load_spec("article").statements(["own"]) == ()
    done = CliRunner().invoke(cli.main, ["prove", "--only", "model"])
    assert done.output.startswith("no statements")
    assert done.exit_code == 0
