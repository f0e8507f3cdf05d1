"""The map of steps as a mermaid flowchart, which GitHub and others draw from text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from symattn.notation import visible
from symattn.stepmap import Box


def flowchart(boxes: Sequence[Box]) -> str:
    """Mermaid's text: inputs are round, scopes are frames, arrows go to what is computed.

    Labels hold letters, digits and few signs; each other character is written by its number, so
    that none is read as mermaid's syntax, as Markdown or as HTML.

    >>> import symattn as sa
    >>> from symattn.stepmap import stepmap
    >>> print(*flowchart(stepmap(sa.article())).splitlines()[:3], sep=chr(10))
    flowchart TD
      n0(["W_vocab"])
      n1(["W_Q"])
    """
    lines = ["flowchart TD"]
    opened: list[str] = []
    count = 0
    for scope, run in groupby(range(len(boxes)), lambda i: boxes[i].scope):
        inner = _prefixes(scope)
        shared = _shared(opened, inner)
        for depth in range(len(opened), shared, -1):
            lines.append("  " * depth + "end")
        for depth, address in enumerate(inner[shared:], shared + 1):
            name = label(address.rpartition(".")[2])
            lines.append(f'{"  " * depth}subgraph s{count}["{name}"]')
            count += 1
        opened = inner
        for i in run:
            left, right = ("([", "])") if boxes[i].given else ("[", "]")
            if len(boxes[i].steps) > 1:
                left, right = "[[", "]]"
            lines.append(f'{"  " * (len(opened) + 1)}n{i}{left}"{label(boxes[i].name)}"{right}')
    lines += ["  " * depth + "end" for depth in range(len(opened), 0, -1)]
    lines += [f"  n{b} --> n{i}" for i, box in enumerate(boxes) for b in box.before]
    return "\n".join(lines)


def _prefixes(scope: str) -> list[str]:
    """The addresses of the scopes that a scope stands in, and its own, from the outermost on."""
    parts = scope.split(".") if scope else []
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


def _shared(one: list[str], other: list[str]) -> int:
    """How many scopes two addresses begin with alike."""
    same = [a == b for a, b in zip(one, other, strict=False)]
    return [*same, False].index(False)


def label(name: str) -> str:
    """A name as the text of a quoted label.

    >>> label('W_vocab'), label('a"b<c>')
    ('W_vocab', 'a#34;b#60;c#62;')
    """
    return re.sub(r"[^A-Za-z0-9_ .\[\]]", lambda m: f"#{ord(m[0])};", visible(name))
