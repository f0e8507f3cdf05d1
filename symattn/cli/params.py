"""`symattn params`."""

from __future__ import annotations

from pathlib import Path

import click

from symattn.cli.options import Command, format_options, print_by


@click.command(
    "params",
    cls=Command,
    examples=(
        "symattn params config.json",
        "symattn params config.json --symbolic d,L --format latex",
    ),
)
@click.argument("config", type=Path)
@click.option("--symbolic", help="Sizes that stay symbols in the numbers, such as d,L.")
@click.option(
    "--context",
    type=click.IntRange(1, 10**9),
    default=1024,
    show_default=True,
    help="How many tokens.",
)
@format_options("text", "markdown", "latex")
def command(
    config: Path, symbolic: str | None, context: int, form: str | None, as_json: bool
) -> None:
    """Count a model's parameters by part, as formulas.

    CONFIG is a config.json; memory, FLOPs and cache come with them.
    """
    from symattn.pretrained.architecture import read_config
    from symattn.pretrained.counting import Count
    from symattn.writers import counts

    count = Count(read_config(config), context)
    letters = count.checked([x.strip() for x in symbolic.split(",")] if symbolic else ())
    print_by(counts, form, as_json, count, letters)
