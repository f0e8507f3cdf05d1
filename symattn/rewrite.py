"""Reading a function's source, and rewriting it so that running it records it.

What is rewritten: an assignment names the value, a float literal stays the
decimal it was written as, a division or power of fixed numbers stays exact, and
every call is seen. File name, line numbers and globals stay the function's own;
the helpers that the new code calls come in as closure cells.
"""

from __future__ import annotations

import ast
import copy
import linecache
import math
import sys
import types
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from symattn.errors import TraceError
from symattn.graph import RETURN
from symattn.literals import CONSTANTS
from symattn.tracer import TRACED_CODE


class Defaults:
    """The source of each float among a function's defaults, else None."""

    def __init__(self, node: ast.FunctionDef, text: str) -> None:
        lines = text.split("\n")

        def source(default: ast.expr | None) -> str | None:
            if default is None:
                return None
            if default.lineno == default.end_lineno:  # ast's own way splits the file each time
                line = lines[default.lineno - 1].encode()
                return line[default.col_offset : default.end_col_offset].decode()
            return ast.get_source_segment(text, default)

        self.positional = [source(d) for d in node.args.defaults]
        self.keyword = {
            a.arg: source(d)
            for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        }


def compiled(code: types.CodeType) -> tuple[types.CodeType, Defaults]:
    """The rewritten code of a function; its source is checked anew each time."""
    text = _source_of(code)
    key = (code, code.co_filename, text)
    if key not in _CACHE:
        _CACHE[key] = _compile(code, text, _definition_in(text, code))
    return _CACHE[key]


_CACHE: dict[tuple[types.CodeType, str, str], tuple[types.CodeType, Defaults]] = {}


def _compile(
    code: types.CodeType, text: str, definition: ast.FunctionDef
) -> tuple[types.CodeType, Defaults]:
    defaults = Defaults(definition, text)
    local = set(code.co_varnames) | set(code.co_cellvars)
    rewriter = _Rewriter(code.co_filename, text, local)
    body = rewriter.function(copy.deepcopy(definition))  # the parsed file is shared
    # Under its own name a function that calls itself would find the copy, not the global.
    body.name = "__sa_function"
    factory = ast.FunctionDef(
        name="__sa_factory",
        args=ast.arguments(
            posonlyargs=[], kwonlyargs=[], kw_defaults=[], defaults=[],
            args=[ast.arg(arg=n) for n in (*_HELPERS, *code.co_freevars)],
        ),
        body=[_in_its_class(body, code)],
        decorator_list=[],
    )  # fmt: skip
    if sys.version_info >= (3, 12):
        factory.type_params = []
    module = ast.fix_missing_locations(ast.Module([factory], []))
    made = compile(module, code.co_filename, "exec", dont_inherit=True)
    inner = next(c for c in _codes(made) if c.co_name == body.name)
    inner = inner.replace(co_name=code.co_name, co_qualname=code.co_qualname)
    TRACED_CODE.update(_codes(inner))
    return inner, defaults


def _in_its_class(body: ast.FunctionDef, code: types.CodeType) -> ast.stmt:
    """A method in a class of the name of its own, after which Python calls `self.__w`."""
    owner = code.co_qualname.rpartition(".")[0].rpartition(".")[2]
    if owner in ("", "<locals>"):
        return body
    made = ast.ClassDef(name=owner, bases=[], keywords=[], body=[body], decorator_list=[])
    if sys.version_info >= (3, 12):
        made.type_params = []
    return made


#: Names that end in underscores, too: in the body of a class others would be mangled.
_HELPERS = (
    "__sa_name__", "__sa_call__", "__sa_literal__", "__sa_div__", "__sa_pow__", "__sa_constant__",
    "__sa_items__", "__sa_alone__",
)  # fmt: skip

#: Functions that look at the frame that calls them; they are called from where they stand.
_FRAME_READERS = frozenset(["super", "locals", "globals", "vars", "dir"])


def definition_of(code: types.CodeType) -> tuple[str, ast.FunctionDef]:
    """The source text of the file a function came from, and its definition there.

    Raises:
        TraceError: the source is missing, or is not what was compiled.
    """
    text = _source_of(code)
    return text, _definition_in(text, code)


