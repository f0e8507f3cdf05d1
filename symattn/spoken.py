"""Equations and entries in plain English words, for readers who hear them.

A tree of MathML is said from left to right: ``A equals softmax of Z masked``. What could be taken
for more or less than it is gets an end: ``the fraction a plus 1 over b, end fraction``. A matrix is
said by its labels where it has any.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from symattn import mathml, notation
from symattn.errors import SymattnError
from symattn.mathml_parts import (
    LETTERS,
    are_simple,
    closing,
    end_of_text,
    is_aligned,
    is_atom,
    is_box,
    is_cases,
    is_function,
    is_matrix,
    is_operand,
    is_simple,
    is_text,
    letters,
    opened,
    opened_once,
    sign,
    text_of,
)
from symattn.spoken_names import ACCENTS, MARKS, NAMES, decimal_words, label, ordinal, token

if TYPE_CHECKING:
    from symattn.entries import Entry
    from symattn.steps import Step

#: Cells of a matrix that are said; of a longer one its first and its last row.
CELLS = 100

#: Entries of a row that are said; of a longer one so many at each end.
IN_ROW = 16
ENDS = 3


def equation(latex: str) -> str:
    r"""An equation in words.

    Raises:
        MathError: it does not parse.
        SpokenError: it has a part that is not known.

    >>> equation(r"A = \mathrm{softmax}(Z_{\mathrm{masked}})")
    'A equals softmax of Z masked'
    >>> equation(r"S = Q K^\top, \qquad x = \frac{13 \sqrt{2}}{25}")
    'S equals Q K transpose, x equals 13 root 2 over 25'
    """
    return words(mathml.tree(latex))


def words(tree: Element) -> str:
    """A tree of MathML in words; one that shows nothing is said to be empty."""
    return _tidy(_said([tree])) or "nothing"


def entry_words(entry: Entry, step: str = "") -> str:
    """An entry in words: its step, where it is, and its certified decimal.

    Args:
        step: the step's words, where they are known already.

    >>> import symattn as sa
    >>> d = sa.article()
    >>> entry_words(d["A"][2, 0]), entry_words(d["M"][0, 1])
    ('A, row mouse, column cat: 0.40', 'M, row cat, column chases: minus infinity')
    """
    rank = len(entry.index)
    axes = (*("block",) * (rank - 2), "row", "column") if rank > 1 else ("entry",) * rank
    parts = [step or step_words(entry.step)]
    for axis, name, at in zip(axes, entry.labels, entry.index, strict=True):
        parts.append(f"{ordinal(at)} {axis}" if name is None else f"{axis} {label(name)}")
    return f"{', '.join(parts)}: {value_words(entry)}"


def step_words(step: Step) -> str:
    """A step's name in words, and the scopes that tell it from others of that name.

    >>> import symattn as sa
    >>> d = sa.article()
    >>> step_words(d["Z_masked"]), step_words(d["A.sum"])
    ('Z masked', 'ell')
    """
    if step.inside or step.primal or "." not in step.short:
        return equation(step.symbol)
    *scopes, _ = step.short.split(".")
    said = [re.sub(r"\[(\d+)\]", r" \1", scope).replace("_", " ") for scope in scopes]
    return f"{equation(notation.symbol(step.name))} of {', '.join(said)}"


def value_words(entry: Entry) -> str:
    """An entry's certified decimal in words; integers and what has symbols are exact."""
    if entry.has_symbols:
        return equation(entry.latex())
    if not entry.step.wants_decimals:
        return decimal_words(entry.text())
    shown = entry.step.displayed_at(entry.index, "text")
    return decimal_words(shown[1:-1] if entry.step.is_highlighted(entry.index) else shown)


class SpokenError(SymattnError):
    """MathML that there are no words for; the message names the element."""


# Sequences: what stands beside each other.


def _said(parts: Sequence[Element]) -> str:
    """Elements beside each other; groups that only hold something are opened."""
    flat = list(opened(parts))
    out: list[str] = []
    i = 0
    while i < len(flat):
        end, said = _run(flat, i)
        out.append(said)
        i = end
    return " ".join(out)


def _run(flat: list[Element], i: int) -> tuple[int, str]:
    """What is said of the element at a place, with those after it that belong to it."""
    part = flat[i]
    if (after := end_of_text(flat, i)) > i:
        if not (text := "".join(map(letters, flat[i:after]))).strip():
            return after, ""  # a space that a backslash sets
        alone = after == i + 1 and not is_text(part)
        return after, _one(part) if alone else label(text)
    shown = sign(part)
    if shown == "." and [sign(p) for p in flat[i : i + 3]] == ["."] * 3:
        return i + 3, "and so on"
    if shown == "[" and i and is_operand(flat[i - 1]):
        end = closing(flat, i)
        if end is not None:
            return end + 1, f"at {_index(flat[i + 1 : end])}"
    if shown in ("(", "\u2061"):
        return _argument(flat, i)
    if shown == "/":
        return i + 1, "over" if are_simple(flat) else "divided by"
    if shown == "×":
        is_shape = 0 < i < len(flat) - 1 and flat[i - 1].tag == flat[i + 1].tag == "mn"
        return i + 1, "by" if is_shape else "times"
    return i + 1, _one(part)


