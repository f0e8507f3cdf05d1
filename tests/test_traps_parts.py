"""Situations from public reports that break plain tools: masks, heads, norms and positions.

`cases/traps.json` says of each what a correct tool does; a test here carries its name. The other
traps are in `test_traps.py`, which sees to it that none is forgotten.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import sympy

import symattn as sa
from symattn import attention, functions
from symattn.claims.causes import explained
from symattn.claims.judge import cell
from symattn.claims.placing import Claimed
from symattn.document import page
from symattn.errors import (
    ExactnessError,
    MaskError,
    OptionError,
    ShapeError,
    SpecError,
    Undecided,
)
from symattn.spec_reader import parse_spec
from symattn.sublayers import feed_forward_network
from symattn.writers import markdown
from tests.test_spec import with_line

R = sympy.Rational
I2 = [[1, 0], [0, 1]]


def sdpa(**arguments: Any) -> sa.Derivation:
    given = {"Q": I2, "K": I2, "V": I2, **arguments}
    return sa.derive(attention.scaled_dot_product_attention, **given)


def test_fm_row_is_an_error_or_zero_and_never_nan() -> None:
    M = [[0, 0], ["-oo", "-oo"]]
    with pytest.raises(MaskError, match="row 1 of the scores is masked everywhere"):
        _ = sdpa(M=M)["O"].forms
    with pytest.raises(MaskError, match="row 1 of the scores is masked everywhere"):
        functions.softmax(np.array([[0.3, 0.7], [-np.inf, -np.inf]]))
    d = sdpa(M=M, fully_masked="zero")
    assert list(d["O"].exact.row(1)) == [0, 0]
    assert d.verify().agrees
    scores = [["3/10", "7/10"], ["-oo", "-oo"]]
    with pytest.raises(MaskError, match="row 1 of the scores is masked everywhere"):
        _ = sa.derive(functions.softmax, x=scores)["return"].exact
    weights = sa.derive(functions.softmax, x=scores, fully_masked="zero")["return"]
    assert weights.decimal(4) == [["0.4013", "0.5987"], ["0.0000", "0.0000"]]
    assert list(weights.exact.row(1)) == [0, 0]
    with pytest.raises(OptionError, match="wanted 'error' or 'zero', got 'nan'"):
        sdpa(fully_masked="nan")


def test_fm_finite_is_a_bias() -> None:
    """-1e9 for both keys changes nothing: it is no mask."""
    d = sa.derive(functions.softmax, x=[["0.3", "0.7"], ["-999999999.7", "-999999999.3"]])
    assert sa.compare(d["return[0,0]"], d["return[1,0]"]).verdict == "equal"
    said = "$M$ are added to the scores as a bias and hide nothing"
    for M, is_said in (("[0, -1000000000]", True), ('[0, "-oo"]', False)):
        spec = parse_spec(with_line(f"mask = {{add = [{M}, [0, 0]]}}"))
        assert (said in markdown.write(page(spec.derive()))) is is_said


def test_mask_01_additive_is_refused() -> None:
    with pytest.raises(MaskError, match="0 and 1 would be added"):
        sdpa(M=[[1, 0], [1, 1]])
    with pytest.raises(SpecError, match="M: 0 and 1 would be added to the scores"):
        parse_spec(with_line("mask = {add = [[1, 0], [1, 1]]}")).derive()
    with pytest.raises(MaskError, match="wanted booleans, got int64"):
        functions.additive_mask(keep=np.array([1, 0, 0]))


def test_mask_bool_polarity_is_named() -> None:
    keep = functions.additive_mask(keep=[[True, False]])
    assert keep.tolist() == [[0, -np.inf]]
    assert functions.additive_mask(drop=[[True, False]]).tolist() == [[-np.inf, 0]]
    for word, seen in (("keep", [1, 0]), ("drop", [0, 1])):
        rows = "[[true, false], [false, true]]"
        d = parse_spec(with_line(f"mask = {{{word} = {rows}}}")).derive()
        assert [list(d["A"].exact.row(i)) for i in (0, 1)] == [seen, seen[::-1]]
    for wrong in ({}, {"keep": [True], "drop": [False]}):
        with pytest.raises(MaskError, match="either keep= or drop="):
            functions.additive_mask(**wrong)


def times_infinity(S, M):
    Z = S + (1 - M) * -np.inf
    return Z


def test_mask_times_neginf_is_refused_and_selection_is_not() -> None:
    with pytest.raises(ExactnessError, match=r"mul met -?oo"):
        _ = sa.derive(times_infinity, S=I2, M=[[1, 0], [1, 1]])["Z"].forms
    assert not np.isnan(functions.causal_mask(3, 3)).any()


def test_rect_causal_stands_by_position() -> None:
    """Two queries, five keys: from the first position, or as the last two."""
    assert np.isfinite(functions.causal_mask(2, 5)).sum(axis=1).tolist() == [1, 2]
    assert np.isfinite(functions.causal_mask(2, 5, offset=3)).sum(axis=1).tolist() == [4, 5]


def test_mask_and_causal_combine() -> None:
    both = functions.intersection(functions.causal_mask(3, 3), functions.padding_mask(2, 3))
    assert np.isfinite(both).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, False],
    ]
    either = functions.union(functions.prefix_mask(3, 0), functions.prefix_mask(3, 2))
    assert (either == functions.prefix_mask(3, 2)).all()


def test_softcap_order_is_before_the_mask() -> None:
    """Scores 1 and 2, cap 2, the second masked: nothing leaks to it."""
    d = sa.derive(
        attention.scaled_dot_product_attention,
        Q=[[1]], K=[[1], [2]], V=[[5], [7]], M=[[0, "-oo"]], softcap="2",
    )  # fmt: skip
    assert list(d["A"].exact) == [1, 0]
    assert list(d["O"].exact) == [5]
    assert d["Z_capped"].decimal(6) == [["0.924234", "1.523188"]]


@pytest.mark.parametrize(
    ("window", "seen"),
    [
        (2, [[0], [0, 1], [1, 2], [2, 3], [3, 4]]),
        ((2, 0), [[0], [0, 1], [0, 1, 2], [1, 2, 3], [2, 3, 4]]),
        ((1, 2), [[0, 1, 2], [0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4], [3, 4]]),
        ((None, 0), [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4]]),
        (1, [[0], [1], [2], [3], [4]]),
    ],
)
def test_window_off_by_one_lists_the_keys_of_each_row(window: Any, seen: list[list[int]]) -> None:
    M = functions.sliding_window_mask(5, 5, window)
    assert [np.flatnonzero(np.isfinite(row)).tolist() for row in M] == seen


def test_window_off_by_one_shows_the_keys_on_the_page() -> None:
    """`{window = 1}` is the token itself, `{window = [1, 0]}` the one before it, too."""
    for window, rows in (
        ("1", [r"\text{a} & 0 & -\infty", r"\text{b} & -\infty & 0"]),
        ("[1, 0]", [r"\text{a} & 0 & -\infty", r"\text{b} & 0 & 0"]),
    ):
        d = parse_spec(with_line(f"mask = {{window = {window}}}")).derive()
        written = markdown.write(page(d))
        matrix = re.search(r"M = .*?\\hline (.*?) \\end\{array\}", written)
        assert matrix
        assert re.split(r" \\\\(?:\[4pt\])? ", matrix[1]) == rows


def test_window_off_by_one_refuses_no_keys() -> None:
    for window in (0, (-1, 0), (0, -1)):
        with pytest.raises(OptionError, match="from 0 on, or w from 1 on"):
            functions.sliding_window_mask(3, 3, window)


def test_gqa_order_repeats() -> None:
    V = [[[10, 20]], [[30, 40]]]
    d = sa.derive(
        attention.grouped_query_attention,
        Q=[[[1, 0]]] * 4, K=[[[1, 0]]] * 2, V=V,
    )  # fmt: skip
    assert [d[f"SDPA[{q}].O"].exact[0] for q in range(4)] == [10, 10, 30, 30]


def test_gqa_indivisible_names_both_numbers() -> None:
    with pytest.raises(ShapeError, match="divisible by h_kv = 4, got h = 6"):
        sa.derive(attention.grouped_query_attention, Q=[I2] * 6, K=[I2] * 4, V=[I2] * 4)


def test_head_divide_names_both_numbers() -> None:
    for d_model, h in ((10, 3), (5, 2)):
        with pytest.raises(ShapeError, match=f"divisible by h = {h}, got {d_model}"):
            attention.split_heads(np.zeros((2, d_model)), h)
    with pytest.raises(ShapeError, match="3·4 = 12 columns, got 10"):
        attention.split_heads(np.zeros((2, 10)), 3, 4)
    assert attention.split_heads(np.zeros((5, 6)), 2, 3).shape == (2, 5, 3)


def test_softmax_axis_is_the_row() -> None:
    d = sa.derive(functions.softmax, x=[["0.4", "1.2"], ["0.9", "0.1"]])
    assert all(sympy.simplify(sum(d["return"].exact.row(i)) - 1) == 0 for i in (0, 1))


def test_ln_ddof_is_the_population() -> None:
    d = sa.derive(functions.layer_norm, x=[1, 2, 3, 4], eps=0)
    assert d["var"].exact[0] == R(5, 4)
    assert d["y"].decimal(4) == ["-1.3416", "-0.4472", "0.4472", "1.3416"]
    of_samples = ["-1.1619", "-0.3873", "0.3873", "1.1619"]
    printed = [Claimed(d["y"][i], cell(number)) for i, number in enumerate(of_samples)]
    (found,) = explained(d, printed, printed)
    assert [cause.text for cause in found.causes] == ["var was divided by d − 1 = 3, not by d = 4"]
    slip = [*printed[:3], Claimed(d["y"][3], cell("1.1618"))]
    assert not explained(d, slip, slip)[0].causes


def test_ln_constant_row_is_an_error_that_names_it() -> None:
    x = [[1, 2, 3, 4], ["0.3"] * 4]
    with pytest.raises(ExactnessError, match=r"x_hat .*the divisor is zero, in row 1"):
        _ = sa.derive(functions.layer_norm, x=x, eps=0)["y"].forms
    d = sa.derive(functions.layer_norm, x=x)
    assert list(d["y"].exact.row(1)) == [0, 0, 0, 0]


def test_ln_eps_decimal_is_exact_and_inside_the_root() -> None:
    d = sa.derive(functions.layer_norm, x=["1/1000", "2/1000"], eps="1e-6")
    assert d["y"].exact[1] == R(1, 2000) / sympy.sqrt(R(1, 4_000_000) + R(1, 1_000_000))
    assert sa.derive(functions.layer_norm, x=[1, 2])["sigma"].exact[0] ** 2 == R(1, 4) + R(
        1, 100_000
    )


def test_pe_2i_counts_pairs() -> None:
    d = sa.derive(functions.sinusoidal_positions, n=2, d=4)
    one, hundredth = sympy.Integer(1), R(1, 100)
    assert list(d["PE"].exact.row(1)) == [
        sympy.sin(one), sympy.cos(one), sympy.sin(hundredth), sympy.cos(hundredth),
    ]  # fmt: skip


def test_pe_concat_is_interleaved() -> None:
    PE = sa.derive(functions.sinusoidal_positions, n=2, d=6)["PE"].exact
    assert [x.func for x in PE.row(1)] == [sympy.sin, sympy.cos] * 3
    halves = sa.derive(functions.sinusoidal_positions, n=2, d=4, layout="half")["PE"]
    one, hundredth = sympy.Integer(1), R(1, 100)
    assert list(halves.exact.row(1)) == [
        sympy.sin(one), sympy.sin(hundredth), sympy.cos(one), sympy.cos(hundredth),
    ]  # fmt: skip
    assert r"\sin" in halves.formula
    with pytest.raises(OptionError, match="'interleaved' or 'half', got 'concat'"):
        functions.sinusoidal_positions(2, 4, layout="concat")


@pytest.mark.parametrize(("layout", "last"), [("interleaved", sympy.sin), ("half", sympy.cos)])
def test_pe_odd_d_ends_in_a_sine(layout: str, last: Any) -> None:
    """One sine more than cosines; in halves the sines come first."""
    PE = sa.derive(functions.sinusoidal_positions, n=4, d=5, layout=layout)["PE"]
    angles = [1, 10000 ** R(-2, 5), 10000 ** R(-4, 5)]
    sines, cosines = ([f(3 * a) for a in angles] for f in (sympy.sin, sympy.cos))
    wanted = [sines[0], cosines[0], sines[1], cosines[1], sines[2]]
    if layout == "half":
        wanted = sines + cosines[:2]
    found = list(PE.exact.row(3))
    assert found[-1].func is last
    assert [sympy.simplify(a - b) for a, b in zip(found, wanted, strict=True)] == [0] * 5
    assert PE.decimal(12)[3] == [f"{sympy.N(x, 30):.12f}" for x in wanted]


def test_rope_pairing_is_named_and_relative() -> None:
    x = [[1, 2, 3, 4]]
    d = {
        pairing: sa.derive(functions.rope, x=x, positions=sa.static([1]), pairing=pairing)
        for pairing in ("interleaved", "half")
    }
    sin, cos = sympy.sin(1), sympy.cos(1)
    assert d["interleaved"]["turned"].exact[0, 0] == cos - 2 * sin
    assert d["half"]["turned"].exact[0, 0] == cos - 3 * sin
    with pytest.raises(TypeError, match="pairing"):
        functions.rope(np.array(x), [1])
    with pytest.raises(OptionError, match="'interleaved' or 'half', got 'neox'"):
        functions.rope(np.array(x), [1], pairing="neox")


def relative(q, k, m, n, pairing: str):
    a = functions.rope(q, [m], pairing=pairing)[0]
    b = functions.rope(k, [n], pairing=pairing)[0]
    s = a @ b
    return s


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_rope_pairing_keeps_only_the_distance(pairing: str) -> None:
    """Scores at (7, 4) and at (3, 0) are the same number, to 60 digits."""
    vectors = {"q": [[1, 2, 3, 4]], "k": [[2, -1, "1/2", 5]], "pairing": pairing}
    scores = [
        sa.derive(relative, **vectors, m=m, n=n)["s"].decimal(60) for m, n in ((7, 4), (3, 0))
    ]
    assert scores[0] == scores[1]
    (found,) = sa.prove(f"positions.rope_{pairing}")
    assert found.verdict == "proven"  # at any two positions


def test_kv_pos_cached_is_full_exactly() -> None:
    """Three tokens, then one with its past: the row of four at once, entry by entry."""
    rows = [["1/2", 1], [1, "-1/3"], ["2/5", 2], [3, "1/7"]]
    heads = {"scale": "3/2"}

    def placed(x: Any, offset: int) -> Any:
        d = sa.derive(functions.rope, x=x, pairing="half", offset=offset)
        return d["turned"].exact.tolist()

    full = sa.derive(
        attention.scaled_dot_product_attention, **heads,
        Q=placed(rows, 0), K=placed(rows, 0), V=rows, M=functions.causal_mask(4, 4),
    )  # fmt: skip
    K = placed(rows[:3], 0) + placed(rows[3:], 3)
    step = sa.derive(
        attention.scaled_dot_product_attention, **heads,
        Q=placed(rows[3:], 3), K=K, V=rows, M=functions.causal_mask(1, 4, offset=3),
    )  # fmt: skip
    for name in ("A", "O"):
        for j, entry in enumerate(step[name].forms[0]):
            assert entry == full[name].forms[3, j]


def test_gelu_variant_is_named() -> None:
    found = {
        k: sa.derive(functions.gelu, x=[1], kind=k)["return"].decimal(6) for k in ("erf", "tanh")
    }
    assert found == {"erf": ["0.841345"], "tanh": ["0.841192"]}
    sigmoid = sa.derive(functions.swish, x=[1], beta=1.702, exact="decimal")["return"]
    assert sigmoid.decimal(6) == ["0.845796"]
    weights = dict.fromkeys(("x", "W_1", "W_2"), I2)
    with pytest.raises(OptionError, match="wanted 'erf' or 'tanh'"):
        sa.derive(feed_forward_network, **weights, kind="gelu")
    with pytest.raises(OptionError, match="one of linear, relu"):
        sa.derive(feed_forward_network, **weights, kind="selu")


def test_relu_undecidable_is_zero_with_proof() -> None:
    hidden = "(sqrt(2) + sqrt(3))^2 - 5 - 2*sqrt(6)"
    assert list(sa.derive(functions.relu, x=[hidden, "-1/3", 2])["return"].exact) == [0, 0, 2]
    logistic = "exp(1)/(exp(1) + exp(2)) - 1/(1 + exp(1))"
    assert list(sa.derive(functions.relu, x=[logistic])["return"].exact) == [0]
    nearly = "exp(exp(1)) - exp(exp(1) + exp(-1000000))"
    with pytest.raises(Undecided, match=r"whether 0 is less than .* is not settled at .* bits"):
        _ = sa.derive(functions.relu, x=[nearly])["return"].exact


def test_relu_at_0_has_the_subgradient_0_and_a_note() -> None:
    back = sa.derive(functions.relu, x=[0, 1, -1]).backward("return[0]")
    assert list(back["dx"].exact) == [0, 0, 0]
    (note,) = [str(kink) for kink in back.kinks if kink.place == "return[0]"]
    assert note.endswith("it has no derivative; 0 is taken")


def test_oo_minus_oo_is_never_met() -> None:
    d = sa.derive(functions.log_softmax, x=[["-oo", 1, 1]])
    assert d["return"].decimal(4) == [["-oo", "-0.6931", "-0.6931"]]
    assert d.verify().agrees
    weights = sa.derive(functions.softmax, x=[["-oo", 1000, 999], [0, "-oo", "-oo"]])
    assert weights["return"].decimal(4) == [
        ["0.0000", "0.7311", "0.2689"],
        ["1.0000", "0.0000", "0.0000"],
    ]
    floats = weights.floats()[weights.graph.result]
    assert np.allclose(floats, [[0, 0.731058578630005, 0.268941421369995], [1, 0, 0]], atol=1e-15)


# Beside the traps: sinks, and what a sink does to a row that sees nothing.


def test_a_sink_takes_its_share() -> None:
    d = sdpa(sink=0, M=[[0, "-oo"], ["-oo", "-oo"]])
    e = sympy.exp(1 / sympy.sqrt(2))
    assert sympy.simplify(d["A"].exact[0, 0] - e / (e + 1)) == 0
    assert list(d["A"].exact.row(1)) == [0, 0]


def test_linear_attention_is_no_softmax() -> None:
    given = {"Q": [[1, -1]], "K": [[0, 1], [-1, 2]], "V": [[1], [3]]}
    d = sa.derive(attention.linear_attention, **given)
    assert not any("exp" in s.address or s.address == "A" for s in d)
    phi_q = [2, sympy.exp(-1)]
    phi_k = [[1, 2], [sympy.exp(-1), 3]]
    weights = [sum(a * b for a, b in zip(phi_q, k, strict=True)) for k in phi_k]
    wanted = (weights[0] + 3 * weights[1]) / sum(weights)
    assert sympy.simplify(d["O"].exact[0] - wanted) == 0
