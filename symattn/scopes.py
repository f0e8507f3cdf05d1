"""What tells steps of one name in several scopes apart: A^{(1,0)} in layer 1, head 0."""

from __future__ import annotations

import re
from collections.abc import Callable

from symattn.graph import Graph, NamedNode
from symattn.notation import function_symbol

_SCOPE = re.compile(r"(\w+)\[(\d+)\]")


def superscript(graph: Graph, step: NamedNode) -> str:
    r"""The superscript of a step's symbol; none where no other step has its name.

    Indices of its scopes where these tell it from the others; else scopes that are the only
    ones of their name are named, ``(\mathrm{decoder},0,1)``; else all scopes are.
    """
    same = [s for s in graph.steps if s.name == step.name]
    if "]." not in step.address or len({s.node for s in same}) == 1:
        return ""
    marks: list[str] = []
    for describe in (_indices, _by_need(graph), _in_words):
        marks = describe(step.address)
        if len({s.node for s in same if describe(s.address) == marks}) == 1:
            break
    return f"^{{({','.join(marks)})}}"


def _indices(address: str) -> list[str]:
    return [index for _, index in _SCOPE.findall(address)]


def _in_words(address: str) -> list[str]:
    return [f"{function_symbol(name)}\\,{index}" for name, index in _SCOPE.findall(address)]


def _by_need(graph: Graph) -> Callable[[str], list[str]]:
    """Describes scopes by their index where there are several of the name, else by the name."""
    seen = {path for s in graph.steps for path in _paths(s.address)}

    def describe(address: str) -> list[str]:
        found = []
        for path in _paths(address):
            name, index = _SCOPE.findall(path)[-1]
            several = path[: -len(f"[{index}]")] + "[1]" in seen
            found.append(index if several else function_symbol(name))
        return found

    return describe


def _paths(address: str) -> list[str]:
    """layer[1].head[0].A -> layer[1], layer[1].head[0]."""
    return [address[: match.end()] for match in _SCOPE.finditer(address)]
