"""Reading printed matrices: every published example, every notation, exact positions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symattn.claims.judge import Judging
from symattn.claims.placing import placed
from symattn.claims.reading import PrintedMatrix, Reading, read
from symattn.writers import terminal
from tests.five import derivation_of

CASES = Path(__file__).parent / "cases"
DOCUMENTS = sorted((CASES / "docs").iterdir())


def strings(matrix: PrintedMatrix) -> list[list[str]]:
    return [[cell.text for cell in row] for row in matrix.rows]


def only(text: str, kind: Any = "markdown") -> PrintedMatrix:
    """The one matrix of a text, whose spans are checked on the way."""
    reading = read(text, kind)
    assert len(reading.matrices) == 1, [strings(m) for m in reading.matrices]
    spans_are_exact(reading)
    return reading.matrices[0]


def spans_are_exact(reading: Reading) -> None:
    for matrix in reading.matrices:
        for cell in matrix.cells:
            if cell.text:
                assert reading.document.text[cell.start : cell.end] == cell.text


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_every_published_example_is_read_whole(path: Path) -> None:
    """Each document gives exactly the matrices of its data: same names, same strings."""
    case = json.loads((CASES / "worked" / f"{path.stem}.json").read_text("utf-8"))
    wanted = [
        (name, "", rows) for name, rows in case["given"].items() if name not in ("mask", "scale")
    ]
    for claim in case["claims"]:
        whole = claim["index"] is None
        name = "Z_masked" if claim["name"] == "Zm" else claim["name"]
        rows = claim["printed"] if whole else [claim["printed"]]
        wanted.append((name, "" if whole else str(claim["index"]), rows))
    reading = read(path)
    spans_are_exact(reading)
    found = [(m.name.step, m.name.index, strings(m)) for m in reading.matrices]
    assert sorted(found, key=str) == sorted(wanted, key=str)
    assert not reading.problems
    assert reading.facts.mask == case["given"]["mask"]
    assert reading.facts.scale == case["given"]["scale"]


M = [["0.35", "0.65"], ["-0.5", "1"]]
BODY = r"0.35 & 0.65 \\ -0.5 & 1"

NOTATIONS = {
    "dollars": ("markdown", rf"$$ A = \begin{{bmatrix}} {BODY} \end{{bmatrix}} $$"),
    "inline": ("markdown", rf"so $A=\begin{{pmatrix}}{BODY}\end{{pmatrix}}$ holds"),
    "brackets": ("latex", rf"\[ A = \begin{{matrix}} {BODY} \end{{matrix}} \]"),
    "parentheses": ("latex", rf"\( A = \begin{{smallmatrix}} {BODY} \end{{smallmatrix}} \)"),
    "left": ("markdown", rf"$$A = \left[\begin{{matrix}} {BODY} \end{{matrix}}\right]$$"),
    "array": ("markdown", rf"$$A = \left(\begin{{array}}{{rr}} {BODY} \\ \end{{array}}\right).$$"),
    "star": ("markdown", rf"$$A = \begin{{bmatrix*}}[r] {BODY} \end{{bmatrix*}}$$"),
    "equation": ("latex", "\\begin{equation*}\nA = \\begin{bmatrix} " + BODY + " \\end{bmatrix}\n\\end{equation*}"),
    "align": ("latex", "\\begin{align}\nA &= \\begin{bmatrix} " + BODY + " \\end{bmatrix}\n\\end{align}"),
    "aligned": ("markdown", "$$\\begin{aligned} A &= Z \\\\ &= \\begin{bmatrix} " + BODY + "\\end{bmatrix}\\end{aligned}$$"),
    "gather": ("latex", "\\begin{gather} A = \\begin{bmatrix} " + BODY + " \\end{bmatrix} \\end{gather}"),
    "fence": ("markdown", "```math\nA = \\begin{bmatrix} " + BODY + " \\end{bmatrix}\n```\n"),
    "loose": ("markdown", "A = \\begin{bmatrix} " + BODY + " \\end{bmatrix}\n"),
    "spacing": ("markdown", r"$$A = \begin{bmatrix} 0.35 & 0.65 \\[4pt] -0.5 & 1 \\ \end{bmatrix}$$"),
    "cr": ("markdown", r"$$A = \begin{bmatrix} 0.35 & 0.65 \cr -0.5 & 1 \end{bmatrix}$$"),
    "collapsed": ("markdown", r"$$A = \begin{bmatrix} 0.35 & 0.65 \ -0.5 & 1 \end{bmatrix}$$"),
    "collapsed lines": ("markdown", "$$A = \\begin{bmatrix} 0.35 & 0.65 \\\n-0.5 & 1 \\end{bmatrix}$$"),
    "doubled": ("markdown", r"$$A = \begin{bmatrix} 0.35 & 0.65 \\\\ -0.5 & 1 \end{bmatrix}$$"),
    "rules": ("markdown", r"$$A = \begin{array}{|c|c|} \hline 0.35 & 0.65 \\ \hline -0.5 & 1 \\ \hline \end{array}$$"),
    "brace": ("markdown", rf"$$\underbrace{{\begin{{bmatrix}} {BODY} \end{{bmatrix}}}}_{{A}}$$"),
    "boxed": ("markdown", rf"$$A = \boxed{{\begin{{bmatrix}} {BODY} \end{{bmatrix}}}}_{{2 \times 2}}$$"),
    "quoted line": ("markdown", "> $$\n> A = \\begin{bmatrix} 0.35 & 0.65 \\\\\n> -0.5 & 1 \\end{bmatrix}\n> $$\n"),
    "ticks": ("markdown", rf"$`A = \begin{{bmatrix}} {BODY} \end{{bmatrix}}`$"),
    "list": ("markdown", "A = [[0.35, 0.65], [-0.5, 1]]\n"),
    "math list": ("markdown", r"$A = \left[[0.35, 0.65], [-0.5, 1]\right]$"),
    "array call": ("markdown", "```python\nA = np.array([[0.35, 0.65],\n              [-0.5, 1]], dtype=float)\n```\n"),
    "tensor call": ("markdown", "```python\nA = torch.tensor(\n    [[0.35, 0.65], # cat\n     [-0.5, 1]] # dog\n)\n```\n"),
    "doctest": ("markdown", ">>> A = [[0.35, 0.65],\n...      [-0.5, 1]]\n"),
    "numpy": ("markdown", "```\n>>> print(A)\n[[0.35 0.65]\n [-0.5   1]]\n```\n"),
    "torch": ("markdown", "```\n>>> A\ntensor([[0.35, 0.65],\n        [-0.5, 1]], grad_fn=<SoftmaxBackward0>)\n```\n"),
    "ipython": ("markdown", "```\nIn [3]: A\nOut[3]:\narray([[0.35, 0.65],\n       [-0.5, 1]])\n```\n"),
    "label line": ("text", "A:\n[[0.35 0.65]\n [-0.5 1]]\n"),
    "two fences": ("markdown", "```python\nA = softmax(Z)\nprint(A)\n```\n\nOutput:\n\n```\n[[0.35 0.65]\n [-0.5 1]]\n```\n"),
    "pipe table": ("markdown", "**A**\n\n| 0.35 | 0.65 |\n|---|---|\n| -0.5 | 1 |\n"),
    "labelled table": ("markdown", "A:\n\n| | cat | dog |\n|---|:-:|--:|\n| cat | 0.35 | **0.65** |\n| dog | $-0.5$ | `1` |\n"),
    "html table": ("html", "<p><b>A</b> =</p><table><tr><td>0.35</td><td>0.65</td></tr><tr><td>-0.5<td>1</table>"),
    "html headers": ("html", "<h3>A</h3><table><thead><tr><th></th><th>x</th><th>y</th></tr></thead><tr><th>x</th><td>0.35</td><td>0.65</td></tr><tr><th>y</th><td>-0.5</td><td>1</td></tr></table>"),
    "caption": ("html", "<table><caption>A</caption><tr><td>0.35</td><td>0.65</td></tr><tr><td>-0.5</td><td>1</td></tr></table>"),
    "html math": ("html", "<p>\\[ A = \\begin{bmatrix} 0.35 &amp; 0.65 \\\\ -0.5 &amp; 1 \\end{bmatrix} \\]</p>"),
    "html script": ("html", '<script type="math/tex; mode=display">A = \\begin{bmatrix} 0.35 & 0.65 \\\\ -0.5 & 1 \\end{bmatrix}</script>'),
    "html pre": ("html", "<pre>&gt;&gt;&gt; A\n[[0.35 0.65]\n [-0.5 1]]</pre>"),
    "annotation": ("html", '<math><mi>A</mi><annotation encoding="application/x-tex">A = \\begin{bmatrix} 0.35 &amp; 0.65 \\\\ -0.5 &amp; 1 \\end{bmatrix}</annotation></math>'),
    "codecogs": ("markdown", "![A](https://latex.codecogs.com/svg.image?A%20=%20%5Cbegin%7Bbmatrix%7D%200.35%20&%200.65%20%5C%5C%20-0.5%20&%201%20%5Cend%7Bbmatrix%7D)"),
    "codecogs spaces": ("html", '<img src="https://latex.codecogs.com/gif.latex?\\dpi{150}&space;A&space;=&space;\\begin{bmatrix}0.35&space;&&space;0.65\\\\-0.5&space;&&space;1\\end{bmatrix}">'),
    "github": ("markdown", '<img src="https://render.githubusercontent.com/render/math?math=A+%3D+%5Cbegin%7Bbmatrix%7D0.35%260.65%5C%5C-0.5%261%5Cend%7Bbmatrix%7D&mode=inline">'),
    "upmath": ("markdown", "![](https://i.upmath.me/svg/A%20%3D%20%5Cbegin%7Bbmatrix%7D0.35%260.65%5C%5C-0.5%261%5Cend%7Bbmatrix%7D)"),
    "tabular": ("latex", "A:\n\n\\begin{tabular}{c|cc}\n & cat & dog \\\\ \\hline\ncat & 0.35 & 0.65 \\\\\ndog & -0.5 & 1 \\\\\n\\end{tabular}\n"),
    "verbatim": ("latex", "\\begin{verbatim}\n>>> A\n[[0.35 0.65]\n [-0.5 1]]\n\\end{verbatim}\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTATIONS)
def test_each_notation_is_read(name: str) -> None:
    """The same matrix in every notation: same cells, called A, with exact spans."""
    kind, text = NOTATIONS[name]
    matrix = only(text, kind)
    assert strings(matrix) == M
    assert matrix.name.step == "A"
    assert not matrix.operand


@pytest.mark.parametrize("name", NOTATIONS)
def test_a_number_is_replaced_in_place(name: str) -> None:
    """A new number spliced in at a span changes that number and nothing else."""
    kind, text = NOTATIONS[name]
    cell = only(text, kind).rows[0][1]
    changed = only(text[: cell.start] + "0.64" + text[cell.end :], kind)
    assert strings(changed) == [["0.35", "0.64"], M[1]]
    assert text.replace("0.65", "0.64") == text[: cell.start] + "0.64" + text[cell.end :]


@pytest.mark.parametrize("name", [n for n, (kind, _) in NOTATIONS.items() if kind == "markdown"])
def test_carriage_returns_and_byte_order_mark_are_kept(name: str) -> None:
    """Offsets count the file's own characters: BOM and CRLF stay."""
    text = "\ufeff\r\n" + NOTATIONS[name][1].replace("\n", "\r\n")
    assert strings(only(text)) == M


