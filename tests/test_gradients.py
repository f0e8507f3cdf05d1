"""Gradients: against SymPy's derivatives, enclosures of difference quotients, and what is said."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, ctx

import symattn as sa
from symattn.errors import AddressError, ShapeError
from symattn.functions import erf, gelu, layer_norm, rms_norm, softmax
from symattn.graph import OPERATIONS
from symattn.numbers.ball import Ball
from symattn.numbers.enclosure import enclose
from symattn.numbers.normal_form import ONE, ZERO, to_sympy
from symattn.transformer import attention, feed_forward

pytestmark = pytest.mark.once

# Every operation, against SymPy.


def added(x, y):
    return np.sum(x + y)


def subtracted(x, y):
    return np.sum((x - y) * (x - 2 * y))


def multiplied(x, y):
    return np.sum(x * y * x)


def divided(x, y):
    return np.sum(x / y)


def negated(x, y):
    return np.sum(-x * -y)


def powers(x, y):
    return np.sum(x**3 + x**-1 + y**2 + x ** (1 / 2) + 2**y)


def power_of_both(x, y):
    return np.sum(x**y)


def exponentials(x, y):
    return np.sum(np.exp(x * y))


def logarithms(x, y):
    return np.sum(np.log(x + y * y))


def roots(x, y):
    return np.sum(np.sqrt(x * x + y * y))


def sines(x, y):
    return np.sum(np.sin(x * y) * np.cos(x))


def tanhs(x, y):
    return np.sum(np.tanh(x / y))


def erfs(x, y):
    return np.sum(erf(x * y))


def products(x, y):
    return np.sum((x @ y) @ (y @ x).T @ x[0])


def vectors(x, y):
    return x[0] @ y[:, 1] + np.sum(x[1] @ y) + np.sum(y @ x[1])


def batches(x, y):
    stack = np.stack([x, y, x @ y])
    return np.sum((stack @ x) @ np.swapaxes(stack, 1, 2) @ y[0])


def sums(x, y):
    return np.sum(np.sum(x, axis=0) * np.sum(y * x, axis=1, keepdims=True))


def broadcast(x, y):
    return np.sum((x[0] + y[:, :1]) * x[1, 1] / (y + 3))


def reindexed(x, y):
    return np.sum(x.T[[0, 1, 1, 0, 0]] * y[[1, 1, 0, 1, 0], ::-1] * x.reshape(-1)[[3]])


def selected(x, y):
    keep = np.array([[True, False], [True, True]])
    return np.sum(np.where(keep, x * y, y) ** 2)


def joined(x, y):
    return np.sum(np.concatenate([x, y * x, x], axis=1) ** 2 @ np.arange(6))


def weighted(x, y):
    return np.sum(softmax(x) * y) * np.sum(softmax(y[0]) * x[0])


def shifted(x, y):
    """Softmax as people write it; the maximum cancels."""
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(e / np.sum(e, axis=1, keepdims=True) * y)


def log_weighted(x, y):
    m = np.max(x, axis=1, keepdims=True)
    log_P = x - m - np.log(np.sum(np.exp(x - m), axis=1, keepdims=True))
    return np.sum(log_P * y)


def attended(x, y):
    return np.sum(attention(x, y, x) @ y[0])


def normalised(x, y):
    return np.sum(layer_norm(x, y[0], y[1], 0) * x)


def root_mean_square(x, y):
    return np.sum(rms_norm(x, y[0]) * x)


def gelus(x, y):
    return np.sum(gelu(x, kind="erf") * y) + np.sum(gelu(y, kind="tanh"))


SMOOTH = [
    added, subtracted, multiplied, divided, negated, powers, power_of_both, exponentials,
    logarithms, roots, sines, tanhs, erfs, products, vectors, batches, sums, broadcast, reindexed,
    selected, joined, weighted, attended, normalised, root_mean_square, gelus,
]  # fmt: skip

LONG = (batches, weighted, attended, normalised)  # SymPy's derivatives of these are

SYMBOLS = {"x": [["a", "b"], ["c", "d"]], "y": [["p", "q"], ["r", "s"]]}
POINTS = [
    dict(
        zip(
            "abcdpqrs",
            map(Fraction, ["1/2", "2", "3/4", "1/3", "5/4", "2/3", "3", "1/5"]),
            strict=True,
        )
    ),
    dict(
        zip(
            "abcdpqrs",
            map(Fraction, ["7/5", "1/6", "2/7", "9/4", "1/2", "4/3", "1", "8/5"]),
            strict=True,
        )
    ),
]


def at(expression: Any, point: dict[str, Fraction]) -> Any:
    values = {
        sympy.Symbol(name, real=True): sympy.Rational(v.numerator, v.denominator)
        for name, v in point.items()
    }
    return sympy.N(expression.subs(values, simultaneous=True), 30)


@pytest.mark.parametrize("function", SMOOTH, ids=lambda f: f.__name__)
def test_gradient_is_sympys_derivative(function: Callable[..., Any]) -> None:
    """Of both exact systems, at rational points to 25 digits."""
    d = sa.derive(function, **SYMBOLS)
    value = d.values[d.graph.result][()]
    for name, symbols in SYMBOLS.items():
        slope = d.gradient("return", name)
        assert slope.shape == (2, 2)
        for index in np.ndindex(2, 2):
            symbol = sympy.Symbol(symbols[index[0]][index[1]], real=True)
            wanted = value.diff(symbol)
            for point in POINTS[: 1 if function in LONG else 2]:
                expected = at(wanted, point)
                size = max(1, abs(expected))
                for found in (slope.value[index], to_sympy(slope.forms[index])):
                    assert abs(at(found, point) - expected) < size * sympy.Rational(1, 10**25)


def test_every_operation_has_a_rule_and_a_case() -> None:
    """None of the table is left out above, but those that symbols leave open."""
    used = {node.op for f in [*SMOOTH, shifted] for node in sa.derive(f, **SYMBOLS).graph.nodes} - {
        "input",
        "constant",
    }
    assert set(OPERATIONS) - used == {"maximum", "sign"}
    from symattn.adjoints import Adjoints

    assert all(hasattr(Adjoints, f"_{op}") for op in OPERATIONS)


@pytest.mark.parametrize("function", [shifted, log_weighted], ids=lambda f: f.__name__)
def test_a_maximum_that_cancels(function: Callable[..., Any]) -> None:
    """The derivative of what is shifted by its row's maximum is that of what is not."""
    twin = {shifted: weights_of, log_weighted: logs_of}[function]
    given = {"x": [[1, "1/2"], ["1/3", 0]], "y": [[2, 0], [1, "1/7"]]}
    ours, theirs = (sa.derive(f, **given).gradient("return", "x") for f in (function, twin))
    for a, b in zip(ours.entries(), theirs.entries(), strict=True):
        assert sa.compare(a, b).verdict == "equal"


