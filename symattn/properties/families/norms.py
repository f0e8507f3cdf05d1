"""LayerNorm and RMSNorm, before γ and β."""

from __future__ import annotations

from typing import Any

import numpy as np

from symattn.functions import layer_norm, rms_norm
from symattn.properties.checks import equal, every, returned, symbols
from symattn.properties.core import Family, Outcome, Size

FAMILY = Family(__name__)

BA = "Ba, Kiros, Hinton, Layer Normalization (2016)"


def features(size: Size) -> int:
    """The d features of a row: of one alone there is nothing to normalise."""
    return max(size.d, 2)


def _normed(x: Any, eps: Any) -> Any:
    return layer_norm(x, None, None, eps)


def _of_rows(size: Size, left: Any, right: Any, **given: Any) -> Outcome:
    """Whether functions of a row x, and of what each takes beside, or numbers, are equal."""
    x = symbols("x", features(size))
    sides: list[Any] = []
    for side in (left, right):
        if isinstance(side, int):
            sides.append(side)
            continue
        names = side.__code__.co_varnames[: side.__code__.co_argcount]
        wanted = {name: value for name, value in {"x": x, **given}.items() if name in names}
        sides.append(returned(side, **wanted))
    found = equal(*sides)
    return Outcome(found.verdict, found.method, f"d = {features(size)}", found.witness)


@FAMILY.stated(
    "LayerNorm does not see a constant added to a row.",
    r"\mathrm{LN}(x + c\mathbf{1}) = \mathrm{LN}(x)", source=f"{BA}, section 5.1",
)  # fmt: skip
def shift(size: Size) -> Outcome:
    def shifted(x: Any, c: Any, eps: Any) -> Any:
        return layer_norm(x + c, None, None, eps)

    return _of_rows(size, shifted, _normed, c=symbols("c"), eps=symbols("eps"))


@FAMILY.stated(
    "With $\\varepsilon = 0$ it does not see a factor $c > 0$ of a row that is not constant.",
    r"c > 0, \varepsilon = 0 \Rightarrow \mathrm{LN}(cx) = \mathrm{LN}(x)",
    source=f"{BA}, section 5.1",
)  # fmt: skip
def scale(size: Size) -> Outcome:
    return scaled(size, eps=0)


def scaled(size: Size, eps: int) -> Outcome:
    """Whether LN(c²x) = LN(x), by the parts of each: x - μ, and σ² under the root.

    c > 0 is written b². σ and σ' are roots and not negative, so σ' = b²σ where their squares
    are b⁴ apart; then (x' - μ')/σ' = b²(x - μ)/(b²σ).
    """

    def parts(x: Any, b: Any) -> Any:
        centred = b**2 * x - np.mean(b**2 * x)
        sigma = np.sqrt(np.mean(centred**2) + eps)
        return np.concatenate([centred, sigma[None] ** 2])

    def wanted(x: Any, b: Any) -> Any:
        centred = x - np.mean(x)
        sigma = np.sqrt(np.mean(centred**2) + eps)
        return np.concatenate([b**2 * centred, b**4 * sigma[None] ** 2])

    def defined(x: Any) -> Any:
        centred = x - np.mean(x)
        return centred / np.sqrt(np.mean(centred**2) + eps)

    def model(x: Any) -> Any:
        return layer_norm(x, None, None, eps)

    same = _of_rows(size, model, defined)
    found = _of_rows(size, parts, wanted, b=symbols("b"))
    whole = every([same, found], sizes=found.sizes)
    return Outcome(whole.verdict, f"numerators, and squares of positive roots: {whole.method}",
                   whole.sizes, whole.witness)  # fmt: skip


@FAMILY.stated(
    "With $\\varepsilon = 0$ a row that is not constant gets mean 0 and variance 1.",
    r"\varepsilon = 0 \Rightarrow \mathrm{mean}(\mathrm{LN}(x)) = 0, "
    r"\mathrm{Var}(\mathrm{LN}(x)) = 1",
    source=f"{BA}, eq. 3 and 4",
)  # fmt: skip
def moments(size: Size) -> Outcome:
    def mean(x: Any) -> Any:
        return np.mean(layer_norm(x, None, None, 0))

    def variance(x: Any) -> Any:
        return np.var(layer_norm(x, None, None, 0))

    found = [_of_rows(size, mean, 0), _of_rows(size, variance, 1)]
    return every(found, sizes=found[0].sizes)


@FAMILY.stated(
    "With $\\varepsilon > 0$ its variance is below 1: $\\sigma^2 / (\\sigma^2 + \\varepsilon)$.",
    r"\mathrm{Var}(\mathrm{LN}(x)) = \sigma^2 / (\sigma^2 + \varepsilon)", source=f"{BA}, eq. 3",
)  # fmt: skip
def variance(size: Size) -> Outcome:
    def left(x: Any, eps: Any) -> Any:
        return np.var(layer_norm(x, None, None, eps))

    def right(x: Any, eps: Any) -> Any:
        return np.var(x) / (np.var(x) + eps)

    return _of_rows(size, left, right, eps=symbols("eps"))


@FAMILY.stated(
    "RMSNorm of a centred row is LayerNorm.",
    r"\mathrm{RMS}(x - \mu\mathbf{1}) = \mathrm{LN}(x)",
    source="Zhang and Sennrich, Root Mean Square Layer Normalization (2019), section 4",
)  # fmt: skip
def rms(size: Size) -> Outcome:
    def centred(x: Any, eps: Any) -> Any:
        return rms_norm(x - np.mean(x), None, eps)

    return _of_rows(size, centred, _normed, eps=symbols("eps"))
