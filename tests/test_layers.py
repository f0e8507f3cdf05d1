"""Whole layers: their addresses and symbols, their options, and how small exact values stay."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import symattn as sa
from symattn import functions, language, layers
from symattn.config import Config
from symattn.errors import OptionError, ShapeError
from symattn.numbers.normal_form import Sum

SIZE = {"N": 2, "h": 2, "d": 4, "d_k": 2, "d_ff": 8}


def eighths(rng: np.random.Generator, *shape: int) -> Any:
    return np.vectorize(lambda k: Fraction(int(k), 8), otypes=[object])(rng.integers(-8, 9, shape))


def stack() -> tuple[Any, dict[str, Any]]:
    """Eight tokens of four dimensions, and two layers with every bias and gain."""
    rng = np.random.default_rng(1)
    N, h, d, d_k, d_ff = SIZE.values()
    weights = {
        **{f"W_{name}": eighths(rng, N, h, d, d_k) for name in "QKV"},
        **{f"b_{name}": eighths(rng, N, h, d_k) for name in "QKV"},
        "W_O": eighths(rng, N, d, d), "b_O": eighths(rng, N, d),
        "W_1": eighths(rng, N, d, d_ff), "b_1": eighths(rng, N, d_ff),
        "W_2": eighths(rng, N, d_ff, d), "b_2": eighths(rng, N, d),
        **{f"{k}_{i}": eighths(rng, N, d) for k in ("gamma", "beta") for i in (1, 2)},
    }  # fmt: skip
    return eighths(rng, 8, d), weights


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("kind", ["relu", "gelu"])
def test_two_layers_stay_small(norm: str, kind: str) -> None:
    """Terms of all distinct entries of all steps."""
    x, weights = stack()
    d = sa.derive(
        layers.encoder,
        E=x,
        config=Config(norm=norm, ffn=kind, gelu="erf" if kind == "gelu" else ""),
        **weights,
    )
    entries = {e for s in d for e in np.asarray(s.forms, dtype=object).flat if isinstance(e, Sum)}
    assert sum(map(len, entries)) < 10_000
    assert all(len(row) == 4 for row in d.step("layer[1].x_2").decimal(12))
    assert d.verify().agrees


def test_addresses_and_symbols() -> None:
    x, weights = stack()
    d = sa.derive(layers.encoder, E=x, **weights)
    assert d["layer[1].head[0].A"].symbol == "A^{(1,0)}"
    assert d["layer[0].head[1].Z_masked"].address == "layer[0].head[1].Z"
    assert d["layer[1].x_2"].address == "layer[1].layer_norm[1].y"  # named there first
    assert d["layer[1].head[0].W_Q"].formula == "W_Q^{(1,0)} = W_Q[1, 0]"
    assert d["layer[1].head[1].S"].formula == r"S^{(1,1)} = Q^{(1,1)} {K^{(1,1)}}^{\top}"
    assert d["layer[1].H"].formula == r"H^{(1)} = \mathrm{Concat}\left(O^{(1,0)}, O^{(1,1)}\right)"
    assert len({s.symbol for s in d if not s.inside}) == len([s for s in d if not s.inside])
    assert d["layer[0].FFN[0].F"].symbol == "F^{(0,0)}"


def test_heads_of_a_decoder_have_their_own_addresses() -> None:
    x, weights = stack()
    cross = {f"W_{name}_cross": weights[f"W_{name}"] for name in "QKVO"}
    d = sa.derive(layers.decoder, x=x[:3], memory=x, config=Config(norm="none"), **{
        k: v for k, v in (weights | cross).items() if k[0] in "Wb" and not k.startswith("beta")
    })  # fmt: skip
    assert d["layer[1].head[0].A"].symbol == "A^{(1,0)}"
    assert d["layer[1].cross[0].head[0].A"].symbol == "A^{(1,0,0)}"
    assert d["layer[0].head[1].A"].shape == (3, 3)
    assert d["layer[0].cross[0].head[1].A"].shape == (3, 8)
    assert d["layer[0].head[1].A[0,2]"].decimal(1) == "0.0"  # causal without being asked


def test_a_later_token_changes_nothing_before_it() -> None:
    weights = {
        "W_vocab": [[1, 0, "1/2"], [0, 1, "1/3"]],
        "config": Config(positions="sinusoidal", mask="causal", norm_kind="rms"),
    }
    for name in ("W_Q", "W_K", "W_V"):
        weights[name] = [[[[1], [2]]]]
    weights |= {"W_O": [[[1, -1]]], "W_1": [[[1, 2], [3, 1]]], "W_2": [[[1, 0], [0, 1]]]}
    a, b = (
        sa.derive(language.language_model, tokens=t, **weights)["logits"]
        for t in ((0, 1, 2), (0, 1, 1))
    )
    assert [a.forms[i, j] == b.forms[i, j] for i in (0, 1, 2) for j in range(3)] == [True] * 6 + [
        False
    ] * 3


def test_a_stack_is_its_layers() -> None:
    x, weights = stack()
    config = Config(norm="pre")
    whole = sa.derive(layers.encoder, E=x, config=config, **weights)
    first = sa.derive(
        layers.encoder_layer, x=x, config=config, **{k: W[0] for k, W in weights.items()}
    )
    for mine, other in zip(whole["layer[0].x_2"].forms.flat, first["x_2"].forms.flat, strict=True):
        assert mine == other


def test_probabilities_and_losses_of_every_position() -> None:
    d = sa.derive(losses, logits=[[0, 1, "1/2"], [2, 0, 1]])
    assert d["P"].decimal(4)[0] == ["0.1863", "0.5065", "0.3072"]
    assert d["P_sharp"].decimal(4)[0] == ["0.0900", "0.6652", "0.2447"]
    assert d["L"].decimal(4) == ["0.6803", "2.4076"]


def losses(logits):
    P = functions.tempered_softmax(logits, 1)
    P_sharp = functions.tempered_softmax(logits, 0.5)
    L = functions.cross_entropy(logits, (1, 1))
    return P, P_sharp, L


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"norm": "both"},
            OptionError,
            "norm: wanted one of post, pre, sandwich, none, got 'both'",
        ),
        ({"norm": "none"}, OptionError, "norm is 'none'"),
        ({"norm_kind": "batch"}, OptionError, "norm_kind: wanted one of layer, rms, got 'batch'"),
        ({"norm_kind": "rms"}, OptionError, "RMSNorm has none"),
        ({"positions": "rope"}, OptionError, "pairing: wanted 'interleaved' or 'half'"),
        ({"ffn": "gelu"}, OptionError, "gelu: wanted 'erf' or 'tanh'"),
        ({"window_layers": (0,)}, OptionError, "wanted with a window only"),
        ({"rope_dimensions": 2}, OptionError, "where positions are 'rope' only"),
        ({"gamma_out": [1, 1, 1, 1]}, OptionError, "wanted with norm_out only"),
        ({"gamma_1_post": [[1] * 4] * 2}, OptionError, "wanted in a sandwich only"),
        ({"b_1": [[0] * 8] * 3}, ShapeError, "b_1: wanted 2 layers in front, as in W_Q, got 3"),
        ({"W_K": np.zeros((2, 3, 4, 2), int)}, ShapeError, "divisible by h_kv = 3, got h = 2"),
        ({"W_Z": [[1]] * 2}, OptionError, "a layer: no weight 'W_Z', did you mean "),
    ],
)
def test_what_cannot_be_is_refused(change: dict[str, Any], error: type, message: str) -> None:
    x, weights = stack()
    options = {k: v for k, v in change.items() if k in Config.__dataclass_fields__}
    rest = {k: v for k, v in change.items() if k not in options}
    with pytest.raises(error, match=re.escape(message)):
        sa.derive(layers.encoder, config=Config(**options), **{"E": x, **weights, **rest})


@pytest.mark.parametrize(
    ("positions", "change", "error", "message"),
    [
        ("learned", {}, OptionError, "W_pos: wanted with learned positions only"),
        ("none", {"W_pos": [[1, 1]] * 2}, OptionError, "W_pos: wanted with learned positions only"),
        ("none", {"types": (0, 1)}, OptionError, "W_type and types: wanted together"),
        ("none", {"types": (0,), "W_type": [[1, 1]]}, ShapeError, "wanted 2, one a token, got 1"),
        ("learned", {"W_pos": [[1, 1]]}, ShapeError, "wanted 2 positions, got 1"),
    ],
)
def test_embeddings_that_cannot_be_are_refused(
    positions: str, change: dict[str, Any], error: type, message: str
) -> None:
    given = {"W_vocab": [[1, 2, 3], [4, 5, 6]], "tokens": (2, 0), **change}
    with pytest.raises(error, match=message):
        sa.derive(language.embedded, config=Config(positions=positions), **given)


def test_as_many_targets_as_positions() -> None:
    with pytest.raises(ShapeError, match="targets: wanted 2, one a position, got 1"):
        functions.cross_entropy(np.zeros((2, 3)), [0])