def weights_of(x, y):
    return np.sum(softmax(x) * y)


def logs_of(x, y):
    return np.sum(np.log(softmax(x)) * y)


# Steps, formulas, values.


def test_the_backward_pass_of_a_head_reads_as_in_a_textbook() -> None:
    d = sa.article().backward(target="mouse")
    formulas = {s.name: s.formula for s in d.steps if s.is_gradient}
    expected = {
        "dlogits": r"\mathrm{d}\mathrm{logits} = P - e_{2}",
        "dF": r"\mathrm{d}F = \mathrm{d}\mathrm{logits} W_{\mathrm{vocab}}^{\top}",
        "dW_1": r"\mathrm{d}W_1 = x_{\mathrm{last}}^{\top} \mathrm{d}F",
        "dO": r"\mathrm{d}O = e_{2}^{\top} \mathrm{d}x_{\mathrm{last}}",
        "dV": r"\mathrm{d}V = A^{\top} \mathrm{d}O",
        "dA": r"\mathrm{d}A = \mathrm{d}O V^{\top}",
        "dZ_masked": r"\mathrm{d}Z_{\mathrm{masked}} = A \odot \left(\mathrm{d}A - "
        r"\mathrm{rowsum}\left(A \odot \mathrm{d}A\right)\right)",
        "dS": r"\mathrm{d}S = \frac{\mathrm{d}Z}{\sqrt{d_k}}",
        "dQ": r"\mathrm{d}Q = \mathrm{d}S K",
        "dK": r"\mathrm{d}K = \mathrm{d}S^{\top} Q",
        "dW_Q": r"\mathrm{d}W_Q = E^{\top} \mathrm{d}Q",
        "dE": r"\mathrm{d}E = \mathrm{d}V W_V^{\top} + \mathrm{d}K W_K^{\top} + \mathrm{d}Q W_Q^{\top}",
    }
    assert {name: formulas[name] for name in expected} == expected
    order = list(formulas)
    assert sorted(order, key=lambda name: d[name].node) == order
    assert order.index("dO") < order.index("dA") < order.index("dS") < order.index("dW_Q")


