"""The formats of a page, by the endings of files, and a page written in one of them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symattn.errors import OptionError

if TYPE_CHECKING:
    from symattn.blocks import Page

#: By ending, the format.
ENDINGS = {
    ".html": "html",
    ".ipynb": "notebook",
    ".md": "markdown",
    ".pdf": "pdf",
    ".qmd": "quarto",
    ".tex": "latex",
    ".txt": "plain",
    ".typ": "typst",
}

#: Formats that are dialects of Markdown; one of a file that ends in .md has to be asked for.
DIALECTS = ("myst", "quarto", "plain")

#: The names of the formats.
FORMATS = tuple(dict.fromkeys([*ENDINGS.values(), *DIALECTS]))


def format_of(path: Path) -> str:
    """The format that a file's ending says.

    Raises:
        OptionError: an ending that is none of `ENDINGS`.
    """
    if path.suffix.lower() not in ENDINGS:
        raise OptionError(f"{path}: wanted a file ending in {', '.join(ENDINGS)}, or --format")
    return ENDINGS[path.suffix.lower()]


def written(page: Page, form: str, about: str = "", **options: Any) -> str | bytes:
    """A page in a format; bytes where that is no text.

    Args:
        about: what the page is about; see `symattn.writers.markdown.write`.
        options: those of the format's writer.
    """
    module, chosen = (form, options) if form not in DIALECTS else ("dialects", {"dialect": form})
    made: str | bytes = import_module(f"symattn.writers.{module}").write(page, about, **chosen)
    return made
