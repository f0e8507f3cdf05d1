"""Arrays held in matrix shape say what the same operations on single entries say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symattn as sa
from symattn import decide
from symattn.functions import causal_mask, softmax
from symattn.numbers import compact
from symattn.numbers.held import Held
from symattn.numbers.mixture import Exponentials, Mixture
from symattn.numbers.scaled import Scaled
from symattn.transformer import attention_head

pytestmark = pytest.mark.once


class ByEntry(compact.Compact):
    """The compact system as if nothing had a matrix shape."""

    def array(self, exact: Any) -> Any:
        return np.array(super().array(exact), dtype=object)


def by_entry(monkeypatch: pytest.MonkeyPatch, d: sa.Derivation) -> list[Any]:
    with monkeypatch.context() as patch:
        patch.setattr(compact, "_rational", lambda x: None)
        return d.run(ByEntry())


# Models that leave the matrix shape at different places, or not at all.


def head(E: Any, W: Any, c: Any) -> Any:
    Z = E @ W @ E.T / c
    A = softmax(Z)
    O = A @ E
    return O[-1] @ W


def residual(E: Any, W: Any, c: Any) -> Any:
    A = softmax(E @ E.T + causal_mask(3, 3))
    B = softmax(np.where(np.tri(3, dtype=bool), E @ W @ E.T * c, -np.inf))
    H = np.concatenate([A @ E, B @ E], axis=-1)
    x = E + H @ np.concatenate([W, W]) - A @ W[0]
    return x - E


def inside(E: Any, W: Any, c: Any) -> Any:
    Z = c * (E @ W)
    e = np.exp(Z)
    total = e.sum(axis=-1, keepdims=True)
    A = e / total
    x = np.maximum(A @ W, 1 - A)
    y = x.sum(axis=0) * c
    return -y


def columns(E: Any, W: Any, c: Any) -> Any:
    A = softmax(E.T, axis=0)
    O = A.T @ W
    first, rest = O[:, :1], O[:, 1:]
    return first + rest / c


def mixed(E: Any, W: Any, c: Any) -> Any:
    A, B = softmax(E @ E.T), softmax(E @ W + causal_mask(3, 3))
    x, y = A @ E, B @ W
    sums = (x - y) * c + (E - x) + (y + W[0]) - (W - y) / c
    beside = np.concatenate([x + E, y - W, A @ W, x + y], axis=-1)
    rows = beside[np.array([0, 2, 2])]
    projected = rows @ np.concatenate([W, W, E, E])
    several = softmax(np.array([E, W]) @ E.T) @ W
    return projected + sums - rows[:, :3] + (-x) @ W + (x @ W) @ E + several[0] - several[1]


numbers = st.sampled_from(["0", "1", "-1", "0.5", "1/3", "-0.25", "2", "7/10"])


@given(
    st.sampled_from([head, residual, inside, columns, mixed]),
    st.lists(numbers, min_size=9, max_size=9),
    st.lists(numbers, min_size=9, max_size=9),
    st.sampled_from(["sqrt(2)", "2", "sqrt(3)/3", "1/7"]),
)
def test_held_and_single_entries_agree(
    function: Callable[..., Any], e: list[str], w: list[str], c: str
) -> None:
    d = sa.derive(function, E=[e[:3], e[3:6], e[6:]], W=[w[:3], w[3:6], w[6:]], c=c)
    with pytest.MonkeyPatch.context() as patch:
        expected = by_entry(patch, d)
    for node, (held, single) in enumerate(zip(d.forms, expected, strict=True)):
        assert held.shape == single.shape
        for index in np.ndindex(held.shape):
            at_once, alone = held[index], single[index]
            where = f"{d.graph.nodes[node].op} {index}"
            if hasattr(alone, "terms"):
                assert decide.is_zero(at_once - alone).verdict == "zero", where
            else:
                assert at_once == alone, where


def test_one_entry_is_the_same_as_among_all() -> None:
    d = sa.derive(attention_head, E=[["1", "0"], ["0.2", "1"]], W_Q=I2, W_K=I2, W_V=I2)
    again = d.with_()
    for ours, theirs in zip(d.forms, again.forms, strict=True):
        every = np.array(theirs)  # makes all of them
        for index in np.ndindex(ours.shape):
            assert ours[index] == every[index]
        assert ours[tuple(-1 for _ in ours.shape)] == every[tuple(-1 for _ in ours.shape)]


I2 = [[1, 0], [0, 1]]


@given(
    st.lists(numbers, min_size=9, max_size=9),
    st.sampled_from(["sqrt(2)", "2", "sqrt(3)/3"]),
    st.booleans(),
    st.sampled_from(["latex", "text"]),
)
def test_texts_of_all_are_those_of_each(e: list[str], c: str, mask: bool, style: Any) -> None:
    """Row sums are called by the name of their own row, whatever way they are written."""
    M = [[0, "-oo", "-oo"], [0, 0, "-oo"], [0, 0, 0]] if mask else None
    E = [e[:3], e[3:6], e[6:]]
    d = sa.derive(attention_head, E=E, W_Q=I3, W_K=I3, W_V=I3, M=M, scale=c)
    for step in d.steps:
        together = step.texts(style)
        for index in np.ndindex(step.shape):
            assert together[index] == step.text_at(index, style), (step.short, index)


I3 = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_the_article_never_leaves_the_matrix_shape(article: sa.Derivation) -> None:
    """Up to its last softmax; else long sentences would be slow without anybody noticing."""
    kinds = {s.name: type(s.forms) for s in article.steps}
    assert {kinds[name] for name in ("E", "Q", "K", "V", "S", "Z", "Z_masked")} == {Scaled}
    assert {kinds["A"], kinds["A.exp"]} == {Exponentials}
    assert {kinds[name] for name in ("O", "x_last", "F", "logits")} == {Mixture}


def test_a_long_sentence_makes_no_entry_that_nobody_asks_for() -> None:
    n, d_model = 96, 32
    rows = [[f"{(7 * i + 3 * j) % 19 - 9}/10" for j in range(d_model)] for i in range(n)]
    square = [[f"{(5 * i + j) % 13 - 6}/10" for j in range(d_model)] for i in range(d_model)]
    d = sa.derive(attention_head, E=rows, W_Q=square, W_K=square, W_V=square)
    held = [s.forms for s in d.steps]
    assert all(isinstance(form, Held) for form in held)
    entry = d["O"][5, 7]
    assert len(entry.form.terms) <= n
    assert len(entry.decimal(30)) > 30
    assert not any(form._entries is not None for form in held)
