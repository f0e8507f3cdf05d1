"""Pages that every writer is tried on: the five specs, and whole models."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from symattn.blocks import (
    Block,
    Equation,
    Fold,
    Heading,
    Inline,
    Items,
    Math,
    Page,
    Paragraph,
    Styled,
    Table,
)
from symattn.document import page
from symattn.spec_reader import load_spec

SPECS = Path(__file__).parent / "specs"
FIVE = ("article", "article-encoder", "two-layers", "eight-tokens", "hostile")
MODELS = ("gpt2", "vaswani2017")


@cache
def specimen(name: str) -> Page:
    """The page of a spec of `tests/specs`, or of a built-in."""
    path = SPECS / f"{name}.toml"
    return page(load_spec(str(path) if path.exists() else name).derive())


def formulas(made: Page) -> list[tuple[str, bool]]:
    """LaTeX of every equation of a page, folded ones too, and whether it is displayed."""
    found: list[tuple[str, bool]] = []

    def inside(parts: tuple[Inline, ...]) -> None:
        for part in parts:
            if isinstance(part, Math):
                found.append((part.latex, False))
            elif isinstance(part, Styled):
                inside(part.parts)

    def walk(blocks: tuple[Block, ...]) -> None:
        for block in blocks:
            if isinstance(block, Equation):
                found.append((block.latex, True))
            elif isinstance(block, Fold):
                inside(block.title)
                inside(block.instead)
                walk(block.blocks)
            elif isinstance(block, Table):
                for row in (block.header, *block.rows):
                    for cell in row:
                        inside(cell)
            elif isinstance(block, Items):
                for item in block.items:
                    inside(item)
            elif isinstance(block, Heading | Paragraph):
                inside(block.parts)

    walk(made.blocks)
    return found
