"""`symattn check`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import click

from symattn import progress
from symattn.cli.options import Command, format_options, print_json, print_text
from symattn.cli.terminal import echo, say
from symattn.errors import DocumentError, SymattnError


@click.command(
    "check",
    cls=Command,
    examples=(
        "symattn check lesson.md",
        "symattn check lesson.md --fix --diff",
    ),
)
@click.argument("documents", nargs=-1, required=True, metavar="DOC...")
@click.option("--spec", help="The spec that the documents are about; else each names its own.")
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
    """Judge the numbers that somebody printed, and say why.

    DOC is Markdown, LaTeX, HTML, a notebook or plain text; the exit status is 1 where a number
    is wrong.
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
                _replace(name, old, new)
        except SymattnError as error:
            with progress.hidden():
                say(f"symattn: {error}")
            status = 2
            continue
        if kind == "json":
            results.append(findings.data(checked))
        with progress.hidden():
            if kind == "text":
                print_text(findings.text, checked)
            elif kind == "github":
                echo(findings.github(checked), nl=False)
            if show_diff and changes:
                echo(difference(name, old, new), nl=False)
            if write_fix:
                say(findings.fixed(checked, changes).removesuffix("\n"))
        if write_fix:
            after = _checked(name, spec) if new != old else checked
            wrong, is_open = after.is_wrong, after.is_open
        else:
            wrong, is_open = checked.is_wrong, checked.is_open
        status = max(status, 1 if wrong or (strict and is_open) else 0)
    if kind == "json":
        print_json(results)
    sys.exit(status)


def _replace(name: str, old: str, new: str) -> None:
    """Write a document that is corrected, unless somebody else has changed it meanwhile."""
    from symattn import files
    from symattn.claims.reading.document import load

    if load(name).text != old:
        raise DocumentError(f"{name}: was changed while it was checked, and is left as it is")
    files.write(Path(name), new)


def _checked(name: str, spec: str | None) -> Any:
    """A document, checked against a spec, the one it names, or what it gives itself."""
    from symattn.claims.check import check
    from symattn.claims.reading import read
    from symattn.spec_reader import load_spec
    from symattn.transformer import worked_attention

    reading = read(Path(name))
    if spec is None and reading.spec:
        spec = reading.spec
        if spec.endswith(".toml"):
            if PurePosixPath(spec).is_absolute() or PureWindowsPath(spec).drive:
                said = "wanted its spec's place from where it lies"
                raise DocumentError(f"{name}: {said}, or --spec, got {spec}")
            spec = str(Path(name).parent / spec)
    if spec is None:
        return check(reading, worked_attention)
    loaded = load_spec(spec)
    return check(
        reading, worked_attention, loaded.derive(), claims=loaded.claims, aliases=loaded.aliases
    )
