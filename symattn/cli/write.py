"""`symattn write`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.as_json import step_json
from symattn.cli.options import (
    DEFAULT,
    Command,
    derivation_of,
    display_options,
    displayed,
    format_options,
    json_text,
    output_option,
    page_format,
    put,
)
from symattn.cli.terminal import say
from symattn.writers.formats import ENDINGS, FORMATS

if TYPE_CHECKING:
    from symattn.derivation import Derivation


@click.command(
    "write",
    cls=Command,
    examples=(
        "symattn write -o attention.md",
        "symattn write gpt2 -o gpt2.md --fold layers --backward",
    ),
)
@click.argument("spec", default=DEFAULT)
@output_option(f"The file: {', '.join(ENDINGS)}; - for the terminal.")
@click.option("--backward", is_flag=True, help="Append the backward pass, with every gradient.")
@click.option("--target", help="With --backward: what to predict, where the model has no loss.")
@click.option("--fragment", is_flag=True, help="LaTeX for \\input, without a preamble.")
@display_options(pages=True)
@format_options(*FORMATS)
def command(
    spec: str,
    output: Path | None,
    backward: bool,
    target: str | None,
    fragment: bool,
    form: str | None,
    as_json: bool,
    **display: Any,
) -> None:
    """Write the page: every equation, derived, typeset, proven."""
    from symattn.document import page, with_backward
    from symattn.writers import formats

    if target is not None and not backward:
        raise click.UsageError("wanted --target together with --backward")

    kind = "json" if as_json else form or page_format(output)
    if fragment and kind != "latex":
        raise click.UsageError("wanted --fragment with a file ending in .tex, or --format latex")
    derivation = displayed(derivation_of(spec), **display)
    text = with_backward(derivation.spec.text, derivation, target) if backward else None
    made = page(derivation, text)
    if backward:
        derivation = derivation.backward(target=target)
    if kind == "json":
        steps = [step_json(step) for step in derivation.steps]
        whole = {"title": made.title, "steps": steps}
        written: str | bytes = json_text(whole) + "\n"
    else:
        options = {"fragment": True} if fragment else {}
        written = formats.written(made, kind, _about(spec, derivation, output), **options)
    put(written, kind, output)
    if output is not None:
        say(f"{output}: {len(derivation.steps)} steps")


def _about(spec: str, derivation: Derivation, output: Path | None) -> str:
    """What a page says it is about: a built-in's name, or where its spec lies from there.

    Nothing for a spec that quotes numbers: its page says itself which of them are wrong.
    """
    if derivation.spec is not None and derivation.spec.claims:
        return ""
    return place_of(spec, output)


def place_of(spec: str, output: Path | None) -> str:
    """A built-in's name, or where a spec lies from where a page will; nothing if that is open."""
    from symattn.examples import builtin_names

    if spec in builtin_names():
        return spec
    if output is None or not spec.endswith(".toml"):
        return ""
    path = Path(spec)
    try:
        found = os.path.relpath(path.parent.resolve() / path.name, output.parent.resolve())
    except ValueError:  # on another drive
        return ""
    return Path(found).as_posix()
