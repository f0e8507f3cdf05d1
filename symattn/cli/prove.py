"""`symattn prove`."""

from __future__ import annotations

import sys

import click

from symattn.cli.options import DEFAULT, format_options, print_by


@click.command("prove")
@click.argument("spec", default=DEFAULT)
@click.option("--size", default="n=3,d=2,h=1", show_default=True, help="Tokens, d_model, heads.")
@click.option("--only", multiple=True, help="A family or property; own or model for those of SPEC.")
@click.option("--strict", is_flag=True, help="Undecided counts as wrong.")
@format_options("text", "markdown", "latex")
def command(
    spec: str, size: str, only: tuple[str, ...], strict: bool, form: str | None, as_json: bool
) -> None:
    """Prove what holds whatever the weights: the list, and the properties that SPEC states.

    \b
    symattn prove
    symattn prove mine.toml --only own --only softmax --size n=4,d=2,h=2
    """
    from symattn.properties.core import Size
    from symattn.spec_reader import load_spec
    from symattn.writers import statements

    found = load_spec(spec).statements(only, Size.read(size))
    print_by(statements, form, as_json, found)
    is_open = strict and any(s.verdict == "undecided" for s in found)
    sys.exit(1 if is_open or any(s.is_wrong for s in found) else 0)
