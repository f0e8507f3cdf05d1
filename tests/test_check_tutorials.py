"""symattn check on documents as tutorials write them, all of whose numbers are right."""

from __future__ import annotations

import pytest

from symattn.claims.check import Checked, check
from symattn.claims.fix import edits, fixed_text
from symattn.claims.reading import read
from symattn.transformer import worked_attention

pytestmark = pytest.mark.once

QKV = r"""
$$ Q = \begin{bmatrix} 1 & 1 \\ 0 & 1 \\ 1 & 2 \end{bmatrix}, K = \begin{bmatrix} 1 & 0 \\
1 & 2 \\ 2 & 2 \end{bmatrix}, V = \begin{bmatrix} 2 & 0 \\ 0 & 3 \\ 2 & 3 \end{bmatrix} $$
"""
SCORES = "[[1, 3, 4], [0, 2, 2], [1, 5, 6]]"
SCALED = "[[0.7071, 2.1213, 2.8284], [0.0000, 1.4142, 1.4142], [0.7071, 3.5355, 4.2426]]"
PLAIN = "[[0.0743, 0.3057, 0.6200], [0.1084, 0.4458, 0.4458], [0.0191, 0.3239, 0.6569]]"
MASKED = "[[1.0000, 0.0000, 0.0000], [0.1956, 0.8044, 0.0000], [0.0191, 0.3239, 0.6569]]"
OTHER = r"""
$$ K = \begin{bmatrix} -1 & -1 & -1 \\ -1 & 8 & -1 \\ -1 & -1 & -1 \end{bmatrix} $$
"""
SECOND = r"""
$$ Q = \begin{bmatrix} 0 & 1 \\ 1 & 0 \end{bmatrix}, K = \begin{bmatrix} 1 & 1 \\ 1 & 0
\end{bmatrix}, V = \begin{bmatrix} 5 & 0 \\ 1 & 1 \end{bmatrix} $$

$$ QK^T = \begin{bmatrix} 1 & 0 \\ 1 & 1 \end{bmatrix} $$
"""


def checked(text: str) -> Checked:
    return check(read(text, "markdown"), worked_attention)


