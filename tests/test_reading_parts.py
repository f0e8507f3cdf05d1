"""Reading printed matrices: cells, chains, labels, notebooks, markers, facts, hostile input."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.claims.reading import Printed, Reading, read
from symattn.claims.reading.cells import read as read_cell
from symattn.claims.reading.labels import named, named_by_label
from symattn.claims.reading.mapped import Mapped
from symattn.errors import DocumentError, SymattnError

pytestmark = pytest.mark.once


def cell(text: str) -> Printed:
    found = read_cell(Mapped.plain(text), 0, len(text))
    if "&" not in text:
        assert text[found.start : found.end] == found.text
    return found


DECIMALS = [
    # printed, text, value, decimals, significant digits
    ("0.64", "0.64", "0.64", 2, 2),
    (" −0.5 ", "−0.5", "-0.5", 1, 1),
    ("+.5", "+.5", "0.5", 1, 1),
    ("1.", "1.", "1", 0, 1),
    ("1e-05", "1e-05", "0.00001", 5, 1),
    ("9.8201e-01", "9.8201e-01", "0.98201", 5, 5),
    (r"9.8 \times 10^{-3}", r"9.8 \times 10^{-3}", "0.0098", 4, 2),
    (r"\phantom{-}0.64", "0.64", "0.64", 2, 2),
    (r"\,0.64\;", "0.64", "0.64", 2, 2),
    (r"\mathbf{0.64}", "0.64", "0.64", 2, 2),
    (r"\textcolor{red}{0.64}", "0.64", "0.64", 2, 2),
    (r"\color{red}0.64", "0.64", "0.64", 2, 2),
    (r"{\color{red} -0.64}", "-0.64", "-0.64", 2, 2),
    (r"\colorbox{yellow}{$0.64$}", "0.64", "0.64", 2, 2),
    (r"\boxed{\mathbf{0.64}}", "0.64", "0.64", 2, 2),
    ("**0.64**", "0.64", "0.64", 2, 2),
    ("<b>0.64</b>", "0.64", "0.64", 2, 2),
    ("$0.64$", "0.64", "0.64", 2, 2),
    (r"\approx 0.64", "0.64", "0.64", 2, 2),
    (r"\frac{\sqrt2}{2} \approx 0.707", "0.707", "0.707", 3, 3),
    ("64%", "64", "0.64", 2, 2),
    (r"64.2\%", "64.2", "0.642", 3, 3),
    ("0{,}64", "0{,}64", "0.64", 2, 2),
    ("1{,}000.5", "1{,}000.5", "1000.5", 1, 5),
    ("&minus;0.5", "−0.5", "-0.5", 1, 1),
    ("&#8722;0.5", "−0.5", "-0.5", 1, 1),
    ("0.06337894", "0.06337894", "0.06337894", 8, 7),
]


@pytest.mark.parametrize(("text", "core", "value", "decimals", "significant"), DECIMALS)
def test_decimals(text: str, core: str, value: str, decimals: int, significant: int) -> None:
    """A decimal is found inside what surrounds it, with its exact value and its digits."""
    found = cell(text)
    assert (found.kind, found.text, found.value) == ("decimal", core, Fraction(value))
    assert (found.decimals, found.significant) == (decimals, significant)
    assert found.is_raw_float == (significant >= 7)
    assert found.percent == ("%" in text)
    assert found.approximate == ("approx" in text)


@pytest.mark.parametrize(
    "text", ["-inf", r"-\infty", "−∞", "-Infinity", "float('-inf')", "-np.inf", "-float('inf')"]
)
def test_minus_infinity(text: str) -> None:
    """However minus infinity is written, it is one value."""
    assert (cell(text).kind, str(cell(text).value)) == ("infinity", "-oo")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\frac{1}{2}", "1/2"),
        (r"\frac12", "1/2"),
        ("1/2", "1/2"),
        (r"\sqrt{2}", "sqrt(2)"),
        (r"\frac{13\sqrt{2}}{25}", "div(mul(13, sqrt(2)), 25)"),
        (r"\dfrac{1}{\sqrt2}", "div(1, sqrt(2))"),
        (r"-\frac{\sqrt{2}}{2}", "neg(div(sqrt(2), 2))"),
        (r"e^{\frac{1}{2}}", "exp(1/2)"),
        ("√2/2", "div(sqrt(2), 2)"),
        ("np.sqrt(2)", "sqrt(2)"),
    ],
)
def test_exact_numbers(text: str, value: str) -> None:
    """Fractions, roots and exponentials are translated into the grammar of literals."""
    assert (cell(text).kind, str(cell(text).value)) == ("exact", value)


@pytest.mark.parametrize("text", [r"\cdots", "?", "x", "d_k", "", "1 000", "__import__('os')"])
def test_what_is_no_number_is_kept_with_its_text(text: str) -> None:
    """Nothing is dropped, and nothing is run."""
    assert (cell(text).kind, cell(text).text) == ("unreadable", text)


def steps(reading: Reading) -> list[tuple[str | None, bool]]:
    return [(m.name.step, m.operand) for m in reading.matrices]


def test_a_chain_gives_its_labels_to_each_of_its_matrices() -> None:
    """A raw and a rounded matrix in one chain share labels and chain number."""
    reading = read(
        r"$$A = \text{softmax}(Z) = \begin{bmatrix} 0.3456789 & 0.6543211 \end{bmatrix}"
        r" \approx \begin{bmatrix} 0.35 & 0.65 \end{bmatrix}$$",
        "markdown",
    )
    raw, rounded = reading.matrices
    assert raw.labels == rounded.labels == ("A", r"\text{softmax}(Z)")
    assert raw.chain == rounded.chain
    assert raw.cells[0].is_raw_float and not rounded.cells[0].is_raw_float


def test_operands_are_no_values() -> None:
    """Factors of a product are marked; the product's value is not."""
    reading = read(
        r"\begin{align*} S &= QK^T \\ &= \begin{bmatrix} 1 & 2 \end{bmatrix}"
        r" \begin{bmatrix} 3 & 4 \end{bmatrix}^T \\ &= \begin{bmatrix} 11 \end{bmatrix} \\"
        r" Q &= \begin{bmatrix} 5 \end{bmatrix}, \quad K = \begin{bmatrix} 6 \end{bmatrix}"
        r"\end{align*}",
        "latex",
    )
    assert steps(reading) == [(None, True), (None, True), ("S", False), ("Q", False), ("K", False)]
    assert reading.matrices[0].expression == "□□^T"
    assert reading.matrices[3].chain != reading.matrices[4].chain


