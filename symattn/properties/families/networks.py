"""Feed-forward networks and their activations."""

from __future__ import annotations

from typing import Any

from symattn.functions import gelu, silu
from symattn.properties.checks import equal, every, returned, symbols
from symattn.properties.core import Family, Outcome, Size
from symattn.sublayers import feed_forward_network

FAMILY = Family(__name__)


def collapsed(size: Size, kind: str) -> Outcome:
    """Whether (x W_1 + b_1) W_2 + b_2 with an activation is one linear layer."""
    gelu_kind = "erf" if kind == "gelu" else ""

    def network(x: Any, W_1: Any, W_2: Any, b_1: Any, b_2: Any) -> Any:
        return feed_forward_network(x, W_1, W_2, b_1, b_2, kind=kind, gelu_kind=gelu_kind)

    def single(x: Any, W_1: Any, W_2: Any, b_1: Any, b_2: Any) -> Any:
        return x @ (W_1 @ W_2) + (b_1 @ W_2 + b_2)

    d = size.d
    given = {
        "x": symbols("x", size.n, d), "W_1": symbols("W_1", d, 2 * d),
        "W_2": symbols("W_2", 2 * d, d), "b_1": symbols("b_1", 2 * d), "b_2": symbols("b_2", d),
    }  # fmt: skip
    found = equal(returned(network, **given), returned(single, **given))
    return Outcome(found.verdict, found.method, f"n = {size.n}, d = {d}, d_ff = {2 * d}",
                   found.witness)  # fmt: skip


@FAMILY.stated(
    "Two linear layers without an activation between them are one.",
    r"(xW_1 + b_1) W_2 + b_2 = x (W_1 W_2) + (b_1 W_2 + b_2)",
    source="Goodfellow, Bengio, Courville (2016), section 6.1",
)  # fmt: skip
def linear(size: Size) -> Outcome:
    return collapsed(size, "linear")


@FAMILY.stated(
    "GELU and SiLU differ from their mirror image by the input: $f(x) - f(-x) = x$.",
    r"f(x) - f(-x) = x, \quad f = \mathrm{GELU}, \mathrm{SiLU}",
    source="Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2",
)  # fmt: skip
def mirrored(size: Size) -> Outcome:
    def of_gelu(x: Any) -> Any:
        return gelu(x, kind="erf") - gelu(-x, kind="erf")

    def of_silu(x: Any) -> Any:
        return silu(x) - silu(-x)

    def itself(x: Any) -> Any:
        return x + 0

    x = symbols("x", 1)
    pairs = [(of_gelu, itself), (of_silu, itself)]
    found = every(equal(returned(f, x=x), returned(g, x=x)) for f, g in pairs)
    return Outcome(found.verdict, found.method, "every x", found.witness)
