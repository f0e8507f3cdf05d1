"""What a worked example in a document is: what it gives, and what it claims.

Without a spec the document itself says it. E, W_Q, W_K, W_V, or Q, K, V, or S, or Z, or
A are taken as given, whichever come first on the way and cannot be computed from what
else is printed; the rest are claims. Mask and scale are taken from what the text says,
else inferred as those under which most printed numbers are right, and said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from symattn.claims.judge import Judging, digits_of
from symattn.claims.placing import Claimed, Unmatched, placed, step_of, with_infinities
from symattn.claims.reading import PrintedMatrix, Reading
from symattn.claims.rivals import distinct, elsewhere, without_variants
from symattn.derivation import Derivation, derive
from symattn.errors import SymattnError
from symattn.graph import Array
from symattn.literals import NEGATIVE_INFINITY, Apply, Exact, exact

INPUTS = ("E", "W_Q", "W_K", "W_V")
#: Steps that are given as they are printed, but known only to their printed digits.
ROUNDED = ("S", "Z", "Z_masked", "A")
STEPS = (*INPUTS, "Q", "K", "V", "M", *ROUNDED, "O")


MAX_FITTED = 5_000  # printed numbers by which mask and scale are inferred


@dataclass(frozen=True)
class Given:
    """A matrix taken as given, with what printed it."""

    name: str
    matrix: PrintedMatrix


@dataclass(frozen=True)
class Example:
    """A worked example.

    Attributes:
        derivation: what follows from what is given; None where nothing does.
        given: the matrices that were taken as given.
        notes: how mask and scale were found, and what was assumed.
        claims: the numbers to be judged, in order.
        unmatched: what could not be matched, and why.
    """

    derivation: Derivation | None
    given: tuple[Given, ...] = ()
    notes: tuple[str, ...] = ()
    claims: tuple[Claimed, ...] = ()
    unmatched: tuple[Unmatched, ...] = ()


def example_of(reading: Reading, model: Callable[..., Any]) -> Example:
    """Find out what a document gives and claims.

    Args:
        model: derives attention from whatever it is given; see `transformer.worked_attention`.
    """
    return _Finder(reading, model).example()


@dataclass
class _Finder:
    reading: Reading
    model: Callable[..., Any]
    notes: list[str] = field(default_factory=list)
    whole: dict[str, list[PrintedMatrix]] = field(default_factory=dict)
    others: tuple[tuple[Derivation, str], ...] = ()  # with another mask, or another scale

    def example(self) -> Example:
        matrices = [m for m in self.reading.matrices if not m.operand and m.block is None]
        for m in matrices:
            if m.name.step in STEPS and _is_whole(m):
                self.whole.setdefault(step_of(m), []).append(m)
        self.whole = {name: distinct(found) for name, found in self.whole.items()}
        first = self.starting(matrices, 0)
        tries = max((len(self.whole[g.name]) for g in first.given), default=1)
        if tries == 1 or _share_right(first) > Fraction(1, 2):
            return first
        others = (self.starting(matrices, k) for k in range(1, tries))
        return max((first, *others), key=_share_right)

    def starting(self, matrices: list[PrintedMatrix], which: int) -> Example:
        """The example that starts from the first matrix of each name, or a later one."""
        self.notes = []
        given = self.given(which)
        try:
            arguments, radii = self.arguments(given)
            derivation = self.fitting(arguments, radii, matrices, given)
        except SymattnError as error:
            where = ", ".join(f"{g.name} (line {self.line(g.matrix)})" for g in given)
            # Where in the model's source it failed says nothing to a reader.
            said = re.sub(r"\(?\S*\.py:\d+\)?:? ?", "", str(error))
            why = f"nothing can be derived from {where}: {said}" if given else said
            return Example(None, tuple(given), (why,))
        if derivation is None:
            return Example(None, tuple(given), tuple(self.notes))
        claims, unmatched = self.placed(derivation, given)
        for other in self.others:
            claims, moved = without_variants(claims, derivation, *other)
            unmatched = (*unmatched, *moved)
        return Example(derivation, tuple(given), tuple(self.notes), claims, unmatched)

    def placed(
        self, derivation: Derivation, given: list[Given]
    ) -> tuple[tuple[Claimed, ...], tuple[Unmatched, ...]]:
        """What belongs to this example, and what to none or to another."""
        claims, unmatched = placed(self.reading, derivation, {id(g.matrix) for g in given})
        starts = {g.name: g.matrix for g in given}
        all_of = self.reading.matrices
        apart = elsewhere(starts, self.whole, all_of, derivation, self.line)
        groups = {k: m for k, m in enumerate(all_of) if id(m) in apart}
        moved = [
            Unmatched(groups[k].start, groups[k].label or "a matrix", apart[id(groups[k])])
            for k in dict.fromkeys(c.group for c in claims if c.group in groups)
        ]
        why = {m.start: apart[id(m)] for m in groups.values()}  # that it fits not is no wonder
        others = [replace(u, why=why.get(u.start, u.why)) for u in unmatched]
        kept = tuple(c for c in claims if c.group not in groups)
        return kept, tuple(sorted((*others, *moved), key=lambda u: u.start))

    def line(self, matrix: PrintedMatrix) -> int:
        return self.reading.document.line_and_column(matrix.start)[0]

    # What is given.

    def given(self, which: int) -> list[Given]:
        whole = {name: found[min(which, len(found) - 1)] for name, found in self.whole.items()}
        known: dict[str, bool] = {}
        out: list[Given] = []

        def take(name: str) -> None:
            known[name] = name in whole
            if name in whole:
                out.append(Given(name, whole[name]))

        for name in INPUTS:
            take(name)
        weights = any(known[w] for w in ("W_Q", "W_K", "W_V"))
        for name in ("Q", "K", "V"):
            computed = known["E"] and known[f"W_{name}"]
            if computed:
                known[name] = True
            elif name in whole:
                take(name)
            else:
                # Without any weights the embeddings are queries, keys and values.
                known[name] = known["E"] and not weights
                if known[name]:
                    self.assume("no weights are printed: E is taken for Q, K and V")
        before = known["Q"] and known["K"]
        for name in ROUNDED:
            if not before:
                take(name)
            before = before or known.get(name, False)
        if "M" in whole:
            take("M")
        return out

    def assume(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def arguments(self, given: list[Given]) -> tuple[dict[str, Array], dict[str, Array]]:
        arguments: dict[str, Array] = {}
        radii: dict[str, Array] = {}
        for g in given:
            array = _array(with_infinities(g.matrix), _value)
            arguments[g.name] = _additive(array) if g.name == "M" else array
            if g.name in ROUNDED:
                radii[g.name] = _array(g.matrix, _radius)
        self.skip_unused(arguments)
        return arguments, {k: v for k, v in radii.items() if k in arguments}

    def skip_unused(self, arguments: dict[str, Array]) -> None:
        """Weights without embeddings lead nowhere; neither do embeddings without a use."""
        if "E" not in arguments:
            for name in ("W_Q", "W_K", "W_V"):
                arguments.pop(name, None)
        for name in ("Q", "K", "V"):
            if name in arguments:
                arguments.pop(f"W_{name}", None)

    # Mask and scale.

    def fitting(
        self,
        arguments: Mapping[str, Array],
        radii: Mapping[str, Array],
        matrices: list[PrintedMatrix],
        given: list[Given],
    ) -> Derivation | None:
        """The derivation under the mask and the scale that are said, else those that fit best."""
        leads = {"S", "Z", "Z_masked", "A"} & set(arguments)
        if not leads and not _are_scores_known(arguments):
            return None
        labels = self.labels(arguments)
        best: tuple[int, Derivation, str] | None = None
        choices = list(self.choices(arguments))
        failed = SymattnError("no mask and scale can be applied")
        for mask, scale, said in choices:
            try:
                d = self.derived(arguments, radii, mask, scale, labels)
                fits = self.fits(d, given) if len(choices) > 1 else 0
            except SymattnError as error:
                failed = error
                continue
            if best is None or fits > best[0]:
                best = (fits, d, said)
        if best is None:
            raise failed
        if best[2]:
            self.assume(best[2])
        self.others = tuple(self.variants(best[1], labels))
        return best[1]

    def variants(
        self, derivation: Derivation, labels: Mapping[str, Any]
    ) -> Iterator[tuple[Derivation, str]]:
        """The derivation without its causal mask, or with one; and without its scale."""
        inputs: dict[str, Any] = dict(derivation.inputs)
        if "scale" not in inputs:
            return
        causal = causal_mask(*_scores_shape(inputs))
        unmasked = {k: v for k, v in inputs.items() if k != "M"}
        others = []
        if "M" not in inputs:
            others.append(({**inputs, "M": causal}, "a causal mask"))
        elif np.array_equal(inputs["M"], causal):
            others.append((unmasked, "no mask"))
        one = np.full((), Fraction(1), dtype=object)
        others.append(({**inputs, "scale": one}, "no scaling"))
        for changed, said in others:
            axes = {k: v for k, v in labels.items() if k in changed}
            yield derive(self.model, labels=axes, **changed).with_radii(derivation.radii), said

    def choices(self, arguments: Mapping[str, Array]) -> Iterator[tuple[Array | None, str, str]]:
        """Masks and scales that may be meant, the likeliest first, and how they are known."""
        shape = _scores_shape(arguments)
        masks = self.masks(arguments, shape)
        scales = self.scales(arguments)
        inferred = len(masks) > 1 or len(scales) > 1
        for mask_name, mask in masks.items():
            for scale in scales:
                said = f"inferred: {mask_name}, scale {scale}" if inferred else ""
                yield mask, scale, said

    def masks(
        self, arguments: Mapping[str, Array], shape: tuple[int, int]
    ) -> dict[str, Array | None]:
        none: dict[str, Array | None] = {"no mask": None}
        if "M" in arguments or "Z_masked" in arguments or "A" in arguments:
            return {"the mask M": arguments.get("M")}
        causal: dict[str, Array | None] = {"causal mask": causal_mask(*shape)}
        said = self.reading.facts.mask
        if said is not None and not self.reading.facts.disagree("mask"):
            self.notes.append(self._said("mask", f"{said} mask" if said != "none" else "no mask"))
            return causal if said == "causal" else none
        return {**none, **causal}

    def scales(self, arguments: Mapping[str, Array]) -> list[str]:
        facts = self.reading.facts
        d_k, d_model = facts.d_k, None
        for name in ("K", "Q", "W_K", "W_Q", "E"):
            if name in arguments:
                d_k = arguments[name].shape[-1]
                break
        if "E" in arguments:
            d_model = arguments["E"].shape[-1]
        said = facts.scale
        if said is not None and not facts.disagree("scale"):
            resolved = _resolved(said, d_k, d_model)
            if resolved:
                self.notes.append(self._said("scale", f"scale {resolved}"))
                return [resolved]
        if {"Z", "Z_masked", "A"} & set(arguments):
            return ["1"]  # they are scaled already
        found = [f"sqrt({d_k})" if d_k else "", "1"]
        found += [f"sqrt({d_model})" if d_model else "", str(d_k) if d_k else ""]
        return list(dict.fromkeys(s for s in found if s))

    def _said(self, about: str, what: str) -> str:
        statement = next(s for s in self.reading.facts.statements if s.about == about)
        line = self.reading.document.line_and_column(statement.start)[0]
        return f"{what} (line {line})"

    def derived(
        self,
        arguments: Mapping[str, Array],
        radii: Mapping[str, Array],
        mask: Array | None,
        scale: str,
        labels: Mapping[str, Any],
    ) -> Derivation:
        inputs: dict[str, Any] = {k: v for k, v in arguments.items() if k != "M"}
        if mask is not None:
            inputs["M"] = mask
        if not {"Z", "Z_masked", "A"} & set(inputs):
            divisor = np.empty((), dtype=object)
            divisor[()] = exact(scale)
            inputs["scale"] = divisor
        d = derive(self.model, labels={k: v for k, v in labels.items() if k in inputs}, **inputs)
        return d.with_radii(radii)

    def fits(self, derivation: Derivation, given: list[Given]) -> int:
        """How many printed numbers are right, of the first thousands."""
        claims, _ = self.placed(derivation, given)
        claims = claims[:MAX_FITTED]
        judging = Judging(derivation)
        found = (judging.judged(c.entry, c.printed, c.factor).verdict for c in claims)
        return sum(verdict == "right" for verdict in found)

    def labels(self, arguments: Mapping[str, Array]) -> dict[str, Any]:
        """Tokens beside rows, where there are as many as rows."""
        words = self.reading.facts.tokens
        if not words:
            rows = [m.row_labels for m in self.reading.matrices if any(m.row_labels)]
            words = rows[0] if rows else ()
        out = {}
        for name, array in arguments.items():
            axes = [list(words) if len(words) == n and words else None for n in array.shape]
            if name in ("E", "Q", "K", "V"):
                axes[-1] = None
            if name in STEPS and not name.startswith("W_") and any(axes):
                out[name] = axes
        return out


def _share_right(example: Example) -> Fraction:
    """How many of its claims are right; −1 where there are none."""
    if example.derivation is None or not example.claims:
        return Fraction(-1)
    judging = Judging(example.derivation)
    found = (judging.judged(c.entry, c.printed, c.factor).verdict for c in example.claims)
    return Fraction(sum(verdict == "right" for verdict in found), len(example.claims))


def _are_scores_known(arguments: Mapping[str, Array]) -> bool:
    return all(
        name in arguments
        or ("E" in arguments and (f"W_{name}" in arguments or not _weights(arguments)))
        for name in ("Q", "K")
    )


def _weights(arguments: Mapping[str, Array]) -> bool:
    return any(name in arguments for name in ("W_Q", "W_K", "W_V"))


def _scores_shape(arguments: Mapping[str, Array]) -> tuple[int, int]:
    for name in ROUNDED:
        if name in arguments:
            rows, columns = arguments[name].shape
            return rows, columns
    rows = arguments.get("Q", arguments.get("E"))
    columns = arguments.get("K", arguments.get("E"))
    assert rows is not None  # see `_are_scores_known`
    assert columns is not None
    return rows.shape[0], columns.shape[0]


def causal_mask(rows: int, columns: int) -> Array:
    """Exact additive mask: query i sees keys up to i."""
    out = np.empty((rows, columns), dtype=object)
    for i, j in np.ndindex(out.shape):
        out[i, j] = Fraction(0) if j <= i else NEGATIVE_INFINITY
    return out


def _additive(mask: Array) -> Array:
    """A mask of 0 and 1 as it is added: on the diagonal stands what lets through."""
    if {*mask.flat} != {0, 1} or len({*mask.diagonal()}) != 1:
        return mask
    out = np.empty(mask.shape, dtype=object)
    for index, value in np.ndenumerate(mask):
        out[index] = Fraction(0) if value == mask[0, 0] else NEGATIVE_INFINITY
    return out


def _resolved(scale: str, d_k: int | None, d_model: int | None) -> str | None:
    """A scale as said, with the sizes for their names; None where a size is not known."""
    for name, size in (("d_k", d_k), ("d_model", d_model)):
        if name in scale:
            if size is None:
                return None
            scale = scale.replace(name, str(size))
    return None if re.search(r"[a-z]", scale.replace("sqrt", "")) else scale


def _is_whole(m: PrintedMatrix) -> bool:
    """Whether a matrix can be taken as given: all of it is there and is numbers."""
    numbers = all(c.is_number and c.kind not in ("nan", "blank") for c in m.cells)
    return not m.name.index and m.is_regular and not m.elided and numbers and not m.slice


def _array(m: PrintedMatrix, value: Callable[[Any, PrintedMatrix], Exact]) -> Array:
    out = np.empty(m.shape, dtype=object)
    for i, row in enumerate(m.rows):
        for j, printed in enumerate(row):
            out[i, j] = value(printed, m)
    return out


def _value(printed: Any, m: PrintedMatrix) -> Exact:
    value: Exact = printed.value
    if m.factor:
        return Apply("mul", (exact(m.factor), value))
    return value


def _radius(printed: Any, m: PrintedMatrix) -> Exact:
    """Half a unit in the last place of a decimal with a point; other numbers are exact."""
    if printed.kind != "decimal":
        return Fraction(0)
    return Fraction(1, 2 * 10 ** digits_of(printed)) if digits_of(printed) >= 0 else Fraction(0)
