"""Thresholds: exact and certified roots against floats, ties at them, and nothing invented."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

import symattn as sa
from symattn import cli
from symattn.certify import ends
from symattn.config import Config
from symattn.errors import AddressError, ExactnessError, LiteralError, OptionError
from symattn.functions import softmax
from symattn.language import language_model
from symattn.numbers.degrees import Degrees
from symattn.numbers.dual import Dual
from symattn.numbers.enclosure import enclose
from symattn.numbers.normal_form import constant
from symattn.transformer import next_token
from symattn.varying.exact import Envelope, coefficients
from symattn.varying.isolate import CELLS, Isolation, _simplest
from symattn.varying.parameter import Ranking, parameter
from symattn.varying.vary import Map, Variation, vary

pytestmark = pytest.mark.once

WORDS = ["a", "b", "c", "d", "e"]


def eighths(rng: np.random.Generator, *shape: int) -> Any:
    return np.vectorize(lambda k: Fraction(int(k), 8), otypes=[object])(
        rng.integers(-16, 17, shape)
    )


def sentence(seed: int, n: int = 3) -> sa.Derivation:
    """The article's model with other numbers: five words, the first n of them the sentence."""
    rng = np.random.default_rng(seed)
    matrices = {name: eighths(rng, 2, 2) for name in ("W_Q", "W_K", "W_V", "W_1")}
    return sa.derive(
        next_token,
        tokens=sa.static(list(range(n))),
        labels={"W_vocab": [None, WORDS]},
        W_vocab=eighths(rng, 2, 5),
        **matrices,
    )


def floats(found: Variation | Map, *values: float) -> Any:
    """The scores as a float run of the same graph gives them."""
    exact = [Fraction(v) for v in values]
    at = found.ranking.at(exact)
    scores = at.floats()[found.ranking.node]
    return np.array([scores[i] for i in found.ranking.indices], float)


def middle(point: Any) -> float:
    low, high = ends(point.start)
    return float((low + high) / 2)


def check_against_floats(found: Variation, low: float, high: float, n: int = 60) -> int:
    """Floats have the winners of each row wherever they tell at all; how often they did."""
    told = 0
    edges = [
        (-np.inf if r.low is None else middle(r.low), np.inf if r.high is None else middle(r.high))
        for r in found.rows
    ]
    assert [a for a, _ in edges[1:]] == [b for _, b in edges[:-1]]
    for x in np.linspace(low, high, n):
        scores = floats(found, float(x))
        best, second = np.sort(scores)[::-1][:2]
        if best - second < 1e-9 * max(1.0, abs(best)):
            continue
        row = next(r for r, (a, b) in zip(found.rows, edges, strict=True) if a <= x <= b)
        assert found.words[int(np.argmax(scores))] in row.winners
        told += 1
    return told


def check_thresholds(found: Variation) -> None:
    """Just below and just above each one, floats have the winners that it names."""
    for t in found.thresholds:
        x = middle(t.at)
        others = [abs(x - middle(u.at)) for u in found.thresholds if u is not t]
        step = min([1e-4, *(gap / 4 for gap in others)])
        for side, winners in ((-step, t.before), (step, t.after)):
            scores = floats(found, x + side)
            assert found.words[int(np.argmax(scores))] in winners


