"""Blocks that are written from the spec: ``symattn: show A digits=2`` … ``/symattn``.

What stands in such a block is protected by a checksum in the comment that closes it, so
that a block somebody edited by hand is told from one whose spec changed.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Literal

from symattn.claims.reading import Block, Reading
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.errors import AddressError, SymattnError
from symattn.layout import aligned
from symattn.steps import Step

State = Literal["fresh", "stale", "edited", "wrong"]
FORMS = ("exact", "decimals", "both")


@dataclass(frozen=True)
class Shown:
    """A block and what belongs in it.

    Attributes:
        state: ``fresh``, ``stale`` (the spec or the comment changed), ``edited`` (by hand),
            or ``wrong`` (it cannot be written: `problem` says why).
        text: what belongs between its comments, and the comment that closes it.
    """

    block: Block
    state: State
    text: str = ""
    problem: str = ""


def shown_blocks(reading: Reading, derivation: Derivation) -> tuple[Shown, ...]:
    """Compare every such block with what belongs in it."""
    return tuple(_shown(b, reading, derivation) for b in reading.blocks if b.kind == "show")


def _shown(block: Block, reading: Reading, derivation: Derivation) -> Shown:
    document = reading.document
    inner = document.text[block.inner_start : block.inner_end]
    try:
        if document.kind in ("notebook", "text"):
            raise AddressError(f"blocks are not written in a {document.kind} document")
        content = _content(block.argument, derivation, document.kind == "markdown")
    except SymattnError as error:
        return Shown(block, "wrong", problem=str(error))
    newline = "\r\n" if "\r\n" in document.text else "\n"
    body = f"{newline}{content.replace(chr(10), newline)}{newline}"
    closing = f"/symattn {checksum(body)}"
    comment = f"% {closing}" if document.kind == "latex" else f"<!-- {closing} -->"
    text = body + comment
    if inner == body:
        state: State = "fresh"
    elif not inner.strip() or checksum(inner) in document.text[block.inner_end : block.end]:
        state = "stale"
    else:
        state = "edited"
    return Shown(block, state, text)


def checksum(text: str) -> str:
    """Eight characters that tell a text from another, whatever its line ends."""
    plain = text.replace("\r\n", "\n").strip()
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _content(argument: str, derivation: Derivation, fenced: bool) -> str:
    address, *words = re.split(r"\s+(?![^\[]*\])", argument.strip())
    if not address:
        raise AddressError("wanted symattn: show ADDRESS, such as show A digits=2")
    place = derivation[address]
    options = _options(words)
    if isinstance(place, Entry):
        latex = place.explain().latex()
    elif isinstance(place, Step):
        if options["highlight"]:
            cells = [place[index].address for index in options["highlight"]]
            place = derivation.with_display(highlight=cells).step(place.address)
        latex = _step(place, options)
    else:
        raise AddressError(f"wanted a step such as A, or an entry such as A[1,0], got {address!r}")
    return f"```math\n{latex}\n```" if fenced else f"\\[\n{latex}\n\\]"


def _options(words: list[str]) -> dict[str, Any]:
    out: dict[str, Any] = {"form": "decimals", "digits": None, "labels": False,
                           "substitution": False, "highlight": []}  # fmt: skip
    for word in words:
        key, _, value = word.partition("=")
        if key in FORMS and not value:
            out["form"] = key
        elif key in ("labels", "substitution") and not value:
            out[key] = True
        elif key == "digits" and re.fullmatch(r"\d{1,3}", value):
            out["digits"] = int(value)
        elif key == "highlight" and re.fullmatch(r"\d{1,4}(,\d{1,4})*", value):
            out["highlight"].append(tuple(map(int, value.split(","))))
        else:
            raise AddressError(
                f"wanted exact, decimals, both, labels, substitution, digits=N or "
                f"highlight=ROW,COLUMN, got {word!r}"
            )
    return out


def _step(step: Step, options: dict[str, Any]) -> str:
    digits = step.digits if options["digits"] is None else options["digits"]
    labels = options["labels"]
    lines = [f"{step.symbol} &"]
    substitution = step.substitution if options["substitution"] else None
    if step.formula and options["substitution"]:
        lines = [step.formula.replace(" = ", " &= ", 1)]
        lines += [f"&= {substitution}"] if substitution else []
    exact = options["form"] != "decimals" or not step.wants_decimals
    if exact:
        lines.append(f"&= {step.latex(labels=labels)}")
    if options["form"] != "exact" and step.wants_decimals:
        sign = "=" if step.decimals_are_exact_at(digits) else r"\approx"
        lines.append(f"&{sign} {step.latex(digits, labels=labels)}")
    return aligned(lines) if len(lines) > 2 else "".join(lines).replace(" &&", " ")