def test_a_factor_is_kept() -> None:
    """A side that is a number times a matrix is a value, with the number in our grammar."""
    text = r"$$Z = \frac{1}{\sqrt{d_k}} \begin{bmatrix} 1 & 0 \end{bmatrix} = \begin{bmatrix} 0.71 & 0 \end{bmatrix}$$"
    first, second = read(text, "markdown").matrices
    assert (first.factor, first.operand, first.name.step) == ("((1)/(sqrt(d_k)))", False, "Z")
    assert (second.factor, second.name.step) == ("", "Z")


def test_a_function_of_a_matrix_is_a_label() -> None:
    """The matrix inside softmax is an operand, what it is equal to are the weights."""
    text = r"$$\text{softmax}\left(\begin{bmatrix} 1 & 0 \end{bmatrix}\right) = \begin{bmatrix} 0.73 & 0.27 \end{bmatrix}$$"
    assert steps(read(text, "markdown")) == [(None, True), ("A", False)]


def test_a_chain_goes_on_in_the_next_display() -> None:
    """A display that begins with a relation continues the one before."""
    (matrix,) = read("$$A = \\text{softmax}(Z)$$\n\n$$= [[0.3, 0.7]]$$", "markdown").matrices
    assert matrix.name.step == "A"


def test_token_labels_are_taken_from_ruled_arrays() -> None:
    """The first row and column of a labelled array are no numbers of the matrix."""
    text = (
        r"$$A = \begin{array}{c|cc} & \text{cat} & \text{dog} \\ \hline"
        r"\text{cat} & 0.3 & 0.7 \\ \text{dog} & 0.4 & 0.6 \end{array}$$"
    )
    (matrix,) = read(text, "markdown").matrices
    assert matrix.row_labels == matrix.column_labels == ("cat", "dog")
    assert matrix.shape == (2, 2)


