"""Layouts in which people print matrices: each of a kind of document, and each another way of writing."""

from __future__ import annotations

import json
from urllib.parse import quote

_M = r"\begin{bmatrix} 0.35 & 0.65 \\ 0.5 & 0.5 \end{bmatrix}"

#: What programs print, and what people type.
_PRINTED = (
    "[[0.35 0.65]\n [0.5  0.5 ]]", "A = [[0.35 0.65]\n     [0.5  0.5 ]]", "A:\n[[0.35, 0.65], [0.5, 0.5]]",
    "array([[0.35, 0.65],\n       [0.5 , 0.5 ]])", "array([[1., 2.],\n       [3., 4.]], dtype=float32)",
    "tensor([[0.35, 0.65],\n        [0.50, 0.50]], grad_fn=<SoftmaxBackward0>)", "tensor([[1, 2]], device='cuda:0')",
    "tensor([[[1., 2.],\n         [3., 4.]],\n\n        [[5., 6.],\n         [7., 8.]]])", "[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]",
    "[[1.0e-01 2.5e+00]\n [nan inf]]", "[[1 -inf]\n [-inf 2]]", "[[1 2 ... 9]\n ...\n [3 4 ... 5]]", "[[1, 2], [3]]", "[[1, 2,], [3, 4,],]",
    ">>> A\narray([[1, 2],\n       [3, 4]])\n>>> A[0]\narray([1, 2])", "In [3]: A\nOut[3]:\narray([[1, 2],\n       [3, 4]])",
    "print('A', A)\nA [[1 2]\n [3 4]]", "A.shape = (2, 2)\nA = [[1, 2], [3, 4]]", "x = ((1, 2), (3, 4))", "x = {1, 2}", 'tokens = ["cat", "dog"]\nA = ["cat", 1]',
    "np.matrix('1 2; 3 4')", "A = [1 2; 3 4]", "A = [1, 2\n     3, 4]", "     [,1] [,2]\n[1,] 0.35 0.65\n[2,] 0.50 0.50", "      cat   dog\ncat  0.35  0.65\ndog  0.50  0.50",
    "cat\t0.35\t0.65\ndog\t0.5\t0.5", "0.35,0.65\n0.5,0.5", "+------+------+\n| 0.35 | 0.65 |\n+------+------+\n| 0.5  | 0.5  |\n+------+------+",
    "# A\n# [[1, 2],\n#  [3, 4]]\nprint(A)  # [[5, 6], [7, 8]]", "attn_weights = torch.softmax(scores / d_k**0.5, dim=-1)\n# [[0.35, 0.65], [0.5, 0.5]]",
    "A = torch.tensor([[1.0, 2.0]], requires_grad=True)\nA[0] = [3, 4]\nself.W_query.weight = [[1, 0], [0, 1]]", "Q = x @ W_q = [[1, 2]]", "assert A == [[1, 2], [3, 4]]",
    "for row in [[1, 2], [3, 4]]:\n    print(row)\n[1, 2]\n[3, 4]", "def f(x=[[1, 2]]):\n    return [[3, 4]]", "x[0, 1], x[1:3] = [1, 2]", "dtype=[1, 2]\nshape=[3, 4]\naxis=[5]",
    "Matrix([[sqrt(2), 1/3], [exp(1), -oo]])", "A = np.array([[1/2, -1], [2**0.5, np.sqrt(2)/2]])", "[[0.35, 0.65]\n[0.5, 0.5]", "scores[0] tensor([1., 2.])\nscores[1] tensor([3., 4.])",
)  # fmt: skip