RIGHT = {
    "a mask on scores that are divided later": (
        f"{QKV}\nA causal mask:\n\nattn_scores = {SCORES}\n\n"
        "masked = [[1, -inf, -inf], [0, 2, -inf], [1, 5, 6]]\n\n"
        f"attn_weights = {MASKED}\n",
        27,
    ),
    "scores that a program has divided already": (
        f"{QKV}\nscores = {SCALED}\n\nscores = [[0.7071, -inf, -inf], [0.0000, 1.4142, -inf],"
        f" [0.7071, 3.5355, 4.2426]]\n\nattn = {MASKED}\n",
        27,
    ),
    "a large negative number for −∞": (
        f"{QKV}\nmasked scores = [[0.7071, -1e9, -1e9], [0.0000, 1.4142, -1e9],"
        f" [0.7071, 3.5355, 4.2426]]\n\nattn = {MASKED}\n",
        18,
    ),
    "weights before and after the mask": (
        f"{QKV}\nA = {PLAIN}\n\nThen a causal mask:\n\nA = {MASKED}\n",
        9,
    ),
    "a filter of a convolution": (f"{OTHER}{QKV}\nA = {PLAIN}\n", 9),
    "a second exercise": (f"{QKV}\nA = {PLAIN}\n{SECOND}", 9),
    "embeddings before positions are added": (
        "E = [[7, 8], [9, 7], [5, 3]]\n\nX = [[1, 1], [0, 1], [1, 2]]\n\n"
        "W_Q = [[1, 0], [0, 1]]\n\nW_K = [[1, 0], [0, 1]]\n\nQ = [[1, 1], [0, 1], [1, 2]]\n",
        6,
    ),
    "weights with and without a scale": (
        f"{QKV}\nsoftmax(Q K^T) = [[0.0351, 0.2595, 0.7054], [0.0634, 0.4"
        "683, 0.4683], [0.0049, 0.2676, 0.7275]]\n\n"
        f"A = {PLAIN}\n\nO = [[1.3886, 2.7770], [1.1084, 2.6748], [1.3522, 2.9426]]\n",
        15,
    ),
    "weights that are called scores": (
        f"{QKV}\nThe attention scores after softmax:\n\n{PLAIN}\n",
        9,
    ),
    "an output projection": (
        f"{QKV}\nA = {PLAIN}\n\noutput = head @ W_O = [[4.17, 2.78], [3.78, 2.67], [4.29, 2.94]]\n"
        "\n$$\\text{output} = \\text{head} \\cdot W^O = \\begin{bmatrix} 4.17 & 2.78 \\\\ 3.78 & 2.67"
        " \\\\ 4.29 & 2.94 \\end{bmatrix}$$\n",
        9,
    ),
    "the weights of another network": (
        "inputs = [[1, 2]]\n\nweights = [[0.2, -0.5, 0.1], [0.4, 0.3, -0.2], [0.1, 0.6, 0.9]]\n"
        "\nX = [[1, 1], [0, 1], [1, 2]]\n\nW_Q = [[1, 0], [0, 1]]\n\nW_K = [[1, 0], [0, 1]]\n\n"
        "Q = [[1, 1], [0, 1], [1, 2]]\n",
        6,
    ),
    "a mask of ones, as a program makes it": (
        f"{QKV}\nmask = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]\n\nA = {MASKED}\n",
        9,
    ),
    "a mask of what is hidden": (
        f"{QKV}\nmask = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]\n\nA = {MASKED}\n",
        9,
    ),
    "weights with a mask multiplied": (
        f"{QKV}\nA = {PLAIN}\n\nmasked_simple = [[0.0743, 0, 0], [0.1084, 0.4458, 0],"
        " [0.0191, 0.3239, 0.6569]]\n",
        9,
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_right_is_called_wrong(name: str) -> None:
    text, right = RIGHT[name]
    found = checked(text)
    assert not found.is_wrong
    assert found.counts["right"] == right


@pytest.mark.parametrize("name", RIGHT)
def test_one_wrong_number_is_found_and_repaired(name: str) -> None:
    text, _ = RIGHT[name]
    old, new = ("0.6569", "0.6659") if "0.6569" in text else ("Q = [[1, 1]", "Q = [[1, 2]")
    # What is multiplied by a mask is no attention weight, and not judged.
    at = text.index(old) if "multiplied" in name else text.rindex(old)
    slipped = text[:at] + new + text[at + len(old) :]
    found = checked(slipped)
    assert found.counts["wrong"] == 1
    assert fixed_text(slipped, edits(found)) == text


def test_what_belongs_to_another_example_is_said() -> None:
    found = checked(f"{QKV}\nA = {PLAIN}\n{SECOND}").example.unmatched
    assert "it is another Q than that of line 2, which was taken" in {u.why for u in found}
    assert any(u.why.startswith("it follows another Q, that of line") for u in found)


def test_a_slip_in_a_restated_input_is_still_wrong() -> None:
    found = checked(f"{QKV}\nQ = [[1, 1], [0, 1], [1, 3]]\n\nA = {PLAIN}\n")
    assert found.counts["wrong"] == 1


@pytest.mark.parametrize("label", [r"\mathbf A", r"\bf A", r"\mathbf{A}", r"\hat A"])
def test_a_letter_in_bold_may_stand_without_braces(label: str) -> None:
    weights = PLAIN.replace("[", "").replace("], ", r" \\ ").replace("]]", "").replace(", ", " & ")
    found = checked(rf"{QKV} $$ {label} = \begin{{bmatrix}} {weights} \end{{bmatrix}} $$")
    assert found.counts["right"] == 9


@pytest.mark.parametrize(
    ("said", "scale"),
    [
        ("Divide by the square root of the key dimension (√2):", "sqrt(2)"),
        ("divided by the square root of the dimension of the keys", "sqrt(2)"),
        (r"Scaled by $1/\sqrt{d_k}$:", "sqrt(2)"),
        (r"We scale by $\frac{1}{\sqrt{2}}$:", "sqrt(2)"),
        (r"We divide by the square root of $d_k$.", "sqrt(2)"),
    ],
)
def test_scales_in_words(said: str, scale: str) -> None:
    found = checked(f"{QKV}\n{said}\n\nA = {PLAIN}\n")
    assert f"scale {scale} (line 4)" in found.example.notes or len(found.example.notes) == 2
    assert (found.counts["right"], found.is_wrong) == (9, False)


def test_the_root_of_a_dimension_that_is_not_named_is_inferred() -> None:
    found = checked(f"{QKV}\nDivide by the square root of the dimension.\n\nA = {PLAIN}\n")
    assert "inferred: no mask, scale sqrt(2)" in found.example.notes
    assert found.counts["right"] == 9


def test_a_print_does_not_name_the_next_one() -> None:
    scores = "[[1 3 4]\n [0 2 2]\n [1 5 6]]"
    weights = "[[0.074 0.306 0.62 ]\n [0.108 0.446 0.446]\n [0.019 0.324 0.657]]"
    text = (
        f"{QKV}\nThe scores:\n\n```\n{scores}\n```\n\nAttention weights:\n\n```\n{weights}\n```\n"
    )
    found = checked(text)
    assert (found.counts["right"], found.counts["unmatched"]) == (18, 0)


def test_weights_may_sum_to_one_down_the_columns() -> None:
    assert not checked("A = [[0.25, 0.5], [0.75, 0.5]]\n").is_wrong
    assert checked("A = [[0.25, 0.5], [0.70, 0.5]]\n").is_wrong
