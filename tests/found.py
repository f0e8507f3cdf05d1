"""What is wrong in the published examples of ``cases/docs``, and where it began; docs/found.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from symattn.claims.check import Checked, Finding, check
from symattn.claims.judge import Judging
from symattn.claims.reading import read
from symattn.transformer import worked_attention

DOCUMENTS = sorted((Path(__file__).parent / "cases" / "docs").iterdir())


@dataclass(frozen=True)
class StepFound:
    """What an example prints of a step.

    Attributes:
        wrong: how many of its `printed` numbers are wrong.
        made: how many of these stay wrong where the step is computed from what is printed of
            the step before: the others were carried on.
        causes: what `symattn check` finds to explain all of them.
    """

    name: str
    printed: int
    wrong: int
    made: int
    causes: tuple[str, ...]


@cache
def checked(path: Path) -> Checked:
    """A document, checked."""
    return check(read(path), worked_attention)


def steps_found(path: Path) -> Iterator[StepFound]:
    """The steps of a document in which something is wrong, in order.

    What stands below a step is asked again of what is printed of it, where all of it is printed.
    """
    found = checked(path)
    derivation = found.example.derivation
    assert derivation is not None
    causes = {e.step.address: tuple(c.text for c in e.causes) for e in found.explained}
    by_step: dict[str, list[Finding]] = {}
    for finding in sorted(found.findings, key=lambda f: f.claim.entry.step.node):
        by_step.setdefault(finding.judgement.step, []).append(finding)
    given = derivation
    for name, findings in by_step.items():
        judging = Judging(given)
        step = given[name]
        again = [
            judging.judged(step[f.claim.entry.index], f.claim.printed, f.claim.factor).verdict
            for f in findings
        ]
        verdicts = [f.judgement.verdict for f in findings]
        made = sum(v == "wrong" == a for v, a in zip(verdicts, again, strict=True))
        yield StepFound(name, len(findings), verdicts.count("wrong"), made, causes.get(name, ()))
        cells = {f.claim.entry.index: f.judgement.printed for f in findings}
        if len(cells) == step.value.size:
            rows, columns = step.shape
            whole = [[cells[i, j] for j in range(columns)] for i in range(rows)]
            given = given.with_(**{name: whole})


def off_by(path: Path) -> Iterator[int]:
    """By how many units of its last printed place each wrong number is off."""
    for finding in checked(path).findings:
        if finding.judgement.verdict == "wrong":
            printed, correct = (
                Decimal(finding.judgement.printed),
                Decimal(finding.judgement.correct),
            )
            yield int(abs(printed - correct).scaleb(-int(printed.as_tuple().exponent)))


PAGE = """# What we found

<!-- symattn: spec article -->

{n} worked examples of attention, published by different people, lie with the tests of symattn:
matrices small enough to print, every step shown. They are kept without names. `symattn check` read
each of them, took what it gives (embeddings and weights, or queries, keys and values), derived the
rest exactly, and judged every number that it prints.

Of {entries} printed entries {wrong} are wrong, in {bad} of the {n} examples. The other {good}
examples are right to the last digit.

## Where the wrong numbers are

| example | wrong | where | carried on |
| --- | --- | --- | --- |
{rows}

S are the scores, Z what is left of them after the division, A the weights and O the context. *Carried
on* are numbers that are right for what is printed of the step before: the mistake was made earlier, and
handed on. {carried} of the {wrong} are of this kind; the other {made} are wrong whatever stands above them.

Mistakes gather where arithmetic is no longer done in the head. Of the scores, which are sums of
products, {in_S} entries are wrong, and {in_Z} where they are divided; of the weights, which are
exponentials over sums of exponentials, {in_A}; of the context {in_O}.
{last} wrong numbers are off by one unit in their last place; {more} by more, and a proofreader could
have seen them. The largest is off by {largest} units.

## In which ways