def test_a_gradient_has_the_shape_and_labels_of_its_step() -> None:
    d = sa.article().backward(target="mouse")
    for step in d.steps:
        if step.is_gradient:
            assert step.shape == d.step(step.primal).shape
            assert step.axes == d.step(step.primal).axes


def test_masked_scores_get_exactly_nothing() -> None:
    d = sa.article().backward(target="mouse")
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert d["dZ_masked"].exact[i, j] == 0
        assert d["dZ_masked"].numeric()[i, j] == 0
    assert d["dZ_masked"].exact[2, 0] != 0


def test_rows_of_the_gradient_of_scores_sum_to_zero() -> None:
    d = sa.article().backward(target="quickly")
    for row in (d["dZ"][2], d["dlogits"].entries()):
        total = sum((e.form for e in row), start=ZERO)
        with ctx.workprec(128):
            assert enclose(total, 128).contains(0) and enclose(total, 128).rad() < arb("1e-30")
        assert not enclose(total - row[0].form, 128).contains(0)


def test_steps_of_layers_and_heads_keep_their_scopes() -> None:
    d = sa.load("gpt2").backward()
    assert d["layer[0].head[1].dA"].symbol == r"\mathrm{d}A^{(0,1)}"
    assert d["layer[1].head[0].dW_Q"].formula == (
        r"\mathrm{d}W_Q^{(1,0)} = {y^{(1,0)}}^{\top} \mathrm{d}Q^{(1,0)}"
    )
    assert d["dscored"].formula == (
        r"\mathrm{d}\mathrm{scored} = \frac{\mathrm{softmax}\left(\mathrm{scored}\right) - Y}{2}"
    )
    assert d["Y"].exact.shape == (2, 5)


@pytest.mark.parametrize("name", ["gpt2", "llama", "bert", "gemma2", "vaswani2017"])
def test_the_backward_pass_of_a_preset_is_verified(name: str) -> None:
    """Every gradient of every input, exactly, in balls and in four float types."""
    d = sa.load(name)
    has_loss = any(s.name == "loss" for s in d.steps)
    back = d.backward() if has_loss else d.backward(target=0)
    report = back.verify()
    assert report.agrees and not report.left_out
    gradients = {s.primal for s in back.steps if s.is_gradient}
    masks = d.function.__symattn_masks__
    assert {s.address for s in d.steps if s.address in d.inputs} - set(masks) <= gradients


def test_a_wrong_gradient_is_found_by_verify() -> None:
    d = sa.article().backward(target="mouse")
    wrong = d["dW_Q"].numeric().copy()
    wrong[0, 0] *= 1 + 1e-12
    assert not d.verify(dW_Q=wrong).agrees


def test_a_replaced_step_passes_nothing_on() -> None:
    d = sa.article().with_(A=[[1, 0, 0], [0, 1, 0], [0, 0, 1]]).backward(target="mouse")
    assert d["dA"].shape == (3, 3)
    assert all(e.rational == 0 for e in d.gradient("loss", "W_Q").entries())
    assert any(e.rational != 0 for e in d["dW_V"].entries())


