"""`symattn vary`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from symattn.cli.options import DEFAULT, Command, derivation_of, format_options, print_by
from symattn.errors import SpecError


@click.command(
    "vary",
    cls=Command,
    examples=(
        "symattn vary 'W_vocab[1,3]'",
        "symattn vary 'W_1[0,0]' 'W_1[1,0]' --from -4 --to 4",
    ),
)
@click.argument("words", nargs=-1, required=True, metavar="[SPEC] ENTRY [ENTRY]")
@click.option("--from", "low", multiple=True, help="Where the range begins; twice for two entries.")
@click.option("--to", "high", multiple=True, help="Where the range ends; twice for two entries.")
@click.option(
    "--digits", type=click.IntRange(0, 1000), default=6, show_default=True, help="Decimals."
)
@click.option(
    "--cells",
    type=click.IntRange(1, 100_000),
    default=1000,
    show_default=True,
    help="Parts of the range.",
)
@click.option(
    "-o",
    "--output",
    type=Path,
    help="The file of a plot, .svg, .png or .pdf.",
)
@format_options("text", "markdown")
def command(
    words: Sequence[str],
    low: tuple[str, ...],
    high: tuple[str, ...],
    digits: int,
    cells: int,
    output: Path | None,
    form: str | None,
    as_json: bool,
) -> None:
    """Find where the most likely token changes as an entry varies.

    Over two entries, it is a map.
    """
    from symattn.varying.vary import vary as varied
    from symattn.writers import plots, variations

    spec, entries = _spec_and_entries(words)
    ends = ((x if len(x) > 1 else x[0]) if x else None for x in (low, high))
    given = dict(zip(("low", "high"), ends, strict=True))
    found = varied(derivation_of(spec), *entries, **given, digits=digits, cells=cells)
    if output is not None:
        plots.save(found, output)
    print_by(variations, form, as_json, found)


def _spec_and_entries(words: Sequence[str]) -> tuple[str, list[str]]:
    from symattn.examples import builtin_names

    specs = [w for w in words if w.endswith(".toml") or w in builtin_names()]
    entries = [w for w in words if w not in specs]
    if len(specs) > 1 or not 1 <= len(entries) <= 2:
        raise SpecError(f"wanted [SPEC] ENTRY [ENTRY], got {len(words)} words: {' '.join(words)}")
    return specs[0] if specs else DEFAULT, entries
