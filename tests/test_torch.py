"""Our layers against PyTorch's: random weights, taken exactly, and outputs within the bound.

Every output of PyTorch's float64 has to lie in the ball around our exact value, widened by
`SLACK` times the running error bound of our own graph. PyTorch orders sums, scales queries and
fuses operations in its own way; the bound, for any order of summation, has room for that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symattn as sa
from symattn import attention, functions, layers
from symattn.config import Config
from symattn.sublayers import layer_attention
from tests import peers
from tests.peers import stacked

torch = pytest.importorskip("torch", reason="PyTorch is missing: pip install torch")
pytestmark = pytest.mark.torch

SLACK = 1
rng = np.random.default_rng(11)

D, H, FF = 8, 2, 12  # d_model, heads, d_ff


def largest_share(theirs: Any, function: Any, **inputs: Any) -> float:
    """The largest distance of an entry of theirs, in bounds of ours; infinite where none holds."""
    d = sa.derive(function, exact="binary", **inputs)
    return peers.largest_share(d, d.graph.result, theirs.detach().numpy())


def shuffled(module: Any) -> Any:
    """The module in float64, every parameter random: PyTorch starts biases and gains at 0 and 1."""
    module = module.double().eval()
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.from_numpy(rng.normal(0, 0.35, p.shape)))
    return module


def rows(n: int) -> np.ndarray:
    return rng.normal(0, 1, (n, D))


def heads(weight: Any, bias: Any) -> tuple[np.ndarray, np.ndarray]:
    """PyTorch's projection y = x Wᵀ + b, as one matrix and one bias a head."""
    W, b = weight.detach().numpy(), bias.detach().numpy()
    return attention.split_heads(W.T, H), attention.split_heads(b, H)


def of_attention(module: Any, suffix: str = "") -> dict[str, np.ndarray]:
    found = {}
    for name, weight, bias in zip(
        "QKV", module.in_proj_weight.chunk(3), module.in_proj_bias.chunk(3), strict=True
    ):
        found[f"W_{name}{suffix}"], found[f"b_{name}{suffix}"] = heads(weight, bias)
    found[f"W_O{suffix}"] = module.out_proj.weight.detach().numpy().T
    found[f"b_O{suffix}"] = module.out_proj.bias.detach().numpy()
    return found


def of_rest(module: Any, norms: int) -> dict[str, np.ndarray]:
    found = {}
    for i, linear in enumerate((module.linear1, module.linear2), 1):
        found[f"W_{i}"], found[f"b_{i}"] = (
            linear.weight.detach().numpy().T,
            linear.bias.detach().numpy(),
        )
    for i in range(1, norms + 1):
        norm = getattr(module, f"norm{i}")
        found[f"gamma_{i}"], found[f"beta_{i}"] = (
            norm.weight.detach().numpy(),
            norm.bias.detach().numpy(),
        )
    return found


def of_encoder(module: Any) -> dict[str, np.ndarray]:
    return of_attention(module.self_attn) | of_rest(module, 2)


def of_decoder(module: Any) -> dict[str, np.ndarray]:
    cross = of_attention(module.multihead_attn, "_cross")
    return of_attention(module.self_attn) | cross | of_rest(module, 3)


def causal(n: int) -> Any:
    return torch.from_numpy(functions.causal_mask(n, n))


def new_layer(kind: Any, norm: str, activation: str = "relu") -> Any:
    return shuffled(
        kind(
            D, H, FF, dropout=0.0, activation=activation, norm_first=norm == "pre", batch_first=True
        )
    )


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("scale", [None, 3.0])
def test_scaled_dot_product_attention(masked: bool, scale: float | None) -> None:
    Q, K, V = rng.normal(0, 2, (5, 4)), rng.normal(0, 2, (6, 4)), rng.normal(0, 2, (6, 3))
    M = functions.causal_mask(5, 6) if masked else None
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *(torch.from_numpy(x)[None] for x in (Q, K, V)),
        attn_mask=None if M is None else torch.from_numpy(M),
        scale=None if scale is None else 1 / scale,
    )
    options = {"M": M, "scale": None if scale is None else np.float64(scale)}
    assert (
        largest_share(theirs[0], attention.scaled_dot_product_attention, Q=Q, K=K, V=V, **options)
        <= SLACK
    )


