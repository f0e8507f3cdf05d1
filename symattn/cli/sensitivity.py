"""`symattn sensitivity`."""

from __future__ import annotations

import click

from symattn.cli.options import DEFAULT, derivation_of, format_options, print_by


@click.command("sensitivity")
@click.argument("spec", default=DEFAULT)
@click.option("--of", default="P", show_default=True, help="A row or an entry, such as P[1].")
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="How many.")
@format_options("text", "markdown")
def command(spec: str, of: str, top: int, form: str | None, as_json: bool) -> None:
    """Derivatives of each probability by each entry of the inputs, the largest first.

    \b
    symattn sensitivity --top 5
    symattn sensitivity gpt2 --of 'P[2,1]' --format markdown
    """
    from symattn.sensitivity import sensitivities
    from symattn.writers import sensitivities as writer

    found = sensitivities(derivation_of(spec), of)
    print_by(writer, form, as_json, found, top)
