"""Situations from public reports that break plain tools: numbers, inputs, LaTeX and printed claims.

`cases/traps.json` says of each what a correct tool does; a test here carries its name. Those
of masks, heads, norms and positions are in `test_traps_parts.py`.
"""

from __future__ import annotations

import ast
import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import math_core
import numpy as np
import pytest
import sympy

import symattn as sa
from symattn import attention, functions
from symattn.claims.check import Checked, check
from symattn.claims.reading import read
from symattn.config import Config
from symattn.document import page
from symattn.errors import ExactnessError, LiteralError, ShapeError, SpecError
from symattn.layers import encoder_layer
from symattn.literals import Name, parse
from symattn.pretrained.architecture import read_config
from symattn.pretrained.counting import Count
from symattn.spec_reader import parse_spec
from symattn.transformer import worked_attention
from symattn.writers import counts, latex, markdown
from tests.test_spec import changed, with_line

FOLDER = Path(__file__).parent
TRAPS = json.loads((FOLDER / "cases" / "traps.json").read_text("utf-8"))
R = sympy.Rational
I2 = [[1, 0], [0, 1]]


def asserts(node: ast.AST) -> int:
    """How many comparisons, and errors that are waited for, a test has."""
    return sum(
        isinstance(n, ast.Assert)
        or (isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "raises")
        for n in ast.walk(node)
    )


