"""The conventions, row by row: what is decided once, and holds through the public interface.

Each test is named after its row. Longer tests of the same are where the part is tested.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from inspect import signature
from typing import Any

import math_core
import numpy as np
import pytest
import sympy

import symattn as sa
from symattn import attention, functions, transformer
from symattn.claims.check import Checked, check
from symattn.claims.reading import read
from symattn.config import Config
from symattn.document import page
from symattn.errors import ExactnessError, MaskError, OptionError, ShapeError, SpecError
from symattn.functions import causal_mask, sliding_window_mask
from symattn.layers import encoder_layer
from symattn.spec_reader import parse_spec
from symattn.transformer import worked_attention
from symattn.writers import latex, markdown
from tests.test_pages import equations
from tests.test_spec import SMALL, changed, with_line

R = sympy.Rational
I2 = [[1, 0], [0, 1]]
I2_TEXT = [["1", "0"], ["0", "1"]]


def identity(x):
    y = x * 1
    return y


def sdpa(**arguments: Any) -> sa.Derivation:
    given = {"Q": I2, "K": I2, "V": I2, **arguments}
    return sa.derive(attention.scaled_dot_product_attention, **given)


def seen(M: Any) -> list[list[int]]:
    """By row of a mask, the keys that are seen."""
    return [np.flatnonzero(np.isfinite(row)).tolist() for row in M]


def printed(name: str, rows: list[list[str]]) -> str:
    body = r" \\ ".join(" & ".join(row) for row in rows)
    return rf"$$ {name} = \begin{{bmatrix}} {body} \end{{bmatrix}} $$" + "\n"


def checked(text: str) -> Checked:
    return check(read(text, "markdown"), worked_attention)


def verdicts(text: str) -> list[str]:
    return [f.judgement.verdict for f in checked(text).findings]


def test_vectors_are_rows(article: sa.Derivation) -> None:
    """Rows are tokens, Q = E W_Q; W_vocab is d_model × |V|, its columns are embeddings."""
    assert article["E"].shape == (3, 2)
    assert article["W_vocab"].shape == (2, 5)
    assert list(article["E"].exact.row(1)) == list(article["W_vocab"].exact.col(1))
    d = parse_spec(SMALL).derive()
    assert d["K"].exact == d["E"].exact * d["W_K"].exact


def test_names_are_the_papers(article: sa.Derivation) -> None:
    names = [step.short for step in article.steps if not step.given]
    assert names == [
        "E", "Q", "K", "V", "S", "Z", "Z_masked", "A.exp", "A.sum", "A", "O",
        "x_last", "F", "logits", "P.exp", "P.sum", "P",
    ]  # fmt: skip
    assert [article[name].shape for name in ("x_last", "F", "logits", "P")] == [
        (2,),
        (2,),
        (5,),
        (5,),
    ]
    assert article["P[1]"].address == "P[1]"
    assert article["A"].texts("text")[1, 1] == "exp(13*sqrt(2)/25)/ℓ_1"
    assert article["Z"].formula == r"Z = \frac{S}{\sqrt{d_k}}"
    for function, arguments in (
        (functions.layer_norm, "x gamma beta eps"),
        (transformer.feed_forward, "x W_1 b_1 W_2 b_2"),
        (transformer.multi_head_attention, "E W_Q W_K W_V W_O"),
    ):
        assert list(signature(function).parameters) == arguments.split()


def test_decimals_in_a_spec_are_exact() -> None:
    for written in ("0.2", '"0.2"'):
        assert parse_spec(changed("0.5", written)).matrices["E"][0, 1] == Fraction(1, 5)


def test_python_and_numpy_floats_are_refused_unless_said_which() -> None:
    with pytest.raises(ExactnessError, match=r'x\[0\]: the float 0.2 is not exact: write "0.2"'):
        sa.derive(identity, x=[0.2])
    with pytest.raises(ExactnessError, match=r"x\[0\]: the float"):
        sa.derive(identity, x=np.array([0.2], np.float16))
    assert sa.derive(identity, x=[0.2], exact="decimal")["y"].exact[0] == R(1, 5)
    stored = sa.derive(identity, x=np.array([0.2], np.float32), exact="binary")
    assert stored["y"].exact[0] == R(13421773, 67108864)
    values = [3, Fraction(1, 3), Decimal("0.1"), "1/7", sympy.sqrt(2)]
    assert list(sa.derive(identity, x=values)["y"].exact) == [
        3,
        R(1, 3),
        R(1, 10),
        R(1, 7),
        sympy.sqrt(2),
    ]


def test_a_masked_score_is_minus_infinity_by_selection() -> None:
    d = sdpa(M=[[0, "-oo"], [0, 0]])
    assert d["Z_masked"].exact[0, 1] == -sympy.oo
    assert d["A"].exact[0, 1] == 0
    with pytest.raises(MaskError, match="0 and 1 would be added"):
        sdpa(M=[[1, 0], [1, 1]])
    with pytest.raises(MaskError, match="either keep= or drop="):
        functions.additive_mask()
    biased = parse_spec(with_line("mask = {add = [[0, -1000000000], [0, 0]]}")).derive()
    assert sa.compare(biased["A"][0, 1], 0).verdict == "greater"  # a bias, and no mask


def test_a_fully_masked_row_is_an_error_or_zeros() -> None:
    M = [[0, 0], ["-oo", "-oo"]]
    with pytest.raises(MaskError, match="row 1 of the scores is masked everywhere"):
        _ = sdpa(M=M)["A"].forms
    with pytest.raises(SpecError, match=r"mask\.drop: row 1 is masked everywhere"):
        parse_spec(with_line("mask = {drop = [[false, false], [true, true]]}"))
    d = sdpa(M=M, fully_masked="zero")
    assert list(d["O"].exact.row(1)) == [0, 0]
    assert d.floats()[d.graph.result][1].tolist() == [0.0, 0.0]


def test_a_causal_mask_is_by_position() -> None:
    """Query i stands at offset + i and sees keys 0 … offset + i; 0 is ONNX's top-left."""
    assert seen(causal_mask(2, 5)) == [[0], [0, 1]]
    assert seen(causal_mask(2, 5, offset=3)) == [[0, 1, 2, 3], [0, 1, 2, 3, 4]]
    assert seen(causal_mask(3, 2)) == [[0], [0, 1], [0, 1]]


