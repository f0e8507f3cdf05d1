"""The reference of specs, from the tables that specs are read with.

A directive writes it::

    ```{spec-keys} models
    ```

has every model with what it takes; ``choices`` the words of a Transformer's choices; ``display``
how numbers are shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from symattn.blocks import Code, Inlines, Plain, Table
from symattn.config import CHOICES, DEFAULT
from symattn.display import OPTIONS
from symattn.models import MODELS, Model
from symattn.writers.nodes import table


class SpecKeys(SphinxDirective):
    """A table of `TABLES`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        made: list[nodes.Node] = TABLES[self.arguments[0]]()
        return made


def models() -> list[nodes.Node]:
    """Every model: its first line, its matrices, and the keys that only some models have."""
    return [node for model in MODELS.values() for node in of_model(model)]


def of_model(model: Model) -> list[nodes.Node]:
    """One model."""
    section = nodes.section(ids=[nodes.make_id(f"model-{model.name}")])
    section += nodes.title("", "", nodes.literal(model.name, model.name))
    first = (model.function.__doc__ or "").split("\n\n")[0]
    section += nodes.paragraph("", " ".join(first.split()))
    rows = [
        (code(name), plain(" × ".join(axes)), plain("" if name in model.required else "optional"))
        for name, axes in model.matrices.items()
    ]
    section += table(Table((plain("matrix"), plain("axes"), plain("")), tuple(rows)))
    keys = [*model.sequences, *model.masks, *model.numbers, *model.choices, *model.words]
    if keys:
        said = nodes.paragraph("", "Other keys: ")
        for i, key in enumerate(dict.fromkeys(keys)):
            said += [nodes.Text(", " if i else ""), nodes.literal(key, key)]
        section += [said]
    return [section]


def choices() -> list[nodes.Node]:
    """The words that each choice takes; of yes and no, what is meant where nothing is said."""
    rows = []
    for name, default in vars(DEFAULT).items():
        if name in CHOICES:
            known = parted(code(word) for word in CHOICES[name] if word)
        else:
            known = plain("true or false" if isinstance(default, bool) else "see below")
        rows.append((code(name), known, code(str(default)) if default else plain("")))
    return [table(Table((plain("key"), plain("words"), plain("default")), tuple(rows)))]


def display() -> list[nodes.Node]:
    """Every option of a display."""
    rows = [
        (
            code(option.name),
            plain(option.kind.wanted),
            code(str(option.default)),
            plain("yes" if option.per_step else ""),
            plain(option.help),
        )
        for option in OPTIONS.values()
    ]
    heads = ("key", "wanted", "default", "per step", "what it does")
    return [table(Table(tuple(map(plain, heads)), tuple(rows)))]


def code(text: str) -> Inlines:
    """Text as code."""
    return (Code(text),)


def plain(text: str) -> Inlines:
    """Text as it is."""
    return (Plain(text),)


def parted(parts: Iterable[Inlines]) -> Inlines:
    """Parts with commas between."""
    out: list[Any] = []
    for part in parts:
        out += [Plain(", "), *part] if out else part
    return tuple(out)


TABLES: dict[str, Any] = {"models": models, "choices": choices, "display": display}


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_directive("spec-keys", SpecKeys)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
