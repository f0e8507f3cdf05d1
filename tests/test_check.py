"""symattn check: every published example gets its listed verdicts, and causes that hold whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symattn.claims.check import Checked, check
from symattn.claims.fix import difference, edits, fixed_text
from symattn.claims.reading import read
from symattn.transformer import worked_attention
from symattn.writers import findings

CASES = Path(__file__).parent / "cases"
DOCUMENTS = sorted((CASES / "docs").iterdir())


def checked(source: str | Path, kind: Any = None) -> Checked:
    return check(read(source, kind), worked_attention)


def listed(document: Path) -> dict[str, tuple[str, str]]:
    """By address, the printed text and its verdict as the case lists it."""
    case = json.loads((CASES / "worked" / f"{document.stem}.json").read_text("utf-8"))
    out: dict[str, tuple[str, str]] = {}
    for claim, verdict in zip(case["claims"], case["verdict"], strict=True):
        name = {"Zm": "Z_masked"}.get(claim["name"], claim["name"])
        wrong = {tuple(w["index"]) for w in verdict["wrong_entries"]}
        rows = claim["printed"]
        if claim.get("index") is not None:
            cells = {(claim["index"], j): text for j, text in enumerate(rows)}
        else:
            cells = {(i, j): t for i, row in enumerate(rows) for j, t in enumerate(row)}
        for (i, j), text in cells.items():
            out[f"{name}[{i},{j}]"] = (text, "wrong" if (i, j) in wrong else "right")
    return out


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.stem)
def test_published_examples_get_their_listed_verdicts(path: Path) -> None:
    """All 270 right and 45 wrong entries; no right one is called wrong."""
    found = checked(path)
    got = {f.judgement.at: (f.judgement.printed, f.judgement.verdict) for f in found.findings}
    assert got == listed(path)
    assert not found.example.unmatched


def test_the_cases_are_the_published_ones() -> None:
    verdicts = [v for path in DOCUMENTS for _, v in listed(path).values()]
    assert (verdicts.count("right"), verdicts.count("wrong")) == (270, 45)


def causes(found: Checked) -> dict[str, list[str]]:
    return {e.step.short: [c.text for c in e.causes] for e in found.explained}


def test_rounding_the_scores_explains_the_article_whole() -> None:
    found = causes(checked(CASES / "docs" / "article.md"))
    assert set(found) == {"A", "O"}
    assert all("Z was rounded to 2 decimals first" in texts for texts in found.values())


def test_slips_have_no_cause_and_are_written_out() -> None:
    text = findings.text(checked(CASES / "docs" / "worked-03.md"))
    assert "S[1,1] = E[1,0] * E[1,0] + E[1,1] * E[1,1] + E[1,2] * E[1,2] = " in text
    assert causes(checked(CASES / "docs" / "worked-03.md"))["S"] == []


def test_an_output_is_carried_on_from_the_printed_weights() -> None:
    found = causes(checked(CASES / "docs" / "worked-08.md"))
    assert "it was carried on from the printed A" in found["O"]


# What is said, and what is inferred.

UNSAID = r"""
$$ Q = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} $$
$$ K = \begin{bmatrix} 1 & 2 \\ 0 & 1 \end{bmatrix} $$
$$ A = \begin{bmatrix} %s \end{bmatrix} $$
"""


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (r"0.731 & 0.269 \\ 0.731 & 0.269", "inferred: no mask, scale 1"),
        (r"1.000 & 0.000 \\ 0.670 & 0.330", "inferred: causal mask, scale sqrt(2)"),
        (r"0.622 & 0.378 \\ 0.622 & 0.378", "inferred: no mask, scale 2"),
        (r"0.670 & 0.330 \\ 0.670 & 0.331", "inferred: no mask, scale sqrt(2)"),
    ],
)
def test_mask_and_scale_are_inferred_and_said(weights: str, said: str) -> None:
    """Scores are [[1, 0], [2, 1]]: what makes most numbers right, √d_k where all fail alike."""
    found = checked(UNSAID % weights, "markdown")
    assert said in found.example.notes
    assert found.counts["wrong"] == weights.count("0.331")


def test_nothing_can_be_judged_and_that_is_said() -> None:
    found = checked("# Hello\n\nNo numbers here.\n", "markdown")
    assert not found.is_wrong
    assert found.is_open
    assert "nothing could be judged" in findings.text(found)


def test_shapes_that_do_not_fit_are_said_with_their_lines() -> None:
    text = r"""
