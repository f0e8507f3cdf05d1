"""Models that transformers saves, opened from their files, against what transformers makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symattn.numbers.ball import Ball
from symattn.pretrained.certificate import BALLS, certify
from symattn.pretrained.forward import Forward
from symattn.pretrained.weights import Weights
from tests.test_hf import (
    CAUSAL,
    TOKENS,
    in_float64,
    new_model,
    torch,
)

pytestmark = pytest.mark.hf

CLOSE = 1e-12
D, FF, N, H, H_KV = 8, 12, 2, 4, 2

LIKE_LLAMA = {
    "hidden_size": D, "num_hidden_layers": N, "num_attention_heads": H, "num_key_value_heads": H_KV,
    "intermediate_size": FF, "max_position_embeddings": 16,
    "rope_parameters": {"rope_type": "default", "rope_theta": 100.0},
}  # fmt: skip
SIZES: dict[str, dict[str, Any]] = {
    "GPT-2": {"n_embd": D, "n_layer": N, "n_head": H, "n_inner": FF, "n_positions": 16},
    "BERT": {
        "hidden_size": D, "num_hidden_layers": N, "num_attention_heads": H, "intermediate_size": FF,
        "max_position_embeddings": 16,
    },
    "Llama": {**LIKE_LLAMA, "head_dim": 4},
    "Mistral": {**LIKE_LLAMA, "head_dim": 4, "sliding_window": 3},
    "Qwen2": {
        **LIKE_LLAMA, "use_sliding_window": True, "sliding_window": 3, "max_window_layers": 1,
    },
}  # fmt: skip


@pytest.fixture(scope="module", params=SIZES)
def saved(request: pytest.FixtureRequest, tmp_path_factory: Any) -> tuple[str, Path, Any]:
    """A kind, the directory that it is saved in, and the model, all of it in float64."""
    kind = request.param
    with in_float64(kind):
        model = new_model(kind, **SIZES[kind])
    folder = tmp_path_factory.mktemp(kind.replace(" ", ""))
    model.save_pretrained(folder)
    return kind, folder, model


def theirs(kind: str, model: Any, lifted: bool = True) -> tuple[np.ndarray, np.ndarray]:
    with in_float64(kind), torch.no_grad():
        given = {"input_ids": torch.tensor([TOKENS])}
        states = model.base_model(**given).last_hidden_state
        logits = model(**given).logits
    return states[0].numpy(), logits[0].numpy()


def passed(folder: Path, tokens: tuple[int, ...] = TOKENS) -> tuple[Any, Any]:
    forward = Forward(Weights(folder), tokens, {BALLS: Ball(192)})
    for stage in forward.run():
        states = stage.result(BALLS)
    return states, forward.logits()[BALLS]


def test_states_and_logits(saved: tuple[str, Path, Any]) -> None:
    kind, folder, model = saved
    states, logits = passed(folder)
    found_states, found_logits = theirs(kind, model)
    middle = np.array([float(b) for b in states.balls()]).reshape(states.shape)
    assert np.max(np.abs(middle - found_states)) <= CLOSE
    last = np.array([float(b) for b in logits.balls()])
    assert np.max(np.abs(last - found_logits[-1])) <= CLOSE


def test_the_same_greedy_continuation(saved: tuple[str, Path, Any]) -> None:
    kind, folder, model = saved
    if kind not in CAUSAL:
        pytest.skip("it does not continue")
    ids = torch.tensor([TOKENS])
    made = model.generate(
        ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=5
    )
    tokens, weights = TOKENS, Weights(folder)
    for _ in range(5):
        predicted = certify(weights, tokens).predicted
        assert predicted is not None
        tokens = (*tokens, predicted)
    assert tuple(made[0].tolist()) == tokens
