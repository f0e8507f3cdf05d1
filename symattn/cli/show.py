"""`symattn show`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from symattn.cli.as_json import any_json
from symattn.cli.of_model import is_model, show_model, token_options
from symattn.cli.options import (
    DEFAULT,
    Command,
    derivation_of,
    display_options,
    displayed,
    format_options,
    print_json,
    print_text,
    put,
)
from symattn.cli.terminal import echo, say
from symattn.errors import SpecError
from symattn.layout import MAX_CHARACTERS

if TYPE_CHECKING:
    from symattn.notation import Notation
    from symattn.writers.screen import Screen


@click.command(
    "show",
    cls=Command,
    examples=(
        "symattn show 'A[1,1]' --digits 12",
        "symattn show article-encoder P --top 3",
    ),
)
@click.argument("spec_and_step", nargs=-1, required=True, metavar="[SPEC] STEP")
@click.option("--top", "--top-k", "k", type=int, help="Only the K largest entries of a row.")
@click.option(
    "--nucleus", "--top-p", "p", help="Only the largest entries of a row, up to a sum of P."
)
@click.option("--expand", is_flag=True, help="Write exact values in full, each after its size.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help=f"Characters that --expand may write for an entry, {MAX_CHARACTERS:,} if left out.",
)
@click.option("--as", "kind", help="The picture: equation, heatmap, bars, arcs or arrows.")
@click.option("-o", "--output", type=Path, help="The file of a picture, .svg or .png.")
@token_options
@click.option("--take", help="Write a piece of a trained head as a spec: tokens=0:3,dims=0:2.")
@display_options()
@format_options("text", "latex", "markdown", "svg", "png")
def command(
    spec_and_step: Sequence[str],
    k: int | None,
    p: str | None,
    expand: bool,
    limit: int | None,
    kind: str | None,
    output: Path | None,
    text: str | None,
    ids: str | None,
    take: str | None,
    form: str | None,
    as_json: bool,
    **display: Any,
) -> None:
    """Show a step or an entry: formula, exact value, decimals.

    A step is called by its name, A, an entry by its place, A[1,1], counted from zero.
    Of a trained model, MODEL STEP --text "…" shows certified decimals.
    """
    picture = _Picture.wanted(kind, form, output)
    if limit is not None and not expand:
        raise click.UsageError("wanted --limit together with --expand")
    if len(spec_and_step) == 2 and is_model(spec_and_step[0]):
        model, address = spec_and_step
        wanted = _digits_of_model(display)
        heat = (picture.form, picture.output) if picture is not None else None
        if picture is not None and kind not in (None, "heatmap"):
            raise click.UsageError("wanted --as heatmap with a trained model")
        form = "json" if as_json else form
        show_model(Path(model), address, text, ids, take, wanted, form, heat)
        return
    if text is not None or ids is not None or take is not None:
        raise click.UsageError("wanted --text, --ids and --take with a trained model only")
    spec, address = _spec_and_step(spec_and_step)
    derivation = displayed(derivation_of(spec), **display)
    found = derivation[address]
    if picture is not None:
        picture.show(found)
        return
    kind = "json" if as_json else form or "text"
    if k is not None or p is not None:
        _show_selection(address, found, k, p, kind)
    elif expand:
        _print_expanded(found, kind, MAX_CHARACTERS if limit is None else limit)
    elif kind == "json":
        print_json(any_json(found))
    elif kind == "text":
        print_text(_text, _flat(found))
    else:
        echo("\n".join(_shown(part, kind) for part in _flat(found)))


class _Picture(NamedTuple):
    """A picture that is asked for."""

    kind: str
    form: str
    output: Path | None

    @classmethod
    def wanted(cls, kind: str | None, form: str | None, output: Path | None) -> _Picture | None:
        """The picture that a call asks for; None where it asks for none."""
        ending = output.suffix.lower().lstrip(".") if output else ""
        chosen = form or (ending if ending in ("svg", "png") else None)
        if chosen not in ("svg", "png"):
            if kind or output:
                raise click.UsageError("wanted --as and -o with svg or png")
            return None
        from symattn.pictures.files import KINDS

        if kind is not None and kind not in KINDS:
            raise click.UsageError(f"--as: wanted one of {', '.join(KINDS)}, got {kind!r}")
        return cls(kind or "equation", chosen, output)

    def show(self, found: Any) -> None:
        """Write it to its file, or to a pipe."""
        from symattn.pictures.files import made

        put(made(found, self.kind, self.form), self.form, self.output)


def _digits_of_model(display: dict[str, Any]) -> int | None:
    """The decimals that are asked for; a trained model's steps have no other displays."""
    given = {name: value for name, value in display.items() if value not in (None, ())}
    digits = given.pop("digits", ())
    if given or any(step for step, _ in digits):
        raise click.UsageError("wanted --digits N alone to say how a trained model's numbers look")
    return digits[-1][1] if digits else None