$$ E = \begin{bmatrix} 1 & 0 & 2 \\ 0 & 1 & 3 \end{bmatrix} $$
$$ W_Q = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} $$
$$ W_K = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} $$
$$ A = \begin{bmatrix} 0.5 & 0.5 \\ 0.5 & 0.5 \end{bmatrix} $$
"""
    found = checked(text, "markdown")
    assert found.example.derivation is None
    assert "E (line 2), W_Q (line 3)" in found.example.notes[0]
    assert "nothing can be derived" in found.example.notes[0]


# Without inputs.


def test_weights_are_looked_at_without_any_inputs() -> None:
    text = r"""A causal mask is used.
$$ A = \begin{bmatrix} 1 & 0.2 & 0 \\ 0.5 & 0.6 & 0 \\ 0.3 & 0.3 & 0.4 \end{bmatrix} $$
"""
    said = [odd.why for odd in checked(text, "markdown").inconsistent]
    assert any("weights sum to 1" in why for why in said)
    assert any("causal mask makes it 0" in why for why in said)
    assert checked(text, "markdown").is_wrong


def test_outputs_stay_between_the_rows_of_v() -> None:
    text = r"""
$$ V = \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix} $$
$$ O = \begin{bmatrix} 1.5 & 4.6 \\ 2 & 3 \end{bmatrix} $$
"""
    said = [odd.why for odd in checked(text, "markdown").inconsistent]
    assert said == ["column 1 of V lies between 2 and 4"]


# Corrections.


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.stem)
def test_a_corrected_document_is_clean(path: Path) -> None:
    found = checked(path)
    text = found.document.text
    new = fixed_text(text, edits(found))
    assert not checked(new, found.document.kind).counts["wrong"]
    old_lines, new_lines = text.splitlines(), new.splitlines()
    assert len(old_lines) == len(new_lines)
    touched = {f.line for f in found.findings if f.judgement.verdict == "wrong"}
    for n, (old, fixed) in enumerate(zip(old_lines, new_lines, strict=True), 1):
        assert old == fixed or n in touched
    assert (new == text) == (not touched)
    assert bool(difference("x.md", text, new)) == bool(touched)


STYLES = r"""Scores are divided by $\sqrt{1}$. No mask is used.
$$ Q = \begin{bmatrix} 1 \\ -2 \end{bmatrix} $$
$$ K = \begin{bmatrix} 0.25 \\ 1 \end{bmatrix} $$
$$ S = \begin{bmatrix} .35 & 9.0e-01 \\ −0.40 & \mathbf{-3{,}00} \end{bmatrix} $$
"""


def test_corrections_keep_the_style_of_what_they_replace() -> None:
    found = checked(STYLES, "markdown")
    new = fixed_text(found.document.text, edits(found))
    assert r"S = \begin{bmatrix} .25 & 1.0e+00 \\ −0.50 & \mathbf{-2{,}00} \end" in new.replace(
        "1.0e00", "1.0e+00"
    )


def test_right_numbers_are_left_alone_whatever_their_notation() -> None:
    text = r"""Scores are divided by $\sqrt{2}$. No mask is used.
$$ Q = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} $$
$$ K = \begin{bmatrix} 1 & 0 \\ 0 & \frac{1}{2} \end{bmatrix} $$
$$ Z = \frac{1}{\sqrt{2}} \begin{bmatrix} 1 & 0 \\ 0 & 0.5 \end{bmatrix}
     = \begin{bmatrix} \frac{\sqrt{2}}{2} & 0 \\ 0 & \frac{1}{2\sqrt{2}} \end{bmatrix}
     \approx \begin{bmatrix} 0.707 & 0 \\ 0 & 35.4\% \end{bmatrix} $$
