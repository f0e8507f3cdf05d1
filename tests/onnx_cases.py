"""ONNX's own node cases, put to our functions: a thin adapter, and what it finds.

Inputs are the stored binary values, exactly. Every expected output is compared with balls
around the exact value of the same function; it may be off by what its float type explains.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
from flint import arb, ctx

import symattn as sa
from symattn import attention, functions
from symattn.literals import Infinity
from symattn.numbers.ball import Ball
from symattn.numbers.bounded import RunningError

BITS = 128

#: An expected output may be off by this many times the running error bound of our own graph
#: in its float type. ONNX's evaluator takes other ways with at most this many times as many
#: roundings: it scales Q and K by a rounded √scale each, where the graph divides once, adds
#: masks one by one, and multiplies by reciprocals.
SLACK = 2


@dataclass(frozen=True)
class Case:
    """A node with its inputs and expected outputs, by the node's own names, "" left out."""

    name: str
    operator: str
    attributes: dict[str, Any]
    inputs: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]


@dataclass(frozen=True)
class Found:
    """An output as we have it: balls or infinities in order, a bound for each, its shape."""

    balls: list[Any]
    bounds: list[float]
    shape: tuple[int, ...]


@cache
def cases() -> dict[str, list[Case]]:
    """The cases of each operator that we have, without the twins that spell one out."""
    from onnx import helper
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the generators themselves
        collected = collect_testcases(None)
    found: dict[str, list[Case]] = {operator: [] for operator in ADAPTERS}
    for case in collected:
        nodes = case.model.graph.node if case.model is not None else []
        if len(nodes) != 1 or nodes[0].op_type not in found or "_expanded" in case.name:
            continue
        node = nodes[0]
        inputs, outputs = case.data_sets[0]
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        found[node.op_type].append(
            Case(
                case.name, node.op_type, attributes,
                dict(zip((n for n in _formal(node, "inputs")), inputs, strict=True)),
                dict(zip((n for n in _formal(node, "outputs")), outputs, strict=True)),
            )
        )  # fmt: skip
    return found


def _formal(node: Any, side: str) -> list[str]:
    """The schema's names of a node's inputs or outputs, those that are left out left out."""
    from onnx import defs

    schema = defs.get_schema(node.op_type)
    names = [formal.name for formal in getattr(schema, side)]
    return [
        name
        for name, actual in zip(
            names, node.input if side == "inputs" else node.output, strict=False
        )
        if actual
    ]


def disagreements(case: Case) -> list[str]:
    """Where an expected output is not explained: a sentence for each."""
    found = ADAPTERS[case.operator](case)
    out = []
    for name, expected in case.outputs.items():
        ours = found[name]
        if ours.shape != expected.shape:
            out.append(f"{name}: shape {expected.shape}, ours {ours.shape}")
            continue
        values = np.asarray(expected, np.float64).ravel().tolist()
        for i, (value, ball, bound) in enumerate(zip(values, ours.balls, ours.bounds, strict=True)):
            if not _explained(value, ball, bound):
                out.append(f"{name}, entry {i}: {value!r}, ours {ball}, bound {bound:.3g}")
    return out


def _explained(value: float, ball: Any, bound: float) -> bool:
    if isinstance(ball, Infinity):
        return bool(np.isneginf(value)) and ball.sign < 0
    with ctx.workprec(BITS):
        # An infinite bound, or a ball as wide as it, would explain anything.
        sharp = np.isfinite([value, bound]).all() and ball.rad() <= 1e-25 * (1 + abs(ball.mid()))
        return bool(sharp) and bool(abs(arb(value) - ball) <= SLACK * bound)


# Running our functions.


class Derived:
    """A function over balls and over floats with their bound, at once."""

    def __init__(self, dtype: Any, function: Callable[..., Any], /, **arguments: Any) -> None:
        d = sa.derive(function, exact="binary", **{k: _wide(v) for k, v in arguments.items()})
        self.graph = d.graph
        self.systems = (Ball(BITS), RunningError(dtype))
        self.runs = [d.running(system) for system in self.systems]

    def result(self) -> Found:
        return _found(*(run[self.graph.result] for run in self.runs))

    def step(self, address: str) -> Found:
        node = self.graph.find(address).node
        return _found(*(run[node] for run in self.runs))

    def inverse(self, address: str) -> Found:
        node = self.graph.find(address).node
        one = np.array(Fraction(1), dtype=object)
        return _found(
            *(s.div(s.array(one), r[node]) for s, r in zip(self.systems, self.runs, strict=True))
        )


