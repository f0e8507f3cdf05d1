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
from latexify.exceptions import LatexifyError, LatexifyNotSupportedError

from symattn import index_notation
from symattn.notation import Template, as_code, symbol

#: Functions whose name on the page differs from the one in the code.
NAMES = {
    "maximum": r"\max", "max": r"\max", "minimum": r"\min", "min": r"\min",
    "concatenate": r"\mathrm{Concat}",
}  # fmt: skip

#: Functions along an axis.
REDUCTIONS = frozenset(["sum", "max", "min", "mean", "var", "std", "prod", "argmax", "cumsum"])

#: Functions that are another way to write an operator.
OPERATORS: dict[str, type[ast.operator]] = {
    "add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div,
    "power": ast.Pow, "matmul": ast.MatMult, "dot": ast.MatMult,
}  # fmt: skip

_LEFT, _RIGHT = r"\left(", r"\right)"


def render(source: str) -> Template:
    """Render one expression, as a fraction and in factored form."""
    tree = ast.parse(source, mode="eval").body
    try:
        return Template(_tidy(_Codegen().visit(tree)), _tidy(_Codegen().factored(tree)))
    except LatexifyError:
        return Template(as_code(source), as_code(source), code=True)


#: Functions with a notation of their own, each a method of the generator.
NOTATIONS = frozenset(
    ["exp", "square", "outer", "eye", "identity", "transpose", "swapaxes", "einsum", "where"]
)


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
            return self._transposed(node.value)
        if isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy", "math"):
            constants = {"inf": r"\infty", "pi": r"\pi", "e": "e"}
            if node.attr in constants:
                return constants[node.attr]
            return symbol(node.attr)
        if node.attr in ("shape", "ndim", "size"):
            return rf"\mathrm{{{node.attr}}}{_LEFT}{self.visit(node.value)}{_RIGHT}"
        return rf"{{{self._atom(node.value)}}}_{{{symbol(node.attr)}}}"  # of a named tuple

    def _transposed(self, node: ast.expr) -> str:
        base = self.visit(node) if isinstance(node, ast.Name) else self._grouped(node)
        return rf"{base}^{{\top}}"

    def _grouped(self, node: ast.expr) -> str:
        latex: str = self.visit(node)
        if isinstance(node, ast.Call) or latex.startswith(_LEFT):
            return rf"{{{latex}}}" if isinstance(node, ast.Call) else latex
        return rf"{_LEFT}{latex}{_RIGHT}"

    def visit_BinOp(self, node: ast.BinOp) -> str:
        if isinstance(node.op, ast.MatMult):
            return f"{self._factor(node.left)} {self._factor(node.right, right=True)}"
        if isinstance(node.op, ast.BitAnd | ast.BitOr):  # of conditions
            sign = r"\land" if isinstance(node.op, ast.BitAnd) else r"\lor"
            return f"{self.visit(node.left)} {sign} {self.visit(node.right)}"
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
        name = extract_function_name_or_none(node)
        if name is None:
            raise LatexifyNotSupportedError("a call of what a call returned has no name")
        method = isinstance(node.func, ast.Attribute) and not (
            isinstance(node.func.value, ast.Name) and node.func.value.id in ("np", "numpy", "math")
        )
        operands = [*([node.func.value] if method else []), *node.args]  # type: ignore[attr-defined]
        notation = getattr(self, f"_{name}", None) if name in NOTATIONS else None
        if name in OPERATORS and len(operands) == 2 and not node.keywords:
            return str(self.visit(ast.BinOp(operands[0], OPERATORS[name](), operands[1])))
        if notation is not None and not node.keywords:
            special: str | None = notation(*operands)
            if special is not None:
                return special
        if name in BUILTIN_FUNCS and not method and not node.keywords and name not in REDUCTIONS:
            latex: str = super().visit_Call(node)
            return latex.replace(r"\sqrt{ ", r"\sqrt{").replace(" }", "}")
        positional, keywords = operands, list(node.keywords)
        if name in REDUCTIONS and len(positional) > 1:
            # The second argument of these is an axis, and no operand.
            keywords = [ast.keyword("axis", positional[1]), *keywords]
            positional = positional[:1]
        # A word says which function of that name it is.
        words = [symbol(word) for k in keywords if (word := _word(k))]
        variant = "_{" + ",".join(words) + "}" if words else ""
        keywords = [k for k in keywords if not _word(k)]
        shown = [self.visit(a) for a in positional]
        # An axis that is the last one or passed on, and kept dimensions, are layout.
        shown += [
            f"{symbol(k.arg)}={self.visit(k.value)}"
            for k in keywords
            if k.arg and k.arg != "keepdims" and ast.unparse(k) not in ("axis=-1", "axis=axis")
        ]
        called = NAMES.get(name) or self._function(name)
        return rf"{called}{variant}{_LEFT}{', '.join(shown)}{_RIGHT}"

    def _function(self, name: str) -> str:
        return f"«{name}()»"

    # Calls that have a notation; None where these operands have none.

    def _exp(self, *operands: ast.expr) -> str | None:
        return rf"e^{{{self.visit(operands[0])}}}" if len(operands) == 1 else None

    def _square(self, *operands: ast.expr) -> str | None:
        if len(operands) != 1:
            return None
        return str(self.visit(ast.BinOp(operands[0], ast.Pow(), ast.Constant(2))))

    def _outer(self, *operands: ast.expr) -> str | None:
        if len(operands) != 2:
            return None
        return rf"{self._factor(operands[0])} \otimes {self._factor(operands[1], right=True)}"

    def _eye(self, *operands: ast.expr) -> str | None:
        return rf"I_{{{self.visit(operands[0])}}}" if len(operands) == 1 else None

    _identity = _eye

    def _transpose(self, *operands: ast.expr) -> str | None:
        return self._transposed(operands[0]) if len(operands) == 1 else None

    def _swapaxes(self, *operands: ast.expr) -> str | None:
        last_two = {ast.unparse(axis) for axis in operands[1:]} == {"-1", "-2"}
        return self._transposed(operands[0]) if last_two else None

    def _einsum(self, *operands: ast.expr) -> str | None:
        if any(isinstance(x, ast.Starred) for x in operands) or len(operands) < 2:
            return None
        first, *rest = operands
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            return None
        factors = index_notation.matrix_product(first.value)
        if not factors or len(factors) != len(rest):
            return index_notation.sums(first.value, list(map(self._atom, rest)))
        shown = []
        for place, factor in enumerate(factors):
            node = rest[factor.operand]
            plain = self._factor(node, right=place > 0)
            shown.append(self._transposed(node) if factor.transposed else plain)
        return " ".join(shown)

    def _where(self, *operands: ast.expr) -> str | None:
        if len(operands) != 3:
            return None
        condition, yes, no = map(self.visit, operands)
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