def test_a_sliding_window_is_left_and_right_or_a_number_of_keys() -> None:
    assert seen(sliding_window_mask(4, 4, (1, 1))) == [[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]]
    assert (sliding_window_mask(4, 4, 2) == sliding_window_mask(4, 4, (1, 0))).all()
    assert seen(sliding_window_mask(4, 4, 2)) == [[0], [0, 1], [1, 2], [2, 3]]


def test_softcap_comes_before_the_mask() -> None:
    d = sdpa(softcap=2, M=[[0, "-oo"], [0, 0]])
    assert d["Z_masked"].exact[0, 1] == -sympy.oo
    assert d["A"].exact[0, 1] == 0
    assert [s.name for s in d.steps].index("Z_capped") < [s.name for s in d.steps].index("Z_masked")


def shifted(S):
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    A = e / e.sum(axis=-1, keepdims=True)
    return A


def test_softmax_is_one_operation_over_the_last_axis() -> None:
    d = sdpa()
    assert [n.op for n in d.graph.nodes].count("softmax") == 1
    assert [d["A.exp"].shape, d["A.sum"].shape] == [(2, 2), (2,)]
    assert d["A.exp"].exact[0, 1] == 1
    assert sympy.simplify(sum(d["A"].exact.row(0)) - 1) == 0
    # The common exponent of a row cancels.
    rows = [["1/3", 2], [0, "sqrt(2)"]]
    ours, theirs = sa.derive(functions.softmax, x=rows)["return"], sa.derive(shifted, S=rows)["A"]
    for index in np.ndindex(2, 2):
        assert sa.compare(ours[index], theirs[index]).verdict == "equal"
    # Floats subtract the maximum over what is not masked.
    large = sa.derive(functions.softmax, x=[["-oo", 5000, 5000]])
    assert large.floats()[large.graph.result].tolist() == [[0.0, 0.5, 0.5]]


def test_rounding_for_display_is_of_the_exact_value_half_away_from_zero() -> None:
    d = sa.derive(identity, x=["0.125", "-0.125", "0.4", "-0.001"])
    assert d["y"].decimal(2) == ["0.13", "-0.13", "0.40", "0.00"]
    # 0.5 · 0.25 = 0.125: rounding 0.25 first, to 0.3, would give 0.15.
    assert sa.derive(identity, x=["0.5*0.25"])["y"].decimal(2) == ["0.13"]
    # At an exact tie the checker takes half-even, too.
    given = printed("Q", [["0.5"], ["0"]]) + printed("K", [["0.25"], ["0"]])
    for said, verdict in (("0.13", "right"), ("0.12", "right"), ("0.14", "wrong")):
        assert verdicts(given + printed("S", [[said, "0"], ["0", "0"]]))[0] == verdict


