"""The cache of keys and values: a step from it, and what it has to hold."""

from __future__ import annotations

from typing import Any

from symattn.attention import scaled_dot_product_attention
from symattn.config import Config
from symattn.derivation import Derivation, derive, static
from symattn.generation import compared, with_cache
from symattn.language import language_model
from symattn.properties.checks import (
    SHIFTS,
    at,
    causal,
    depends,
    every,
    numbers,
    result,
    symbols,
)
from symattn.properties.core import Family, Outcome, Size

FAMILY = Family(__name__)

SHAZEER = "Shazeer, Fast Transformer Decoding (2019), section 2.4.1"


def model(size: Size, n: int, config: Config, N: int = 1) -> Derivation:
    """A language model of symbols over its first n words."""
    h, d, d_k = size.h, size.d, size.d_k
    weights: dict[str, Any] = {
        "W_vocab": symbols("W_vocab", d, size.n),
        **{name: symbols(name, N, h, d, d_k) for name in ("W_Q", "W_K", "W_V")},
        "W_O": symbols("W_O", N, h * d_k, d),
        "W_1": symbols("W_1", N, d, d),
        "W_2": symbols("W_2", N, d, d),
    }
    return derive(language_model, tokens=static(list(range(n))), config=config, **weights)


def cached(size: Size, config: Config, N: int = 1) -> Outcome:
    """Whether the last token from the cache is what it is in the full pass."""
    whole, before = (model(size, n, config, N) for n in (size.n, size.n - 1))
    sizes = f"{size}, {N} layer{'s' * (N > 1)}"
    proof = compared(whole, with_cache(before, size.n - 1))
    if proof.equal:
        return Outcome("proven", "; ".join(proof.reasons), sizes)
    values = numbers(whole.symbols, SHIFTS[0])
    step = with_cache(before.subs(values), size.n - 1)
    for found in compared(whole.subs(values), step).entries:
        if found.found.verdict in ("less", "greater", "different"):
            left, right = (f"{x.address} ≈ {x.decimal(3)}" for x in (found.left, found.right))
            shown = f"{left} against {right} from the cache{at(values)}"
            return Outcome("refuted", "counterexample", sizes, shown)
    return Outcome("undecided", proof.others[0].found.why, sizes, proof.others[0].left.address)


@FAMILY.stated(
    "A causal layer's last row from cached keys and values is that of the full pass.",
    r"P_{\mathrm{cached}} = P[n-1]", source=SHAZEER,
)  # fmt: skip
def step(size: Size) -> Outcome:
    kinds = [Config(mask="causal", norm=norm) for norm in ("none", "pre")]
    found = [cached(size, config) for config in kinds]
    return every(found, sizes=found[0].sizes)


@FAMILY.stated(
    "It has to hold every key and value: the last row needs each.",
    r"\partial O_{n-1} / \partial K_j \ne 0, \quad \partial O_{n-1} / \partial V_j \ne 0",
    source=SHAZEER,
)  # fmt: skip
def needs(size: Size) -> Outcome:
    n, d_k = size.n, size.d_k
    given = {name: symbols(name, n, d_k) for name in ("Q", "K", "V")}
    d = derive(scaled_dot_product_attention, M=causal(n), **given)
    O = result(d)
    return every(depends(d, O, n - 1, name, j) for name in ("K", "V") for j in range(n - 1))
