"""Correcting a document in place: the wrong numbers and the blocks, and nothing else."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import quote

from symattn.claims.check import Checked, Finding
from symattn.claims.reading import Printed


@dataclass(frozen=True)
class Edit:
    """A stretch of the document and what takes its place."""

    start: int
    end: int
    text: str
    old: str = ""


def edits(checked: Checked) -> list[Edit]:
    """The edits that correct a document, in order; they do not overlap."""
    found = [
        Edit(
            f.claim.printed.start, f.claim.printed.end, corrected(checked, f), f.claim.printed.text
        )
        for f in checked.findings
        if f.judgement.verdict == "wrong" and not f.claim.quoted and _is_known(f.judgement.correct)
    ]
    found += [
        Edit(s.block.inner_start, s.block.end, s.text)
        for s in checked.shown
        if s.state in ("stale", "edited")
    ]
    out: list[Edit] = []
    for edit in sorted(found, key=lambda e: e.start):
        if not out or edit.start >= out[-1].end:
            out.append(edit)
    return out


def _is_known(correct: str) -> bool:
    """Whether there is a right number, to its last digit: ``0.50?`` is not written down."""
    return bool(correct) and not correct.endswith("?")


def fixed_text(text: str, changes: list[Edit]) -> str:
    """The text with its edits made."""
    pieces, at = [], 0
    for edit in changes:
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join(pieces) + text[at:]


def difference(name: str, old: str, new: str) -> str:
    """The two texts as a unified diff."""
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def corrected(checked: Checked, finding: Finding) -> str:
    """The right number, written as the wrong one was."""
    raw = checked.document.text[finding.claim.printed.start : finding.claim.printed.end]
    printed, correct = finding.claim.printed, finding.judgement.correct
    if correct in ("oo", "-oo"):
        if alike := _infinity_beside(checked, finding):
            return alike
        text = _infinity(checked, finding)
    elif printed.kind in ("exact", "unreadable"):
        latex = _is_latex(checked, finding)
        factor = finding.claim.factor
        text = correct if latex or factor is not None else finding.claim.entry.text()
    elif printed.kind in ("infinity", "nan"):
        text = correct
    else:
        text = in_style(printed, correct, raw)
    if _is_in_address(checked, finding):
        text = quote(text)
    if checked.document.kind == "notebook":
        text = json.dumps(text, ensure_ascii=False)[1:-1]
    return text


def _is_in_address(checked: Checked, finding: Finding) -> bool:
    """Whether a number stands in the address of an image, where signs are encoded."""
    if finding.claim.group < 0:
        return False
    start, end = checked.reading.matrices[finding.claim.group].outer
    return re.match(r"\S*https?:\S*$", checked.document.text[start:end]) is not None


def _infinity(checked: Checked, finding: Finding) -> str:
    sign = "-" if finding.judgement.correct.startswith("-") else ""
    if finding.claim.group < 0:
        return f"{sign}inf"
    m, text = checked.reading.matrices[finding.claim.group], checked.document.text
    if m.notation == "text":
        return f"{sign}oo"
    if m.notation != "latex":
        return f"{sign}inf" if m.notation == "list" else f"{sign.replace('-', '−')}∞"
    # Tables are set as text: a sign of mathematics is an error there.
    is_text = text[m.start : m.end].startswith(r"\begin{tabular") and not _dollars(
        text, finding.claim.printed
    )
    return rf"${sign}\infty$" if is_text else rf"{sign}\infty"


def _infinity_beside(checked: Checked, finding: Finding) -> str:
    """The same infinity as it is written elsewhere in the matrix, "" where it is not."""
    if finding.claim.group < 0:
        return ""
    text, own = checked.document.text, _dollars(checked.document.text, finding.claim.printed)
    for cell in checked.reading.matrices[finding.claim.group].cells:
        if cell.kind == "infinity" and cell.value == finding.claim.entry.form:
            around = 1 if _dollars(text, cell) and not own else 0
            if own and not _dollars(text, cell):
                continue
            return text[cell.start - around : cell.end + around]
    return ""


def _dollars(text: str, cell: Printed) -> bool:
    return text[cell.start - 1 : cell.start] == text[cell.end : cell.end + 1] == "$"


def _is_latex(checked: Checked, finding: Finding) -> bool:
    if finding.claim.group < 0:
        at = finding.claim.printed.start
        reading = checked.reading
        spans = [(p.start, p.end) for p in reading.equalities]
        spans += [
            (m.start, m.end) for m in (*reading.named, *reading.matrices) if m.operand or m.is_named
        ]
        return any(start <= at < end for start, end in spans)
    return checked.reading.matrices[finding.claim.group].notation == "latex"


def in_style(printed: Printed, correct: str, raw: str) -> str:
    """A decimal with the sign, point, exponent and percent of the one it replaces.

    >>> from symattn.claims.judge import cell
    >>> in_style(cell("−.65"), "-0.64", "−.65"), in_style(cell("1.2e-03"), "0.0013", "1.2e-03")
    ('−.64', '1.3e-03')
    """
    value = Decimal(correct)
    if printed.percent:
        value *= 100
    if printed.exponent:
        mantissa = len(printed.plain.partition("e")[0].partition(".")[2])
        text = f"{value:.{mantissa}e}"
        head, _, power = text.partition("e")
        width = len(re.sub(r"^[+-]", "", printed.plain.partition("e")[2]))
        sign = "-" if int(power) < 0 else "+" if "e+" in printed.plain else ""
        text = f"{head}e{sign}{abs(int(power)):0{width}d}"
        if "e" not in raw.lower():
            return raw if text == printed.plain else _as_power(text, raw)
    else:
        decimals = max((printed.decimals or 0) - (2 if printed.percent else 0), 0)
        text = f"{value:.{decimals}f}"
        if raw.endswith(".") and "." not in text:
            text += "."
    digits = raw.lstrip("+-−–{} ")
    if digits.startswith(".") and text.lstrip("-").startswith("0."):
        text = text.replace("0.", ".", 1)
    if "," in raw and "." not in raw:
        text = text.replace(".", "{,}" if "{,}" in raw else ",")
    minus = next((sign for sign in "−–" if raw.startswith(sign)), "-")
    if raw.startswith("+") and not text.startswith("-"):
        text = "+" + text
    return text.replace("-", minus, 1) if text.startswith("-") else text


def _as_power(text: str, raw: str) -> str:
    r"""The same with the power of ten as it was written: ``9.8 \times 10^{-5}``."""
    head, _, power = text.partition("e")
    return re.sub(
        r"^\S+?(\s*(?:\\times|\\cdot|×|·|\*)\s*10\s*(?:\^|\*\*)\s*\{?\s*)[+-]?\d+(\s*\}?)$",
        lambda m: f"{head}{m[1]}{int(power)}{m[2]}",
        raw,
    )