def _source_of(code: types.CodeType) -> str:
    filename = code.co_filename
    if code.co_name == "<lambda>":
        raise TraceError(f"{filename}:{code.co_firstlineno}: a lambda cannot be traced; use def")
    linecache.checkcache(filename)
    text = "".join(linecache.getlines(filename))
    if not text:
        raise TraceError(
            f"the source of {code.co_name} cannot be read (from {filename}): define the function "
            "in a file, a notebook cell, or at the prompt of `symattn repl`"
        )
    return text


def _definition_in(text: str, code: types.CodeType) -> ast.FunctionDef:
    filename = code.co_filename
    tree, now = _parsed(filename, text)
    same = any(
        c.co_name == code.co_name
        and c.co_firstlineno == code.co_firstlineno
        and c.co_code == code.co_code
        and _plain(c.co_consts) == _plain(code.co_consts)
        and c.co_names == code.co_names
        for c in now
    )
    if not same:
        raise TraceError(
            f"{filename}: the source of {code.co_name} changed after it was loaded; load it again"
        )
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    raise TraceError(
        f"{filename}:{code.co_firstlineno}: {code.co_name} is no plain `def`; it cannot be traced"
    )


@lru_cache(maxsize=64)
def _parsed(filename: str, text: str) -> tuple[ast.Module, tuple[types.CodeType, ...]]:
    try:
        code = compile(text, filename, "exec", dont_inherit=True)
        return ast.parse(text), tuple(_codes(code))
    except SyntaxError as error:
        raise TraceError(f"{filename}: {error.msg} at line {error.lineno}") from None


def _plain(constants: tuple[Any, ...]) -> list[Any]:
    return [c.co_code if isinstance(c, types.CodeType) else (type(c), c) for c in constants]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant_ in code.co_consts:
        if isinstance(constant_, types.CodeType):
            yield from _codes(constant_)