def _found(balls: Any, bounded: Any) -> Found:
    return Found(balls.balls(), bounded.bound.ravel().tolist(), bounded.shape)


def _wide(value: Any) -> Any:
    """A bfloat16 array as float32, which holds the same numbers."""
    half = isinstance(value, np.ndarray) and value.dtype.name == "bfloat16"
    return value.astype(np.float32) if half else value


def _joined(parts: list[Found], shape: tuple[int, ...]) -> Found:
    return Found([b for p in parts for b in p.balls], [b for p in parts for b in p.bounds], shape)


def _given(values: Any) -> Found:
    """What is handed through: exactly itself."""
    entries = np.asarray(values, np.float64).ravel().tolist()
    return Found([arb(x) for x in entries], [0.0] * len(entries), values.shape)


# Adapters, one an operator.


def _elementwise(function: Callable[..., Any], case: Case, **options: Any) -> dict[str, Found]:
    ((name, expected),) = case.outputs.items()
    (x,) = case.inputs.values()
    return {name: Derived(expected.dtype, function, x=x, **options).result()}


def _along(function: Callable[..., Any], case: Case) -> dict[str, Found]:
    return _elementwise(function, case, axis=case.attributes.get("axis", -1))


def _gelu(case: Case) -> dict[str, Found]:
    tanh = case.attributes.get("approximate") == b"tanh"
    return _elementwise(functions.gelu, case, kind="tanh" if tanh else "erf")


def _swish(case: Case) -> dict[str, Found]:
    return _elementwise(functions.swish, case, beta=Fraction(case.attributes.get("alpha", 1)))


def _normalised(function: Callable[..., Any], case: Case) -> dict[str, Found]:
    """Axes from `axis` on are one axis to us."""
    x = case.inputs["X"]
    axis = case.attributes.get("axis", -1) % x.ndim
    rows = x.reshape(-1, int(np.prod(x.shape[axis:])))
    gain = case.inputs.get("Scale", case.inputs.get("scale"))
    arguments = {"gamma": gain, "beta": case.inputs.get("B")}
    given = {k: v.ravel() for k, v in arguments.items() if v is not None}
    eps = Fraction(float(np.float32(case.attributes.get("epsilon", 1e-5))))
    d = Derived(x.dtype, function, x=rows, eps=eps, **given)
    reduced = (*x.shape[:axis], *(1,) * (x.ndim - axis))
    found = {"Y": _joined([d.result()], x.shape)}
    if "Mean" in case.outputs:
        found["Mean"] = _joined([d.step("mu")], reduced)
        found["InvStdDev"] = _joined([d.inverse("sigma")], reduced)
    return found


def _rotary(case: Case) -> dict[str, Found]:
    x, cos, sin = (case.inputs[k] for k in ("X", "cos_cache", "sin_cache"))
    if "position_ids" in case.inputs:
        cos, sin = (cache_[case.inputs["position_ids"]] for cache_ in (cos, sin))
    pairing = "interleaved" if case.attributes.get("interleaved") else "half"
    heads = [
        attention.split_heads(row, case.attributes["num_heads"]) if x.ndim == 3 else row
        for row in x
    ]
    parts = [
        Derived(x.dtype, functions.rotated, x=row, cos=c, sin=s, pairing=pairing)
        for row, c, s in zip(heads, cos, sin, strict=True)
    ]
    if x.ndim == 4:
        return {"Y": _joined([p.result() for p in parts], x.shape)}
    return {"Y": _joined([_merged(p.result()) for p in parts], x.shape)}


def _merged(found: Found) -> Found:
    """Heads side by side: h × n × d as n × h·d."""
    h, n, d = found.shape
    order = np.arange(h * n * d).reshape(h, n, d).swapaxes(0, 1).ravel().tolist()
    return Found([found.balls[i] for i in order], [found.bounds[i] for i in order], (n, h * d))


#: By ONNX's qk_matmul_output_mode, our step.
MODES = ("Z", "Z_capped", "Z_masked", "A")


