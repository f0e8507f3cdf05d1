"""What commands share: the spec, how numbers are shown, how results are printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from symattn.derivation import Derivation

DEFAULT = "article"


def derivation_of(spec: str) -> Derivation:
    """The derivation of a spec: a path or a built-in's name."""
    from symattn.spec_reader import load_spec

    return load_spec(spec).derive()


def format_options(*names: str) -> Callable[[Any], Any]:
    """The options --format and --json."""

    def add(command: Any) -> Any:
        command = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")(
            command
        )
        choice = click.Choice([*names, "json"])
        return click.option("--format", "form", type=choice, help="How to print it.")(command)

    return add


def display_options(command: Any) -> Any:
    """The options that say how numbers are shown; each is left to the spec where not given."""
    options = (
        click.option(
            "--row-sums",
            type=click.Choice(["rounded", "kept"]),
            help="Decimals of weights: each rounded, or such that rows add to 1; these are marked.",
        ),
        click.option(
            "--roots",
            type=click.Choice(["rationalised", "divided"]),
            help="Roots in fractions: √2/2 or 1/√2.",
        ),
        click.option(
            "--factor/--no-factor",
            default=None,
            help="A divided matrix with its factor, (1/√2)·S, or as a fraction, S/√2.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def displayed(derivation: Derivation, **changes: Any) -> Derivation:
    """A derivation shown as the options of `display` say, where any is given."""
    given = {name: value for name, value in changes.items() if value is not None}
    return derivation.with_display(**given) if given else derivation


def print_by(writer: Any, form: str | None, as_json: bool, *found: Any) -> None:
    """Print by a writer that has a function for each format, `data` for JSON."""
    kind = "json" if as_json else form or "text"
    if kind == "json":
        print_json(writer.data(*found))
    else:
        click.echo(getattr(writer, kind)(*found))


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def flat(found: Any) -> list[Any]:
    """What nested lists hold."""
    return [x for part in found for x in flat(part)] if isinstance(found, list) else [found]
