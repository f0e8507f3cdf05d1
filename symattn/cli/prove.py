"""`symattn prove`."""

from __future__ import annotations

import sys

import click

from symattn.cli.options import DEFAULT, Command, format_options, print_by


@click.command(
    "prove",
    cls=Command,
    examples=(
        "symattn prove --only causality",
        "symattn prove mine.toml --only own --only softmax --size n=4,d=2,h=2",
    ),
)
@click.argument("spec", default=DEFAULT)
@click.option("--size", default="n=3,d=2,h=1", show_default=True, help="Tokens, d_model and heads.")
@click.option(
    "--only", multiple=True, help="A family or a property; own or model for those of SPEC."
)
@click.option("--strict", is_flag=True, help="Undecided properties count as wrong.")
@format_options("text", "markdown", "latex")
def command(
    spec: str, size: str, only: tuple[str, ...], strict: bool, form: str | None, as_json: bool
) -> None:
    """Prove what holds whatever the weights.

    These are the list of properties, and those that SPEC states.
    """
    from symattn.properties.core import Size
    from symattn.spec_reader import load_spec
    from symattn.writers import statements

    found = load_spec(spec).statements(only, Size.read(size))
    print_by(statements, form, as_json, found)
    is_open = strict and any(s.verdict == "undecided" for s in found)
    sys.exit(1 if is_open or any(s.is_wrong for s in found) else 0)
