"""How the documentation is built: ``python -m sphinx -W --keep-going docs docs/_build/html``.

Nothing is fetched: equations become MathML here, scripts and styles come with the theme.
"""

from __future__ import annotations

import sys
from pathlib import Path

import symattn

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "symattn"
author = "symattn's authors"
version = release = symattn.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "symattn.sphinx",
    "sphinx_click",
    "gallery",
    "spec_keys",
]
exclude_patterns = ["_build", "_ext"]
default_role = "code"  # docstrings quote code by single backticks
nitpicky = False  # names of other packages have no page to lead to here
show_warning_types = True
smartquotes = False  # -- is an option of a command

# GitHub's way to write mathematics, so that a page reads in both places.
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_fence_as_directive = ["math", "mermaid"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_mock_imports: list[str] = []

html_theme = "furo"
html_title = f"symattn {release}"
html_math_renderer = "symattn"
html_static_path = ["_static"]
html_css_files = ["symattn.css"]
html_copy_source = False
html_show_copyright = False


def bars(app: object, what: str, name: str, of: object, options: object, lines: list[str]) -> None:
    """|V| in a docstring is a size, and no substitution of reST's."""
    lines[:] = [line.replace("|V|", r"\|V\|") for line in lines]


def setup(app: object) -> None:
    """Sphinx calls this."""
    app.connect("autodoc-process-docstring", bars)  # type: ignore[attr-defined]
