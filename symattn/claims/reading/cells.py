"""One printed cell: the number in it, where exactly it stands, and what it means."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.translate import exact_value
from symattn.literals import NEGATIVE_INFINITY, POSITIVE_INFINITY, Exact

MAX_CELL = 400  # characters; longer ones are unreadable
MAX_DIGITS = 200
MAX_EXPONENT = 400
RAW_FLOAT = 7  # significant digits from which a decimal looks printed by a program

CellKind = Literal["decimal", "integer", "infinity", "nan", "exact", "blank", "unreadable"]


@dataclass(frozen=True, slots=True)
class Printed:
    """One printed number, or what stands in its place.

    Attributes:
        text: the number as printed, without what surrounds it (bold, colour, dollar signs).
        start, end: its span in the document's text, as written there.
        kind: what it is; "blank" for an empty box of a worksheet, where a number belongs, and
            "unreadable" for anything that is no number.
        value: its exact meaning; None for nan, what is blank and what is unreadable.
        plain: a decimal or integer with ASCII sign and point: ``-0.5``, ``9.8e-01``.
        decimals: places after the point that it claims, percent and exponent counted in:
            4 for ``64.25%``, 6 for ``9.8e-05``, −3 for ``1e3``.
        significant: significant digits as printed.
        exponent: whether it is in scientific notation.
        percent: whether a percent sign follows; `value` is the hundredth part then.
        approximate: whether an ≈ stands before it in its cell.
        fixed: whether it was written to fixed decimals, whatever its digits; its matrix tells.
        starred: whether a star stands above it.
    """

    text: str
    start: int
    end: int
    kind: CellKind
    value: Exact | None = None
    plain: str = ""
    decimals: int | None = None
    significant: int | None = None
    exponent: bool = False
    percent: bool = False
    approximate: bool = False
    fixed: bool = False
    starred: bool = False

    @property
    def is_number(self) -> bool:
        return self.kind != "unreadable"

    @property
    def is_named(self) -> bool:
        """Whether names of entries stand in it, such as ``S[1,0]``, as far as can be seen."""
        return self.kind == "unreadable" and _ENTRY.search(self.text) is not None

    @property
    def is_raw_float(self) -> bool:
        """Whether it looks like a float printed by a program: seven digits or more."""
        digits = self.significant or 0
        return self.kind == "decimal" and digits >= RAW_FLOAT and not self.fixed


_ENTRY = re.compile(r"\[\s{0,9}\d{1,9}(?:\s{0,9},\s{0,9}\d{1,9}){0,9}\s{0,9}\]|\\ell(?![a-zA-Z])")
_SPACE = r"(?:\s|\\[,;:!> ]|\\(?:quad|qquad|hspace\{[^{}]*\}|thinspace|hfill)(?![a-zA-Z])|~|\{\})"
_BEFORE = re.compile(
    rf"{_SPACE}+|\\[hv]?phantom\{{[^{{}}]*\}}|\\(?:displaystyle|textstyle|scriptstyle|small|large"
    r"|footnotesize|bf|bfseries|it|hline|toprule|midrule|bottomrule|centering)(?![a-zA-Z])"
    r"|\\cline\{[^{}]*\}"
    r"|\\(?:color(?!box)|cellcolor|rowcolor)(?:\[[^\[\]]*\])?(?:\{[^{}]*\}|[a-z]+)|<!--.*?-->|<[^<>]*>|>(?=\s)"
)
_AFTER = re.compile(
    rf"(?:{_SPACE}|\\(?:hline|bottomrule)|<!--(?:(?!-->).)*-->|<[^<>]*>|[,;]"
    r"|\\[hv]?phantom\{[^{}]*\}|\^\{?\s*\\d?dagger\s*\}?)$"
)
_STAR = re.compile(r"\^\{?\s*(?:\\ast(?![a-zA-Z])|\*)\s*\}?$")
_APPROXIMATE = re.compile(r"\\approx(?![a-zA-Z])|\\simeq(?![a-zA-Z])|[≈≃]")
#: A box that nothing stands in; where a number does, it is peeled like other wrappers.
_BLANK = re.compile(
    r"(?:\\(?:hline|midrule)(?![a-zA-Z])\s*)*(?P<box>\\(?:boxed|fbox|underline)\s*\{"
    r"(?:\s|\?|~|\\(?:[,;:!> ]|q?quad(?![a-zA-Z])|[hv]?phantom\{[^{}]*\}|hspace\*?\{[^{}]*\}))*\})"
)
_TEXT = r"math(?:bf|rm|it|sf|tt|normal|bb)|text(?:bf|rm|it|sf|tt|normal)?"
_WRAPPER = re.compile(
    rf"\\(?:(?:{_TEXT}|bm|boldsymbol|pmb|underline|boxed|fbox|mbox|ensuremath|num|hbox|emph"
    r"|operatorname|mathstrut|bbox)\s*"
    r"|(?:textcolor|colorbox|mathcolor|color|class|htmlClass|cssId|style|htmlStyle)"
    r"\s*(?:\[[^\[\]]*\])?\{[^{}]*\}\s*"
    r"|multicolumn\{[^{}]*\}\{[^{}]*\}\s*|fcolorbox\{[^{}]*\}\{[^{}]*\}\s*)\{"
)
_PAIRS = (("**", "**"), ("__", "__"), ("$$", "$$"), ("$", "$"), ("`", "`"), ("\\(", "\\)"),
          ("*", "*"), ("(", ")"), ("==", "=="))  # fmt: skip
_MINUS = re.compile(r"[−–﹣－]|\{-\}|\\text\{-\}|\\mathord\{-\}|\\mathbin\{-\}|\\minus(?![a-zA-Z])")
_JOINERS = re.compile(r"\\[,!;]|[\u2009\u202f\u2007\u200a]|\{\}")
_NUMBER = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<mantissa>\d+\.?\d*|\.\d+)(?:[eE](?P<power>[+-]?\d{1,6}))?", re.ASCII
)
_TIMES_TEN = re.compile(
    r"\s*(?:\\times|\\cdot|×|·|\*)\s*10\s*(?:\^|\*\*)\s*\{?\s*([+-]?\d{1,6})\s*\}?$"
)
_THOUSANDS = re.compile(r"([+-]?)([1-9]\d{0,2}(?:,\d{3})+)(\.\d*)?")
_HOPEFUL = re.compile(r"[\d∞½⅓⅔¼¾]|inf|nan|oo", re.IGNORECASE)
_SIMPLE = re.compile(
    r"\s*(?P<all>(?P<sign>[+-]?)(?P<mantissa>\d+\.?\d*|\.\d+)(?:[eE](?P<power>[+-]?\d{1,6}))?)\s*",
    re.ASCII,
)
_INFINITY = re.compile(
    r"([+-]?)\s*(?:\\infty|∞|oo|inf|infinity"
    r"|(?:np|numpy|math|torch|jnp)\.inf|float\(\s*['\"]([+-]?)inf(?:inity)?['\"]\s*\))"
)
_NAN = re.compile(r"[+-]?(?:(?:np|numpy|math|torch|jnp)\.)?nan|float\(\s*['\"]nan['\"]\s*\)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")


def decoded(view: Mapped, start: int, end: int) -> Mapped:
    """A stretch of a text with its HTML entities decoded."""
    pieces: list[tuple[str, int, int]] = []
    at = start
    for entity in _ENTITY.finditer(view.text, start, end):
        pieces.append((view.text[at : entity.start()], at, entity.start()))
        pieces.append((html.unescape(entity[0]), entity.start(), entity.end()))
        at = entity.end()
    pieces.append((view.text[at:end], at, end))
    return Mapped(pieces, view)


def read(view: Mapped, start: int, end: int) -> Printed:
    """Read the cell that is ``view.text[start:end]``."""
    if end - start <= MAX_CELL and (simple := _SIMPLE.fullmatch(view.text, start, end)):
        span = view.span(simple.start("all"), simple.end("all"))
        found = _from_match(simple, simple["all"], span, False)
        if found is not None:
            return found
    if end - start <= MAX_CELL and "&" in view.text[start:end]:
        view = decoded(view, start, end)
        start, end = 0, len(view.text)
    text = view.text[start:end]
    if len(text) <= MAX_CELL and (blank := _BLANK.fullmatch(text.strip())):
        begin = start + text.index(blank["box"])
        return Printed(blank["box"], *view.span(begin, begin + len(blank["box"])), "blank")
    if len(text) > MAX_CELL:
        stripped = text.strip()
        begin = start + len(text) - len(text.lstrip())
        return _unreadable(view, stripped, begin, begin + len(stripped))
    if not _HOPEFUL.search(text):
        low, high = _stripped(text)
        return _unreadable(view, text[low:high], start + low, start + high)
    low, high, approximate, starred = _core(text)
    if low == high:
        low, high = _stripped(text)
    percent = re.search(r"\s*\\?%$", text[low:high])
    if percent and percent.start():
        high = low + percent.start()
    low, high = _bare(text, low, high)
    core = text[low:high]
    span = view.span(start + low, start + high)
    found = _number(core, span, percent is not None) or _special(core, span)
    if found is None and not percent:
        value = exact_value(core)
        if value is not None:
            found = Printed(core, *span, "exact", value)
    if found is None:
        if not _ENTRY.search(core):  # else what is read as names of entries, without its box
            low, high = _stripped(text)
        return _unreadable(view, text[low:high], start + low, start + high)
    if approximate or starred:
        found = replace(found, approximate=approximate, starred=starred)
    return found


def has_point(printed: Printed) -> bool:
    """Whether a point stands before its decimals."""
    return printed.kind == "decimal" and "." in printed.text


def has_comma(printed: Printed) -> bool:
    """Whether a comma stands before its decimals."""
    return printed.kind == "decimal" and "," in printed.text and "." not in printed.text


def with_comma(printed: Printed) -> Printed:
    """The number with its comma read as that before decimals, where it may be one: 1,250."""
    text = _JOINERS.sub("", _MINUS.sub("-", printed.text)).replace("{,}", ",").strip()
    if printed.kind != "integer" or text.count(",") != 1:
        return printed
    match = _NUMBER.fullmatch(text.replace(",", "."))
    span = (printed.start, printed.end)
    found = _from_match(match, printed.text, span, printed.percent) if match else None
    return (
        printed
        if found is None
        else replace(found, approximate=printed.approximate, starred=printed.starred)
    )


def _unreadable(view: Mapped, text: str, start: int, end: int) -> Printed:
    return Printed(text, *view.span(start, end), "unreadable")


def _stripped(text: str) -> tuple[int, int]:
    left = len(text) - len(text.lstrip())
    return left, max(left, len(text.rstrip()))


def _core(text: str) -> tuple[int, int, bool, bool]:
    """The number's span in a cell: what surrounds it is peeled off layer by layer.

    Also whether an ≈ stood before it, and a star above it.
    """
    low, high, approximate, starred = 0, len(text), False, False
    for _ in range(40):
        before = (low, high)
        low, high = _bare(text, low, high)
        if star := _STAR.search(text[low:high]):
            high, starred = low + star.start(), True
        signs = list(_APPROXIMATE.finditer(text, low, high))
        if signs:
            low, approximate = signs[-1].end(), True
        if (low, high) == before:
            break
    return low, high, approximate, starred


def _bare(text: str, low: int, high: int) -> tuple[int, int]:
    for _ in range(40):
        before = (low, high)
        if low < high and (match := _BEFORE.match(text, low, high)):
            low = match.end()
        if low < high and (match := _AFTER.search(text[max(low, high - 80) : high])):
            # The slice ends where the cell does, so an escaped "\," is matched whole.
            high -= len(match[0])
        low, high = _unwrapped(text, low, high)
        if (low, high) == before:
            break
    return low, max(low, high)


def _unwrapped(text: str, low: int, high: int) -> tuple[int, int]:
    match = _WRAPPER.match(text, low, high)
    inner = match.end() if match else low + 1 if text.startswith("{", low, high) else -1
    if inner >= 0:
        if _closing(text, inner, high) == high - 1:
            return inner, high - 1
        if match and match.end() == high:
            return low, high
    for opening, closing in _PAIRS:
        long_enough = high - low > len(opening) + len(closing)
        if long_enough and text.startswith(opening, low) and text.endswith(closing, low, high):
            inside = text[low + len(opening) : high - len(closing)]
            if opening not in inside and closing not in inside:
                return low + len(opening), high - len(closing)
    return low, high


def _closing(text: str, start: int, end: int) -> int:
    depth = 1
    for i in range(start, end):
        if text[i] in "{}" and text[i - 1] != "\\":
            depth += 1 if text[i] == "{" else -1
            if not depth:
                return i
    return -1


def _number(core: str, span: tuple[int, int], percent: bool) -> Printed | None:
    text = _JOINERS.sub("", _MINUS.sub("-", core)).strip()
    power = _TIMES_TEN.search(text)
    if power:
        text = f"{text[: power.start()]}e{power[1]}"
    text = text.replace("{,}", ",")
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    elif text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    match = _NUMBER.fullmatch(text)
    return _from_match(match, core, span, percent) if match else None


def _from_match(
    match: re.Match[str], core: str, span: tuple[int, int], percent: bool
) -> Printed | None:
    sign, mantissa, power = match["sign"], match["mantissa"], match["power"]
    exponent = int(power or 0)
    before, point, after = mantissa.partition(".")
    digits = before + after
    if len(digits) > MAX_DIGITS or abs(exponent) > MAX_EXPONENT:
        return None
    decimals = len(after) - exponent + (2 if percent else 0)
    number = int(digits) * (-1 if sign == "-" else 1)
    value = Fraction(number, 10**decimals) if decimals >= 0 else Fraction(number * 10**-decimals)
    plain = f"{'-' if sign == '-' else ''}{mantissa}" + (f"e{power}" if power else "")
    is_decimal = bool(point) or power is not None or percent
    return Printed(
        core, *span, "decimal" if is_decimal else "integer", value, plain, decimals,
        len(digits.lstrip("0")), power is not None, percent,
    )  # fmt: skip


def _special(core: str, span: tuple[int, int]) -> Printed | None:
    text = _MINUS.sub("-", core).strip()
    if match := _INFINITY.fullmatch(text.lower()):
        negative = "-" in (match[1], match[2]) and match[1] != match[2]
        value = NEGATIVE_INFINITY if negative else POSITIVE_INFINITY
        return Printed(core, *span, "infinity", value)
    return Printed(core, *span, "nan") if _NAN.fullmatch(text.lower()) else None