def test_a_file_is_read_as_it_lies_on_disk(tmp_path: Path) -> None:
    """Reading from disk keeps line ends, so that offsets fit the file."""
    path = tmp_path / "a.md"
    path.write_bytes(b"\xef\xbb\xbfA:\r\n\r\n$$\r\nA = [0.25, 0.75]\r\n$$\r\n")
    reading = read(path)
    (matrix,) = reading.matrices
    assert reading.document.text[matrix.start : matrix.end] == "[0.25, 0.75]"
    assert reading.document.line_and_column(matrix.start) == (4, 5)


NOT_MATRICES = [
    "See [1] and [2, 3], and [[4]](#four) as well.",
    "The interval $[0, 1]$ and $x \\in [0, 1)$.",
    "```python\nx = A[[0, 1]]\nnames = ['a', 'b']\nf([1, 2], [3, 4])\n```",
    "| Model | BLEU | Notes |\n|---|---|---|\n| base | 27.3 | ok |\n",
    r"$$A = \begin{bmatrix} a & b \\ c & d \end{bmatrix}$$",
    r"$$\det A = \begin{vmatrix} 1 & 2 \\ 3 & 4 \end{vmatrix}$$",
    "<!-- $$A = \\begin{bmatrix} 1 & 2 \\end{bmatrix}$$ -->",
    "`A = \\begin{bmatrix} 1 & 2 \\end{bmatrix}`",
    "- [ ] a task\n- [x] done\n",
]


