"""Softmax: shifts, order, ratios, temperature and its limits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from symattn.comparison import compare
from symattn.derivation import derive
from symattn.functions import log_softmax, sigmoid, softmax, tempered_softmax
from symattn.properties.checks import causal, equal, every, grows, returned, symbols
from symattn.properties.core import Family, Outcome, Size
from symattn.transformer import attention_head

FAMILY = Family(__name__)

GOODFELLOW = "Goodfellow, Bengio, Courville, Deep Learning (2016)"
HINTON = "Hinton, Vinyals, Dean (2015), section 2"


@FAMILY.stated(
    "A constant added to all scores changes no weight.",
    r"\mathrm{softmax}(z + c\mathbf{1}) = \mathrm{softmax}(z)", source=f"{GOODFELLOW}, eq. 6.33",
)  # fmt: skip
def shift(size: Size) -> Outcome:
    def shifted(x: Any, c: Any) -> Any:
        return softmax(x + c)

    z = symbols("z", size.n)
    return equal(returned(shifted, x=z, c=symbols("c")), returned(softmax, x=z))


@FAMILY.stated(
    "The ratio of two weights is $e$ to the difference of their scores.",
    r"p_i / p_j = e^{z_i - z_j}", source=f"{GOODFELLOW}, eq. 4.1",
)  # fmt: skip
def ratio(size: Size) -> Outcome:
    def ratios(x: Any) -> Any:
        p = softmax(x)
        return p[:, None] / p

    def powers(x: Any) -> Any:
        return np.exp(x[:, None] - x)

    z = symbols("z", size.n)
    return equal(returned(ratios, x=z), returned(powers, x=z))


@FAMILY.stated(
    "The larger score has the larger weight.", r"z_i > z_j \Rightarrow p_i > p_j",
    source=f"{GOODFELLOW}, section 6.2.2.3",
)  # fmt: skip
def order(size: Size) -> Outcome:
    # z[0] stands for z_j, and z_i is z[0] + g; the others stand behind.
    def difference(z: Any, g: Any) -> Any:
        p = softmax(np.concatenate([z[:1] + g, z]))
        return p[0] - p[1]

    given = {"z": symbols("z", size.n - 1), "g": symbols("g", 1)}
    return _grows(returned(difference, **given), ["g[0]"])


def _grows(step: Any, positive: list[str]) -> Outcome:
    if grows(step.forms[()], positive):
        return Outcome("proven", "sign by e^a > e^b for a > b, term by term")
    return Outcome("undecided", "the signs of the terms say nothing")


def _gaps(size: Size, ties: int = 1) -> tuple[Any, list[str]]:
    """What the scores below the largest stay below it by, and the names of these."""
    g = symbols("g", size.n - ties)
    return g, [name.name for name in g]


@FAMILY.stated(
    "A lower temperature sharpens: the largest weight grows.",
    r"p(T) = \mathrm{softmax}(z/T), T' < T \Rightarrow \max_i p_i(T') > \max_i p_i(T)",
    source=HINTON,
)  # fmt: skip
def sharper(size: Size) -> Outcome:
    return every(sharper_with(size, ties) for ties in range(1, size.n))


def sharper_with(size: Size, ties: int) -> Outcome:
    """The same where so many scores tie for the largest; if all do, nothing grows."""

    # T' = T/(1 + s) with s > 0; 1/p_max is Σ e^{-g_j/T}, where g_j are the gaps, 0 or positive.
    def at_both(high: Any, gaps: Any, T: Any, s: Any) -> Any:
        x = np.concatenate([*[high] * ties, high - gaps])
        return 1 / tempered_softmax(x, T)[0] - 1 / tempered_softmax(x, T / (1 + s))[0]

    gaps, names = _gaps(size, ties)
    given = {"T": symbols("T"), "s": symbols("s"), "high": symbols("m", 1), "gaps": gaps}
    return _grows(returned(at_both, **given), [*names, "T", "s"])


def _of_powers(size: Size, u: Any) -> tuple[Outcome, Any]:
    """That softmax(z/T) is u/Σu for u_j = e^{-g_j/T}, and that quotient at other u.

    Σu is at least 1, so the quotient is continuous, also where some u_j are 0.
    """

    def tempered(high: Any, gaps: Any, T: Any) -> Any:
        return tempered_softmax(np.concatenate([high, high - gaps]), T)

    def quotient(high: Any, gaps: Any, T: Any) -> Any:
        u = np.concatenate([np.exp(high - high), np.exp(-gaps / T)])
        return u / np.sum(u)

    def limit(u: Any) -> Any:
        return u / np.sum(u)

    gaps, _ = _gaps(size)
    given = {"T": symbols("T"), "high": symbols("m", 1), "gaps": gaps}
    same = equal(returned(tempered, **given), returned(quotient, **given))
    return same, returned(limit, u=u)


def at_limit(size: Size, ties: int) -> Outcome:
    """The weights for T → 0 where so many scores tie for the largest."""
    shares = [Fraction(1, ties)] * ties + [Fraction(0)] * (size.n - ties)
    same, limit = _of_powers(size, [1] * ties + [0] * (size.n - ties))
    return every([same, equal(limit, shares)])


@FAMILY.stated(
    "As the temperature falls to 0 the weights go to the largest score alone; ties share evenly.",
    r"\lim_{T \to 0^+} \mathrm{softmax}(z/T)_i = [z_i = \max z] / "
    r"|\lbrace j : z_j = \max z \rbrace|",
    source=HINTON,
)  # fmt: skip
def cold(size: Size) -> Outcome:
    found = every(at_limit(size, ties) for ties in range(1, size.n + 1))
    way = f"continuous in e^(-g/T), which goes to 0 or is 1: {found.method}"
    return Outcome(found.verdict, way, witness=found.witness)


@FAMILY.stated(
    "As the temperature grows the weights become even over what is not masked.",
    r"\lim_{T \to \infty} \mathrm{softmax}(z/T + M)_{ij} = 1 / |\lbrace k : M_{ik} = 0 \rbrace|",
    source=HINTON,
)  # fmt: skip
def hot(size: Size) -> Outcome:
    def cooled(Z: Any, M: Any, beta: Any) -> Any:
        return softmax(beta * Z + M)

    n = size.n
    given = {"Z": symbols("Z", n, n), "M": causal(n)}
    even = [[Fraction(1, i + 1) if j <= i else 0 for j in range(n)] for i in range(n)]
    found = equal(returned(cooled, beta=[0], **given), even)
    return Outcome(found.verdict, f"continuous in 1/T, at 1/T = 0: {found.method}",
                   witness=found.witness)  # fmt: skip


@FAMILY.stated(
    "Softmax makes the largest share of a row larger.",
    r"z_i = \max z > 0 \Rightarrow p_i \ge z_i / \textstyle\sum_j z_j",
    source='"larger values become even more dominant", as it is often said', claimed=False,
)  # fmt: skip
def shares(size: Size) -> Outcome:
    # The article's own row 2: cat, chases, mouse.
    E = [[1, 0], ["1/5", 1], ["4/5", 0]]
    I = [[1, 0], [0, 1]]
    d = derive(attention_head, E=E, W_Q=I, W_K=I, W_V=I, M=causal(3))
    parts = [entry.part for entry in d["Z"][2]]
    found = compare(d["A"][2, 0], parts[0])
    before = ", ".join(entry.share(2) for entry in d["Z"][2])
    after = ", ".join(entry.decimal(2) for entry in d["A"][2])
    verdict = {"less": "refuted", "greater": "undecided"}.get(found.verdict, "undecided")
    return Outcome(
        verdict, f"counterexample; {found.why}", "n = 3, d = 2, h = 1",  # type: ignore[arg-type]
        f"row 2 of the article: the scores' shares {before} become the weights {after}",
    )  # fmt: skip


@FAMILY.stated(
    "Of two scores, softmax is the logistic sigmoid of their difference.",
    r"\mathrm{softmax}(a, b)_0 = \sigma(a - b)", source=f"{GOODFELLOW}, section 6.2.2.3",
)  # fmt: skip
def sigmoid_of_two(size: Size) -> Outcome:
    def first(a: Any, b: Any) -> Any:
        return softmax(np.concatenate([a, b]))[0:1]

    def logistic(a: Any, b: Any) -> Any:
        return sigmoid(a - b)

    given = {"a": symbols("a", 1), "b": symbols("b", 1)}
    found = equal(returned(first, **given), returned(logistic, **given))
    return Outcome(found.verdict, found.method, "two scores", found.witness)


@FAMILY.stated(
    "Log-softmax of a row, put into softmax, gives the same weights.",
    r"\mathrm{softmax}(\log \mathrm{softmax}(z)) = \mathrm{softmax}(z)",
    source=f"{GOODFELLOW}, eq. 6.30",
)  # fmt: skip
def again(size: Size) -> Outcome:
    def twice(x: Any) -> Any:
        return softmax(log_softmax(x))

    z = symbols("z", size.n)
    return equal(returned(twice, x=z), returned(softmax, x=z))
