"""`symattn worksheet`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.options import (
    DEFAULT,
    Command,
    derivation_of,
    display_options,
    displayed,
    output_option,
    page_format,
    put,
)
from symattn.cli.terminal import say

if TYPE_CHECKING:
    from symattn.derivation import Derivation
    from symattn.worksheets.several import Numbered

#: The options of an example; see `symattn.worksheets.wanted.Wanted`.
WANTED = ("model", "tokens", "width", "mask", "style")

#: Formats in which numbers are written into the file.
TYPED = ("markdown", "quarto", "latex", "notebook")


@click.command(
    "worksheet",
    cls=Command,
    examples=(
        "symattn worksheet --blank A,O -o sheet.md",
        "symattn worksheet --random --seed 7 --count 3 -o class.md",
    ),
)
@click.argument("spec", required=False)
@click.option(
    "--blank",
    default="",
    metavar="A,O[1]|N|N%",
    help="What to leave blank: steps, rows, entries; or how many entries, picked by the seed. "
    "Else S, Z, A and O.",
)
@click.option("--seed", type=int, help="The seed of what is random; the sheet says it.")
@output_option("The sheet, in the format of its ending; - for the terminal.")
@click.option("--key", type=Path, help="The file of the key; else SHEET-key beside it.")
@click.option("--count", type=int, default=1, help="How many sheets, each of a seed of its own.")
@click.option("--prose/--no-prose", default=True, help="The text of the spec around the steps.")
@click.option(
    "--random", "is_random", is_flag=True, help="Make an example, and write it as SHEET.toml."
)
@click.option(
    "--style",
    type=click.Choice(["fractions", "exponentials"]),
    help="With --random: the form of the weights.",
)
@click.option(
    "--model", type=click.Choice(["attention_head", "next_token"]), help="With --random: the model."
)
@click.option("--mask", type=click.Choice(["causal", "none"]), help="With --random: the mask.")
@click.option("--tokens", type=int, help="With --random: tokens, 2 to 6.")
@click.option("--width", type=int, help="With --random: d_model, 1 to 4.")
@display_options(pages=True)
def command(
    spec: str | None,
    blank: str,
    seed: int | None,
    output: Path | None,
    key: Path | None,
    count: int,
    prose: bool,
    is_random: bool,
    **given: Any,
) -> None:
    """Write a worksheet: the derivation with boxes, and its key.

    Without a spec, --random makes an example that works out by hand.
    """
    from symattn.worksheets.several import worksheets

    options = {name: given.pop(name) for name in WANTED}
    options = {name: value for name, value in options.items() if value is not None}
    if not is_random and options:
        raise click.UsageError(f"wanted --random together with --{next(iter(options))}")
    if is_random and spec is not None:
        raise click.UsageError(f"wanted a spec or --random, got {spec} and --random")
    if output is None and (is_random or count != 1 or key):
        raise click.UsageError("wanted -o FILE together with --random, --count and --key")
    form = page_format(output)
    texts: dict[int | None, str] = {}

    def derived(number: int | None) -> Derivation:
        if not is_random:
            return displayed(derivation_of(spec or DEFAULT), **given)
        from symattn.spec_reader import parse_spec
        from symattn.worksheets.examples import random_text

        texts[number] = random_text(number or 0, **options)
        return displayed(parse_spec(texts[number], f"worksheet {number}").derive(), **given)

    sheets = worksheets(
        derived,
        blank,
        seed=0 if is_random and seed is None else seed,
        count=count,
        prose=prose,
        typed=form in TYPED,
    )
    if output is None:
        put(_written(sheets[0], form, spec or DEFAULT, None), form, None)
    else:
        _write(sheets, output, key, spec or DEFAULT, texts)


def _write(
    sheets: list[Numbered], output: Path, key: Path | None, spec: str, texts: dict[int | None, str]
) -> None:
    """All files of the sheets, or none."""
    from symattn import files
    from symattn.worksheets.several import key_of
    from symattn.writers import formats

    wanted: dict[Path, str | bytes] = {}
    width = max(len(str(sheet.seed)) for sheet in sheets)
    for sheet in sheets:
        path = output
        if len(sheets) > 1:
            path = output.with_name(f"{output.stem}-{sheet.seed:0{width}}{output.suffix}")
        about = spec
        if texts:
            own = path.with_suffix(".toml")
            about = str(own)
            wanted[_free(own)] = texts[sheet.seed]
        wanted[path] = _written(sheet, formats.format_of(path), about, path)
    key = key or output.with_name(f"{output.stem}-key{output.suffix}")
    if key in wanted:
        raise click.UsageError(f"wanted the key in a file of its own, got {key} for two")
    wanted[key] = formats.written(key_of(sheets, f"{output.stem}: key"), formats.format_of(key))
    files.write_all(wanted)
    boxes = sum(len(sheet.made.boxes) for sheet in sheets)
    first = f"{len(sheets)} worksheets" if len(sheets) > 1 else str(output)
    say(f"{first}: {boxes} boxes; key: {key}")


def _written(sheet: Numbered, form: str, spec: str, output: Path | None) -> str | bytes:
    """A sheet in a format; where that has comments, these say its spec and what is blank."""
    from symattn.cli.write import place_of
    from symattn.writers import formats, marker

    blank = sheet.made.blank
    options = {"blank": blank} if form == "notebook" else {}
    text = formats.written(sheet.made.sheet, form, place_of(spec, output), **options)
    return text if isinstance(text, bytes) else text + marker.blank(blank, form)


def _free(path: Path) -> Path:
    """A path for a spec of ours; what somebody else wrote there is left alone."""
    from symattn.files import FileError
    from symattn.worksheets.examples import HEADER

    if path.is_file() and not path.read_bytes().startswith(HEADER.encode()):
        raise FileError(f"{path}: is there already, and is no spec of a worksheet")
    return path