def _word(keyword: ast.keyword) -> str:
    """The word that a keyword says, as in ``kind="tanh"``; none for anything else."""
    value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
    return value if isinstance(value, str) else ""


def _is_scalar(node: ast.expr) -> bool:
    """Whether a factor is plainly one number: a literal, a size, a function of these.

    The line alone is known here, no shapes; by convention sizes are called d_k, n, h.
    """
    if isinstance(node, ast.Constant | ast.Attribute):
        return not (isinstance(node, ast.Attribute) and node.attr == "T")
    if isinstance(node, ast.Name):
        return node.id.startswith("d_") or node.id in {
            *"dhijklmnt",
            "scale",
            "tau",
            "eps",
            "softcap",
        }
    if isinstance(node, ast.UnaryOp):
        return _is_scalar(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_scalar(node.left) and _is_scalar(node.right)
    return isinstance(node, ast.Call) and bool(node.args) and all(map(_is_scalar, node.args))


def _tidy(latex: str) -> str:
    """LaTeX without latexify's spacing commands, which not every renderer takes."""
    latex = latex.replace(r"\mathopen{}", "").replace(r"\mathclose{}", "")
    for bracket in (_LEFT, r"\left[", r"\left|"):
        latex = latex.replace(bracket + " ", bracket)
    for bracket in (_RIGHT, r"\right]", r"\right|"):
        latex = latex.replace(" " + bracket, bracket)
    return latex
