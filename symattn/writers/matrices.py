"""LaTeX of matrices, in the environments that every target renders."""

from __future__ import annotations

from symattn import notation
from symattn.graph import Array
from symattn.labels import Axes

#: amsmath's bmatrix takes ten columns unless told otherwise.
MAX_BMATRIX = 10


def decimal_latex(decimal: str) -> str:
    """A decimal as LaTeX; infinity as the sign it is."""
    return decimal.replace("oo", r"\infty")


def latex(cells: Array, axes: Axes | None = None) -> str:
    r"""A matrix of LaTeX cells; rank 0 without brackets, rank 1 as one row.

    Args:
        axes: labels for rows and columns. With any, the matrix is an ``array``
            ruled off from them, without brackets; else a ``bmatrix``.

    >>> import numpy as np
    >>> latex(np.array([["1", "a"]], dtype=object))
    '\\begin{bmatrix} 1 & a \\end{bmatrix}'
    """
    if cells.ndim == 0:
        return str(cells[()])
    if cells.ndim > 2:
        inner = [latex(part) for part in cells]
        return r"\left(" + r",\; ".join(inner) + r"\right)"
    rows = cells.reshape((1, -1)) if cells.ndim == 1 else cells
    if axes and any(axes):
        row_labels = axes[0] if cells.ndim == 2 else None
        return _labelled([list(r) for r in rows], row_labels, axes[-1])
    body = _join([list(r) for r in rows])
    if rows.shape[1] <= MAX_BMATRIX:
        return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"
    return rf"\left[\begin{{array}}{{{'c' * rows.shape[1]}}} {body} \end{{array}}\right]"


def _labelled(
    rows: list[list[str]], row_labels: tuple[str, ...] | None, columns: tuple[str, ...] | None
) -> str:
    width = len(rows[0])
    if row_labels:
        rows = [[notation.text(label), *row] for label, row in zip(row_labels, rows, strict=True)]
    head = ""
    if columns:
        cells = [notation.text(label) for label in columns]
        head = " & ".join([""] * bool(row_labels) + cells) + r" \\ \hline "
    layout = ("c|" if row_labels else "") + "c" * width
    return rf"\begin{{array}}{{{layout}}} {head}{_join(rows, tall=True)} \end{{array}}"


def _join(rows: list[list[str]], tall: bool = False) -> str:
    lines = [" & ".join(row) for row in rows]
    # Fractions need air between rows, and exact and rounded rows beside each other the
    # same. After a bare \\, a row that begins with [ would be read as a length.
    has_fractions = any(r"\frac" in line for line in lines)
    if any(r"\boxed" in line for line in lines):  # boxes below each other shall not touch
        return (r" \\[12pt] " if has_fractions else r" \\[8pt] ").join(lines)
    if tall or has_fractions or any("^" in line for line in lines):
        return r" \\[4pt] ".join(lines)
    return r" \\ ".join("{}" + line if line.startswith("[") else line for line in lines)
