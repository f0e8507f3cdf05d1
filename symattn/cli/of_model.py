"""What commands take of a trained model: its files, and a text or tokens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.options import print_by, put
from symattn.cli.terminal import echo
from symattn.errors import ModelError

if TYPE_CHECKING:
    from symattn.pretrained.tokens import Tokenizer, Tokens
    from symattn.pretrained.weights import Weights


def token_options(command: Any) -> Any:
    """The options --text and --ids."""
    command = click.option(
        "--ids", help="The tokens by number, such as 101,7592,102, in place of --text."
    )(command)
    return click.option("--text", help="The text, by the tokenizer of the model.")(command)


def is_model(word: str) -> bool:
    """Whether a word of a call is a trained model's: a directory, or a file of weights."""
    return word.endswith(".safetensors") or Path(word).is_dir()


def opened(
    model: Path, text: str | None, ids: str | None
) -> tuple[Weights, Tokens, Tokenizer | None]:
    """A model's weights, the tokens of a call, and its tokenizer where a text asks for it.

    Raises:
        UsageError: both a text and tokens, or neither.
        ModelError: files or tokens that cannot be used.
    """
    from symattn.pretrained.tokens import Tokenizer, Tokens
    from symattn.pretrained.weights import Weights

    if (text is None) == (ids is None):
        raise click.UsageError("wanted --text or --ids, one of them")
    weights = Weights(model)
    if text is None:
        numbers = _ids(ids or "")
        return weights, Tokens(numbers, tuple(map(str, numbers))), None
    tokenizer = Tokenizer(model if model.is_dir() else model.parent)
    return weights, tokenizer.tokens(text), tokenizer


def _ids(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise ModelError(f"--ids: wanted numbers such as 101,7592,102, got {text!r:.80}")
    return tuple(map(int, parts))


def show_model(
    model: Path,
    address: str,
    text: str | None,
    ids: str | None,
    take: str | None,
    digits: int | None,
    form: str | None,
    picture: tuple[str, Path | None] | None = None,
) -> None:
    """Print a step of a trained model, a heatmap of it, or a piece of a head as a spec.

    Args:
        form: text, latex, markdown or json; text if left out.
        picture: of a heatmap its form, svg or png, and its file.
    """
    weights, tokens, _ = opened(model, text, ids)
    if take is not None:
        from symattn.pretrained.piece import DIGITS, piece

        wanted = DIGITS if digits is None else digits
        made = piece(weights, tokens.ids, tokens.words, address, take, digits=wanted)
        echo(made, nl=False)
        return
    from symattn.pretrained.looking import DIGITS as SHOWN
    from symattn.pretrained.looking import look
    from symattn.writers import sights

    shown = SHOWN if digits is None else digits
    seen = look(weights, tokens.ids, tokens.words, address, digits=shown)
    if picture is not None:
        from symattn.pictures.files import png
        from symattn.pictures.heatmap import heatmap
        from symattn.pretrained.heat import sheet

        form, output = picture
        svg = heatmap(sheet(seen, shown), standalone=True)
        put(svg if form == "svg" else png(svg), form, output)
        return
    print_by(sights, form, False, seen, shown)
