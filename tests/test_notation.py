"""LaTeX of names and lines; the record that stands in for latexify-py."""

from __future__ import annotations

import json
import subprocess
import sys

import math_core
import pytest

from symattn import transformer
from symattn.formulas import formulas, template
from symattn.notation import Template, symbol


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("A", "A"),
        ("W_Q", "W_Q"),
        ("d_model", r"d_{\mathrm{model}}"),
        ("b_1", "b_1"),
        ("x_last", r"x_{\mathrm{last}}"),
        ("x1", "x1"),
        ("gamma", r"\gamma"),
        ("alpha_k", r"\alpha_k"),
        ("logits", r"\mathrm{logits}"),
        ("x~1", "x'"),
        ("Z_masked~2", r"Z''_{\mathrm{masked}}"),
        ("a_b_c", "a_{b,c}"),
        ("_", r"\mathrm{\_}"),
        ("x_", "x"),
        ("prime", r"\mathrm{prime}"),
        ("xdot", r"\mathrm{xdot}"),
        ("W_Qé", r"W_{\text{Qé}}"),
    ],
)
def test_symbols(name: str, latex: str) -> None:
    assert symbol(name) == latex


@pytest.mark.parametrize(
    ("base", "filled"),
    [
        ("K", r"K^{\top}"),
        ("K^{(0)}", r"{K^{(0)}}^{\top}"),
        ("E'", r"E'^{\top}"),
        (r"E'_{\mathrm{pos}}", r"{E'_{\mathrm{pos}}}^{\top}"),
    ],
)
def test_nothing_has_two_superscripts(base: str, filled: str) -> None:
    found = Template(r"«x»^{\top}", "").fill(lambda _: base)
    assert found == filled
    math_core.LatexToMathML().convert_with_local_state(found, displaystyle=True)


@pytest.mark.parametrize(
    ("source", "latex"),
    [
        ("Q @ K.T", r"Q K^{\top}"),
        ("A @ (V @ W_O)", r"A \left(V W_O\right)"),
        ("(A @ V) @ W_O", r"A V W_O"),
        ("(A + B) @ C", r"\left(A + B\right) C"),
        ("(A @ B).T", r"\left(A B\right)^{\top}"),
        ("-A @ B", r"\left(-A\right) B"),
        ("S / np.sqrt(d_k)", r"\frac{S}{\sqrt{d_k}}"),
        (
            "softmax(Q @ K.T / np.sqrt(d_k)) @ V",
            r"\mathrm{softmax}\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right) V",
        ),
        ("np.maximum(0, x)", r"\max\left(0, x\right)"),
        ("np.exp(-x ** 2)", r"e^{-x^{2}}"),
        ("x.sum(axis=-1, keepdims=True)", r"\mathrm{sum}\left(x\right)"),
        ("x.mean(axis=0)", r"\mathrm{mean}\left(x, \mathrm{axis}=0\right)"),
        ("W_Q[i]", r"{W_Q}^{(i)}"),
        ("O[-1]", "O[-1]"),
        ("x[1:, 0]", "x[1:, 0]"),
        ("x[:, ::2]", "x[:, ::2]"),
        ("(x * 2)[0]", r"\left(x \cdot 2\right)[0]"),
        ("x * x", r"x \odot x"),
        ("x @ x", "x x"),
        ("2 * x", "2 x"),
        ("x * -1", r"x \cdot \left(-1\right)"),
        ("x.max(-1, keepdims=True)", r"\max\left(x\right)"),
        ("np.sum(e, 1)", r"\mathrm{sum}\left(e, \mathrm{axis}=1\right)"),
        ("np.maximum(x, -1)", r"\max\left(x, -1\right)"),
        ("1e-05 + x", "0.00001 + x"),
        ("-np.inf * np.pi", r"-\infty \pi"),
        (
            "np.where(a > 0, 1, 0)",
            r"\begin{cases} 1 & \text{if } a > 0 \\ 0 & \text{otherwise} \end{cases}",
        ),
        ("x - (y - z)", r"x - \left(y - z\right)"),
        ("(x + y) ** 2", r"\left(x + y\right)^{2}"),
        ("np.abs(x - y)", r"\left|x - y\right|"),
        ("abs(x)", r"\left|x\right|"),
        ("np.square(x + 1)", r"\left(x + 1\right)^{2}"),
        ("np.minimum(x, 0)", r"\min\left(x, 0\right)"),
        ("x.min(axis=(0, 1))", r"\min\left(x, \mathrm{axis}=\left(0, 1\right)\right)"),
        ("np.var(x, axis=-1, ddof=1)", r"\mathrm{var}\left(x, \mathrm{ddof}=1\right)"),
        ("np.cumsum(x, 0)", r"\mathrm{cumsum}\left(x, \mathrm{axis}=0\right)"),
        ("np.tril(M, -1)", r"\mathrm{tril}\left(M, -1\right)"),
        ("x[..., None]", r"x[\ldots, \text{new}]"),
        ("np.outer(a, b)", r"a \otimes b"),
        ("np.dot(A, B + C)", r"A \left(B + C\right)"),
        ("A.dot(B)", "A B"),
        ("np.add(a, np.multiply(b, c))", r"a + b \odot c"),
        ("np.eye(n)", "I_{n}"),
        ("np.eye(n, k=1)", r"\mathrm{eye}\left(n, k=1\right)"),
        ("x.transpose()", r"x^{\top}"),
        ("np.transpose(A @ B)", r"\left(A B\right)^{\top}"),
        ("Q @ K.swapaxes(-1, -2)", r"Q K^{\top}"),
        ("x.swapaxes(0, 1)", r"\mathrm{swapaxes}\left(x, 0, 1\right)"),
        ("np.sqrt(2 / np.pi) * x", r"\sqrt{\frac{2}{\pi}} \cdot x"),
        ("s.mean + 1", r"{s}_{\mathrm{mean}} + 1"),
        ("x * x.shape[-1]", r"x \odot \mathrm{shape}\left(x\right)[-1]"),
        ("np.einsum('ij,jk->ik', A, B)", "A B"),
        ("np.einsum('ij, jk', A + B, C)", r"\left(A + B\right) C"),
        ("np.einsum('ij,kj->ik', A, B)", r"A B^{\top}"),
        ("np.einsum('ij,jk->ki', A, B)", r"B^{\top} A^{\top}"),
        ("np.einsum('j,ij->i', a, B)", "B a"),
        ("np.einsum('hid,hjd->hij', Q, K)", r"Q K^{\top}"),
        ("np.einsum('...ij,...jk->...ik', A, f(B))", r"A \mathrm{f}\left(B\right)"),
        ("np.einsum('ij->ji', A)", r"A^{\top}"),
        ("np.einsum('ii', A)", r"\sum_{i} A[i,i]"),
        ("np.einsum('i,i->', a, b)", r"\sum_{i} a[i] b[i]"),
        ("np.einsum('ij,ij->i', A, B)", r"\left(\sum_{j} A[i,j] B[i,j]\right)_{i}"),
        ("np.einsum('...i,...i', A, B)", r"\left(\sum_{i} A[\ldots,i] B[\ldots,i]\right)_{\ldots}"),
        ("np.einsum('i,j->ij', a, b)", r"\left(a[i] b[j]\right)_{i,j}"),
        ("np.einsum(s, A, B)", r"\mathrm{einsum}\left(s, A, B\right)"),
    ],
)
def test_lines_become_latex(source: str, latex: str) -> None:
    assert template(source).fill(symbol) == latex
    math_core.LatexToMathML().convert_with_local_state(latex, displaystyle=True)


