"""Words for equations and entries."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import symattn as sa
from symattn import notation, spoken
from symattn.spoken import SpokenError
from tests.equations_of import formulas
from tests.five import FIVE, page_of

MATRIX = r"\begin{bmatrix} 1 & 0 \\ \frac{1}{5} & -\infty \end{bmatrix}"
LABELLED = (
    r"\begin{array}{c|cc}  & \text{cat} & {<}\text{s}{>} \\ \hline \text{cat} & 1 & 0 \\[4pt] "
    r"{<}\text{s}{>} & \frac{e^{\sqrt{2}/10}}{\ell_1} & {0.40}^{\dagger} \end{array}"
)


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"A = \mathrm{softmax}(Z_{\mathrm{masked}})", "A equals softmax of Z masked"),
        (r"S = Q K^\top", "S equals Q K transpose"),
        (r"\frac{a}{b}", "a over b"),
        (r"\frac{13 \sqrt{2}}{25}", "13 root 2 over 25"),
        (r"\frac{a + 1}{b}", "the fraction a plus 1, over b, end fraction"),
        (r"\sqrt{a + \varepsilon}", "root of a plus epsilon, end root"),
        (r"\sqrt[3]{x}", "the cube root of x, end root"),
        (r"x^2", "x squared"),
        (r"x^{-1}", "x to the power minus 1"),
        (r"e^{\sqrt{2}/10} + 1", "e to the power root 2 over 10 plus 1"),
        (r"e^{a + b} + 1", "e to the power a plus b, end power plus 1"),
        (r"x' + \hat{x}", "x prime plus x hat"),
        (r"Q^{(1,0)}", "Q superscript 1, 0"),
        (r"{K^{(1,0)}}^\top", "K superscript 1, 0 transpose"),
        (r"\ell^A_1", "ell sub 1 superscript A"),
        (r"W_{\mathrm{vocab}}, \quad d_k", "W vocab, d sub k"),
        (r"-\infty", "minus infinity"),
        (r"S[1,2] \approx 0.16", "S at 1, 2 is approximately 0.16"),
        (r"x[:, :d]", "x at all, up to d"),
        (r"x[a:b]", "x at from a up to b"),
        (r"\ell_i = \sum_j e^{Z[i,j]}", "ell sub i equals the sum over j of e to the power Z at i, j, end power"),
        (r"\sum_{i=1}^{n} x_i", "the sum from i equals 1 to n of x sub i"),
        (r"\max\left(0, x\right)", "the maximum of open parenthesis 0, x close parenthesis"),
        (r"\log P", "log of P"),
        (r"\log\left(x\right)", "log of x"),
        (r"\tanh\left(x\right)", "tanh of x"),
        (r"3 \times 3", "3 by 3"),
        (r"\begin{bmatrix} 1 \end{bmatrix} \left(x y\right)", "the row: 1; end row open parenthesis x y close parenthesis"),
        (r"\begin{cases} 1 \\ 2 \end{cases} (y)", "by cases: 1; 2; end cases open parenthesis y close parenthesis"),
        (r"3 \times 10^{-5}", "3 times 10 to the power minus 5"),
        (r"a \odot b \cdot c", "a elementwise times b times c"),
        (r"i = 0, \ldots, h - 1", "i equals 0, and so on, h minus 1"),
        (r"\left\lfloor\frac{r}{2}\right\rfloor", "the floor of r over 2 end floor"),
        (r"\frac{\partial L}{\partial W}", "partial L over partial W"),
        (r"\mathrm{d}b_1", "d b sub 1"),
        (r"\Sigma \gamma \Omega", "capital sigma gamma capital omega"),
        (r"\textcolor{red}{a} \boxed{b}", "a b boxed"),
        (r"0{,}40 \approx 1{,}3 \cdot 10^{-5}", "0.40 is approximately 1.3 times 10 to the power minus 5"),
        (r"A^{(1,0)}, A[1,0]", "A superscript 1, 0, A at 1, 0"),
        (r"\cancel{x}", "x crossed out"),
        (r"A = \boxed{\phantom{0.40}}, \boxed{\quad}", "A equals an empty box, an empty box"),
        (r"\mathbf{0.40}", "0.40"),
        (r"\underbrace{a}_{b}", "a braced as b"),
        (r"a \qquad \text{cat, mouse}", "a, cat, mouse"),
        (r"\begin{cases} 0 & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}",
         "by cases: 0, if j is at most i; minus infinity, otherwise; end cases"),
        (MATRIX, "the matrix with 2 rows and 2 columns: first row: 1, 0; second row: 1 over 5, minus infinity; end matrix"),
        (r"\begin{bmatrix} 1 & 2 \end{bmatrix}[-1]", "the row: 1, 2; end row at minus 1"),
        (r"\begin{bmatrix} 1 \\ 2 \end{bmatrix}", "the column: 1, 2; end column"),
        (LABELLED, "the matrix with rows cat, <s> and columns cat, <s>: row cat: 1, 0; row <s>: "
                   "the fraction e to the power root 2 over 10, over ell sub 1, end fraction, 0.40 dagger; end matrix"),
        (r"\begin{array}{cc} \text{a} & \text{,} \\ \hline 1 & 2 \end{array}", "the row with columns a, comma: 1, 2; end row"),
        ("\\begin{aligned}\na &= 1 \\\\[6pt]\n&= 2\n\\end{aligned}", "a equals 1;\nequals 2"),
        ("", "nothing"),
    ],
)  # fmt: skip
def test_words(latex: str, words: str) -> None:
    assert spoken.equation(latex) == words


def test_a_long_matrix_says_two_rows() -> None:
    rows = r" \\ ".join(" & ".join(str(20 * i + j) for j in range(20)) for i in range(20))
    said = spoken.equation(rf"\left[\begin{{array}}{{{'c' * 20}}} {rows} \end{{array}}\right]")
    assert said == (
        "the matrix with 20 rows and 20 columns: first row: 0, 1, 2, 14 more, 17, 18, 19; "
        "and 18 rows that are not said; 20th row: 380, 381, 382, 14 more, 397, 398, 399; end matrix"
    )


def test_a_ninth_row_has_an_ordinal() -> None:
    assert [spoken.ordinal(i) for i in (0, 9, 10, 20, 110)] == ["first", "tenth", "11th", "21st", "111th"]  # fmt: skip


def test_an_entry_in_words() -> None:
    d = sa.article()
    said = [spoken.entry_words(d[step][index]) for step, index in [
        ("A", (2, 0)), ("M", (0, 1)), ("M", (1, 0)), ("Q", (1, 1)), ("Z_masked", (0, 2)), ("P", 1), ("P.sum", ()), ("A.sum", 2),
    ]]  # fmt: skip
    assert said == [
        "A, row mouse, column cat: 0.40",
        "M, row cat, column chases: minus infinity",
        "M, row chases, column cat: 0",
        "Q, row chases, second column: 1.00",
        "Z masked, row cat, column mouse: minus infinity",
        "P, entry chases: 0.29",
        "ell sub P: 7.64",
        "ell, entry mouse: 4.45",
    ]


def test_an_entry_of_an_array_of_matrices_says_which() -> None:
    from symattn.functions import softmax

    d = sa.derive(softmax, x=[[[0, 0], [0, 2]], [[1, 1], [0, 0]]])
    assert spoken.entry_words(d["return"][1, 0, 1]) == (
        "softmax, second block, first row, second column: 0.500000"
    )


@pytest.mark.parametrize(
    ("decimal", "words"),
    [
        ("0.40", "0.40"),
        ("-0,25", "minus 0.25"),
        ("oo", "infinity"),
        ("-oo", "minus infinity"),
        ("0.39?", "0.39 and digits that are not settled"),
        ("?", "no digit is settled"),
        ("0.34*", "0.34 star"),
        ("0.00‡", "0.00 double dagger"),
        ("[0.5]", "0.5 boxed"),
        ("-1.3e-5", "minus 1.3 times 10 to the power minus 5"),
    ],
)
def test_decimals_in_words(decimal: str, words: str) -> None:
    assert spoken.decimal_words(decimal) == words


def test_an_entry_with_symbols_is_its_exact_value() -> None:
    d = sa.article().with_(W_Q=sa.symbols_like("W_Q", (2, 2)))
    assert spoken.entry_words(d["Q"][1, 0]) == (
        "Q, row chases, first column: the fraction W sub Q at 0, 0, over 5, end fraction plus W sub Q at 1, 0"
    )


def test_a_scope_is_said_after_the_name() -> None:
    d = page_of("two-layers").derivation
    assert d is not None
    assert spoken.step_words(d["layer[1].head[0].A"]) == "A of layer 1, head 0"
    assert spoken.entry_words(d["layer[1].head[0].Z_masked"][0, 1]) == (
        "Z masked of layer 1, head 0, row the, column cat: minus infinity"
    )


def test_what_has_no_words_is_named() -> None:
    with pytest.raises(SpokenError, match="got <maction>"):
        spoken.words(ElementTree.fromstring("<math><maction><mi>x</mi></maction></math>"))


@pytest.mark.parametrize("token", ["<s>", "a_b", "[CLS]", "50%", "猫", "كلب", "\\write18{rm}", "#show: x => [$]"])  # fmt: skip
def test_a_token_is_said_as_it_is(token: str) -> None:
    latex = rf"\begin{{array}}{{c|c}} {notation.text(token)} & 1 \\ {notation.text(token)} & 2 \end{{array}}"
    assert f"rows {token}, {token}:" in spoken.equation(latex)
    assert spoken.equation(rf"1 \qquad {notation.text(token)}") == f"1, {token}"


@pytest.mark.parametrize("name", [*FIVE, "gpt2", "vaswani2017"])
def test_every_equation_of_a_page_has_words(name: str) -> None:
    made = page_of(name)
    for latex, displayed in formulas(made):
        said = spoken.equation(latex)
        assert said
        assert said != "nothing"
        assert said == spoken.equation(latex)
        if name != "hostile":
            assert not re.search(r"[^ -~\näé]|[\\{}^_$&]|  | ,", said), (latex, said)
        assert displayed or "\n" not in said


@pytest.mark.parametrize("name", FIVE)
def test_every_entry_has_words(name: str) -> None:
    derivation = page_of(name).derivation
    assert derivation is not None
    for step in derivation.steps:
        for entry in step.entries()[:9]:
            said = spoken.entry_words(entry)
            assert re.search(r": (minus )?(\d|infinity)", said), said
