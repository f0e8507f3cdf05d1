"""Functions that return several arrays: their steps, addresses and names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import symattn as sa
from symattn.errors import SymattnError, TraceError
from symattn.functions import softmax
from symattn.trace import trace


class Moments(NamedTuple):
    mean: Any
    variance: Any


def two_results(x):
    y = x * 2
    return y, x @ y


def a_list(x):
    return [x + 1, x - 1]


def a_dict(x):
    return {"up": x + 1, "down": x - 1}


def named_tuple(x):
    return Moments(x.mean(), variance=x.var())


def passed_on(x):
    halved = x / 2
    return moments_of(halved, x)


def moments_of(x, y):
    return Moments(x + 1, y + 2)


def through_softmax(x):
    return softmax(x), x


def unpacked(x):
    up, down = a_list(x)
    (first, second), third = np.split(x, 2), x * 3
    head, *_, last = x
    m = named_tuple(x)
    y = up * down + m.mean
    return y, first + second, third, head, last


@pytest.mark.parametrize(
    ("function", "addresses"),
    [
        (two_results, ["x", "y", "return.1"]),
        (a_list, ["x", "return.0", "return.1"]),
        (a_dict, ["x", "return.up", "return.down"]),
        (named_tuple, ["x", "return.mean", "return.variance"]),
        (
            passed_on,
            ["x", "halved", "moments_of[0].return.mean", "moments_of[0].return.variance"],
        ),
        (through_softmax, ["x", "return.0.exp", "return.0.sum", "return.0"]),
    ],
)
def test_each_part_of_what_is_returned_is_a_step(
    function: Callable[..., Any], addresses: list[str]
) -> None:
    d = sa.derive(function, x=[1, 2, 4])
    assert [s.address for s in d.steps] == addresses
    plain = function(np.array([1.0, 2, 4]))
    parts = plain.values() if isinstance(plain, dict) else plain
    for node, part in zip(d.graph.results, parts, strict=True):
        np.testing.assert_allclose(d.floats()[node], part, rtol=1e-15)
    assert d.verify().agrees
    with pytest.raises(SymattnError, match="returns 2 arrays, and no single one"):
        _ = d.graph.result


def test_parts_have_formulas_symbols_and_entries() -> None:
    d = sa.derive(two_results, x=[1, 2, 4])
    part = d["return.1"]
    assert part.short == "return.1"
    assert part.formula == r"\mathrm{two\_results}_{1} = x y"
    assert str(part[()]) == "return.1 = 42 ≈ 42.000000"
    named = sa.derive(named_tuple, x=[1, 2, 4])
    assert named["return.variance"].formula == (
        r"\mathrm{named\_tuple}_{\mathrm{variance}} = \mathrm{var}\left(x\right)"
    )
    listed = sa.derive(a_list, x=[1, 2, 4])
    assert str(listed["return.0[2]"]) == "return.0[2] = 5 ≈ 5.000000"
    inside = sa.derive(through_softmax, x=[0, 0])["return.0.sum"]
    assert inside.name == "return.0.sum"


def test_what_a_call_returned_is_unpacked_under_the_callers_names() -> None:
    d = sa.derive(unpacked, x=[1, 2, 4, 8])
    names = [s.address for s in d.steps]
    assert {"up", "down", "first", "second", "third", "head", "last", "y"} <= set(names)
    assert d["up"].formula == r"\mathrm{up} = \mathrm{a\_list}\left(x\right)[0]"
    assert d["second"].formula == r"\mathrm{second} = \mathrm{split}\left(x, 2\right)[1]"
    assert d["last"].formula == r"\mathrm{last} = x[-1]"
    assert d["y"].formula == r"y = \mathrm{up} \odot \mathrm{down} + {m}_{\mathrm{mean}}"
    assert d["named_tuple[0].return.mean"].texts("text").tolist() == "15/4"
    assert len(d.graph.results) == 5


def nothing_returned(x):
    y = x * 2  # noqa: F841


def a_size_returned(x):
    return x * 2, len(x)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (nothing_returned, "wanted an array returned, or a tuple, .* got NoneType"),
        (a_size_returned, r"wanted an array returned.* got int at return\.1"),
    ],
)
def test_other_returns_are_refused(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(TraceError, match=message):
        trace(function, {"x": (2,)})
