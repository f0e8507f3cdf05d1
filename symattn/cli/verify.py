"""`symattn verify`."""

from __future__ import annotations

import sys

import click

from symattn.cli.options import DEFAULT, derivation_of, format_options, print_json, print_text


@click.command("verify")
@click.argument("spec", default=DEFAULT)
@format_options("text")
def command(spec: str, form: str | None, as_json: bool) -> None:
    """Check NumPy's float64 and float32 against the exact values, step by step.

    \b
    symattn verify
    symattn verify mine.toml --json
    """
    from symattn.writers import terminal

    report = derivation_of(spec).verify()
    if as_json or form == "json":
        print_json(report.json())
    else:
        print_text(terminal.report, report)
    sys.exit(0 if report.agrees else 1)