def test_a_quotient_may_keep_its_divisor_as_a_factor() -> None:
    assert template("S / np.sqrt(d_k)").fill(symbol, factored=True) == r"\frac{1}{\sqrt{d_k}} S"
    assert template("(S + T) / 2").fill(symbol, factored=True) == r"\frac{1}{2} \left(S + T\right)"


def test_what_the_renderer_does_not_know_is_shown_as_code_and_says_so() -> None:
    made = template("f(lambda x: x)")
    assert made.code
    assert made.plain.startswith(r"\texttt{f(lambda x: x)")
    assert template("f(x)(y)").code


def test_general_equations() -> None:
    assert formulas(transformer.feed_forward) == [
        r"\mathrm{FFN}(x, W_1, b_1, W_2, b_2) = \max\left(0, x W_1 + b_1\right) W_2 + b_2"
    ]
    head, whole = formulas(transformer.multi_head_attention)
    assert (
        whole
        == r"\mathrm{MultiHead}(E, W_Q, W_K, W_V, W_O) = \mathrm{Concat}\left(\mathrm{head}\right) W_O"
    )
    assert head == (
        r"\mathrm{head}_{i} = \mathrm{Attention}\left(E {W_Q}^{(i)}, E {W_K}^{(i)}, E {W_V}^{(i)}\right), "
        r"\quad i = 0, \ldots, h - 1"
    )


WITHOUT_LATEXIFY = """
import json, sys
sys.modules["latexify"] = None
import symattn as sa
from symattn.document import page
from symattn.writers import markdown
d = sa.article()
def own(x):
    y = x * 2
    return y
text = markdown.write(page(d))
print(json.dumps({"page": text, "loaded": "latexify" in str(sys.modules["latexify"])}))
"""


def test_the_article_needs_no_latexify() -> None:
    """As on Python 3.14, where it can't be installed: the same page."""
    from symattn.document import page
    from symattn.spec_reader import load_spec
    from symattn.writers import markdown

    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LATEXIFY], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["page"] == markdown.write(page(load_spec("article").derive()))


OWN_FUNCTION = """
import sys
sys.modules["latexify"] = None
import symattn as sa
from own import own
d = sa.derive(own, x=[1, 2])
print(d["y"].formula, d["y"].formula_is_code, d["y"].substitution)
print(d["y"]._repr_markdown_())
"""


def test_without_latexify_an_own_formula_is_shown_as_code(tmp_path) -> None:
    (tmp_path / "own.py").write_text("def own(x):\n    y = x * 2 + 7\n    return y\n")
    done = subprocess.run(
        [sys.executable, "-c", OWN_FUNCTION],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.splitlines()[0] == r"y = \texttt{x * 2 + 7} True None"