def test_row_sums_are_never_bent() -> None:
    weights = sa.derive(functions.softmax, x=[[0, 0, 0]])["return"]
    assert weights.decimal(2) == [["0.33", "0.33", "0.33"]]
    assert sum(weights.exact) == 1
    # What is shown may be moved so that rows add to 1; it is marked, and decimals stay.
    kept = weights.derivation.with_display(row_sums="kept")["return"]
    assert kept.displayed("text", 2).tolist() == [["0.34*", "0.33", "0.33"]]
    assert kept.latex(2) == r"\begin{bmatrix} {0.34}^{\ast} & 0.33 & 0.33 \end{bmatrix}"
    assert kept.decimal(2) == weights.decimal(2) == weights.displayed("text", 2).tolist()
    given = printed("Q", [["0"]] * 3) + printed("K", [["0"]] * 3)
    assert set(verdicts(given + printed("A", [["0.33", "0.33", "0.33"]] * 3))) == {"right"}
    assert "wrong" in verdicts(given + printed("A", [["0.33", "0.33", "0.34"]] * 3))


def test_root_two_is_a_factor_of_a_matrix_and_rationalised_in_entries(
    article: sa.Derivation,
) -> None:
    assert r"\frac{1}{\sqrt{2}}" in article["Z"].substitution
    assert article["Z"].texts("text")[0, 0] == "sqrt(2)/2"
    assert article["Z"].texts("text")[1, 1] == "13*sqrt(2)/25"
    assert article["A"].texts("text")[1, 1] == "exp(13*sqrt(2)/25)/ℓ_1"
    other = article.with_display(roots="divided", factor=False)
    assert r"\frac{1}{\sqrt{2}}" not in (other["Z"].substitution or "")
    assert other["Z"].texts("text")[0, 0] == "1/sqrt(2)"
    assert other["Z"].texts("text")[1, 1] == "26/(25*sqrt(2))"
    assert other["A"].texts("text")[1, 1] == "exp(26/(25*sqrt(2)))/ℓ_1"
    forms = sa.derive(identity, x=["1/sqrt(2)", "sqrt(2)/2"])["y"]
    assert sa.compare(forms[0], forms[1]).verdict == "equal"
    given = printed("Q", I2_TEXT) + printed("K", I2_TEXT)
    for said in (r"\frac{1}{\sqrt{2}}", r"\frac{\sqrt{2}}{2}"):
        assert set(verdicts(given + printed("Z", [[said, "0"], ["0", said]]))) == {"right"}


def test_scale_is_a_divisor() -> None:
    assert sdpa()["Z"].exact[0, 0] == 1 / sympy.sqrt(2)
    assert sdpa(scale="8")["Z"].exact[0, 0] == R(1, 8)
    d = parse_spec(with_line("scale = 4")).derive()
    assert d["Z"].exact == d["S"].exact / 4


def test_rounded_inputs_of_a_document_are_intervals_where_scores_are_given() -> None:
    """Z of one decimal leaves 0.32 open; Q and K are exact, and make it wrong."""
    rows, weights = [["0.4", "1.2"], ["0.4", "1.2"]], [["0.32", "0.68"], ["0.31", "0.69"]]
    found = checked(printed("Z", rows) + printed("A", weights))
    assert [f.judgement.verdict for f in found.findings] == ["right"] * 4
    assert any(f.judgement.note for f in found.findings)
    exact = (
        printed("Q", rows)
        + printed("K", I2_TEXT)
        + "The scores are not scaled: $A = softmax(QK^T)$.\n"
    )
    assert verdicts(exact + printed("A", weights)) == ["wrong", "wrong", "right", "right"]


def test_inputs_that_are_printed_are_all_intervals() -> None:
    d = parse_spec(with_line('inputs = "printed"')).derive()
    assert d["O"].shown(4)[0, 0].endswith("?")
    assert not parse_spec(SMALL).derive()["O"].shown(4)[0, 0].endswith("?")


def test_layer_norm_has_the_population_variance_and_eps_inside() -> None:
    d = sa.derive(functions.layer_norm, x=[1, 2, 3, 4], eps=0)
    assert d["var"].exact[0] == R(5, 4)
    assert sa.derive(functions.layer_norm, x=[0, 2], eps=3)["sigma"].exact[0] == 2
    with pytest.raises(ExactnessError, match="the divisor is zero, in row 1"):
        _ = sa.derive(functions.layer_norm, x=[[1, 2], [5, 5]], eps=0)["y"].forms


def test_ulps_are_reported_and_never_judged(article: sa.Derivation) -> None:
    report = article.verify()
    assert report.agrees
    assert max(c.ulps for c in report.checks) > 1
    # A step disagrees where a float is farther off than its error bound.
    off = article["A"].numeric()
    off[1, 1] += 1e-12
    (said,) = article.verify(A=off).disagreements
    assert said.startswith("A disagrees in float64 at A[1,1]")
    assert "the error bound is" in said


@pytest.mark.parametrize("norm_kind", ["layer", "rms"])
def test_norm_placement_is_named(norm_kind: str) -> None:
    weights = {name: [I2] for name in ("W_Q", "W_K", "W_V")}
    given = {"x": [[1, 2]], **weights, "W_O": I2, "W_1": I2, "W_2": I2}
    found = {
        norm: sa.derive(encoder_layer, **given, config=Config(norm=norm, norm_kind=norm_kind))
        for norm in ("post", "pre", "sandwich", "none")
    }
    assert len({str(d.values[d.graph.result].tolist()) for d in found.values()}) == 4
    with pytest.raises(OptionError, match="wanted one of post, pre, sandwich, none, got 'before'"):
        Config(norm="before")