def _attention(case: Case) -> dict[str, Found]:
    given, wanted = case.inputs, case.attributes
    Q, K, V = (given[name] for name in "QKV")
    h, h_kv = wanted.get("q_num_heads"), wanted.get("kv_num_heads")
    if Q.ndim == 3:
        Q = np.stack([attention.split_heads(x, h) for x in Q])
        K, V = (np.stack([attention.split_heads(x, h_kv) for x in X]) for X in (K, V))
    if "past_key" in given:
        K = np.concatenate([given["past_key"], K], axis=2)
        V = np.concatenate([given["past_value"], V], axis=2)
    (b, h, n_q, _), n_k = Q.shape, K.shape[2]
    lengths = given.get("nonpad_kv_seqlen")
    past = given["past_key"].shape[2] if "past_key" in given else 0
    parts = []
    for i in range(b):
        offset = past if lengths is None else int(lengths[i]) - n_q
        M, bias = _mask(case, i, (b, h, n_q, n_k), offset)
        parts.append(
            Derived(
                case.outputs["Y"].dtype, attention.grouped_query_attention,
                Q=Q[i], K=K[i], V=V[i], M=M, bias=bias, scale=_divisor(wanted),
                softcap=Fraction(wanted["softcap"]) if wanted.get("softcap") else None,
                fully_masked="zero",
            )
        )  # fmt: skip
    heads = [p.result() for p in parts]
    if given["Q"].ndim == 3:
        heads = [_merged(y) for y in heads]
    found = {"Y": _joined(heads, (b, *heads[0].shape))}
    step = MODES[wanted.get("qk_matmul_output_mode", 0)]
    scores = [p.step(f"SDPA[{q}].{step}") for p in parts for q in range(h)]
    found["qk_matmul_output"] = _joined(scores, (b, h, n_q, n_k))
    return found | {"present_key": _given(K), "present_value": _given(V)}


def _divisor(attributes: dict[str, Any]) -> Fraction | None:
    return 1 / Fraction(attributes["scale"]) if "scale" in attributes else None


def _mask(
    case: Case, i: int, shape: tuple[int, int, int, int], offset: int
) -> tuple[np.ndarray, np.ndarray | None]:
    """What hides keys from sequence i, and what is added to its scores."""
    _, h, n_q, n_k = shape
    M = np.zeros((h, n_q, n_k))
    if case.attributes.get("is_causal"):
        M = functions.intersection(M, functions.causal_mask(n_q, n_k, offset))
    sides = [case.attributes.get(f"{side}_window_size", -1) for side in ("left", "right")]
    window = (None if sides[0] < 0 else sides[0], None if sides[1] < 0 else sides[1])
    M = functions.intersection(M, functions.sliding_window_mask(n_q, n_k, window, offset))
    if "nonpad_kv_seqlen" in case.inputs:
        length = int(case.inputs["nonpad_kv_seqlen"][i])
        M = functions.intersection(M, functions.padding_mask(length, n_k))
    mask = case.inputs.get("attn_mask")
    if mask is None:
        return M, None
    # A mask that ends early hides the keys after its end.
    known = mask.shape[-1]
    mask = np.broadcast_to(mask, (*shape[:3], known))[i]
    M = functions.intersection(M, functions.padding_mask(known, n_k))
    if mask.dtype == bool:
        seen = np.concatenate([mask, np.ones((h, n_q, n_k - known), bool)], axis=-1)
        return functions.intersection(M, functions.additive_mask(keep=seen)), None
    return M, np.concatenate([_wide(mask), np.zeros((h, n_q, n_k - known), np.float32)], axis=-1)


ADAPTERS: dict[str, Callable[[Case], dict[str, Found]]] = {
    "Attention": _attention,
    "Softmax": partial(_along, functions.softmax),
    "LogSoftmax": partial(_along, functions.log_softmax),
    "LayerNormalization": partial(_normalised, functions.layer_norm),
    "RMSNormalization": partial(_normalised, functions.rms_norm),
    "RotaryEmbedding": _rotary,
    "Gelu": _gelu,
    "Relu": partial(_elementwise, functions.relu),
    "Swish": _swish,
    "Sigmoid": partial(_elementwise, functions.sigmoid),
}


def outcomes(operator: str) -> Iterator[tuple[Case, list[str]]]:
    """Each case of an operator with where it is not explained."""
    for case in cases()[operator]:
        try:
            yield case, disagreements(case)
        except sa.SymattnError as error:
            yield case, [f"{type(error).__name__}: {error}"]
