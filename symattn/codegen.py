"""Source lines to LaTeX: latexify-py's code generator, taught NumPy's notation.

What it adds: ``K.T`` becomes K^⊤, ``A @ B`` a product with its brackets kept,
names keep their subscripts, no double scripts, a call keeps its keywords. What
it does not know is refused by latexify and shown as code.
"""

from __future__ import annotations

import ast

import numpy as np
from latexify.ast_utils import extract_function_name_or_none
from latexify.codegen.expression_codegen import ExpressionCodegen
from latexify.codegen.expression_rules import BUILTIN_FUNCS
from latexify.exceptions import LatexifyError

from symattn.notation import Template, as_code, symbol

#: Functions whose name on the page differs from the one in the code.
NAMES = {"maximum": r"\max", "max": r"\max", "concatenate": r"\mathrm{Concat}"}

#: Functions along an axis.
REDUCTIONS = frozenset(["sum", "max", "min", "mean", "var", "std", "prod", "argmax"])

_LEFT, _RIGHT = r"\left(", r"\right)"


def render(source: str) -> Template:
    """Render one expression, as a fraction and in factored form."""
    tree = ast.parse(source, mode="eval").body
    try:
        return Template(_tidy(_Codegen().visit(tree)), _tidy(_Codegen().factored(tree)))
    except LatexifyError:
        return Template(as_code(source), as_code(source), code=True)


