"""Formulas of source lines: templates by latexify-py, or recorded ones in their place.

A template is LaTeX with ``«name»`` where the source had a name. Filling it with
symbols gives the general formula, filling it with values the substituted one.
Templates come from latexify-py (`symattn.codegen`). Those of the package's own
lines are recorded in ``recorded.json``, so the built-in models need no latexify;
a test keeps the record fresh.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from symattn import notation
from symattn.notation import Template, function_symbol, symbol

RECORD = Path(__file__).with_name("recorded.json")


@cache
def _record() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(RECORD.read_text("utf-8"))
    return found


@cache
def template(source: str) -> Template:
    """The template of a line's right-hand side (or of a whole statement).

    Where latexify-py cannot be imported (Python 3.14 and later) and the line is not
    a built-in one, the template is the code itself, and says so in `Template.code`.
    """
    recorded = _record().get(source)
    if recorded:
        return Template(recorded["plain"], recorded.get("factored", recorded["plain"]))
    try:
        from symattn import codegen
    except ImportError:
        return Template(notation.as_code(source), notation.as_code(source), code=True)
    return codegen.render(source)


def record(sources: list[str]) -> dict[str, dict[str, str]]:
    """Render lines afresh, in the shape of the record."""
    from symattn import codegen

    out: dict[str, dict[str, str]] = {}
    for source in sorted(set(sources)):
        made = codegen.render(source)
        out[source] = {"plain": made.plain}
        if made.factored != made.plain:
            out[source]["factored"] = made.factored
    return out


def lines(function: Any) -> Iterator[tuple[str | None, ast.expr]]:
    """The lines of a function that name a value, and its return: target, right-hand side."""
    from symattn.rewrite import definition_of

    _, definition = definition_of(function.__code__)
    yield from _lines(definition.body)


def _lines(body: list[ast.stmt]) -> Iterator[tuple[str | None, ast.expr]]:
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value
        elif isinstance(node, ast.Return) and node.value is not None:
            yield None, node.value
        elif isinstance(node, ast.If | ast.For):
            yield from _lines(node.body)
            yield from _lines(node.orelse)


def formulas(function: Any) -> list[str]:
    r"""LaTeX equations of a function, one a line of its source, in order.

    A line that only names a shape or an option is left out; ``return`` gives the
    function's own name and its arguments.

    >>> from symattn.transformer import attention
    >>> print(formulas(attention)[-1])
    \mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right) V
    """
    from symattn.trace import scope_name

    def called(name: str) -> str:
        known = function.__globals__.get(name)
        return function_symbol(scope_name(known) if hasattr(known, "__code__") else name)

    equations = []
    for target, value in lines(function):
        if is_static(value) or (target is None and isinstance(value, ast.Name)):
            continue
        right = template(ast.unparse(value)).fill(symbol, function=called)
        if target is None:
            names = ", ".join(map(symbol, inspect.signature(function).parameters))
            left = f"{function_symbol(scope_name(function))}({names})"
        else:
            left = symbol(target)
            if isinstance(value, ast.ListComp):
                left += f"_{{{symbol(ast.unparse(value.generators[0].target))}}}"
        equations.append(f"{left} = {right}")
    return equations


def is_static(value: ast.expr) -> bool:
    """Whether a line only counts: a shape, a length, a range of indices."""
    names = {n.attr if isinstance(n, ast.Attribute) else n.id
             for n in ast.walk(value) if isinstance(n, ast.Attribute | ast.Name)}  # fmt: skip
    return bool(names & {"shape", "len", "arange"})
