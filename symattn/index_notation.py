"""The subscripts of an `np.einsum` as mathematics: a matrix product, or sums over indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ELLIPSIS = "..."


@dataclass(frozen=True, slots=True)
class Factor:
    """An operand of a matrix product: which one, and whether it is transposed."""

    operand: int
    transposed: bool


def read(subscripts: str) -> tuple[list[str], str]:
    """The indices of each operand and of the result, which may be left out.

    >>> read("ij, jk")
    (['ij', 'jk'], 'ik')
    """
    left, arrow, output = subscripts.replace(" ", "").partition("->")
    letters = left.replace(",", "").replace(".", "")
    once = "".join(sorted(x for x in set(letters) if letters.count(x) == 1))
    hidden = ELLIPSIS if ELLIPSIS in left else ""
    return left.split(","), output if arrow else hidden + once


def matrix_product(subscripts: str) -> list[Factor] | None:
    """The factors whose matrix product (or transpose) it is, in order; None if it is none.

    Indices that all operands and the result begin with are a batch.

    >>> matrix_product("bij,bkj->bik")
    [Factor(operand=0, transposed=False), Factor(operand=1, transposed=True)]
    >>> matrix_product("i,i->") is None
    True
    """
    terms, output = read(subscripts)
    while output and all(term[:1] == output[0] for term in terms):
        terms, output = [term[1:] for term in terms], output[1:]
    if any(len(set(term)) < len(term) or len(term) > 2 for term in terms):
        return None
    if len(terms) == 1 and output == terms[0][::-1] and len(output) == 2:
        return [Factor(0, True)]
    if len(terms) != 2:
        return None
    found = [_factors(terms, order, output) for order in ((0, 1), (1, 0))]
    either = [factors for factors in found if factors]
    return min(either, key=lambda factors: sum(f.transposed for f in factors), default=None)


def _factors(terms: Sequence[str], order: tuple[int, int], output: str) -> list[Factor] | None:
    left, right = (terms[i] for i in order)
    shared = set(left) & set(right)
    rest = [x for x in left + right if x not in shared]
    if len(shared) != 1 or shared & set(output) or "".join(rest) != output or not output:
        return None
    (inner,) = shared
    return [
        Factor(order[0], len(left) == 2 and left[0] == inner),
        Factor(order[1], len(right) == 2 and right[1] == inner),
    ]


def sums(subscripts: str, operands: Sequence[str]) -> str | None:
    r"""LaTeX of the entries as sums of products; None where operands and indices differ in number.

    >>> print(sums("ii->", ["A"]))
    \sum_{i} A[i,i]
    >>> print(sums("ij,ij->i", ["A", "B"]))
    \left(\sum_{j} A[i,j] B[i,j]\right)_{i}
    """
    terms, output = read(subscripts)
    if len(terms) != len(operands):
        return None
    parts = zip(operands, terms, strict=True)
    product = " ".join(f"{x}[{_listed(term)}]" if term else x for x, term in parts)
    summed = [x for x in dict.fromkeys("".join(terms)) if x not in output and x != "."]
    total = rf"\sum_{{{','.join(summed)}}} {product}" if summed else product
    return rf"\left({total}\right)_{{{_listed(output)}}}" if output else total


def _listed(indices: str) -> str:
    marked = indices.replace(ELLIPSIS, "…")
    return ",".join(r"\ldots" if x == "…" else x for x in marked)
