"""`symattn check`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from symattn import progress
from symattn.cli.options import format_options, print_json, print_text
from symattn.errors import SymattnError, shortened
from symattn.notation import visible


@click.command("check")
@click.argument("documents", nargs=-1, required=True, metavar="DOC...")
@click.option("--spec", help="What the documents are about; else each says it itself.")
@click.option("--diff", "show_diff", is_flag=True, help="Show what --fix changes.")
@click.option("--fix", "write_fix", is_flag=True, help="Correct the wrong numbers in place.")
@click.option("--strict", is_flag=True, help="Undecided and unmatched numbers count as wrong.")
@format_options("text", "github")
def command(
    documents: Sequence[str],
    spec: str | None,
    show_diff: bool,
    write_fix: bool,
    strict: bool,
    form: str | None,
    as_json: bool,
) -> None:
    """Judge the numbers somebody printed: Markdown, LaTeX, HTML, notebooks, plain text.

    \b
    symattn check lesson.md
    symattn check lesson.md --fix --diff
    """
    from symattn.claims.fix import difference, edits, fixed_text
    from symattn.writers import findings

    kind = "json" if as_json else form or "text"
    results, status = [], 0
    for name in progress.over(documents, "document"):
        try:
            checked = _checked(name, spec)
            changes = edits(checked) if show_diff or write_fix else []
            old = checked.document.text
            new = fixed_text(old, changes)
            if write_fix and new != old:
                from symattn import files

                files.write(Path(name), new)
        except SymattnError as error:
            with progress.hidden():
                said = shortened("\n".join(map(visible, str(error).split("\n"))))
                click.echo(f"symattn: {said}", err=True)
            status = 2
            continue
        if kind == "json":
            results.append(findings.data(checked))
        with progress.hidden():
            if kind == "text":
                print_text(findings.text, checked)
            elif kind == "github":
                click.echo(findings.github(checked), nl=False)
            if show_diff and changes:
                click.echo(difference(name, old, new), nl=False)
            if write_fix:
                click.echo(findings.fixed(checked, changes), nl=False, err=True)
        if write_fix:
            after = _checked(name, spec) if new != old else checked
            wrong, is_open = after.is_wrong, after.is_open
        else:
            wrong, is_open = checked.is_wrong, checked.is_open
        status = max(status, 1 if wrong or (strict and is_open) else 0)
    if kind == "json":
        print_json(results)
    sys.exit(status)


def _checked(name: str, spec: str | None) -> Any:
    """A document, checked against a spec, the one it names, or what it gives itself."""
    from symattn.claims.check import check
    from symattn.claims.reading import read
    from symattn.spec_reader import load_spec
    from symattn.transformer import worked_attention

    reading = read(Path(name))
    if spec is None and reading.spec:
        beside = Path(name).parent / reading.spec
        spec = str(beside) if reading.spec.endswith(".toml") else reading.spec
    if spec is None:
        return check(reading, worked_attention)
    loaded = load_spec(spec)
    return check(
        reading, worked_attention, loaded.derive(), claims=loaded.claims, aliases=loaded.aliases
    )