#: Mathematics.
_MATHS = (
    f"A = {_M}", f"A &= \\text{{softmax}}(Z) \\\\ &= {_M} \\\\ &\\approx {_M}", f"A = \\left({_M}\\right)_{{2 \\times 2}}", f"{_M} = A", f"A^{{(1)}} = {_M}, \\quad B = {_M}",
    r"A = \left(\begin{smallmatrix} 1 & 2 \\ 3 & 4 \end{smallmatrix}\right)", r"A = \matrix{1 & 2 \cr 3 & 4}", r"A = \begin{bmatrix*}[r] -1 & 2 \\ 3 & 4 \end{bmatrix*}",
    r"\begin{array}{c|cc} & \text{cat} & \text{dog} \\ \hline \text{cat} & 0.35 & 0.65 \\ \text{dog} & 0.5 & 0.5 \end{array}", r"\begin{array}{rr} 1 & 2 \\ \hline 3 & 4 \\ \end{array}",
    r"A = \begin{bmatrix} 1 & 2 \\[4pt] 3 & 4 \\ \end{bmatrix}", r"A = \begin{bmatrix} 1 & 2 \\ 3 \end{bmatrix}", r"A = \begin{bmatrix} 1 & \cdots & 2 \\ \vdots & \ddots & \\ 3 & \cdots & 4 \end{bmatrix}",
    r"A = \begin{bmatrix} \mathbf{0.35} & \color{red}{0.65} \\ \textcolor{blue}{0.5} & \boxed{0.5} \end{bmatrix}", r"A = \begin{bmatrix} \frac{1}{2} & \sqrt{2} \\ e^{1} & -\infty \end{bmatrix}",
    f"A = \\underbrace{{{_M}}}_{{Q}} \\underbrace{{{_M}}}_{{K^T}}", f"\\underbrace{{{_M}}}_{{A}}", f"O = {_M} {_M} = {_M}", f"S / \\sqrt{{2}} = \\frac{{1}}{{\\sqrt{{2}}}} {_M}", f"Z = \\frac{{{_M}}}{{\\sqrt{{2}}}}", f"Z = 2 \\cdot {_M}",
    f"A = {_M} \\tag{{1}} \\label{{eq:a}}", f"A := {_M}", f"A \\equiv {_M} \\to {_M} \\Rightarrow B = {_M}", f"A \\approx {_M} + {_M}", f"x \\mapsto {_M} \\in \\mathbb{{R}}^{{2 \\times 2}}", r"q_1 = (1, 2), k_{cat} = [3, 4], v^{(2)} = \begin{bmatrix} 5 \\ 6 \end{bmatrix}",
    r"A[1,0] = 0.35 \approx \frac{7}{20}, \quad \ell_1 = 3", r"f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}", r"A = \begin{bmatrix} A[0,0] & A[0,1] \end{bmatrix} = \begin{bmatrix} 0.35 & 0.65 \end{bmatrix}",
    r"A = \begin{pmatrix} 1 & 2 \\ 3 & 4", r"A = \begin{bmatrix} \begin{bmatrix} 1 & 2 \end{bmatrix} \\ \begin{bmatrix} 3 & 4 \end{bmatrix} \end{bmatrix}", r"A = \begin{bmatrix} 1{,}5 & 2,5 \\ 1\,000 & 1.5\mathrm{e}3 \end{bmatrix}",
    r"A = \begin{bmatrix} 35\% & 6.5 \times 10^{-1} \\ 5e-1 & 0.5^{*} \end{bmatrix}", r"A = \begin{bmatrix} \boxed{\phantom{0.00}} & \underline{\quad} \\ ? & \square \end{bmatrix}", r"A = \{[1, 2], [3, 4]\}",
)  # fmt: skip

_TABLES = (
    "| A | cat | dog |\n|---|--:|:-:|\n| cat | 0.35 | 0.65 |\n| dog | 0.5 | 0.5 |", "A | cat | dog\n--- | --- | ---\ncat | 0.35 | 0.65\ndog | 0.5 | 0.5", "| | |\n|-|-|\n| 0.35 | 0.65 |\n| 0.5 | 0.5 |",
    "| i | x |\n|---|---|\n| 0 | [1, 2] |\n| 1 | [3, 4] |", "| 1 | 2 |\n|---|---|\n| 3 | 4 |", "| token | Q | K |\n|---|---|---|\n| cat | (1, 0) | (0, 1) |\n| dog | (2, 3) | (4, 5) |", "| a \\| b | **0.5** |\n|---|---|\n| `1` | $2$ |\n| 3 | — |",
    "> | A | x |\n> |---|---|\n> | cat | 1 |", "  | A | x |\n  |---|---|\n  | cat | 1 | 2 |\n  | dog |", "| A |\n|---|\n\n| 1 |", "|A|x|\n|:--|--:|\n|...|...|\n|1|2|",
)  # fmt: skip

