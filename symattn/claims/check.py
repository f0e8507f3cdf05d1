"""The whole check of a document: read, matched, judged, explained."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symattn import progress
from symattn.claims.answers import Answers, answers_of, told_apart
from symattn.claims.causes import Explained, explained
from symattn.claims.consistency import Inconsistent, inconsistent
from symattn.claims.entry_claims import entry_claims
from symattn.claims.example import Example, example_of
from symattn.claims.judge import Claim, Judgement, Judging, judge
from symattn.claims.placing import Claimed, Unmatched, placed, subscript_base
from symattn.claims.prose import Guess, guesses, printed_in, quoted_in
from symattn.claims.reading import Document, Reading
from symattn.claims.show import Shown, shown_blocks
from symattn.derivation import Derivation

#: In a label: what is printed is made of gradients, which the derivation of a spec has not.
_GRADIENT = re.compile(r"\\mathrm\{d\}(?=[A-Za-z\\])")


@dataclass(frozen=True)
class Finding:
    """A printed number and its verdict."""

    claim: Claimed
    judgement: Judgement
    line: int
    column: int


@dataclass(frozen=True)
class Checked:
    """What checking a document found.

    Attributes:
        example: what it gives and claims.
        findings: every number that was matched with an entry, in order.
        of_spec: the judgements of the spec's own claims, as far as its text says them and does
            not quote them.
        explained: the wrong numbers, step by step, and why.
        inconsistent: numbers that cannot be right whatever the inputs were.
        shown: the blocks that are written from the spec.
        guesses: numbers in prose that may restate an entry.
        answers: of a worksheet, what was written in its boxes; else None.
    """

    document: Document
    reading: Reading
    example: Example
    findings: tuple[Finding, ...]
    of_spec: tuple[Judgement, ...]
    explained: tuple[Explained, ...]
    inconsistent: tuple[Inconsistent, ...]
    shown: tuple[Shown, ...]
    guesses: tuple[Guess, ...]
    answers: Answers | None = None

    @property
    def counts(self) -> Mapping[str, int]:
        """How many are right, wrong, undecided, unmatched, unanswered; quoted ones apart."""
        found = Counter(
            f.judgement.verdict if not f.claim.quoted else "quoted" for f in self.findings
        )
        found.update(j.verdict for j in self.of_spec)
        found["unmatched"] += len(self.example.unmatched)
        words = ("right", "wrong", "undecided", "unmatched", "unanswered", "quoted")
        return {k: found[k] for k in words if found[k] or k != "unanswered"}

    @property
    def is_wrong(self) -> bool:
        """Whether something that was checked is wrong, or a written block is not up to date."""
        stale = any(s.state != "fresh" for s in self.shown)
        misused = any("symattn" in p.message for p in self.reading.problems)
        return bool(self.counts["wrong"] or self.inconsistent or stale or misused)

    @property
    def is_open(self) -> bool:
        """Whether something is undecided, or nothing could be judged."""
        counts = self.counts
        nothing = not (counts["right"] or counts["wrong"] or self.shown)
        blank = self.answers is not None and self.answers.unanswered
        return bool(counts["undecided"] or counts["unmatched"] or blank or nothing)

    def _repr_markdown_(self) -> str:
        from symattn.writers import findings, jupyter

        return jupyter.markdown(findings.shown(self))


def check(
    reading: Reading,
    model: Callable[..., Any],
    derivation: Derivation | None = None,
    *,
    claims: Sequence[Claim] = (),
    aliases: Mapping[str, str] | None = None,
) -> Checked:
    """Check what a document prints.

    Args:
        model: derives attention from whatever a document gives, where there is no
            `derivation`; see `transformer.worked_attention`.
        derivation: what the document is about, from its spec.
        claims: the spec's own claims.
        aliases: by what the document calls a step, its address.
    """
    odd: list[Inconsistent] = []
    if derivation is None:
        example = example_of(reading, model)
    else:
        found, unmatched = placed(reading, derivation, aliases=aliases or {})
        named = entry_claims(reading, Judging(derivation), aliases or {})
        odd = named.odd
        open_ones = (*unmatched, *named.unmatched)
        rest = tuple(u for u in open_ones if not _GRADIENT.search(u.what))
        notes = ("gradients are not checked",) if len(rest) < len(open_ones) else ()
        example = Example(derivation, claims=(*found, *named.claims), unmatched=rest, notes=notes)
    findings: list[Finding] = []
    why: list[Explained] = []
    shown: tuple[Shown, ...] = ()
    of_spec: list[Judgement] = []
    answers: Answers | None = None
    if example.derivation is not None:
        judging = Judging(example.derivation)
        judging.names.base = subscript_base(example.claims, judging)
        for claim in progress.over(example.claims, "number"):
            judgement = judging.judged(claim.entry, claim.printed, claim.factor)
            line, column = reading.document.line_and_column(claim.printed.start)
            findings.append(Finding(claim, judgement, line, column))
        own = [c for c in example.claims if not c.quoted]
        own = told_apart(example.derivation, reading.blank, own)
        wrong = [f.claim for f in findings if f.judgement.verdict == "wrong"]
        wrong = [c for c in wrong if c.printed.is_number]  # what names entries is no result
        why = explained(example.derivation, own, [c for c in wrong if not c.quoted])
        quoted = [c for c in example.claims if c.quoted]
        why += explained(example.derivation, quoted, [c for c in wrong if c.quoted])
        if reading.blank:
            pairs = [(f.claim, f.judgement) for f in findings]
            answers = answers_of(example.derivation, reading.blank, pairs)
        judged_claims = judge(example.derivation, () if reading.blank else claims)
        numbers = {j.printed for j in judged_claims}
        said = printed_in(reading, numbers) - quoted_in(reading, numbers)
        of_spec = [j for j in judged_claims if j.printed in said]
    if derivation is not None:
        shown = shown_blocks(reading, derivation)
    groups = {c.group for c in example.claims}
    judged = {id(m) for k, m in enumerate(reading.matrices) if k in groups}
    if example.claims:  # what belongs to no step here, or to another example, is left alone
        apart = {u.start for u in example.unmatched}
        judged |= {id(m) for m in reading.matrices if m.start in apart}
    odd += inconsistent(reading, judged, is_one=not example.claims)
    return Checked(
        reading.document,
        reading,
        example,
        tuple(sorted(findings, key=lambda f: f.claim.printed.start)),
        tuple(of_spec),
        tuple(why),
        tuple(odd),
        shown,
        () if reading.blank else tuple(guesses(reading, example)),
        answers,
    )


__all__ = ["Checked", "Finding", "Unmatched", "check"]
