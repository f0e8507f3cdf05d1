"""The recorder is checked, and the formulas are held against what others wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symattn as sa
from symattn import attention, functions, language, layers, sublayers, transformer
from symattn.config import Config
from symattn.numbers.floating import Floating
from symattn.spec_reader import load_spec
from tests.regenerate import builtin_functions

rng = np.random.default_rng(7)


def whole(*shape: int) -> np.ndarray:
    return rng.integers(-8, 9, shape)


def eighths(*shape: int) -> list[Any]:
    return np.vectorize(lambda k: Fraction(int(k), 7))(whole(*shape)).tolist()


def layer_of(
    *front: int, h: int = 2, h_kv: int = 2, d: int = 2, cross: bool = False, part: str = ""
) -> dict[str, Any]:
    """Weights of a layer with d_k = d_v = 1 (RoPE: 2) and d_ff = 2, or of front[0] of them."""
    d_k = 1 if h == h_kv else 2
    found = {
        "W_Q": eighths(*front, h, d, d_k), "W_K": eighths(*front, h_kv, d, d_k),
        "W_V": eighths(*front, h_kv, d, 1), "W_O": eighths(*front, h, d),
    }  # fmt: skip
    if cross:
        found |= {
            f"{name}_cross": W
            for name, W in layer_of(*front, h=h, h_kv=h_kv, d=d).items()
            if name[2] in "QKVO"
        }
    found |= {"W_1": eighths(*front, d, 2), "W_2": eighths(*front, 2, d)}
    return {f"{name}{part}": W for name, W in found.items()}


def biases_of(*front: int, h: int = 2, d: int = 2) -> dict[str, Any]:
    heads = {f"b_{name}": eighths(*front, h, 1) for name in "QKV"}
    return heads | {"b_O": eighths(*front, d), "b_1": eighths(*front, 2), "b_2": eighths(*front, d)}


def gains_of(*front: int, norms: int = 2, d: int = 2) -> dict[str, Any]:
    kinds = ("gamma", "beta")
    return {f"{k}_{i + 1}": eighths(*front, d) for k in kinds for i in range(norms)}


MODELS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (functions.softmax, {"x": eighths(3, 5)}),
    (functions.erf, {"x": eighths(5)}),
    (functions.causal_mask, {"n_q": 3, "n_k": 5, "offset": 2}),
    (functions.softmax, {"x": [["1/2", "-oo"], ["-oo", "-oo"]], "fully_masked": "zero"}),
    (functions.tempered_softmax, {"x": eighths(2, 3), "temperature": "3/2"}),
    (functions.log_softmax, {"x": eighths(2, 3)}),
    (functions.log_softmax, {"x": [["1/2", "-oo", "sqrt(2)"]]}),
    (functions.softcap, {"x": eighths(2, 2), "c": "5/2"}),
    (functions.erf, {"x": eighths(2, 2)}),
    (functions.relu, {"x": eighths(2, 3)}),
    (functions.sigmoid, {"x": eighths(2, 2)}),
    (functions.swish, {"x": eighths(2, 2), "beta": "3/2"}),
    (functions.silu, {"x": eighths(2, 2)}),
    (functions.gelu, {"x": eighths(2, 2), "kind": "erf"}),
    (functions.gelu, {"x": eighths(2, 2), "kind": "tanh"}),
    (functions.layer_norm, {"x": eighths(3, 4), "gamma": eighths(4), "beta": eighths(4)}),
    (functions.layer_norm, {"x": eighths(2, 3), "eps": 0}),
    (functions.rms_norm, {"x": eighths(3, 4), "gamma": eighths(4)}),
    (functions.rms_norm, {"x": eighths(2, 3), "eps": "1/10"}),
    (functions.sinusoidal_positions, {"n": 3, "d": 4}),
    (functions.sinusoidal_positions, {"n": 2, "d": 5, "offset": 3}),
    (
        functions.rotated,
        {"x": eighths(2, 5), "cos": [["3/5"], [0]], "sin": [["4/5"], [1]], "pairing": "half"},
    ),
    (functions.rope, {"x": eighths(3, 4), "pairing": "interleaved"}),
    (functions.rope, {"x": eighths(2, 5), "pairing": "half", "dimensions": 4, "offset": 2}),
    (functions.rope, {"x": eighths(2, 2, 2), "positions": sa.static([4, 1]), "pairing": "half"}),
    (functions.alibi_slopes, {"h": 16}),
    (functions.alibi_bias, {"h": 3, "n_q": 2, "n_k": 3, "offset": 1}),
    (functions.additive_mask, {"keep": sa.static([[True, False], [True, True]])}),
    (functions.additive_mask, {"drop": sa.static([[True, False], [True, True]])}),
    (functions.sliding_window_mask, {"n_q": 3, "n_k": 5, "window": 2, "offset": 2}),
    (functions.sliding_window_mask, {"n_q": 3, "n_k": 5, "window": (1, None)}),
    (functions.prefix_mask, {"n": 4, "p": 2}),
    (functions.padding_mask, {"lengths": (1, 3), "n_k": 3}),
    (
        functions.intersection,
        {"M_1": functions.causal_mask(3, 3), "M_2": functions.padding_mask(2, 3)},
    ),
    (functions.union, {"M_1": functions.causal_mask(3, 3), "M_2": functions.padding_mask(2, 3)}),
    (
        attention.scaled_dot_product_attention,
        {"Q": eighths(3, 2), "K": eighths(4, 2), "V": eighths(4, 3)},
    ),
    (
        attention.scaled_dot_product_attention,
        {
            "Q": eighths(2, 2), "K": eighths(2, 2), "V": eighths(2, 2), "M": functions.causal_mask(2, 2),
            "scale": "3/2", "softcap": "5", "bias": eighths(2, 2), "sink": "1/2",
        },
    ),
    (
        attention.scaled_dot_product_attention,
        {
            "Q": eighths(2, 2), "K": eighths(2, 2), "V": eighths(2, 2),
            "M": [["-oo", 0], ["-oo", "-oo"]], "fully_masked": "zero",
        },
    ),
    (
        attention.grouped_query_attention,
        {
            "Q": eighths(4, 2, 2), "K": eighths(2, 3, 2), "V": eighths(2, 3, 2),
            "bias": functions.alibi_bias(4, 2, 3) * 1024, "sink": [0, 1, 2, "1/3"], "exact": "binary",
        },
    ),
    (transformer.embedding_offsets, {"W_vocab": eighths(3, 5), "tokens": sa.static([3, 0, 2, 1])}),
    (attention.split_heads, {"W": eighths(3, 4), "h": 2}),
    (
        attention.multi_head,
        {
            "x": eighths(2, 3), "W_Q": eighths(2, 3, 2), "W_K": eighths(1, 2, 2), "W_V": eighths(1, 2, 3),
            "W_O": eighths(6, 2), "memory": eighths(3, 2), "b_Q": eighths(2, 2), "b_K": eighths(1, 2),
            "b_V": eighths(1, 3), "b_O": eighths(2), "M": functions.padding_mask(2, 3),
        },
    ),
    (
        attention.linear_attention_head,
        {"E": eighths(3, 2), "W_Q": eighths(2, 2), "W_K": eighths(2, 2), "W_V": eighths(2, 3)},
    ),
    (
        layers.self_attention,
        {
            "E": eighths(3, 2), "W_Q": eighths(2, 2, 2), "W_K": eighths(1, 2, 2), "W_V": eighths(1, 2, 1),
            "W_O": eighths(2, 2), "sink": eighths(2), "base": "100",
            "config": Config(mask="causal", window=2, positions="rope", pairing="half"),
        },
    ),
    (attention.linear_attention, {"Q": eighths(2, 2), "K": eighths(3, 2), "V": eighths(3, 2)}),
    *(
        (
            sublayers.feed_forward_network,
            {
                "x": eighths(2, 2), "W_1": eighths(2, 2), "W_2": eighths(2, 2), "b_1": eighths(2),
                "b_2": eighths(2), "kind": kind,
                **({"W_gate": eighths(2, 2), "b_gate": eighths(2)} if kind.endswith("glu") else {}),
                **({"gelu_kind": gelu_kind} if gelu_kind else {}),
            },
        )
        for kind, gelu_kind in (
            ("linear", None), ("relu", None), ("silu", None), ("swiglu", None),
            ("gelu", "erf"), ("gelu", "tanh"), ("geglu", "erf"), ("geglu", "tanh"),
        )
    ),
    (transformer.attention, {"Q": eighths(3, 2), "K": eighths(4, 2), "V": eighths(4, 3)}),
    (
        transformer.attention_head,
        {"E": eighths(3, 4), "W_Q": eighths(4, 2), "W_K": eighths(4, 2), "W_V": eighths(4, 3)},
    ),
    (
        transformer.attention_head,
        {
            "E": eighths(3, 2), "W_Q": eighths(2, 2), "W_K": eighths(2, 2), "W_V": eighths(2, 2),
            "M": functions.causal_mask(3, 3), "scale": "3/2",
        },
    ),
    (
        transformer.feed_forward,
        {"x": eighths(3, 2), "W_1": eighths(2, 5), "b_1": eighths(5), "W_2": eighths(5, 2), "b_2": eighths(2)},
    ),
    (
        transformer.multi_head_attention,
        {
            "E": eighths(3, 4), "W_Q": eighths(2, 4, 2), "W_K": eighths(2, 4, 2),
            "W_V": eighths(2, 4, 2), "W_O": eighths(4, 4),
        },
    ),
    (
        transformer.worked_attention,
        {"E": eighths(3, 2), "W_V": eighths(2, 3), "M": functions.causal_mask(3, 3), "scale": "3/2"},
    ),
    (transformer.worked_attention, {"Z": eighths(2, 3), "V": eighths(3, 2)}),
    (
        transformer.next_token,
        {
            "W_vocab": eighths(2, 6), "W_Q": eighths(2, 3), "W_K": eighths(2, 3),
            "W_V": eighths(2, 2), "W_1": eighths(2, 2), "tokens": sa.static([4, 0, 5, 0]),
        },
    ),
    (functions.cross_entropy, {"logits": eighths(3, 4), "targets": (1, 3, 0)}),
    (functions.rope_angles, {"positions": sa.static([3, 1]), "r": 4, "base": "100", "offset": 1}),
    (
        sublayers.layer_head,
        {
            "x": eighths(3, 2), "W_Q": eighths(2, 2), "W_K": eighths(2, 2), "W_V": eighths(2, 2),
            "b_Q": eighths(2), "b_K": eighths(2), "b_V": eighths(2), "angle": [["1/2"], [1], [2]],
            "K_past": eighths(2, 2), "V_past": eighths(2, 2), "config": Config(positions="rope", pairing="half"),
        },
    ),
    (
        sublayers.layer_attention,
        {
            "x": eighths(2, 2), "memory": eighths(3, 2), "W_Q": eighths(4, 2, 2), "W_K": eighths(2, 2, 2),
            "W_V": eighths(2, 2, 1), "W_O": eighths(4, 2), "b_K": eighths(2, 2), "b_O": eighths(2),
            "bias": eighths(4, 2, 3), "sink": eighths(4), "scale": "5/3",
        },
    ),
    (
        sublayers.cross_attention,
        {
            "x": eighths(2, 2), "memory": eighths(3, 2), "W_Q": eighths(1, 2, 2), "W_K": eighths(1, 2, 2),
            "W_V": eighths(1, 2, 2), "W_O": eighths(2, 2), "M": functions.padding_mask(2, 3),
        },
    ),
    (sublayers.normalised, {"x": eighths(2, 3), "gamma": eighths(3), "beta": eighths(3)}),
    (sublayers.normalised, {"x": eighths(2, 3), "gamma": eighths(3), "norm_kind": "rms", "eps": "1/7"}),
    *(
        (place, {"x": eighths(2, 3), "gamma": eighths(3), "beta": None, "eps": "0.1", "config": Config(norm=norm, norm_kind="rms")})
        for place, norm in (
            (sublayers.norm_before, "pre"), (sublayers.norm_after, "post"), (sublayers.norm_within, "sandwich"),
        )
    ),
    (layers.final_norm, {"x": eighths(2, 2), "gamma_out": eighths(2), "beta_out": eighths(2), "eps": "0.1", "config": Config(norm_out=True)}),
    (layers.encoder_layer, {"x": eighths(3, 2), **layer_of(), **biases_of(), **gains_of()}),
    (layers.encoder_layer, {"x": eighths(3, 2), **layer_of(), "config": Config(norm="none", ffn="gelu", gelu="tanh")}),
    (
        layers.encoder_layer,
        {
            "x": eighths(2, 2), **layer_of(h_kv=1), "W_gate": eighths(2, 2), "b_gate": eighths(2),
            "M": functions.causal_mask(2, 2), "angle": [[0], [1]],
            "config": Config(norm="pre", norm_kind="rms", ffn="swiglu", positions="rope", pairing="interleaved"),
        },
    ),
    *(
        (
            layers.decoder_layer,
            {"x": eighths(2, 2), "memory": eighths(3, 2), **layer_of(cross=True), **gains, "config": Config(norm=norm)},
        )
        for norm, gains in (("post", gains_of(norms=3)), ("pre", biases_of()), ("none", {}))
    ),
    (layers.encoder, {"E": eighths(3, 2), **layer_of(2), **biases_of(2), **gains_of(2)}),
    (
        layers.encoder,
        {"E": eighths(2, 2), **layer_of(2), "gamma_out": eighths(2), "config": Config(norm="pre", norm_out=True, ffn="silu")},
    ),
    (
        layers.encoder,
        {
            "E": eighths(3, 2), **layer_of(2, h_kv=1), "gamma_1": eighths(2, 2), "gamma_1_post": eighths(2, 2),
            "gamma_2_post": eighths(2, 2), "scale": "3/2", "softcap": "2", "base": "100",
            "config": Config(
                norm="sandwich", norm_kind="rms", mask="causal", window=2, window_layers=(0,),
                positions="rope", pairing="half",
            ),
        },
    ),
    (
        layers.encoder,
        {"E": eighths(2, 2), **{k: W for k, W in layer_of(1).items() if k not in ("W_1", "W_2")},
         "config": Config(norm="none", ffn="none", positions="alibi", mask="causal")},
    ),
    (
        layers.decoder,
        {
            "x": eighths(2, 2), "memory": eighths(3, 2), **layer_of(2, cross=True), **gains_of(2, norms=3),
            "M_cross": functions.padding_mask(2, 3),
        },
    ),
    (
        language.embedded,
        {"W_vocab": eighths(2, 4), "tokens": (3, 0, 3), "config": Config(positions="sinusoidal", scaled=True)},
    ),
    (
        language.embedded,
        {
            "W_vocab": eighths(2, 4), "W_pos": eighths(4, 2), "W_type": eighths(2, 2), "tokens": (3, 0),
            "types": (0, 1), "config": Config(positions="learned"), "offset": 1,
        },
    ),
    (language.unembedded, {"y": eighths(2, 2), "W_U": eighths(2, 4), "b_U": eighths(4)}),
    (language.unembedded, {"y": eighths(2, 2), "W_U": eighths(2, 4), "b_U": eighths(4), "softcap_out": "3"}),
    (
        language.transformed,
        {"y": eighths(2, 2), "W_T": eighths(2, 2), "b_T": eighths(2), "gamma_T": eighths(2), "beta_T": eighths(2), "eps": "0.1"},
    ),
    (language.distribution, {"logits": eighths(2, 3), "temperature": "1/2"}),
    (language.losses, {"logits": eighths(3, 4), "tokens": (1, 3, 0)}),
    (
        language.language_model,
        {
            "W_vocab": eighths(2, 4), "W_pos": eighths(2, 2), "tokens": (3, 0), **layer_of(2),
            "config": Config(positions="learned", mask="causal", norm="pre", norm_in=True),
        },
    ),
    (
        language.language_model,
        {"W_vocab": eighths(2, 4), "W_U": eighths(2, 3), "tokens": (3, 0), "temperature": "2", **layer_of(1)},
    ),
    (
        language.encoder_decoder,
        {
            "W_vocab": eighths(2, 4), "tokens": (3, 0, 2), "outputs": (1, 2), **layer_of(1), **layer_of(1, part="_dec"),
            **{k: W for k, W in layer_of(1, cross=True).items() if k.endswith("_cross")},
            "config": Config(positions="sinusoidal", scaled=True, norm="none"),
        },
    ),
]  # fmt: skip


def test_every_model_of_the_package_is_in_the_list() -> None:
    # Parts that give no array: what they give is seen in the stacks that call them.
    parts = {"layers_in", "of_layer", "masks_of", "positions_of", "attended", "fed"}
    assert {f.__name__ for f in builtin_functions()} == {f.__name__ for f, _ in MODELS} | parts


@pytest.mark.parametrize(("function", "inputs"), MODELS)
def test_the_graph_in_float64_is_the_function_on_floats(
    function: Callable[..., Any], inputs: dict[str, Any]
) -> None:
    """To the bit where no product differs in memory layout, else within its summation bound."""
    d = sa.derive(function, **inputs)
    arrays = {name: Floating().array(value) for name, value in d.inputs.items()}
    plain = function(**arrays, **d.options)
    traced = d.floats()[d.graph.result]
    transposed = any(n.op == "gather" for n in d.graph.nodes)
    if transposed:
        np.testing.assert_allclose(traced, plain, rtol=1e-13, atol=1e-15)
    else:
        assert (traced == plain).all()


@pytest.mark.parametrize(("function", "inputs"), MODELS)
def test_exact_and_float_agree(function: Callable[..., Any], inputs: dict[str, Any]) -> None:
    report = sa.derive(function, **inputs).verify()
    assert report.agrees, report.disagreements


def onnx_attention(d: sa.Derivation, **attributes: Any) -> tuple[np.ndarray, np.ndarray]:
    """O and A of the ONNX reference evaluator's Attention, in float64."""
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator

    node = helper.make_node(
        "Attention", ["Q", "K", "V"], ["Y", "", "", "A"], qk_matmul_output_mode=3, **attributes
    )
    inputs = [helper.make_tensor_value_info(n, TensorProto.DOUBLE, None) for n in "QKV"]
    outputs = [helper.make_tensor_value_info(n, TensorProto.DOUBLE, None) for n in "YA"]
    graph = helper.make_graph([node], "attention", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)])
    feeds = {n: d[n].numeric()[None, None] for n in "QKV"}
    y, a = ReferenceEvaluator(model).run(None, feeds)
    return y[0, 0], a[0, 0]


