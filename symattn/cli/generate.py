"""`symattn generate`."""

from __future__ import annotations

import sys
from typing import Any

import click

from symattn.cli.options import (
    DEFAULT,
    Command,
    derivation_of,
    display_options,
    displayed,
    format_options,
    print_by,
)


@click.command(
    "generate",
    cls=Command,
    examples=(
        "symattn generate -n 3",
        "symattn generate mine.toml --format markdown",
    ),
)
@click.argument("spec", default=DEFAULT)
@click.option(
    "-n", "n", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many tokens."
)
@click.option(
    "--cached", is_flag=True, help="With a cache of keys and values; proven to give the same."
)
@display_options()
@format_options("text", "markdown")
def command(
    spec: str, n: int, cached: bool, form: str | None, as_json: bool, **display: Any
) -> None:
    """Go on with the most likely token, proven so, n times."""
    from symattn.generation import generate as generated
    from symattn.writers import generations

    made = generated(displayed(derivation_of(spec), **display), n, cached=cached)
    print_by(generations, form, as_json, made)
    if cached and made.proof.refuted:
        sys.exit(1)
