"""What a document says of scale, mask and tokens, statement by statement."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.translate import divisor_text


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a document says, and where.

    Attributes:
        about: ``scale``, ``mask``, ``d_k``, ``d_model`` or ``tokens``.
        value: for a scale, the divisor as `literals` reads it (``sqrt(2)``, ``sqrt(d_k)``, ``1``);
            for a mask ``none`` or ``causal``; for a size, an integer; for tokens, their list.
        text: how it is said.
    """

    about: str
    value: str | tuple[str, ...]
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Facts:
    """All statements, in order; each question is answered by the first that speaks of it."""

    statements: tuple[Statement, ...] = ()

    def _first(self, about: str) -> str | None:
        values = [s.value for s in self.statements if s.about == about]
        return str(values[0]) if values else None

    def disagree(self, about: str) -> bool:
        """Whether the document says different things about it."""
        return len({s.value for s in self.statements if s.about == about}) > 1

    @property
    def scale(self) -> str | None:
        return self._first("scale")

    @property
    def mask(self) -> str | None:
        return self._first("mask")

    @property
    def d_k(self) -> int | None:
        found = self._first("d_k")
        return int(found) if found else None

    @property
    def tokens(self) -> tuple[str, ...]:
        found = [s.value for s in self.statements if s.about == "tokens"]
        return tuple(found[0]) if found else ()


_DIVISOR = (
    r"(?P<divisor>\$[^$\n]{1,60}\$|\\\([^\n]{1,60}?\\\)|`[^`\n]{1,60}`|√\s?\(?\w{1,10}\)?|sqrt\(\w{1,10}\)"
    r"|\d+(?:\.\d+)?)"
)
#: The size of a key in words; of "the dimension" alone nobody knows whose it is.
_DIMENSION = (
    r"(?P<words>(?:the\s+)?(?:keys?(?:\s+vectors?)?|head)(?:['’]s?)?\s+(?:dimension|size)\w*"
    r"|(?:the\s+)?(?:dimension|size)\w*\s+of\s+(?:the\s+|each\s+|a\s+)?(?:keys?|heads?)\b)"
)
_PATTERNS: tuple[tuple[str, str | None, re.Pattern[str]], ...] = (
    ("scale", "1", re.compile(
        r"(?:scores|products|values|logits)\s+(?:are|is|were)\s+(?:not|never)\s+(?:scaled|divided)"
        r"|(?:not|un)[- ]?scaled\s+(?:dot|scores|attention)|without\s+(?:any\s+)?scaling"
        r"|(?:no|skip(?:ping)?|omit(?:ting)?)\s+(?:the\s+)?scaling|(?:scores|they)\s+are\s+unscaled",
        re.IGNORECASE)),
    ("scale", None, re.compile(
        r"(?:divid(?:e|es|ed|ing)\s+(?:\w+\s+){0,6}?by|scal(?:e|es|ed|ing)\s+(?:\w+\s+){0,5}?by"
        r"|scal(?:e|ing)\s+(?:factor|divisor)\s+(?:is|of|=|:))\s+"
        r"(?:the\s+)?(?:square\s+root\s+of\s+(?:" + _DIMENSION
        + r"|(?P<root>\$?\\?[\w{}]{1,12}\$?))|" + _DIVISOR + ")",
        re.IGNORECASE)),
    ("mask", "none", re.compile(
        r"\b(?:no|without(?:\s+an?y?)?)\s+(?:causal\s+|attention\s+)?mask(?:s|ing)?\b"
        r"|\bunmasked\s+(?:self-)?attention|\bmask\s+is\s+not\s+(?:used|applied)", re.IGNORECASE)),
    ("mask", "causal", re.compile(
        r"\bcausal(?:ly)?(?:-|\s+)(?:attention\s+)?mask|\blook(?:-|\s+)?ahead\s+mask"
        r"|\bcausal\s+(?:self-)?attention"
        r"|\bmask(?:s|ed|ing)?\s+(?:out\s+)?(?:all\s+|the\s+)?(?:later|future|subsequent)\s"
        r"|\bhides?\s+(?:all\s+|the\s+)?(?:later|future)\s", re.IGNORECASE)),
    ("size", None, re.compile(
        r"(?P<name>d_\{?(?:\\text\{|\\mathrm\{)?(?:k|model|head)\}{0,2}|\bhead_dim|\bd_out)"
        r"\s{0,3}(?:=|:|\bis\b)\s{0,3}(?P<size>\d{1,6})(?![\d.])")),
    ("tokens", None, re.compile(
        r"\b(?:tokens|words|labels)\s{0,3}=\s{0,3}[\[(](?P<list>[^\[\]()\n]{1,2000})[\])]"
        r"|\btokens\*{0,2}\s?:\*{0,2}\s(?P<line>[^\n]{1,300})", re.IGNORECASE)),
)  # fmt: skip
_QUOTED = re.compile(r"\"([^\"]{1,60})\"|'([^']{1,60})'")


def facts_of(view: Mapped, prose: str, everything: str) -> list[Statement]:
    """The statements of a text; sizes and tokens are looked for in code as well."""
    found: list[Statement] = []
    for about, value, pattern in _PATTERNS:
        text = everything if about in ("tokens", "size") else prose
        for match in pattern.finditer(text):
            for name, said in _said(about, value, match):
                start, end = view.span(*match.span())
                found.append(Statement(name, said, match[0], start, end))
    # "without a causal mask" speaks of a causal mask too.
    denied = sorted((s.start, s.end) for s in found if s.value == "none")
    return [s for s in found if s.value != "causal" or not _is_within(s.start, denied)]


def _is_within(position: int, spans: list[tuple[int, int]]) -> bool:
    i = bisect_right(spans, (position, position)) - 1
    return any(0 <= k < len(spans) and spans[k][0] <= position < spans[k][1] for k in (i, i + 1))


def _said(
    about: str, value: str | None, match: re.Match[str]
) -> Iterator[tuple[str, str | tuple[str, ...]]]:
    if value is not None:
        yield about, value
    elif about == "scale":
        said = _divisor(match["divisor"]) if match["divisor"] else _root(match)
        inverse = re.fullmatch(r"\(\(1\)/\((.+)\)\)|1/(.+)", said)
        if inverse and match[0][:4].lower() == "scal":
            said = inverse[1] or inverse[2]  # "scaled by 1/√d_k" multiplies
        if said:
            yield "scale", said
    elif about == "size":
        name = re.sub(r"[{}\\]|text|mathrm", "", match["name"])
        yield ("d_model" if "model" in name else "d_k"), match["size"]
    elif match["list"] is not None:
        words = tuple(a or b for a, b in _QUOTED.findall(match["list"]))
        if words:
            yield "tokens", words
    else:
        words = tuple(w.strip(" .*`\"'\r") for w in match["line"].split(","))
        if len(words) > 1 and all(0 < len(w) <= 30 for w in words):
            yield "tokens", words


def _root(match: re.Match[str]) -> str:
    """The square root that is said; "" for that of a word that is no size: "the dimension"."""
    if match["words"]:
        return "sqrt(d_k)"
    symbol = _symbol(match["root"])
    return f"sqrt({symbol})" if re.fullmatch(r"\d+|[a-zA-Z]|\w+_\w+", symbol) else ""


def _symbol(text: str) -> str:
    return re.sub(r"[{}$\\]|text|mathrm", "", text)


def _divisor(text: str) -> str:
    bare = text.strip("$`").removeprefix("\\(").removesuffix("\\)").strip()
    bare = re.sub(r"\\sqrt\s*(d_\w+)", r"\\sqrt{\1}", bare)
    return divisor_text(bare) or ""