_PAGES = (
    "<table><caption>A</caption><tr><th></th><th>cat</th><th>dog</th></tr><tr><th>cat</th><td>0.35</td><td>0.65</td></tr><tr><th>dog</th><td>0.5</td><td>0.5</td></tr></table>",
    "<TABLE><TR><TD>1<TD>2<TR><TD>3<TD>4</TABLE>", "<table><tr><td><table><tr><td>1</td><td>2</td></tr></table></td><td>3</td></tr></table>", "<table><thead><tr><th>A<th>x</thead><tbody><tr><td>cat<td>&minus;0.5</tbody></table>",
    "<p>A:</p><pre>[[0.35 0.65]\n [0.5  0.5 ]]</pre>", "<pre><code class='language-python'>A = [[1, 2], [3, 4]]</code></pre>", "<p>A = [[1, <b>2</b>],<br> [3, 4]]</p>", f"<script type='math/tex; mode=display'>A = {_M}</script>",
    f"<math><semantics><mrow/><annotation encoding='application/x-tex'>A = {_M.replace('&', '&amp;')}</annotation></semantics></math>", f"<p>\\[A = {_M}\\] and $$B = {_M}$$ \\(C = {_M}\\)</p>", "<!-- A = [[1, 2]] --><p>B = [[3, 4]]</p><!-- unclosed",
    "<p>x<sub>1</sub> = [1, 2]</p><div>K<div>[[1, 2], [3, 4]]</div></div>", "<style>A = [[1, 2]]</style><svg><text>[[3, 4]]</text></svg><p>A [[5, 6]]</p>", "<td>1</td><tr><td>2</td></tr>", "<table><tr><td colspan=2>A</td></tr><tr><td>1</td><td>2</td></tr></table>",
    "<p>A &#91;&#91;1, 2&#93;&#93; &lsqb;&lsqb;3, 4&rsqb;&rsqb; &#x5b;5, 6&#x5D; &nosuch; &amp;</p>",
)  # fmt: skip

_TEX = quote(rf"A = {_M}")
_PLUS = _TEX.replace("%20", "+")
_ADDRESSES = (
    *(f"https://latex.codecogs.com/{form}?{_TEX}" for form in ("svg.image", "png.latex", "gif.latex", "svg.latex", "png.image")),
    f"https://latex.codecogs.com/svg.image?\\dpi{{300}}\\bg_white&space;\\inline&space;{_TEX}", f"https://www.codecogs.com/eqnedit.php?latex={_TEX}", f"http://latex.codecogs.com/png.latex?A&space;=&space;{quote(_M, safe='{}&')}&plus;1",
    f"https://render.githubusercontent.com/render/math?math={_TEX}&mode=inline", f"https://render.githubusercontent.com/render/math?mode=display&amp;color=red&amp;math={_PLUS}", f"https://i.upmath.me/svg/{_TEX}", f"https://tex.s2cms.ru/png/{_TEX}",
    f"https://math.now.sh?from={_TEX}&color=black", f"https://math.now.sh/?inline={_TEX}&alternateColor=x", f"https://www.zhihu.com/equation?tex={_PLUS}", f"https://math.vercel.app/?from={_TEX}&bg=red", f"https://chart.googleapis.com/chart?cht=tx&chl={_PLUS}",
    f"http://chart.apis.google.com/chart?cht=tx&amp;chs=20x30&amp;chl={_PLUS}&fontsize=3", f"https://example.org/?{_TEX}",
)  # fmt: skip

_MARKED = (
    "It is 0.36 <!-- symattn: A[1,0] --> and **0.64** <!-- symattn: A[1,1] -->, `0.5`<!-- symattn: P[0] --> x <!-- symattn: P[1] -->",
    f"$$A = {_M}$$ <!-- symattn: A -->", "<!-- symattn: quoted -->\n0.5 [[1, 2]]\n<!-- /symattn: quoted -->", "<!-- symattn: show A digits=3 -->\nold\n<!-- /symattn: show -->", "<!-- symattn: show A -->\nnever closed", "<!-- /symattn: show -->",
    "<!-- symattn: spec article -->\n<!-- symattn: blank A,O -->\n$A[1,0] = 0.36$", "<!-- symattn: spec -->\n<!-- symattn: -->\n<!-- symattn: nothing here -->\n<!-- symattn A -->", "0.5 % symattn: A[0,0]\n\\% symattn: A[0,1]\n[[1, 2]] % symattn: S",
    "<!-- symattn: quoted --><!-- symattn: show A -->x<!-- /symattn: quoted -->", "1e-3 <!-- symattn: A[0] -->, −0.5 <!-- symattn: S[0,0] -->, 50% <!-- symattn: P[2] -->, 1,250 <!-- symattn: logits[0] --> v1.5 <!-- symattn: A[2,2] -->",
)  # fmt: skip

_PROSE = (
    "We use a causal mask and divide by the square root of the key dimension. tokens = ['cat', 'dog']", "No masking is used here; scores are not scaled. d_k = 4, $d_{\\text{model}} = 8$, head_dim: 16.", "Scaled by $1/\\sqrt{2}$, without any mask. Tokens: the, cat, sat",
    "Divide each of the scores by √64; then hides all future tokens.", "The scores are divided by `sqrt(d_k)`. The mask is not applied.", "We skip scaling. Look-ahead mask. words = (\"a\", 'b')", "unmasked self-attention, scaling factor is 8", "dividing by 2.5 and scaling the products by the square root of 3",
    "causal attention without an attention mask; divided by the square root of the dimension", "**Tokens:** I, am, **here**\n\nlabels = []", "divide by the square root of $d_k$, then by \\(\\sqrt{d_{\\mathrm{head}}}\\); d_out=3 d_k is 2.5",
)  # fmt: skip


