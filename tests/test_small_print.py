"""Small print of reading and judging: what a planted fault once showed to be untested."""

from __future__ import annotations

from decimal import Decimal

import pytest

import symattn as sa
from symattn.claims.check import Checked, check
from symattn.claims.prose import printed_in, quoted_in
from symattn.claims.reading import read
from symattn.errors import ExactnessError
from symattn.literals import NEGATIVE_INFINITY, POSITIVE_INFINITY, exact, parse
from symattn.numbers.compact import number
from symattn.spec_reader import load_spec
from symattn.transformer import worked_attention

pytestmark = pytest.mark.once


def about(text: str, spec: str = "article") -> Checked:
    return check(read(text, "markdown"), worked_attention, load_spec(spec).derive(), aliases={})


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
