"""`symattn repl`."""

from __future__ import annotations

import click

from symattn import progress
from symattn.cli.options import DEFAULT, derivation_of


@click.command("repl")
@click.argument("spec", default=DEFAULT)
def command(spec: str) -> None:
    """A Python prompt with the derivation in hand: d["A"], d["A"][1, 1].explain().

    \b
    symattn repl
    symattn repl mine.toml
    """
    from symattn import repl as prompt

    with progress.watched(None):  # the line is the prompt's
        prompt.run(derivation_of(spec))
