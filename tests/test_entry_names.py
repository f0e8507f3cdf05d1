"""Names of entries in what others print, and the comment that says what a page is about."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from symattn.claims.check import Checked, check
from symattn.claims.fix import edits, fixed_text
from symattn.claims.reading import read
from symattn.cli import main
from symattn.spec_reader import load_spec
from symattn.transformer import worked_attention
from symattn.writers import latex, markdown, marker

pytestmark = pytest.mark.once

GIVEN = r"""No mask is used. The scores are divided by 1.
$$ Q = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} $$
$$ K = \begin{bmatrix} 1 & 2 \\ 0 & 1 \end{bmatrix} $$
$$ A = \begin{bmatrix} %s & 0.27 \\ %s & 0.27 \end{bmatrix} $$
"""


def verdicts(first: str, second: str) -> list[str]:
    """Of A[0,0] and A[1,0]; Z is [[1, 0], [2, 1]]."""
    found = check(read(GIVEN % (first, second), "markdown"), worked_attention)
    at = {f.judgement.at: f.judgement.verdict for f in found.findings}
    return [at["A[0,0]"], at["A[1,0]"]]


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (r"\frac{e^{Z[0,0]}}{\ell_0}", r"\frac{e^{Z[1,0]}}{\ell_1}", ["right", "right"]),
        (r"\frac{e^{Z[0,0]}}{\ell_0}", r"\frac{e^{Z[1,1]}}{\ell_1}", ["right", "wrong"]),
        (r"\frac{e^{Z[0,0]}}{\ell_0}", r"\frac{e^{Z[1,0]}}{\ell_0}", ["right", "wrong"]),
        (r"A[0,0]", r"1 - A_{1,1}", ["right", "right"]),
        (r"e/\ell_0", r"e^{Z_{10}} / \ell_{1}", ["unmatched", "right"]),
        # From one, where that makes more right: 1-based rows of sums.
        (r"\frac{e^{Z_{1,1}}}{\ell_1}", r"\frac{e^{Z_{2,1}}}{\ell_2}", ["right", "right"]),
        (r"\frac{e^{Z[0,0]}}{\ell_1}", r"\frac{e^{Z[1,0]}}{\ell_2}", ["wrong", "wrong"]),
        # What there is not is wrong, what is unknown unmatched.
        (r"A[0,0]", r"A[7,0]", ["right", "wrong"]),
        (r"A[0,0]", r"B[1,0]", ["right", "unmatched"]),
        (r"A[0,0]", r"A[1,0] + x", ["right", "unmatched"]),
    ],
)
def test_cells_are_judged_by_the_entries_they_name(
    first: str, second: str, wanted: list[str]
) -> None:
    assert verdicts(first, second) == wanted


def about(text: str, spec: str = "article") -> Checked:
    loaded = load_spec(spec)
    return check(read(text, "markdown"), worked_attention, loaded.derive(), aliases={})


@pytest.mark.parametrize(
    ("text", "right", "wrong", "unmatched"),
    [
        (r"$A[1,0] = \frac{e^{Z[1,0]}}{\ell_1} \approx 0.36$", 2, 0, 0),
        (r"$A[1,0] = \frac{e^{Z[1,1]}}{\ell_1} \approx 0.35$", 0, 2, 0),
        ("$$\\begin{aligned} \\ell_1 &= e^{Z[1,0]} \\\\[6pt]\n&\\quad + e^{Z[1,1]} \\approx 3.24\n"
         "\\end{aligned}$$", 2, 0, 0),
        (r"$B[1,0] = 0.36$", 0, 0, 1),
        (r"$A[1,0] = 0,36$ and $A[1,0] \approx 0,356$, $A[1,0] = 0,37$", 2, 1, 0),
        (r"$A[1,0] = 0,36, A[1,1] = 0,64$", 2, 0, 0),
        (r"$A[1,0] = 1,2,3$, $P[0] = 1$, $A[1,0] = 1, 36$", 0, 2, 0),
        ("$A\n[1,\n0] = 0.36$ and $A\x85[1,0] = 0.37$, $Z[1,0] = \\log\nA[1,0]$", 1, 2, 0),
        # One is infinite, or both.
        (r"$Z_{\mathrm{masked}}[0,1] = -\infty$, $M[0,1] = \infty$", 1, 1, 0),
        (r"$M[0,1] = Z_{\mathrm{masked}}[0,1] = M[0,0] = -M[0,1]$", 1, 1, 0),
        (r"$A[1,0] = M[0,1] + 1$, $A[0,1] = e^{M[0,1]}$", 1, 1, 0),
        # Expressions with decimals in them, as far as these say.
        (r"$A[1,0] \approx \frac{e^{0.14}}{e^{0.14} + e^{0.74}}$", 1, 0, 0),
        (r"$A[1,0] \approx \frac{e^{0.14}}{e^{0.14} + e^{0.94}}$", 0, 1, 0),
        (r"$A[1,0] = \frac{e^{0.14}}{e^{0.14} + e^{0.74}}$", 0, 1, 0),
        (r"$\ell_i = \sum_j e^{Z_{\mathrm{masked}}[i,j]}$, and $d_k = 2$, $x_1 = 3$", 0, 0, 0),
        ("$$M = \\begin{cases} 0 & \\text{if } j \\le i \\\\ -\\infty & \\text{otherwise}"
         "\\end{cases}$$", 0, 0, 0),
    ],
)  # fmt: skip
def test_equations_of_entries_on_a_page_about_a_spec(
    text: str, right: int, wrong: int, unmatched: int
) -> None:
    found = about(text).counts
    assert (found["right"], found["wrong"], found["unmatched"]) == (right, wrong, unmatched)


def test_single_numbers_claim_nothing_where_no_spec_is_named() -> None:
    text = GIVEN % ("0.73", "0.73") + "\n$A[1,0] = 0.99$\n"
    assert not check(read(text, "markdown"), worked_attention).counts["wrong"]


def test_a_formula_of_another_head_is_found() -> None:
    text = r"$$O^{(0,1)} = A^{(0,1)} V^{(0,0)} \approx x$$"
    (odd,) = about(text, "gpt2").inconsistent
    assert "(0,0)" in odd.what and "layer[0].head[1].O" in odd.why


def test_wrong_expressions_are_corrected() -> None:
    found = about(r"$A[1,0] = \frac{e^{Z[1,1]}}{\ell_1} \approx 0.36$")
    new = fixed_text(found.document.text, edits(found))
    assert not about(new).counts["wrong"]
    assert r"\frac{e^{\sqrt{2}/10}}{\ell_1} \approx 0.36" in new


# What a page is about.


@pytest.mark.parametrize("ending", ["md", "tex"])
def test_a_page_of_one_s_own_spec_says_where_that_lies(tmp_path: Path, ending: str) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "pages").mkdir()
    spec, made = tmp_path / "specs" / "mine 1.toml", tmp_path / "pages" / f"mine.{ending}"
    CliRunner().invoke(main, ["new", str(spec)])
    result = CliRunner().invoke(main, ["write", str(spec), "-o", str(made)])
    assert result.exit_code == 0, result.output
    assert "symattn: spec ../specs/mine 1.toml" in made.read_text("utf-8").split("\n")[0]
    assert read(made).spec == "../specs/mine 1.toml"
    assert CliRunner().invoke(main, ["check", "--strict", str(made)]).exit_code == 0
    printed = CliRunner().invoke(main, ["write", str(spec)]).output
    assert "symattn: spec" not in printed


@pytest.mark.parametrize(
    "name",
    ["a --> b.toml", "a--b.toml", 'a"b.toml', "a\nb.toml", "a\r% b.toml", "a>b.toml", "<a.toml",
     "a\u2028b.toml", "a`b.toml", " a.toml", "a.toml ", "a  b.toml", "-->", "a\\b.toml",
     "x" * 300 + ".toml", ""],
)  # fmt: skip
def test_names_that_could_end_the_comment_are_left_out(name: str) -> None:
    from symattn.document import page

    made = page(load_spec("article-encoder").derive())
    assert marker.said(name) == ""
    for writer in (markdown, latex):
        assert writer.write(made, name) == writer.write(made)


def test_a_page_about_numbers_that_its_spec_quotes_says_it_itself() -> None:
    assert "symattn: spec" not in CliRunner().invoke(main, ["write", "article"]).output
