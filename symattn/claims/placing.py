"""Which entry of a derivation each printed number claims to be."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from symattn.claims.judge import Judging
from symattn.claims.reading.cells import Printed
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.errors import AddressError, ExactnessError, SymattnError
from symattn.literals import NEGATIVE_INFINITY, Infinity, exact
from symattn.numbers import compact
from symattn.numbers.normal_form import Sum, inverse
from symattn.steps import Step

if TYPE_CHECKING:
    from symattn.claims.entry_names import EntryNames
    from symattn.claims.reading import PrintedMatrix, Reading

BARE = ("integer", "infinity", "nan")  # kinds of numbers without decimals of their own
FEW = 5  # decimals; floats that programs print in full have more


UNKNOWN = "its label names no step that is known here"


@dataclass(frozen=True)
class Claimed:
    """A printed number and the entry that it claims to be.

    Attributes:
        factor: what was printed is the entry times this; None for 1.
        group: numbers printed together, such as those of a matrix, share one.
        quoted: whether it is quoted because it is wrong, and not counted.
    """

    entry: Entry
    printed: Printed
    factor: Sum | None = None
    group: int = 0
    quoted: bool = False


@dataclass(frozen=True)
class Unmatched:
    """Something printed that was matched with no entry, and why."""

    start: int
    what: str
    why: str


def placed(
    reading: Reading,
    derivation: Derivation,
    given: Collection[int] = (),
    aliases: Mapping[str, str] | None = None,
) -> tuple[tuple[Claimed, ...], tuple[Unmatched, ...]]:
    """Match printed numbers with entries.

    Args:
        given: ids of the matrices that the derivation starts from; they claim nothing.
        aliases: by what the document calls a step, its address.
    """
    claims: list[Claimed] = []
    unmatched: list[Unmatched] = []
    kinds = {block.start: block.kind for block in reading.blocks}
    is_scaled = any(step_of(m) == "Z" for m in reading.matrices)
    judging = Judging(derivation)
    for group, m in enumerate(reading.matrices):
        kind = kinds.get(m.block) if m.block is not None else None
        if m.operand or id(m) in given or kind == "show":
            continue
        try:
            meant = aliased(m, judging.names, aliases)
            claims += list(matrix_claims(meant, judging, group, kind == "quoted", is_scaled))
        except SymattnError as error:
            unmatched.append(Unmatched(m.start, m.label or "a matrix", str(error)))
    for marked in reading.marked:
        try:
            entry = derivation[marked.address]
            if not isinstance(entry, Entry):
                raise AddressError(f"wanted an entry such as A[1,0], got {marked.address!r}")
            quoted = any(
                b.kind == "quoted" and b.start <= marked.start < b.end for b in reading.blocks
            )
            claims.append(Claimed(entry, marked.printed, None, -marked.start - 1, quoted))
        except SymattnError as error:
            unmatched.append(Unmatched(marked.start, marked.printed.text, str(error)))
    return tuple(claims), tuple(unmatched)


def aliased(
    m: PrintedMatrix, names: EntryNames, aliases: Mapping[str, str] | None
) -> PrintedMatrix:
    """The matrix, named by an alias, or by a step whose very name its label is.

    Args:
        aliases: None where the steps are the conventional ones, which `reading` names.
    """
    from symattn.claims.reading.labels import named_by_marker  # with all of the reading

    if m.marker:
        return m
    for label in m.labels:
        word = _word(label)
        if aliases and word in aliases:
            return replace(m, name=named_by_marker(aliases[word]))
        step = names.step(label)
        if step is not None and step.inside:  # by a symbol that the conventions do not know
            return replace(m, name=named_by_marker(step.address))
        if aliases is not None or m.name.step is None:
            drawn = word if step is None else step.address
            try:
                _ = names.derivation[drawn]
            except AddressError:
                continue
            return replace(m, name=named_by_marker(drawn))
    return m


def _word(label: str) -> str:
    r"""A label as a plain word: ``W_{\mathrm{vocab}}`` is ``W_vocab``."""
    text = re.sub(r"\\(?:mathrm|text|mathbf|operatorname|mathit)\s*\{([^{}]*)\}", r"\1", label)
    return re.sub(r"_\{([^{}]*)\}", r"_\1", text).strip(" *`$").replace("\\_", "_")


def matrix_claims(
    m: PrintedMatrix, judging: Judging, group: int, quoted: bool, is_scaled: bool
) -> Iterator[Claimed]:
    """The entries that a matrix's numbers claim to be, by the step that its name says.

    Raises:
        AddressError: it names no step, or none of its shape.
    """
    derivation = judging.derivation
    if m.name.step is None:
        raise AddressError(UNKNOWN)
    m = with_decimals(with_infinities(m))
    found: list[list[Claimed]] = []
    problem: SymattnError | None = None
    for name, factor in _meanings(m, derivation, is_scaled):
        try:
            step = derivation.step(name)
            readings = list(_readings_of_index(m, step))
        except SymattnError as error:
            problem = problem or error
            continue
        found += [_claims(m, step, factor, places, group, quoted) for places in readings]
    if not found:
        raise problem or AddressError(UNKNOWN)
    yield from _best(found, judging)


def _claims(
    m: PrintedMatrix, step: Step, factor: Sum | None, places: Places, group: int, quoted: bool
) -> list[Claimed]:
    return [
        Claimed(Entry(step, index), printed, factor, group, quoted)
        for indices, cells in zip(places, m.rows, strict=True)
        for index, printed in zip(indices, cells, strict=True)
    ]


def _meanings(
    m: PrintedMatrix, derivation: Derivation, is_scaled: bool
) -> Iterator[tuple[str, Sum | None]]:
    """The steps that its name may mean, the likeliest first, each with a factor.

    A formula means one. But a program's ``scores`` are divided where it likes, a mask may go
    on scores that are divided later, and ``Z`` is the output as well.

    Args:
        is_scaled: whether the document prints scaled scores by their name.
    """
    name, factor = step_of(m), None
    if m.factor:
        found = compact.number(exact(m.factor))
        if isinstance(found, Infinity):
            raise ExactnessError(f"wanted a finite factor, got {m.factor}")
        factor = inverse(found)
    yield name, factor
    if m.name.certainty in ("marker", "formula") and name != "Z_masked":
        return
    if name == "S":
        yield "A", factor  # "the scores after softmax"
        if not is_scaled:
            yield "Z", factor
    elif name == "Z":
        yield "O", factor
    elif (
        name == "Z_masked"
        and not is_scaled
        and not m.factor
        and not re.search("Z|scaled|marker", _said(m))
    ):
        scale = derivation.inputs.get("scale")
        if scale is not None and not scale.shape:
            yield name, compact.number(scale.item())


def _said(m: PrintedMatrix) -> str:
    return f"{m.name.by} {m.name.certainty} {m.label}"


def step_of(m: PrintedMatrix) -> str:
    """The step that its name means first: scores with −∞ among them are masked ones."""
    name = m.name.step or ""
    is_masked = name in ("S", "Z") and any(c.kind == "infinity" for c in m.cells)
    return "Z_masked" if is_masked and m.name.certainty != "marker" else name


#: From here on a score that is added to hide a key stands for −∞: its weight is 0.
HIDDEN = Fraction(-(10**4))


def with_infinities(m: PrintedMatrix) -> PrintedMatrix:
    """The matrix of masked scores or of a mask, with −∞ for its −10⁹."""
    if m.name.step not in ("S", "Z", "Z_masked", "M"):
        return m

    def hidden(c: Printed) -> Printed:
        if not isinstance(c.value, Fraction) or c.value > HIDDEN:
            return c
        return replace(c, kind="infinity", value=NEGATIVE_INFINITY)

    return replace(m, rows=tuple(tuple(map(hidden, row)) for row in m.rows))


def with_decimals(m: PrintedMatrix) -> PrintedMatrix:
    """The matrix, its 0, 1 and −∞ claiming as many decimals as what stands beside them.

    A 0 beside 0.35 does not stand for 0.4. Programs leave out zeros at the end, so that in
    what they print every number has the decimals of the longest. An equation or a table
    with as many decimals everywhere, and few of them, was rounded: 12.06181 beside 0.35434
    is no float of seven digits.
    """
    plain = [c for c in m.cells if c.kind == "decimal" and not (c.exponent or c.percent)]
    digits = max((c.decimals or 0 for c in plain), default=0)
    signify = _significant(m.cells)
    is_fixed = m.notation != "list" and digits <= FEW and len({c.decimals for c in plain}) == 1
    significant = max((c.significant or 0 for c in plain), default=0)

    def whole(c: Printed) -> Printed:
        is_plain = c.kind == "decimal" and not (c.exponent or c.percent)
        if is_plain and is_fixed:
            return replace(c, fixed=True)
        if c.kind == "integer" and c.significant == signify > 1:
            return c
        if (c.decimals or 0) >= digits or not (is_plain or c.kind in BARE):
            return c
        if is_plain and m.notation == "list":
            return replace(c, decimals=digits, significant=significant)
        return c if c.decimals else replace(c, decimals=digits)

    return replace(m, rows=tuple(tuple(map(whole, row)) for row in m.rows))


def _significant(cells: Sequence[Printed]) -> int:
    """How many significant figures all decimals have that differ in their places; else 0.

    18 beside 1.4 and 0.35 has two, as they have.
    """
    decimals = [c for c in cells if c.kind == "decimal" and not c.percent]
    figures = {c.significant or 0 for c in decimals}
    return figures.pop() if len(figures) == 1 and len({c.decimals for c in decimals}) > 1 else 0


Places = list[list[tuple[int, ...]]]


def _readings_of_index(m: PrintedMatrix, step: Step) -> Iterator[Places]:
    """The entries that its cells may be: an index on a label counts from 0, or from 1."""
    rows, columns = m.shape
    if not m.is_regular or m.elided:
        raise AddressError("its rows are not of one length, or parts are left out")
    if not m.name.index:
        yield _whole(m, step)
        return
    parts = [p.strip() for p in m.name.index.split(",")]
    bases = (0,) if m.name.index_kind == "bracket" else (1, 0)
    found = False
    for base in bases:
        index = [_position(p, step, axis, base) for axis, p in enumerate(parts)]
        if len(index) > len(step.shape) or not all(
            i is None or 0 <= i < n for i, n in zip(index, step.shape, strict=False)
        ):
            continue
        free = [n for k, n in enumerate(step.shape) if k >= len(index) or index[k] is None]
        if (rows * columns if len(free) < 2 else (rows, columns)) != (
            _product(free) if len(free) < 2 else tuple(free)
        ):
            continue
        if len(free) == 1 and min(rows, columns) != 1:
            continue
        found = True
        yield _selected(m, step, index)
    if not found:
        raise AddressError(
            f"{rows} × {columns} numbers do not fit {step.short}[{m.name.index}], "
            f"since {step.short} is {' × '.join(map(str, step.shape))}"
        )


def _whole(m: PrintedMatrix, step: Step) -> Places:
    rows, columns = m.shape
    is_line = len(step.shape) < 2 and min(rows, columns) == 1
    if (rows, columns) != step.shape and not (
        is_line and rows * columns == _product([*step.shape])
    ):
        raise AddressError(
            f"it is {rows} × {columns}, and {step.short} is {' × '.join(map(str, step.shape))}"
        )
    return _selected(m, step, [])


def _selected(m: PrintedMatrix, step: Step, index: list[int | None]) -> Places:
    """Entries with fixed parts of their index, row after row as the cells stand."""
    fixed = [*index, *[None] * (len(step.shape) - len(index))]
    free = [k for k, i in enumerate(fixed) if i is None]
    places: Places = []
    count = 0
    for row in m.rows:
        line = []
        for _ in row:
            at, rest = list(fixed), count
            for k in reversed(free):
                rest, at[k] = divmod(rest, step.shape[k])
            line.append(tuple(int(i or 0) for i in at))
            count += 1
        places.append(line)
    return places


def _position(text: str, step: Step, axis: int, base: int) -> int | None:
    """An index as written: a number, a token's name, or ``:`` for all (None)."""
    if text in (":", ""):
        return None
    if re.fullmatch(r"-?\d{1,9}", text):
        n = int(text)
        return n + step.shape[axis] if n < 0 and axis < len(step.shape) else n - base
    labels = step.axes[axis] if axis < len(step.axes) else None
    if labels and text in labels:
        return labels.index(text)
    raise AddressError(f"{text!r} is no row or column of {step.short}")