def _show_selection(address: str, found: Any, k: int | None, p: str | None, kind: str) -> None:
    from symattn.entries import Entry
    from symattn.selection import nucleus, top_k
    from symattn.writers import terminal

    if k is not None and p is not None:
        raise SpecError("wanted --top or --nucleus, got both")
    if kind not in ("text", "json"):
        raise SpecError(f"wanted --format text or json with --top and --nucleus, got {kind}")
    row = [] if isinstance(found, Entry) else list(found)
    if not row or not all(isinstance(entry, Entry) for entry in row):
        raise SpecError(f"wanted a row such as P or A[0], got {address}")
    kept = top_k(row, k) if k is not None else nucleus(row, p)
    if kind == "json":
        print_json(kept.json())
    else:
        print_text(terminal.selection, kept)


def _print_expanded(found: Any, kind: str, limit: int) -> None:
    """Every entry in full, each after its size; nothing if one of them is over the limit."""
    from symattn.steps import entries_of

    style: Notation = "text" if kind in ("text", "json") else "latex"
    texts = [(e.address, e.expand(style, limit=limit)) for e in entries_of(found)]
    if kind == "json":
        print_json([{"address": a, "size": len(t), "expanded": t} for a, t in texts])
        return
    for address, text in texts:
        # What is piped into a document is the mathematics alone.
        size = f"{len(text):,} character{'s' * (len(text) > 1)}"
        (echo if kind == "text" else say)(f"{address}: {size}")
        echo(f"```math\n{text}\n```" if kind == "markdown" else text)


def _flat(found: Any) -> list[Any]:
    """What nested lists hold."""
    return [x for part in found for x in _flat(part)] if isinstance(found, list) else [found]


def _spec_and_step(words: Sequence[str]) -> tuple[str, str]:
    from symattn.examples import builtin_names

    if len(words) == 1:
        if words[0].endswith(".toml") or words[0] in builtin_names():
            raise SpecError(f"wanted a step after {words[0]}, such as A; `symattn list` names them")
        return DEFAULT, words[0]
    if len(words) == 2:
        if words[1].endswith(".toml") and not words[0].endswith(".toml"):
            return words[1], words[0]
        return words[0], words[1]
    raise SpecError(f"wanted [SPEC] STEP, got {len(words)} words: {' '.join(words)}")


def _text(found: list[Any], screen: Screen) -> str:
    from symattn.entries import Entry
    from symattn.writers.terminal import explanation, step

    parts = [
        explanation(x.explain(), screen) if isinstance(x, Entry) else step(x, screen) for x in found
    ]
    return "\n".join(parts)


def _shown(found: Any, kind: str) -> str:
    from symattn.entries import Entry
    from symattn.equations import equation
    from symattn.writers import terminal
    from symattn.writers.markdown import escape

    step, indices = (found.step, [found.index]) if isinstance(found, Entry) else (found, None)
    if isinstance(found, Entry):
        equations = [found.explain().latex()]
    else:
        equations = [equation(found), *(entry.explain().latex() for entry in found.worked())]
    said = terminal.notes(step, indices)
    if kind == "latex":  # comments: what is piped into a document is the mathematics alone
        return "\n".join(["\n\n".join(equations), *(f"% {line}" for line in said)])
    return "\n\n".join([*(f"```math\n{e}\n```" for e in equations), *map(escape, said)])