def test_vectors_in_table_cells_are_columns_of_matrices() -> None:
    """A table of vectors holds one matrix a column."""
    text = "| Token | Query | Key |\n|--|--|--|\n| cat | [1.0, 0.0] | (0.5, 1) |\n| dog | [0, 1] | (0, 2) |\n"
    query, key = read(text, "markdown").matrices
    assert (query.name.step, key.name.step) == ("Q", "K")
    assert query.row_labels == ("cat", "dog")
    assert [c.text for c in key.cells] == ["0.5", "1", "0", "2"]


def test_rows_in_brackets_and_layout_arrays() -> None:
    """Lists of fractions are rows; an array that only lays equations out is no matrix."""
    (row,) = read(
        r"$$\alpha_1 = \text{softmax}([0, 1]) = \left[ \frac{1}{\sqrt{2}}, -0.3 \right]$$",
        "markdown",
    ).matrices
    assert (row.name.step, row.name.index, row.name.certainty) == ("A", "1", "formula")
    assert [c.kind for c in row.cells] == ["exact", "decimal"]
    text = r"$$\begin{array}{rcl} A &=& \begin{bmatrix} 1 & 2 \end{bmatrix} \\ O &=& \begin{bmatrix} 3 \end{bmatrix} \end{array}$$"
    assert [m.labels for m in read(text, "markdown").matrices] == [("A",), ("O",)]


def test_elided_and_nested_prints() -> None:
    """Dots mark a matrix as elided; a batch is read part by part."""
    (elided,) = read("```\nA = [[1., ..., 2.],\n ...,\n [3., ..., 4.]]\n```", "markdown").matrices
    assert elided.elided
    parts = read(
        "```\n>>> A\n[[[1. 2.]\n  [3. 4.]]\n\n [[5. 6.]\n  [7. 8.]]]\n```", "markdown"
    ).matrices
    assert [(p.slice, p.rank, p.cells[0].text) for p in parts] == [((0,), 3, "1."), ((1,), 3, "5.")]


def test_names_of_prints() -> None:
    """A print is named by the line before it, the text in front, or the code that printed it."""
    text = (
        "softmax([0.14, 0.74]) = [0.35, 0.65]\n\n"
        "```python\nprint(attn_scores_2)\n# tensor([0.9544, 1.4950])\n"
        "print(attn_weights)\n# tensor([[0.1, 0.9],\n#         [0.2, 0.8]])\n```\n\n"
        "```\nx = np.array([[1, 0]]) @ W\nprint('Q', Q)\nprint('Keys:')\nprint(Q @ K.T)\nprint(V)\n```\n\n"
        "```\nQ [[1 0]]\nKeys:\n[[2 0]]\n```\n\n```\nprint(S)\nV\n```\n\n```\n[[3 0]]\n[[4 0]]\n```\n"
    )
    found = [(m.name.step, m.name.index, m.operand) for m in read(text, "markdown").matrices]
    assert found == [
        ("A", "", False), ("S", "2", False), ("A", "", False), (None, "", True),
        ("Q", "", False), ("K", "", False), ("S", "", False), ("V", "", False),
    ]  # fmt: skip


LABELS = {
    "E": ["E", "X", "x", "inputs", "embeddings", r"\mathbf{X}", "X_{emb}"],
    "W_Q": ["W^Q", "W_q", "W_query", "W^{(Q)}", r"\mathbf{W}_Q", "Wq", "W_{Q}", "self.W_query"],
    "Q": ["queries", "query", "q", "XW^Q", "X W_Q", "inputs @ W_query"],
    "K": ["K", "keys", "E W_K"],
    "V": ["V", "values"],
    "S": ["QK^T", r"Q K^\top", r"Q \cdot K^{T}", r"QK^{\mathsf T}", "Q @ K.T", "queries @ keys.T",
          "queries @ keys.transpose(1, 2)", "attn_scores", "scores", "attention scores"],
    "Z": [r"\frac{QK^T}{\sqrt{d_k}}", r"QK^T/\sqrt{d_k}", r"S/\sqrt{2}", r"\frac{S}{\sqrt{d_k}}",
          "scaled scores", "scaled_scores", r"\frac{1}{\sqrt{d_k}} QK^T"],
    "Z_masked": ["Z + M", "masked scores", "masked_scores", "Z_{masked}", r"S_{\text{masked}}"],
    "M": ["M", "mask"],
    "A": [r"\text{softmax}(Z)", r"\operatorname{softmax}(Z)", "softmax(Z)", "attn_weights",
          r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)", "weights", r"\alpha",
          "torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)", "attention weights"],
    "O": ["AV", "A V", "A @ V", "context_vecs", "context", r"\text{Attention}(Q,K,V)", "output",
          "Attention(Q, K, V)", "attn_weights @ values",
          r"\text{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)V"],
}  # fmt: skip


