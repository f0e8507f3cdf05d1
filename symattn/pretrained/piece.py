"""A small exact piece of a trained model, as a spec of its own.

Of a head: some tokens, some features of what the layer reads, and the weights between them. The
weights are the exact binary numbers of the file. What the layer reads is a real number; its
certified decimals, so many, are what the piece starts from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from symattn.errors import AddressError, OptionError
from symattn.pretrained.looking import look
from symattn.pretrained.weights import Weights
from symattn.toml_text import quoted

#: Entries that a piece may have in a matrix: it is to be read.
MAX_SIDE = 16

#: Decimals of what a piece starts from.
DIGITS = 4

_HEAD = re.compile(r"layer\[(\d{1,6})\]\.head\[(\d{1,6})\]")
_RANGE = re.compile(r"(\d{1,6}):(\d{1,6})")


def taken(text: str, tokens: int, dims: int) -> tuple[list[int], list[int]]:
    """What ``tokens=0:3,dims=0:2`` says: places of tokens, and of features.

    Raises:
        OptionError: it says something else, or places that there are not.

    >>> taken("tokens=1;2;4,dims=0:2", 7, 384)
    ([1, 2, 4], [0, 1])
    """
    limits = {"tokens": tokens, "dims": dims}
    found: dict[str, list[int]] = {}
    for part in text.split(","):
        name, _, places = part.strip().partition("=")
        if name not in limits or name in found:
            raise OptionError(
                f"--take: wanted tokens=…,dims=…, such as tokens=0:3,dims=0:2, got {text!r}"
            )
        found[name] = _places(places, limits[name], part)
    for name, limit in limits.items():
        found.setdefault(name, list(range(min(limit, MAX_SIDE if name == "tokens" else 2))))
    return found["tokens"], found["dims"]


def _places(text: str, limit: int, said: str) -> list[int]:
    match = _RANGE.fullmatch(text)
    if match:
        start, stop = int(match[1]), int(match[2])
        places = list(range(start, min(stop, start + MAX_SIDE + 1)))
    elif re.fullmatch(r"\d{1,6}(;\d{1,6})*", text):
        places = [int(x) for x in text.split(";")]
    else:
        raise OptionError(f"--take: {said}: wanted a range such as 0:3, or places such as 0;2")
    if (
        not places
        or max(places) >= limit
        or len(set(places)) < len(places)
        or len(places) > MAX_SIDE
    ):
        raise OptionError(
            f"--take: {said}: wanted up to {MAX_SIDE} places from 0 to {limit - 1}, each once"
        )
    return places


def piece(
    weights: Weights,
    tokens: Sequence[int],
    words: Sequence[str],
    address: str,
    take: str,
    *,
    digits: int = DIGITS,
    types: Sequence[int] | None = None,
) -> str:
    """The spec of a piece of a head, as TOML.

    Args:
        address: of the head, or of a step in it: ``layer[2].head[5].A``.
        take: see `taken`.
        digits: of what the layer reads.

    Raises:
        AddressError: no head stands there.
        OptionError: see `taken`.
    """
    match = _HEAD.match(address)
    sizes = weights.architecture.sizes
    if match is None or int(match[1]) >= sizes["N"] or int(match[2]) >= sizes["h"]:
        raise AddressError(
            f"wanted a head from layer[0].head[0] to layer[{sizes['N'] - 1}].head["
            f"{sizes['h'] - 1}], got {address!r}"
        )
    layer, head = int(match[1]), int(match[2])
    rows, dims = taken(take, len(tokens), sizes["d_model"])
    features = [d for d in dims if d < sizes["d_k"]]
    if not features:
        raise OptionError(f"--take: dims: wanted some below d_k = {sizes['d_k']} too")
    read = look(weights, tokens, words, f"layer[{layer}].read", digits=digits, types=types)
    E = read.decimals(digits)[np.ix_(rows, dims)]
    matrices = {"E": E.tolist()}
    group = sizes["h"] // sizes["h_kv"]
    for name in ("W_Q", "W_K", "W_V"):
        W = weights.array(name, layer)[head if name == "W_Q" else head // group]
        matrices[name] = [[exactly(x) for x in row] for row in W[np.ix_(dims, features)]]
    causal = weights.architecture.config.mask == "causal"
    return _toml(
        [words[i] for i in rows], matrices, "causal" if causal else "none",
        f"layer {layer}, head {head}", rows, dims, digits,
    )  # fmt: skip


def exactly(value: Any) -> str:
    """A float as the decimal that it is."""
    return f"{Decimal(float(value)):f}"


def _toml(
    words: Sequence[str], matrices: dict[str, list[list[str]]], mask: str, title: str,
    rows: Sequence[int], dims: Sequence[int], digits: int,
) -> str:  # fmt: skip
    lines = [
        f"# A piece of a trained model: {title}, tokens {_listed(rows)}, features {_listed(dims)}.",
        f"# E is what the layer reads there, to {digits} certified decimals; the weights are the",
        "# exact numbers of the file, without biases and positions. It is no longer the model.",
        "format = 1",
        'model = "attention_head"',
        f"title = {quoted(title)}",
        f"tokens = [{', '.join(map(quoted, words))}]",
        f'mask = "{mask}"',
        "",
        "[matrices]",
    ]
    for name, matrix in matrices.items():
        lines.append(f"{name} = [")
        lines += [f"  [{', '.join(map(quoted, row))}]," for row in matrix]
        lines.append("]")
    return "\n".join([*lines, "", "[display]", f"digits = {digits}", ""])


def _listed(places: Sequence[int]) -> str:
    return ", ".join(map(str, places))