def test_derived_again_with_another_input() -> None:
    d = sa.article().backward(target="mouse").with_(W_1=[[1, 0], [0, 1]])
    fresh = sa.article().with_(W_1=[[1, 0], [0, 1]]).backward(target="mouse")
    assert d["dW_1"].decimal(9) == fresh["dW_1"].decimal(9)


# Enclosures of difference quotients.


def moved(d: sa.Derivation, name: str, index: tuple[int, ...], radius: Any, middle: Any) -> Any:
    """The derivation with an entry of an input as middle ± radius, or exactly there."""
    array = d.inputs[name].copy()
    array[index] = middle
    changed = d.with_({name: array})
    if not radius:
        return changed
    radii = np.full(array.shape, Fraction(0), dtype=object)
    radii[index] = radius
    return changed.with_radii({name: radii})


@pytest.mark.parametrize(
    ("name", "index"),
    [("W_Q", (0, 1)), ("W_K", (1, 0)), ("W_V", (0, 0)), ("W_1", (1, 1)), ("W_vocab", (0, 2))],
)
def test_difference_quotients_lie_in_the_ball_of_the_derivative(
    name: str, index: tuple[int, ...]
) -> None:
    """The mean value theorem: (f(x+h) − f(x))/h is f' somewhere between, with h of 1/1000."""
    h = Fraction(1, 1000)
    d = sa.article().with_loss("quickly")
    x = d.inputs[name][index]
    low, high = (moved(d, name, index, 0, x + k * h)["loss"][()] for k in (0, 1))
    between = moved(d.backward(), name, index, h / 2, x + h / 2)
    node = between.step(f"d{name}").node
    with ctx.workprec(128):
        ends = [e.step.derivation.enclosures.ball((e.step.node, ())) for e in (low, high)]
        quotient = (ends[1] - ends[0]) * 1000
        ball = between.running(Ball(128))[node][index]
        assert ball.contains(quotient.mid()) and ball.rad() < arb("0.02")
        assert not ball.contains(quotient.mid() + arb("0.05"))


# Numbers, losses, Jacobians.


def test_the_jacobian_of_softmax_is_diag_p_less_pp() -> None:
    article = sa.article()
    J, A = article["A"].jacobian("Z_masked"), article["A"]
    assert J.shape == (3, 3, 3, 3)
    for i, j, k, m in np.ndindex(3, 3, 3, 3):
        a, b = A[i, j].form, A[i, m].form
        wanted = ZERO if i != k else a * (ONE - b) if j == m else -(a * b)
        assert sa.compare(J[i, j, k, m].form, wanted).verdict == "equal"


def test_gradients_of_an_entry_and_of_what_is_not_there() -> None:
    d = sa.article()
    assert d.gradient("P[1]", "logits[0]").decimal(4) == "-0.0480"
    assert [e.decimal(4) for e in d["P"].jacobian("logits")[1]] == [
        e.decimal(4) for e in d.gradient("P[1]", "logits").entries()
    ]
    assert all(e.rational == 0 for e in d.gradient("logits[0]", "P").entries())
    assert d.gradient("P[1]", "M").shape == (3, 3)
    with pytest.raises(ShapeError, match=r"P has shape \(5,\), and a gradient is of one number"):
        d.gradient("P", "W_1")
    with pytest.raises(AddressError, match=r"there is no entry P\[7\]"):
        d.gradient("P[7]", "W_1")
    with pytest.raises(AddressError, match="there is no step loss: say what"):
        d.backward()
    with pytest.raises(AddressError, match=r"target: P has no 'mouze'.*mouse"):
        d.backward(target="mouze")
    with pytest.raises(AddressError, match="target: wanted 1, one a row of P, got 2"):
        d.with_loss([0, 1])
    with pytest.raises(AddressError, match="logits: wanted a softmax"):
        d.with_loss(0, of="logits")


