"""The same work in SymEngine, SymPy's core in C++."""

from __future__ import annotations

from typing import Any

import symengine

from benchmarks.inputs import Array

BITS = 128  # about 38 digits, of which 30 are wanted


def matrix(values: Array) -> Any:
    """A DenseMatrix of Rationals."""
    rows = [[symengine.Rational(x.numerator, x.denominator) for x in row] for row in values]
    return symengine.DenseMatrix(rows)


def weigh(Z: Any, V: Any) -> tuple[Any, Any]:
    """Softmax, and the values weighed by it."""
    rows = []
    for row in Z.tolist():
        e = [symengine.exp(z) for z in row]
        total = symengine.Add(*e)
        rows.append([x / total for x in e])
    A = symengine.DenseMatrix(rows)
    return A, A * V


def head(E: Any, W_Q: Any, W_K: Any, W_V: Any) -> dict[str, Any]:
    """Every matrix of an attention head."""
    Q, K, V = E * W_Q, E * W_K, E * W_V
    S = Q * K.transpose()
    Z = S / symengine.sqrt(W_K.shape[1])
    A, O = weigh(Z, V)
    return {"Q": Q, "K": K, "S": S, "V": V, "Z": Z, "A": A, "O": O}


def digits(made: dict[str, Any]) -> dict[str, list[list[str]]]:
    """Thirty digits and a few more of every entry, by matrix."""
    return {
        name: [[str(x.n(BITS, real=True)) for x in row] for row in M.tolist()]
        for name, M in made.items()
    }
