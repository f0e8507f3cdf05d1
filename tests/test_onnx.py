"""Our functions against ONNX's own node cases; see `tests.onnx_cases` for how."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.onnx_cases import ADAPTERS, Case, cases, disagreements, outcomes

pytestmark = pytest.mark.once

#: Cases that cannot agree, by name, with the reason. None of onnx 1.23.2.
CANNOT_AGREE: dict[str, str] = {}

#: How many cases onnx 1.23.2 has; later releases may add some, none may go unnoticed.
COUNTS = {
    "Attention": 93, "Softmax": 7, "LogSoftmax": 7, "LayerNormalization": 19,
    "RMSNormalization": 19, "RotaryEmbedding": 8, "Gelu": 4, "Relu": 1, "Swish": 1, "Sigmoid": 2,
}  # fmt: skip


@pytest.mark.parametrize("operator", ADAPTERS)
def test_every_case_agrees_but_for_those_that_cannot(operator: str) -> None:
    found = list(outcomes(operator))
    assert len(found) >= COUNTS[operator]
    wrong = {case.name: reasons[:3] for case, reasons in found if reasons}
    expected = {case.name for case, _ in found} & CANNOT_AGREE.keys()
    assert wrong.keys() == expected, wrong


def test_no_name_that_cannot_agree_is_stale() -> None:
    assert CANNOT_AGREE.keys() <= {case.name for found in cases().values() for case in found}


# The comparison can fail: what follows is wrong on purpose.


def named(name: str) -> Case:
    return next(case for found in cases().values() for case in found if case.name == name)


@pytest.mark.parametrize("operator", sorted(ADAPTERS.keys() - {"Relu"}))
def test_an_output_off_by_a_thousand_roundings_is_seen(operator: str) -> None:
    for case in cases()[operator]:
        if next(iter(case.outputs.values())).dtype != np.float32:
            continue
        outputs = {k: v - np.float32(1e-4) * (1 + abs(v)) for k, v in case.outputs.items()}
        assert disagreements(replace(case, outputs=outputs)), case.name


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("test_attention_4d_causal", {"is_causal": 0}),
        ("test_attention_4d_scaled", {"scale": 0.02}),
        ("test_attention_4d_softcap", {"softcap": 3.0}),
        ("test_attention_bidirectional_window", {"left_window_size": 2, "right_window_size": 1}),
        ("test_attention_local_window", {"left_window_size": 1}),
        ("test_attention_4d_with_qk_matmul_softcap", {"qk_matmul_output_mode": 0}),
        ("test_gelu_tanh_2", {"approximate": b"none"}),
        ("test_rotary_embedding", {"interleaved": 1}),
        ("test_layer_normalization_3d_axis2_epsilon", {"epsilon": 1e-5}),
    ],
)
def test_another_option_is_seen(name: str, changes: dict[str, Any]) -> None:
    case = named(name)
    assert disagreements(replace(case, attributes={**case.attributes, **changes}))


def test_tiled_heads_are_seen() -> None:
    """ONNX repeats heads of keys and values, as we do: [0, 0, 0, 1, …], not [0, 1, 2, 0, …]."""
    case = named("test_attention_4d_gqa")
    tiled = {k: case.inputs[k][:, [0, 1, 2] * 3] for k in "KV"}
    assert disagreements(replace(case, inputs={**case.inputs, **tiled}))
