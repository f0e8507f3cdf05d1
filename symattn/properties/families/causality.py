"""Causality: what a row can depend on, with a mask, without one, and with a window."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symattn import layers
from symattn.attention import scaled_dot_product_attention
from symattn.config import Config
from symattn.derivation import Derivation, derive
from symattn.properties.checks import (
    causal,
    depends,
    every,
    independent,
    result,
    symbols,
)
from symattn.properties.core import Family, Outcome, Size
from symattn.properties.families.weights import head
from symattn.sublayers import feed_forward_network

FAMILY = Family(__name__)

SECTION = "Vaswani et al. (2017), section 3.2.3"

#: As many layers as are derived: the proof for any number goes from one to the next.
LAYERS = 1


def stack(size: Size, config: Config, N: int = LAYERS, E: Any = None) -> Derivation:
    """N layers of symbols alone, over rows E: n tokens of symbols, if left out."""
    h, d, d_k = size.h, size.d, size.d_k
    weights: dict[str, Any] = {
        **{name: symbols(name, N, h, d, d_k) for name in ("W_Q", "W_K", "W_V")},
        "W_O": symbols("W_O", N, h * d_k, d),
    }
    if config.ffn != "none":
        weights |= {"W_1": symbols("W_1", N, d, d), "W_2": symbols("W_2", N, d, d)}
    rows = symbols("E", size.n, d) if E is None else E
    return derive(layers.encoder, E=rows, config=config, **weights)


def later(n: int) -> Any:
    """The tokens after token i."""
    return lambda i: range(i + 1, n)


def past_only(size: Size, config: Config) -> Outcome:
    """Whether row i of a layer depends on no later token."""
    out = result(stack(size, config))
    return independent(out, "E", later(size.n), range(size.n))


@FAMILY.stated(
    "Row $i$ of a causal head depends on no token after $i$.",
    r"\partial O_i / \partial E_j = 0 \quad (j > i)", source=SECTION,
)  # fmt: skip
def one_head(size: Size) -> Outcome:
    return independent(head(size)["O"], "E", later(size.n), range(size.n))


@FAMILY.stated(
    "With a causal mask, row $i$ of any number of layers depends on no token after $i$.",
    r"\partial \mathrm{out}_i / \partial E_j = 0 \quad (j > i)", source=SECTION,
)  # fmt: skip
def causal_layers(size: Size) -> Outcome:
    kinds = [Config(mask="causal", norm=norm) for norm in ("post", "pre", "none")]
    found = every(past_only(size, config) for config in kinds)
    way = "symbols that occur, in a layer over any rows; so in layers over layers"
    return Outcome(found.verdict, way if found.verdict == "proven" else found.method,
                   f"{size}, any number of layers", found.witness)  # fmt: skip


@FAMILY.stated(
    "A decoder's layer over an encoder's output depends on no later token either.",
    r"\partial \mathrm{out}_i / \partial x_j = 0 \quad (j > i)",
    source="Vaswani et al. (2017), section 3.1",
)  # fmt: skip
def decoder(size: Size) -> Outcome:
    n, h, d, d_k = size.n, size.h, size.d, size.d_k
    names = [*("W_Q", "W_K", "W_V"), *("W_Q_cross", "W_K_cross", "W_V_cross")]
    weights = {name: symbols(name, h, d, d_k) for name in names}
    weights |= {name: symbols(name, h * d_k, d) for name in ("W_O", "W_O_cross")}
    weights |= {name: symbols(name, d, d) for name in ("W_1", "W_2")}
    given = {"x": symbols("x", n, d), "memory": symbols("memory", 2, d), **weights}
    out = result(derive(layers.decoder_layer, config=Config(norm="none"), **given))
    found = independent(out, "x", later(n), range(n))
    way = "symbols that occur, in a layer over any rows; so in layers over layers"
    return Outcome(found.verdict, way if found.verdict == "proven" else found.method,
                   f"{size}, any number of layers", found.witness)  # fmt: skip


@FAMILY.stated(
    "Without a mask, row $i$ depends on no token after $i$ either.",
    r"M = 0 \Rightarrow \partial \mathrm{out}_i / \partial E_j = 0 \quad (j > i)",
    source=SECTION, claimed=False,
)  # fmt: skip
def without_mask(size: Size) -> Outcome:
    return past_only(size, Config(norm="none"))


@FAMILY.stated(
    "Later rows of a causal layer do need the earlier tokens.",
    r"\partial \mathrm{out}_i / \partial E_j \ne 0 \quad (j < i)", source=SECTION,
)  # fmt: skip
def needs_past(size: Size) -> Outcome:
    d = stack(size, Config(mask="causal", norm="none"))
    last = size.n - 1
    return every(depends(d, result(d), last, "E", j) for j in range(last))


@FAMILY.stated(
    "A row of attention depends on its own query and on no other: queries need no cache.",
    r"\partial O_i / \partial Q_j = 0 \quad (j \ne i)",
    source="Shazeer, Fast Transformer Decoding (2019), section 2.4.1",
)  # fmt: skip
def own_query(size: Size) -> Outcome:
    n, d_k = size.n, size.d_k
    given = {name: symbols(name, n, d_k) for name in ("Q", "K", "V")}
    O = result(derive(scaled_dot_product_attention, M=causal(n), **given))

    def others(i: int) -> Iterable[int]:
        return [j for j in range(n) if j != i]

    return independent(O, "Q", others, range(n))


@FAMILY.stated(
    "The feed-forward network works on each row alone.",
    r"\partial \mathrm{FFN}(x)_i / \partial x_j = 0 \quad (j \ne i)",
    source="Vaswani et al. (2017), section 3.3",
)  # fmt: skip
def position_wise(size: Size) -> Outcome:
    n, d = size.n, size.d
    given = {"W_1": symbols("W_1", d, d), "W_2": symbols("W_2", d, d)}
    F = result(derive(feed_forward_network, x=symbols("x", n, d), kind="relu", **given))
    return independent(F, "x", lambda i: [j for j in range(n) if j != i], range(n))


@FAMILY.stated(
    "With a window of $w$ keys, $N$ layers reach back $N(w - 1)$ tokens and no further.",
    r"\partial \mathrm{out}_i / \partial E_j = 0 \quad (j < i - N(w - 1))",
    source="Jiang et al., Mistral 7B (2023), section 2",
)  # fmt: skip
def window(size: Size) -> Outcome:
    return reach(size, reaches=2)


def reach(size: Size, reaches: int) -> Outcome:
    """Whether two layers with windows of two keys reach so many tokens back."""
    config = Config(mask="causal", norm="none", ffn="none", window=2)
    n = max(size.n, 4)
    d = stack(size, config, N=2, E=symbols("E", n, size.d))
    out = result(d)
    inside = depends(d, out, n - 1, "E", n - 1 - reaches)
    beyond = independent(out, "E", lambda i: range(max(0, i - reaches)), range(n))
    found = every([beyond, inside])
    sizes = f"N = 2, w = 2, n = {n}, d = {size.d}, h = {size.h}"
    return Outcome(found.verdict, found.method, sizes, found.witness)
