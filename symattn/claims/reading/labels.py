"""What a label means: from what is written beside a matrix to a step of attention."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from symattn.claims.reading.formulas import Meaning, meaning_of
from symattn.claims.reading.words import last_phrase, step_named

Certainty = Literal["marker", "formula", "name", "words", "none"]
IndexKind = Literal["", "bracket", "subscript", "superscript"]

#: From the surest to the least sure.
CERTAINTIES: tuple[Certainty, ...] = ("marker", "formula", "name", "words", "none")
_MAX = 400


@dataclass(frozen=True, slots=True)
class Named:
    """The step that a label names.

    Attributes:
        step: ``E``, ``W_Q``, ``W_K``, ``W_V``, ``Q``, ``K``, ``V``, ``S``, ``Z``, ``M``,
            ``Z_masked``, ``A`` or ``O``; None where the label says none of them. A marker's
            address is kept as it is.
        index: the index on it, as written: ``1``, ``2,3``, ``cat``; "" for a whole matrix.
        index_kind: ``bracket`` (zero-based, as in code), ``subscript`` or ``superscript``
            (zero-based or not, nobody knows); "" without an index.
        certainty: ``marker`` (a symattn comment says so), ``formula`` (an expression such as
            QKᵀ), ``name`` (a name of its own), ``words`` (text nearby), ``none``.
        by: the text that says so.
    """

    step: str | None = None
    index: str = ""
    index_kind: IndexKind = ""
    certainty: Certainty = "none"
    by: str = ""


NOTHING = Named()
#: A product with W_O, which joins the heads: the output of the layer, and of no head.
_PROJECTED = re.compile(
    r"[\w}\])@*·]\s*W\s*[\^_]\s*\{?\s*(?:\\(?:text|mathrm)\s*\{)?[Oo](?![a-z]{3})"
)
_MARKER = re.compile(r"(?P<step>[^\[\]]*)(?:\[(?P<index>[^\[\]]*)\])?")
_NOISE = re.compile(
    r"<[^<>]*>|^\s*(?:\d+[.)]|step\s+\d+\s*[:.)-]|[-*+>#|])\s*|\(\s*(?:\d+\s*[×x]\s*\d+|shape)[^()]*\)",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:\\therefore(?![a-z])\s*|(?:and|so|thus|hence|then|now|finally|where|with|let|we get"
    r"|we have|gives?|the|our|this"
    r"|is|are|resulting|computed|final|matrix(?: of)?)\s+)+",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"\s+(?:is|are|as|matrix|tensor|becomes|follows?|below|shape)+$", re.I)
_INSIDE = re.compile(
    r"\$\$?([^$\n]{1,200})\$\$?|\\\(([^\n]{1,200}?)\\\)|`([^`\n]{1,100})`|\*\*([^*\n]{1,100})\*\*"
)


def named_by_marker(address: str) -> Named:
    """The step that a marker's address names."""
    match = _MARKER.fullmatch(address.strip())
    if match is None:
        return Named(address.strip(), "", "", "marker", address)
    index = match["index"] or ""
    return Named(match["step"], index, "bracket" if index else "", "marker", address)


def named(labels: Sequence[str], context: str = "") -> Named:
    """The step that the labels of a chain name; without any, the words before it.

    An expression counts for more than a letter, since letters are used for different things:
    ``Z = AV`` is the output.
    """
    if any(map(_PROJECTED.search, labels)):
        return Named(by=labels[0])
    found = [n for n in map(named_by_label, labels) if n.step]
    if found:
        best = min(CERTAINTIES.index(n.certainty) for n in found)
        chosen = next(n for n in found if CERTAINTIES.index(n.certainty) == best)
        if not chosen.index:
            with_index = [n for n in found if n.index and n.step == chosen.step]
            if with_index:
                index, kind = with_index[0].index, with_index[0].index_kind
                return replace(chosen, index=index, index_kind=kind)
        return chosen
    if any(not _is_vague(label) for label in labels):
        return Named(by=labels[0])
    return named_by_words(context)


def _is_vague(label: str) -> bool:
    """Whether a label is a bare letter, or nothing that could be a name."""
    return re.fullmatch(r"[A-Za-z]?\d?['′]?|\\?\w*□.*", label.strip("$*` ")) is not None


def named_by_label(label: str) -> Named:
    r"""The step that one label names.

    >>> named_by_label(r"\frac{QK^T}{\sqrt{d_k}}").step, named_by_label("attn_weights[1]")
    ('Z', Named(step='A', index='1', index_kind='bracket', certainty='name', by='attn_weights[1]'))
    """
    if len(label) > _MAX:
        return Named()
    text = _NOISE.sub(" ", label).strip().strip("*_`:= \t").strip()
    for candidate in (text, _LEADING.sub("", text), _TRAILING.sub("", _LEADING.sub("", text))):
        if candidate and (meaning := meaning_of(candidate.strip("$ "))):
            return _named(meaning, label)
    for said in reversed(_inside(text)):
        if meaning := meaning_of(said):
            return _named(meaning, said)
    if " " in text and (phrase := last_phrase(text)):
        return Named(phrase[1], certainty="words", by=phrase[0])
    return Named()


def _named(meaning: Meaning, by: str) -> Named:
    certainty: Certainty = "formula" if meaning.is_formula else "name"
    return Named(meaning.step, meaning.index, meaning.index_kind, certainty, by)


def _inside(text: str) -> list[str]:
    return [next(g for g in m.groups() if g) for m in _INSIDE.finditer(text)]


def named_by_words(context: str) -> Named:
    """The step that the last line of text before a matrix names."""
    text = re.sub(r"<!--.{0,400}?-->", " ", context, flags=re.DOTALL)
    text = re.sub(r"[\w.]{1,40}\(\s{0,20}$", "", text)  # tensor(
    lines = [line for line in (_cleaned(line) for line in text.split("\n")) if line]
    if not lines:
        return Named()
    line = lines[-1]
    is_heading = bool(re.match(r"\s*(?:#{1,6}\s|\*\*|\\(?:sub)*section)", _last_raw(text)))
    bare = line.strip("#*_` ").rstrip(":=. ")
    found = named_by_label(bare)
    if found.step:
        return Named(found.step, found.index, found.index_kind, "words", found.by)
    phrase = last_phrase(line)
    if phrase and (is_heading or line.rstrip().endswith((":", "=")) or len(line.split()) <= 8):
        return Named(phrase[1], certainty="words", by=phrase[0])
    return Named()


def _last_raw(text: str) -> str:
    lines = [line for line in text.split("\n") if _cleaned(line)]
    return lines[-1] if lines else ""


def _cleaned(line: str) -> str:
    line = re.sub(r"<[^<>]*>", "", line)
    line = re.sub(r"\\(?:begin|end|centering|caption|label|hline)\b(?:\{[^{}]*\})?", "", line)
    line = re.sub(r"^\s*\\(?:sub)*section\*?\{([^{}]*)\}", r"\1", line)
    return (
        ""
        if re.fullmatch(r"[\s$`~|>\\\[\](){}:=-]*(?:math|text|python|output)?\s*", line)
        else line
    )


__all__ = ["Named", "named", "named_by_label", "named_by_marker", "named_by_words", "step_named"]
