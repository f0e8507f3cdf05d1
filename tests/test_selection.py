"""Top-k and nucleus: what is kept is proven, and ties at the boundary are named."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import symattn as sa
from symattn.cli import main
from symattn.errors import AddressError, ExactnessError, SymattnError, Undecided
from symattn.functions import softmax
from symattn.numbers.normal_form import ZERO
from symattn.selection import Selection, nucleus, top_k


def identity(p):
    q = p
    return q


def row(*numbers: Any) -> sa.Derivation:
    """A step `p` of these numbers."""
    return sa.derive(identity, p=list(numbers), digits=3)


def kept(found: Selection) -> list[int]:
    return [e.index[-1] for e in found.kept]


def tied(found: Selection) -> list[int]:
    return [e.index[-1] for e in found.tied]


def test_top_k_of_the_article(article: sa.Derivation) -> None:
    found = article["P"].top_k(3)
    assert [e.labels[0] for e in found.kept] == ["chases", "quickly", "cat"]
    assert (found.size, found.tied) == (3, ())
    logits = article["logits"].exact
    total = sum(sympy.exp(logits[i]) for i in (1, 3, 0))
    assert found.exact == sympy.Matrix([[sympy.exp(logits[i]) / total for i in (1, 3, 0)]])
    parts = [Fraction(e.decimal(30)) for e in found.kept]
    for text, part in zip(found.decimal(6), parts, strict=True):
        assert abs(Fraction(text) - part / sum(parts)) <= Fraction(1, 2 * 10**6)
    assert repr(found).splitlines()[0] == "top 3 of P: 3 of 5"


def test_a_nucleus_of_the_article(article: sa.Derivation) -> None:
    P = article["P"]
    assert P.decimal(2) == ["0.17", "0.29", "0.16", "0.23", "0.15"]
    assert kept(P.nucleus("0.2")) == [1]
    assert kept(P.nucleus("1/2")) == [1, 3]
    assert kept(P.nucleus("0.7")) == [1, 3, 0, 2]
    assert kept(P.nucleus(1)) == [1, 3, 0, 2, 4]


@pytest.mark.parametrize(
    ("k", "indices", "at_boundary"),
    [
        (1, [1], []),
        (2, [1, 0, 3], [0, 3]),
        (3, [1, 0, 3], []),
        (4, [1, 0, 3, 2], []),
        (5, [1, 0, 3, 2, 4], []),
        (9, [1, 0, 3, 2, 4], []),
    ],
)
def test_ties_for_the_last_place_are_kept_and_named(
    k: int, indices: list[int], at_boundary: list[int]
) -> None:
    """1 + √2 and √(3 + 2√2) are one number."""
    d = sa.derive(softmax, x=["1+sqrt(2)", 3, 1, "sqrt(3+2*sqrt(2))", 0])
    found = d["return"].top_k(k)
    assert (kept(found), tied(found)) == (indices, at_boundary)
    assert found.size == min(k, 5)
    if at_boundary:
        assert "tie for the last place: return[0], return[3]; 1 of them would do" in repr(found)


def test_all_equal() -> None:
    d = sa.derive(softmax, x=[0, 0, 0, 0])
    found = d["return"].top_k(1)
    assert (kept(found), tied(found), found.size) == ([0, 1, 2, 3], [0, 1, 2, 3], 1)
    found = d["return"].nucleus("0.5")  # a quarter each
    assert (kept(found), tied(found), found.size) == ([0, 1, 2, 3], [0, 1, 2, 3], 2)
    found = d["return"].nucleus("0.51")
    assert (tied(found), found.size) == ([0, 1, 2, 3], 3)
    found = d["return"].nucleus("0.76")
    assert (tied(found), found.size) == ([], 4)


@pytest.mark.parametrize(
    ("p", "size", "at_boundary"),
    [
        ("0.3", 1, []),  # exactly the first
        ("0.30000000000000000000000000000000000000000001", 2, [1, 2]),
        ("0.5", 2, [1, 2]),
        ("0.7", 3, []),
        ("0.2999", 1, []),
        ("0.86", 4, []),
        ("0.8600000000000000000000000000000000000000001", 5, []),
        (1, 5, []),
        (Fraction(9, 10), 5, []),
        (sympy.Rational(3, 10), 1, []),
    ],
)
def test_a_p_that_is_a_partial_sum(p: Any, size: int, at_boundary: list[int]) -> None:
    found = row("0.3", "0.2", "0.2", "0.16", "0.14")["p"].nucleus(p)
    assert (found.size, tied(found)) == (size, at_boundary)
    assert kept(found) == list(range(max([size, *(i + 1 for i in at_boundary)])))


def test_a_tenth_and_two_tenths_are_three_tenths() -> None:
    """In floats 0.1 + 0.2 > 0.3, and 0.2 + 0.1 + 0.3 < 0.6 or not by their order."""
    d = row("0.4", "0.3", "0.2", "0.1")
    assert kept(d["p"].nucleus("0.7")) == [0, 1]
    assert kept(d["p"].nucleus("0.9")) == [0, 1, 2]
    ordered = row("0.3", "0.2", "0.1", "0.4")
    assert kept(ordered["p"].nucleus("0.7")) == [3, 0]
    tie = row("0.1 + 0.2", "0.3", "0.4")
    assert tied(tie["p"].top_k(2)) == [0, 1]


def test_hidden_equalities_with_p() -> None:
    """e^{log 3}/(e^{log 3} + e^0) is 3/4, however it is written."""
    d = sa.derive(softmax, x=["log(3)", 0])
    assert kept(d["return"].nucleus("3/4")) == [0]
    assert kept(d["return"].nucleus("0.7500000000000000000000000000000000000001")) == [0, 1]
    again = row("exp(1)/(exp(1)+exp(2))", "1/(1+exp(-1))")
    assert kept(again["p"].nucleus("exp(1)/(1+exp(1))")) == [1]
    assert kept(again["p"].nucleus(1)) == [1, 0]


def test_masked_entries_are_never_needed() -> None:
    d = sa.derive(softmax, x=[0, "-oo", 1, "-oo"])
    assert kept(d["return"].nucleus(1)) == [2, 0]
    found = d["return"].top_k(3)
    assert (kept(found), tied(found)) == ([2, 0, 1, 3], [1, 3])
    assert found.decimal(2)[2:] == ["0.00", "0.00"]
    assert kept(d["x"].top_k(2)) == [2, 0]  # scores are ranked too


def test_a_tiny_rest_is_still_a_rest() -> None:
    d = sa.derive(softmax, x=[0, "-10^6"])
    assert kept(d["return"].nucleus(1)) == [0, 1]
    assert kept(d["return"].nucleus("0.99999999999999999999999999")) == [0]


UNKNOWN = ["sin(2)", "2*sin(1)*cos(1)"]  # equal, and no theorem at hand says so


def test_an_order_is_asked_only_where_it_matters() -> None:
    d = sa.derive(softmax, x=[*UNKNOWN, 0, 5])
    assert kept(d["return"].top_k(1)) == [3]
    assert sorted(kept(d["return"].top_k(3))) == [0, 1, 3]
    assert kept(d["return"].top_k(4))[-1] == 2
    with pytest.raises(Undecided, match=r"return\[[01]\] and return\[[01]\]: undecided"):
        d["return"].top_k(2)
    assert kept(d["return"].nucleus("0.9")) == [3]
    assert sorted(kept(d["return"].nucleus("0.99"))) == [0, 1, 3]  # both are needed
    assert sorted(kept(d["return"].nucleus(1))) == [0, 1, 2, 3]
    with pytest.raises(Undecided, match="undecided"):
        d["return"].nucleus("0.975")


def test_a_sum_that_may_reach_p_is_undecided() -> None:
    d = row("1/2", "1/4 + (sin(2) - 2*sin(1)*cos(1))", "1/4 - (sin(2) - 2*sin(1)*cos(1))")
    with pytest.raises(Undecided):
        d["p"].nucleus("3/4")
    d = sa.derive(softmax, x=[0, "sin(2) - 2*sin(1)*cos(1) - 1"])
    with pytest.raises(Undecided, match=r"whether return\[0\] together reach exp"):
        d["return"].nucleus("exp(1)/(1+exp(1))")


def test_digits_decide_nothing() -> None:
    """The two differ in the 40th decimal; their floats are equal."""
    near = "4.1132503787829275171735818151403045024017"  # above e^√2 by less than 10^-40
    d = sa.derive(softmax, x=["exp(sqrt(2))", near])
    assert kept(d["return"].top_k(1)) == [1]
    assert d["return"].top_k(1).tied == ()


def test_rows_of_a_matrix(article: sa.Derivation) -> None:
    A = article["A"]
    assert kept(A.top_k(2, row=2)) == [0, 2]
    assert kept(nucleus(A[2], "0.7")) == [0, 2]
    assert kept(top_k(A[0], 1)) == [0]
    cube = sa.derive(softmax, x=np.arange(8).reshape(2, 2, 2).tolist())
    assert kept(cube["return"].top_k(1, row=(1, 0))) == [1]
    for wrong in (lambda: A.top_k(1), lambda: A.nucleus(1), lambda: A.top_k(1, row=(0, 0))):
        with pytest.raises(AddressError, match=r"A has shape \(3, 3\); wanted a row of it"):
            wrong()
    with pytest.raises(AddressError, match="wanted a row of entries"):
        top_k([], 1)


@pytest.mark.parametrize("k", [0, -1, True, 1.0, "2", None])
def test_k_is_a_positive_integer(article: sa.Derivation, k: Any) -> None:
    with pytest.raises(
        ExactnessError, match="wanted how many to keep, a whole number of at least 1"
    ):
        article["P"].top_k(k)


@pytest.mark.parametrize(
    ("p", "message"),
    [
        (0.9, r'the float 0\.9 is not exact: write "0\.9"'),
        (0, "wanted a p with 0 < p <= 1, got 0"),
        ("-1/2", "wanted a p with 0 < p <= 1"),
        ("1.0000001", "wanted a p with 0 < p <= 1"),
        ("oo", "wanted a p with 0 < p <= 1, got oo"),
        ("x", "wanted a p with 0 < p <= 1, got x"),
        ("", "wanted an exact number"),
        (True, "wanted a number, got True"),
    ],
)
def test_p_is_an_exact_number_up_to_one(article: sa.Derivation, p: Any, message: str) -> None:
    with pytest.raises(SymattnError, match=message):
        article["P"].nucleus(p)


def test_a_nucleus_wants_a_distribution(article: sa.Derivation) -> None:
    with pytest.raises(ExactnessError, match=r"logits: wanted a distribution.*sum to 1"):
        article["logits"].nucleus("0.5")
    with pytest.raises(ExactnessError, match=r"p\[1\] is -1/2"):
        row("3/2", "-1/2")["p"].nucleus("0.5")
    with pytest.raises(ExactnessError, match=r"x\[0\] is -oo"):
        sa.derive(softmax, x=["-oo", 1])["x"].nucleus("0.5")
    with pytest.raises(ExactnessError, match="do not sum to 1"):
        nucleus(article["P"].entries()[:3], "0.5")
    with pytest.raises(ExactnessError, match="do not sum to 1"):
        _ = article["logits"].top_k(2).exact
    assert "renormalised" not in repr(article["logits"].top_k(2))


def test_what_is_no_proven_distribution_is_shown_without_one() -> None:
    d = row("1/4 + (sin(2) - 2*sin(1)*cos(1))", "3/4")
    found = d["p"].top_k(1)
    assert repr(found).splitlines()[1].split() == ["p"]
    assert found.json()["kept"][0]["renormalised"] is None
    with pytest.raises(Undecided):
        found.decimal(2)


def test_symbols_have_no_order() -> None:
    d = sa.derive(softmax, x=["a", 0])
    for ask in (lambda: d["return"].top_k(1), lambda: d["return"].nucleus("0.5")):
        with pytest.raises(ExactnessError, match=r"return\[0\] contains symbols \(a\); d.subs"):
            ask()
    assert kept(d.subs(a=1)["return"].top_k(1)) == [0]


def test_a_replaced_distribution_is_looked_at(article: sa.Derivation) -> None:
    d = article.with_(P=["0.1", "0.2", "0.3", "0.3", "0.2"])
    with pytest.raises(ExactnessError, match="do not sum to 1"):
        d["P"].nucleus("0.5")


def test_printed_inputs() -> None:
    half = np.array([Fraction(1, 200)] * 3, dtype=object)
    d = sa.derive(softmax, x=["1.00", "2.00", "2.01"], digits=2).with_radii({"x": half})
    P = d["return"]
    assert sorted(kept(P.top_k(2))) == [1, 2]
    with pytest.raises(Undecided):
        P.top_k(1)
    assert sorted(kept(P.nucleus(1))) == [0, 1, 2]
    assert sorted(kept(P.nucleus("0.84"))) == [1, 2]
    with pytest.raises(Undecided, match="leave it open"):
        P.nucleus("0.845")
    found = P.nucleus("0.6")
    assert found.decimal(1) == ["0.5", "0.5"]
    assert all(text.endswith("?") for text in found.shown(6))
    with pytest.raises(Undecided):
        found.decimal(6)


weights = st.lists(st.integers(0, 6), min_size=1, max_size=7).filter(any)


@settings(max_examples=60, deadline=None)
@given(weights, st.integers(1, 8), st.integers(1, 24))
def test_against_the_definition(numbers: list[int], k: int, share: int) -> None:
    """On rationals the definitions can be tried out: every set there is."""
    total = sum(numbers)
    step = row(*(Fraction(n, total) for n in numbers))["p"]
    order = sorted(numbers, reverse=True)
    found = step.top_k(k)
    last = order[min(k, len(order)) - 1]
    assert sorted(kept(found)) == [i for i, n in enumerate(numbers) if n >= last]
    assert bool(found.tied) == (len(found.kept) > min(k, len(order)))
    p = Fraction(share, 24)
    least = next(m for m in range(1, len(order) + 1) if Fraction(sum(order[:m]), total) >= p)
    found = step.nucleus(p)
    assert found.size == least
    assert sorted(kept(found)) == [i for i, n in enumerate(numbers) if n >= order[least - 1]]
    assert sum(found.forms, start=ZERO).rational() == 1
    assert found.exact == sympy.Matrix([[sympy.Rational(e.rational) for e in found.kept]]) / sum(
        sympy.Rational(e.rational) for e in found.kept
    )


def output(*words: str) -> str:
    done = CliRunner().invoke(main, ["show", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_at_the_command_line() -> None:
    assert output("P", "--top", "2").splitlines() == [
        "top 2 of P: 2 of 5",
        "            P                                      renormalised     ≈",
        "chases   0.29  exp(logits[1])/(exp(logits[1]) + exp(logits[3]))  0.55",
        "quickly  0.23  exp(logits[3])/(exp(logits[1]) + exp(logits[3]))  0.45",
    ]
    assert output("P", "--top-p", "0.5").startswith("nucleus 0.5 of P: 2 of 5\n")
    assert output("A[2]", "--top-k", "1", "--digits", "4").endswith("1.0000\n")
    data = json.loads(output("P", "--nucleus", "1/2", "--json"))
    assert [e["address"] for e in data["kept"]] == ["P[1]", "P[3]"]
    assert (data["size"], data["tied"], data["rule"]) == (2, [], "nucleus 1/2")
    assert data["kept"][0]["renormalised_decimal"] == "0.55"
    scores = json.loads(output("logits", "--top", "1", "--json"))
    assert scores["kept"][0]["renormalised"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["A", "--top", "1"], r"wanted a row such as P or A\[0\], got A"),
        (["A[1,1]", "--top", "1"], r"wanted a row such as P or A\[0\], got A\[1,1\]"),
        (["P", "--top", "1", "--nucleus", "1"], "wanted --top or --nucleus, got both"),
        (
            ["P", "--top", "1", "--format", "latex"],
            "wanted --format text or json with --top and --nucleus, got latex",
        ),
        (["P", "--top", "0"], "a whole number of at least 1, got 0"),
    ],
)
def test_what_the_command_line_refuses(words: list[str], message: str) -> None:
    with pytest.raises(SymattnError, match=message):
        CliRunner().invoke(main, ["show", *words], catch_exceptions=False)
