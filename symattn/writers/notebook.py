"""A Jupyter notebook: the page as a session, with what it shows stored in it.

Prose is Markdown; an equation about steps or an entry is the line of Python that shows it. Each
output is what a kernel would make of the same value, so the notebook reads without being run, and
running it changes nothing. nbformat 4.5; written as nbformat writes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from symattn.blocks import Block, Equation, Heading, Page, Paragraph, Table, inlines, plain
from symattn.errors import SpecError
from symattn.text import Text
from symattn.writers import jupyter, marker
from symattn.writers.session import Session, Typed

#: Steps that one cell shows.
TOGETHER = 4

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def write(page: Page, spec: str = "", blank: Sequence[str] = ()) -> str:
    """The whole page as a notebook.

    Args:
        spec: what the page is about; see `markdown.write`. A built-in's name needs not be said.
        blank: what a worksheet leaves blank; see `marker.blank`.

    A page without a derivation, such as a worksheet, is text alone.

    Raises:
        SpecError: a page of a derivation that no spec was read for.
    """
    if page.derivation is None:
        cells = list(_text_cells(page, spec, blank))
    elif page.derivation.spec is None:
        raise SpecError("a notebook needs a derivation that was loaded from a spec")
    else:
        cells = list(_Notebook(page, spec).cells())
    whole = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _text_cells(page: Page, spec: str, blank: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A page as Markdown: what has boxes to write in stands in a cell of its own."""
    said = marker.said(spec)
    comments = [f"<!-- {said} -->"] if said else []
    if blank:
        comments += marker.blank(blank, "markdown").strip().split("\n")
    cells = [["\n".join(comments)] if comments else []]
    for block in (Heading(1, plain(page.title)), *page.blocks):
        written = jupyter.written(block)
        if _is_to_fill(block):
            cells += [[written], []]
        else:
            cells[-1].append(written)
    for number, parts in enumerate(filter(None, cells), 1):
        yield _markdown("\n\n".join(parts), f"cell-{number}")


def _is_to_fill(block: Block) -> bool:
    return isinstance(block, Equation) and r"\boxed{\phantom{" in block.latex


def _markdown(source: str, name: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": _split(source)}


class _Notebook:
    def __init__(self, page: Page, spec: str) -> None:
        from symattn.examples import builtin_names

        assert page.derivation is not None  # `write` has seen to it
        self.page = page
        own = page.derivation.spec
        self.text: Text = own.text
        self.about = own.name if own.name in builtin_names() else spec
        self.session = Session(page.derivation)
        self.ids = 0
        self.runs = 0
        #: Lines of what the cell before shows, for what would only say it again.
        self.shown: set[str] = set()

    def cells(self) -> Iterator[dict[str, Any]]:
        comment = marker.said(self.about)
        start = [f"<!-- {comment} -->"] if comment else []
        title = jupyter.written(Heading(1, plain(self.page.title)))
        start += [title, jupyter.written(Paragraph(inlines(self.text.words["notebook_start"])))]
        yield self.markdown("\n\n".join(start))
        yield self.code(self.session.start)
        yield from self.body(self.page.blocks)
        words = self.text.words
        more = (("notebook_python", self.session.more()),
                ("notebook_exercises", self.session.exercises()))  # fmt: skip
        for title, typed in more:
            heading: list[Block] = [Heading(2, inlines(words[title]))]
            for one in typed:
                assert one.said is not None  # a session says what it does on its own
                said = self.text.phrase(one.said[0], **one.said[1])
                yield self.markdown(jupyter.markdown([*heading, Paragraph(inlines(said))]))
                yield self.code(one)
                heading = []

    def body(self, blocks: Sequence[Block]) -> Iterator[dict[str, Any]]:
        waiting: list[str] = []
        for group in _grouped(blocks):
            typed = None
            if isinstance(group, tuple):
                typed = self.session.about([one for e in group for one in e.about])
                parts = list(map(jupyter.written, group))
            else:
                parts = self.prose(group)
            if (typed is not None or isinstance(group, Heading)) and waiting:
                yield self.markdown("\n\n".join(waiting))
                waiting = []
            if typed is not None:
                yield self.code(typed)
            else:
                waiting += parts
        if waiting:
            yield self.markdown("\n\n".join(waiting))

    def prose(self, block: Block) -> list[str]:
        written = jupyter.written(block)
        if isinstance(block, Equation) and _lines(written) <= self.shown:
            return []  # what names stand for, which the steps before have shown
        if isinstance(block, Table) and block.quoted:
            return [f"<!-- symattn: quoted -->\n\n{written}\n\n<!-- /symattn -->"]
        return [written]

    def markdown(self, source: str) -> dict[str, Any]:
        self.shown = set()
        return _markdown(source, self.id())

    def code(self, typed: Typed) -> dict[str, Any]:
        self.runs += 1
        outputs: list[dict[str, Any]] = []
        if typed.printed:
            text = _split(typed.printed)
            outputs.append({"name": "stdout", "output_type": "stream", "text": text})
        if typed.value is not None:
            data = _data(typed.value)
            self.shown = _lines(data.get("text/markdown", ""))
            outputs.append(
                {
                    "data": {kind: _split(text) for kind, text in data.items()},
                    "execution_count": self.runs,
                    "metadata": {},
                    "output_type": "execute_result",
                }
            )
        return {
            "cell_type": "code",
            "execution_count": self.runs,
            "id": self.id(),
            "metadata": {},
            "outputs": outputs,
            "source": _split(typed.source),
        }

    def id(self) -> str:
        self.ids += 1
        return f"cell-{self.ids}"


def _grouped(blocks: Sequence[Block]) -> Iterator[Block | tuple[Equation, ...]]:
    """Blocks, with equations about steps that follow each other together, as far as a cell goes."""
    waiting: list[Equation] = []
    for block in blocks:
        about = block.about if isinstance(block, Equation) else ()
        if waiting and not _together(waiting, about):
            yield tuple(waiting)
            waiting = []
        if isinstance(block, Equation) and about:
            waiting.append(block)
        else:
            yield block
    if waiting:
        yield tuple(waiting)


def _together(waiting: Sequence[Equation], about: Sequence[Any]) -> bool:
    before = [one for equation in waiting for one in equation.about]
    same = {getattr(one, "derivation", one) for one in [*before, *about]}
    return bool(about) and len(before) + len(about) <= TOGETHER and len(same) == 1


def _data(value: Any) -> dict[str, str]:
    """What a kernel makes of a value: its text, and what it shows of itself."""
    data = {"text/plain": repr(value)}
    for kind, method in (("text/latex", "_repr_latex_"), ("text/markdown", "_repr_markdown_")):
        show = getattr(value, method, None)
        if show is not None:
            data[kind] = show()
    return data


def _lines(text: str) -> set[str]:
    return {line.removesuffix(r" \\[6pt]").replace("&=", "=") for line in text.split("\n")}


def _split(text: str) -> list[str]:
    return text.splitlines(keepends=True)
