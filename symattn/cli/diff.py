"""`symattn diff`."""

from __future__ import annotations

import click

from symattn.cli.options import Command, derivation_of, format_options, print_by


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
@format_options("text", "markdown", "latex")
def command(left: str, right: str, form: str | None, as_json: bool) -> None:
    """Compare two derivations: what changed, entry by entry.

    LEFT and RIGHT are specs.
    """
    from symattn.writers import differences

    found = derivation_of(left).diff(derivation_of(right))
    print_by(differences, form, as_json, found)