@pytest.mark.parametrize(("step", "label"), [(s, x) for s, xs in LABELS.items() for x in xs])
def test_labels(step: str, label: str) -> None:
    """The ways in which people write a step's name."""
    found = named_by_label(label)
    assert (found.step, found.index) == (step, "")


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        ("A[1]", ("A", "1", "bracket")),
        ("A_1", ("A", "1", "subscript")),
        ("A_{2,3}", ("A", "2,3", "subscript")),
        (r"\mathbf{q}_{\text{cat}}", ("Q", "cat", "subscript")),
        ("x^{(2)}", ("E", "2", "superscript")),
        ("attn_weights[0]", ("A", "0", "bracket")),
        ("context_vec_2", ("O", "2", "subscript")),
    ],
)
def test_indices_are_kept_raw(label: str, wanted: tuple[str, str, str]) -> None:
    """Whether a subscript counts from zero is not for the reader to say."""
    found = named_by_label(label)
    assert (found.step, found.index, found.index_kind) == wanted


def test_the_more_explicit_label_wins() -> None:
    """Letters mean different things to different people; AV does not."""
    assert named(("Z", "AV")).step == "O"
    assert named(("P",)).step is None
    assert named(("P",), "The attention weights:").step == "A"
    assert named(("FFN",), "The attention weights:").step is None
    assert named((), "## Scaled scores\n\n").certainty == "words"


def notebook(*cells: dict[str, Any], **options: Any) -> str:
    return json.dumps({"cells": list(cells), "nbformat": 4, "metadata": {}}, **options)


def test_a_notebook_is_read_in_all_its_texts() -> None:
    """Sources and outputs are read, in the order of the cells, names from the source."""
    text = notebook(
        {"cell_type": "markdown", "source": ["$$E = \\begin{bmatrix} 1 & −0.5", " \\end{bmatrix}$$\n", "é"]},
        {"cell_type": "code", "source": "attn = softmax(S)\nprint(attn)\nattn @ V", "outputs": [
            {"output_type": "stream", "text": ["[[0.25 0.75]]\n"]},
            {"output_type": "execute_result", "data": {
                "text/plain": ["array([[3., 4.]])"],
                "text/html": "<p>nothing</p>"}},
        ]},
        {"cell_type": "code", "source": "A = 1; Matrix(A)", "outputs": [{"data": {
            "text/html": "<table><tr><td>&minus;1</td><td>2</td></tr></table>",
            "text/plain": "[[-1 2]]"}}]},
    )  # fmt: skip
    reading = read(text, "notebook")
    found = [(m.name.step, [c.text for c in m.cells]) for m in reading.matrices]
    assert found[0] == ("E", ["1", "−0.5"])
    assert [f[0] for f in found[1:]] == ["A", "O", "A"]
    assert [f[1] for f in found[1:]] == [["0.25", "0.75"], ["3.", "4."], ["−1", "2"]]
    assert reading.document.text[slice(reading.matrices[0].cells[1].start, None)].startswith(
        "\\u22120.5"
    )


@pytest.mark.parametrize("options", [{}, {"ensure_ascii": False}, {"indent": 1}])
def test_a_number_in_a_notebook_is_replaced_in_its_json(options: dict[str, Any]) -> None:
    """Splicing raw characters changes the one number and leaves valid JSON."""
    source = 'Say "A":\n\n$$A = \\begin{bmatrix} 0.35 & −0.65 \\\\ 1 & 𝟘 \\end{bmatrix}$$'
    text = notebook({"cell_type": "markdown", "source": source.splitlines(True)}, **options)
    (matrix,) = read(text, "notebook").matrices
    number = matrix.rows[0][1]
    changed = text[: number.start] + "-0.64" + text[number.end :]
    assert "".join(json.loads(changed)["cells"][0]["source"]) == source.replace("−0.65", "-0.64")


