"""The float number system: NumPy, in float64, float32, float16 or bfloat16.

`Floating` does what the model's own NumPy lines do, in the same order, so that a
graph run over it gives what the function gives on plain arrays.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from symattn.errors import ExactnessError
from symattn.graph import Array
from symattn.literals import Exact, Infinity
from symattn.numbers.arrays import ArraySystem
from symattn.numbers.given import Given
from symattn.rounding import to_float

#: Bits that hold 1e-30, relatively.
_ACCURATE = 100


def float_type(name: Any) -> np.dtype[Any]:
    """A float type by its name, or as NumPy takes it; bfloat16 is ml_dtypes'."""
    if isinstance(name, str) and name == "bfloat16":
        import ml_dtypes

        name = ml_dtypes.bfloat16
    try:
        made: np.dtype[Any] = np.dtype(name)
    except TypeError:
        made = np.dtype(int)  # no float type, as the next line finds
    if made.kind != "f" and made.name != "bfloat16":
        raise ExactnessError(f"wanted float64, float32, float16 or bfloat16, got {name!r}")
    return made


def float_info(name: str) -> Any:
    """What `np.finfo` gives, for bfloat16 too."""
    if name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.finfo(ml_dtypes.bfloat16)
    return np.finfo(name)


def nearest_float(value: Exact, dtype: np.dtype[Any]) -> Any:
    """The float nearest to an exact number (through float64; ties as Python rounds)."""
    if isinstance(value, Infinity):
        return dtype.type(math.inf * value.sign)
    with np.errstate(over="ignore"):
        return dtype.type(to_float(rational(value)))


def rational(value: Exact) -> Fraction:
    """The value itself, or a rational within 1e-30 of it, relatively.

    Raises:
        ExactnessError: the value contains symbols.
    """
    if isinstance(value, Fraction):
        return value
    from symattn.numbers.enclosure import LIMIT, START, enclose, to_fraction
    from symattn.numbers.normal_form import number

    form, bits = number(value), START
    while (ball := enclose(form, bits)).rel_accuracy_bits() < _ACCURATE and bits < LIMIT:
        bits *= 2  # the value of another derivation's step may be what two large ones leave
    return to_fraction(ball.mid())


class Floating(ArraySystem):
    """Operations on float arrays of one type."""

    # NumPy's own, bound below.
    matmul: Callable[..., Array]
    add: Callable[..., Array]
    sub: Callable[..., Array]
    mul: Callable[..., Array]
    div: Callable[..., Array]
    neg: Callable[..., Array]
    power: Callable[..., Array]
    exp: Callable[..., Array]
    log: Callable[..., Array]
    sqrt: Callable[..., Array]
    sin: Callable[..., Array]
    cos: Callable[..., Array]
    tanh: Callable[..., Array]
    sign: Callable[..., Array]
    maximum: Callable[..., Array]

    def __init__(self, dtype: Any = np.float64) -> None:
        self.dtype = float_type(dtype)

    def array(self, exact: Array | Given) -> Array:
        given = Given.of(exact)
        if given.floats is not None:
            with np.errstate(over="ignore"):
                return np.asarray(given.floats[0].astype(self.dtype))
        out = np.empty(given.shape, self.dtype)
        for index in np.ndindex(given.shape):
            entry: Any = given.entries[index]
            out[index] = nearest_float(entry, self.dtype)
        return out

    def replaced(self, value: Any, shape: tuple[int, ...]) -> Any:
        return super().replaced(np.asarray(value, self.dtype), shape)

    def sum(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        with np.errstate(all="ignore"):  # an overflow is reported, see `_quiet`
            return np.asarray(np.sum(x, axis=axis, keepdims=keepdims))

    def max(self, x: Array, *, axis: int, keepdims: bool) -> Array:
        return np.asarray(np.max(x, axis=axis, keepdims=keepdims))

    def softmax(self, x: Array, *, zero: bool = False) -> Array:
        """e^{x_ij - max_i} over its row's sum, the maximum over unmasked entries."""
        with np.errstate(all="ignore"):
            e = np.exp(x - np.max(x, axis=-1, keepdims=True))
            weights = np.asarray(e / np.sum(e, axis=-1, keepdims=True))
        if not zero:
            return weights
        full = np.isneginf(np.asarray(x, np.float64)).all(axis=-1, keepdims=True)
        return np.where(full, weights.dtype.type(0), weights)

    def erf(self, x: Array) -> Array:
        return np.asarray(np.vectorize(math.erf, otypes=[self.dtype])(x))


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    def operation(self: Floating, *args: Array) -> Array:
        # Overflow to inf is a result to be reported, not a warning on the terminal.
        with np.errstate(all="ignore"):
            # A product of bfloat16 comes back as float32.
            return np.asarray(function(*args), dtype=self.dtype)

    return operation


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "matmul": np.matmul, "add": np.add, "sub": np.subtract, "mul": np.multiply,
    "div": np.divide, "neg": np.negative, "power": operator.pow, "exp": np.exp, "log": np.log,
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "sign": np.sign,
    "maximum": np.maximum,
}  # fmt: skip

for _op, _function in _FUNCTIONS.items():
    setattr(Floating, _op, _quiet(_function))
