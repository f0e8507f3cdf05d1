"""`symattn diff`."""

from __future__ import annotations

import click

from symattn.cli.options import derivation_of, format_options, print_by


@click.command("diff")
@click.argument("left")
@click.argument("right")
@format_options("text", "markdown", "latex")
def command(left: str, right: str, form: str | None, as_json: bool) -> None:
    """Two derivations side by side: what changed, entry by entry.

    \b
    symattn diff article article-encoder
    symattn diff mine.toml article --format markdown
    """
    from symattn.writers import differences

    found = derivation_of(left).diff(derivation_of(right))
    print_by(differences, form, as_json, found)