def test_a_url_in_a_notebook_maps_all_the_way_back() -> None:
    """An address in a JSON string: two decodings, one exact span."""
    source = '<img src="https://i.upmath.me/svg/A=%5Cbegin%7Bbmatrix%7D0.3%26%E2%88%920.7%5Cend%7Bbmatrix%7D">'
    text = notebook({"cell_type": "markdown", "source": source})
    (matrix,) = read(text, "notebook").matrices
    number = matrix.cells[1]
    assert text[number.start : number.end] == "%E2%88%920.7"
    assert matrix.name.step == "A"


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"cells": 3}', "[" * 20_000, '{"cells": [1, {"source": 5, "outputs": [2]}]}'],
)
def test_malformed_notebooks(text: str) -> None:
    """What is no notebook is refused with what was wanted; odd cells are passed over."""
    if text.endswith("]}]}"):
        assert not read(text, "notebook").matrices
    else:
        with pytest.raises(DocumentError, match="wanted a notebook"):
            read(text, "notebook")


def test_files_that_are_no_documents(tmp_path: Path) -> None:
    """Missing files, directories and binary files are refused by name."""
    (tmp_path / "nul.md").write_bytes(b"a\0b")
    (tmp_path / "latin.md").write_bytes(b"one\ncaf\xe9")
    for name, why in [("gone.md", "no such file"), (".", "a directory"), ("nul.md", "NUL bytes"),
                      ("latin.md", "2: wanted a text in UTF-8, got the byte 0xe9")]:  # fmt: skip
        with pytest.raises(DocumentError, match=why):
            read(tmp_path / name)


def test_markers_on_numbers() -> None:
    """A comment behind a number gives it an address; code is documentation."""
    reading = read(
        "so **0.65**<!-- symattn: A[1,1] --> and 64 %<!-- symattn: A[0,0] -->\n"
        "`0.3<!-- symattn: A[0,1] -->`\n\n```\n0.3<!-- symattn: A[0,1] -->\n```\n",
        "markdown",
    )
    assert [(m.address, m.printed.text) for m in reading.marked] == [
        ("A[1,1]", "0.65"),
        ("A[0,0]", "64"),
    ]
    assert not reading.problems
    (marked,) = read("is 0.3 or 0.65 % symattn: A[1,1]\n", "latex").marked
    assert (marked.address, marked.printed.text) == ("A[1,1]", "0.65")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("markdown", "<!-- symattn: A[1] -->\n\n$$P = \\begin{bmatrix} 0.3 & 0.7 \\end{bmatrix}$$"),
        ("markdown", "<!-- symattn: A[1] -->\n```python\nP = [0.3, 0.7]\n```\n"),
        ("markdown", "Scores:\n<!-- symattn: A[1] -->\n\n| 0.3 | 0.7 |\n|--|--|\n| 0.1 | 0.2 |\n"),
        ("latex", "% symattn: A[1]\n\\[ P = \\begin{bmatrix} 0.3 & 0.7 \\end{bmatrix} \\]\n"),
        ("latex", "\\[ P = \\begin{bmatrix} 0.3 & 0.7 \\end{bmatrix} \\] % symattn: A[1]\n"),
        ("markdown", "```math\n% symattn: A[1]\nP = [0.3, 0.7]\n```\n"),
        ("latex", "\\begin{equation} % symattn: A[1]\nP = [0.3, 0.7]\n\\end{equation}\n"),
        ("html", "<p>P:</p><!-- symattn: A[1] --><div><table><tr><td>0.3<td>0.7</table></div>"),
    ],
)
def test_markers_on_matrices(kind: Any, text: str) -> None:
    """A marker on or right before a matrix wins over everything."""
    reading = read(text, kind)
    (matrix,) = reading.matrices
    assert (matrix.name.step, matrix.name.index, matrix.name.certainty) == ("A", "1", "marker")
    assert not reading.problems and not reading.marked


