"""The divisor √d_k: moments of dot products, and what large scores do to gradients."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from symattn.functions import softmax
from symattn.literals import Name
from symattn.numbers.normal_form import ONE, ZERO, Kernel, Sum, constant, inverse, number, of, root
from symattn.properties.checks import equal, every, returned, symbols
from symattn.properties.core import Family, Outcome, Size

FAMILY = Family(__name__)

FOOTNOTE = "Vaswani et al. (2017), section 3.2.1, footnote 4"


def expected(x: Sum) -> Sum:
    """E[x] of a polynomial in mutually independent components of mean 0 and variance 1.

    Higher moments stay symbols, m_3, m_4, …: the same for all.
    """
    total = ZERO
    for (radicand, exponent, powers), c in x.terms.items():
        fixed = frozenset((kernel, k) for kernel, k in powers if not _is_component(kernel))
        term = Sum({(radicand, exponent, fixed): c})
        for kernel, k in powers:
            if _is_component(kernel):
                term = term * _moment(k)
        total = total + term
    return total


def _is_component(kernel: Kernel) -> bool:
    """Whether it is q[0] or k[1], and no size such as d_k."""
    return kernel.kind == "symbol" and "[" in kernel.arguments[0]


def _moment(k: int) -> Sum:
    return {1: ZERO, 2: ONE}[k] if k in (1, 2) else of(Kernel("symbol", f"m_{k}"))


def variance(terms: Any, d: Sum) -> Sum:
    """Var(Σ_i x_i) over d indices that are alike, from the term of two different ones.

    d pairs of equal indices and d² - d pairs of different ones make E[(Σ x_i)²].
    """
    x, y = terms
    squares, products = expected(x * x), expected(x * y)
    mean = d * expected(x)
    return d * squares + (d * d - d) * products - mean * mean


def products(name: str, other: str) -> tuple[Sum, Sum]:
    """The terms q_i k_i of a dot product at two different indices."""
    first, second = (number(Name(f"{name}[{i}]")) * number(Name(f"{other}[{i}]")) for i in range(2))
    return first, second


@FAMILY.stated(
    "For $2 d_k$ independent components of mean 0 and variance 1, a score has variance $d_k$.",
    r"\mathrm{Var}(q \cdot k) = d_k", source=FOOTNOTE,
)  # fmt: skip
def var_of_scores(size: Size) -> Outcome:
    d_k = of(Kernel("symbol", "d_k"))
    found = equal([variance(products("q", "k"), d_k)], [d_k])
    # The same from the model's own S, at this size.
    S = _scores(size)
    here = equal([expected(S * S) - expected(S) * expected(S)], [constant(size.d_k)])
    return every([Outcome(f.verdict, f"moments: {f.method}", witness=f.witness)
                  for f in (found, here)], sizes="every d_k")  # fmt: skip


def _scores(size: Size) -> Sum:
    """One entry of S = QKᵀ for queries and keys of symbols."""

    def scores(Q: Any, K: Any) -> Any:
        return Q @ K.T

    step = returned(scores, Q=symbols("q", 1, size.d_k), K=symbols("k", 1, size.d_k))
    form: Sum = step.forms[0, 0]
    return form


@FAMILY.stated(
    "Divided by $\\sqrt{d_k}$ it has variance 1, whatever the dimension.",
    r"\mathrm{Var}(q \cdot k / \sqrt{d_k}) = 1", source=FOOTNOTE,
)  # fmt: skip
def var_of_scaled(size: Size) -> Outcome:
    d_k = of(Kernel("symbol", "d_k"))
    divisor = inverse(root(d_k, 2))
    x, y = (term * divisor for term in products("q", "k"))
    found = equal([variance((x, y), d_k)], [1])
    return Outcome(found.verdict, f"moments: {found.method}", "every d_k", found.witness)


def jacobian(u: Any) -> Any:
    """diag(p) - ppᵀ of weights p = u/Σu."""

    def of_powers(u: Any) -> Any:
        p = u / np.sum(u)
        return np.eye(len(u)) * p - p[:, None] * p

    return returned(of_powers, u=u)


@cache
def _powers_are_softmax(size: Size) -> Outcome:
    """That softmax(t·z) is u/Σu for u_j = e^{-t g_j}, with gaps g_j below the largest score."""

    def weights(t: Any, high: Any, gaps: Any) -> Any:
        return softmax(t * np.concatenate([high, high - gaps]))

    def quotient(t: Any, high: Any, gaps: Any) -> Any:
        u = np.concatenate([np.exp(high - high), np.exp(-t * gaps)])
        return u / np.sum(u)

    given = {"t": symbols("t"), "high": symbols("m", 1), "gaps": symbols("g", size.n - 1)}
    return equal(returned(weights, **given), returned(quotient, **given))


def saturated(size: Size, ties: int, limit: Any) -> Outcome:
    """The limit of the Jacobian for t → ∞, where so many scores tie for the largest."""
    u = [1] * ties + [0] * (size.n - ties)
    found = every([_powers_are_softmax(size), equal(jacobian(u), limit)])
    way = f"continuous in e^(-t g), which goes to 0 or is 1: {found.method}"
    return Outcome(found.verdict, way, witness=found.witness)


@FAMILY.stated(
    "Large scores with one largest: softmax's Jacobian vanishes, and gradients with it.",
    r"\lim_{t \to \infty} (\mathrm{diag}(p) - pp^\top) = 0, p = \mathrm{softmax}(tz)",
    source="Vaswani et al. (2017), section 3.2.1",
)  # fmt: skip
def saturation(size: Size) -> Outcome:
    return saturated(size, 1, 0)


@FAMILY.stated(
    "With two scores tied for the largest it does not vanish: entries $\\pm 1/4$ stay.",
    r"z_0 = z_1 = \max z \Rightarrow \lim_{t \to \infty} J_{00} = J_{11} = \tfrac{1}{4}, "
    r"J_{01} = J_{10} = -\tfrac{1}{4}",
    source="the same limit",
)  # fmt: skip
def saturation_tied(size: Size) -> Outcome:
    limit = np.zeros((size.n, size.n), dtype=object)
    limit[:2, :2] = [[Fraction(1, 4), Fraction(-1, 4)], [Fraction(-1, 4), Fraction(1, 4)]]
    found = saturated(size, 2, limit)
    return Outcome(
        found.verdict, found.method, found.sizes, found.witness or "1/4, -1/4; -1/4, 1/4"
    )
