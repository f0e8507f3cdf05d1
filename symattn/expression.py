"""One entry written out: the operations between it and the named steps it comes from.

An expression is an `Exact` tree whose leaves may be `Cell`s, entries of other
nodes. Nothing is simplified: a dot product stays the sum of products it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from symattn.graph import Graph
from symattn.literals import Apply, Exact, Infinity, Name
from symattn.notation import Notation, variable


@dataclass(frozen=True, slots=True)
class Cell:
    """The entry of a node."""

    node: int
    index: tuple[int, ...]


Expression = Exact | Cell


def expand(graph: Graph, node: int, index: tuple[int, ...]) -> Expression:
    """Write an entry out in terms of the named entries it is computed from."""
    named = {s.node for s in graph.steps if s.inside is None}
    return _Expander(graph, named).inside(node, index)


class _Expander:
    def __init__(self, graph: Graph, named: set[int]) -> None:
        self.graph = graph
        self.named = named

    def entry(self, node: int, index: tuple[int, ...]) -> Expression:
        if node in self.named or self.graph.nodes[node].op == "input":
            return Cell(node, index)
        return self.inside(node, index)

    def inside(self, number: int, index: tuple[int, ...]) -> Expression:
        node = self.graph.nodes[number]
        if node.op == "input":
            return Cell(number, index)
        if node.op == "constant":
            value: Exact = node.params["value"][index]
            return value
        special = getattr(self, "_" + node.op, None)
        if special is not None:
            found: Expression = special(node, index)
            return found
        return Apply(node.op, tuple(self._operand(i, index) for i in node.inputs))

    def _operand(self, node: int, index: tuple[int, ...]) -> Any:
        """The entry that broadcasting pairs with `index`."""
        shape = self.graph.nodes[node].shape
        tail = index[len(index) - len(shape) :]
        return self.entry(node, tuple(0 if n == 1 else i for n, i in zip(shape, tail, strict=True)))

    def _gather(self, node: Any, index: tuple[int, ...]) -> Expression:
        source = self.graph.nodes[node.inputs[0]].shape
        flat = int(node.params["index"][index])
        place = tuple(int(i) for i in np.unravel_index(flat, source)) if source else ()
        return self.entry(node.inputs[0], place)

    def _matmul(self, node: Any, index: tuple[int, ...]) -> Expression:
        a, b = node.inputs
        left, right = self.graph.nodes[a].shape, self.graph.nodes[b].shape
        rest = list(index)
        column = (rest.pop(),) if len(right) > 1 else ()
        row = (rest.pop(),) if len(left) > 1 else ()
        batch = tuple(rest)
        terms = [
            Apply(
                "mul",
                (
                    self._batched(a, batch, (*row, k), len(left)),
                    self._batched(b, batch, (k, *column), len(right)),
                ),
            )
            for k in range(left[-1])
        ]
        return added(terms)

    def _batched(self, node: int, batch: tuple[int, ...], tail: tuple[int, ...], rank: int) -> Any:
        shape = self.graph.nodes[node].shape
        lead = batch[len(batch) - (rank - len(tail)) :] if rank > len(tail) else ()
        lead = tuple(0 if shape[k] == 1 else i for k, i in enumerate(lead))
        return self.entry(node, (*lead, *tail))

    def _neg(self, node: Any, index: tuple[int, ...]) -> Expression:
        """A minimum is recorded as the maximum of the negatives, negated."""
        found = self._operand(node.inputs[0], index)
        if _is(found, "maximum") and all(_is(a, "neg") for a in found.args):
            return Apply("minimum", tuple(a.args[0] for a in found.args))
        return Apply("neg", (found,))

    def _maximum(self, node: Any, index: tuple[int, ...]) -> Expression:
        """An absolute value is recorded as the larger of a number and its negative."""
        a, b = (self._operand(i, index) for i in node.inputs)
        return Apply("abs", (a,)) if b == Apply("neg", (a,)) else Apply("maximum", (a, b))

    def _sum(self, node: Any, index: tuple[int, ...]) -> Expression:
        return added(self._along(node, index))

    def _max(self, node: Any, index: tuple[int, ...]) -> Expression:
        parts = self._along(node, index)
        # Along several axes it is a maximum of maxima.
        split = [part.args if _is(part, "maximum") else (part,) for part in parts]
        return Apply("maximum", tuple(a for part in split for a in part))

    def _along(self, node: Any, index: tuple[int, ...]) -> list[Any]:
        axis = node.params["axis"]
        rest = index[:axis] + index[axis + 1 :] if node.params["keepdims"] else index
        length = self.graph.nodes[node.inputs[0]].shape[axis]
        return [self.entry(node.inputs[0], (*rest[:axis], k, *rest[axis:])) for k in range(length)]

    def _softmax(self, node: Any, index: tuple[int, ...]) -> Expression:
        scores = [self.entry(node.inputs[0], (*index[:-1], k)) for k in range(node.shape[-1])]
        numerators: list[Any] = [Apply("exp", (z,)) for z in scores]  # type: ignore[arg-type]
        return Apply("div", (numerators[index[-1]], added(numerators)))  # type: ignore[arg-type]

    def _where(self, node: Any, index: tuple[int, ...]) -> Expression:
        keep = np.broadcast_to(node.params["keep"], node.shape)[index]
        found: Expression = self._operand(node.inputs[0 if keep else 1], index)
        return found

    def _concat(self, node: Any, index: tuple[int, ...]) -> Expression:
        axis, place = node.params["axis"], list(index)
        for part in node.inputs:
            length = self.graph.nodes[part].shape[axis]
            if place[axis] < length:
                return self.entry(part, tuple(place))
            place[axis] -= length
        raise AssertionError("an index past the end of a concatenation")


def _is(e: Any, op: str) -> bool:
    return isinstance(e, Apply) and e.op == op


def added(terms: list[Any]) -> Expression:
    """The sum of terms, in order."""
    return terms[0] if len(terms) == 1 else Apply("add", tuple(terms))


# Writing it: precedence of the outermost operation, and a format for each notation.

_ADD, _MUL, _NEG, _POW, _ATOM = range(5)
_SHORT = {"maximum": "max", "minimum": "min"}
_INFIX = {
    "add": (_ADD, " + "), "sub": (_ADD, " - "), "mul": (_MUL, None), "div": (_MUL, None),
}  # fmt: skip

#: A fraction over an integer, a root, or the product of both.
_FRACTION = re.compile(r"\\frac\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\{(\d+|(?:\d+ )?\\sqrt\{\d+\})\}")


def write(expression: Expression, notation: Notation, leaf: Callable[[Cell], str]) -> str:
    r"""Write an expression with `leaf` for its cells.

    >>> write(Apply("add", (Apply("mul", (Fraction(1, 2), Name("a"))), Fraction(-3))), "text", str)
    '1/2 * a + (-3)'
    """
    return _Writer(notation, leaf).write(expression)[0]


class _Writer:
    def __init__(self, notation: Notation, leaf: Callable[[Cell], str]) -> None:
        self.tex = notation == "latex"
        self.leaf = leaf

    def write(self, e: Expression) -> tuple[str, int]:
        if isinstance(e, Cell):
            text = self.leaf(e)
            return text, _precedence(text, self.tex)
        if isinstance(e, Fraction):
            return self._fraction(e)
        if isinstance(e, Infinity):
            return (("-" if e.sign < 0 else "") + (r"\infty" if self.tex else "oo")), _NEG
        if isinstance(e, Name):
            return (variable(e.name) if self.tex else e.name), _ATOM
        return self._apply(e)

    def _fraction(self, e: Fraction) -> tuple[str, int]:
        if e.denominator == 1:
            return str(e), _NEG if e < 0 else _ATOM
        if not self.tex:
            return str(e), _NEG if e < 0 else _MUL
        sign = "-" if e < 0 else ""
        return rf"{sign}\frac{{{abs(e.numerator)}}}{{{e.denominator}}}", _NEG if sign else _ATOM

    def _apply(self, e: Apply) -> tuple[str, int]:
        if e.op == "div" and self.tex:
            top, bottom = (self.write(a)[0] for a in e.args)
            return rf"\frac{{{top}}}{{{bottom}}}", _ATOM
        if e.op in _INFIX:
            level, separator = _INFIX[e.op]
            between = separator or ((r" \cdot " if self.tex else " * ") if e.op == "mul" else "/")
            strict = e.op in ("sub", "div")
            parts = [self._wrapped(a, level, strict and i > 0) for i, a in enumerate(e.args)]
            return between.join(parts), level
        if e.op == "neg":
            return "-" + self._wrapped(e.args[0], _MUL, False), _NEG
        if e.op == "power":
            base = self._wrapped(e.args[0], _POW, True)
            exponent = self.write(e.args[1])[0]
            plain = exponent if exponent.isalnum() else f"({exponent})"
            return (f"{base}^{{{exponent}}}" if self.tex else f"{base}**{plain}"), _POW
        return self._function(e)

    def _function(self, e: Apply) -> tuple[str, int]:
        if not e.args:
            return ("\\" if self.tex else "") + e.op, _ATOM
        arguments = ", ".join(self.write(a)[0] for a in e.args)
        if e.op == "pi":
            return (r"\pi" if self.tex else "pi"), _ATOM
        if not self.tex:
            return f"{_SHORT.get(e.op, e.op)}({arguments})", _ATOM
        if e.op == "abs":
            return rf"\left|{arguments}\right|", _ATOM
        if e.op == "exp":
            # Exponents are small already: their fractions are written in a line.
            inline = _FRACTION.fullmatch(arguments)
            above, below = inline.groups() if inline else ("", "")
            # A root below the bar is written in a line where a value has it, not a formula.
            if inline and (below.isdigit() or isinstance(e.args[0], Cell)):
                arguments = f"{above}/({below})" if " " in below else f"{above}/{below}"
            return f"e^{{{arguments}}}", _POW
        if e.op == "sqrt":
            return rf"\sqrt{{{arguments}}}", _ATOM
        upright = {"erf": r"\mathrm{erf}", "sign": r"\mathrm{sgn}"}
        name = upright.get(e.op, "\\" + _SHORT.get(e.op, e.op))
        return rf"{name}\left({arguments}\right)", _ATOM

    def _wrapped(self, e: Expression, level: int, strict: bool) -> str:
        text, own = self.write(e)
        # A sign inside a sum or product is bracketed: 1 + (-3), 2 · (-1).
        loose = own < level or (own == level and strict) or own == _NEG
        if not loose:
            return text
        return rf"\left({text}\right)" if self.tex else f"({text})"


def precedence(latex: str) -> int:
    r"""The outermost operation of LaTeX: 0 a sum, 2 a sign, 4 anything else.

    >>> precedence("a + b"), precedence("-a"), precedence(r"\frac{a + b}{c}")
    (0, 2, 4)
    """
    return _precedence(latex, True)


def _precedence(text: str, tex: bool) -> int:
    """The outermost operation of a leaf's text, which was written elsewhere."""
    if text.startswith("-"):
        return _NEG
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and c in "+-" and i and text[i - 1] == " ":
            return _ADD
    if depth == 0 and not tex and ("/" in text or "*" in text):
        return _MUL
    return _ATOM
