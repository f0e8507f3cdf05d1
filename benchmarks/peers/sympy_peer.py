"""The same work in SymPy: Matrix of Rationals, exp, row sums; no simplify."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy
from sympy.polys.matrices import DomainMatrix

from benchmarks.inputs import Array


def matrix(values: Array) -> Any:
    """A Matrix of Rationals."""
    rows = [[sympy.Rational(x.numerator, x.denominator) for x in row] for row in values]
    return sympy.Matrix(rows)


def domain_matrix(values: Array) -> Any:
    """The same as a DomainMatrix over QQ, dense: FLINT's own, where python-flint is installed."""
    return DomainMatrix.from_Matrix(matrix(values)).convert_to(sympy.QQ).to_dense()


def exponentials(Z: Any) -> tuple[Any, list[Any]]:
    """e^Z and its row sums."""
    e = Z.applyfunc(sympy.exp)
    return e, [sympy.Add(*e.row(i)) for i in range(Z.rows)]


def softmax(Z: Any) -> Any:
    """Each row's exponentials over their sum, written out."""
    e, sums = exponentials(Z)
    return sympy.Matrix(*Z.shape, lambda i, j: e[i, j] / sums[i])


def named_softmax(Z: Any) -> Any:
    """Each row's exponentials over a symbol for their sum."""
    e = Z.applyfunc(sympy.exp)
    names = [sympy.Symbol(f"ell_{i}") for i in range(Z.rows)]
    return sympy.Matrix(*Z.shape, lambda i, j: e[i, j] / names[i])


def weigh(Z: Any, V: Any) -> tuple[Any, Any]:
    """Softmax, and the values weighed by it."""
    A = softmax(Z)
    return A, A * V


def scores(E: Any, W_Q: Any, W_K: Any) -> dict[str, Any]:
    """Queries, keys, and their products; of Matrix or DomainMatrix alike."""
    Q, K = E * W_Q, E * W_K
    return {"Q": Q, "K": K, "S": Q * K.transpose()}


def head(E: Any, W_Q: Any, W_K: Any, W_V: Any) -> dict[str, Any]:
    """Every matrix of an attention head."""
    found = scores(E, W_Q, W_K)
    V = E * W_V
    Z = found["S"] / sympy.sqrt(W_K.cols)
    A, O = weigh(Z, V)
    return {**found, "V": V, "Z": Z, "A": A, "O": O}


def digits(made: dict[str, Any], rows: Iterable[int]) -> dict[str, list[list[str]]]:
    """Thirty digits of every entry of some rows, by matrix."""
    wanted = list(rows)
    return {
        name: [[str(x.evalf(30)) for x in M.row(i)] for i in wanted] for name, M in made.items()
    }
