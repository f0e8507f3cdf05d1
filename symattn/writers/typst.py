"""A document for typst: what a person would write, and edit, below its looks in one place.

Each equation says in words what it shows, so that its PDF can be read aloud. What a page folds is
an appendix here, and linked from where it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from itertools import zip_longest
from xml.etree.ElementTree import Element

from symattn import mathml, spoken, typst_math
from symattn.blocks import (
    Block,
    Code,
    Equation,
    Fold,
    Heading,
    Inline,
    Inlines,
    Items,
    Map,
    Math,
    Page,
    Paragraph,
    Plain,
    Styled,
    Table,
)
from symattn.notation import visible
from symattn.text import WORDS
from symattn.typst_names import string
from symattn.typst_parts import in_parts
from symattn.writers import marker

#: Headings from which on a page has contents.
CONTENTS = 4

#: Characters of a paragraph that stays on the page of the equation below it.
SHORT = 600

#: What typst reads as more than a sign: a hyphen that joins no words, a dot beside another, and
#: one after a number that would begin a list.
_MARKUP = re.compile(r"^\d+\.|[\\#$*_`~<>@=+/\[\]]|(?<![^\W_])-|-(?![^\W_])|(?<=\.)\.|\.(?=\.)")


def write(page: Page, spec: str = "", *, unseen: str = "") -> str:
    """The whole page as a document for typst.

    Args:
        spec: what the page is about; see `markdown.write`.
        unseen: characters that no font has; they are shown by their number in a box.
    """
    comment = marker.said(spec)
    made = _Document(page)
    options = f"title: {string(visible(page.title))}, language: {string(made.words['language'])}"
    if sum(isinstance(b, Heading) and b.level == 2 for b in page.blocks) < CONTENTS:
        options += ", contents: false"
    parts = [f"// {comment}"] if comment else []
    parts += [style(unseen), f"#show: paper.with({options})", made.body()]
    return "\n\n".join(parts) + "\n"


def style(unseen: str = "") -> str:
    """The looks, which stand at the top of each document."""
    looks = files("symattn.writers").joinpath("style.typ").read_text("utf-8").rstrip("\n")
    if not unseen:
        return looks
    known = "".join(f"\\u{{{ord(c):x}}}" for c in unseen)
    return f'{looks}\n#show regex("[{known}]"): it => unseen(it.text)'


class _Document:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.words = {**WORDS, **page.words}
        self.folds: list[Fold] = []
        self.level = 0

    def body(self) -> str:
        body = self.all_written(self.page.blocks)
        if self.folds:
            body.append(f"= {markup(self.words['appendix'])}")
            self.level = 1
        at = 0
        while at < len(self.folds):  # a fold may hold folds
            fold = self.folds[at]
            at += 1
            body.append(f"== {inlines(fold.title)} <folded-{at}>")
            self.level = 2
            body += self.all_written(fold.blocks, deeper=1)
        return "\n\n".join(body)

    def all_written(self, blocks: Sequence[Block], deeper: int = 0) -> list[str]:
        out = []
        for block, following in zip_longest(blocks, blocks[1:]):
            made = self.written(block, deeper)
            leads = isinstance(block, Paragraph) and isinstance(following, Equation | Table)
            out.append(f"#lead[{made}]" if leads and len(made) < SHORT else made)
        return out

    def written(self, block: Block, deeper: int = 0) -> str:
        if isinstance(block, Heading):
            # Levels that leave one out cannot be read aloud as an outline.
            self.level = min(max(block.level - 1, 1) + deeper, self.level + 1)
            return f"{'=' * self.level} {inlines(block.parts)}"
        if isinstance(block, Paragraph):
            return inlines(block.parts)
        if isinstance(block, Items):
            mark = "+" if block.numbered else "-"
            return "\n".join(f"{mark} {inlines(item)}" for item in block.items)
        if isinstance(block, Equation):
            return equation(block.latex)
        if isinstance(block, Fold):
            self.folds.append(block)
            where = f"#link(<folded-{len(self.folds)}>)[{markup(self.words['see_appendix'])}]"
            return f"{inlines(block.instead)} {where}"
        if isinstance(block, Map):
            return inlines(block.instead)
        return _table(block)


def equation(latex: str) -> str:
    """A displayed equation, with its words; one with a large matrix also in parts."""
    tree = mathml.tree(latex)
    parts = in_parts(tree)
    also = f", parts: $\n{typst_math.from_tree(parts)}\n$" if parts is not None else ""
    return f"#eq({_words(tree)}, $\n{typst_math.from_tree(tree)}\n${also})"


def _words(tree: Element) -> str:
    """What an equation says, as a string."""
    return string(spoken.words(tree).replace("\n", " "))


def _table(table: Table) -> str:
    lines = [f"  ({', '.join(f'[{inlines(c)}]' for c in table.header)},),"]
    lines += [f"  {', '.join(f'[{inlines(c)}]' for c in row)}," for row in table.rows]
    return "\n".join([f"#rows({len(table.header)},", *lines, ")"])


def inlines(parts: Inlines) -> str:
    """Inlines as markup."""
    return _joined(map(_inline, parts))


def _joined(pieces: Iterable[str]) -> str:
    """Pieces beside each other; what follows a call must not be read as part of it."""
    out = last = ""
    for piece in pieces:
        after_call = last.startswith("#")
        out += f";{piece}" if after_call and piece.startswith(("(", ".", ";")) else piece
        last = piece or last
    return out


def _inline(part: Inline) -> str:
    if isinstance(part, Plain):
        return markup(part.text)
    if isinstance(part, Math):
        tree = mathml.tree(part.latex, displayed=False)
        return f"#m({_words(tree)}, ${typst_math.from_tree(tree)}$)"
    if isinstance(part, Code):
        return f"#raw({string(visible(part.text))})"
    assert isinstance(part, Styled)
    return f"#{'strong' if part.level > 1 else 'emph'}[{inlines(part.parts)}]"


def markup(text: str) -> str:
    r"""Any text as markup that shows it.

    >>> print(markup("cat chases $x$, #mouse [-]"))
    cat chases \$x\$, \#mouse \[\-\]
    """
    return _MARKUP.sub(lambda m: f"{m[0][:-1]}\\{m[0][-1]}", visible(text))
