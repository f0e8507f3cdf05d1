"""Lines of an equation: how wide they are set, and several of them below each other."""

from __future__ import annotations

import re

#: Characters, as `width` counts them, that fit on a line of a page.
LINE = 66

_COLLAPSE = (
    (re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}"), lambda m: max(m[1], m[2], key=len)),
    (re.compile(r"\\sqrt\{([^{}]*)\}"), lambda m: "r" + m[1]),
    (re.compile(r"[_^]\{([^{}]*)\}"), lambda m: m[1][: (len(m[1]) + 1) // 2]),
    (re.compile(r"\\(?:text|mathrm|texttt)\{([^{}]*)\}"), lambda m: m[1]),
    (re.compile(r"\{([^{}]*)\}"), lambda m: m[1]),
)
_ENVIRONMENT = re.compile(
    r"\\begin\{(bmatrix|array)\}(?:\{[^{}]*\})?((?:(?!\\begin).)*?)\\end\{\1\}", re.DOTALL
)


def width(latex: str) -> int:
    r"""Roughly how many characters wide an equation is set.

    >>> width(r"\frac{1}{25} + 3"), width(r"\begin{bmatrix} 10 & 20 \\ 1 & 2 \end{bmatrix}")
    (6, 10)
    """
    while match := _ENVIRONMENT.search(latex):
        inner = _matrix_width(match[2])
        latex = latex[: match.start()] + "m" * inner + latex[match.end() :]
    return _plain_width(latex)


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


def aligned(lines: list[str]) -> str:
    """Several lines as ``aligned``; one line bare."""
    if len(lines) > 1 and lines[0].endswith(" &"):
        lines = [f"{lines[0]}{lines[1].lstrip('&')}", *lines[2:]]
    if len(lines) == 1:
        return lines[0].replace("&= ", "= ", 1)
    # Lines of matrices need air between them; and see `matrices` on a bare break.
    body = " \\\\[6pt]\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