**Rounded, and gone on with the rounded number.** One example ({rounded} wrong weights) has the
scores 0.1414<!-- symattn: Z[1,0] --> and 0.7354<!-- symattn: Z[1,1] --> of *chases*. Their softmax is
0.36<!-- symattn: A[1,0] --> and 0.64<!-- symattn: A[1,1] -->; rounded to two decimals first they give
what is printed, one unit off. `symattn check` finds this by doing it: it rounds each earlier step,
derives everything once more, and names a cause only if it gives every number printed for the step,
the wrong ones and the right ones. (A divisor of 1.4 in place of √2 gives the same, and is named, too.)

**A wrong matrix copied forward.** {carriers} of the {bad} examples go on from what they have printed: a
wrong weight makes a row of the context wrong, and the reader who does that sum finds it correct. In
one example {slips_S} wrong scores stand above {after_S} wrong numbers.

**A slip.** In {slips} of the {bad} no single rounding, no other divisor and no cut-off digit explains
the numbers of some step. Perhaps a sum was added up wrongly, perhaps a number stems from an
earlier version of the example. The tool then writes the entry out, so that one sees where it went wrong.

## How not to

- **Round what you print, and nothing else.** Every decimal on a page comes from the exact value, not
  from the decimals above it. With `symattn write` there is no other way: nothing rounded is ever an
  input.
- **Do not copy a matrix by hand.** A block such as `<!-- symattn: show A digits=2 -->` is
  [filled from the spec](check.md), and filled again when the spec changes.
- **Say the divisor.** √d_k or d_k: both are guessed by readers, and both fit some rows of some
  matrices.
- **Leave rows that add to 0.99.** A weight bent so that its row adds to 1 is a wrong weight. If the
  sum has to show, [mark what was moved](pages.md): `row_sums = "kept"`.
- **Let something recompute the page each time it changes.** [Two lines in CI](ci.md).

## Make this page yourself

The documents are in `tests/cases/docs`, and this page is written by `python tests/regenerate.py` from
what `symattn check` says of them:

```sh
symattn check tests/cases/docs/*
```
"""


def page() -> str:
    """The text of docs/found.md."""
    bad = [p for p in DOCUMENTS if checked(p).counts["wrong"]]
    found = {p: list(steps_found(p)) for p in bad}
    everything = [s for steps in found.values() for s in steps]
    rows, order = [], ("S", "Z", "A", "O")
    for i, path in enumerate(DOCUMENTS):
        counts, steps = checked(path).counts, found.get(path, [])
        wrong = {s.name: s.wrong for s in steps}
        places = ", ".join(f"{wrong[name]} in {name}" for name in order if wrong.get(name))
        carried = sum(s.wrong - s.made for s in steps) or "none" if steps else ""
        printed = counts["right"] + counts["wrong"]
        rows.append(f"| no. {i + 1} | {counts['wrong']} of {printed} | {places} | {carried} |")
    by = {name: sum(s.wrong for s in everything if s.name == name) for name in order}
    wrong, made = sum(s.wrong for s in everything), sum(s.made for s in everything)
    off = [n for path in bad for n in off_by(path)]
    first = [s for steps in found.values() for s in steps if s.name == "S" and s.wrong]
    whole = [steps for steps in found.values() if first[0] in steps]
    return PAGE.format(
        n=len(DOCUMENTS),
        entries=sum(checked(p).counts["right"] + checked(p).counts["wrong"] for p in DOCUMENTS),
        wrong=wrong,
        made=made,
        carried=wrong - made,
        bad=len(bad),
        good=len(DOCUMENTS) - len(bad),
        rows="\n".join(rows),
        in_S=by["S"],
        in_Z=by["Z"],
        in_A=by["A"],
        in_O=by["O"],
        last=off.count(1),
        more=len(off) - off.count(1),
        largest=max(off),
        rounded=next(s.made for s in everything if any("rounded" in c for c in s.causes)),
        carriers=sum(any(s.made < s.wrong for s in steps) for steps in found.values()),
        slips=sum(any(s.made and not s.causes for s in steps) for steps in found.values()),
        slips_S=first[0].wrong,
        after_S=sum(s.wrong for s in whole[0]) - first[0].wrong,
    )
