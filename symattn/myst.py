"""A plugin of mystmd, and so of Jupyter Book 2: what symattn.sphinx is for Sphinx.

mystmd runs an executable, which says in JSON what it has, and is then asked with JSON for the nodes
of a directive or a role. Such a file is two lines (docs/jupyter-book.md)::

    #!/bin/sh
    exec python -m symattn.myst --spec article "$@"
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import symattn
from symattn.blocks import (
    Block,
    Code,
    Equation,
    Fold,
    Heading,
    Inline,
    Inlines,
    Items,
    Math,
    Paragraph,
    Plain,
    Styled,
    Table,
)
from symattn.display import OPTIONS
from symattn.document import Builder, commands
from symattn.errors import SpecError, SymattnError
from symattn.files import is_within
from symattn.notation import visible

Node = dict[str, Any]

_TEXT = {"type": "string"}


def offer() -> Node:
    """What mystmd is told that there is."""
    directive = {
        "name": "symattn",
        "doc": "Equations and tables of a derivation.",
        "arg": _TEXT,
        "options": {"spec": _TEXT, "digits": _TEXT},
        "body": _TEXT,
    }
    role = {"name": "symattn-value", "doc": "A value of a derivation.", "body": _TEXT}
    return {"name": "symattn", "directives": [directive], "roles": [role]}


def directive(data: Node, spec: str) -> list[Node]:
    """The nodes of a directive: a command is its argument, others are lines of its body.

    Args:
        spec: of what does not say it; paths are relative to the folder that mystmd runs in.

    Raises:
        SymattnError: what the derivation does not have.
    """
    options: Node = data.get("options") or {}
    own = options.get("spec")
    if own and Path(own).suffix == ".toml" and not is_within(Path(own), Path()):
        said = "wanted a file in the folder that mystmd runs in, or --spec in the plugin"
        raise SpecError(f"spec: {said}, got {own}")
    made = _builder(own or spec, options.get("digits"))
    lines = [data.get("arg") or "", *(data.get("body") or "").split("\n")]
    return [node for command in commands(lines) for node in _blocks(made.asked(command))]


def role(data: Node, spec: str) -> list[Node]:
    """The nodes of a role; see `directive`."""
    return _inlines(_builder(spec).value(" ".join((data.get("body") or "").split())))


def _builder(spec: str, digits: Any = None) -> Builder:
    derivation = symattn.load(spec)
    if digits is not None:
        try:
            derivation = derivation.with_digits(OPTIONS["digits"].parsed(str(digits)))
        except SymattnError as error:
            raise SpecError(f"digits: {error}") from None
    return Builder.of_blocks(derivation)


def _blocks(found: Sequence[Block]) -> list[Node]:
    return list(map(_block, found))


def _block(block: Block) -> Node:
    if isinstance(block, Heading):
        return _node("paragraph", [_node("strong", _inlines(block.parts))])
    if isinstance(block, Paragraph):
        return _node("paragraph", _inlines(block.parts))
    if isinstance(block, Items):
        items = [_node("listItem", _inlines(item)) for item in block.items]
        return _node("list", items) | {"ordered": block.numbered, "spread": False}
    if isinstance(block, Equation):
        return {"type": "math", "value": block.latex}
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Fold):
        summary = _node("summary", _inlines(block.title))
        return _node("details", [summary, *_blocks(block.blocks)])
    return _node("paragraph", _inlines(block.instead))  # what is drawn elsewhere


def _table(table: Table) -> Node:
    rows = []
    for i, cells in enumerate((table.header, *table.rows)):
        head = {"header": True} if i == 0 else {}
        rows.append(
            _node("tableRow", [_node("tableCell", _inlines(cell)) | head for cell in cells])
        )
    return _node("table", rows)


def _inlines(parts: Inlines) -> list[Node]:
    return list(map(_inline, parts))


def _inline(part: Inline) -> Node:
    if isinstance(part, Plain):
        return {"type": "text", "value": visible(part.text)}
    if isinstance(part, Math):
        return {"type": "inlineMath", "value": part.latex}
    if isinstance(part, Code):
        return {"type": "inlineCode", "value": visible(part.text)}
    assert isinstance(part, Styled)
    return _node("strong" if part.level > 1 else "emphasis", _inlines(part.parts))


def _node(kind: str, children: list[Node]) -> Node:
    return {"type": kind, "children": children}


def main(words: Sequence[str]) -> int:
    """What the executable does: say what there is, or read what is asked for and answer.

    Returns:
        The exit status: 1 where what is asked for is not there, which mystmd then tells.
    """
    asked = dict(zip(words[::2], words[1::2], strict=False))
    spec = asked.get("--spec", "article")
    answer: Any = None
    try:
        if "--directive" in asked:
            answer = directive(json.load(sys.stdin.buffer), spec)
        elif "--role" in asked:
            answer = role(json.load(sys.stdin.buffer), spec)
        else:
            answer = offer()
    except SymattnError as error:
        print(f"symattn: {visible(str(error))}", file=sys.stderr)
        return 1
    json.dump(answer, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