class _Rewriter(ast.NodeTransformer):
    """Assignments name steps, floats and divisions stay exact, calls are seen."""

    def __init__(self, filename: str, text: str, local: set[str]) -> None:
        self.filename = filename
        self.text = text
        self.local = local

    def function(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Rewrite the body; decorators and defaults were applied when it was defined."""
        body = [s for statement in node.body for s in _listed(self.visit(statement))]
        arguments = ast.arguments(
            posonlyargs=node.args.posonlyargs, args=node.args.args, vararg=node.args.vararg,
            kwonlyargs=node.args.kwonlyargs, kwarg=node.args.kwarg,
            kw_defaults=[None] * len(node.args.kwonlyargs), defaults=[],
        )  # fmt: skip
        new = ast.FunctionDef(
            name=node.name, args=arguments, body=body, decorator_list=[], returns=None
        )
        if sys.version_info >= (3, 12):
            new.type_params = []
        return ast.copy_location(new, node)

    def _named(self, target: str, value: ast.expr, source: ast.expr) -> ast.expr:
        """``__sa_name__(target, value, source, {local: local, …})``."""
        used = sorted(
            {
                n.id
                for n in ast.walk(source)
                if isinstance(n, ast.Name)
                and n.id in self.local
                and not _bound_inside(source, n.id)
            }
        )
        local = ast.Dict(
            keys=[ast.Constant(n) for n in used], values=[ast.Name(n, ast.Load()) for n in used]
        )
        call = ast.Call(
            ast.Name("__sa_name__", ast.Load()),
            [ast.Constant(target), value, ast.Constant(ast.unparse(source)), local],
            [],
        )
        return ast.fix_missing_locations(ast.copy_location(call, value))

    def _assigned(self, target: ast.expr, value: ast.expr, source: ast.expr) -> ast.expr:
        if isinstance(target, ast.Name):
            return self._named(target.id, value, source)
        if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            sources = source.elts if isinstance(source, ast.Tuple | ast.List) else value.elts
            if len(target.elts) == len(value.elts):
                value.elts = [
                    self._assigned(t, v, s)
                    for t, v, s in zip(target.elts, value.elts, sources, strict=True)
                ]
        return value

    def visit_Assign(self, node: ast.Assign) -> Any:
        source = _copy(node.value)
        value = self.visit(node.value)
        node.targets = [self.visit(target) for target in node.targets]
        for target in node.targets:
            value = self._assigned(target, value, source)
        node.value = value
        # `a, b = f(x)`: the names exist only after the line.
        after = [
            self._name_after(name, part)
            for target in node.targets
            for name, part in _unpacked(target, source)
        ]
        return [node, *after]

    def _name_after(self, name: ast.Name, source: ast.expr) -> ast.stmt:
        call = self._named(name.id, ast.Name(name.id, ast.Load()), source)
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), name))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        plain = ast.Assign(targets=[node.target], value=node.value)
        return self.visit_Assign(ast.copy_location(plain, node))

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """NumPy changes the array itself, which is a new value where nothing else holds it."""
        if not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        name = node.target.id
        source = ast.BinOp(ast.Name(name, ast.Load()), node.op, _copy(node.value))
        arguments: list[ast.expr] = [ast.Constant(name), ast.Name(name, ast.Load())]
        left = ast.Call(ast.Name("__sa_alone__", ast.Load()), arguments, [])
        value = _operation(left, node.op, self.visit(node.value))
        named = self._named(name, ast.copy_location(value, node), source)
        assigned = ast.Assign(targets=[node.target], value=named)
        return ast.fix_missing_locations(ast.copy_location(assigned, node))

    def visit_Return(self, node: ast.Return) -> Any:
        if node.value is None:
            return node
        source = _copy(node.value)
        node.value = self._named(RETURN, self.visit(node.value), source)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        inner = _Rewriter(self.filename, self.text, _names_bound(node))
        node.body = [s for part in node.body for s in _listed(inner.visit(part))]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        node.body = self.visit(node.body)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        new = _operation(node.left, node.op, node.right)
        return ast.fix_missing_locations(ast.copy_location(new, node))

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """An item that is set or deleted: its owner is looked at, and may be a list or dict."""
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            return node
        what = "del of an item" if isinstance(node.ctx, ast.Del) else "item assignment"
        owner = ast.Call(ast.Name("__sa_items__", ast.Load()), [node.value, ast.Constant(what)], [])
        node.value = ast.fix_missing_locations(ast.copy_location(owner, node))
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _FRAME_READERS:
            return node
        call = ast.Call(ast.Name("__sa_call__", ast.Load()), [node.func, *node.args], node.keywords)
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        if node.attr not in CONSTANTS or not isinstance(node.ctx, ast.Load):
            return node
        arguments = [node.value, ast.Constant(node.attr)]
        call = ast.Call(ast.Name("__sa_constant__", ast.Load()), arguments, [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_Constant(self, node: ast.Constant) -> Any:
        if not isinstance(node.value, float) or math.isinf(node.value):
            return node
        text = (ast.get_source_segment(self.text, node) or repr(node.value)).replace("_", "")
        call = ast.Call(ast.Name("__sa_literal__", ast.Load()), [ast.Constant(text)], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def _operation(left: ast.expr, op: ast.operator, right: ast.expr) -> ast.expr:
    """An operation; a division or power by a helper, which keeps those of fixed numbers exact."""
    helper = {ast.Div: "__sa_div__", ast.Pow: "__sa_pow__"}.get(type(op))
    if helper is None:
        return ast.BinOp(left, op, right)
    return ast.Call(ast.Name(helper, ast.Load()), [left, right], [])


def _copy(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


def _unpacked(target: ast.expr, source: ast.expr) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The names that unpacking binds, each with its part of the right-hand side.

    In `a, b = x, y` each name has a value of its own, and is none of these.
    """
    if not isinstance(target, ast.Tuple | ast.List):
        return
    shown = isinstance(source, ast.Tuple | ast.List) and not _has_star(source.elts)
    paired = shown and not _has_star(target.elts)
    after_star = False
    for i, inner in enumerate(target.elts):
        place = i - len(target.elts) if after_star else i
        after_star = after_star or isinstance(inner, ast.Starred)
        if shown:
            part = source.elts[place]  # type: ignore[attr-defined]
        else:
            part = ast.Subscript(source, ast.Constant(place), ast.Load())
        if isinstance(inner, ast.Name) and not paired:
            yield inner, part
        yield from _unpacked(inner, part)


def _has_star(parts: list[ast.expr]) -> bool:
    return any(isinstance(part, ast.Starred) for part in parts)


def _listed(found: Any) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]


def _names_bound(node: ast.FunctionDef) -> set[str]:
    arguments = node.args
    bound = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            bound.add(inner.id)
    return bound


def _bound_inside(source: ast.expr, name: str) -> bool:
    """Whether a comprehension or lambda in the expression binds the name itself."""
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
        for n in ast.walk(source)
    )
