"""`symattn repl`."""

from __future__ import annotations

import click

from symattn import progress
from symattn.cli.options import DEFAULT, Command, derivation_of


@click.command(
    "repl",
    cls=Command,
    examples=(
        "symattn repl",
        "symattn repl mine.toml",
    ),
)
@click.argument("spec", default=DEFAULT)
def command(spec: str) -> None:
    """Open a Python prompt with the derivation as d.

    d["A"] shows a step, d["A"][1, 1].explain() an entry.
    """
    from symattn import repl as prompt

    with progress.watched(None):  # the line is the prompt's
        prompt.run(derivation_of(spec))
