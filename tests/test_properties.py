"""What holds whatever the weights: every statement is proven, and its false twin refuted."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import symattn as sa
from symattn.attention import scaled_dot_product_attention
from symattn.config import Config
from symattn.derivation import derive
from symattn.functions import (
    gelu,
    layer_norm,
    rms_norm,
    sigmoid,
    softmax,
    tempered_softmax,
)
from symattn.numbers.normal_form import Kernel, of
from symattn.properties import checks
from symattn.properties.checks import causal, depends, equal, independent, result, returned, symbols
from symattn.properties.core import Outcome, Size, chosen
from symattn.properties.families import (
    asymmetry,
    cache,
    causality,
    equivariance,
    heads,
    networks,
    norms,
    positions,
    scaling,
    tying,
    weights,
)
from symattn.properties.families import softmax as softmax_family

pytestmark = pytest.mark.once

SIZES = [Size(), Size(4, 2, 2), Size(2, 1, 1), Size(3, 3, 1)]
ALL = {p.name: p for p in chosen(())}
d_k, d_model, V = (of(Kernel("symbol", name)) for name in ("d_k", "d_model", "|V|"))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", ALL)
def test_every_statement_is_found_as_it_is_claimed(name: str, size: Size) -> None:
    found = ALL[name].check(size)
    assert found.verdict == ("proven" if ALL[name].claimed else "refuted"), found
    assert found.method
    assert ALL[name].claimed or found.witness


# The false twins.

TWINS: dict[str, Callable[[Size], Outcome]] = {}


def twin(name: str) -> Any:
    def add(check: Any) -> Any:
        TWINS[name] = check
        return check

    return add


def of_z(size: Size, left: Any, right: Any, **more: Any) -> Outcome:
    """Two functions of n scores of symbols."""
    z = symbols("z", size.n)
    sides = [f if isinstance(f, int) else returned(f, x=z, **more) for f in (left, right)]
    return equal(*sides)


@twin("asymmetry.weights")
def even_weights_are_mutual(size: Size) -> Outcome:
    # Not mutual either where keys are projected otherwise; the true twin: W_K = 0 makes it so.
    assert asymmetry.mutual([[0, 0], [0, 0]]).verdict == "undecided"
    return asymmetry.mutual([[2, 1], [0, 1]])


@twin("asymmetry.scores")
def symmetric_for_any_product(size: Size) -> Outcome:
    return asymmetry.if_symmetric(size, symmetric=False)


@twin("asymmetry.product_alone")
def the_other_product(size: Size) -> Outcome:
    def scores(E: Any, W_Q: Any, W_K: Any) -> Any:
        return (E @ W_Q) @ (E @ W_K).T

    def turned(E: Any, W_Q: Any, W_K: Any) -> Any:
        return E @ (W_K @ W_Q.T) @ E.T

    E = symbols("E", size.n, size.d)
    given = {name: symbols(name, size.d, size.d_k) for name in ("W_Q", "W_K")}
    return equal(returned(scores, E=E, **given), returned(turned, E=E, **given))


@twin("cache.step")
def cache_without_a_mask(size: Size) -> Outcome:
    return cache.cached(Size(2, 2, 1), Config(norm="none"), N=2)


@twin("cache.needs")
def past_queries_are_needed(size: Size) -> Outcome:
    given = {name: symbols(name, size.n, size.d_k) for name in ("Q", "K", "V")}
    d = derive(scaled_dot_product_attention, M=causal(size.n), **given)
    found = depends(d, result(d), size.n - 1, "Q", 0)
    assert found.verdict == "undecided"
    return independent(result(d), "K", lambda i: range(i), range(size.n))


@twin("causality.causal_layers")
def no_mask(size: Size) -> Outcome:
    return causality.past_only(size, Config(norm="post"))


@twin("causality.one_head")
def one_head_without_mask(size: Size) -> Outcome:
    O = weights.head(size, masked=False)["O"]
    return independent(O, "E", causality.later(size.n), range(size.n))


@twin("causality.decoder")
def decoder_sees_no_memory(size: Size) -> Outcome:
    from symattn.layers import decoder_layer

    one = [[[1]]]
    given = dict.fromkeys(("W_Q", "W_K", "W_V", "W_Q_cross", "W_K_cross", "W_V_cross"), one)
    given |= {name: [[1]] for name in ("W_O", "W_O_cross")}
    d = derive(
        decoder_layer, x=symbols("x", 2, 1), memory=symbols("memory", 2, 1),
        config=Config(norm="none", ffn="none"), **given,
    )  # fmt: skip
    return independent(result(d), "memory", lambda i: range(2), range(2))


@twin("causality.without_mask")
def without_mask_one_token_alone(size: Size) -> Outcome:
    return causality.past_only(size, Config(norm="none", ffn="none"))


@twin("causality.needs_past")
def no_past_is_needed(size: Size) -> Outcome:
    d = causality.stack(size, Config(mask="causal", norm="none"))
    return independent(result(d), "E", lambda i: range(i), range(size.n))


@twin("causality.own_query")
def other_keys_do_not_matter(size: Size) -> Outcome:
    given = {name: symbols(name, size.n, size.d_k) for name in ("Q", "K", "V")}
    O = returned(scaled_dot_product_attention, **given)
    return independent(O, "V", lambda i: [j for j in range(size.n) if j != i], range(size.n))


@twin("causality.position_wise")
def attention_is_position_wise(size: Size) -> Outcome:
    d = causality.stack(size, Config(norm="none", ffn="none"))
    return independent(
        result(d), "E", lambda i: [j for j in range(size.n) if j != i], range(size.n)
    )


@twin("causality.window")
def windows_reach_less(size: Size) -> Outcome:
    return causality.reach(size, reaches=1)


@twin("equivariance.attention")
def positions_break_it(size: Size) -> Outcome:
    e = symbols("e", size.n, 2)
    W = {name: np.ones((1, 1, 2, 2), int) for name in ("W_Q", "W_K", "W_V")}
    config = Config(norm="none", ffn="none", positions="rope", pairing="half")
    from symattn.layers import encoder

    def layer(E: Any) -> Any:
        return returned(encoder, E=E, W_O=np.eye(2, dtype=int)[None], config=config, **W)

    order = equivariance.swaps(size.n)[0]
    plain = layer(e)
    return equal(list(layer(e[order])), [plain[i] for i in order])


@twin("equivariance.layer")
def masked_layer(size: Size) -> Outcome:
    return equivariance.equivariant(size, Config(norm="pre", mask="causal"))


@twin("equivariance.with_mask")
def masked_attention(size: Size) -> Outcome:
    return equivariance.equivariant(size, Config(norm="none", ffn="none", mask="causal"))


@twin("equivariance.keys")
def values_stay(size: Size) -> Outcome:
    return equivariance.keys_and_values(size, values=False)


@twin("heads.concatenation")
def heads_in_another_order(size: Size) -> Outcome:
    h, _ = heads.several(size)
    return heads.sum_of_heads(size, lambda i: (i + 1) % h)


@twin("heads.one")
def another_projection(size: Size) -> Outcome:
    return heads.one_head(size, 2 * np.eye(size.d, dtype=int))


@twin("heads.parameters")
def heads_of_full_width(size: Size) -> Outcome:
    return heads.parameter_count(d_model)


@twin("heads.grouped")
def tiled(size: Size) -> Outcome:
    from symattn.attention import grouped_query_attention

    def tiles(Q: Any, K: Any, V: Any) -> Any:
        return np.stack([scaled_dot_product_attention(Q[i], K[i % 2], V[i % 2]) for i in range(4)])

    given = {"Q": symbols("Q", 4, 2, 1), "K": symbols("K", 2, 2, 1), "V": symbols("V", 2, 2, 1)}
    return equal(returned(grouped_query_attention, **given), returned(tiles, **given))


@twin("networks.linear")
def with_an_activation(size: Size) -> Outcome:
    assert networks.collapsed(size, "silu").verdict == "refuted"
    return networks.collapsed(size, "relu")


@twin("networks.mirrored")
def gelu_is_even(size: Size) -> Outcome:
    def left(x: Any) -> Any:
        return gelu(x, kind="erf")

    def right(x: Any) -> Any:
        return gelu(-x, kind="erf")

    return equal(returned(left, x=symbols("x", 1)), returned(right, x=symbols("x", 1)))


@twin("norms.shift")
def rms_is_shift_invariant(size: Size) -> Outcome:
    def left(x: Any, c: Any, eps: Any) -> Any:
        return rms_norm(x + c, None, eps)

    def right(x: Any, eps: Any) -> Any:
        return rms_norm(x, None, eps)

    return norms._of_rows(size, left, right, c=symbols("c"), eps=symbols("eps"))


@twin("norms.scale")
def scale_with_epsilon(size: Size) -> Outcome:
    return norms.scaled(size, eps=1)


@twin("norms.moments")
def variance_two(size: Size) -> Outcome:
    def variance(x: Any) -> Any:
        return np.var(layer_norm(x, None, None, 0))

    return norms._of_rows(size, variance, 2)


@twin("norms.variance")
def variance_one_with_epsilon(size: Size) -> Outcome:
    def left(x: Any, eps: Any) -> Any:
        return np.var(layer_norm(x, None, None, eps))

    return norms._of_rows(size, left, 1, eps=symbols("eps"))


@twin("norms.rms")
def rms_without_centring(size: Size) -> Outcome:
    def left(x: Any, eps: Any) -> Any:
        return rms_norm(x, None, eps)

    return norms._of_rows(size, left, norms._normed, eps=symbols("eps"))


@twin("positions.rope_interleaved")
def pairings_mixed(size: Size) -> Outcome:
    return positions.rope(size, "interleaved", "half")


@twin("positions.rope_half")
def only_keys_are_turned(size: Size) -> Outcome:
    return positions.rope(size, "half", "half", turned=False)


@twin("positions.sinusoidal")
def sines_alone(size: Size) -> Outcome:
    def left(b: Any, delta: Any) -> Any:
        return np.sin(b + delta) * np.sin(b)

    def right(b: Any, delta: Any) -> Any:
        return np.cos(delta)

    given = {"b": symbols("b", 1), "delta": symbols("delta", 1)}
    return equal(returned(left, **given), returned(right, **given))


@twin("positions.alibi")
def alibi_without_a_mask(size: Size) -> Outcome:
    return positions.alibi_as(Size(max(size.n, 3), size.d, size.h), masked=False)


@twin("scaling.var_of_scores")
def key_is_the_query(size: Size) -> Outcome:
    """Not independent: q·q has another variance, d_k (m_4 - 1)."""
    return equal([scaling.variance(scaling.products("q", "q"), d_k)], [d_k])


@twin("scaling.var_of_scaled")
def divided_by_d_k(size: Size) -> Outcome:
    from symattn.numbers.normal_form import inverse

    x, y = (term * inverse(d_k) for term in scaling.products("q", "k"))
    return equal([scaling.variance((x, y), d_k)], [1])


@twin("scaling.saturation")
def a_tie_vanishes_too(size: Size) -> Outcome:
    return scaling.saturated(size, 2, 0)


@twin("scaling.saturation_tied")
def a_tie_leaves_a_half(size: Size) -> Outcome:
    limit = np.zeros((size.n, size.n), dtype=object)
    limit[0, 0] = limit[1, 1] = Fraction(1, 2)
    return scaling.saturated(size, 2, limit)


@twin("softmax.shift")
def scaling_changes_nothing(size: Size) -> Outcome:
    def scaled(x: Any, c: Any) -> Any:
        return softmax(c * x)

    c, z = symbols("c"), symbols("z", size.n)
    return equal(returned(scaled, x=z, c=c), returned(softmax, x=z))


@twin("softmax.ratio")
def ratio_of_scores(size: Size) -> Outcome:
    def left(x: Any) -> Any:
        p = softmax(x)
        return p[0:1] / p[1:2]

    def right(x: Any) -> Any:
        return np.exp(x[1:2] - x[0:1])

    return of_z(size, left, right)


@twin("softmax.order")
def sign_is_not_proven_the_other_way(size: Size) -> Outcome:
    def difference(z: Any, g: Any) -> Any:
        p = softmax(np.concatenate([z[:1] + g, z]))
        return p[1] - p[0]

    given = {"z": symbols("z", size.n - 1), "g": symbols("g", 1)}
    step = returned(difference, **given)
    assert not checks.grows(step.forms[()], ["g[0]"])
    # With a gap of 1 the difference is a negative number.
    found = sa.compare(step.derivation.subs(numbers_of(step))["return"][()], 0)
    return Outcome({"less": "refuted"}.get(found.verdict, "undecided"), found.why)  # type: ignore


def numbers_of(step: Any) -> dict[str, Fraction]:
    return dict.fromkeys(step.derivation.symbols, Fraction(1))


@twin("softmax.sharper")
def warmer_is_sharper(size: Size) -> Outcome:
    def both(x: Any, T: Any) -> Any:
        return tempered_softmax(x, T)[0] - tempered_softmax(x, T / 2)[0]

    step = returned(both, x=symbols("z", 2), T=symbols("T"))
    d = step.derivation.subs({"z[0]": 1, "z[1]": 0, "T": 1})
    assert not checks.grows(step.forms[()], ["T"])
    found = sa.compare(d["return"][()], 0)
    return Outcome({"less": "refuted"}.get(found.verdict, "undecided"), found.why)  # type: ignore


@twin("softmax.cold")
def ties_are_not_shared(size: Size) -> Outcome:
    same, limit = softmax_family._of_powers(size, [1, 1] + [0] * (size.n - 2))
    assert same.verdict == "proven"
    return equal(limit, [1] + [0] * (size.n - 1))


@twin("softmax.hot")
def even_over_all(size: Size) -> Outcome:
    def cooled(Z: Any, M: Any, beta: Any) -> Any:
        return softmax(beta * Z + M)

    n = size.n
    found = returned(cooled, beta=[0], Z=symbols("Z", n, n), M=causal(n))
    return equal(found, Fraction(1, n))


@twin("softmax.shares")
def shares_stay(size: Size) -> Outcome:
    def shares(x: Any) -> Any:
        return x / np.sum(x)

    return of_z(size, softmax, shares)


@twin("softmax.sigmoid_of_two")
def sigmoid_of_the_sum(size: Size) -> Outcome:
    def left(a: Any, b: Any) -> Any:
        return softmax(np.concatenate([a, b]))[0:1]

    def right(a: Any, b: Any) -> Any:
        return sigmoid(a + b)

    given = {"a": symbols("a", 1), "b": symbols("b", 1)}
    return equal(returned(left, **given), returned(right, **given))


@twin("softmax.again")
def softmax_twice(size: Size) -> Outcome:
    def twice(x: Any) -> Any:
        return softmax(softmax(x))

    return of_z(size, twice, softmax)


@twin("tying.saving")
def saving_of_one_row(size: Size) -> Outcome:
    return tying.saved(d_model)


@twin("tying.same")
def untied_is_the_same(size: Size) -> Outcome:
    d = cache.model(size, size.n, Config(mask="causal", norm="none"))
    return equal(result(d), result(d.with_(W_U=symbols("W_U", size.d, size.n))))


@twin("weights.rows")
def columns_add_to_one(size: Size) -> Outcome:
    def summed(Z: Any) -> Any:
        return np.sum(softmax(Z), axis=0)

    return equal(returned(summed, Z=symbols("Z", size.n, size.n)), 1)


@twin("weights.between")
def entries_are_below_a_half(size: Size) -> Outcome:
    def excess(Z: Any) -> Any:
        return np.maximum(softmax(Z), 1 / 2)

    Z = symbols("Z", size.n, size.n)
    return equal(returned(excess, Z=Z), Fraction(1, 2))


@twin("weights.masked")
def a_finite_mask_hides(size: Size) -> Outcome:
    def biased(Z: Any) -> Any:
        return softmax(Z - 100 * np.eye(len(Z)))[0, 0]

    return equal(returned(biased, Z=symbols("Z", size.n, size.n)), 0)


@twin("weights.unmasked")
def all_weights_are_positive(size: Size) -> Outcome:
    A = weights.head(size)["A"]
    assert not all(checks.is_positive(a) for a in A.forms.flat)
    return equal(A[1, 0], 0)


@twin("weights.first")
def the_last_token_too(size: Size) -> Outcome:
    d = weights.head(size)
    return equal(list(d["O"][-1]), list(d["V"][-1]))


@twin("weights.average")
def linear_in_queries(size: Size) -> Outcome:
    def left(Q: Any, K: Any, V: Any, c: Any) -> Any:
        return scaled_dot_product_attention(Q + c, K, V)

    def right(Q: Any, K: Any, V: Any, c: Any) -> Any:
        return scaled_dot_product_attention(Q, K, V) + c

    c = symbols("c", size.d_k)
    return equal(weights._of_values(size, left, c=c), weights._of_values(size, right, c=c))


@twin("weights.key_bias")
def query_bias(size: Size) -> Outcome:
    def left(Q: Any, K: Any, V: Any, c: Any) -> Any:
        return scaled_dot_product_attention(Q + c, K, V)

    c = symbols("c", size.d_k)
    plain = weights._of_values(size, scaled_dot_product_attention)
    return equal(weights._of_values(size, left, c=c), plain)


@twin("weights.even")
def even_for_any_query(size: Size) -> Outcome:
    def mean(V: Any) -> Any:
        return np.mean(V, axis=0)

    given = {name: symbols(name, size.n, size.d_k) for name in ("Q", "K", "V")}
    return equal(returned(scaled_dot_product_attention, **given), returned(mean, V=given["V"]))


def test_every_statement_has_a_false_twin() -> None:
    assert TWINS.keys() == ALL.keys()


@pytest.mark.parametrize("name", TWINS)
def test_false_twins_are_refuted(name: str) -> None:
    found = TWINS[name](Size())
    assert found.verdict == "refuted", found
