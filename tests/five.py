"""The five specs that every renderer is tried on.

The article, the same without a mask, two layers of two heads, eight tokens, and hostile and
non-Latin text.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import symattn as sa
from symattn.blocks import Page
from symattn.document import page

SPECS = Path(__file__).parent / "specs"

#: By name, what `symattn.load` and the command line take.
FIVE = {
    "article": "article",
    "article-encoder": "article-encoder",
    "two-layers": str(SPECS / "two-layers.toml"),
    "eight-tokens": str(SPECS / "eight-tokens.toml"),
    "hostile": str(SPECS / "hostile.toml"),
}


@cache
def derivation_of(name: str) -> sa.Derivation:
    """The derivation of one of the five, or of another built-in; made once a process."""
    return sa.load(FIVE.get(name, name))


@cache
def page_of(name: str) -> Page:
    """Its page, with the text that its spec names."""
    return page(derivation_of(name))
