"""MathML as typst's mathematics, as a person would write it.

What is text is a string, and every sign that typst reads as markup is escaped, so that nothing in
an equation is run. Words of tokens are ``tok("…")``, coloured parts ``coloured(#"…", …)``, frames
``framed(…)``, boxes to write in ``roomy(…)``: `symattn/writers/style.typ` has these and the looks
of everything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from symattn import mathml
from symattn.errors import SymattnError
from symattn.mathml_parts import (
    colour,
    end_of_text,
    is_box,
    is_cases,
    is_gap,
    is_matrix,
    is_text,
    letters,
    opened,
    opened_once,
    ruled,
    sign,
    text_of,
)
from symattn.typst_names import (
    ACCENTS,
    COMMA,
    OPERATORS,
    PAIRS,
    SPACED,
    name,
    operator,
    space,
    string,
    token,
)


class TypesetError(SymattnError):
    """MathML that typst's mathematics has nothing for; the message names the element."""


def from_latex(latex: str, *, displayed: bool = True) -> str:
    r"""LaTeX of a page as typst's mathematics, without the dollar signs.

    Raises:
        MathError: it does not parse.
        TypesetError: it has a part that is not known.

    >>> from_latex(r"A = \mathrm{softmax}(Z_{\mathrm{masked}})")
    'A = "softmax"(Z_"masked")'
    >>> from_latex(r"\begin{bmatrix} 1 & \frac{\sqrt{2}}{5} \\ 0 & A[0,1] \end{bmatrix}^\top")
    'mat(1, frac(sqrt(2), 5); 0, A[0\\, 1])^⊤'
    """
    return from_tree(mathml.tree(latex, displayed=displayed))


def from_tree(tree: Element) -> str:
    """A tree of MathML as typst's mathematics, without the dollar signs."""
    inner = list(opened([tree]))
    if len(inner) == 1 and inner[0].tag == "mtable" and inner[0].get("displaystyle") == "true":
        lines = [_line(list(row)) for row in inner[0]]
        return " \\\n".join(lines).replace(COMMA, ",")
    return _row(list(opened([tree], spaces=True))).replace(COMMA, ",")


def _line(cells: list[Element]) -> str:
    return " & ".join(_row(list(opened([cell], spaces=True))) for cell in cells).strip()


def _row(parts: Sequence[Element]) -> str:
    """Elements beside each other. A space beside a string would be set, so there is none."""
    out = last = ""
    for item in _items(parts):
        is_index = item[0] == "[" and re.fullmatch(r"\w|\)|\]", last)
        glued = (
            not out
            or last in ("(", "[")
            or item[0] in f")],{COMMA}"
            or (_is_string(last) and item not in {*SPACED, "−"})
            or (_is_string(item) and last not in SPACED)
            or is_index
        )
        if item.startswith("mat(delim: #none") and out:
            item = f"gap {item}"  # labels have no bracket that keeps a distance
        out += item if glued else f" {item}"
        last = item
    return out


def _is_string(item: str) -> bool:
    return item[0] == item[-1] == '"'


def _items(parts: Sequence[Element]) -> list[str]:
    unpaired = _unpaired(parts)
    items: list[str] = []
    i = 0
    while i < len(parts):
        part = parts[i]
        if (end := end_of_text(parts, i)) > i:
            text = "".join(map(letters, parts[i:end]))
            after_gap = i > 0 and parts[i - 1].tag == "mspace" and is_gap(parts[i - 1])
            if end > i + 1 or is_text(part):
                items.append(token(text) if after_gap else string(text))
            else:
                items.append(token(text) if after_gap else operator(sign(part) or "", False))
            i = end
            continue
        if [sign(p) for p in parts[i : i + 3]] == ["."] * 3:
            items.append("dots.h")
            i += 3
            continue
        made = operator(sign(part) or "", i in unpaired) if part.tag == "mo" else _one(part)
        if made:
            items.append(made)
        i += 1
    return items


def _unpaired(parts: Sequence[Element]) -> set[int]:
    """Places of brackets that nothing closes or opens: typst would look for the other."""
    open_at: list[int] = []
    alone: set[int] = set()
    for i, part in enumerate(parts):
        shown = sign(part) or ""
        if shown in PAIRS:
            open_at.append(i)
        elif shown in PAIRS.values():
            if open_at and PAIRS[sign(parts[open_at[-1]]) or ""] == shown:
                open_at.pop()
            else:
                alone.add(i)
    return alone | set(open_at)


