"""What a user holds in hand: steps, entries, replacements."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
import sympy
from sympy import Rational, exp, sqrt

import symattn as sa
from symattn.errors import AddressError, ExactnessError, MaskError, ShapeError
from symattn.functions import softmax
from symattn.transformer import attention_head, multi_head_attention

E2 = exp(2 * sqrt(2) / 25)
E5 = exp(2 * sqrt(2) / 5)
E8 = exp(8 * sqrt(2) / 25)


def test_the_exact_values_of_the_article(article: sa.Derivation) -> None:
    assert article["E"].exact == sympy.ImmutableMatrix(
        [[1, 0], [Rational(1, 5), 1], [Rational(4, 5), 0]]
    )
    assert article["S"].exact[1, 1] == Rational(26, 25)
    assert article["Z"].exact[1, 1] == 13 * sqrt(2) / 25
    assert article["Z_masked"].exact[0, 1] is sympy.S.NegativeInfinity
    assert article["A"].exact[0, 1] == 0
    row = exp(sqrt(2) / 10) + exp(13 * sqrt(2) / 25)
    assert article["A"].exact[1, 1] == exp(13 * sqrt(2) / 25) / row
    assert article["A.sum"].exact[1] == row
    assert article["O"].exact[2, 1] == E2 / (E2 + E5 + E8)


def test_no_float_is_anywhere_in_the_exact_values(article: sa.Derivation) -> None:
    for step in article.steps:
        assert not any(value.has(sympy.Float) for value in step.value.flat)


def test_the_reconstructed_numbers_lead_to_chases(article: sa.Derivation) -> None:
    assert [e.labels for e in article["P"].largest()] == [("chases",)]
    assert article["P"].decimal(3) == ["0.168", "0.285", "0.160", "0.234", "0.152"]
    assert sum(article["P"].value).simplify() == 1


def test_steps_are_addressed_whole_or_by_their_last_parts(article: sa.Derivation) -> None:
    assert article["head[0].A"].node == article["A"].node
    assert article["O"].address == "head[0].O"
    assert article["A.exp"].inside == "head[0].A"
    assert article["A[1,0]"].address == article["A"][1, 0].address == "A[1,0]"
    assert article["A"][-1, 0].index == (2, 0)
    assert [e.address for e in article["W_vocab[:,3]"]] == ["W_vocab[0,3]", "W_vocab[1,3]"]
    assert [e.decimal() for e in article["A"][1]] == ["0.36", "0.64", "0.00"]
    assert [s.short for s in article] == [s.short for s in article.steps]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("B", "no step 'B'"),
        ("logit", "did you mean 'logits'"),
        ("A[3,0]", r"A has shape \(3, 3\); there is no entry A\[3, 0\]"),
        ("A[0,0,0]", "there is no entry"),
        (3, "wanted the name of a step"),
    ],
)
def test_what_is_not_there_is_said(article: sa.Derivation, address: str, message: str) -> None:
    with pytest.raises(AddressError, match=message):
        article[address]


def test_ranks(article: sa.Derivation) -> None:
    assert article["P"].exact.shape == (1, 5)
    assert article["P.sum"].exact.shape == (1, 1)
    heads = sa.derive(
        multi_head_attention,
        E=[[1, 0], [0, 1]], W_Q=[[[1], [0]], [[0], [1]]], W_K=[[[1], [1]], [[1], [0]]],
        W_V=[[[2], [0]], [[0], [2]]], W_O=[[1, 0], [0, 1]],
    )  # fmt: skip
    assert heads["W_Q"].exact.shape == (2, 2, 1)
    assert [s.symbol for s in heads.steps if s.name == "return"] == [
        r"\mathrm{Attention}^{(0)}", r"\mathrm{Attention}^{(1)}", r"\mathrm{MultiHead}",
    ]  # fmt: skip
    assert str(heads["W_Q"])
    assert heads["W_Q"].latex().startswith(r"\left(\begin{bmatrix}")


def test_an_input_replaced_is_derived_again(article: sa.Derivation) -> None:
    changed = article.with_(W_Q=[[0, 0], [0, 0]])
    assert changed["S"].exact == sympy.zeros(3, 3)
    assert changed["A"].exact[2, 0] == Rational(1, 3)
    assert article["S"].exact[0, 0] == 1


def test_a_step_replaced_is_carried_on(article: sa.Derivation) -> None:
    changed = article.with_(E=[[1, 0], ["1/5", 1], [0, 0]])
    assert changed["E"].given
    assert changed["E"].formula is None
    assert changed["A"].exact[2, 1] == Rational(1, 3)
    again = changed.with_({"head[0].V": [[1, 1]] * 3})
    assert again["O"].exact[1, 0].simplify() == 1
    assert again["E"].exact[2, 0] == 0


def test_a_replacement_may_be_larger_where_it_is_an_input() -> None:
    inputs = {"W_Q": [[1]], "W_K": [[1]], "W_V": [[1]]}
    d = sa.derive(attention_head, E=[[1], [2]], labels={"E": [["a", "b"], None]}, **inputs)
    assert d["A"].axes == (("a", "b"), ("a", "b"))
    more = d.with_(E=[[1], [2], [3]])
    assert more["A"].shape == (3, 3)
    assert more["A"].axes == (None, None)


def test_replacements_are_checked(article: sa.Derivation) -> None:
    with pytest.raises(ShapeError, match=r"E: wanted shape \(3, 2\), got \(2, 2\)"):
        article.with_(E=[[1, 0], [0, 1]])
    with pytest.raises(ExactnessError, match=r"E\[0,0\]: the float 0.1"):
        article.with_(E=[[0.1, 0], [0, 1], [0, 0]])
    assert article.with_(E=[[0.1, 0], [0, 1], [0, 0]], exact="decimal")["E"].exact[
        0, 0
    ] == Rational(1, 10)
    with pytest.raises(AddressError, match="inside of head"):
        article.with_({"A.exp": [[1, 0, 0]] * 3})
    with pytest.raises(ShapeError, match="@ wants shapes that fit"):
        article.with_(W_Q=[[1, 0]])


def test_formulas_come_from_the_lines_that_run(article: sa.Derivation) -> None:
    assert article["Z"].formula == r"Z = \frac{S}{\sqrt{d_k}}"
    assert article["E"].formula == r"E = W_{\mathrm{vocab}}^{\top}[\mathrm{tokens}]"
    assert article["Z"].substitution.startswith(
        r"\frac{1}{\sqrt{2}} \begin{bmatrix} 1 & \frac{1}{5}"
    )
    assert article["W_Q"].formula is None
    assert article["A.sum"].formula == r"\ell_i = \sum_j e^{Z_{\mathrm{masked}}[i,j]}"


def own_attention(E, W_Q, tau):
    Q = E @ W_Q
    Z_hat = Q @ E.T / tau
    A = softmax(Z_hat)
    return A @ E


def test_a_users_own_function_gets_all_of_it() -> None:
    d = sa.derive(own_attention, E=[[1, 0], [0, 1]], W_Q=[[1, 2], [0, 1]], tau="sqrt(3)")
    assert d["Z_hat"].formula == r"\hat{Z} = \frac{Q E^{\top}}{\tau}"
    assert d["A"].exact[1, 1] == exp(sqrt(3) / 3) / (1 + exp(sqrt(3) / 3))
    assert d["return"].formula == r"\mathrm{own\_attention} = A E"
    assert d.verify().agrees


def test_symbols_stay_symbols() -> None:
    d = sa.derive(softmax, x=["a", "beta", "-oo"])
    a, beta = sympy.symbols("a beta", real=True)
    assert d["return"].exact[0, 1] == exp(beta) / (exp(a) + exp(beta))
    assert d["return"].exact[0, 2] == 0
    with pytest.raises(ExactnessError, match="the free symbols are a, beta"):
        d.verify()
    assert "(symbols)" in repr(d["return"][0])
    assert r"\beta" in d["return"][1].explain().latex()


def test_objects_show_themselves(article: sa.Derivation) -> None:
    step = article["A"]
    assert repr(step).splitlines()[0] == "A = softmax(Z_masked)    (3 × 3)"
    assert r" &= \begin{array}{c|ccc} " in step._repr_latex_()
    assert r"\ell_1 &= e^{\sqrt{2}/10} + e^{13 \sqrt{2}/25}" in step._repr_markdown_()
    assert (
        article["A"][1, 1]
        ._repr_latex_()
        .startswith(r"$\displaystyle A[1,1] = \frac{e^{13 \sqrt{2}/25}}{\ell_1} \approx 0.64$")
    )
    assert repr(article).startswith("<derivation of next_token: W_vocab,")
    assert "$" in article._repr_markdown_()


def test_explanations_say_where_an_entry_comes_from(article: sa.Derivation) -> None:
    shown = dict(article["S"][1, 2].explain().rows())
    assert shown["formula"] == "Q[1,0] * K[2,0] + Q[1,1] * K[2,1]"
    assert shown["substituted"] == "1/5 * 4/5 + 1 * 0"
    assert shown["exact"] == "4/25"
    assert dict(article["W_Q"][0, 0].explain().rows()) == {
        "step": "given",
        "exact": "1",
        "decimal": "1.00",
    }
    assert "M[0,1]" in dict(article["Z_masked"][0, 1].explain().rows())["formula"]


def test_negative_entries_are_bracketed() -> None:
    d = sa.derive(attention_head, E=[[-1, 2]], W_Q=[[-1], [1]], W_K=[[1], [-3]], W_V=[[1], [0]])
    assert dict(d["Q"][0, 0].explain().rows())["substituted"] == "(-1) * (-1) + 2 * 1"
    assert r"\left(-1\right) \cdot \left(-1\right) + 2 \cdot 1" in d["Q"][0, 0].explain().latex()


def test_words_are_seen_to_be_decimals_of_the_exact_value(article: sa.Derivation) -> None:
    entry = article["A"][1, 1]
    assert entry.decimal(2) == "0.64"
    with mpmath.workdps(60):
        a, b = (mpmath.exp(k * mpmath.sqrt(2)) for k in (mpmath.mpf(1) / 10, mpmath.mpf(13) / 25))
        assert entry.decimal(30) == mpmath.nstr(b / (a + b), 30, strip_zeros=False)
    with pytest.raises(ExactnessError, match="wanted 0 to 1000 decimals"):
        entry.decimal(-1)


def test_a_step_is_an_input_of_another_derivation(article: sa.Derivation) -> None:
    """Its values are the same in every number system, and are those of the whole in one."""
    I = [[1, 0], [0, 1]]
    weights = {"W_Q": I, "W_K": I, "W_V": I}
    first = article.with_(M=[[0, "-oo", "-oo"], [0, 0, "-oo"], [0, 0, 0]])
    d = sa.derive(attention_head, E=first["O"], M=first["M"], **weights)
    assert d["E"].exact == article["O"].exact
    assert all(x == y for x, y in zip(d["E"].forms.flat, article["O"].forms.flat, strict=True))
    assert d["E"].decimal(40) == article["O"].decimal(40)
    assert d["Z_masked"].exact[0, 1] is sympy.S.NegativeInfinity
    assert d["A"].exact[2, 1] == exp(d["Z"].exact[2, 1]) / sum(map(exp, d["Z"].exact[2, :]))
    assert d.verify().agrees
    one = sa.derive(attention_head, E=[[article["A"][1, 1], "1/2"]], **weights)
    assert one["Q"].exact[0] == article["A"].exact[1, 1]
    assert sa.compare(one["E"][0, 0], article["A"][1, 1]).verdict == "equal"
    assert article.with_(O=article["O"])["P"].exact == article["P"].exact
    names = sa.derive(attention_head, E=[["a", 1]], **weights)
    assert (
        sa.derive(attention_head, E=names["Q"], **weights)["S"].exact[0]
        == sympy.Symbol("a", real=True) ** 2 + 1
    )


def test_what_is_known_to_printed_digits_is_no_exact_input(article: sa.Derivation) -> None:
    I = [[1, 0], [0, 1]]
    printed = article.with_radii({"W_1": article.with_(W_1=[["1/2"] * 2] * 2).inputs["W_1"]})
    with pytest.raises(ExactnessError, match="O is known only as far as the printed digits"):
        sa.derive(attention_head, E=printed["O"], W_Q=I, W_K=I, W_V=I)


def test_sympy_matrices_and_object_arrays_come_in(article: sa.Derivation) -> None:
    same = article.with_(E=article["E"].exact)
    assert same["A"].exact == article["A"].exact
    again = article.with_(E=article["E"].value)
    assert again["A"].exact == article["A"].exact


def test_a_mask_of_zeros_and_ones_is_refused(article: sa.Derivation) -> None:
    ones = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    with pytest.raises(MaskError, match="M: 0 and 1 would be added"):
        article.with_(M=ones)
    with pytest.raises(MaskError, match="M: 0 and 1 would be added"):
        sa.derive(attention_head, E=[[1], [2]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], M=[[1, 0], [1, 1]])
    assert article.with_(M=[["1/2", 0, 0]] * 3)["A"].shape == (3, 3)


def test_arguments_that_were_left_out_can_be_given_later(article: sa.Derivation) -> None:
    assert article.with_(scale=2)["Z"].exact[0, 0] == Rational(1, 2)
    assert article.with_(scale="sqrt(3)")["Z"].exact[0, 0] == sqrt(3) / 3
    free = article.with_(M=None)
    assert "Z_masked" not in [s.name for s in free.steps]
    swapped = article.with_(tokens=sa.static([2, 1, 0]))
    assert swapped["E"].exact[0, 0] == Rational(4, 5)


def test_one_visible_key_has_weight_one() -> None:
    d = sa.derive(
        attention_head, E=[[1], [2]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], M=[["a", "-oo"], [1, 1]]
    )
    assert d["A"].exact[0, 0] == 1
    assert d["A"][0, 0].text() == "1"


def test_equal_values_are_called_by_their_own_rows_names() -> None:
    twice = sa.derive(
        attention_head,
        E=[[1, 0], [0, 1], [1, 0]],
        W_Q=[[1, 0], [0, 1]],
        W_K=[[1, 0], [0, 1]],
        W_V=[[1, 0], [0, 1]],
    )
    for i in range(3):
        assert twice["A"][i, 1].text().endswith(f"/ℓ_{i}")
        assert f"ℓ_{i} = " in str(twice["A"][i, 1].explain())


@pytest.mark.parametrize(
    ("ask", "kind"),
    [
        (lambda d: d["A"].decimal("3"), ExactnessError),
        (lambda d: d["A"].decimal(2.0), ExactnessError),
        (lambda d: d["A"].numeric(int), ExactnessError),
        (lambda d: d["A"].numeric("foo"), ExactnessError),
        (lambda d: d.verify(A=[["x"] * 3] * 3), ShapeError),
        (lambda d: d["A"][True, False], AddressError),
        (lambda d: sa.load(None), sa.SpecError),
        (lambda d: d["M"][0, 1].share(2), ExactnessError),
    ],
)
def test_wrong_kinds_of_argument_are_told(
    article: sa.Derivation, ask: Any, kind: type[Exception]
) -> None:
    with pytest.raises(kind):
        ask(article)
