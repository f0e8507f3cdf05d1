"""The same numbers in mpmath: at 40 digits, and in intervals that prove their digits."""

from __future__ import annotations

from typing import Any

import mpmath

from benchmarks.inputs import Array

DIGITS, WORKING = 30, 40
mpmath.mp.dps = mpmath.iv.dps = WORKING


def matrix(values: Array, context: Any) -> Any:
    """A matrix of `context`: mpmath.mp or mpmath.iv."""
    return context.matrix(
        [[context.mpf(x.numerator) / x.denominator for x in row] for row in values]
    )


def head(E: Any, W_Q: Any, W_K: Any, W_V: Any, context: Any) -> dict[str, Any]:
    """Every matrix of an attention head."""
    Q, K, V = E * W_Q, E * W_K, E * W_V
    S = Q * K.T
    Z = S / context.sqrt(W_K.cols)
    A = Z.apply(context.exp)
    for i in range(A.rows):
        total = sum((A[i, j] for j in range(A.cols)), context.mpf(0))
        for j in range(A.cols):
            A[i, j] = A[i, j] / total
    return {"Q": Q, "K": K, "S": S, "V": V, "Z": Z, "A": A, "O": A * V}


def rounded(x: Any) -> str:
    """Thirty digits, which nothing proves."""
    return str(mpmath.nstr(x, DIGITS))


def certified(x: Any) -> str:
    """Thirty digits to which both ends of an interval round; else nothing."""
    low, high = (mpmath.nstr(mpmath.mpf(end), DIGITS) for end in (x.a, x.b))
    return str(low) if low == high else ""


def digits(made: dict[str, Any], write: Any) -> dict[str, list[list[str]]]:
    """Every entry as a string, by matrix."""
    return {
        name: [[write(M[i, j]) for j in range(M.cols)] for i in range(M.rows)]
        for name, M in made.items()
    }
