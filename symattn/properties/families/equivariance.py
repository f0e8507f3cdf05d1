"""Permutations of tokens: what goes along with them, and what does not."""

from __future__ import annotations

from symattn.attention import scaled_dot_product_attention
from symattn.config import Config
from symattn.properties.checks import equal, every, result, returned, symbols
from symattn.properties.core import Family, Outcome, Size
from symattn.properties.families.causality import stack

FAMILY = Family(__name__)

LEE = "Lee et al., Set Transformer (2019), section 3.1"


def swaps(n: int) -> list[list[int]]:
    """The orders in which two neighbours change places: these generate all."""
    orders = []
    for i in range(n - 1):
        order = list(range(n))
        order[i], order[i + 1] = i + 1, i
        orders.append(order)
    return orders


def equivariant(size: Size, config: Config) -> Outcome:
    """Whether a layer's rows go along with the tokens, whatever their order."""
    e = symbols("e", size.n, size.d)
    plain = result(stack(size, config, E=e))
    found = []
    for order in swaps(size.n):
        turned = result(stack(size, config, E=e[order]))
        found.append(equal(list(turned), [plain[i] for i in order]))
    return every(found)


@FAMILY.stated(
    "Without mask and positions, attention goes along with any order of the tokens.",
    r"\mathrm{MultiHead}(PE) = P \mathrm{MultiHead}(E)", source=LEE,
)  # fmt: skip
def attention(size: Size) -> Outcome:
    return equivariant(size, Config(norm="none", ffn="none"))


@FAMILY.stated(
    "So does a whole layer: its norms, residual and FFN work on each row alone.",
    r"\mathrm{layer}(PE) = P \mathrm{layer}(E)", source=LEE,
)  # fmt: skip
def layer(size: Size) -> Outcome:
    return every([equivariant(size, Config()), equivariant(size, Config(norm="pre"))])


@FAMILY.stated(
    "With a causal mask attention goes along with any order of the tokens.",
    r"\mathrm{Causal}(PE) = P \mathrm{Causal}(E)",
    source="Vaswani et al. (2017), section 3.2.3", claimed=False,
)  # fmt: skip
def with_mask(size: Size) -> Outcome:
    return equivariant(size, Config(norm="none", ffn="none", mask="causal"))


@FAMILY.stated(
    "The order of keys does not matter, as long as values go along.",
    r"\mathrm{Attention}(Q, PK, PV) = \mathrm{Attention}(Q, K, V)", source=LEE,
)  # fmt: skip
def keys(size: Size) -> Outcome:
    return keys_and_values(size, values=True)


def keys_and_values(size: Size, *, values: bool) -> Outcome:
    """Whether attention stays for keys in another order, with their values or without."""
    n, d_k = size.n, size.d_k
    q, k, v = (symbols(name, n, d_k) for name in "qkv")
    plain = returned(scaled_dot_product_attention, Q=q, K=k, V=v)
    found = []
    for order in swaps(n):
        turned = v[order] if values else v
        found.append(
            equal(returned(scaled_dot_product_attention, Q=q, K=k[order], V=turned), plain)
        )
    return every(found)