def test_blocks_and_their_mistakes() -> None:
    """Blocks are found with their insides; what makes no sense is a problem with its line."""
    text = (
        "<!-- symattn: show A digits=2 -->\n$$A = [[0.3, 0.7]]$$\n<!-- /symattn -->\n"
        "<!-- /symattn -->\n<!-- symattn: who knows -->\n<!-- symattn: A -->\n\ntext\n"
        "<!-- symattn: quoted -->\n"
    )
    reading = read(text, "markdown")
    (block,) = reading.blocks
    assert (block.kind, block.argument) == ("show", "A digits=2")
    assert text[block.inner_start : block.inner_end] == "\n$$A = [[0.3, 0.7]]$$\n"
    assert reading.matrices[0].block == block.start
    assert [p.line for p in reading.problems] == [4, 5, 6, 9]
    latex = read("% symattn: quoted\n\\[ A = [[0.3, 0.7]] \\]\n% /symattn\n", "latex")
    assert [b.kind for b in latex.blocks] == ["quoted"]
    assert latex.matrices[0].block == latex.blocks[0].start


@pytest.mark.parametrize(
    ("text", "about", "value"),
    [
        (r"Scores are divided by $\sqrt{2}$.", "scale", "sqrt(2)"),
        (r"We divide the scores by $\sqrt{d_k}$, as usual.", "scale", "sqrt(d_k)"),
        (r"divided by the square root of d_k", "scale", "sqrt(d_k)"),
        (r"scaled by \(\sqrt{d_{\text{model}}}\)", "scale", "sqrt(d_model)"),
        ("The scores are not scaled.", "scale", "1"),
        ("No mask is used.", "mask", "none"),
        ("A causal mask hides later positions.", "mask", "causal"),
        ("with a look-ahead mask", "mask", "causal"),
        ("without a causal mask", "mask", "none"),
        ("where $d_k = 64$", "d_k", 64),
        ('tokens = ["cat", "dog"]', "tokens", ("cat", "dog")),
        ("Tokens: cat, chases, mouse", "tokens", ("cat", "chases", "mouse")),
    ],
)
def test_facts(text: str, about: str, value: Any) -> None:
    """What is said of scale, mask, sizes and tokens, and where."""
    facts = read(text, "markdown").facts
    assert getattr(facts, about) == value
    for said in facts.statements:
        assert text[said.start : said.end] == said.text


def test_contradictions_are_kept() -> None:
    """All statements stay, in order."""
    facts = read("No mask is used. Later, a causal mask hides the future.", "markdown").facts
    assert [s.value for s in facts.statements if s.about == "mask"] == ["none", "causal"]
    assert facts.disagree("mask") and facts.mask == "none"


def test_an_open_environment_is_a_problem_with_its_line() -> None:
    """What is never closed is said, and what follows is still read."""
    reading = read(
        "$$A = \\begin{bmatrix} 1 & 2 $$\n\n$$E = \\begin{bmatrix} 3 \\end{bmatrix}$$", "markdown"
    )
    assert [m.name.step for m in reading.matrices] == ["E"]
    assert [(p.line, p.message) for p in reading.problems] == [
        (1, "\\begin{bmatrix} is never closed")
    ]


