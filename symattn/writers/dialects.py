"""Markdown for other readers: MyST (Jupyter Book, Sphinx), Quarto, and people in an editor."""

from __future__ import annotations

import json
import re

from symattn.blocks import Equation, Fold, Heading, Map, Page
from symattn.entries import Entry
from symattn.notation import visible
from symattn.stepmap import stepmap
from symattn.steps import Step
from symattn.writers import terminal
from symattn.writers.markdown import Markdown, code, escape

#: Letters of a title that labels begin with.
STEM = 40

#: What pandoc sets as other signs: quotation marks, dashes, dots, and spaces after "Mr.".
_TYPOGRAPHY = re.compile(r"""["']|-(?=-)|(?<=-)-|\.(?=\.| )|(?<=\.)\.""")


def _fence(text: str, sign: str = "`") -> str:
    """Signs around a text that may hold fences of its own."""
    return sign * max(3, 1 + max(map(len, re.findall(f"{sign}+", text)), default=0))


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")


class _Labelled(Markdown):
    """Equations that authors can refer to, by the page and the step: ``eq-cat-chases-mouse-A``."""

    map_fence = "{mermaid}"

    def __init__(self) -> None:
        self.labels: set[str] = set()
        self.stem = ""

    def page(self, page: Page, spec: str = "") -> str:
        self.stem = _slug(page.title)[:STEM].lower() or "page"  # pages of a book share one table
        return super().page(page, spec)

    def label(self, block: Equation) -> str:
        """The label of an equation; "" where it has no step, or another one has the label."""
        shown = [part for part in block.about if isinstance(part, Step)]
        made = f"eq-{self.stem}-{_slug(shown[0].short)}" if shown else ""
        if made.lower() in self.labels:  # readers take identifiers without their case
            return ""
        self.labels.add(made.lower())
        return made

    def escape(self, text: str) -> str:
        # Braces make roles, attributes and shortcodes, carets superscripts, @ citations.
        return re.sub(r"([{}^@])", r"\\\1", escape(text))


class Myst(_Labelled):
    """MyST, as Jupyter Book and Sphinx read it, with dollars around mathematics (``dollarmath``).

    The map is mermaid's directive: Jupyter Book 2 draws it, Sphinx with sphinxcontrib-mermaid.
    """

    def equation(self, block: Equation) -> str:
        label = self.label(block)
        return f"$$\n{block.latex}\n$$" + (f" ({label})" if label else "")

    def fold(self, block: Fold) -> str:
        inside, title = self.below(block.blocks), self.inlines(block.title)
        # Behind a fence of backticks no other may stand.
        fence = _fence(inside, "~" if "`" in title else "`")
        return f"{fence}{{admonition}} {title}\n:class: dropdown\n\n{inside}\n{fence}"


class Quarto(_Labelled):
    """Quarto, which reads pandoc's Markdown."""

    def front(self, page: Page) -> list[str]:
        # A string of JSON is one of YAML, but for pairs of surrogates, which it has no need of.
        title = json.dumps(self.name(visible(page.title)), ensure_ascii=False)
        return [f"---\ntitle: {title}\nformat: html\n---"]

    def name(self, title: str) -> str:
        """A title in front matter, which pandoc reads as Markdown again, with its typography."""
        return _TYPOGRAPHY.sub(r"\\\g<0>", self.escape(title))

    def title(self, page: Page) -> list[str]:
        return []

    def equation(self, block: Equation) -> str:
        label = self.label(block)
        return f"$$\n{_unnested(block.latex)}\n$$" + (f" {{#{label}}}" if label else "")

    def math(self, latex: str) -> str:
        return super().math(_unnested(latex))

    def fold(self, block: Fold) -> str:
        title, inside = self.inlines(block.title), self.below(block.blocks)
        return f'::: {{.callout-note collapse="true"}}\n## {title}\n\n{inside}\n\n:::'


def _unnested(latex: str) -> str:
    """LaTeX in which two braces are parted, since Quarto looks for shortcodes there, too."""
    return latex.replace("{{<", "{ {<")


class Plain(Markdown):
    """For a text editor: steps as aligned text, formulas as their LaTeX, no maths syntax."""

    def equation(self, block: Equation) -> str:
        shown = [
            terminal.step(part) if isinstance(part, Step) else str(part.explain())
            for part in block.about
            if isinstance(part, Step | Entry)
        ]
        text = "\n\n".join(shown) if shown else block.latex
        fence = _fence(text)
        return f"{fence}text\n{text}\n{fence}"

    def map(self, block: Map) -> str:
        boxes = stepmap(block.derivation)
        lines = [
            f"{box.name} from {', '.join(boxes[i].name for i in box.before)}"
            for box in boxes
            if box.before
        ]
        return "```text\n" + "\n".join(lines) + "\n```"

    def fold(self, block: Fold) -> str:
        return self.below([Heading(4, block.title), *block.blocks])

    def math(self, latex: str) -> str:
        return code(latex)


#: By the name of the format.
DIALECTS = {"myst": Myst, "plain": Plain, "quarto": Quarto}


def write(page: Page, spec: str = "", *, dialect: str) -> str:
    """The whole page in a dialect; see `symattn.writers.markdown.write`."""
    return DIALECTS[dialect]().page(page, spec)