"""
    found = checked(text, "markdown")
    assert found.counts["right"] == 12
    assert found.counts["wrong"] == found.counts["unmatched"] == 0


# What decimals mean.

GIVEN = r"""The scores are divided by $\sqrt{d_k}$. %s mask is used.
$$ Q = \begin{bmatrix} 1 & 0.5 \\ 0.2 & 1 \end{bmatrix} $$
$$ K = \begin{bmatrix} 1 & 2 \\ 0.3 & 1 \end{bmatrix} $$

"""


def wrong(found: Checked) -> dict[str, str]:
    return {
        f.judgement.at: f.judgement.correct
        for f in found.findings
        if f.judgement.verdict == "wrong"
    }


@pytest.mark.parametrize(
    "weights",
    [
        r"$$ A = \begin{bmatrix} 1 & 0 \\ 0.69 & 0.31 \end{bmatrix} $$",
        "A = [[1, 0], [0.69, 0.31]]",
        "```\n>>> print(A)\n[[1.   0.  ]\n [0.69 0.31]]\n```",
        "**A**\n\n| | |\n|--|--|\n| 1 | 0 |\n| 0.69 | 0.31 |",
    ],
)
def test_a_bare_0_or_1_claims_the_decimals_beside_it(weights: str) -> None:
    """It is no rounding of 0.3 or 0.7: a mask that should not be there is found."""
    right = checked(GIVEN % "A causal" + weights, "markdown")
    assert (right.counts["right"], right.counts["wrong"]) == (4, 0)
    found = checked(GIVEN % "No" + weights, "markdown")
    assert wrong(found) == {"A[0,0]": "0.70", "A[0,1]": "0.30"}
    assert causes(found)["A"] == ["a causal mask was applied"]
    new = fixed_text(found.document.text, edits(found))
    assert not checked(new, "markdown").is_wrong
    assert "0.70" in new and "0.70." not in new


def test_zeros_at_the_end_are_not_printed_by_programs() -> None:
    """0.5 in a print of two decimals is 0.50, and no rounding of 0.54."""
    text = "No mask is used. Scores are divided by 1.\n\nQ = [[1]]\n\nK = [[0.54], [0.12]]\n\nS = [[%s]]\n"
    assert wrong(checked(text % "0.5, 0.12", "markdown")) == {"S[0,0]": "0.54"}


def test_numbers_of_seven_digits_in_an_equation_of_few_decimals_are_rounded() -> None:
    text = r"""No mask is used. Scores are divided by $\sqrt{3}$.
$$ S = \begin{bmatrix} 20.00 & 1.00 \end{bmatrix}, \quad Q = \begin{bmatrix} 20 \end{bmatrix} $$
$$ K = \begin{bmatrix} 1 \\ 0.05 \end{bmatrix} $$
$$ Z = \begin{bmatrix} 11.54700 & 0.57735 \end{bmatrix} $$
"""
    assert wrong(checked(text, "markdown")) == {"Z[0,0]": "11.54701"}
    assert causes(checked(text, "markdown"))["Z"] == ["it was cut off and not rounded"]


def test_a_percentage_is_judged_and_shown_in_percent() -> None:
    text = (
        GIVEN % "A causal" + r"$$ A = \begin{bmatrix} 100\% & 0\% \\ 68\% & 31\% \end{bmatrix} $$"
    )
    found = checked(text, "markdown")
    assert "A[1,0]: 68% is wrong, it should be 69%" in findings.text(found)
    assert r"69\% & 31\%" in fixed_text(text, edits(found))


# Causes.


def test_a_tie_in_a_step_that_is_rounded_first_goes_away_from_zero() -> None:
    """0.25 · 0.9 = 0.225 is 0.23 when it is rounded, and 0.3 cut off is 0.3."""
    text = r"""No mask is used. Scores are divided by 2.
