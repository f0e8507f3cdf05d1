"""Small print of reading and judging: what a planted fault once showed to be untested."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from flint import arb_mat

import symattn as sa
from symattn.claims.check import check
from symattn.claims.fix import edits, fixed_text
from symattn.claims.judge import cell
from symattn.claims.prose import printed_in, quoted_in
from symattn.claims.reading import read
from symattn.claims.reading.cells import with_comma
from symattn.claims.reading.formulas import meaning_of
from symattn.claims.reading.translate import exact_text, exact_value
from symattn.errors import ExactnessError, MaskError
from symattn.literals import NEGATIVE_INFINITY, PI, POSITIVE_INFINITY, exact, parse
from symattn.numbers.ball import COLUMNS, Ball, Balls, Doubles
from symattn.numbers.compact import number
from symattn.numbers.dependence import Dependence
from symattn.numbers.normal_form import ONE, ZERO, power
from symattn.trace import part_of_input
from symattn.transformer import worked_attention
from tests.test_entry_names import about

pytestmark = pytest.mark.once


def labels(text: str) -> list[str]:
    return [e.label.strip() for e in read(text, "markdown").equalities]


def test_what_stands_in_any_case_is_no_equation() -> None:
    case = r"\begin{cases} %s = 1 \end{cases}"
    assert labels(rf"$${case % 'x'} \\ {case % 'y'} \\ A = 3$$") == ["A"]
    # One that is never closed hides nothing.
    assert labels(r"$$\begin{cases} x = 1 \\ A = 3$$") == ["x", "A"]


@pytest.mark.parametrize("name", ["tabular", "tabular*", "tabularx"])
def test_a_text_table_whose_rows_differ_is_read_by_columns_and_rows(name: str) -> None:
    width = "" if name == "tabular" else r"{\textwidth}"
    table = rf"\begin{{{name}}}{width}{{cc}} %s \end{{{name}}}"
    (found,) = (
        read("A: " + table % r"1 & 2 \\ 3", "latex").matrices
        or read("$$A = " + table % r"1 & 2 \\ 3" + "$$", "latex").matrices
    )
    assert [[c.text for c in row] for row in found.rows] == [["1", "2"], ["3"]]
    assert found.labels == ()
    assert not read("$$A = " + table % r"1 & word \\ 3 & word" + "$$", "latex").matrices


def test_of_two_rows_that_may_be_meant_the_better_one_is() -> None:
    """A[1] is 0.36, 0.64, 0; A[0] is 1, 0, 0: one number of three is more than none."""
    found = about(r"$A_1 = [0.36, 0.99, 0.99]$").findings
    assert {f.claim.entry.index[0] for f in found} == {1}
    assert [f.judgement.verdict for f in found] == ["right", "wrong", "wrong"]


def test_numbers_of_running_text_and_of_quoted_blocks() -> None:
    text = (
        "<!-- symattn: quoted -->\nIt is 0.37, then 10.5.\n<!-- /symattn: quoted -->\n\nBut 0.36.\n"
    )
    reading = read(text, "markdown")
    assert quoted_in(reading, ["0.37", "0.36", "0.3", "0.5", "10.5"]) == {"0.37", "10.5"}
    assert printed_in(reading, ["0.36", "6"]) == {"0.36"}


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        (r"$Z[1,0] = \log A[1,0] + \log \ell_1$", ["undecided"]),
        (r"$Z[1,0] = \log A[1,1] + \log \ell_1$", ["wrong"]),
        (r"$Z[1,0] = \ln(A[1,0] \ell_1)$", ["undecided"]),
        # Of nothing there is none, and no quotient by it.
        (
            r"$M[0,1] = \log(A[0,1])$, $M[0,1] = 1/A[0,1]$, $M[0,1] = \log(A[0,0])$",
            ["undecided", "undecided", "wrong"],
        ),
    ],
)
def test_logarithms_of_names(text: str, verdicts: list[str]) -> None:
    """Their names are found; that a logarithm and a sum are equal is not proven."""
    assert [f.judgement.verdict for f in about(text).findings] == verdicts


def test_infinite_decimals_of_python_are_infinities_of_their_sign() -> None:
    assert exact(Decimal("Infinity")) == POSITIVE_INFINITY
    assert exact(Decimal("-Infinity")) == NEGATIVE_INFINITY


@pytest.mark.parametrize(
    "text", ["(sqrt(2)-sqrt(2))^(-1)", "(sqrt(2)-sqrt(2))^(-1/2)", "1/(sqrt(8)-2*sqrt(2))"]
)
def test_a_power_of_nothing_that_divides(text: str) -> None:
    with pytest.raises(ExactnessError, match="the divisor is zero"):
        number(parse(text))


def test_absolute_errors_are_those_of_entries_without_a_unit() -> None:
    """P has a unit in the last place everywhere, A none where it is 0."""
    checks = {(c.step, c.type): c for c in sa.article().verify().checks}
    found = checks["P", "float64"]
    assert found.absolute == 0 < found.error
    assert checks["A", "float64"].absolute == 0


@pytest.mark.parametrize(
    ("text", "kind", "places"),
    [
        ("1,250", "decimal", 3),
        ("−1{,}250", "decimal", 3),
        ("1,250,000", "integer", 0),
        ("1250", "integer", 0),
        ("0.25", "decimal", 2),
    ],
)
def test_a_thousand_that_may_be_a_decimal(text: str, kind: str, places: int) -> None:
    """1,250 beside 0,25 is no thousand."""
    printed = with_comma(cell(text))
    assert (printed.text, printed.kind, printed.decimals) == (text, kind, places)
    assert with_comma(cell(r"\approx 1,250^*")).approximate


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("Attention(Q, K, V)", "O"), ("self.attn(x)", "O"), ("scaled_dot_product_attention(q, k, v)", "O"),
        ("W_query(x)", "Q"), ("self.W_key(x)", "K"), ("W_V(x)", "V"), ("causal_mask(scores)", "Z_masked"),
        ("Softmax(Z)", "A"), ("scores.masked_fill(mask, -inf)", "Z_masked"), ("x.softmax(dim=-1)", "A"),
    ],
)  # fmt: skip
def test_calls_are_the_steps_that_they_calculate(text: str, step: str) -> None:
    found = meaning_of(text)
    assert found is not None and found.step == step and found.is_formula


def test_commas_of_a_whole_document() -> None:
    text = r"$A = \begin{bmatrix} 1,250 & 0,25 \end{bmatrix}$ and $B = \begin{bmatrix} 1,250 & 2 \end{bmatrix}$"
    values = [[c.value for c in m.cells] for m in read(text, "markdown").matrices]
    assert values == [[Fraction(5, 4), Fraction(1, 4)], [Fraction(5, 4), 2]]
    text = text.replace("0,25", "0.25")
    assert [m.cells[0].value for m in read(text, "markdown").matrices] == [1250, 1250]


def judged(d: sa.Derivation, text: str) -> list[str]:
    found = check(read(text, "markdown"), worked_attention, d, aliases={})
    return [f.judgement.verdict for f in found.findings]


def test_a_star_says_that_a_row_was_to_add_to_one() -> None:
    d = sa.article().with_digits(3)
    ((index, decimal),) = d.with_display(row_sums="kept")["A"].moved().items()
    name = f"A[{index[0]},{index[1]}]"
    nearest = d["A"].decimal(3)[index[0]][index[1]]
    assert nearest != decimal
    assert judged(d, f"${name} = {decimal}^*$, ${name} = {decimal}$") == ["right", "wrong"]
    assert judged(d, f"${name} = {nearest}^*$, ${name} = 0.9^*$") == ["right", "wrong"]
    assert judged(d, f"${name} = {decimal}1^*$") == ["wrong"]


def test_what_depends_on_symbols_is_undecided_and_the_rest_is_judged() -> None:
    d = sa.article().with_(W_Q=sa.symbols_like("W_Q", (2, 2)))
    text = "$S[0,0] = 1$, $V[1,1] = {}$, $M[0,1] = 3$, $S[0,1] = S[0,1]$".format(
        d["V"][1, 1].decimal(2)
    )
    assert judged(d, text) == ["undecided", "right", "wrong", "right"]


def test_numbers_that_hang_on_printed_inputs() -> None:
    half = np.full((2, 2), Fraction(1, 20), dtype=object)
    d = sa.article().with_radii({"W_1": half})
    assert d.radii
    low, high = d.enclosures.bounds((d["F"].node, (0,)))
    assert high - low > Fraction(1, 20)
    inside, outside = float((low + 3 * high) / 4), float(high + Fraction(1, 3))
    text = f"$F[0] = {inside:.4f}$, $F[0] = {outside:.4f}$, $F[0] = {round(high * 2) + 2}/2$"
    text += f", $F[0] = {Fraction(inside).limit_denominator(1000)}$, $A[1,0] = 0.36$, $A[1,0] = 0.37$, $F[0] = 1e1$"
    assert judged(d, text) == ["right", "wrong", "wrong", "right", "right", "wrong", "wrong"]
    note = check(read(text, "markdown"), worked_attention, d, aliases={}).findings[0].judgement.note
    assert note == "within what the printed digits of the inputs leave open"
    matrix = r"$$F = \frac{1}{2} \begin{bmatrix} 1 & 2 \end{bmatrix}$$"
    assert judged(d, matrix) == ["undecided", "undecided"]


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("$P[0] = 0e1$, $P[0] = 1e1$, $P[0] = 1e0$", ["right", "wrong", "wrong"]),
        (r"$$S = \frac{1}{25} \begin{bmatrix} 25 & 5 & 20 \\ 5 & 26 & 4 \\ 20 & 4 & 17 \end{bmatrix}$$",
         ["right"] * 8 + ["wrong"]),
        (r"$$Z = \frac{1}{\sqrt{2}} \begin{bmatrix} 1.0 & 0.2 & 4/5 \\ 0.2 & 1.05 & 0.16 \\ 0.8 & 0.16 & \sqrt{2} \end{bmatrix}$$",
         ["right"] * 4 + ["wrong", "right", "right", "right", "wrong"]),
    ],
)  # fmt: skip
def test_powers_of_ten_and_factors(text: str, verdicts: list[str]) -> None:
    assert judged(sa.article(), text) == verdicts


def second(W: Any) -> Any:
    return W[1] * 1


def first_rows(W: Any) -> Any:
    return W[:, 0] * 1  # begins where a matrix does


def out_of_step(W: Any) -> Any:
    return W.reshape(-1)[1:5].reshape(2, 2) * 1  # as long as one


def row(W: Any) -> Any:
    return W[1][0] * 1


def turned(W: Any) -> Any:
    return W[1].T * 1


@pytest.mark.parametrize(
    ("taken", "part"),
    [
        (second, (0, (1,))),
        (first_rows, None),
        (out_of_step, None),
        (row, (0, (1, 0))),
        (turned, None),
    ],
)
def test_parts_of_an_input_are_whole_ones(taken: Any, part: Any) -> None:
    d = sa.derive(taken, W=np.arange(8).reshape(2, 2, 2))
    gathered = d.graph.nodes[d.graph.result].inputs[0]
    assert part_of_input(d.graph.nodes, gathered) == part


_ROOTS = {0: "0", 2: "1/2", 3: "sqrt(2)/2", 4: "sqrt(3)/2", 6: "1"}  # of k twelfths of π


@pytest.mark.parametrize("k", range(-26, 27))
def test_sines_and_cosines_of_parts_of_pi(k: int) -> None:
    for function, twelfths in (("sin", k), ("cos", k + 6)):
        found = number(parse(f"{function}({k}*pi/12)", {"pi": PI}))
        half_turns, rest = divmod(twelfths, 12)
        root = _ROOTS.get(min(rest, 12 - rest))
        if root is None:
            assert "sin" in str(found) or "cos" in str(found)
        else:
            assert found == number(parse(f"{'-' if half_turns % 2 else ''}({root})"))


@pytest.mark.parametrize("columns", [1, COLUMNS - 1, COLUMNS, COLUMNS + 1, 3 * COLUMNS - 5])
def test_a_product_block_by_block_is_the_product(columns: int) -> None:
    random = np.random.default_rng(columns)
    left = arb_mat(3, 4, random.normal(size=12).tolist())
    right = random.normal(size=(4, columns))
    whole = left * arb_mat(4, columns, right.ravel().tolist())
    found = Doubles(right).times(left)
    assert (found.nrows(), found.ncols()) == (3, columns)
    assert all(
        x.overlaps(y) and x.rad() < 1e-14
        for x, y in zip(found.entries(), whole.entries(), strict=True)
    )


def test_a_matrix_where_a_text_begins() -> None:
    for kind in ("markdown", "latex", "text"):
        (found,) = read(r"\begin{bmatrix} 1 & 2 \end{bmatrix} = A", kind).matrices
        assert (found.start, found.label) == (0, "A")


def test_numbers_beside_matrices_are_equations_of_what_stands_first() -> None:
    matrix = r"\begin{bmatrix} 1 & 2 \end{bmatrix}"
    (found,) = read(rf"$A[0,1] = {matrix} = 0.36 = 1/2$", "markdown").equalities
    assert (found.label.strip(), found.filled) == ("A[0,1]", True)
    assert [s.text for s in found.sides] == ["0.36", "1/2"]
    assert not read(rf"${matrix} = A[0,1] = 0.36$", "markdown").equalities
    assert not read(rf"$A[0,1] = {matrix}$", "markdown").equalities


@pytest.mark.parametrize("kind", ["text", "notebook"])
def test_blocks_are_not_written_where_nobody_would_see_them(kind: Any) -> None:
    text = "<!-- symattn: show A -->\nx\n<!-- /symattn: show -->"
    if kind == "notebook":
        text = json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": text}]})
    (shown,) = check(read(text, kind), worked_attention, sa.article(), aliases={}).shown
    assert (shown.state, shown.problem) == (
        "wrong",
        f"blocks are not written in a {kind} document",
    )


def test_a_prompt_that_is_escaped_is_no_name() -> None:
    (found,) = read("<pre>\n&gt;&gt;&gt; A = [[1, 2], [3, 4]]\n</pre>", "markdown").matrices
    assert found.labels == ("A",)


def test_a_row_that_is_masked_everywhere_has_no_weights_unless_they_are_to_be_zero() -> None:
    ball = Ball(64)
    hidden = Balls.of([NEGATIVE_INFINITY] * 2, (1, 2))
    with pytest.raises(MaskError, match="masked"):
        ball.softmax(hidden)
    assert [x.is_zero() for x in ball.softmax(hidden, zero=True).balls()] == [True, True]


@pytest.mark.parametrize(
    ("statement", "label"),
    [
        ('print("Scores:", scores)', "scores"), ('print(f"A = {A}")', "A"), ('print(F"Q {Q}")', "Q"),
        ("print('attention weights')", "attention weights"), ("print(F.softmax(Z))", "F.softmax(Z)"), ("print(fK)", "fK"),
        ('print("K", K, sep="")', "K"), ("print(A)  # the weights", "A"), ('print("Masked scores:\\\\n", x_2)', "x_2"), ("V", "V"),
    ],
)  # fmt: skip
def test_what_a_statement_prints_is_called_by_what_it_names(statement: str, label: str) -> None:
    (found,) = read(f"```python\n>>> {statement}\n[[1, 2], [3, 4]]\n```", "markdown").matrices
    assert found.labels == (label,)


@pytest.mark.parametrize("line", ["X =", "X :=", "X :", "**X** =\t", "`X`: ", "# X", "X"])
def test_a_line_before_a_print_names_it(line: str) -> None:
    (found,) = read(f"```\n{line}\n[[1, 2], [3, 4]]\n```", "markdown").matrices
    assert (found.labels, found.name.step) == (("X",), "E")


@pytest.mark.parametrize(
    "heading", [r"\section{Attention weights}", r"\subsubsection*{The attention weights}"]
)
def test_a_heading_in_latex_names_what_follows(heading: str) -> None:
    (found,) = read(heading + "\n\n" + r"\[\begin{bmatrix} 1 & 2 \end{bmatrix}\]", "latex").matrices
    assert (found.name.step, found.name.certainty) == ("A", "words")


def test_tables_in_latex_end_where_they_end() -> None:
    table = r"\begin{tabular}{cc} 1 & 2 \\ 3 & 4 \end{tabular}"
    (found,) = read(f"Text.\n\n{table} and more", "latex").matrices
    assert found.outer == (found.start, found.end) == (7, 7 + len(table))


def test_what_a_sum_with_something_hidden_hangs_on() -> None:
    row = np.array([[NEGATIVE_INFINITY, 3]], dtype=object)
    assert Dependence().sum(row, axis=1, keepdims=False).tolist() == [NEGATIVE_INFINITY]
    assert Dependence().max(row, axis=1, keepdims=True).tolist() == [[3]]


def test_infinities_are_corrected_to_those_of_their_sign() -> None:
    d = sa.derive(itself, M=[["oo", "-oo", "1"]])
    text = r"$$M = \begin{bmatrix} -\infty & 0 & 2 \end{bmatrix}$$ <!-- symattn: M -->"
    found = check(read(text, "markdown"), worked_attention, d, aliases={})
    assert r"\begin{bmatrix} \infty & -\infty & 1 \end{bmatrix}" in fixed_text(text, edits(found))


def itself(M: Any) -> Any:
    return np.maximum(M, M)


def contracted(x: Any, subscripts: Any) -> Any:
    return np.einsum(subscripts, x)


def test_options_and_inputs_are_changed_together() -> None:
    d = sa.derive(contracted, x=[[1, 2]], subscripts=sa.static("ij->ji"))
    changed = d.with_(subscripts=sa.static("ij->i"), x=[[3, 4], [5, 6]])
    assert [e.rational for e in changed["return"].entries()] == [7, 11]


def test_infinity_in_an_exact_number() -> None:
    assert exact_text(r"e^{-\infty}") == "exp(-oo)"
    assert exact_text(r"\frac{1}{-\infty}") == "((1)/(-oo))"
    assert exact_value(r"-\infty") is not None


@pytest.mark.parametrize(
    ("body", "notation"),
    [(r"\begin{aligned} A &= \begin{bmatrix} 1 & 2 \end{bmatrix} \end{aligned}", "latex"), ("A = [[1, 2]]", "list"),
     (r"x \begin{aligned} A &= \begin{bmatrix} 1 & 2 \end{bmatrix} \end{aligned}", None)],
)  # fmt: skip
def test_formulas_of_a_plain_page_are_mathematics(body: str, notation: str | None) -> None:
    found = read(f"```text\n{body}\n```\n", "text").matrices
    assert [m.notation for m in found] == ([notation] if notation else [])


def test_bytes_in_an_address_that_are_no_text() -> None:
    maths = quote(r"A = \begin{bmatrix} 1 & 2~ \\ 3 & 4 \end{bmatrix}").replace("~", "%FF")
    (found,) = read(
        f"![](https://latex.codecogs.com/svg.image?{maths}), (1, 2)", "markdown"
    ).matrices
    assert [c.is_number for c in found.cells] == [True, False, True, True]
    assert found.labels == ("A",)


def test_a_single_word_is_no_list_of_tokens() -> None:
    assert read("Tokens: cat", "markdown").facts.tokens == ()
    assert read("Tokens: cat, dog", "markdown").facts.tokens == ("cat", "dog")


def test_differences_in_both_exact_systems() -> None:
    d = sa.derive(minus, x=[["sqrt(2)", 3]], y=[[1, "1/2"]])
    assert [str(v) for v in d["return"].exact] == ["-1 + sqrt(2)", "5/2"]
    assert [e.text() for e in d["return"].entries()] == ["-1 + sqrt(2)", "5/2"]


def minus(x: Any, y: Any) -> Any:
    return x - y


def test_nothing_divides() -> None:
    with pytest.raises(ExactnessError, match="a division by zero"):
        power(ZERO, -ONE)


def test_subscripts_count_from_zero_unless_more_is_right_from_one() -> None:
    article = sa.article()
    assert judged(article, "$A[0,0] = A_{00}$, $A[1,1] = A_{22}$") == ["right", "wrong"]
    assert judged(article, "$A[0,0] = A_{00}$, $A[1,1] = A_{22}$, $A[2,1] = A_{32}$") == [
        "wrong",
        "right",
        "right",
    ]
