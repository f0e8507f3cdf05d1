"""`symattn list`."""

from __future__ import annotations

from pathlib import Path

import click

from symattn.cli.options import (
    DEFAULT,
    Command,
    derivation_of,
    format_options,
    print_json,
    print_text,
    put,
)
from symattn.cli.terminal import echo


@click.command(
    "list",
    cls=Command,
    examples=(
        "symattn list article-encoder --json",
        "symattn list --format mermaid",
    ),
)
@click.argument("spec", default=DEFAULT)
@click.option("-o", "--output", type=Path, help="The file of a picture, .svg.")
@format_options("text", "svg", "mermaid")
def command(spec: str, output: Path | None, form: str | None, as_json: bool) -> None:
    """List the steps: address, symbol, shape, formula.

    As svg or mermaid it draws which step feeds which.
    """
    derivation = derivation_of(spec)
    if output is not None and output.suffix.lower() == ".svg":
        form = form or "svg"
    if form == "svg" and not as_json:
        from symattn.pictures.stepmap import stepmap as drawn

        put(drawn(derivation, standalone=True), form, output)
        return
    if output is not None:
        raise click.UsageError("wanted -o with a file ending in .svg")
    steps = derivation.steps
    if form == "mermaid" and not as_json:
        from symattn.stepmap import stepmap
        from symattn.writers import mermaid

        echo(mermaid.flowchart(stepmap(derivation)))
        return
    from symattn.writers import terminal

    if as_json or form == "json":
        keys = ("address", "symbol", "source", "formula")
        print_json([{k: getattr(s, k) for k in keys} | {"shape": list(s.shape)} for s in steps])
    else:
        print_text(terminal.overview, steps)