def _one(part: Element) -> str:
    children = list(part)
    match part.tag:
        case "mi":
            return name(part)
        case "mn":
            text = text_of(part)
            return text if re.fullmatch(r"\d+(\.\d+)?", text) else string(text)
        case "mspace":
            return space(part)
        case "mfrac":
            return _fraction(children[0], children[1])
        case "msqrt":
            return f"sqrt({_argument(children)})"
        case "mroot":
            return f"root({_argument(children[1:])}, {_argument(children[:1])})"
        case "msub":
            return _scripts(children[0], children[1], None)
        case "msup":
            return _scripts(children[0], None, children[1])
        case "msubsup" | "munderover":
            return _scripts(children[0], children[1], children[2])
        case "munder":
            return _under(children[0], children[1])
        case "mover":
            return _over(children[0], children[1])
        case "menclose" if is_box(part) and [c.tag for c in children] == ["mphantom"]:
            return f"roomy({_argument(list(children[0]))})"
        case "menclose":
            return f"{_enclosure(part)}({_argument(children)})"
        case "mphantom":
            return f"hidden({_argument(children)})"
        case "mtable":
            return _matrix(part, "none")
        case "mrow" if is_cases(part):
            return _cases(part)
        case "mrow" if is_matrix(part):
            left, table, _ = opened_once(part)
            return _matrix(table, sign(left) or "none")
        case "mtext":
            return string(letters(part))
        case "mrow" | "mstyle" if colour(part):
            return f'coloured(#"{colour(part)}", {_argument(children)})'
        case "mrow" | "mstyle" | "mpadded":
            return _row(list(opened(children, spaces=True)))
    raise TypesetError(f"wanted MathML that typst has, got <{part.tag}>")


def _argument(parts: Sequence[Element]) -> str:
    """What stands in a call, where a comma would begin the next argument."""
    return _row(list(opened(parts, spaces=True))).replace(COMMA, r"\,").replace(";", r"\;")


def _fraction(above: Element, below: Element) -> str:
    over, under = _argument([above]), _argument([below])
    if all(re.fullmatch(r"\w|\d+", side) for side in (over, under)):
        return f"{over}/{under}"
    return f"frac({over}, {under})"


def _scripts(base: Element, sub: Element | None, sup: Element | None) -> str:
    """A base with what stands below and above it; of two superscripts one is made."""
    above: list[Element] = list(opened([sup])) if sup is not None else []
    below: list[Element] = list(opened([sub])) if sub is not None else []
    inner = list(opened([base]))
    while len(inner) == 1 and inner[0].tag in ("msup", "msubsup", "msub"):
        first = list(inner[0])
        has_above, has_below = inner[0].tag != "msub", inner[0].tag != "msup"
        if has_below and below:
            break
        if has_above:
            above = [*opened([first[-1]]), *above]
        if has_below:
            below = list(opened([first[1]]))
        inner = list(opened([first[0]]))
    said = _row(inner) or '""'
    said = re.sub(r"(\w+)/(\w+)$", r"frac(\1, \2)", said)  # else it would stand at the divisor
    primes = 0
    while above and sign(above[0]) == "′":
        primes, above = primes + 1, above[1:]
    said += "'" * primes
    if below:
        said += f"_{_script(below)}"
    if above:
        said += f"^{_script(above)}"
    return said


def _script(parts: Sequence[Element]) -> str:
    made = _row(parts)
    if re.fullmatch(r'[^\W\d_]|\d+|"(?:[^"\\]|\\.)*"|[^\x00-\x7f]', made):
        return made
    return f"({made})"


def _under(base: Element, sub: Element) -> str:
    accent = ACCENTS.get(sign(sub) or "")
    if accent:
        return f"{accent}({_argument([base])})"
    if base.tag == "munder" and ACCENTS.get(sign(base[1]) or "") == "underbrace":
        return f"underbrace({_argument([base[0]])}, {_argument([sub])})"
    return f"{_limits(base)}_{_script(list(opened([sub])))}"


def _over(base: Element, sup: Element) -> str:
    accent = ACCENTS.get((sign(sup) or "").replace("\u0332", "\u0305"))  # math-core's bar above
    if accent:
        return f"{accent}({_argument([base])})"
    return f"{_limits(base)}^{_script(list(opened([sup])))}"


def _limits(base: Element) -> str:
    made = _row(list(opened([base])))
    return made if made in OPERATORS or made in "∑∏" else f"limits({_argument([base])})"


def _enclosure(part: Element) -> str:
    notation = part.get("notation", "box")
    known = {"box": "framed", "roundedbox": "framed", "updiagonalstrike": "cancel"}
    if notation not in known:
        raise TypesetError(f"wanted a frame that typst has, got <menclose notation={notation!r}>")
    return known[notation]


def _matrix(table: Element, left: str) -> str:
    """A matrix in brackets; one with labels is ruled off from them."""
    rows = [list(row) for row in table]
    has_head, has_side = ruled(rows)
    lines = [
        ", ".join(
            _label(cell) if (has_head and i == 0) or (has_side and j == 0) else _argument([cell])
            for j, cell in enumerate(row)
        )
        for i, row in enumerate(rows)
    ]
    options = "" if left == "[" else f"delim: {'#none' if left == 'none' else string(left)}, "
    if has_head or has_side:
        rules = ["hline: 1"] * has_head + ["vline: 1"] * has_side
        options += f"augment: #rules({', '.join(rules)}), "
    return f"mat({options}{'; '.join(lines)})"


def _label(cell: Element) -> str:
    parts = list(opened([cell]))
    if parts and end_of_text(parts, 0) == len(parts):
        return token("".join(map(letters, parts)))
    return _argument([cell])


def _cases(part: Element) -> str:
    rows = [" &quad ".join(_argument([cell]) for cell in row) for row in part[1]]
    return f"cases({', '.join(rows)})"
