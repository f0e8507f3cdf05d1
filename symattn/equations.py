"""The displayed equation of a step: formula, substitution, exact value, decimals."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from symattn import notation
from symattn.layout import LINE, aligned, broken, width
from symattn.steps import Step

#: An exact matrix and its decimals stand beside each other up to this width.
SIDE_BY_SIDE = 1.1 * LINE

#: No line is wider that has a place to be broken at.
WIDEST = 1.3 * LINE

#: Matrices of an array of them stand beside each other up to this width, as their decimals do.
ARRAYS = LINE / 2


def equation(step: Step, marked: Collection[tuple[int, ...]] = ()) -> str:
    """LaTeX of a step's whole equation, as an ``aligned`` environment if it has several lines.

    Args:
        marked: entries that get a dagger.
    """
    return aligned([line for part in equation_parts(step, marked) for line in part])


def equation_parts(
    step: Step,
    marked: Collection[tuple[int, ...]] = (),
    *,
    names: bool = True,
    substituted: list[str] | None = None,
) -> tuple[list[str], list[str]]:
    """The lines of a step's equation, and those of its entries where these are too wide for it.

    Args:
        names: whether a substitution may name entries of matrices that are too wide.
        substituted: the line of the substitution, or none, in place of the step's own.
    """
    if substituted is None:
        substitutes = step.display_option("substitution") and (names or not step.substitutes_names)
        substituted = substitution_line(step, step.substitution) if substitutes else []
    if step.inside and step.name.endswith(".sum"):
        return formula_line(step), _entry_lines(step)
    if not step.shows_exact:
        return _decimals_alone(step, substituted, marked)
    exact = step.latex(labels=True, marked=marked)
    if len(step.shape) > 2 and step.given and width(exact) > ARRAYS:
        return [], _matrix_lines(step)
    if not step.shape or width(exact) > LINE:
        moved = step.names_latex()
        if moved is not None and width(moved) < WIDEST:
            return formula_line(step) + _value_lines(step, moved, marked), []
        formula = [] if step.given and step.shape else formula_line(step)
        return formula + substituted, _entry_lines(step)
    return formula_line(step) + substituted + _value_lines(step, exact, marked), []


def _decimals_alone(
    step: Step, substituted: list[str], marked: Collection[tuple[int, ...]]
) -> tuple[list[str], list[str]]:
    decimals = step.latex(step.digits, labels=True, marked=marked)
    if width(decimals) > WIDEST:
        formula = [] if step.given else formula_line(step)
        return formula + substituted, _entry_lines(step)
    return [*formula_line(step), *substituted, f"&{_sign(step)} {decimals}"], []


def _sign(step: Step) -> str:
    return "=" if step.decimals_are_exact else r"\approx"


def working(step: Step) -> str:
    """LaTeX of a step's formula and substitution, for those who show its value in their own way.

    Its symbol alone for what was given.
    """
    if step.given and not step.is_part:
        return step.symbol
    substitutes = step.display_option("substitution") and not step.substitutes_names
    substituted = substitution_line(step, step.substitution) if substitutes else []
    lines = formula_line(step) + substituted
    return step.symbol if lines == [f"{step.symbol} &"] else aligned(lines)


def with_decimals(step: Step, lines: list[str]) -> str:
    """A step's first lines, or its symbol where there are none, and its decimals as a matrix."""
    decimals = rf"\approx {step.latex(step.digits, labels=True)}"
    return aligned([*lines, f"&{decimals}"]) if lines else f"{step.symbol} {decimals}"


def formula_line(step: Step) -> list[str]:
    """The line of a step's general formula, or several of a long sum; or of its symbol alone."""
    if step.is_part:  # which part it is says its symbol
        return [f"{step.symbol} &"]
    left, _, right = (step.formula or f"{step.symbol} = ").partition(" = ")
    return _sum_lines(left, right) if right else [f"{left} &"]


def substitution_line(step: Step, found: str | None) -> list[str]:
    """The line of a formula with values put in; none where that says no more than the formula."""
    if found is None or step.formula == f"{step.symbol} = {found}" or width(found) >= WIDEST:
        return []
    sign = "=" if step.substitutes_exactly else r"\approx"
    return [f"&{sign} {found}"]


def _value_lines(step: Step, exact: str, marked: Collection[tuple[int, ...]]) -> list[str]:
    lines = [f"&= {exact}"]
    if not step.shows_decimals or (step.is_part and step.decimals_are_exact):
        return lines
    sign = _sign(step)
    decimals = step.latex(step.digits, labels=True, marked=marked)
    if width(exact) + width(decimals) < SIDE_BY_SIDE:
        return [f"&= {exact} {sign} {decimals}"]
    return [*lines, f"&{sign} {decimals}"]


def _matrix_lines(step: Step) -> list[str]:
    """A matrix a line, for arrays of matrices; of those, an entry a line where one is too wide."""
    from symattn.writers import matrices

    cells = step.written("latex")
    lines = []
    for index in np.ndindex(step.shape[:-2]):
        matrix = matrices.latex(cells[index])
        if width(matrix) > WIDEST:
            return _entry_lines(step)
        lines.append(f"{step.entry_symbol(index)} &= {matrix}")
    return lines


def definitions(named: Iterable[tuple[str, str]]) -> str:
    """LaTeX of names and what each stands for."""
    return aligned([line for name, meaning in named for line in _sum_lines(name, meaning)])


def _sum_lines(name: str, latex: str, after: str = "") -> list[str]:
    """What a name stands for, as many lines as it takes, and what stands behind it."""
    first, *more = broken(latex, max(WIDEST - width(name) - width(after), LINE / 2))
    lines = [f"{name} &= {first}", *(rf"&\quad {m}" for m in more)]
    return [*lines[:-1], lines[-1] + after]


def _entry_lines(step: Step) -> list[str]:
    """An entry a line, for what is too wide for a matrix."""
    lines = []
    for entry in step.entries():
        about = entry.about if step.shows_decimals else ""
        words = [label for label in entry.shown_labels if label]
        label = rf" \qquad {notation.text(', '.join(words))}" if words else ""
        name = step.entry_symbol(entry.index)
        if about and not step.shows_exact:
            lines.append(f"{name} &{about}{label}")
        else:
            value = step.written_at(entry.index, "latex")
            lines += _sum_lines(name, value, (about and f" {about}") + label)
    return lines if step.shape else [f"&{lines[0].partition('&')[2]}", *lines[1:]]
