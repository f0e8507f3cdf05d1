"""`symattn certify`."""

from __future__ import annotations

from pathlib import Path

import click

from symattn.cli.of_model import opened, token_options
from symattn.cli.options import Command, format_options, print_by
from symattn.cli.terminal import say


@click.command(
    "certify",
    cls=Command,
    examples=(
        'symattn certify tiny-gpt2 --text "the cat"',
        "symattn certify tiny-gpt2 --ids 3,0,7 --digits 30 --inside",
    ),
)
@click.argument("model", type=Path)
@token_options
@click.option("--digits", type=int, default=15, show_default=True, help="Certified digits.")
@click.option("--bits", type=int, help="Bits of precision; else as many as the digits take.")
@click.option(
    "--top", type=click.IntRange(1), default=5, show_default=True, help="How many next tokens."
)
@click.option("--inside", is_flag=True, help="Show where in each layer precision is lost.")
@format_options("text")
def command(
    model: Path,
    text: str | None,
    ids: str | None,
    digits: int,
    bits: int | None,
    top: int,
    inside: bool,
    form: str | None,
    as_json: bool,
) -> None:
    """Certify what floats make of a trained model.

    MODEL is a directory with config.json and safetensors files.
    """
    from symattn.pretrained.certificate import certify, first_bits
    from symattn.pretrained.forecast import forecast
    from symattn.writers import certificates

    weights, tokens, tokenizer = opened(model, text, ids)
    ahead = forecast(weights, len(tokens.ids), first_bits(weights, digits, bits))
    if ahead.seconds > 1:
        say(f"{ahead} ahead")
    found = certify(weights, tokens.ids, digits=digits, bits=bits, top=top, inside=inside)
    said = [word.token for word in found.words]
    names = dict(zip(said, tokenizer.words(said), strict=True)) if tokenizer else {}
    print_by(certificates, form, as_json, certificates.Named(found, tokens.words, names))
