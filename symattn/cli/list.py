"""`symattn list`."""

from __future__ import annotations

import click

from symattn.cli.options import DEFAULT, derivation_of, format_options, print_json, print_text


@click.command("list")
@click.argument("spec", default=DEFAULT)
@format_options("text")
def command(spec: str, form: str | None, as_json: bool) -> None:
    """List the steps: address, symbol, shape, formula.

    \b
    symattn list
    symattn list article-encoder --json
    """
    from symattn.writers import terminal

    steps = derivation_of(spec).steps
    if as_json or form == "json":
        keys = ("address", "symbol", "source", "formula")
        print_json([{k: getattr(s, k) for k in keys} | {"shape": list(s.shape)} for s in steps])
    else:
        print_text(terminal.overview, steps)