@pytest.mark.parametrize("text", NOT_MATRICES)
def test_what_is_no_printed_matrix(text: str) -> None:
    """Citations, intervals, indices, tables of words and symbols are left alone."""
    assert not read(text, "markdown").matrices


def test_directives_of_myst_that_hold_markdown_are_read() -> None:
    inner = "~~~{note} `a` and `b`\n:class: dropdown\n\n```{math}\nA = \\begin{bmatrix} 1 & 2 \\end{bmatrix}\n```\n~~~"
    tabs = f"````{{tab-set}}\n```{{tab-item}} First\n$B = [[3, 4]]$\n```\n\n{inner}\n````"
    code = "```{code-block} python\nx = f([[5, 6]])\n~~~{note}\n```\n\n$C = [[7, 8]]$"
    reading = read(f"{tabs}\n\n{code}\n", "markdown")
    spans_are_exact(reading)
    found = {m.label: strings(m) for m in reading.matrices if not m.operand}
    assert found == {"A": [["1", "2"]], "B": [["3", "4"]], "C": [["7", "8"]]}
    assert read(f"````{{code-cell}}\n{inner}\n````\n", "markdown").matrices == ()
    assert len(read(inner.removesuffix("~~~"), "markdown").matrices) == 1  # never closed


STEPS = {
    "words over columns and before rows": ("article", "A"),
    "masked scores": ("article", "Z_masked"),
    "a row": ("article", "P"),
    "entries one a line": ("gpt2", "layer[0].layer_norm[0].y"),
    "a number": ("gpt2", "eps"),
    "slices": (str(CASES.parent / "specs" / "two-layers.toml"), "W_1"),
}