class _Codegen(ExpressionCodegen):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(use_math_symbols=True)

    def factored(self, node: ast.expr) -> str:
        """A quotient as 1/b before a: what a matrix a keeps of its formula."""
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Div)
            and not isinstance(node.left, ast.Constant)
        ):
            return rf"\frac{{1}}{{{self.visit(node.right)}}} {self._factor(node.left)}"
        latex: str = self.visit(node)
        return latex

    def visit_Constant(self, node: ast.Constant) -> str:
        if isinstance(node.value, float):
            return np.format_float_positional(node.value, trim="-")
        latex: str = super().visit_Constant(node)
        return latex

    def visit_Name(self, node: ast.Name) -> str:
        return f"«{node.id}»"

    def visit_Attribute(self, node: ast.Attribute) -> str:
        if node.attr == "T":
            base = self.visit(node.value)
            simple = isinstance(node.value, ast.Name)
            return rf"{base}^{{\top}}" if simple else rf"{self._grouped(node.value)}^{{\top}}"
        if isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy", "math"):
            constants = {"inf": r"\infty", "pi": r"\pi", "e": "e"}
            if node.attr in constants:
                return constants[node.attr]
            return symbol(node.attr)
        return rf"\mathrm{{{symbol(node.attr)}}}{_LEFT}{self.visit(node.value)}{_RIGHT}"

    def _grouped(self, node: ast.expr) -> str:
        latex: str = self.visit(node)
        if isinstance(node, ast.Call) or latex.startswith(_LEFT):
            return rf"{{{latex}}}" if isinstance(node, ast.Call) else latex
        return rf"{_LEFT}{latex}{_RIGHT}"

    def visit_BinOp(self, node: ast.BinOp) -> str:
        if isinstance(node.op, ast.MatMult):
            return f"{self._factor(node.left)} {self._factor(node.right, right=True)}"
        if isinstance(node.op, ast.Mult) and not (_is_scalar(node.left) or _is_scalar(node.right)):
            # Entry by entry: a matrix product is written without a sign.
            return rf"{self._factor(node.left)} \odot {self._factor(node.right, right=True)}"
        if isinstance(node.op, ast.Mult) and isinstance(node.right, ast.UnaryOp):
            return rf"{self._factor(node.left)} \cdot {self._factor(node.right, right=True)}"
        latex: str = super().visit_BinOp(node)
        return latex

    def _factor(self, node: ast.expr, right: bool = False) -> str:
        """A factor of a matrix product, which is not commutative: brackets stay."""
        latex: str = self.visit(node)
        product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult | ast.Mult)
        quotient = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Pow)
        loose = isinstance(node, ast.BinOp | ast.UnaryOp | ast.IfExp) and not quotient
        return rf"{_LEFT}{latex}{_RIGHT}" if loose and not (product and not right) else latex

    def visit_Subscript(self, node: ast.Subscript) -> str:
        if isinstance(node.slice, ast.Name) and len(node.slice.id) == 1:
            return rf"{{{self.visit(node.value)}}}^{{({node.slice.id})}}"
        return rf"{self._atom(node.value)}[{self._index(node.slice)}]"

    def _atom(self, node: ast.expr) -> str:
        """What an index or a transpose binds to: an expression in brackets, if it is one."""
        latex: str = self.visit(node)
        loose = isinstance(node, ast.BinOp | ast.UnaryOp | ast.IfExp | ast.Compare)
        return rf"{_LEFT}{latex}{_RIGHT}" if loose else latex

    def _index(self, node: ast.expr) -> str:
        if isinstance(node, ast.Tuple):
            return ", ".join(map(self._index, node.elts))
        if isinstance(node, ast.Slice):
            parts = [self.visit(p) if p else "" for p in (node.lower, node.upper)]
            return ":".join([*parts, self.visit(node.step)] if node.step else parts)
        if isinstance(node, ast.Constant) and node.value in (None, ...):
            return r"\text{new}" if node.value is None else r"\ldots"
        latex: str = self.visit(node)
        return latex

    def visit_Call(self, node: ast.Call) -> str:
        name = extract_function_name_or_none(node) or ""
        if name == "where" and len(node.args) == 3:
            return self._cases(node)
        method = isinstance(node.func, ast.Attribute) and not (
            isinstance(node.func.value, ast.Name) and node.func.value.id in ("np", "numpy", "math")
        )
        if name == "exp" and not method and len(node.args) == 1:
            return rf"e^{{{self.visit(node.args[0])}}}"
        if name in BUILTIN_FUNCS and not method and not node.keywords and name not in REDUCTIONS:
            latex: str = super().visit_Call(node)
            return latex.replace(r"\sqrt{ ", r"\sqrt{").replace(" }", "}")
        arguments = [node.func.value] if method else []  # type: ignore[attr-defined]
        positional, keywords = [*arguments, *node.args], list(node.keywords)
        if name in REDUCTIONS and len(positional) > 1:
            # The second argument of these is an axis, and no operand.
            keywords = [ast.keyword("axis", positional[1]), *keywords]
            positional = positional[:1]
        shown = [self.visit(a) for a in positional]
        # An axis that is the last one, and kept dimensions, are layout, not mathematics.
        shown += [
            f"{symbol(k.arg)}={self.visit(k.value)}"
            for k in keywords
            if k.arg and k.arg != "keepdims" and ast.unparse(k) != "axis=-1"
        ]
        return rf"{NAMES.get(name) or self._function(name)}{_LEFT}{', '.join(shown)}{_RIGHT}"

    def _function(self, name: str) -> str:
        return f"«{name}()»"

    def _cases(self, node: ast.Call) -> str:
        condition, yes, no = map(self.visit, node.args)
        return (
            rf"\begin{{cases}} {yes} & \text{{if }} {condition} \\ "
            rf"{no} & \text{{otherwise}} \end{{cases}}"
        )

    def visit_ListComp(self, node: ast.ListComp) -> str:
        generator = node.generators[0]
        if len(node.generators) > 1 or generator.ifs:
            latex: str = super().visit_ListComp(node)
            return latex
        index, values = self.visit(generator.target), self._range(generator.iter)
        return rf"{self.visit(node.elt)}, \quad {index} = {values}"

    def _range(self, node: ast.expr) -> str:
        if isinstance(node, ast.Call) and extract_function_name_or_none(node) == "range":
            return rf"0, \ldots, {self.visit(node.args[-1])} - 1"
        latex: str = self.visit(node)
        return latex


def _is_scalar(node: ast.expr) -> bool:
    """Whether a factor is plainly one number: a literal, a size, a function of these.

    The line alone is known here, no shapes; by convention sizes are called d_k, n, h.
    """
    if isinstance(node, ast.Constant | ast.Attribute):
        return not (isinstance(node, ast.Attribute) and node.attr == "T")
    if isinstance(node, ast.Name):
        return node.id.startswith("d_") or node.id in {*"dhijklmnt", "scale", "tau", "eps"}
    if isinstance(node, ast.UnaryOp):
        return _is_scalar(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_scalar(node.left) and _is_scalar(node.right)
    return isinstance(node, ast.Call) and bool(node.args) and all(map(_is_scalar, node.args))


def _tidy(latex: str) -> str:
    """LaTeX without latexify's spacing commands, which not every renderer takes."""
    latex = latex.replace(r"\mathopen{}", "").replace(r"\mathclose{}", "")
    for bracket in (_LEFT, r"\left["):
        latex = latex.replace(bracket + " ", bracket)
    return latex.replace(" " + _RIGHT, _RIGHT).replace(r" \right]", r"\right]")