def test_losses_at_all_positions_are_the_models_own() -> None:
    """Cross-entropies as added to a model, and as GPT-2's own lines have them."""
    d = sa.load("gpt2")
    own = d.backward()
    wanted = [*map(int, d.options["tokens"][1:]), None]
    added = d.with_loss(wanted)
    name = added.graph.steps[-1].address
    assert added[name].decimal(12) == d["loss"].decimal(12)
    ours = added.gradient(name, "W_vocab")
    assert ours.decimal(12) == own["dW_vocab"].decimal(12)


def test_one_step_of_descent_is_exact_and_falls() -> None:
    d = sa.article()
    made = d.gradient_step("W_1", rate="1/2", target="quickly")
    assert made.fell and made.comparison.verdict == "less"
    slope = made.derivation["dW_1"]
    for index in np.ndindex(2, 2):
        moved_by = d["W_1"].forms[index] - made.after["W_1"].forms[index]
        assert sa.compare(moved_by + moved_by, slope.forms[index]).verdict == "equal"
    uphill = d.gradient_step("W_1", rate=-1, target="quickly")
    assert uphill.fell is False
    assert made.before.decimal(4) == "1.4509" and made.now.decimal(4) == "1.3646"
    everything = d.gradient_step(rate="1/10", target="quickly")
    assert set(everything.weights) == {"W_vocab", "W_Q", "W_K", "W_V", "W_1"}
    assert everything.fell


# Maxima.


def rectified(x, W):
    return np.sum(np.maximum(0, x @ W))


def test_the_subgradient_of_relu_at_0_is_0_and_said() -> None:
    d = sa.derive(rectified, x=[[1, "sqrt(2)"]], W=[["-sqrt(2)", 1, 2], [1, -1, 0]])
    back = d.backward("return")
    assert d["x"].exact.shape == (1, 2)
    assert back["dW"].decimal(2) == [["0.00", "0.00", "1.00"], ["0.00", "0.00", "1.41"]]
    (kink,) = back.kinks
    assert kink.decided and not kink.shared and "[0,0]" in kink.place
    assert str(kink).endswith("0 is taken")
    assert back.verify().agrees
    assert (
        sa.derive(rectified, x=[[1, 1]], W=[[1, 1, 2], [1, -2, 0]]).backward("return").kinks == []
    )


def largest_of(x, y):
    m = np.max(x, axis=1)
    return np.sum(m * np.array([1, 2])) + np.sum(np.maximum(x, y)) + np.sum(np.abs(y))


def test_what_ties_shares_evenly() -> None:
    d = sa.derive(largest_of, x=[[3, 3, 1], [0, 1, "1/2"]], y=[[3, 0, 0], [-1, 1, 2]])
    back = d.backward("return")
    assert back["dx"].decimal(1) == [["1.0", "1.5", "1.0"], ["1.0", "2.5", "0.0"]]
    assert back["dy"].decimal(1) == [["1.5", "0.0", "0.0"], ["-1.0", "1.5", "2.0"]]
    places = [k.place for k in back.kinks]
    assert "m[0]" in places and len(places) == 5 and all(k.shared for k in back.kinks)


def test_with_symbols_a_maximum_keeps_its_sign() -> None:
    d = sa.derive(rectified, x=[["a", 1]], W=[[1], [1]])
    slope = d.gradient("return", "x")
    assert str(slope.exact[0, 0]) == "Max(0, sign(a + 1))"
    assert slope.texts("latex")[0, 0] == r"\max\left(0, \mathrm{sgn}\left(1 + a\right)\right)"
    negative = d.subs(a=-3).gradient("return", "x").exact
    assert list(negative) == [0, 0]


def test_the_page_says_what_was_taken() -> None:
    d = sa.derive(
        feed_forward, x=[[1, 0]], W_1=[[1, 0], [0, 1]], b_1=[0, 0], W_2=[[1], [1]], b_2=[0]
    )
    (kink,) = d.backward("return[0,0]").kinks
    assert kink.place == "the maximum in return, at [0,1]"