def _argument(flat: list[Element], i: int) -> tuple[int, str]:
    """What stands in parentheses, after a function's name or alone."""
    called = i > 0 and is_function(flat[i - 1])
    if sign(flat[i]) == "\u2061":  # the sign for "of"
        i, called = i + 1, True
        if i == len(flat) or sign(flat[i]) != "(":
            return i, "of"
    end = closing(flat, i)
    of = "of" if called else ""
    if end is None:
        return i + 1, f"{of} open parenthesis"
    inner = flat[i + 1 : end]
    said = _said(inner)
    if len(inner) == 1 and (called or is_matrix(inner[0])):
        return end + 1, f"{of} {said}"
    return end + 1, f"{of} open parenthesis {said} close parenthesis"


def _index(parts: list[Element]) -> str:
    """The places in brackets; a colon alone is all of an axis, one between two is a range."""
    if parts and sign(parts[0]) == "[" and closing(parts, 0) == len(parts) - 1:
        return f"the list {_index(parts[1:-1])}, end list"
    groups: list[list[Element]] = [[]]
    for part in parts:
        if sign(part) == ",":
            groups.append([])
        else:
            groups[-1].append(part)
    return ", ".join(map(_place, groups))


def _place(parts: list[Element]) -> str:
    colons = [i for i, p in enumerate(parts) if sign(p) == ":"]
    if not colons:
        return _said(parts)
    start, stop = _said(parts[: colons[0]]), _said(parts[colons[0] + 1 :])
    if not start and not stop:
        return "all"
    return " ".join(filter(None, [start and f"from {start}", stop and f"up to {stop}"]))


# Single elements.


def _one(part: Element) -> str:
    children = list(part)
    match part.tag:
        case "mn":
            return text_of(part).replace(",", ".")  # these are English words
        case "mi" | "mo":
            return token(text_of(part))
        case "mtext":
            return label(letters(part))
        case "mspace":
            return ","
        case "mfrac":
            return _fraction(*children)
        case "msqrt":
            return _root(children)
        case "mroot":
            return f"the {_degree(children[1])} root of {_said(children[:1])}, end root"
        case "msub":
            return f"{_said(children[:1])} {_below(children[1])}"
        case "msup":
            return f"{_said(children[:1])} {_above(children[0], children[1])}"
        case "msubsup":
            base, sub, sup = children
            return f"{_said([base])} {_below(sub)} {_above(base, sup)}"
        case "munder":
            return _under(*children)
        case "mover":
            return f"{_said(children[:1])} {_accent(children[1])}"
        case "munderover":
            base, sub, sup = children
            return f"{_said([base])} from {_said([sub])} to {_said([sup])} of"
        case "menclose":
            return _enclosed(part)
        case "mtable":
            return _table(part)
        case "mrow" if is_cases(part):
            return _cases(part)
        case "mrow" if is_matrix(part):
            return _table(next(p for p in opened_once(part) if p.tag == "mtable"))
        case "mphantom":
            return ""
        case "mrow" | "math" | "mstyle" | "mpadded":
            return _said(children)
    raise SpokenError(f"wanted MathML that can be said, got <{part.tag}>")


def _enclosed(part: Element) -> str:
    inside = _tidy(_said(list(part)))
    if is_box(part):
        return f"{inside} boxed" if inside else "an empty box"
    return f"{inside} crossed out"


def _fraction(above: Element, below: Element) -> str:
    over, under = _said([above]), _said([below])
    if is_simple(above) and is_simple(below):
        return f"{over} over {under}"
    return f"the fraction {over}, over {under}, end fraction"


def _root(parts: list[Element]) -> str:
    inner = list(opened(parts))
    said = _said(inner)
    return f"root {said}" if len(inner) == 1 and is_atom(inner[0]) else f"root of {said}, end root"


def _degree(index: Element) -> str:
    """The degree of a root."""
    said = _said([index])
    return {"3": "cube"}.get(said) or (f"{said}th" if said.isdigit() else f"{said}-th")


def _below(sub: Element) -> str:
    said = _said([sub])
    is_word = all(p.tag in ("mi", "mtext") for p in opened([sub])) and len(said) > 1
    return said if is_word and said not in NAMES.values() else f"sub {said}"


