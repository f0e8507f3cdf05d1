"""Statements and their proofs: as text, Markdown, LaTeX, and as plain data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from symattn.blocks import Block, Items, Paragraph, plain
from symattn.notation import visible
from symattn.writers import latex as latex_writer
from symattn.writers import markdown as markdown_writer
from symattn.writers.screen import PLAIN, Screen

if TYPE_CHECKING:
    from symattn.properties.core import Statement


def text(found: Sequence[Statement], screen: Screen = PLAIN) -> str:
    """For a terminal: a paragraph a statement, and how many of which verdict."""
    lines = []
    for s in found:
        role = "bad" if s.is_wrong else "warning" if s.verdict == "undecided" else "good"
        verdict = screen.ink(f"{s.verdict:<9}", role)
        lines.append(f"{verdict}  {visible(unmarked(s.title))}" + screen.ink(_claim(s), role))
        lines += [visible(f"           {s.name}, for {s.sizes}: {s.method}")]
        lines += [visible(f"           {s.witness}")] if s.witness else []
        lines += [visible(f"           source: {s.source}")] if s.source else []
    return "\n".join(lines if len(found) == 1 else [*lines, counted(found)])


def _claim(s: Statement) -> str:
    """What is said where a statement is not claimed, or the claim fails."""
    if s.is_wrong:
        return " (claimed the contrary)"
    return "" if s.claimed else " (stated as false)"


def counted(found: Sequence[Statement]) -> str:
    """``52 statements: 49 proven, 3 refuted``, and what was not as claimed."""
    kinds = ("proven", "refuted", "undecided")
    counts = {kind: sum(s.verdict == kind for s in found) for kind in kinds}
    if not found:
        return "no statements: nothing of this kind is known of this model"
    said = ", ".join(f"{n} {kind}" for kind, n in counts.items() if n)
    wrong = sum(s.is_wrong for s in found)
    against = f"; {wrong} not as claimed" if wrong else ""
    return f"{len(found)} statements: {said}{against}"


def unmarked(title: str) -> str:
    r"""A title without dollars, and with plain signs for the few commands that titles use.

    >>> unmarked("a score has variance $d_k$, at $\\varepsilon > 0$")
    'a score has variance d_k, at ε > 0'
    """
    signs = {
        r"\varepsilon": "ε", r"\sigma": "σ", r"\pm": "±", r"\cdot": "·", r"\top": "T",
        r"\sqrt": "√", r"\mathrm": "",
    }  # fmt: skip

    def said(match: re.Match[str]) -> str:
        maths = match[1]
        for command, sign in signs.items():
            maths = maths.replace(command, sign)
        return re.sub(r"\{(\w+)\}", r"\1", maths)

    return re.sub(r"\$([^$]*)\$", said, title).replace("`", "")


def markdown(found: Sequence[Statement]) -> str:
    """A Markdown list, and how many of which verdict."""
    return "\n\n".join(map(markdown_writer.written, blocks(found))) + "\n"


def latex(found: Sequence[Statement]) -> str:
    """The same in LaTeX, to be put into a document."""
    return "\n\n".join(map(latex_writer.written, blocks(found))) + "\n"


def blocks(found: Sequence[Statement]) -> list[Block]:
    """The same as blocks of a page."""
    return [Items(tuple(s.inlines for s in found)), Paragraph(plain(counted(found)))]


def data(found: Sequence[Statement]) -> list[dict[str, Any]]:
    """Plain data, for JSON."""
    return [asdict(s) | {"as_claimed": s.is_as_claimed} for s in found]
