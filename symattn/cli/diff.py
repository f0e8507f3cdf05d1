"""`symattn diff`."""

from __future__ import annotations

from typing import Any

import click

from symattn.cli.options import (
    Command,
    derivation_of,
    display_options,
    displayed,
    format_options,
    print_by,
)


@click.command(
    "diff",
    cls=Command,
    examples=(
        "symattn diff article article-encoder",
        "symattn diff mine.toml article --format markdown",
    ),
)
@click.argument("left")
@click.argument("right")
@display_options()
@format_options("text", "markdown", "latex")
def command(left: str, right: str, form: str | None, as_json: bool, **display: Any) -> None:
    """Compare two derivations: what changed, entry by entry.

    LEFT and RIGHT are specs.
    """
    from symattn.writers import differences

    one, other = (displayed(derivation_of(spec), **display) for spec in (left, right))
    found = one.diff(other)
    print_by(differences, form, as_json, found)
