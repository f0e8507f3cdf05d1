"""The article as a plain SymPy script: twelve matrices, their LaTeX, thirty digits of each."""

from __future__ import annotations

from typing import Any

from sympy import Add, Matrix, Rational, exp, eye, latex, oo, sqrt


def softmax(Z: Any) -> Any:
    """Each row's exponentials over their sum."""
    e = Z.applyfunc(exp)
    sums = [Add(*e.row(i)) for i in range(Z.rows)]
    return Matrix(*Z.shape, lambda i, j: e[i, j] / sums[i])


def inputs() -> dict[str, Any]:
    """What the article gives: the vocabulary's embeddings, weights and the causal mask."""
    fifth = Rational(1, 5)
    return {
        "W_vocab": Matrix([[1, fifth, 4 * fifth, 0, 3 * fifth], [0, 1, 0, 4 * fifth, 0]]),
        "W_Q": eye(2),
        "W_K": eye(2),
        "W_V": eye(2),
        "W_1": Matrix([[0, 1], [1, 0]]),
        "M": Matrix([[0, -oo, -oo], [0, 0, -oo], [0, 0, 0]]),
    }


def build(W_vocab: Any, W_Q: Any, W_K: Any, W_V: Any, W_1: Any, M: Any) -> dict[str, Any]:
    """Every matrix, from embeddings to the next word."""
    E = W_vocab.T[:3, :]
    Q, K, V = E * W_Q, E * W_K, E * W_V
    S = Q * K.T
    Z = S / sqrt(2)
    Z_masked = Z + M
    A = softmax(Z_masked)
    O = A * V
    F = O[-1, :] * W_1
    logits = F * W_vocab
    P = softmax(logits)
    return {
        "E": E, "Q": Q, "K": K, "V": V, "S": S, "Z": Z, "Z_masked": Z_masked, "A": A, "O": O,
        "F": F, "logits": logits, "P": P,
    }  # fmt: skip


def written(made: dict[str, Any]) -> list[str]:
    """LaTeX and thirty digits of each matrix."""
    return [text for M in made.values() for text in (latex(M), str(M.evalf(30)))]


if __name__ == "__main__":
    print("\n\n".join(written(build(**inputs()))))
