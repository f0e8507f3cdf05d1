"""Errors injected into derivations are found, each with its cause, and nothing else is.

Every document is derived by mpmath, see `injection`, and written down in notations drawn
at random, see `notations`. What symattn says about it is compared with what was done.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symattn.claims.check import Checked, check
from symattn.claims.fix import edits, fixed_text
from symattn.claims.reading import read
from symattn.transformer import worked_attention
from tests.injection import Author, Printed, fixed
from tests.notations import Said, looks_like_floats, written

pytestmark = pytest.mark.once

KINDS = ("markdown", "latex", "html", "notebook", "text")
DOCUMENTS = 50  # of each kind


def checked(text: str, kind: Any) -> Checked:
    return check(read(text, kind), worked_attention)


def document(author: Author, kind: str, seed: int, said: Said, correct: bool = False) -> str:
    """The author's document, or the same without its errors."""
    matrices: list[tuple[str, Any]] = [*author.given.items()]
    floats = set()
    for p in author.printed:
        wrong = p.wrong(author.digits)
        right = [[fixed(x, author.digits) for x in row] for row in p.exact]
        if looks_like_floats(p.rows) or looks_like_floats(right):
            floats.add(p.step)
        rows = [
            [right[i][j] if correct and (i, j) in wrong else text for j, text in enumerate(row)]
            for i, row in enumerate(p.rows)
        ]
        matrices.append((p.step, rows))
    return written(kind, matrices, said, random.Random(seed), floats)


def squeezed(text: str) -> str:
    """Without what a correction may change beside the number: padding, zeros at the end, the look of −∞."""
    text = re.sub(r"&minus;&infin;|−∞|\$?-\\{1,2}infty\$?|\\u2212\\u221e", "-inf", text)
    text = re.sub(r"\$(-?[\d.]+)\$", r"\1", text)
    text = re.sub(r"(?<=\d)(\.\d*?)0+(?!\d)", r"\1", text)
    text = re.sub(r"(?<=\d)\.(?!\d)", "", text)
    return re.sub(r" +", " ", text).replace("[ ", "[")


def are_causes_named(printed: Printed, causes: list[str]) -> bool:
    """Whether what was done is among the causes, all of it in one."""
    return any(
        all(part.said in cause for part in parts)
        if all(part.said for part in parts)
        else not causes
        for parts in printed.minimal
        for cause in (causes or [""])
    )


@pytest.mark.parametrize("kind", KINDS)
def test_injected_errors_are_found_with_their_causes(kind: str) -> None:
    tally: Counter[str] = Counter()

    @settings(
        max_examples=DOCUMENTS, deadline=None, derandomize=True, database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )  # fmt: skip
    @given(st.integers(0, 2**40))
    def run(seed: int) -> None:
        tally["documents"] += 1
        author = Author(seed, errors=0.35 if seed % 5 else 0.0)
        wrong = {p.step: p.wrong(author.digits) for p in author.printed}
        unsaid = not any(wrong.values()) and author.random.random() < 0.5
        mask = "" if author.mask == "given" else author.mask
        text = document(author, kind, seed, Said() if unsaid else Said("sqrt", mask))
        found = checked(text, kind)
        verdicts_are_right(author, wrong, found)
        causes = {e.step.short: [c.text for c in e.causes] for e in found.explained}
        assert set(causes) == {step for step, cells in wrong.items() if cells}
        for p in author.printed:
            if wrong[p.step]:
                kind_of_error = "slips" if is_slip(p) else "errors"
                tally[kind_of_error] += 1
                tally[f"coinciding {kind_of_error}"] += not is_explained(p, causes[p.step], text)
        new = fixed_text(text, edits(found))
        if kind == "notebook":
            json.loads(new)
        assert squeezed(new) == squeezed(
            document(author, kind, seed, Said() if unsaid else Said("sqrt", mask), correct=True)
        )
        after = checked(new, kind)
        assert not after.is_wrong
        assert after.counts["right"] == sum(len(p.rows) * len(p.rows[0]) for p in author.printed)

    run()
    assert tally["documents"] >= DOCUMENTS
    # Errors whose own cause is not named, since a simpler one gives every number as well.
    assert tally["coinciding errors"] <= 0.02 * tally["errors"]
    # A slip of one unit is often what cutting off would give, too.
    assert tally["coinciding slips"] <= 0.2 * tally["slips"]


def verdicts_are_right(
    author: Author, wrong: dict[str, set[tuple[int, int]]], found: Checked
) -> None:
    """Every printed number is judged, and as mpmath judges it."""
    assert not found.example.unmatched
    got = {
        (f.claim.entry.step.short, f.claim.entry.index): f.judgement.verdict for f in found.findings
    }
    assert got == {
        (p.step, (i, j)): "wrong" if (i, j) in wrong[p.step] else "right"
        for p in author.printed
        for i, row in enumerate(p.rows)
        for j in range(len(row))
    }


def is_slip(p: Printed) -> bool:
    return not all(part.said for parts in p.minimal for part in parts)


def is_explained(p: Printed, causes: list[str], text: str) -> bool:
    if are_causes_named(p, causes):
        return True
    # Another cause gives every number as well: nobody can tell them apart.
    assert causes, (p.step, [[x.said or "slip" for x in m] for m in p.minimal], text)
    return False
