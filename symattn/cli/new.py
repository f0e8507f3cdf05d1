"""`symattn new`."""

from __future__ import annotations

from pathlib import Path

import click

from symattn.cli.options import Command
from symattn.cli.terminal import say
from symattn.errors import SpecError


@click.command(
    "new",
    cls=Command,
    examples=(
        "symattn new mine.toml",
        "symattn new small-gpt.toml --preset gpt2",
    ),
)
@click.argument("name", type=Path)
@click.option("--preset", help="A whole model to start from: gpt2, bert, llama, gemma2, …")
def command(name: Path, preset: str | None) -> None:
    """Write a commented spec to start from.

    A file that is there is left alone.
    """
    from symattn import files
    from symattn.errors import nearest
    from symattn.examples import builtin_names, builtin_text

    if name.suffix != ".toml":
        raise SpecError(f"{name}: wanted a name ending in .toml")
    if preset is not None and preset not in builtin_names():
        known = ", ".join(builtin_names())
        raise SpecError(
            f"--preset: wanted one of {known}, got {preset!r}{nearest(preset, builtin_names())}"
        )
    template = builtin_text(f"{preset}.toml" if preset else "new.toml.template")
    files.write(name, template, overwrite=False)
    say(f"{name}: change it, then: symattn write {name} -o {name.stem}.md")
