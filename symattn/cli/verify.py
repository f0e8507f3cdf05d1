"""`symattn verify`."""

from __future__ import annotations

import sys

import click

from symattn.cli.options import (
    DEFAULT,
    Command,
    derivation_of,
    format_options,
    print_json,
    print_text,
)


@click.command(
    "verify",
    cls=Command,
    examples=(
        "symattn verify",
        "symattn verify mine.toml --json",
    ),
)
@click.argument("spec", default=DEFAULT)
@format_options("text")
def command(spec: str, form: str | None, as_json: bool) -> None:
    """Check NumPy's floats against the exact values, by step.

    A float that is further off than its running error bound is a disagreement, and the
    exit status 1.
    """
    from symattn.writers import terminal

    report = derivation_of(spec).verify()
    if as_json or form == "json":
        print_json(report.json())
    else:
        print_text(terminal.report, report)
    sys.exit(0 if report.agrees else 1)