def _above(base: Element, sup: Element) -> str:
    inner = list(opened([sup]))
    marks = [MARKS.get(sign(p) or text_of(p)) for p in inner]
    if inner and all(marks):
        return " ".join(filter(None, marks))
    said = _said([sup])
    if _is_mark(base, inner):
        return f"superscript {re.sub('(open|close) parenthesis', '', said)}"
    if said == "2":
        return "squared"
    is_simple = are_simple(inner)
    return f"to the power {said}" if is_simple else f"to the power {said}, end power"


def _is_mark(base: Element, inner: list[Element]) -> bool:
    """Whether a superscript tells things of one name apart: a scope in parentheses, a row sum's."""
    if len(inner) > 2 and sign(inner[0]) == "(" and sign(inner[-1]) == ")":
        return all(p.tag in ("mn", "mi", "mtext") or sign(p) == "," for p in inner[1:-1])
    return text_of(base) == "ℓ"


def _under(base: Element, sub: Element) -> str:
    if (accent := sign(sub)) in ACCENTS:
        return f"{_said([base])} {ACCENTS[accent]}"
    if base.tag == "munder":  # a brace and what stands below it
        return f"{_said([base])} as {_said([sub])}"
    return f"{_said([base])} over {_said([sub])} of"


def _accent(part: Element) -> str:
    accent = (sign(part) or "").replace("\u0332", "\u0305")  # math-core's bar above
    return ACCENTS[accent or ""] if accent in ACCENTS else f"with {_said([part])} above"


# Tables.


def _table(table: Element) -> str:
    rows = [list(row) for row in table]
    if is_aligned(table):
        return ";\n".join(filter(None, (_tidy(_said(row)) for row in rows)))
    columns: list[str] = []
    labels: list[str] = []
    if any("border-top" in cell.get("style", "") for row in rows[1:] for cell in row):
        columns, rows = [_cell_label(cell) for cell in rows[0]], rows[1:]
    if rows and len(rows[0]) > 1 and "border-right" in rows[0][0].get("style", ""):
        labels, rows = [_cell_label(row[0]) for row in rows], [row[1:] for row in rows]
        columns = columns[1:]
    return _matrix(rows, labels, columns)


def _matrix(rows: list[list[Element]], labels: list[str], columns: list[str]) -> str:
    width = max(map(len, rows), default=0)
    named = [f"rows {', '.join(labels)}"] if labels else []
    named += [f"columns {', '.join(columns)}"] if columns else []
    size = f"{_counted(len(rows), 'row')} and {_counted(width, 'column')}"
    whole = f"the matrix with {' and '.join(named) if named else size}:"
    if len(rows) == 1 and not labels:
        return f"the row{' with ' if named else ''}{''.join(named)}: {_cells(rows[0])}; end row"
    if width == 1 and not columns and not labels:
        return f"the column: {_cells([row[0] for row in rows])}; end column"
    said = [f"row {labels[i]}" if labels else f"{ordinal(i)} row" for i in range(len(rows))]
    lines = [f"{name}: {_cells(row)}" for name, row in zip(said, rows, strict=True)]
    if len(rows) * width > CELLS and len(rows) > 2:
        lines = [lines[0], f"and {_counted(len(rows) - 2, 'row')} that are not said", lines[-1]]
    return f"{whole} {'; '.join(lines)}; end matrix"


def _cells(cells: list[Element]) -> str:
    said = [_tidy(_said([cell])) or "blank" for cell in cells]
    if len(said) > IN_ROW:
        said = [*said[:ENDS], f"{len(said) - 2 * ENDS} more", *said[-ENDS:]]
    return ", ".join(said)


def _cell_label(cell: Element) -> str:
    parts = list(opened([cell]))
    if all(is_text(p) or (sign(p) or "") in LETTERS for p in parts):
        return label("".join(map(letters, parts)))
    return _tidy(_said(parts))


def _cases(part: Element) -> str:
    table = next(p for p in part if p.tag == "mtable")
    rows = [", ".join(filter(None, (_tidy(_said([cell])) for cell in row))) for row in table]
    return f"by cases: {'; '.join(rows)}; end cases"


def _counted(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def _tidy(said: str) -> str:
    """Spaces and commas as a sentence has them."""
    said = re.sub(r"[ \t]+", " ", said)
    said = re.sub(r" ?(?:,[ ]?)+(?=[,;\n])", "", said)
    said = re.sub(r" +([,;:])", r"\1", said)
    said = re.sub(r",(?: ?,)+", ",", said)
    return re.sub(r"[ ,;]+$", "", said.strip()).lstrip(", ")
