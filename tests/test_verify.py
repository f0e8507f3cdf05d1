"""verify agrees where NumPy is right, and names the step and entry where it is not."""

from __future__ import annotations

import json

import numpy as np
import pytest

import symattn as sa
from symattn.errors import AddressError, ShapeError
from symattn.verify import TYPES, _ulp


def test_the_article_agrees(article: sa.Derivation, encoder: sa.Derivation) -> None:
    for d in (article, encoder):
        report = d.verify()
        assert report.agrees
        assert not report.disagreements
        compared = {c.step for c in report.checks}
        assert compared == {s.short for s in d.steps if not s.inside}
        assert {c.type for c in report.checks} == set(TYPES)


#: Larger than any bound of the article in that type.
STEPS = {"float64": 1e-13, "float32": 1e-5, "float16": 0.1, "bfloat16": 2.0}


@pytest.mark.parametrize("kind", TYPES)
def test_one_altered_number_is_found_and_named(article: sa.Derivation, kind: str) -> None:
    for name, index in (("A", (1, 1)), ("O", (2, 0)), ("P", (3,)), ("M", (0, 2))):
        altered = article[name].numeric(kind)
        altered[index] = -60000 if name == "M" else altered[index] + altered.dtype.type(STEPS[kind])
        report = article.verify(**{name: altered})
        at = f"{name}[{','.join(map(str, index))}]"
        assert not report.agrees
        assert len(report.disagreements) == 1
        assert report.disagreements[0].startswith(f"{name} disagrees in {kind} at {at}: ")
        assert "NO" in str(report)


def test_nan_and_lost_infinities_disagree(article: sa.Derivation) -> None:
    for bad in (np.nan, np.inf, -1e9):
        altered = article["Z_masked"].numeric()
        altered[0, 1] = bad
        assert not article.verify(Z_masked=altered).agrees
    altered = article["A"].numeric()
    altered[2, 2] = np.nan
    assert not article.verify(A=altered).agrees


def test_a_wrong_formula_is_found(article: sa.Derivation) -> None:
    """Softmax over columns: a common slip, and NumPy itself made no mistake in it."""
    z = article["Z_masked"].numeric()
    columns = np.exp(z) / np.exp(z).sum(axis=0, keepdims=True)
    found = article.verify(A=columns).disagreements
    assert found[0].startswith("A disagrees in float64")


def test_other_arrays_are_checked_for_shape_and_address(article: sa.Derivation) -> None:
    with pytest.raises(ShapeError, match=r"A: wanted an array of shape \(3, 3\), got \(2, 2\)"):
        article.verify(A=[[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(AddressError, match="no step 'B'"):
        article.verify(B=[1.0])
    with pytest.raises(AddressError, match="inside of a softmax"):
        article.verify(**{"A.exp": [[1.0] * 3] * 3})


def test_ulps_are_units_in_the_last_place_at_the_exact_value() -> None:
    from fractions import Fraction

    double, single = np.finfo("float64"), np.finfo("float32")
    assert _ulp(Fraction(1), double) == 2.0**-52
    assert _ulp(Fraction(2) - Fraction(1, 10**9), double) == 2.0**-52
    assert _ulp(Fraction(2), double) == 2.0**-51
    assert _ulp(Fraction(1, 3), double) == 2.0**-54
    assert _ulp(Fraction(-1, 3), single) == 2.0**-25
    assert _ulp(Fraction(0), double) is None
    assert _ulp(Fraction(1, 10**45), single) is None


def test_distances_are_measured(article: sa.Derivation) -> None:
    """1/5 in binary: float64 is off by 0.4 ulp, as 0.2 = 3602879701896397 / 2^54 shows."""
    check = next(c for c in article.verify().checks if c.step == "W_vocab" and c.type == "float64")
    assert check.ulps == pytest.approx(0.4)


def test_json_is_strict(article: sa.Derivation) -> None:
    altered = article["A"].numeric()
    altered[0, 0] = np.nan
    text = json.dumps(article.verify(A=altered).json(), allow_nan=False)
    assert json.loads(text)["agrees"] is False


def test_the_table_has_certified_values_precision_and_errors(article: sa.Derivation) -> None:
    lines = str(article.verify()).splitlines()
    assert lines[0].split()[:4] == ["step", "certified", "value", "bits"]
    assert lines[0].split()[4:] == list(TYPES)
    row = next(line for line in lines if line.startswith("A "))
    check = next(c for c in article.verify().checks if c.step == "A" and c.type == "float64")
    assert f"{check.worst_at} = {check.exact}" in row
    assert article["A[" + check.worst_at.partition("[")[2]].decimal(17).startswith(check.exact[:16])
    assert " 256 " in row
    assert "(mean " in row
    assert lines[-1].startswith("19 steps agree")


def root_of_difference(x):
    y = np.sqrt(np.log(x) - np.log(3) - np.log(2))
    return y


def test_entries_that_no_enclosure_settles_are_counted_and_told() -> None:
    d = sa.derive(root_of_difference, x=[6, 7])
    report = d.verify()
    assert report.agrees
    assert report.left_out == ["y: 1 undecided, since no enclosure settles them; not compared"]
    assert str(report).splitlines()[-1] == report.left_out[0]
    assert {c["undecided"] for c in report.json()["checks"] if c["step"] == "y"} == {1}