$$ Q = \begin{bmatrix} 0.25 \\ 0.3 \end{bmatrix} $$
$$ K = \begin{bmatrix} 0.9 \\ 1 \end{bmatrix} $$
$$ Z = \begin{bmatrix} %s \end{bmatrix} $$
"""
    found = causes(checked(text % r"0.1150 & 0.1250 \\ 0.1350 & 0.1500", "markdown"))
    assert "S was rounded to 2 decimals first" in found["Z"]
    found = causes(checked(text % r"0.1 & 0.1 \\ 0.10 & 0.15", "markdown"))
    assert "S was cut off to 1 decimal first" in found["Z"]


def test_an_output_is_carried_on_from_two_printed_steps() -> None:
    text = r"""No mask is used. Scores are divided by 1.
$$ E = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} $$
$$ W_V = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} $$
$$ Q = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} $$
$$ K = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} $$
$$ V = \begin{bmatrix} 1 & 0 \\ 0 & 3 \end{bmatrix} $$
$$ A = \begin{bmatrix} 0.77 & 0.23 \\ 0.27 & 0.73 \end{bmatrix} $$
$$ O = \begin{bmatrix} 0.77 & 0.69 \\ 0.27 & 2.19 \end{bmatrix} $$
"""
    found = causes(checked(text, "markdown"))
    both = "it was carried on from the printed A, and it was carried on from the printed V"
    assert found["O"] == [both]


def test_half_precision_explains_masked_scores() -> None:
    text = GIVEN % "A causal" + (
        r"$$ Z_{\text{masked}} = \begin{bmatrix} 1.41406 & -\infty \\ 1.55566 & 0.74951 \end{bmatrix} $$"
    )
    assert causes(checked(text, "markdown"))["Z_masked"] == ["it was computed in float16"]


# Corrections of what is hidden.

IMAGE = (
    "![](https://latex.codecogs.com/svg.image?Z_%7B%5Ctext%7Bmasked%7D%7D%3D%5Cbegin%7Bbmatrix%7D"
    "1.41%26{}%5C%5C1.56%26{}%5Cend%7Bbmatrix%7D)"
)
TABULAR = (
    "Masked scores:\n\n\\begin{{tabular}}{{rr}}\n1.41 & {} \\\\\n1.56 & {} \\\\\n\\end{{tabular}}\n"
)


@pytest.mark.parametrize(
    ("notation", "hidden"),
    [(IMAGE, "-%5Cinfty"), (TABULAR, r"$-\infty$"),
     ("Z_masked = [[1.41, {}], [1.56, {}]]", "-inf"),
     ("**Masked scores**\n\n| | |\n|--|--|\n| 1.41 | {} |\n| 1.56 | {} |\n", "−∞")],
)  # fmt: skip
def test_a_hidden_score_is_corrected_in_its_notation(notation: str, hidden: str) -> None:
    """As the notation writes it, encoded in an address; a number gets its decimals back."""
    for cells in (("0.57", "0.75"), (hidden, hidden)):
        text = GIVEN % "A causal" + notation.format(*cells)
        found = checked(text, "markdown")
        new = fixed_text(text, edits(found))
        assert new.strip("$") == (GIVEN % "A causal" + notation.format(hidden, "0.75")) or (
            new.replace("$0.75$", "0.75") == GIVEN % "A causal" + notation.format(hidden, "0.75")
        )


def test_nan_is_corrected_with_the_decimals_beside_it() -> None:
    text = GIVEN % "A causal" + "A = [[1.0, 0.0], [nan, 0.31]]"
    assert wrong(checked(text, "markdown")) == {"A[1,0]": "0.69"}


def test_one_row_without_the_mask_is_wrong_and_no_other_example() -> None:
    """Rows are printed apart: that one fits another mask does not make it another variant."""
    text = (CASES / "docs" / "article.md").read_text("utf-8")
    unmasked = text.replace("0.35 & 0.65 & 0 ", "0.26 & 0.48 & 0.26 ")
    found = checked(unmasked, "markdown")
    wrong = [f.judgement.at for f in found.findings if f.judgement.verdict == "wrong"]
    assert wrong == ["A[1,0]", "A[1,1]", "A[1,2]", "O[1,1]"]
    assert "the mask was left out" in causes(found)["A"]
    assert not found.example.unmatched