def _product(numbers: list[int]) -> int:
    out = 1
    for n in numbers:
        out *= n
    return out


def _best(readings: list[list[Claimed]], judging: Judging) -> list[Claimed]:
    """Of several readings, the one under which more numbers are right.

    Another step than the first is meant only where that makes most numbers right: a step
    that is wrong all over has a few that fit anything.
    """
    if len(readings) == 1:
        return readings[0]
    first = _meaning(readings[0][0])

    def right(claims: list[Claimed]) -> int:
        finite = [c for c in claims if c.printed.kind not in ("infinity", "blank")]
        found = (judging.judged(c.entry, c.printed, c.factor).verdict for c in finite)
        count = sum(verdict == "right" for verdict in found)
        return count if _meaning(claims[0]) == first or 2 * count > len(finite) else -1

    best, most = readings[0], -2
    for claims in readings:
        count = right(claims)
        if count > most:
            best, most = claims, count
        if count == len(claims):
            break  # none can be better
    return best


def subscript_base(claims: Sequence[Claimed], judging: Judging) -> int:
    """What subscripts in names of entries count from: 0, or 1 where that makes more right.

    Where a document counts in brackets, which is from 0, its subscripts do so as well.
    """
    read = [(c, judging.names.read(c.printed.text)) for c in claims if not c.printed.is_number]
    if any(said is not None and said.has_brackets for _, said in read):
        return 0
    named = [c for c, said in read if said is not None and said.has_subscripts]
    right = []
    for judging.names.base in (0, 1):
        found = (judging.judged(c.entry, c.printed, c.factor).verdict for c in named)
        right.append(sum(verdict == "right" for verdict in found))
    return int(right[1] > right[0])


def _meaning(claim: Claimed) -> tuple[str, bool]:
    return claim.entry.step.address, claim.factor is None
