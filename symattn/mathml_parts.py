"""What an element of MathML is, as mathematics has it: an operator, a token's text, a matrix."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

#: Elements that hold nothing but what is in them.
GROUPS = {"mrow", "math", "mpadded", "mstyle", "mtd", "semantics", "merror"}

#: Signs that a token's text is made of where text has none of its own, and what they stand for.
LETTERS = {"<": "<", ">": ">", "|": "|", "∧": "^", "∼": "~", "\\": "\\"}


def opened(parts: Iterable[Element], *, spaces: bool = False) -> Iterable[Element]:
    """Elements without the groups around them; matrices, cases and coloured parts stay whole.

    Args:
        spaces: with thin spaces, too; else only those that part things, a quad or more.
    """
    for part in parts:
        is_whole = is_matrix(part) or is_cases(part) or colour(part)
        if part.tag in GROUPS and not is_whole:
            yield from opened(part, spaces=spaces)
        elif part.tag != "mspace" or spaces or is_gap(part):
            yield part


def sign(part: Element) -> str | None:
    """The sign of an operator, or None."""
    return "".join(part.itertext()) if part.tag == "mo" else None


def text_of(part: Element) -> str:
    """All text in it."""
    return "".join(part.itertext())


def is_text(part: Element) -> bool:
    """Whether it is words."""
    return part.tag == "mtext"


def is_sign_of_text(part: Element) -> bool:
    """Whether a sign belongs to a token's text: no spaces are set around it."""
    shown = sign(part)
    has_no_space = part.get("lspace") == part.get("rspace") == "0"
    return shown in LETTERS and (shown == "\\" or has_no_space)


def end_of_text(parts: Sequence[Element], i: int) -> int:
    """Where a token's text ends that begins at a place; the place itself where none begins."""
    while i < len(parts) and (is_text(parts[i]) or is_sign_of_text(parts[i])):
        i += 1
    return i


def ruled(rows: Sequence[Sequence[Element]]) -> tuple[bool, bool]:
    """Whether a table has a row of labels above it, and a column of them before it."""
    head = any("border-top" in cell.get("style", "") for row in rows[1:2] for cell in row)
    side = any("border-right" in row[0].get("style", "") for row in rows if len(row) > 1)
    return head, side


def letters(part: Element) -> str:
    """A token's text, or a sign in it as the token has it."""
    text = "".join(part.itertext())
    return LETTERS.get(text, text) if part.tag == "mo" else text.replace("\xa0", " ")


def colour(part: Element) -> str | None:
    """The colour that a group is set in, as ``#rrggbb``, or None."""
    match = re.search(r"(?:^|;)\s*color:\s*(#[0-9A-Fa-f]{6})\b", part.get("style", ""))
    return match[1] if match else None


def is_gap(part: Element) -> bool:
    """Whether a space parts what stands beside it: a quad or two."""
    match = re.fullmatch(r"([\d.]+)em", part.get("width", ""))
    return match is not None and float(match[1]) >= 1


def is_operand(part: Element) -> bool:
    """Whether brackets after it are the place of an entry."""
    if part.tag in ("mi", "msub", "msup", "msubsup", "mover", "munder", "mtable"):
        return True
    return is_matrix(part) or sign(part) in (")", "]")


def is_function(part: Element) -> bool:
    """Whether parentheses after it hold arguments: names of several letters."""
    name = text_of(part)
    if part.tag in ("msub", "msup", "msubsup", "munder"):
        return is_function(part[0])
    if part.tag in GROUPS:
        inner = list(opened(part))  # of a matrix, its brackets: opened with it, it would stay whole
        return len(inner) == 1 and is_function(inner[0])
    return part.tag in ("mi", "mo") and len(name) > 1 and name[0].isalpha()


def is_atom(part: Element) -> bool:
    """Whether it is a number or a name."""
    return part.tag in ("mn", "mi") or (part.tag == "msub" and is_atom(part[0]))


def is_simple(part: Element) -> bool:
    """Whether it is one thing to say: a number, a name, a root of one, a product of two of them."""
    return are_factors(list(opened([part])))


def are_simple(parts: Sequence[Element]) -> bool:
    """The same of a sequence, or two of them with a slash between."""
    for i, part in enumerate(parts):
        if sign(part) == "/":
            return are_factors(parts[:i]) and are_factors(parts[i + 1 :])
    return are_factors(parts)


def are_factors(parts: Sequence[Element]) -> bool:
    """Whether it is one or two numbers, names or roots of them, with a sign at most."""
    inner = parts[1:] if parts and sign(parts[0]) == "−" else parts
    kinds = [is_atom(p) or (p.tag == "msqrt" and is_simple_root(p)) for p in inner]
    return 1 <= len(inner) <= 2 and all(kinds)


def is_simple_root(part: Element) -> bool:
    """Whether it is the root of a number or a name."""
    inner = list(opened(part))
    return len(inner) == 1 and is_atom(inner[0])


def opened_once(part: Element) -> Iterable[Element]:
    """What is in a group, without spaces."""
    return (p for p in part if p.tag != "mspace")


def is_matrix(part: Element) -> bool:
    """Whether a group is a table in brackets."""
    if part.tag != "mrow":
        return False
    inner = list(opened_once(part))
    return len(inner) == 3 and inner[1].tag == "mtable" and sign(inner[0]) in ("[", "(")


def is_cases(part: Element) -> bool:
    """Whether a group is a table behind a brace."""
    return part.tag == "mrow" and len(part) > 1 and sign(part[0]) == "{" and part[1].tag == "mtable"


def is_aligned(table: Element) -> bool:
    """Whether a table is lines of an equation, and no matrix."""
    return table.get("displaystyle") == "true"


def is_box(part: Element) -> bool:
    """Whether something is framed, and not crossed out."""
    return part.get("notation", "box") in ("box", "roundedbox")


def closing(flat: Sequence[Element], i: int) -> int | None:
    """Where the bracket at a place is closed."""
    pairs = {"(": ")", "[": "]"}
    opening = sign(flat[i]) or ""
    depth = 0
    for at in range(i, len(flat)):
        shown = sign(flat[at])
        depth += (shown == opening) - (shown == pairs[opening])
        if not depth:
            return at
    return None
