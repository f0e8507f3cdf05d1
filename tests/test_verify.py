"""verify agrees where NumPy is right, and names the step and entry where it is not."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symattn as sa
from symattn.errors import AddressError, ShapeError
from symattn.numbers.pairs import Pairs, of_balls, of_scaled, unit_in_last_place
from symattn.verify import TYPES


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
    double, single = np.finfo("float64"), np.finfo("float32")

    def unit(value: Fraction, info: Any) -> float:
        pairs = Pairs(np.zeros(()), np.zeros(()), np.zeros(()))
        pairs.put((), value, Fraction(0))
        return float(unit_in_last_place(pairs, info))

    assert unit(Fraction(1), double) == 2.0**-52
    assert unit(Fraction(2) - Fraction(1, 10**9), double) == 2.0**-52
    assert unit(Fraction(2) - Fraction(1, 10**30), double) == 2.0**-52  # nearest float64: 2
    assert unit(Fraction(2), double) == 2.0**-51
    assert unit(Fraction(1, 3), double) == 2.0**-54
    assert unit(Fraction(-1, 3), single) == 2.0**-25
    assert np.isnan(unit(Fraction(0), double))
    assert np.isnan(unit(Fraction(1, 10**45), single))


@given(
    st.lists(st.fractions(-(10**6), 10**6, max_denominator=1000), min_size=1, max_size=3),
    st.sampled_from([1, 2, 3, 10]),
)
def test_pairs_enclose_and_are_narrow(values: list[Fraction], radicand: int) -> None:
    """From integers and from balls alike: about thirty digits, and the exact value inside."""
    root = f"sqrt({radicand})"
    d = sa.derive(scaled, x=[str(v) for v in values], c=root)
    step = d["y"]
    for pairs in (of_scaled(step.forms), of_balls(d.enclosures.at(128)[step.node], 128)):
        assert pairs is not None
        for i, v in enumerate(values):
            # |high + low - v√r| <= radius, all squared where the root is.
            low, high = (
                Fraction(pairs.high[i]) + Fraction(pairs.low[i]) + side * Fraction(pairs.radius[i])
                for side in (-1, 1)
            )
            square = v * abs(v) * radicand
            assert low * abs(low) <= square <= high * abs(high)
            assert pairs.radius[i] <= abs(float(v)) * 2e-28 or not v


def scaled(x: Any, c: Any) -> Any:
    y = x * c
    return y


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
    assert " 128 " in row
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
