"""Tracing: names, scopes, exact literals, and what is refused, by line."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import symattn as sa
from symattn.errors import ExactnessError, ShapeError, SymattnError, TraceError
from symattn.functions import softmax
from symattn.trace import trace

SCALE = 0.5


def exact_result(function: Callable[..., Any], **inputs: Any) -> sympy.Matrix:
    derivation = sa.derive(function, **inputs)
    return sympy.Matrix(derivation.values[derivation.graph.result].reshape(1, -1))


def steps(function: Callable[..., Any], **shapes: tuple[int, ...]) -> list[str]:
    return [s.address for s in trace(function, shapes).steps]


def assignments(x, y):
    a, b = x + y, x - y
    c = d = a * b
    e: Any = c + 1
    e += d
    x = e @ y.T
    return x + 1


def test_every_assignment_names_a_step_and_a_rebound_name_gets_a_mark() -> None:
    found = steps(assignments, x=(2, 2), y=(2, 2))
    assert found == ["x", "y", "a", "b", "c", "d", "e", "e~1", "x~1", "return"]


def test_a_rebound_name_has_a_prime_on_the_page() -> None:
    d = sa.derive(assignments, x=[[1, 2], [3, 4]], y=[[1, 0], [0, 1]])
    assert d["x~1"].symbol == "x'"
    assert d["return"].formula == r"\mathrm{assignments} = x' + 1"


def helper(z):
    w = z * 2
    return w


@sa.model(name="block")
def calls(x):
    first = helper(x)
    second = helper(first)
    return second


@sa.model(name="outer")
def nested(x):
    y = calls(x)
    return softmax(y)


def test_calls_open_scopes_counted_from_zero() -> None:
    found = steps(nested, x=(2,))
    assert found[:5] == [
        "x",
        "block[0].helper[0].w",
        "block[0].first",
        "block[0].helper[1].w",
        "block[0].second",
    ]
    assert found[-3:] == ["return.exp", "return.sum", "return"]


def test_short_addresses_are_ambiguous_only_between_different_values() -> None:
    graph = trace(nested, {"x": (2,)})
    with pytest.raises(SymattnError, match=r"'w' fits 2 steps"):
        graph.find("w")
    assert graph.find("y").node == graph.find("block[0].second").node


def literals(x, eps=1e-5, *, delta=0.1):
    d = x.shape[-1]
    half = x * 0.5
    third = x * (1 / 3)
    root = x * np.sqrt(2)
    rate = x / 10000 ** (2 * 1 / d)
    tiny = x + eps + delta
    inverse = x * 2**-1
    return half + third + root + rate + tiny + inverse


def test_numbers_in_a_function_are_exact() -> None:
    d = sa.derive(literals, x=[1, 0, 0, 0])
    first = {s.address: s.value[0] for s in d.steps}
    assert first["half"] == sympy.Rational(1, 2)
    assert first["third"] == sympy.Rational(1, 3)
    assert first["root"] == sympy.sqrt(2)
    assert first["rate"] == sympy.Rational(1, 100)
    assert first["tiny"] == 1 + sympy.Rational(1, 100000) + sympy.Rational(1, 10)
    assert first["inverse"] == sympy.Rational(1, 2)


def test_numbers_in_a_function_keep_pythons_meaning_in_floats() -> None:
    d = sa.derive(literals, x=[1, 2, 3, 4])
    plain = literals(np.array([1.0, 2, 3, 4]))
    assert (d.floats()[d.graph.result] == plain).all()


def arrays(x):
    n = len(x)
    mask = np.triu(np.full((n, n), -np.inf), 1)
    also = np.where(np.arange(n)[:, None] >= np.arange(n), 0, -np.inf)
    third = np.where(np.tril(np.ones((n, n))) == 0, -np.inf, x @ x.T)
    shifted = np.eye(n) @ x + np.zeros((n, 1))
    return softmax(shifted @ x.T + mask + also) + softmax(third)


def test_numpy_constructors_make_exact_constants() -> None:
    made = exact_result(arrays, x=[[1], [2]])
    assert made[0] == 2
    assert made[1] == 0
    assert sympy.simplify(made[2] - 2 / (1 + sympy.exp(2))) == 0


def protocols(x):
    a = np.exp(x) + np.maximum(0, x) + np.tanh(x) + np.sin(x) + np.cos(x)
    b = np.concatenate([x, x[::-1]]) * np.stack([x, x]).reshape(-1)
    c = np.sum(x) + np.max(x) + x.mean() + sum(list(x))
    return a + b[: len(x)] + c + np.log(np.exp(x)) - np.negative(x) ** 2


def test_numpy_functions_are_recorded() -> None:
    x = [1, 2, 4]
    d = sa.derive(protocols, x=x)
    np.testing.assert_allclose(
        d.floats()[d.graph.result], protocols(np.array(x, float)), rtol=1e-15
    )
    exact = [float(v) for v in d.values[d.graph.result]]
    np.testing.assert_allclose(exact, protocols(np.array(x, float)), rtol=1e-14)


def on_shapes(x):
    if x.shape[0] > 1 and len(x) / 2 < 3:
        return x[: int(x.shape[0] / 2)] * 2
    return x


def test_branching_on_a_shape_is_fine() -> None:
    assert list(exact_result(on_shapes, x=[1, 2, 3, 4])) == [2, 4]


def closure_factory() -> Callable[..., Any]:
    factor = 3

    def scaled(x):
        inner = [row * factor for row in x]
        return np.stack(inner)

    return scaled


def test_closures_and_comprehensions_keep_their_names() -> None:
    assert list(exact_result(closure_factory(), x=[1, 2])) == [3, 6]


def inner_function(x):
    def double(y):
        z = y * 2
        return z

    return double(x)


def test_functions_defined_inside_are_traced_in_their_scope() -> None:
    assert steps(inner_function, x=(2,)) == ["x", "double[0].z"]


def item_assignment(x):
    y = x * 2
    y[0] = 1
    return y


def item_increment(x):
    y = x * 2
    y[0] += 1
    return y


def branch_on_value(x):
    if x[0] > 0:
        return x
    return -x


def truth_of_value(x):
    return x if x.sum() else -x


def global_float(x):
    return x * SCALE


def uses_math(x):
    return x * math.sqrt(2)


def float_call(x):
    return x * float("0.2")


def unknown_numpy(x):
    return np.fft.fft(x)


def unknown_method(x):
    return x.argsort()


def value_condition(x):
    return np.where(np.maximum(0, x), x, 0)


def value_index(x):
    return x[x]


def wrong_shapes(x):
    y = np.ones((3, 4))
    return x @ y


def bad_index(x):
    return x[5]


def floor_division(x):
    return x // 2


def endless(x):
    return endless(x)


def no_array(x):
    return "x"


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (item_assignment, TraceError, "item assignment .* np.where"),
        (item_increment, TraceError, "item assignment .* np.where"),
        (branch_on_value, TraceError, "branching on a value"),
        (truth_of_value, TraceError, "branching on a value"),
        (global_float, ExactnessError, "the Python float 0.5"),
        (uses_math, ExactnessError, "math.sqrt returns a float; np.sqrt stays exact"),
        (float_call, ExactnessError, "the Python float 0.2"),
        (unknown_numpy, TraceError, "np.fft.fft is not among"),
        (unknown_method, TraceError, "no .argsort"),
        (value_condition, TraceError, "np.where on a condition that depends on values"),
        (value_index, TraceError, "an index that depends on a value"),
        (wrong_shapes, ShapeError, r"@ wants shapes that fit, got x of shape \(2,\)"),
        (bad_index, ShapeError, "out of bounds"),
        (floor_division, TraceError, "; // is not understood"),
        (endless, TraceError, "calls itself more than 64 deep"),
    ],
)
def test_what_cannot_be_traced_is_refused_by_line(
    function: Callable[..., Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message) as caught:
        trace(function, {"x": (2,)})
    first = function.__code__.co_firstlineno
    file, line = str(caught.value).split(": ")[0].rsplit(":", 1)
    assert file == __file__
    assert first < int(line) <= first + 3


def test_other_refusals() -> None:
    with pytest.raises(TraceError, match="a lambda cannot be traced"):
        trace(lambda x: x, {"x": (2,)})
    with pytest.raises(
        TraceError, match="wanted an array returned, or a tuple, list or dict of arrays; got str"
    ):
        trace(no_array, {"x": (2,)})
    with pytest.raises(TraceError, match="wanted x, got x, y"):
        trace(helper_of_one, {"x": (2,), "y": (2,)})


def helper_of_one(x):
    return x


def test_missing_source_is_refused() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return x * 2", names)
    with pytest.raises(TraceError, match="the source of f cannot be read"):
        trace(names["f"], {"x": (2,)})


def test_edited_source_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def f(x):\n    return x * 2\n")
    names: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    assert trace(names["f"], {"x": (2,)}).steps
    file.write_text("def f(x):\n    return x * 3\n")
    with pytest.raises(TraceError, match="changed after it was loaded"):
        trace(names["f"], {"x": (2,)})


def test_derive_knows_the_inputs_by_name() -> None:
    with pytest.raises(ShapeError, match=r"helper_of_one has no input 'z'; its inputs are x"):
        sa.derive(helper_of_one, z=[1])
    with pytest.raises(ExactnessError, match=r"x\[1\]: the float 0.1"):
        sa.derive(helper_of_one, x=[1, 0.1])
    assert sa.derive(helper_of_one, x=[0.1], exact="decimal")["x"].exact[0] == sympy.Rational(1, 10)


def own_softmax(S):
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    A = e / e.sum(axis=-1, keepdims=True)
    return A


def test_a_hand_written_softmax_equals_ours() -> None:
    S = [["1/3", 2], [0, "sqrt(2)"]]
    d = sa.derive(softmax, x=S)
    ours = d.values[d.graph.result]
    theirs = sa.derive(own_softmax, S=S)["A"].value
    for a, b in zip(ours.flat, theirs.flat, strict=True):
        assert sympy.simplify(a - b) == 0


def defaults(x, half=-0.5, third=1 / 3, table=None):
    table = np.array([[0.5, 1], [2, 3]])
    return x * half + third + x @ table


def test_float_defaults_and_tables_are_exact() -> None:
    made = exact_result(defaults, x=[2, 4])
    assert list(made) == [sympy.Rational(25, 3), sympy.Rational(37, 3)]


def projected(x):
    return x * 2


def callers_names(x):
    y = projected(x)
    return softmax(y)


def test_what_a_call_returned_is_known_by_its_callers_name() -> None:
    d = sa.derive(callers_names, x=[1, 2])
    assert d["y"].address == "y"
    assert "y" in [s.short for s in d.steps]
    assert d["y"].formula == r"y = \mathrm{projected}\left(x\right)"


class Callable_:
    def __call__(self, x):
        return x


@pytest.mark.parametrize("thing", [functools.partial(helper_of_one), Callable_(), dict, 3])
def test_only_functions_made_by_def_are_derived(thing: Any) -> None:
    with pytest.raises(TraceError, match="wanted a function made by def"):
        sa.derive(thing, x=[1])
    with pytest.raises(TraceError, match="wanted a function made by def"):
        trace(thing, {"x": (1,)})
