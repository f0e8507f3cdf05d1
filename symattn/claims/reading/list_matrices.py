"""Which lists of numbers are printed matrices, and by what name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symattn.claims.reading.cells import Printed
from symattn.claims.reading.lists import NumberList, lists
from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.matrix import PrintedMatrix, context_of
from symattn.claims.reading.regions import Region, Segment
from symattn.claims.reading.scan import Span
from symattn.claims.reading.words import step_named

LOOK_BACK = 400

_MAKER = re.compile(
    r"(?:[A-Za-z_][\w.]{0,40}\.)?(?:array|asarray|tensor|as_tensor|Tensor|FloatTensor|DoubleTensor"
    r"|matrix|Matrix|constant|Array|float32|float64|mat|data\s?=|Parameter)\s?\(?\s{0,20}$"
)
_EQUALS = re.compile(r"(?<![=!<>+*/:-])(?::?=|≈|:)\s*$")
_PROMPT = re.compile(r"^\s*(?:[>.]{3}|(?:In|Out)\s*\[\d*\]:)\s?")
_ANNOTATION = re.compile(r"^([A-Za-z_][\w.]*)\s*:\s*[A-Za-z_][\w.\[\], ]*$")
_STATEMENT = re.compile(r"^\s*(?:print|display|pprint|repr)\s*\((.*)\)\s*;?$")
_KEYWORD = re.compile(
    r"^(?:import|from|def|class|for|while|if|elif|else|return|with|try|except|assert|raise|plt\.)\b"
)
_COMMENT = re.compile(r"\s+#.*$")
_CLOSES_LINE = re.compile(r"[ \t\r`$*_.;,)]{0,40}(?:\n|\Z)")
_SHOWN = re.compile(r"^(?:\w{1,20}\.)?(?:Matrix|DataFrame|array|Array)\(([^()]*?)(?:,[^()]*)?\)$")
_OUTPUT = re.compile(r"(?:(?:tensor|array)\()?(?:[-+\d\s.,\[\]()e]|inf|nan){1,2000}")
_ARGUMENT = re.compile(r"(?<![\w\])}])\[[^\[\]]{0,100}\]")
_LAST_WORD = re.compile(r"[ \t)\],]*#[ \t]*([^\W\d_][\w'’-]*)")
_AFTER = re.compile(
    r"(?:\s*,\s*(?:dtype|device|requires_grad|grad_fn)\s?=[^\n)]{0,60})*\)*"
    r"[ \t]*(\.T\b|\.t\(|\.transpose|\.softmax|@|[*/+-](?!\s*\n))"
)


def list_matrices(region: Region, segment: Segment, before: str) -> Iterator[PrintedMatrix]:
    """The matrices written as lists in a stretch of prose or code.

    Args:
        region: the text.
        segment: the stretch.
        before: the code that may have printed it.
    """
    is_code = segment.kind == "code"
    text = region.lists
    found = [
        (item, label, alone)
        for item in lists(region.view, text, segment.start, segment.end)
        if is_code or item.depth > 1 or _CLOSES_LINE.match(text, item.end)
        for label, alone in [_label(text, segment.start, item.start, is_code)]
        if _is_printed(text, segment.end, item, label, alone, is_code)
    ]
    unnamed = [item for item, label, alone in found if not label and alone]
    names = printed_names(before, len(unnamed)) if is_code else []
    for item, label, alone in found:
        if not label and alone and names:
            label = names.pop(0)
        after = _AFTER.match(text, item.end, min(segment.end, item.end + 200))
        is_operand = bool(after) or not (label or alone)
        line = text[text.rfind("\n", segment.start, item.start) + 1 : item.start]
        expression = f"{line.strip()[-200:]}□{after[0] if after else ''}" if is_operand else ""
        outer = region.view.span(*(segment.outer if is_code else (item.start, item.end)))
        labels = (label,) if label and not is_operand else ()
        if word := _LAST_WORD.match(text, item.end, min(segment.end, item.end + 200)):
            item.words.append(word[1])
        yield from matrices_of(region.view, item, outer, labels, expression)


def matrices_of(
    view: Mapped, item: NumberList, outer: Span, labels: tuple[str, ...], expression: str
) -> Iterator[PrintedMatrix]:
    """The matrix that a list is, or the matrices that lists of three and more levels are."""
    start, end = view.span(item.start, item.end)
    depth = item.depth
    for index, part in _parts(item, depth, ()):
        grid = [[p for p in part.items if isinstance(p, Printed)]] if depth == 1 else [
            [c for c in row.items if isinstance(c, Printed)]
            for row in part.items if isinstance(row, NumberList)
        ]  # fmt: skip
        if not item.elided and len({len(row) for row in grid}) != 1:
            continue
        words = part.words if len(part.words) == len(grid) and depth > 1 else []
        yield PrintedMatrix(
            tuple(tuple(row) for row in grid), depth,
            *(view.span(part.start, part.end) if index else (start, end)),
            outer, "list", labels, operand=bool(expression),
            expression=expression, slice=index, row_labels=tuple(words), elided=item.elided,
            context=context_of(view, item.start),
        )  # fmt: skip


def _parts(
    item: NumberList, depth: int, index: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], NumberList]]:
    if depth <= 2:
        yield index, item
        return
    for i, part in enumerate(item.items):
        if isinstance(part, NumberList):
            yield from _parts(part, depth - 1, (*index, i))


def _label(text: str, low: int, start: int, is_code: bool) -> tuple[str, bool]:
    """What stands before a list as its name, and whether the list stands by itself."""
    before = text[max(low, start - LOOK_BACK) : start].replace("&gt;", ">")
    for _ in range(4):
        shorter = _MAKER.sub("", before.rstrip(" \t"))
        if shorter == before.rstrip(" \t"):
            stripped = before.rstrip().removesuffix("(")
            if _MAKER.search(stripped) is None or stripped == before:
                break
            shorter = stripped
        before = shorter
    line = before.rpartition("\n")[2]
    bare = _PROMPT.sub("", line).strip(" \t`$*_>-")
    equals = _EQUALS.search(line)
    if equals:
        name = _PROMPT.sub("", line[: equals.start()]).rpartition(";")[2].strip(" \t`$*_>-")
        if annotated := _ANNOTATION.match(name):
            name = annotated[1]
        if name:
            return _ARGUMENT.sub("□", name), True
        return _line_before(before), True
    if bare:
        # print("Q", Q) puts a name before the list and no sign between the two.
        return (bare, True) if is_code and step_named(bare) else ("", False)
    return _line_before(before), True


def _line_before(before: str) -> str:
    """The prompt or the label on the line before a print, if there is one."""
    lines = [line for line in before.split("\n")[:-1] if line.strip()]
    while lines and re.fullmatch(r"\s*Out\s?\[\d*\]:\s*", lines[-1]):
        lines.pop()
    if not lines or _FENCE_LINE.match(lines[-1]):
        return ""
    line = lines[-1]
    has_prompt = _PROMPT.match(line) is not None
    said = _name_in(_PROMPT.sub("", line))
    if has_prompt or _STATEMENT.match(line):
        return said
    stripped = line.strip()
    if stripped.endswith((":", "=")):
        return stripped.rstrip(":= \t").strip("*_`# ")
    return said if stripped.startswith("#") or re.fullmatch(r"[A-Za-z_][\w.]*", stripped) else ""


_FENCE_LINE = re.compile(r"[ \t>]*(?:```|~~~)")


#: Of what is printed a text, or how.
_NO_NAME = re.compile(r"[fF]?[\"']|(?:sep|end|file|flush)\s?=")


def _name_in(statement: str) -> str:
    """What a statement prints: ``print("Scores:", scores)`` and ``scores`` say scores."""
    text = _COMMENT.sub("", statement).strip()
    if printed := _STATEMENT.match(text):
        text = printed[1].strip()
        parts = [p.strip() for p in re.split(r",(?![^(\[]*[)\]])", text)]
        names = [p for p in parts if p and not _NO_NAME.match(p)]
        texts = re.findall(r"[fF]?[\"']([^\"']*)[\"']", text)
        held = re.findall(r"\{([^{}:!=]+)", " ".join(texts))
        text = (names or held or [" ".join(texts)])[-1].replace("\\n", "")
    return text.strip().strip("#").strip().rstrip(":=").strip()


def printed_names(code: str, count: int) -> list[str]:
    """What the statements of a code print, if there are as many as matrices without a name."""
    if not code or not count:
        return []
    lines = [_PROMPT.sub("", line).rstrip() for line in re.split(r"\n|;[ \t]", code[-20_000:])]
    statements = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    said = [line for line in statements if _STATEMENT.match(line)]
    if statements and statements[-1] not in said:
        last = statements[-1].strip()
        if _OUTPUT.fullmatch(last):
            return []  # a print of its own, with its own words
        if not _KEYWORD.match(last) and not re.search(r"(?<![=!<>])=(?!=)", last.split("(")[0]):
            said.append(last)
    names = [_SHOWN.sub(r"\1", _name_in(line)) for line in said]
    if len(names) == count:
        return names
    return names[-1:] if count == 1 else []


def _is_printed(
    text: str, end: int, item: NumberList, label: str, alone: bool, is_code: bool
) -> bool:
    """Whether a list is a printed matrix, and no index, citation, or argument."""
    after = text[item.end : min(end, item.end + 80)]
    if item.depth == 1:
        if not all(c.is_number for c in item.items if isinstance(c, Printed)) and not item.elided:
            return False
        if is_code:
            return alone and len(item.items) > (0 if label else 1)
        return alone and bool(label)
    cells = [c for row in _rows(item) for c in row.items if isinstance(c, Printed)]
    numbers = sum(c.is_number for c in cells)
    if numbers * 2 < len(cells) or not numbers:
        return False
    return is_code or alone or (after[:1] != "(" and len(cells) > 1)


def _rows(item: NumberList) -> Iterator[NumberList]:
    if item.depth <= 1:
        yield item
    else:
        for part in item.items:
            if isinstance(part, NumberList):
                yield from _rows(part)