def test_sinusoidal_positions_are_interleaved_and_exact() -> None:
    row = sa.derive(functions.sinusoidal_positions, n=2, d=4)["PE"].exact.row(1)
    hundredth = R(1, 100)
    assert list(row) == [sympy.sin(1), sympy.cos(1), sympy.sin(hundredth), sympy.cos(hundredth)]


def test_rope_pairing_is_always_named() -> None:
    x = [[1, 2, 3, 4]]
    for pairing, partner in (("interleaved", 2), ("half", 3)):
        d = sa.derive(functions.rope, x=x, pairing=pairing, offset=1)
        assert d["turned"].exact[0, 0] == sympy.cos(1) - partner * sympy.sin(1)
    with pytest.raises(TypeError, match="pairing"):
        functions.rope(np.array(x))


def test_gelu_is_always_named() -> None:
    for kind, value in (("erf", "0.841345"), ("tanh", "0.841192")):
        assert sa.derive(functions.gelu, x=[1], kind=kind)["return"].decimal(6) == [value]
    with pytest.raises(TypeError, match="kind"):
        functions.gelu(np.array([1.0]))


def test_grouped_heads_repeat_and_divide() -> None:
    V = [[[10]], [[30]]]
    d = sa.derive(attention.grouped_query_attention, Q=[[[1]]] * 4, K=[[[1]]] * 2, V=V)
    assert [d[f"SDPA[{q}].O"].exact[0] for q in range(4)] == [10, 10, 30, 30]
    with pytest.raises(ShapeError, match="divisible by h_kv = 4, got h = 6"):
        sa.derive(attention.grouped_query_attention, Q=[I2] * 6, K=[I2] * 4, V=[I2] * 4)


def test_d_model_not_divisible_by_h_is_an_error_unless_d_k_is_given() -> None:
    with pytest.raises(ShapeError, match="divisible by h = 3, got 10"):
        attention.split_heads(np.zeros((10, 10)), 3)
    assert attention.split_heads(np.zeros((10, 6)), 3, 2).shape == (3, 10, 2)


def test_ties_in_argmax_are_told_with_all_winners() -> None:
    def winners(values: list[str]) -> list[str]:
        return [e.address for e in sa.derive(identity, x=values)["y"].largest()]

    assert winners(["1/3", "2/6", "0"]) == ["y[0]", "y[1]"]
    # A number would say tie: these differ in the 40th digit.
    assert winners(["1/3", "0.3333333333333333333333333333333333333334"]) == ["y[1]"]


def test_unknown_tokens_duplicates_and_empty_sequences_are_errors() -> None:
    with pytest.raises(SpecError, match=r"tokens\[1\]: 'b' is not in the vocabulary"):
        parse_spec(with_line('vocabulary = ["a", "c"]'))
    with pytest.raises(SpecError, match="vocabulary: 'a' stands at 0 and again at 2"):
        parse_spec(with_line('vocabulary = ["a", "b", "a"]'))
    with pytest.raises(SpecError, match="tokens: wanted at least one, got an empty list"):
        parse_spec(changed('tokens = ["a", "b"]', "tokens = []"))
    # After NFC: é in one character and in two is the same token.
    spec = changed('["a", "b"]', '["\\u00e9", "b"]')
    lines = spec.replace("[matrices]", 'vocabulary = ["e\\u0301", "b"]\n[matrices]')
    assert parse_spec(lines).tokens == ("é", "b")
    # Shown escaped, never interpreted.
    d = parse_spec(changed('["a", "b"]', '["<b>", "$x$"]')).derive()
    assert "<b>" not in markdown.write(page(d))
    assert r"\$x\$" in latex.write(page(d))


def test_latex_parses_at_its_targets(article: sa.Derivation) -> None:
    """Here in math-core; in KaTeX, MathJax and pdflatex: `pytest -m render`."""
    converter = math_core.LatexToMathML()
    found = equations(page(article))
    assert len(found) > 20
    for equation in found:
        converter.convert_with_local_state(equation, displaystyle=True)


def test_cell_addresses_are_zero_based_with_labels_beside(article: sa.Derivation) -> None:
    assert article["A[1,0]"].address == article["A"][1, 0].address == "A[1,0]"
    assert article["A[0,0]"].exact == 1
    assert article["A"].axes == (("cat", "chases", "mouse"), ("cat", "chases", "mouse"))
    assert "chases" in str(article["A"])
    assert r"\text{chases}" in article["A"].latex(labels=True)