SIGNS = ["[", "[[1,", "[[1, 2] ", "7", "$", "$ x ", "\\begin{bmatrix} 1 & ", "<!--", "` `` ", "\\[ ", "{",
         "|-|\n", "<table><tr><td>1", "<table ", "&amp", "\n \n", "```\n1\n", "\\\\", "= [0 "]  # fmt: skip


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("kind", ["markdown", "latex", "html", "text"])
def test_hostile_repetitions(kind: Any, sign: str) -> None:
    """Signs repeated without end: an answer, or an error of ours."""
    text = sign * (30_000 // len(sign))
    for hostile in (text, f"$${text}$$", f"[[{text}]]"):
        assert isinstance(read(hostile, kind), Reading)


def test_deep_nesting() -> None:
    """Ten thousand brackets and environments do not end in a recursion."""
    for text in ("[" * 10_000 + "1" + "]" * 10_000, "$$" + "{" * 10_000 + "1" + "}" * 10_000 + "$$",
                 "$$" + "\\begin{bmatrix}" * 5_000 + "1" + "\\end{bmatrix}" * 5_000 + "$$"):  # fmt: skip
        read(text, "markdown")


def test_ten_megabytes_are_read() -> None:
    """Ten megabytes of brackets are refused in a sentence, and read on."""
    reading = read("[" * 10_000_000, "text")
    assert not reading.matrices
    assert "are not read" in reading.problems[0].message


@pytest.mark.parametrize("seed", range(20))
def test_random_characters(seed: int) -> None:
    """Noise from the signs that mean something: no exception but our own."""
    rng = random.Random(seed)
    parts = ["[", "]", "{", "}", "$", "$$", "\\begin{bmatrix}", "\\end{bmatrix}", "\\\\", "&", "=", "1", "0.5",
             "\n", " ", "|", "---", "`", "```", "<td>", "<table>", "</table>", "<!--", "-->", "symattn: A",
             "\\frac", "^", "_", "A", "\ufeff", "\r", "%", "\\[", "\\]", "\\", "&minus;", "é", "\ud800"]  # fmt: skip
    text = "".join(rng.choice(parts) for _ in range(3000))
    for kind in ("markdown", "latex", "html", "text", "notebook"):
        try:
            reading = read(text, kind)  # type: ignore[arg-type]
        except SymattnError:
            continue
        for matrix in reading.matrices:
            assert 0 <= matrix.start < matrix.end <= len(text)
            assert all(matrix.start <= c.start <= c.end <= matrix.end for c in matrix.cells)


NUMBERS = st.one_of(
    st.decimals(-99, 99, places=2, allow_nan=False).map(str), st.integers(-99, 99).map(str)
)


@st.composite
def matrices(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(1, 4))
    return draw(st.lists(st.lists(NUMBERS, min_size=width, max_size=width), min_size=2, max_size=4))


def rendered(rows: list[list[str]]) -> dict[str, tuple[str, str]]:
    """The matrix in each family of notations."""
    latex = " \\\\ ".join(" & ".join(row) for row in rows)
    listed = ", ".join(f"[{', '.join(row)}]" for row in rows)
    spaced = "\n ".join(f"[{' '.join(row)}]" for row in rows)
    pipes = "\n".join(f"| {' | '.join(row)} |" for row in rows[1:])
    html = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    source = f"$$A = \\begin{{bmatrix}} {latex} \\end{{bmatrix}}$$"
    return {
        "latex": ("latex", f"\\[ A = \\begin{{pmatrix}} {latex} \\end{{pmatrix}} \\]"),
        "markdown": ("markdown", source),
        "list": ("markdown", f"```python\nA = np.array([{listed}])\n```\n"),
        "print": ("markdown", f"```\n>>> A\n[{spaced}]\n```\n"),
        "pipes": (
            "markdown",
            f"A:\n\n| {' | '.join(rows[0])} |\n{'|---' * len(rows[0])}|\n{pipes}\n",
        ),
        "html": ("html", f"<p>A =</p><table>{html}</table>"),
        "notebook": ("notebook", notebook({"cell_type": "markdown", "source": source})),
    }


@settings(max_examples=60, deadline=None)
@given(matrices())
def test_a_random_matrix_is_read_back_from_every_notation(rows: list[list[str]]) -> None:
    """What was rendered is read back exactly, with exact spans."""
    for name, (kind, text) in rendered(rows).items():
        reading = read(text, kind)  # type: ignore[arg-type]
        (matrix,) = reading.matrices
        assert [[c.text for c in row] for row in matrix.rows] == rows, name
        assert matrix.name.step == "A", name
        for printed in matrix.cells:
            assert text[printed.start : printed.end] == printed.text
            assert printed.value == Fraction(printed.text)


def test_a_list_before_bold_text_is_no_operand() -> None:
    """Nothing after the line of a list makes it a factor."""
    text = "A = [[0.35, 0.65]]\n\n**Output**\n\nV = [[1, 2]]\n- a point\n\nO = [[1, 2]] * 2\n"
    assert steps(read(text, "markdown")) == [("A", False), ("V", False), (None, True)]


def test_a_latex_table_may_hold_mathematics() -> None:
    text = "Masked scores:\n\\begin{tabular}{rr} 0.5 & $-\\infty$ \\\\ $0.1$ & 1 \\end{tabular}\n"
    reading = read(text, "latex")
    assert [c.text for m in reading.matrices for c in m.cells] == ["0.5", r"-\infty", "0.1", "1"]
    assert reading.matrices[0].name.step == "Z_masked"
    assert not reading.problems


def test_what_is_said_counts_whatever_else_is_in_the_document() -> None:
    """Too many brackets to read as lists hide no sentence; nor does a line's end in it."""
    text = "A causal\nmask is used.\n" + "[" * 200_001
    assert read(text, "markdown").facts.mask == "causal"
