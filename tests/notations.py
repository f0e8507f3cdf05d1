"""Worked examples written down: Markdown, LaTeX, HTML, notebooks and text, in every notation."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

Rows = Sequence[Sequence[str]]

#: What a step is called, in mathematics, in code and in words.
LATEX = {
    "E": ("E", "X"), "W_Q": ("W_Q", "W^Q"), "W_K": ("W_K", "W^K"), "W_V": ("W_V", "W^V"),
    "Q": ("Q", "Q = E W_Q"), "K": ("K", "K = E W_K"), "V": ("V", "V = E W_V"), "M": ("M",),
    "S": ("S", "QK^T", r"S = Q K^\top"),
    "Z": ("Z", r"\frac{QK^T}{\sqrt{d_k}}", r"Z = \frac{S}{\sqrt{d_k}}"),
    "Z_masked": (r"Z_{\text{masked}}", "Z + M", r"Z_{\mathrm{masked}} = Z + M"),
    "A": ("A", r"A = \text{softmax}(Z)", r"\operatorname{softmax}(Z)"),
    "O": ("O", "AV", "O = A V"),
}  # fmt: skip
CODE = {
    "E": ("E", "inputs"), "W_Q": ("W_Q", "W_query"), "W_K": ("W_K", "W_key"),
    "W_V": ("W_V", "W_value"), "Q": ("Q", "queries"), "K": ("K", "keys"), "V": ("V", "values"),
    "M": ("M", "mask"), "S": ("S", "attn_scores"), "Z": ("Z", "scaled_scores"),
    "Z_masked": ("Z_masked", "masked_scores"), "A": ("A", "attn_weights"),
    "O": ("O", "context_vecs"),
}  # fmt: skip
WORDS = {
    "E": "Embeddings", "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V", "Q": "Queries", "K": "Keys",
    "V": "Values", "M": "Mask", "S": "Attention scores", "Z": "Scaled scores",
    "Z_masked": "Masked scores", "A": "Attention weights", "O": "Output",
}  # fmt: skip


# Mathematics.


def _body(rows: Rows, between: str = " ") -> str:
    texts = [[r"-\infty" if t == "-oo" else t for t in row] for row in rows]
    return rf" \\{between}".join(" & ".join(row) for row in texts)


MATRICES: dict[str, Callable[[Rows], str]] = {
    "bmatrix": lambda rows: rf"\begin{{bmatrix}} {_body(rows)} \end{{bmatrix}}",
    "lines": lambda rows: f"\\begin{{bmatrix}}\n{_body(rows, chr(10))}\n\\end{{bmatrix}}",
    "pmatrix": lambda rows: rf"\begin{{pmatrix}}{_body(rows)}\end{{pmatrix}}",
    "left": lambda rows: rf"\left[\begin{{matrix}} {_body(rows)} \end{{matrix}}\right]",
    "array": lambda rows: (
        rf"\left( \begin{{array}}{{{'r' * len(rows[0])}}} {_body(rows)} \\ \end{{array}} \right)"
    ),
    "bold": lambda rows: (
        r"\begin{bmatrix} \mathbf{" + _body(rows).replace(" ", "} ", 1) + r" \end{bmatrix}"
    ),
}


def _equation(step: str, rows: Rows, draw: random.Random, sign: str = "=") -> str:
    shape = draw.choice([*MATRICES])
    if shape == "bold" and len(rows[0]) < 2:
        shape = "bmatrix"
    return f"{draw.choice(LATEX[step])} {sign} {MATRICES[shape](rows)}"


# Prints.


def _plain(rows: Rows) -> list[list[str]]:
    texts = [["-inf" if t == "-oo" else t for t in row] for row in rows]
    width = max(len(t) for row in texts for t in row)
    return [[t.rjust(width) for t in row] for row in texts]


def numpy_print(rows: Rows) -> str:
    rows = shorter(rows, stripped=True)
    return "[[" + "]\n [".join(" ".join(row) for row in _plain(rows)) + "]]"


def numpy_repr(rows: Rows) -> str:
    rows = shorter(rows, stripped=True)
    return "array([[" + "],\n       [".join(", ".join(row) for row in _plain(rows)) + "]])"


def torch_print(rows: Rows) -> str:
    return "tensor([[" + "],\n        [".join(", ".join(row) for row in _plain(rows)) + "]])"


def brackets(rows: Rows) -> str:
    texts = [["-inf" if t == "-oo" else t for t in row] for row in rows]
    return "[[" + "], [".join(", ".join(row) for row in texts) + "]]"


PRINTS = (numpy_print, numpy_repr, torch_print)


# Blocks of each kind of document.


def _dollars(step: str, rows: Rows, draw: random.Random) -> str:
    return f"$$ {_equation(step, rows, draw)} $$"


def _inline(step: str, rows: Rows, draw: random.Random) -> str:
    return f"so ${draw.choice(LATEX[step])} = {MATRICES['pmatrix'](rows)}$ follows."


def _fence(step: str, rows: Rows, draw: random.Random) -> str:
    return f"```math\n{_equation(step, rows, draw)}\n```"


def _displayed(step: str, rows: Rows, draw: random.Random) -> str:
    return f"\\[ {_equation(step, rows, draw)} \\]"


def _image(step: str, rows: Rows, draw: random.Random) -> str:
    equation = f"{LATEX[step][0]} = {MATRICES['bmatrix'](rows)}"
    whole = quote(equation, safe=draw.choice(("", "=", "&={}")))
    address = draw.choice((
        "https://latex.codecogs.com/svg.image?",
        "https://latex.codecogs.com/png.latex?%5Cdpi%7B150%7D%20",
        "https://render.githubusercontent.com/render/math?math=",
        "https://i.upmath.me/svg/",
    ))  # fmt: skip
    if "math=" in address:
        whole = quote(equation, safe="")
    return address + whole


def _image_markdown(step: str, rows: Rows, draw: random.Random) -> str:
    return f"![{step}]({_image(step, rows, draw)})"


def _image_html(step: str, rows: Rows, draw: random.Random) -> str:
    return f'<p><img src="{escape(_image(step, rows, draw))}"></p>'


def _list(step: str, rows: Rows, draw: random.Random) -> str:
    return f"{draw.choice(CODE[step])} = {brackets(rows)}"


def _session(step: str, rows: Rows, draw: random.Random) -> str:
    name = draw.choice(CODE[step])
    shown = draw.choice(PRINTS)(rows)
    prompt = f">>> print({name})" if shown.startswith("[") else f">>> {name}"
    return f"```python\n{prompt}\n{shown}\n```"


def _pipes(step: str, rows: Rows, draw: random.Random) -> str:
    lines = ["| " + " | ".join("−∞" if t == "-oo" else t for t in row) + " |" for row in rows]
    head = "|" + "   |" * len(rows[0]) + "\n|" + "---|" * len(rows[0])
    return f"**{WORDS[step]}**\n\n{head}\n" + "\n".join(lines)


def _labelled(step: str, rows: Rows, draw: random.Random) -> str:
    names = [f"t{i}" for i in range(len(rows))]
    lines = [f"| {n} | " + " | ".join("-inf" if t == "-oo" else t for t in row) + " |"
             for n, row in zip(names, rows, strict=True)]  # fmt: skip
    columns = [f"c{j}" for j in range(len(rows[0]))]
    head = f"| | {' | '.join(columns)} |\n|---|" + ":-:|" * len(rows[0])
    return f"{draw.choice(CODE[step])}:\n\n{head}\n" + "\n".join(lines)


def _numbered(step: str, rows: Rows, draw: random.Random) -> str:
    star = draw.choice(("", "*"))
    return f"\\begin{{equation{star}}}\n{_equation(step, rows, draw)}\n\\end{{equation{star}}}"


def _align(step: str, rows: Rows, draw: random.Random) -> str:
    star = draw.choice(("", "*"))
    return f"\\begin{{align{star}}}\n{_equation(step, rows, draw, '&=')}.\n\\end{{align{star}}}"


def _verbatim(step: str, rows: Rows, draw: random.Random) -> str:
    name = draw.choice(CODE[step])
    return f"\\begin{{verbatim}}\n>>> print({name})\n{numpy_print(rows)}\n\\end{{verbatim}}"


def _tabular(step: str, rows: Rows, draw: random.Random) -> str:
    body = " \\\\\n".join(" & ".join(r"$-\infty$" if t == "-oo" else t for t in r) for r in rows)
    columns = "r" * len(rows[0])
    return (
        f"{WORDS[step]}:\n\n\\begin{{tabular}}{{{columns}}}\n\\hline\n{body} \\\\\n\\end{{tabular}}"
    )


def _table(step: str, rows: Rows, draw: random.Random) -> str:
    cell = draw.choice(("<td>{}</td>", "<td class='n'><b>{}</b></td>"))
    lines = [
        "<tr>" + "".join(cell.format("&minus;&infin;" if t == "-oo" else t) for t in row) + "</tr>"
        for row in rows
    ]
    return f"<p><b>{draw.choice(CODE[step])}</b></p>\n<table>\n" + "\n".join(lines) + "\n</table>"


def _html_math(step: str, rows: Rows, draw: random.Random) -> str:
    return f"<p>\\[ {escape(_equation(step, rows, draw))} \\]</p>"


def _pre(step: str, rows: Rows, draw: random.Random) -> str:
    return f"<pre>\n&gt;&gt;&gt; print({draw.choice(CODE[step])})\n{numpy_print(rows)}\n</pre>"


def _label_line(step: str, rows: Rows, draw: random.Random) -> str:
    label = draw.choice((*CODE[step], WORDS[step]))
    return f"{label}:\n{draw.choice((numpy_print, torch_print))(rows)}"


MARKDOWN = (_dollars, _inline, _fence, _displayed, _image_markdown, _list, _session, _pipes,
            _labelled)  # fmt: skip
BLOCKS = {
    "markdown": MARKDOWN,
    "latex": (_displayed, _dollars, _numbered, _align, _verbatim, _tabular),
    "html": (_table, _html_math, _pre, _image_html),
    "text": (_list, _label_line, _dollars),
}


def looks_like_floats(rows: Rows) -> bool:
    """Whether a print of it counts as one of floats, right within the error of their type."""
    return any(len(text.strip("-0.").replace(".", "")) > 6 for row in rows for text in row)


#: Notations in which programs print; what looks like floats is not written in them.
PROGRAMS = (_list, _session, _verbatim, _pre, _label_line)


def _blocks(kind: str, floats: bool) -> list[Callable[[str, Rows, random.Random], str]]:
    return [block for block in BLOCKS[kind] if not (floats and block in PROGRAMS)]


def shorter(rows: Rows, stripped: bool) -> Rows:
    """Without zeros at the end, as NumPy prints; or only whole numbers written bare.

    One number keeps all its decimals, since from it one sees how many were meant.
    """

    def short(text: str) -> str:
        whole, point, places = text.partition(".")
        if stripped:
            return whole + point + places.rstrip("0")
        return text if places.strip("0") else whole

    def places(rows: Rows) -> int:
        return max(len(text.partition(".")[2]) for row in rows for text in row)

    found = [[short(text) for text in row] for row in rows]
    return found if places(found) == places(rows) else rows


@dataclass(frozen=True)
class Said:
    """What a document says in words, "" where it does not."""

    scale: str = ""
    mask: str = ""


def _sentences(said: Said, kind: str) -> str:
    root = {"markdown": r"$\sqrt{d_k}$", "latex": r"$\sqrt{d_k}$", "notebook": r"$\sqrt{d_k}$"}
    out = []
    if said.scale:
        out.append(f"The scores are divided by {root.get(kind, '√d_k')}.")
    if said.mask:
        out.append("No mask is used." if said.mask == "none" else "A causal mask is applied.")
    return " ".join(out)


def written(
    kind: str,
    matrices: Sequence[tuple[str, Rows]],
    said: Said,
    draw: random.Random,
    floats: Collection[str] = (),
) -> str:
    """A document of a kind; steps that look like floats are not written as programs print."""
    words = _sentences(said, kind)
    look = [draw.random() for _ in matrices]
    matrices = [
        (step, shorter(rows, stripped=False) if x < 0.3 else rows)
        for (step, rows), x in zip(matrices, look, strict=True)
    ]
    if kind == "notebook":
        return _notebook(matrices, words, draw, floats)
    if kind == "latex" and draw.random() < 0.2:
        lines = [_equation(step, rows, draw, "&=") for step, rows in matrices]
        blocks = ["\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"]
    else:
        blocks = [
            draw.choice(_blocks(kind, step in floats))(step, rows, draw) for step, rows in matrices
        ]
    text = "\n\n".join(filter(None, [words and (f"<p>{words}</p>" if kind == "html" else words),
                                     *blocks])) + "\n"  # fmt: skip
    if kind == "latex":
        text = f"\\documentclass{{article}}\n\\begin{{document}}\n{text}\\end{{document}}\n"
    if kind == "html":
        text = f"<!doctype html>\n<html><body>\n{text}</body></html>\n"
    return text


def _notebook(
    matrices: Sequence[tuple[str, Rows]], words: str, draw: random.Random, floats: Collection[str]
) -> str:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ["# Attention\n", words]}]
    for step, rows in matrices:
        form = draw.choice(("markdown", "stream", "result"))
        if step in floats:
            form = "markdown"
        if form == "markdown":
            block = draw.choice(_blocks("markdown", step in floats))(step, rows, draw)
            cells.append(
                {"cell_type": "markdown", "metadata": {}, "source": block.splitlines(keepends=True)}
            )
            continue
        name = draw.choice(CODE[step])
        if form == "stream":
            source, output = f"print({name})", {
                "output_type": "stream", "name": "stdout",
                "text": (numpy_print(rows) + "\n").splitlines(keepends=True),
            }  # fmt: skip
        else:
            shown = draw.choice((numpy_repr, torch_print))(rows)
            source, output = name, {
                "output_type": "execute_result", "metadata": {}, "execution_count": 1,
                "data": {"text/plain": shown.splitlines(keepends=True)},
            }  # fmt: skip
        cells.append({"cell_type": "code", "metadata": {}, "execution_count": 1,
                      "source": [source], "outputs": [output]})  # fmt: skip
    whole = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=draw.choice((None, 1)), ensure_ascii=draw.random() < 0.5)