def _notebook(*cells: dict[str, object], **more: object) -> str:
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}
    )


def _notebooks() -> tuple[str, ...]:
    def code(source: object, *outputs: object) -> dict[str, object]:
        return {"cell_type": "code", "source": source, "outputs": list(outputs)}

    printed, maths = _PRINTED[0], _MATHS[0]
    return (
        _notebook({"cell_type": "markdown", "source": [f"$${maths}$$\n", "text"]}, {"cell_type": "raw", "source": "[[1, 2]]"}),
        _notebook(code("A", {"output_type": "execute_result", "data": {"text/plain": "array([[1, 2],\n       [3, 4]])", "text/html": _PAGES[0], "text/latex": f"$${maths}$$"}})),
        _notebook(code(["print(A)\n", "B"], {"output_type": "stream", "name": "stdout", "text": [printed[:12], printed[12:]]}, {"output_type": "stream", "name": "stderr", "text": "[[5, 6]]"})),
        _notebook(code("A", {"output_type": "display_data", "data": {"text/latex": [f"$${maths}$$"]}}, {"output_type": "error", "traceback": ["[[1, 2]]"]})),
        _notebook(code("x = [[1, 2], [3, 4]]\nx"), code("print('A:')\nprint(A)", {"output_type": "stream", "text": "A:\n" + printed})),
        _notebook(code("A", {"output_type": "execute_result", "data": {"text/markdown": _TABLES[0], "text/plain": "A"}}), code("", {"output_type": "stream"})),
        json.dumps({"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "A", "outputs": [{"output_type": "pyout", "text": printed}]}]}]}),
        _notebook({"cell_type": "markdown"}, {"source": "[[1, 2]]"}, {"cell_type": "code", "source": 3}), json.dumps({"cells": {}}), json.dumps([1]), "{",
        _notebook({"cell_type": "markdown", "source": f"{_MARKED[0]}\n\n{_TABLES[0]}\n\n{_PROSE[0]}"}, code("# symattn: A\nA", {"output_type": "stream", "text": printed})),
    )  # fmt: skip


def _around(maths: str) -> str:
    """Mathematics in each of its delimiters."""
    return "\n\n".join((
        f"$${maths}$$", f"The weights are ${maths}$.", f"\\[ {maths} \\]", f"\\( {maths} \\)", f"```math\n{maths}\n```", f"$`{maths}`$", f"> $${maths}$$",
        f"\\begin{{align*}} {maths} \\end{{align*}}", f"\\begin{{equation}}\n{maths}\n\\end{{equation}}", f"% {maths}", f"`{maths}`", f"$$\n{maths}",
    ))  # fmt: skip


def _fenced(printed: str) -> str:
    """What is printed, in each of the places for it."""
    quoted, indented = (printed.replace("\n", f"\n{lead}") for lead in ("> ", "    "))
    return "\n\n".join((
        printed, f"A:\n\n```\n{printed}\n```", f"```python\n{printed}\n```", f"~~~~ text\n{printed}\n~~~~", f"> {quoted}", f"- A\n\n  ```python\n{printed}\n  ```", f"    {indented}",
        f"`{printed}`", f"<pre>{printed}</pre>", f"\\begin{{verbatim}}\n{printed}\n\\end{{verbatim}}", f"::: note\n{printed}\n:::", f"```{{note}} A\n{printed}\n```", f"```\n{printed}",
    ))  # fmt: skip


def layouts() -> tuple[tuple[str, str], ...]:
    """Documents, each with its kind."""
    images = tuple(f"![A]({a}) <img src='{a}'> [A]: {a}" for a in _ADDRESSES)
    marked = (*_TABLES, *images, *_MARKED, *_PROSE)
    return (
        *((text, "markdown") for text in (*map(_fenced, _PRINTED), *map(_around, _MATHS), *marked)),
        *((text, "latex") for text in (*map(_around, _MATHS), *map(_fenced, _PRINTED), *_MARKED, *_PROSE)),
        *((text, "html") for text in (*_PAGES, *marked, *(f"<p>{m}</p><pre>{p}</pre>" for m, p in zip(map(_around, _MATHS), _PRINTED, strict=False)))),
        *((text, "notebook") for text in _notebooks()),
        *((f"{p}\n\n{m}", "text") for p, m in zip(_PRINTED, (*_TABLES, *_MATHS), strict=False)),
    )  # fmt: skip
