"""`symattn sensitivity`."""

from __future__ import annotations

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
    "sensitivity",
    cls=Command,
    examples=(
        "symattn sensitivity --top 5",
        "symattn sensitivity gpt2 --of 'P[2,1]' --format markdown",
    ),
)
@click.argument("spec", default=DEFAULT)
@click.option("--of", default="P", show_default=True, help="A row or an entry: P[1].")
@click.option(
    "--top", type=click.IntRange(1), default=10, show_default=True, help="How many derivatives."
)
@display_options()
@format_options("text", "markdown")
def command(spec: str, of: str, top: int, form: str | None, as_json: bool, **display: Any) -> None:
    """Rank the derivatives of each probability by the inputs.

    They are exact; the largest come first.
    """
    from symattn.sensitivity import sensitivities
    from symattn.writers import sensitivities as writer

    found = sensitivities(displayed(derivation_of(spec), **display), of)
    print_by(writer, form, as_json, found, top)
