"""The whole page: its text, its panel, its data, its style and its script in one file."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources
from string import Template

from symattn import __version__
from symattn.blocks import Page
from symattn.writers import marker
from symattn.writers.html import data, figures
from symattn.writers.html.body import Body
from symattn.writers.html.prose import text

#: Nothing is fetched from anywhere, and no script runs but the page's own.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; "
    "base-uri 'none'; form-action 'none'"
)


def write(page: Page, spec: str = "") -> str:
    """The whole page as one HTML file.

    Args:
        spec: what the page is about; see `symattn.writers.markdown.write`.
    """
    comment = marker.said(spec)
    script = _part("page.js")
    body = Body(page)
    main = body.blocks(page.blocks)
    if page.derivation is not None:
        for step in page.derivation.steps:
            body.keys.of(step)
    known = data.collected(body.keys, body.marks)
    rest = body.remaining()
    return Template(_part("page.html")).substitute(
        about=f"<!-- {comment} -->\n" if comment else "",
        policy=POLICY.format(hash=b64encode(sha256(script.encode()).digest()).decode()),
        version=__version__,
        title=text(page.title),
        style=_part("page.css"),
        body=f"{main}\n{rest}",
        # Of a page without a derivation, such as a worksheet, there is nothing to ask.
        hidden=" hidden" if page.derivation is None else "",
        contents=body.table_of_contents(),
        map=figures.stepmap(page.derivation),
        symbols=body.symbols(),
        data=data.embedded(known),
        script=script,
    )


@cache
def _part(name: str) -> str:
    """A file of this package."""
    return (resources.files("symattn.writers.html") / name).read_text("utf-8")