def test_every_trap_has_a_test() -> None:
    """Named after it: `test_fm_row_…` is the test of fm-row."""
    strength = {
        node.name: asserts(node)
        for file in ("test_traps.py", "test_traps_parts.py")
        for node in ast.parse((FOLDER / file).read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    starts = {trap["id"]: f"test_{trap['id'].replace('-', '_')}_".lower() for trap in TRAPS}
    assert len(starts) == len(TRAPS) >= 58
    for trap, start in starts.items():
        found = [name for name in strength if name.startswith(start)]
        assert found, f"no test of {trap}"
        assert all(strength[name] for name in found), f"a test of {trap} asserts nothing"


# Exact numbers.


def identity(x):
    y = x * 1
    return y


def cells(x: Any, **more: Any) -> Any:
    return sa.derive(identity, x=x, **more)["y"].exact


def test_x_minus_oo_is_a_mark_and_no_sum() -> None:
    """A symbol stays real and finite; what is masked is -oo, whatever x is."""
    d = sa.derive(functions.softmax, x=[["x", "-oo"], ["x", "y"]])
    assert list(d["return"].exact.row(0)) == [1, 0]
    (x,) = sa.derive(identity, x=["x"])["y"].exact[0].free_symbols
    assert x.is_real
    assert x.is_finite
    masked = sa.derive(
        attention.scaled_dot_product_attention, Q=[["x"]], K=[[1], [1]], V=[[1], [2]],
        M=[[0, "-oo"]],
    )["Z_masked"]  # fmt: skip
    assert masked.exact[1] == -sympy.oo


def test_float_contam_is_refused_by_place_or_said_which() -> None:
    with pytest.raises(ExactnessError, match=r"E\[0,0\]: the float 0.2 is not exact"):
        sa.derive(one_matrix, E=[[0.2, 1]])
    assert sa.derive(one_matrix, E=[[0.2, 1]], exact="decimal")["F"].exact[0] == R(1, 5)
    stored = sa.derive(one_matrix, E=[[0.2, 1]], exact="binary")["F"].exact[0]
    assert stored == R(3602879701896397, 18014398509481984)
    assert parse_spec(changed("0.5", "0.2")).matrices["E"][0, 1] == Fraction(1, 5)


def as_given(E):
    return E


def one_matrix(E):
    F = E * 1
    return F


def test_float32_input_says_which_is_meant() -> None:
    with pytest.raises(ExactnessError, match=r"E\[0\]: the float 0.2"):
        sa.derive(one_matrix, E=np.array([0.2], np.float32))
    for rule, value in (("decimal", R(1, 5)), ("binary", R(13421773, 67108864))):
        found = sa.derive(as_given, E=np.array([0.2, -np.inf], np.float32), exact=rule)["E"]
        assert list(found.exact) == [value, -sympy.oo]


@pytest.mark.parametrize("text", ["-9072/12245", "4678.0"])
def test_nsimplify_is_not_needed_for_what_is_read(text: str) -> None:
    """Both become another number there: 4678 is then 3·2^… of roots, -9072/12245 loses digits."""
    assert cells([text])[0] == R(text)
    assert cells([text])[0].is_Rational
    (shown,) = sa.derive(identity, x=[text])["y"].decimal(30)
    assert abs(Fraction(shown) - Fraction(text)) <= Fraction(1, 2 * 10**30)


def test_zero_test_decides_equal_forms() -> None:
    weights = sa.derive(functions.softmax, x=[1, 2])["return"]
    logistic = sa.derive(functions.sigmoid, x=[-1])["return"]
    assert sa.compare(weights[0], logistic[0]).verdict == "equal"
    found = sa.derive(identity, x=["sqrt(2) + sqrt(3)", "sqrt(5 + 2*sqrt(6))"])["y"]
    assert sa.compare(found[0], found[1]).verdict == "equal"


def power(x):
    y = x**2012
    return y


def test_chop_is_never_done() -> None:
    """Numbers that differ in their 14th digit, and one of about 1e-1540, are told apart."""
    d = sa.derive(identity, x=["37751345442791/1000000000000000000000000", "exp(-24)"])
    assert sa.compare(d["y[0]"], d["y[1]"]).verdict == "greater"
    tiny = sa.derive(power, x=["3 - 2*sqrt(2)"])["y"]
    assert sa.compare(tiny[0], 0).verdict == "greater"
    assert tiny.decimal(2) == ["0.00"]


def test_argmax_tie_names_all_winners() -> None:
    def winners(values: list[Any]) -> list[str]:
        return [e.address for e in sa.derive(identity, x=values)["y"].largest()]

    assert winners(["0.4", "0.4", "0.2"]) == ["y[0]", "y[1]"]
    assert winners(["0.1 + 0.2", "0.3"]) == ["y[0]", "y[1]"]
    with pytest.raises(LiteralError, match=r"x\[1\]: wanted an exact number"):
        winners([1, "nan", 2])


def test_huge_logits_are_exact_and_do_not_overflow() -> None:
    d = sa.derive(functions.softmax, x=[1000, 999])
    assert d["return"].decimal(7) == ["0.7310586", "0.2689414"]
    assert np.isfinite(d.floats()[d.graph.result]).all()
    assert d.verify().agrees
    far = sa.derive(functions.sigmoid, x=[-(10**6)])["return"]
    assert far.decimal(2) == ["0.00"]
    assert sa.compare(far[0], 0).verdict == "greater"


def test_lambdify_mask_is_no_matter_of_floats() -> None:
    """Masked scores run in floats as they are: no infinity is ever multiplied or subtracted."""
    with pytest.raises(LiteralError, match=r"x\[0\]: wanted an exact number, got .*zoo"):
        cells([sympy.zoo])
    symbolic = sa.derive(functions.softmax, x=[["x", "-oo"]])
    assert list(symbolic["return"].exact) == [1, 0]
    d = sa.derive(functions.softmax, x=[[1, "-oo"], [0, 0]])
    assert d.floats()[d.graph.result].tolist() == [[1.0, 0.0], [0.5, 0.5]]
    assert d.verify().agrees


def test_simplify_slow_is_not_called() -> None:
    """Attention of symbols, and of 4 × 6 × 8 stored float32s, each in seconds; no size explodes."""
    start = time.perf_counter()
    names = {m: [[f"{m}{i}{j}" for j in range(2)] for i in range(2)] for m in "qkv"}
    d = sa.derive(attention.scaled_dot_product_attention, Q=names["q"], K=names["k"], V=names["v"])
    assert len(d["O"][0, 0].formula("latex")) < 2000
    slope = d.gradient("O[0,0]", "Q[0,0]")
    assert len(slope.formula("latex")) < 4000
    assert (
        sa.compare(
            slope.step.derivation.subs(dict.fromkeys(d.symbols, 1))[slope.address], 0
        ).verdict
        == "equal"
    )  # of equal values no weight matters
    rng = np.random.default_rng(0)
    floats = {m: rng.normal(size=(6, 8)).astype(np.float32) for m in "QKV"}
    d = sa.derive(attention.scaled_dot_product_attention, **floats, exact="binary")
    assert len(d["O"][0, 0].decimal(30)) > 30
    assert time.perf_counter() - start < 30


# Norms.


def test_pre_post_ln_are_both_there_and_named() -> None:
    """Of [1, 2]: with post-norm a row of the result has mean 0; with pre-norm x itself is added."""
    shared = {
        "x": [[1, 2]],
        **{name: [I2] for name in ("W_Q", "W_K", "W_V")},
        "W_O": I2,
        "W_1": I2,
        "W_2": I2,
        "eps": 0,
    }
    made = {
        norm: sa.derive(encoder_layer, **shared, config=Config(norm=norm))
        for norm in ("post", "pre", "none")
    }
    results = {norm: d.values[d.graph.result].tolist()[0] for norm, d in made.items()}
    assert sympy.simplify(sum(results["post"])) == 0
    # Pre-norm: rows [-1, 1] are attended to, x + [-1, 1] = [0, 3], normed again and x of it added.
    assert results["pre"] == [0 + 0, 3 + 1]
    # No norm: x + x = [2, 4], and again.
    assert results["none"] == [4, 8]


# What a document says.


def checked(text: str) -> Checked:
    return check(read(text, "markdown"), worked_attention)


def printed(name: str, rows: list[list[str]]) -> str:
    """A matrix as a document prints it."""
    body = r" \\ ".join(" & ".join(row) for row in rows)
    return rf"$$ {name} = \begin{{bmatrix}} {body} \end{{bmatrix}} $$" + "\n"


def test_mask_after_softmax_is_seen_by_its_row_sum() -> None:
    """Scores 0.4, 1.2, 0.9, the third hidden after the softmax: 0.2 + 0.46 = 0.66."""
    full = sa.derive(functions.softmax, x=["0.4", "1.2", "0.9"])["return"].decimal(4)
    row = [*full[:2], "0.0000"]
    assert abs(sum(map(Fraction, row)) - Fraction("0.6617")) <= Fraction("0.0001")
    said = [odd.why for odd in checked(printed("A", [row] * 3)).inconsistent]
    assert any("weights sum to 1" in why for why in said)
    d = sa.derive(
        attention.scaled_dot_product_attention, Q=[[1]], K=[["0.4"], ["1.2"], ["0.9"]],
        V=[[1], [1], [1]], M=[[0, 0, "-oo"]],
    )  # fmt: skip
    assert sympy.simplify(sum(d["A"].exact) - 1) == 0


def test_softmax_axis_of_a_document_is_named() -> None:
    """Weights whose columns sum to 1 and whose rows do not."""
    scores = [["0.4", "1.2"], ["0.9", "0.1"]]
    turned = sa.derive(functions.softmax, x=np.transpose(scores).tolist())["return"].decimal(4)
    text = (
        printed("Q", scores)
        + printed("K", [["1", "0"], ["0", "1"]])
        + "Scores are $S = QK^T$, no scaling.\n"
    )
    (found,) = checked(text + printed("A", np.transpose(turned).tolist())).explained
    assert [cause.text for cause in found.causes] == ["the softmax was taken over columns"]


def test_row_sum_rounded_is_right() -> None:
    """Rows of 4 digits that add up to 0.9999 or 1.0001 are roundings of rows that sum to 1."""
    row = ["0.3333", "0.3333", "0.3333"]
    assert not checked(printed("A", [row] * 3)).inconsistent
    said = checked(printed("A", [["0.3333", "0.3333", "0.3331"]] * 3)).inconsistent
    assert any("weights sum to 1" in odd.why for odd in said)  # off by more than roundings are
    d = sa.derive(functions.softmax, x=[[0, 0, 0]])
    assert d["return"].decimal(4) == [row]
    assert sympy.simplify(sum(d["return"].exact) - 1) == 0


# Display.


def test_rounding_is_half_away_from_zero_with_fixed_decimals() -> None:
    found = sa.derive(identity, x=["0.125", "-0.125", "2.675", "0.0005", "0.399", "-0.001", "0.4"])
    assert found["y"].decimal(2) == ["0.13", "-0.13", "2.68", "0.00", "0.40", "0.00", "0.40"]


# Inputs.


@pytest.mark.parametrize(
    "name", ["E", "I", "S", "N", "Q", "O", "pi", "beta", "gamma", "lambda", "ff", "test"]
)
def test_names_are_names(name: str) -> None:
    assert parse(name) == Name(name)
    for text in (f"2*{name}", f"{name} + 1", f"{name}*W_Q"):
        found = cells([text])[0]
        assert sympy.Symbol(name, real=True) in found.free_symbols


def test_injection_is_text(tmp_path: Path) -> None:
    file = tmp_path / "F"
    for text in (f"__import__('os').system('touch {file}')", f"open('{file}', 'w')"):
        with pytest.raises(LiteralError, match="wanted an exact number"):
            cells([text])
        with pytest.raises(SpecError, match="wanted an exact number"):
            parse_spec(changed("0.5", json.dumps(text)))
    assert not file.exists()


@pytest.mark.parametrize("text", ["9**9**9", "1" * 5000, "2**99999", "(" * 500 + "1" + ")" * 500])
def test_dos_is_refused_at_once(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(LiteralError):
        cells([text])
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("text", ["inf", "-inf", "1,5", "1_000", "0x10", "1 000", "٣"])
def test_inf_string_and_its_like_are_refused(text: str) -> None:
    with pytest.raises(LiteralError, match=r"x\[0\]: wanted an exact number"):
        cells([text])


def test_inf_string_has_its_signs() -> None:
    found = sa.derive(as_given, E=["−1", "-oo", "−∞"])["E"]
    assert list(found.exact) == [-1, -sympy.oo, -sympy.oo]
    for text in ("∞", "oo"):
        found = sa.derive(as_given, E=[text])["E"]
        assert list(found.exact) == [sympy.oo]


def test_dup_vocab_names_both_places() -> None:
    line = 'vocabulary = ["a", "b", "a"]'
    with pytest.raises(
        SpecError, match="vocabulary: 'a' stands at 0 and again at 2; wanted it once"
    ):
        parse_spec(with_line(line))


@pytest.mark.parametrize("tokens", [["don,t", "a:3"], ["", " "], ["x y", "(z)"]])
def test_symbols_split_never_happens_to_tokens(tokens: list[str]) -> None:
    spec = parse_spec(changed('tokens = ["a", "b"]', f"tokens = {json.dumps(tokens)}"))
    assert spec.derive()["A"].axes == (tuple(tokens), tuple(tokens))


def biased(X, W, b):
    y = X @ W + b
    return y


def test_ragged_broadcast_is_an_error_with_places_and_shapes() -> None:
    d = sa.derive(biased, X=I2, W=[[1, 2], [3, 4]], b=[["1/2", 1]])
    assert d["y"].exact == sympy.ImmutableMatrix([[R(3, 2), 3], [R(7, 2), 5]])
    with pytest.raises(
        ShapeError, match=r"wants shapes that fit, got .*\(2, 2\) and b of shape \(3,\)"
    ):
        sa.derive(biased, X=I2, W=I2, b=[1, 2, 3])
    added = sa.derive(biased, X=I2, W=[[1, 2], [3, 4]], b=sa.static(1))
    assert added["y"].exact == sympy.ImmutableMatrix([[2, 3], [4, 5]])
    with pytest.raises(
        ShapeError, match="X: rows of unequal length: row 0 has 2 entries, row 1 has 1"
    ):
        sa.derive(biased, X=[[1, 2], [3]], W=I2, b=[1, 2])


def test_empty_seq_is_an_error() -> None:
    with pytest.raises(ShapeError, match="x: wanted at least one entry"):
        sa.derive(functions.softmax, x=[])
    with pytest.raises(SpecError, match="tokens: wanted at least one, got an empty list"):
        parse_spec(changed('tokens = ["a", "b"]', "tokens = []"))


# LaTeX.

LABELS = [
    "a",
    "[CLS]",
    "[0.5, 2]",
    "50%",
    "##ing",
    "_",
    "$",
    "<s>",
    "a_b",
    "x_",
    "prime",
    "alpha",
    "xdot",
]
FOREIGN = ["你好", "▁the", "🙂"]


def labelled(words: list[str]) -> Any:
    rows = ", ".join(f"[{i + 1}]" for i in range(len(words)))
    text = f"""
format = 1
model = "attention_head"
tokens = {json.dumps(words, ensure_ascii=False)}
[matrices]
E = [{rows}]
W_Q = "identity"
W_K = "identity"
W_V = "identity"
"""
    return parse_spec(text).derive()


def parses(text: str) -> None:
    converter = math_core.LatexToMathML()
    converter.convert_with_local_state(text, displaystyle=True)


def test_tex_row_bracket_is_no_length() -> None:
    """After a row's end a bracket would be read as a length."""
    d = labelled(LABELS[:3])
    text = d["A"].latex(digits=2, labels=True)
    assert r"\\ [" not in text
    assert r"\\[CLS" not in text
    assert "[CLS]" in text
    parses(text)


def test_tex_specials_are_escaped_and_never_interpreted() -> None:
    text = labelled(LABELS)["A"].latex(digits=1, labels=True)
    parses(text)
    for word in ("prime", "alpha", "xdot"):
        assert rf"\text{{{word}}}" in text
    for wrong in (r"\alpha", r"\dot", "^{\\prime}"):
        assert wrong not in text
    for escaped in (r"50\%", r"\#\#ing", r"a\_b", r"x\_", r"\$"):
        assert escaped in text


def test_tex_unicode_is_never_dropped() -> None:
    d = labelled(FOREIGN)
    for text in (markdown.write(page(d)), latex.write(page(d))):
        for word in FOREIGN:
            assert word in text or all(f"{ord(c):X}" in text for c in word)


def test_tex_bmatrix_10_columns_are_not_exceeded() -> None:
    d = sa.derive(identity, x=np.ones((1, 12), int))
    assert r"\begin{array}{cccccccccccc}" in d["y"].latex()
    assert r"\begin{bmatrix}" in sa.derive(identity, x=np.ones((1, 10), int))["y"].latex()
    parses(d["y"].latex())


def test_md_backslash_survives_markdown_and_is_read_without() -> None:
    """Equations stand in a fence, where no backslash is eaten; collapsed rows are read all the same."""
    made = markdown.write(page(sa.article()))
    outside = made.split("```")[::2]
    assert not any(r"\\" in part for part in outside)
    collapsed = r"$$ Q = \begin{bmatrix} 1 & 0 \ 0 & 1 \end{bmatrix} $$"
    (matrix,) = checked(collapsed).reading.matrices
    assert len(matrix.cells) == 4


def project(X, weights_query):
    Q = X @ weights_query
    return Q


def test_matrixsymbol_index_has_entry_names_of_its_own() -> None:
    names = [[f"w_{i}{j}" for j in range(2)] for i in range(2)]
    d = sa.derive(project, X=I2, weights_query=names)
    parses(d["Q"].latex())
    parses(d["Q"].formula)
    assert d["weights_query"][0, 1].address == "weights_query[0,1]"
    assert "weights_query_" not in d["Q"].formula


def head(Q, K, V, M):
    d_k = K.shape[-1]
    A = functions.softmax(Q @ K.T / np.sqrt(d_k) + M)
    O = A @ V
    return O


def test_latexify_t_is_a_transpose() -> None:
    d = sa.derive(head, Q=I2, K=I2, V=I2, M=[[0, "-oo"], [0, 0]])
    assert r"K^{\top}" in d["A"].formula
    assert r"\sqrt{d_k}" in d["A"].formula
    assert r"-\infty" in d["M"].latex()
    parses(d["A"].formula)


def test_parens_neg_stand_around_a_negative_factor() -> None:
    d = sa.derive(project, X=[["x", -2]], weights_query=[[-3], ["-1/2"]])
    shown = d["Q"][0, 0].substitution("text")
    assert shown == "x * (-3) + (-2) * (-1/2)"
    assert d["Q"].exact[0] == 1 - 3 * sympy.Symbol("x", real=True)


def test_sqrt_form_is_either_and_both_are_right() -> None:
    """A matrix keeps (1/√2)·S; entries are rationalised; the checker takes both as equal."""
    article = sa.article()
    assert r"\frac{1}{\sqrt{2}}" in article["Z"].substitution
    assert "13*sqrt(2)/25" in str(article["Z"].texts("text").tolist())
    same = sa.derive(identity, x=["1/sqrt(2)", "sqrt(2)/2", "26/(25*sqrt(2))", "13*sqrt(2)/25"])[
        "y"
    ]
    assert sa.compare(same[0], same[1]).verdict == "equal"
    assert sa.compare(same[2], same[3]).verdict == "equal"


# Parameters.


def count_of(**config: Any) -> Count:
    gpt2 = {
        "model_type": "gpt2", "vocab_size": 50257, "n_positions": 1024, "n_embd": 768,
        "n_layer": 12, "n_head": 12,
    }  # fmt: skip
    return Count(read_config({**gpt2, **config}))


def test_tied_count_says_both_numbers() -> None:
    """GPT-2's embedding is its unembedding: 124,439,808 parameters, and 38,597,376 more untied."""
    for tied in (True, False):
        found = count_of(tie_word_embeddings=tied)
        assert (found.tied.value, found.untied.value) == (124_439_808, 163_037_184)
        assert found.total.value == (found.tied if tied else found.untied).value
        said = counts.text(found, ())
        assert "124,439,808" in said
        assert "163,037,184" in said


def test_heads_params_do_not_depend_on_h() -> None:
    """With d_k = d/h, of d = 512: four matrices of 512 × 512 and their biases; not else."""
    for h in (1, 2, 4, 8, 16, 32):
        attention = count_of(n_embd=512, n_head=h).part("attention")
        assert attention.value == 12 * (4 * 512 * 512 + 4 * 512)
    llama = {
        "model_type": "llama", "vocab_size": 32000, "hidden_size": 512, "num_hidden_layers": 1,
        "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 2048,
    }  # fmt: skip
    for d_k in (16, 32, 64):  # d_k alone, as in rows (B) of the first paper's table 3
        found = Count(read_config({**llama, "head_dim": d_k})).part("attention")
        assert found.value == 4 * 512 * 8 * d_k