@pytest.mark.parametrize("name", ["article", "article-encoder"])
def test_onnx_agrees_on_the_article(name: str) -> None:
    d = sa.load(name)
    o, a = onnx_attention(d, is_causal=int(name == "article"))
    report = d.verify(A=a, O=o)
    assert report.agrees, report.disagreements


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("scale", [None, "1/4"])
def test_onnx_agrees_on_random_heads(causal: int, scale: str | None) -> None:
    """ONNX's scale is the reciprocal of our divisor."""
    inputs: dict[str, Any] = {
        "E": eighths(4, 3), "W_Q": eighths(3, 2), "W_K": eighths(3, 2), "W_V": eighths(3, 3),
        "M": functions.causal_mask(4, 4) if causal else None, "scale": scale and "4",
    }  # fmt: skip
    d = sa.derive(transformer.attention_head, **inputs)
    attributes = {"scale": 0.25} if scale else {}
    o, a = onnx_attention(d, is_causal=causal, **attributes)
    # The evaluator's own products round on their own; its inputs are our float64 Q, K, V.
    np.testing.assert_allclose(a, d["A"].numeric(), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(o, d["O"].numeric(), rtol=1e-12, atol=1e-13)


def test_onnx_sees_a_missing_mask() -> None:
    """The comparison can fail: without the mask, ONNX's A is another one."""
    d = sa.article()
    _, a = onnx_attention(d, is_causal=0)
    assert not d.verify(A=a).agrees


WORKED = sorted((Path(__file__).parent / "cases" / "worked").glob("*.json"))


def worked_derivation(case: dict[str, Any]) -> sa.Derivation | None:
    given = dict(case["given"])
    mask, scale = given.pop("mask"), given.pop("scale")
    n = len(next(iter(given.values())))
    options = {"M": functions.causal_mask(n, n) if mask == "causal" else None, "scale": scale}
    if "E" in given:
        width = len(given["E"][0])
        identity = np.eye(width, dtype=int).tolist()
        weights = {name: given.get(name, identity) for name in ("W_Q", "W_K", "W_V")}
        return sa.derive(transformer.attention_head, E=given["E"], **weights, **options)
    if "S" in given:
        return sa.derive(from_scores, **given, **options)
    assert mask == "none"
    return sa.derive(from_qkv, **given, scale=scale)


def from_qkv(Q, K, V, scale):
    S = Q @ K.T
    Z = S / scale
    A = softmax(Z)
    O = A @ V
    return O


def from_scores(S, M, scale):
    Z = S / scale
    Z_masked = Z + M
    A = softmax(Z_masked)
    return A


softmax = functions.softmax


@pytest.mark.parametrize("path", WORKED, ids=lambda p: p.stem)
def test_published_worked_examples_have_the_values_that_others_computed(path: Path) -> None:
    """`exact` in these files was computed elsewhere, to 12 significant digits."""
    case = json.loads(path.read_text("utf-8"))
    d = worked_derivation(case)
    compared = 0
    for verdict in case["verdict"]:
        name = {"Zm": "Z_masked"}.get(verdict["name"], verdict["name"])
        step = d[name]
        place = step if verdict["index"] is None else step[verdict["index"]]
        for entry, exact in zip(flat(place), flat(verdict["exact"]), strict=True):
            if exact in ("-inf", "-oo"):
                assert entry.decimal(1) == "-oo"
            else:
                assert abs(float(exact) - float(entry.decimal(15))) <= 1e-11 * max(
                    1, abs(float(exact))
                )
            compared += 1
    assert compared


def flat(value: Any) -> list[Any]:
    if isinstance(value, list) or hasattr(value, "entries"):
        return [x for part in value for x in flat(part)]
    return [value]


def test_the_article_is_built_from_its_facts() -> None:
    facts = json.loads((Path(__file__).parent / "cases" / "article-facts.json").read_text("utf-8"))
    spec = load_spec("article")
    assert list(spec.tokens) == facts["tokens"]
    assert list(spec.vocabulary or ()) == facts["vocabulary"]
    for column, word in enumerate(facts["vocabulary"]):
        known = facts["W_vocab"][word]
        if known is None:
            assert f"W_vocab[:,{column}]" in spec.reconstructed
        else:
            assert [Fraction(x) for x in known] == list(spec.matrices["W_vocab"][:, column])
    assert [c.printed for c in spec.claims[:2]] == [facts["printed"]["A"], facts["printed"]["O"]]
