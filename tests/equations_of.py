"""What pages consist of, for tests that look at each equation of one."""

from __future__ import annotations

from symattn.blocks import (
    Block,
    Equation,
    Fold,
    Heading,
    Inline,
    Items,
    Map,
    Math,
    Page,
    Paragraph,
    Styled,
    Table,
)


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
            elif isinstance(block, Map):
                inside(block.instead)
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