@pytest.mark.parametrize("fenced", [True, False])
@pytest.mark.parametrize("what", STEPS)
def test_steps_are_read_as_show_prints_them(what: str, fenced: bool, tmp_path: Path) -> None:
    name, address = STEPS[what]
    d = derivation_of(name)
    shown = terminal.step(d[address])
    path = tmp_path / "page.txt"
    path.write_text(f"Text.\n\n```text\n{shown}\n```\n" if fenced else f"{shown}\n", "utf-8")
    reading = read(path)
    spans_are_exact(reading)
    found, unmatched = placed(reading, d)
    step = d[address]
    assert not unmatched
    assert {c.entry.index for c in found} == {e.index for e in step.entries()}
    judging = Judging(d)
    verdicts = [judging.judged(c.entry, c.printed, c.factor).verdict for c in found]
    assert set(verdicts) == {"right"}


def test_a_wrong_number_of_a_shown_step_is_found_where_it_stands() -> None:
    d = derivation_of("article")
    shown = terminal.step(d["A"]).replace("0.64", "0.65")
    reading = read(f"{shown}\n\n0.12\n", "text")
    (wrong,) = [
        c for c in placed(reading, d)[0]
        if Judging(d).judged(c.entry, c.printed, c.factor).verdict == "wrong"
    ]  # fmt: skip
    assert wrong.entry.address == "A[1,1]"
    assert shown[wrong.printed.start : wrong.printed.end] == "0.65"
    # What has not the shape that it says is no step.
    assert not read(shown.replace("(3 × 3)", "(4 × 4)"), "text").matrices
