r"""What a node is computed from, written as the line that a textbook has for it.

A step of a traced function has its source line. What the backward pass adds has none: its
line is read off the graph, from the node down to the nodes that have names, as Python and as
LaTeX with holes (see `symattn.notation.Template`): ``A.T @ dO`` and ``«A»^{\top} «dO»``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from symattn import expression, formulas
from symattn.graph import Array, Binding, NamedNode, Node
from symattn.literals import Exact

_ADD, _NEG, _MUL, _POW, _ATOM = range(5)

#: Words for operations that are written as a function of what they take.
_WORDS = {
    "log": r"\log", "sin": r"\sin", "cos": r"\cos", "tanh": r"\tanh", "erf": r"\mathrm{erf}",
    "sign": r"\mathrm{sgn}", "softmax": r"\mathrm{softmax}", "maximum": r"\max",
}  # fmt: skip
_OWN = ("softmax", "erf")  # that NumPy lacks


class Term(NamedTuple):
    """A piece of a line.

    Attributes:
        text, latex: as Python, and as LaTeX with holes.
        level: how strongly its outermost operation binds.
        factored: a quotient as a factor 1/b before a.
    """

    text: str
    latex: str
    level: int = _ATOM
    factored: str | None = None

    def within(self, level: int) -> Term:
        """In brackets, where it binds less strongly than what it stands in."""
        if self.level >= level:
            return self
        return Term(f"({self.text})", rf"\left({self.latex}\right)")


class Line(NamedTuple):
    """The right-hand side of a step, and what its names stand for."""

    source: str
    latex: tuple[str, str]
    bindings: dict[str, Binding]


class Lines:
    """Writes nodes of one graph as lines.

    Args:
        kinds: by node, what a reindexing or selection is for: ``"repeated"`` (broadcasting,
            which a line leaves to the reader) or ``"scattered"`` (entries put back where they
            were taken from).
    """

    def __init__(
        self, nodes: Sequence[Node], steps: Sequence[NamedNode], kinds: Mapping[int, str]
    ) -> None:
        self.nodes = nodes
        self.kinds = kinds
        self.names: dict[int, str] = {}
        self.taken: dict[str, int] = {}
        self.divisors = _divisors(nodes, steps)
        for step in steps:
            self.name(step)

    def name(self, step: NamedNode) -> None:
        """Take a step in, which lines then call by its name."""
        known = self.names.get(step.node)
        if step.inside or (known is not None and not known.startswith("return")):
            return
        name = step.name if step.name not in self.taken else step.address
        self.names[step.node] = name
        self.taken[name] = step.node

    def line(self, node: int) -> Line:
        """The line of a node that gets a name."""
        self.bindings: dict[str, Binding] = {}
        made = self.inside(node)
        return Line(made.text, (made.latex, made.factored or made.latex), self.bindings)

    def term(self, number: int) -> Term:
        name = self.names.get(number)
        if name is not None:
            self.bindings[name] = number
            return Term(name, f"«{name}»")
        if number in self.divisors:
            made, bindings = self.divisors[number]
            self.bindings.update(bindings)
            return made
        return self.inside(number)

    def inside(self, number: int) -> Term:
        node = self.nodes[number]
        if node.op == "constant":
            return _constant(node.params["value"])
        of_scores = log_softmax_of(self.nodes, number)
        if of_scores is not None:
            x = self.term(of_scores)
            return Term(f"log_softmax({x.text})", rf"\log \mathrm{{softmax}}\left({x.latex}\right)")
        if self.kinds.get(number) == "scattered":
            return self._scattered(node)
        special = getattr(self, "_" + node.op, None)
        if special is not None:
            found: Term = special(number, node)
            return found
        word = node.op if node.op in _OWN else f"np.{node.op}"
        return self._called(word, _WORDS[node.op], *map(self.term, node.inputs))

    def _called(self, text: str, latex: str, *terms: Term) -> Term:
        texts, latexes = ", ".join(t.text for t in terms), ", ".join(t.latex for t in terms)
        return Term(f"{text}({texts})", rf"{latex}\left({latexes}\right)")

    def _add(self, number: int, node: Node) -> Term:
        a, b = map(self.term, node.inputs)
        right = b.within(_MUL)  # a sign after a sign is bracketed
        return Term(f"{a.text} + {right.text}", f"{a.latex} + {right.latex}", _ADD)

    def _sub(self, number: int, node: Node) -> Term:
        a, b = map(self.term, node.inputs)
        right = b.within(_MUL)
        return Term(f"{a.text} - {right.text}", f"{a.latex} - {right.latex}", _ADD)

    def _neg(self, number: int, node: Node) -> Term:
        a = self.term(node.inputs[0]).within(_MUL)
        return Term(f"-{a.text}", f"-{a.latex}", _NEG)

    def _mul(self, number: int, node: Node) -> Term:
        if node.inputs[0] == node.inputs[1]:
            return self._powered(self.term(node.inputs[0]), Term("2", "2"))
        a, b = (self.term(i).within(_MUL) for i in node.inputs)
        scalar = any(not self.nodes[self._plain(i)].shape for i in node.inputs)
        between = r" \odot " if not scalar else r" \cdot " if b.latex[:1].isdigit() else " "
        right = b.within(_POW) if not scalar else b
        return Term(f"{a.text} * {b.text}", f"{a.latex}{between}{right.latex}", _MUL)

    def _plain(self, number: int) -> int:
        """The node without repetitions."""
        while self.kinds.get(number) == "repeated":
            number = self.nodes[number].inputs[0]
        return number

    def _div(self, number: int, node: Node) -> Term:
        a, b = map(self.term, node.inputs)
        left, right = a.within(_MUL), b.within(_POW)
        return Term(
            f"{left.text} / {right.text}", rf"\frac{{{a.latex}}}{{{b.latex}}}", _MUL,
            rf"\frac{{1}}{{{b.latex}}} {left.latex}" if a.text != "1" else None,
        )  # fmt: skip

    def _power(self, number: int, node: Node) -> Term:
        return self._powered(*map(self.term, node.inputs))

    def _powered(self, a: Term, b: Term) -> Term:
        base = a.within(_ATOM)
        exponent = b.within(_ATOM)
        return Term(f"{base.text}**{exponent.text}", f"{base.latex}^{{{b.latex}}}", _POW)

    def _sqrt(self, number: int, node: Node) -> Term:
        x = self.term(node.inputs[0])
        return Term(f"np.sqrt({x.text})", rf"\sqrt{{{x.latex}}}")

    def _exp(self, number: int, node: Node) -> Term:
        x = self.term(node.inputs[0])
        return Term(f"np.exp({x.text})", f"e^{{{x.latex}}}", _POW)

    def _matmul(self, number: int, node: Node) -> Term:
        outer = [self._vector(i, axis) for i, axis in zip(node.inputs, (1, 0), strict=True)]
        if outer[0] is not None and outer[1] is not None:
            a, b = (self.term(i).within(_ATOM) for i in outer)  # type: ignore[arg-type]
            return Term(f"np.outer({a.text}, {b.text})", rf"{a.latex}^{{\top}} {b.latex}", _MUL)
        a, b = (self.term(i).within(_MUL) for i in node.inputs)
        right = b.within(_POW)
        return Term(f"{a.text} @ {right.text}", f"{a.latex} {right.latex}", _MUL)

    def _vector(self, number: int, axis: int) -> int | None:
        """The vector that a matrix of one row or column was made of."""
        node = self.nodes[number]
        if node.op != "gather" or len(node.shape) != 2 or node.shape[axis] != 1:
            return None
        operand = node.inputs[0]
        return operand if len(self.nodes[operand].shape) == 1 else None

    def _sum(self, number: int, node: Node) -> Term:
        return self._reduced("sum", r"\mathrm{sum}", node)

    def _max(self, number: int, node: Node) -> Term:
        return self._reduced("max", r"\max", node)

    def _reduced(self, word: str, latex: str, node: Node) -> Term:
        operand = node.inputs[0]
        shape, axis = self.nodes[operand].shape, node.params["axis"]
        if len(shape) == 1:
            return self._called(f"np.{word}", latex, self.term(operand))
        x = self.term(operand)
        if word == "sum" and axis == len(shape) - 1:
            return self._called("rowsum", r"\mathrm{rowsum}", x)
        if word == "sum" and axis == 0 and len(shape) == 2:
            return self._called("colsum", r"\mathrm{colsum}", x)
        return Term(
            f"np.{word}({x.text}, axis={axis})", rf"{latex}_{{{axis}}}\left({x.latex}\right)"
        )

    def _where(self, number: int, node: Node) -> Term:
        a, b = map(self.term, node.inputs)
        return self._called("np.where", r"\mathrm{where}", Term("keep", r"\mathrm{keep}"), a, b)

    def _scattered(self, node: Node) -> Term:
        """Entries put back where they were taken from."""
        gathered, keep = node, None
        while gathered.op != "gather":
            keep = gathered.params.get("keep", keep)
            gathered = self.nodes[gathered.inputs[0]]
        source = gathered.inputs[0]
        x, shape = self.term(source), self.nodes[source].shape
        place = None
        if node.op == "where" and keep is not None:
            place = _place(keep, gathered.params["index"], shape)
        if place is None:
            return self._called("scatter", r"\mathrm{scatter}", x)
        unit = Term(f"unit({place}, {len(keep)})", f"e_{{{place}}}")  # type: ignore[arg-type]
        if x.text in ("1", "-1"):
            return unit if x.text == "1" else Term(f"-{unit.text}", f"-{unit.latex}", _NEG)
        factor = x.within(_POW)
        if shape:
            row = rf"{unit.latex}^{{\top}} {factor.latex}"
            return Term(f"np.outer({unit.text}, {x.text})", row, _MUL)
        return Term(f"{factor.text} * {unit.text}", f"{factor.latex} {unit.latex}", _MUL)

    def _gather(self, number: int, node: Node) -> Term:
        operand, index = node.inputs[0], node.params["index"]
        shape = self.nodes[operand].shape
        if self.kinds.get(number) == "repeated":
            return self.term(operand)
        x = self.term(operand)
        if index.size == int(np.prod(shape)) and (index.reshape(-1) == np.arange(index.size)).all():
            return x  # another shape of the same
        if len(shape) > 1:
            grid = np.arange(int(np.prod(shape))).reshape(shape)
            if np.array_equal(np.swapaxes(grid, -1, -2), index):
                atom = x.within(_ATOM)
                return Term(f"{atom.text}.T", rf"{atom.latex}^{{\top}}", _POW)
        part = _part(index, shape)
        if part is None:
            return self._called("gather", r"\mathrm{gather}", x)
        atom = x.within(_ATOM)
        return Term(f"{atom.text}[{part}]", f"{atom.latex}[{part}]")

    def _concat(self, number: int, node: Node) -> Term:
        parts = [self.term(i) for i in node.inputs]
        texts = ", ".join(p.text for p in parts)
        inner = ", ".join(p.latex for p in parts)
        axis = node.params["axis"]
        return Term(
            f"np.concatenate([{texts}], axis={axis})", rf"\mathrm{{Concat}}\left({inner}\right)"
        )


def _part(index: Array, shape: tuple[int, ...]) -> str | None:
    """Which rows, columns or entry of an array a reindexing takes: ``2``, ``0:3``, ``:, 1:3``."""
    grid = np.arange(int(np.prod(shape))).reshape(shape)
    if index.shape == () and shape:
        return ", ".join(str(int(i)) for i in np.unravel_index(int(index), shape))
    for axis in range(len(shape)):
        before = ":, " * axis
        rest = shape[:axis] + shape[axis + 1 :]
        if index.shape == rest and index.size:
            place = int(np.unravel_index(int(index.flat[0]), shape)[axis])
            if (np.take(grid, place, axis) == index).all():
                return f"{before}{place}"
        if index.ndim == len(shape) and index.size and index.shape[axis] <= shape[axis]:
            first = int(np.unravel_index(int(index.flat[0]), shape)[axis])
            end = first + index.shape[axis]
            if end <= shape[axis]:
                taken = np.take(grid, range(first, end), axis)
                if taken.shape == index.shape and (taken == index).all():
                    return f"{before}{first}:{end}"
    return None


def _place(keep: Array, index: Array, source: tuple[int, ...]) -> int | None:
    """Where a number goes in a vector, or a row in a matrix; None where it is neither."""
    if not source and keep.ndim == 1:
        return int(np.flatnonzero(keep)[0])
    if len(source) == 1 and keep.ndim == 2 and keep.shape[1:] == source:
        rows = np.flatnonzero(keep.any(axis=1))
        if len(rows) == 1 and (index[rows[0]] == np.arange(source[0])).all():
            return int(rows[0])
    return None


def _constant(value: Array) -> Term:
    entries = set(value.flat)
    if value.ndim == 1 and entries == {Fraction(0), Fraction(1)} and sum(value) == 1:
        place = list(value).index(1)
        return Term(f"unit({place}, {len(value)})", f"e_{{{place}}}")
    if len(entries) != 1:
        return Term("constant", r"\mathrm{constant}")
    (number,) = entries
    return _number(number)


def _number(number: Exact) -> Term:
    text, latex = (expression.write(number, style, str) for style in ("text", "latex"))
    plain = isinstance(number, Fraction) and number >= 0
    level = _ATOM if plain and text.isdigit() else _MUL if plain else _ADD
    return Term(text, latex, level)


def _divisors(
    nodes: Sequence[Node], steps: Sequence[NamedNode]
) -> dict[int, tuple[Term, dict[str, Binding]]]:
    """By node, the divisors that lines write in words of their own: √d_k in S / np.sqrt(d_k)."""
    found: dict[int, tuple[Term, dict[str, Binding]]] = {}
    named = {step.node for step in steps}
    for step in steps:
        node = nodes[step.node]
        if step.source is None or node.op != "div" or step.latex or node.inputs[1] in named:
            continue
        tree = ast.parse(step.source, mode="eval").body
        if not isinstance(tree, ast.BinOp) or not isinstance(tree.op, ast.Div):
            continue
        template = formulas.template(step.source)
        match = re.fullmatch(r"\\frac\{«[^»]+»\}\{(.*)\}", template.plain)
        if match is None or template.code:
            continue
        names = {n.id for n in ast.walk(tree.right) if isinstance(n, ast.Name)}
        bindings = {name: step.bindings[name] for name in names if name in step.bindings}
        text = Term(ast.unparse(tree.right), match[1])
        if not isinstance(tree.right, ast.Name | ast.Call | ast.Constant):
            text = Term(f"({text.text})", text.latex)
        found[node.inputs[1]] = (text, bindings)
    return found


def log_softmax_of(nodes: Sequence[Node], number: int) -> int | None:
    """The scores whose log-softmax a node is, x - m - log Σ e^{x - m}; None if it is none.

    m is the row's maximum, which cancels: so does its derivative.
    """
    node = nodes[number]
    shifted, log = (nodes[i] for i in node.inputs) if node.op == "sub" else (node, node)
    if shifted.op != "sub" or log.op != "log" or nodes[log.inputs[0]].op != "sum":
        return None
    total = nodes[log.inputs[0]]
    powers = nodes[total.inputs[0]]
    x, m = shifted.inputs
    last = len(nodes[x].shape) - 1
    if powers.op != "exp" or nodes[powers.inputs[0]].inputs != (x, m) or last < 0:
        return None
    same_rows = nodes[m].op == "max" and nodes[m].inputs == (x,)
    axes = [n.params.get("axis") for n in (nodes[m], total)]
    kept = [n.params.get("keepdims") for n in (nodes[m], total)]
    if nodes[powers.inputs[0]].op != "sub" or not same_rows or axes != [last] * 2:
        return None
    return x if all(kept) or last == 0 else None
