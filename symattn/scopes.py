"""What tells steps of one name in several scopes apart: A^{(1,0)} in layer 1, head 0."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symattn.graph import Graph, NamedNode
from symattn.notation import function_symbol


def superscript(graph: Graph, step: NamedNode) -> str:
    r"""The superscript of a step's symbol; none where no other step has its name.

    Indices of its scopes where these tell it from the others; else one scope is named,
    ``(\mathrm{decoder},0,1)``; else all are.
    """
    called = _called(step)
    same = [s for s in graph.by_name[step.name] if _called(s) == called]
    if "]." not in step.address or len({s.node for s in same}) == 1:
        return ""
    repeated = {name for s in graph.steps for name, index in _scopes(s.address) if index != "0"}
    marks: list[str] = []
    for named in _choices(len(_scopes(step.address))):
        marks = _marks(step.address, named, repeated)
        if len({s.node for s in same if _marks(s.address, named, repeated) == marks}) == 1:
            break
    return f"^{{({','.join(marks)})}}"


def _called(step: NamedNode) -> tuple[str, str]:
    """What its symbol is made of: its name; of what is merely returned, also the function's."""
    scopes = _scopes(step.address)
    return step.name, scopes[-1][0] if step.returned and scopes else ""


def _choices(n: int) -> Iterator[set[int]]:
    """Which of n scopes are named: none, one of them from the first on, all."""
    yield set()
    yield from ({i} for i in range(n))
    yield set(range(n))


def _marks(address: str, named: set[int], repeated: set[str]) -> list[str]:
    marks = []
    for place, (name, index) in enumerate(_scopes(address)):
        shown = function_symbol(name)
        if place not in named:
            marks.append(index)
        else:
            marks.append(f"{shown}\\,{index}" if name in repeated else shown)
    return marks


def _scopes(address: str) -> list[tuple[str, str]]:
    """layer[1].head[0].A -> (layer, 1), (head, 0)."""
    return re.findall(r"(\w+)\[(\d+)\]", address)
