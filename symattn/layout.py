"""Lines of an equation: how wide they are set, and several of them below each other."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symattn.notation import Notation

#: Characters, as `width` counts them, that fit on a line of a page.
LINE = 66

#: Characters of plain text up to which an entry is easily read.
READABLE = 100

#: Characters, about, within which an entry is written before it is known to be longer than that.
ROOM = 300

#: Characters that an entry is written out with unless more are asked for; beyond, that is said.
MAX_CHARACTERS = 20_000

_COLLAPSE = (
    (re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}"), lambda m: max(m[1], m[2], key=len)),
    (re.compile(r"\\sqrt\{([^{}]*)\}"), lambda m: "r" + m[1]),
    (re.compile(r"[_^]\{([^{}]*)\}"), lambda m: m[1][: (len(m[1]) + 1) // 2]),
    # A frame does not shrink with its letters: it is as wide as two where they are small.
    (re.compile(r"\\boxed\{([^{}]*)\}"), lambda m: f"xx{m[1]}"),
    (re.compile(r"\\(?:text|mathrm|texttt)\{([^{}]*)\}"), lambda m: m[1]),
    (re.compile(r"\{([^{}]*)\}"), lambda m: m[1]),
)
_ENVIRONMENT = re.compile(
    r"\\begin\{(bmatrix|array)\}(?:\{[^{}]*\})?((?:(?!\\begin).)*?)\\end\{\1\}", re.DOTALL
)


@lru_cache(maxsize=1024)  # an equation is measured where it could stand, again and again
def width(latex: str) -> int:
    r"""Roughly how many characters wide an equation is set.

    >>> width(r"\frac{1}{25} + 3"), width(r"\begin{bmatrix} 10 & 20 \\ 1 & 2 \end{bmatrix}")
    (6, 10)
    >>> width(r"\boxed{abc}")
    5
    """
    while match := _ENVIRONMENT.search(latex):
        inner = _matrix_width(match[2])
        latex = latex[: match.start()] + "m" * inner + latex[match.end() :]
    return _plain_width(latex)


def is_long(text: str, notation: Notation) -> bool:
    """Whether an entry takes more than a line to write."""
    if notation == "text":
        return len(text) > READABLE
    return len(text) > LINE and width(text) > LINE


def _matrix_width(body: str) -> int:
    rows = [row.split("&") for row in body.replace(r"\hline", "").split(r"\\")]
    columns = max(map(len, rows))
    widths = [max(_plain_width(row[k]) for row in rows if k < len(row)) for k in range(columns)]
    return sum(widths) + 2 * columns + 2


def _plain_width(latex: str) -> int:
    latex = latex.replace(r"\left", "").replace(r"\right", "").replace("&", "").strip()
    changed = True
    while changed:
        changed = False
        for pattern, replacement in _COLLAPSE:
            latex, count = pattern.subn(replacement, latex)
            changed = changed or count > 0
            if count:
                break
    return len(re.sub(r"\\[A-Za-z]+ ?|\\.", "x", latex))


def broken(latex: str, most: float = LINE) -> list[str]:
    r"""A sum as lines of at most so many characters each, as far as its terms allow.

    >>> broken(r"a + \frac{b + c}{2} - d \left(e + f\right) + g", 12)
    ['a + \\frac{b + c}{2}', '- d \\left(e + f\\right)', '+ g']
    """
    lines = [""]
    for term in _terms(latex):
        joined = f"{lines[-1]} {term}".lstrip()
        if lines[-1] and width(joined) > most:
            lines.append(term)
        else:
            lines[-1] = joined
    return lines


def parted(latex: str, most: float) -> list[str]:
    r"""A line that is wider as lines of at most so many characters, parted in its brackets.

    >>> parted(r"\log\left(a + \frac{b}{2} + c\right) + d", 9)
    ['\\log\\left(a + \\frac{b}{2}\\right.', '\\left.+ c\\right) + d']
    """
    start = latex.find(r"\left(")
    if start < 0 or width(latex) <= most:
        return [latex]
    start += len(r"\left(")
    depth, end = 1, start
    for match in re.finditer(r"\\left|\\right", latex[start:]):
        depth += 1 if match[0] == r"\left" else -1
        if not depth:
            end = start + match.start()
            break
    before, after = latex[:start], latex[end:]
    lines = broken(latex[start:end], most - width(before) - 2)
    if len(lines) == 1:
        return [latex]
    first, *middle = [f"{line}\\right." for line in lines[:-1]]
    return [before + first, *(rf"\left.{m}" for m in middle), rf"\left.{lines[-1]}{after}"]


def _terms(latex: str) -> list[str]:
    """The terms of a sum, each with its sign; what stands in brackets or a table is one."""
    terms, depth, start = [], 0, 0
    for match in re.finditer(r"[({\[]|[)}\]]|\\(?:begin|end)\b| [+-] ", latex):
        if match[0][0] != " ":
            depth += 1 if match[0] in ("(", "{", "[", r"\begin") else -1
        elif not depth:
            terms.append(latex[start : match.start()])
            start = match.start() + 1
    return [*terms, latex[start:]]


def aligned(lines: list[str]) -> str:
    """Several lines as ``aligned``; one line bare."""
    if len(lines) > 1 and lines[0].endswith(" &"):
        lines = [f"{lines[0]}{lines[1].lstrip('&')}", *lines[2:]]
    if len(lines) == 1:
        return re.sub(r"&(?==|\\approx)", "", lines[0], count=1)
    # Lines of matrices need air between them; and see `matrices` on a bare break.
    body = " \\\\[6pt]\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