EXACT = ["W_vocab[0,3]", "W_vocab[1,4]", "W_1[0,0]", "W_1[1,0]", "W_V[0,1]", "W_V[1,1]"]
INSIDE = ["W_Q[0,0]", "W_K[1,0]", "W_vocab[0,0]", "W_vocab[1,2]"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("address", EXACT)
def test_exact_thresholds_are_those_of_floats(seed: int, address: str) -> None:
    found = vary(sentence(seed), address)
    assert isinstance(found, Variation)
    assert (found.low, found.high) == (None, None)
    assert not found.open
    assert check_against_floats(found, -9, 9) > 50
    check_thresholds(found)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("address", EXACT[:5:2])
def test_scores_tie_exactly_at_exact_thresholds(seed: int, address: str) -> None:
    found = vary(sentence(seed), address)
    for t in found.thresholds:
        tied = [found.words.index(w) for w in t.tied]
        scores = [a + b * t.at.form for a, b in coefficients(found.ranking)]
        balls = [enclose(x, 2000) for x in found.ranking.forms([t.at.form])]
        for i, score in enumerate(scores):
            wanted = "equal" if i in tied else "greater"
            assert sa.compare(scores[tied[0]], score).verdict == wanted
            # and where the number is put into the model
            assert balls[tied[0]].overlaps(balls[i]) == (i in tied)
        assert all(float(ball.rad()) < 1e-300 for ball in balls)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("address", INSIDE)
def test_isolated_thresholds_are_those_of_floats(seed: int, address: str) -> None:
    found = vary(sentence(seed), address, low=-4, high=4)
    assert isinstance(found, Variation)
    assert found.method == "certified root isolation"
    assert not found.open
    assert check_against_floats(found, -3.999, 3.999, 120) > 100
    check_thresholds(found)


@pytest.mark.parametrize("address", EXACT[:4])
def test_isolation_finds_what_the_exact_roots_are(address: str) -> None:
    for seed in range(4):
        d = sentence(seed)
        exact = vary(d, address, low=-8, high=8)
        cells, roots = Isolation(exact.ranking, Fraction(-8), Fraction(8)).run()
        assert not any(c.open for c in cells)
        assert [r.at.decimal(20) for r in roots] == [t.at.decimal(20) for t in exact.thresholds]
        for root, t in zip(roots, exact.thresholds, strict=True):
            assert tuple(exact.words[i] for i in sorted(root.after)) == t.after


def test_a_linear_threshold_by_hand(article: sa.Derivation) -> None:
    found = vary(article, "W_vocab[0,3]")
    (t,) = found.thresholds
    (f_0, f_1) = article["F"].forms.flat
    # t F_0 + 4/5 F_1 = 1/5 F_0 + F_1
    left = t.at.form * f_0 + f_1.scaled(fmpq(4, 5))
    right = f_0.scaled(fmpq(1, 5)) + f_1
    assert sa.compare(left, right).verdict == "equal"
    assert (t.tied, t.before, t.after) == (("chases", "quickly"), ("chases",), ("quickly",))
    assert t.at.decimal(30).startswith("0.77912208")


def tied(W: Any) -> Any:
    """Scores of a token with itself and with others: the square of what varies among them."""
    logits = W[0] @ W.T
    P = softmax(logits)
    return P


def test_quadratics_by_hand() -> None:
    found = vary(sa.derive(tied, W=[[1, 0], [3, 0], [0, 0]]), "W[0,0]")
    assert found.method == "exact roots of polynomials of degree 2"
    assert [(t.at.rational, t.tied, t.before, t.after) for t in found.thresholds] == [
        (0, ("0", "1", "2"), ("0",), ("1",)),  # t², 3t and 0
        (3, ("0", "1"), ("1",), ("0",)),
    ]
    assert [r.winners for r in found.rows] == [("0",), ("1",), ("0",)]


def test_irrational_roots_are_written_as_roots() -> None:
    found = vary(sa.derive(tied, W=[[1, 1], [3, 0]]), "W[0,0]")  # t² + 1 and 3t
    assert [t.at.text() for t in found.thresholds] == ["3/2 - sqrt(5)/2", "3/2 + sqrt(5)/2"]
    below = vary(sa.derive(tied, W=[[1, 1], [1, 0]]), "W[0,0]")  # t² + 1 and t
    assert below.thresholds == ()
    assert below.rows[0].winners == ("0",)


def test_a_double_root_is_a_touch() -> None:
    found = vary(sa.derive(tied, W=[[0, 1], [2, 0]]), "W[0,0]")  # t² + 1 and 2t
    (t,) = found.thresholds
    assert (t.at.rational, t.tied, t.before, t.after) == (1, ("0", "1"), ("0",), ("0",))
    assert [r.winners for r in found.rows] == [("0",)]
    assert "0 and 1 tie, and 0 stays the most likely" in str(found)


def test_ranges_leave_out_their_ends() -> None:
    d = sa.derive(tied, W=[[1, 0], [3, 0], [0, 0]])
    assert [t.at.rational for t in vary(d, "W[0,0]", low=0, high=4).thresholds] == [3]
    assert [t.at.rational for t in vary(d, "W[0,0]", low=-1, high=3).thresholds] == [0]
    assert [r.winners for r in vary(d, "W[0,0]", low=0, high=3).rows] == [("1",)]
    assert vary(d, "W[0,0]", low=1, high="7/2").rows[-1].winners == ("0",)


def cubic(x: Any) -> Any:
    return np.concatenate([x * x * x, x])


def curve(x: Any, c: Any) -> Any:
    return np.concatenate([np.exp(x), x + c])


def bent(x: Any, c: Any) -> Any:
    return np.concatenate([np.maximum(0, x), c])


def waves(x: Any) -> Any:
    return np.concatenate([np.sin(x), np.cos(x)])


def test_higher_degrees_are_isolated_and_rational_roots_are_exact() -> None:
    found = vary(sa.derive(cubic, x=[2]), "x[0]")
    assert found.method == "certified root isolation"
    assert [t.at.rational for t in found.thresholds] == [-1, 0, 1]
    assert [r.winners for r in found.rows] == [("1",), ("0",), ("1",), ("0",)]


def test_roots_at_the_ends_of_a_range_are_left_out() -> None:
    d = sa.derive(cubic, x=[2])
    assert [t.at.rational for t in vary(d, "x[0]", low=-1, high=1).thresholds] == [0]
    assert vary(d, "x[0]", low=0, high=1).thresholds == ()


def test_a_tangent_is_undecided_and_its_tie_is_said() -> None:
    found = vary(sa.derive(curve, x=[1], c=[1]), "x[0]", low=-3, high=3)  # e^x and 1 + x
    assert found.thresholds == ()
    (row,) = found.open
    assert row.winners == ("0", "1")
    assert row.tie == 0
    assert middle(row.low) < 0 < middle(row.high)
    assert middle(row.high) - middle(row.low) < 1e-3
    assert [r.winners for r in found.rows if not r.open] == [("0",), ("0",)]


def test_near_a_tangent_there_are_two_roots_or_none() -> None:
    two = vary(sa.derive(curve, x=[1], c=["1.00000001"]), "x[0]", low=-3, high=3)
    assert [t.at.decimal(6) for t in two.thresholds] == ["-0.000141", "0.000141"]
    assert not two.open
    none = vary(sa.derive(curve, x=[1], c=["0.99999999"]), "x[0]", low=-3, high=3)
    assert [r.winners for r in none.rows] == [("0",)]
    assert none.thresholds == ()


def test_a_tie_along_a_part_and_a_kink() -> None:
    found = vary(sa.derive(bent, x=[1], c=[0]), "x[0]", low=-1, high=1)
    assert [r.winners for r in found.rows] == [("0", "1"), ("0", "1"), ("0",)]
    assert [r.open for r in found.rows] == [False, True, False]
    assert found.open[0].tie == 0
    assert middle(found.open[0].high) < 1e-9


def test_every_root_of_many() -> None:
    found = vary(sa.derive(waves, x=[0]), "x[0]", low=-20, high=20)
    expected = [np.pi / 4 + k * np.pi for k in range(-6, 7) if abs(np.pi / 4 + k * np.pi) < 20]
    assert [middle(t.at) for t in found.thresholds] == pytest.approx(expected, abs=1e-12)
    assert not found.open


def test_thresholds_have_as_many_digits_as_are_wanted() -> None:
    found = vary(sa.derive(waves, x=[0]), "x[0]", low=0, high=3, digits=50)
    with ctx.workprec(400):
        wanted = (arb.pi() / 4).str(50, radius=False)
    assert found.thresholds[0].at.decimal(50)[:50] == wanted[:50]


def test_identical_tokens_tie_everywhere() -> None:
    for address in ("W_1[0,0]", "W_Q[0,0]"):
        d = sentence(1)
        W = d.inputs["W_vocab"].copy()
        W[:, 4] = W[:, 3]
        twins = vary(d.with_(W_vocab=W), address, low=-5, high=5)
        assert not twins.open
        for row in twins.rows:
            assert ("d" in row.winners) == ("e" in row.winners)


def test_identical_tokens_tie_over_a_map() -> None:
    d = sentence(1)
    W = d.inputs["W_vocab"].copy()
    W[:, 4] = W[:, 3] = [Fraction(9), Fraction(9)]
    found = vary(d.with_(W_vocab=W), "W_1[0,0]", "W_1[1,1]", low=-2, high=2)
    assert "d = e" in str(found)
    assert {3, 4} in [set(c.winners) for c in found.cells if c.settled]


def test_differences_are_narrower_than_their_scores() -> None:
    d = sa.load("gpt2")
    ranking = Ranking(d, [parameter(d, "b_1[0,0]")])
    found = ranking.slopes([arb(-1, 2.0**-5)], 0, 128)
    i, j = (ranking.words.index(w) for w in ("mouse", "sleeps"))
    value, middle, slope = found.difference(i, j)
    plain = found.scores.slopes[i] - found.scores.slopes[j]
    assert 3 * float(slope.rad()) < float(plain.rad())
    for x in (-1 - 2.0**-6, -1.0, -1 + 2.0**-5):
        scores = ranking.balls([arb(x)], 128)
        assert value.overlaps(scores[i] - scores[j])
    assert middle.overlaps(ranking.balls([arb(-1)], 128)[i] - ranking.balls([arb(-1)], 128)[j])


def test_what_nothing_depends_on() -> None:
    d = sentence(0, n=1)
    for address in ("W_Q[0,0]", "W_K[1,1]"):  # a token alone has the weight 1
        found = vary(d, address)
        assert found.method == "nothing depends on it"
        assert found.thresholds == ()
        (row,) = found.rows
        assert row.winners == (WORDS[int(np.argmax(d.floats()[found.ranking.node]))],)
        assert "P does not depend on it" in str(found)


@pytest.mark.parametrize(
    ("address", "error", "message"),
    [
        ("E[0,0]", AddressError, "no entry of an input"),
        ("A[0,0]", AddressError, "no entry of an input"),
        ("W_vocb[0,0]", AddressError, "did you mean 'W_vocab'"),
        ("W_vocab[2,0]", AddressError, "has shape"),
        ("W_vocab[1]", AddressError, "wanted one entry"),
        ("W_vocab", AddressError, "wanted one entry"),
        ("W_vocab[:,1]", AddressError, "wanted one entry"),
        ("M[0,1]", OptionError, "is a mask"),
        ("tokens", OptionError, "is an option"),
        (3, AddressError, "wanted an entry"),
    ],
)
def test_what_cannot_vary(
    article: sa.Derivation, address: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        vary(article, address)


def test_what_cannot_be_asked(article: sa.Derivation) -> None:
    with pytest.raises(OptionError, match="from low to high"):
        vary(article, "W_1[0,0]", low=1, high=1)
    with pytest.raises(OptionError, match="cells"):
        vary(article, "W_1[0,0]", cells=0)
    with pytest.raises(OptionError, match="decimals"):
        vary(article, "W_1[0,0]", digits=-1)
    with pytest.raises(LiteralError, match="rational"):
        vary(article, "W_1[0,0]", low="sqrt(2)")
    with pytest.raises(OptionError, match="twice"):
        vary(article, "W_1[0,0]", "W_1[0,-2]")
    with pytest.raises(OptionError, match="one or two"):
        vary(article, "W_1[0,0]", "W_1[0,1]", "W_1[1,0]")
    with pytest.raises(ExactnessError, match="the free symbols are a"):
        vary(article.with_(W_1=[["a", 0], [0, 1]]), "W_1[0,0]")
    rounded = article.with_radii({"W_1": np.full((2, 2), Fraction(1, 200))})
    with pytest.raises(ExactnessError, match="printed digits"):
        vary(rounded, "W_1[0,0]")


def test_negative_cells_count_from_the_end(article: sa.Derivation) -> None:
    assert vary(article, "W_vocab[-1,-2]").parameters[0].address == "W_vocab[1,3]"


def test_a_whole_model_against_floats() -> None:
    d = sa.load("gpt2")
    found = vary(d, "gamma_out[1]")
    assert check_against_floats(found, -3, 3, 7) > 5
    check_thresholds(found)


@pytest.mark.parametrize("kind", ["rms", "layer"])
def test_two_layers_against_floats(kind: str) -> None:
    rng = np.random.default_rng(5)
    weights = {
        "W_vocab": eighths(rng, 2, 4),
        "W_Q": eighths(rng, 2, 1, 2, 2),
        "W_K": eighths(rng, 2, 1, 2, 2),
        "W_V": eighths(rng, 2, 1, 2, 2),
        "W_O": eighths(rng, 2, 2, 2),
    }
    config = Config(norm="pre", norm_kind=kind, ffn="none", mask="causal")
    d = sa.derive(language_model, tokens=(0, 1), config=config, **weights)
    found = vary(d, "W_V[1,0,0,0]", low=-2, high=2)
    assert check_against_floats(found, -1.99, 1.99, 25) > 20
    check_thresholds(found)


def test_where_a_model_is_not_defined_it_is_open() -> None:
    d = sentence(2).with_(scale="1")
    found = vary(d, "scale", low=-1, high=1)
    (row,) = (r for r in found.open if middle(r.low) <= 0 <= middle(r.high))
    assert check_against_floats(found, 0.1, 0.99, 20) > 15
    assert row.tie is None


# What enclosures stand on.


def everything(x: Any, c: Any) -> Any:
    y = np.sqrt(x * x + 1) + np.log(x + 3) * np.sin(x) - np.cos(x) / (x + 4)
    z = np.tanh(x) + np.exp(-x) + x**3 + (x + 4) ** x
    w = np.maximum(x, 1 - x) + np.max(np.stack([x, c, x * c]), axis=0)
    A = softmax(np.stack([x, y, z]))
    return np.concatenate([y, z, w, A[0] * c, np.where(np.array([True]), x, c), A @ x])


@pytest.mark.parametrize("at", [-1.5, -0.25, 0.125, 0.5, 1.75])
def test_slopes_contain_difference_quotients(at: float) -> None:
    d = sa.derive(everything, x=[1], c=["1/3"])
    ranking = Ranking(d, [parameter(d, "x[0]")])
    for width in (2.0**-10, 0.125, 0.5):
        values, middles, slopes = ranking.slopes([arb(at, width)], 0, 128).scores
        below, above = (ranking.balls([arb(at + s * width / 2)], 200) for s in (-1, 1))
        for k, slope in enumerate(slopes):
            with ctx.workprec(200):
                quotient = (above[k] - below[k]) / width
            assert slope.overlaps(quotient), k
            assert values[k].contains(above[k])
            assert values[k].contains(below[k])
            assert middles[k].overlaps(ranking.balls([arb(at)], 200)[k])
    # and they are not merely wide
    thin = ranking.slopes([arb(at, 1e-9)], 0, 128).scores.slopes
    kinks = [k for k, slope in enumerate(thin) if not float(slope.rad()) < 1e-4]
    assert kinks == ([2] if at == 0.5 else [])  # where x is 1 - x


def test_erf_has_its_slope() -> None:
    from symattn.functions.activations import gelu

    def unit(x: Any) -> Any:
        return np.concatenate([gelu(x, kind="erf"), x])

    ranking = Ranking(d := sa.derive(unit, x=[1]), [parameter(d, "x[0]")])
    slope = ranking.slopes([arb(0.5, 1e-9)], 0, 128).scores.slopes[0]
    assert float(slope.mid()) == pytest.approx(0.8674951, abs=1e-6)


def test_squares_are_not_negative() -> None:
    def square(x: Any) -> Any:
        return np.concatenate([x**2, x**4, x**3])

    ranking = Ranking(d := sa.derive(square, x=[1]), [parameter(d, "x[0]")])
    second, fourth, third = ranking.balls([arb(0, 1)], 128)
    for even in (second, fourth):
        assert -1e-6 < float(even.lower()) <= 0
        assert 1 <= float(even.upper()) < 1.001
    assert third.contains(-1)
    assert third.contains(1)


def test_degrees(article: sa.Derivation) -> None:
    def degree(address: str) -> float:
        return Ranking(article, [parameter(article, address)]).degree

    assert degree("W_vocab[1,3]") == degree("W_1[0,1]") == degree("W_V[1,1]") == 1
    assert degree("W_Q[0,0]") == degree("W_vocab[0,0]") == np.inf
    both = Ranking(article, [parameter(article, a) for a in ("W_1[0,0]", "W_vocab[0,3]")])
    assert both.degree == 2
    free = article.with_(E=[["a", 0], [0, "b"], [1, 1]])
    run = free.running(Degrees(["a"]))
    assert run[free.step("E").node].tolist() == [[1, 0], [0, 0], [0, 0]]
    assert run[free.step("S").node][0].tolist() == [2, 1, 1]
    assert run[free.step("A").node].tolist() == [[0, 0, 0], [np.inf, np.inf, 0], [np.inf] * 3]


def test_the_simplest_number() -> None:
    assert _simplest(Fraction(-1), Fraction(1)) == 0
    assert _simplest(Fraction(31, 100), Fraction(34, 100)) == Fraction(1, 3)
    assert _simplest(Fraction(-7, 10), Fraction(-6, 10)) == Fraction(-2, 3)
    assert _simplest(Fraction(5, 2), Fraction(7, 2)) == 3


def test_cells_are_counted() -> None:
    found = vary(sa.derive(waves, x=[0]), "x[0]", low=0, high=3)
    isolation = Isolation(found.ranking, Fraction(0), Fraction(100000))
    cells, roots = isolation.run()
    assert isolation.looked <= CELLS
    assert any(c.open for c in cells)  # thousands of roots are not all looked for
    assert [c.low for c in cells[1:]] == [c.high for c in cells[:-1]]
    few = vary(sa.derive(waves, x=[0]), "x[0]", low=0, high=30, cells=5)
    assert few.open
    assert not vary(sa.derive(waves, x=[0]), "x[0]", low=0, high=30, cells=500).open
    for root in roots:
        assert abs(np.sin(middle(root.at)) - np.cos(middle(root.at))) < 1e-6


def test_an_envelope_of_lines_needs_few_pairs() -> None:
    n = 60  # tangents of a parabola: each is the largest somewhere
    lines = [[constant(-k * k), constant(2 * k)] for k in range(n)]
    envelope = Envelope(lines)
    found = list(envelope.crossings(None, None))
    assert [x.at.rational for x in found] == [Fraction(2 * k + 1, 2) for k in range(n - 1)]
    assert [sorted(x.tied) for x in found] == [[k, k + 1] for k in range(n - 1)]


# Two entries.


@pytest.mark.parametrize(
    "addresses", [("W_1[0,0]", "W_1[1,0]"), ("W_vocab[0,3]", "W_Q[0,0]"), ("W_Q[0,1]", "W_K[1,1]")]
)
def test_cells_of_a_map_against_floats(addresses: tuple[str, str]) -> None:
    for seed in range(1):
        found = vary(sentence(seed), *addresses, low=-2, high=2)
        assert isinstance(found, Map)
        area = sum((c.x[1] - c.x[0]) * (c.y[1] - c.y[0]) for c in found.cells)
        assert area == 16
        settled = [c for c in found.cells if c.settled]
        rng = np.random.default_rng(0)
        for cell in rng.choice(np.array(settled, dtype=object), 25):
            point = [
                float(a + (b - a) * Fraction(int(rng.integers(1, 8)), 8))
                for a, b in (cell.x, cell.y)
            ]
            assert int(np.argmax(floats(found, *point))) in cell.winners
        mixed = [c for c in found.cells if c.mixed]
        for cell in mixed[:5]:
            corners = [(float(a), float(b)) for a in cell.x for b in cell.y]
            assert len({int(np.argmax(floats(found, *c))) for c in corners}) > 1


def test_boundaries_of_degree_one_are_exact(article: sa.Derivation) -> None:
    found = vary(article, "W_1[0,0]", "W_1[1,0]", low=-4, high=4)
    pairs = {tuple(found.words[i] for i in line.pair) for line in found.lines}
    assert pairs == {("cat", "chases"), ("chases", "quickly")}
    for line in found.lines:
        for x in (Fraction(0), Fraction(1, 3)):
            y = line.offset.form + line.tilt.form.scaled(fmpq(x.numerator, x.denominator))
            assert found.ranking.compared([x, y], *line.pair).verdict == "equal"
    along = vary(article, "W_1[1,0]")  # where W_1[0,0] is 0
    assert {t.at.decimal(20) for t in along.thresholds} == {
        x.offset.decimal(20) for x in found.lines
    }
    assert not vary(article, "W_1[0,0]", "W_vocab[0,3]", low=-1, high=1).lines  # of degree 2


# What it shows.


def test_text_markdown_and_json(article: sa.Derivation) -> None:
    found = vary(article, "W_vocab[1,3]", digits=3)
    assert "1.069  oo     quickly" in str(found)
    assert r"\frac{2 e^{2 \sqrt{2}/25}" in found._repr_markdown_()
    data = json.loads(json.dumps(found.json(), allow_nan=False))
    assert data["rows"][0] == {
        "from": None, "to": "1.069", "winners": ["chases"], "open": False, "tie": None
    }  # fmt: skip
    assert data["thresholds"][0]["tied"] == ["chases", "quickly"]
    drawn = vary(article, "W_1[0,0]", "W_1[1,0]", low=(-4, -1), high=(4, 1))
    assert drawn.json()["from"] == ["-4", "-1"]
    assert "A  cat\nB  chases\nC  quickly" in str(drawn)
    assert drawn._repr_markdown_().count("```") == 2


def test_commands(article: sa.Derivation, capsys: Any, tmp_path: Path, monkeypatch: Any) -> None:
    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["symattn", *words])
        status = 0
        try:
            cli.run()
        except SystemExit as exit:
            status = int(exit.code or 0)
        out = capsys.readouterr()
        return status, out.out, out.err

    status, out, _ = run("vary", "article", "W_Q[0,0]", "--from", "-3", "--to", "3", "--json")
    assert (status, json.loads(out)["rows"][0]["winners"]) == (0, ["cat"])
    assert run("vary", "W_vocab[1,3]", "--format", "markdown")[1].startswith("W\\_vocab")
    for words in (["M[0,0]"], [], ["article"], ["W_1[0,0]", "--from", "x"], ["a", "b", "c"]):
        status, out, err = run("vary", *words)
        assert (status, out) == (2, "")
        assert len(err.strip().splitlines()) == 1
    status, _, err = run("vary", "W_1[0,0]", "-o", str(tmp_path / "plot.txt"))
    assert (status, ".svg" in err) == (2, True)


def test_plots(article: sa.Derivation, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from symattn.writers import plots

    found = vary(article, "W_1[0,0]")
    axes = found.plot()
    assert axes.get_xlabel() == "W_1[0,0]"
    assert [t.get_text() for t in axes.get_legend().get_texts()] == [*found.words, "now"]
    assert {t.get_text() for t in axes.texts} == {"-1.3453", "0.9046"} or len(axes.texts) == 2
    curve = axes.get_lines()[1]
    x, y = curve.get_xdata()[100], curve.get_ydata()[100]
    exact = article.with_(W_1=[[str(x), 1], [1, 0]])["P"].shown(6)[1]
    assert y == pytest.approx(float(exact), abs=1e-5)
    for result in (found, vary(article, "W_1[0,0]", "W_1[1,0]", low=-4, high=4)):
        for ending in plots.ENDINGS:
            path = tmp_path / f"plot{ending}"
            plots.save(result, path)
            assert path.stat().st_size > 1000


@pytest.mark.filterwarnings("error")
def test_legends_have_every_word(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from symattn.writers import plots

    words = ("_x", "$d$", "猫", "a\x07")
    scores = [[0, 1, 2, 3]]
    d = sa.derive(softmax, x=scores, labels={"x": (None, words)})
    found = vary(d, "x[0,0]")
    texts = [t.get_text() for t in found.plot().get_legend().get_texts()]
    assert texts[:2] == ["_x", "$d$"]
    assert texts[3:] == ["a\\x07", "now"]
    for result in (found, vary(d, "x[0,0]", "x[0,1]", low=-4, high=4)):
        plots.save(result, tmp_path / "plot.png")
    shown = [t.get_text() for t in result.plot().get_legend().get_texts()]
    assert {"_x", "$d$", "a\\x07"} <= set(shown)


def test_without_matplotlib(article: sa.Derivation, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(OptionError, match=r"pip install 'symattn\[plot\]'"):
        vary(article, "W_1[0,0]").plot()


def test_precision_of_a_dual_is_its_own() -> None:
    d = sa.derive(waves, x=[0])
    ranking = Ranking(d, [parameter(d, "x[0]")])
    system = Dual(300, {"x[0]": arb(1)}, "x[0]")
    found = ranking.free.running(system)[ranking.node]
    assert float(found.value[(0,)].rad()) < 1e-80