@pytest.mark.parametrize("crossed", [False, True])
def test_multi_head_attention(crossed: bool) -> None:
    module = shuffled(torch.nn.MultiheadAttention(D, H, batch_first=True))
    x, memory = rows(5), rows(6)
    asked = torch.from_numpy(memory if crossed else x)
    M = None if crossed else functions.causal_mask(5, 5)
    theirs, _ = module(
        torch.from_numpy(x), asked, asked, need_weights=False,
        attn_mask=None if M is None else torch.from_numpy(M),
    )  # fmt: skip
    given = {"x": x, **of_attention(module), "M": M, "memory": memory if crossed else None}
    assert largest_share(theirs, layer_attention, **given) <= SLACK
    assert largest_share(theirs, attention.multi_head, **given) <= SLACK


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("kind", ["relu", "gelu"])
def test_encoder_layer(norm: str, kind: str) -> None:
    module = new_layer(torch.nn.TransformerEncoderLayer, norm, kind)
    x = rows(5)
    config = Config(norm=norm, ffn=kind, gelu="erf" if kind == "gelu" else "")
    theirs = module(torch.from_numpy(x)[None])[0]
    given = {"x": x, **of_encoder(module), "config": config}
    assert largest_share(theirs, layers.encoder_layer, **given) <= SLACK


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_decoder_layer(norm: str) -> None:
    module = new_layer(torch.nn.TransformerDecoderLayer, norm)
    x, memory = rows(4), rows(6)
    theirs = module(torch.from_numpy(x)[None], torch.from_numpy(memory)[None], tgt_mask=causal(4))[
        0
    ]
    given = {"x": x, "memory": memory, **of_decoder(module), "config": Config(norm=norm)}
    assert largest_share(theirs, layers.decoder_layer, **given) <= SLACK


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_encoder_of_two_layers_and_a_last_norm(norm: str) -> None:
    parts = [new_layer(torch.nn.TransformerEncoderLayer, norm) for _ in range(2)]
    last = shuffled(torch.nn.LayerNorm(D))
    x = rows(5)
    theirs = last(parts[1](parts[0](torch.from_numpy(x)[None])))[0]
    given = stacked([of_encoder(p) for p in parts]) | {
        "gamma_out": last.weight.detach().numpy(),
        "beta_out": last.bias.detach().numpy(),
    }
    config = Config(norm=norm, norm_out=True)
    assert largest_share(theirs, layers.encoder, E=x, config=config, **given) <= SLACK


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_decoder_of_two_layers(norm: str) -> None:
    parts = [new_layer(torch.nn.TransformerDecoderLayer, norm) for _ in range(2)]
    x, memory = rows(4), rows(6)
    y, m = torch.from_numpy(x)[None], torch.from_numpy(memory)[None]
    for part in parts:
        y = part(y, m, tgt_mask=causal(4))
    given = stacked([of_decoder(p) for p in parts]) | {"config": Config(norm=norm)}
    assert largest_share(y[0], layers.decoder, x=x, memory=memory, **given) <= SLACK


def test_losses_of_every_position() -> None:
    logits = rng.normal(0, 3, (4, 5))
    targets = (4, 0, 2, 2)
    theirs = torch.nn.functional.cross_entropy(
        torch.from_numpy(logits), torch.tensor(targets), reduction="none"
    )
    assert largest_share(theirs, functions.cross_entropy, logits=logits, targets=targets) <= SLACK
    assert (
        largest_share(
            torch.log_softmax(torch.from_numpy(logits), -1), functions.log_softmax, x=logits
        )
        <= SLACK
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"config": Config(norm="pre")},
        {"M": functions.causal_mask(5, 5)},
        {"eps": "0.0000100001"},
        {"b_O": None},
    ],
)
def test_the_comparison_can_fail(wrong: dict[str, Any]) -> None:
    """What is another layer, if only in the fifth digit of its ε, is seen."""
    module = new_layer(torch.nn.TransformerEncoderLayer, "post")
    x = rows(5)
    given = {"x": x, **of_encoder(module)}
    theirs = module(torch.from_numpy(x)[None])[0]
    assert largest_share(theirs, layers.encoder_layer, **given) <= SLACK
    assert largest_share(theirs, layers.encoder_layer, **given | wrong) > 10 * SLACK


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_gradients_of_an_encoder_layer(norm: str) -> None:
    """Of a sum of its outputs, weighted, by every parameter and by what went in: autograd's."""
    module = new_layer(torch.nn.TransformerEncoderLayer, norm, "gelu")
    x, w = rows(4), rows(4)
    given = {**of_encoder(module), "config": Config(norm=norm, ffn="gelu", gelu="erf")}
    d = sa.derive(weighted_layer, exact="binary", x=x, w=w, **given).backward("return")
    at = torch.from_numpy(x)[None].requires_grad_()
    (module(at) * torch.from_numpy(w)).sum().backward()
    attention_ = module.self_attn
    theirs = {
        "x": at.grad[0],
        "W_1": module.linear1.weight.grad.T, "b_1": module.linear1.bias.grad,
        "W_2": module.linear2.weight.grad.T, "b_2": module.linear2.bias.grad,
        "gamma_1": module.norm1.weight.grad, "beta_1": module.norm1.bias.grad,
        "gamma_2": module.norm2.weight.grad, "beta_2": module.norm2.bias.grad,
        "W_O": attention_.out_proj.weight.grad.T, "b_O": attention_.out_proj.bias.grad,
    }  # fmt: skip
    for name, slope in zip("QKV", attention_.in_proj_weight.grad.chunk(3), strict=True):
        theirs[f"W_{name}"] = torch.from_numpy(attention.split_heads(slope.numpy().T, H))
    for name, slope in theirs.items():
        node = d.step(f"d{name}" if name != "x" else "dx").node
        assert peers.largest_share(d, node, slope.detach().numpy()) <= SLACK, name
    wrong = theirs["W_1"].numpy() * (1 + 1e-9)
    assert peers.largest_share(d, d.step("dW_1").node, wrong) > 10 * SLACK


def weighted_layer(x: Any, w: Any, *, config: Config, **weights: Any) -> Any:
    return np.sum(layers.encoder_layer(x, config=config, **weights) * w)


def test_gradients_of_cross_entropies() -> None:
    logits, targets = rng.normal(0, 3, (4, 5)), (4, 0, 2, 2)
    at = torch.from_numpy(logits).requires_grad_()
    torch.nn.functional.cross_entropy(at, torch.tensor(targets)).backward()
    d = sa.derive(predicted, exact="binary", logits=logits).backward(target=list(targets))
    assert peers.largest_share(d, d.step("dlogits").node, at.grad.numpy()) <= SLACK
    row = sa.derive(predicted, exact="binary", logits=logits).backward(target=2)
    assert peers.largest_share(row, row.step("dlogits").node, at.grad.numpy()) > 10 * SLACK


def predicted(logits: Any) -> Any:
    P = functions.softmax(logits)
    return P
