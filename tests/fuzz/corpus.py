"""What fuzzing starts from: our own documents and specs, whole where they are short, else in parts."""

from __future__ import annotations

import html
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import symattn

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases" / "docs"
PART = 600  # characters


def parts(text: str, most: int = PART) -> list[str]:
    """A text cut at blank lines into parts of about so many characters."""
    found = [""]
    for paragraph in re.split(r"(?<=\n)\n+", text):
        if found[-1] and len(found[-1]) + len(paragraph) > most:
            found.append("")
        found[-1] += paragraph[:most] + "\n"
    return found


#: Names of entries of the article, some of which are infinite, zero, or not there; and what stands around them.
ENTRY_WORDS = (
    "A[1,0]", "M[0,1]", r"Z_{\mathrm{masked}}[0,2]", "Z[2,2]", r"\ell_1", "P[2]", r"\mathrm{logits}[0]", r"x_{\mathrm{last}}[0]", "A[9,9]",
    "A_{21}", "B[0,0]", "A[0,2]", "W_Q[0,1]", "-M[0,1]", "1/", "0 ", "2 ", r"\frac{1}{", "}", "e^{", r"\ln(", r"\sqrt{", ")", r"\cdot ", " + ",
    " - ", " = ", r" \approx ", "0.36", "0,36", r"-\infty", r"\infty", "^2", "^{-1}", "^*", r"\%", "$", "$$", r"\begin{bmatrix} ", r" \end{bmatrix}",
    " & ", r" \\ ", "<!-- symattn: A[1,0] -->", "<!-- symattn: show M[0,1] -->", "<!-- symattn: quoted -->", "[1]", "A", "O[2]", r"\log M[0,1]",
)  # fmt: skip


@cache
def markdown() -> tuple[str, ...]:
    """Worked examples as people write them, and pages of ours."""
    files = [*sorted(CASES.glob("*.md")), ROOT / "docs" / "attention.md"]
    texts = [part for file in files for part in parts(file.read_text("utf-8"))]
    worksheet = (ROOT / "docs" / "worksheets.md").read_text("utf-8")
    return (*SMALL, *texts, *parts(worksheet))


@cache
def latex() -> tuple[str, ...]:
    files = [*sorted(CASES.glob("*.tex")), ROOT / "docs" / "attention.tex"]
    texts = [part for file in files for part in parts(file.read_text("utf-8"))]
    return (*(t.replace("```math", "$$").replace("```", "$$") for t in SMALL), *texts)


@cache
def pages() -> tuple[str, ...]:
    """HTML: tables, scripts of equations, code."""
    tables = []
    for text in SMALL:
        rows = re.findall(r"(-?[\d.]+) & (-?[\d.]+)", text)
        cells = "".join(f"<tr><th>cat</th><td>{a}</td><td>{b}</td></tr>" for a, b in rows)
        tables.append(f"<h2>A</h2><table><caption>A =</caption>{cells}</table>")
    kept = [f"<p>{html.escape(text)}</p>" for text in SMALL]
    code = [f"<pre><code class='python'>{html.escape(text)}</code></pre>" for text in SMALL]
    tex = [f'<script type="math/tex; mode=display">{text}</script>' for text in SMALL]
    image = '<img src="https://latex.codecogs.com/svg.image?A%20=%20\\begin{bmatrix}0.35&0.65\\\\0.5&0.5\\end{bmatrix}">'
    return (*tables, *kept, *code, *tex, image, *markdown()[len(SMALL) :: 4])


@cache
def notebooks() -> tuple[str, ...]:
    found = []
    for text in (*SMALL, *markdown()[len(SMALL) :: 6]):
        cells: list[dict[str, Any]] = [
            {"cell_type": "markdown", "source": text},
            {"cell_type": "markdown", "source": text.splitlines(keepends=True)},
            {
                "cell_type": "code",
                "source": ["A = softmax(Z)\n", "A"],
                "outputs": [
                    {"output_type": "stream", "text": "[[0.35 0.65]\n [0.50 0.50]]\n"},
                    {
                        "output_type": "execute_result",
                        "data": {"text/latex": text, "text/plain": ["array([[1., 0.]])"]},
                    },
                ],
            },
        ]
        kept = cells[: 1 + len(found) % 3]
        found.append(json.dumps({"nbformat": 4, "cells": kept}, ensure_ascii=len(found) % 2 == 0))
    return tuple(found)


SMALL = (
    "The matrix\n\n$$A = \\begin{bmatrix} 0.35 & 0.65 \\\\ 0.50 & 0.50 \\end{bmatrix}$$\n",
    "$$E = \\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix}, W_Q = \\begin{pmatrix} 1 & 2 \\\\ 0 & 1 \\end{pmatrix}$$\n\n"
    "$$Q = E W_Q = \\begin{bmatrix} 1 & 2 \\\\ 0 & 1 \\end{bmatrix}$$\n",
    "```python\nQ = np.array([[1, 0], [0.5, 1]])\nK = np.array([[1, 2], [3, 4]])\nprint(Q @ K.T)\n```\n\n"
    "```\n[[1 3]\n [2.5 5.5]]\n```\n",
    "Scores:\n\n|      | cat | dog |\n|------|-----|-----|\n| cat  | 0.1 | 0.9 |\n| dog  | 0.5 | 0.5 |\n",
    "Z = [[1.41, 0.71], [-oo, 0]] with a causal mask, scaled by $\\sqrt{d_k}$.\n",
    "```math\nS = Q K^\\top = \\begin{bmatrix} 1 & \\frac{1}{2} \\\\ \\sqrt{2} & -\\infty \\end{bmatrix}\n```\n",
    "<!-- symattn: spec article -->\n<!-- symattn: A -->\n$$\\begin{bmatrix} 0.36 & 0.64 & 0 \\\\ 1 & 2 & 3 \\end{bmatrix}$$\n",
    "<!-- symattn show A -->\nold\n<!-- /symattn -->\n\nso {A[1,1]} is 0.64 <!-- symattn: A[1,1] --> or 64%.\n",
    "$A_{1,0} = \\frac{e^{0.5}}{e^{0.5} + e^{1}} \\approx 0.378$ and $a_2 = (0.3, 0.7)$, $q_1 = [1, 2]$\n",
    "<!-- symattn blank A,O -->\n$$A = \\begin{bmatrix} \\boxed{0.35} & \\boxed{\\phantom{000.00}} \\\\ \\boxed{S[1,0]} & 1 \\end{bmatrix}$$\n",
)  # fmt: skip

SIGNS = (
    "\\begin{bmatrix}", "\\end{bmatrix}", "\\begin{array}{c|cc}", "\\begin{tabular}{ll}", "\\\\", "&", "\\frac{1}{2}",
    "\\sqrt{", "e^{", "\\boxed{", "\\textbf{", "\\color{red}", "\\phantom{0}", "\\infty", "\\cdot", "\\times 10^{", "\\approx",
    "\\underbrace{", "}_{W_Q}", "\\left(", "\\right)", "^\\top", "\\text{", "\\tag{1}", "\\hline", "\\begin{verbatim}",
    "\\begin{align}", "\\vdots", "\\dots", "| --- |", "|", "```math\n", "```python\n", "$`", "`$", "<!-- symattn: A -->",
    "<!-- symattn show A -->", "<!-- /symattn -->", "<!-- symattn blank A -->", "<!-- symattn: spec gpt2 -->", "% symattn: A",
    "<table>", "<tr>", "<td>", "</td>", "</table>", "<th ", "<pre>", "<script>", "&minus;", "&#8722;", "&#xD800;", "&#9999999;",
    "[[1, 2], [3, 4]]", "[1. 2. 3.]", "tensor([[", "array(", ", dtype=float)", ">>> A\n", "Out[1]:", "A = ", "Q = ", "K = ",
    "W_V = ", "S_{ij} = ", "softmax", "causal mask", "\\ell_0", "S[1,0]", "A_{cat,dog}", "d_k = 64", "head 1", "0.64",
    "≈ 0.5", "−0.5", "64.25%", "1,250", "1{,}5", "(0.125)", "**0.5**", "~0.5", "\\u0000", "\\ud83d", '"cells": ', "null",
    '"source": ', '"text/html": ',
)  # fmt: skip


@cache
def specs() -> tuple[str, ...]:
    """Built-in specs, those of tests, and short ones for each kind of key."""
    folder = Path(symattn.__file__).parent / "examples"
    files = [*folder.glob("*.toml"), *(ROOT / "tests" / "specs").glob("*.toml"), folder / "new.toml.template"]  # fmt: skip
    texts = [t for f in sorted(files) if "format = 1" in (t := f.read_text("utf-8"))]
    head = (
        'format = 1\nmodel = "attention_head"\ntokens = ["a", "b"]\n{}\n[matrices]\nE = [[1, "1/2"], [0, 1]]\n'
        'W_Q = [["sqrt(2)", 0.5], [0, 1]]\nW_K = "identity"\nW_V = [[1], [2]]\n{}\n'
    )
    tops = (
        'mask = "causal"', "mask = {keep = [[true, false], [true, true]]}", 'mask = {add = [[0, "-oo"], [0, 0]]}',
        "mask = {window = 1}", 'scale = "sqrt(d_k) + 1"', 'symbolic = ["W_Q", "E[0,1]"]', 'inputs = "printed"',
        'reconstructed = ["E[0,1]"]', 'fully_masked = "zero"\nmask = {drop = [[true, true], [false, false]]}',
    )  # fmt: skip
    ends = (
        '[[claims]]\nat = "A[1,0]"\nprinted = "0.5"', '[[claims]]\nvalue = "exp(1/2)"\nprinted = 1.65',
        '[display]\ndigits = 3\n[display.steps.A]\nvalues = "decimals"', '[aliases]\nattn = "A"',
        '[[properties]]\nlhs = "A"\nrhs = "softmax(Z, axis=-1)"\nwith = {x = "Z"}', "",
    )  # fmt: skip
    return (*(head.format(top, end) for top in tops for end in ends), *texts)


SPEC_WORDS = (
    "tokens = ", 'model = "attention_head"', 'model = "next_token"', 'model = "multi_head_attention"', 'model = "language_model"',
    "vocabulary = ", "[matrices]\n", "[[claims]]\n", "[display]\n", "[[properties]]\n", "[aliases]\n", "at = ", "value = ",
    "printed = ", "lhs = ", "rhs = ", "mask = ", "scale = ", "h = 2", "h_kv = 1", "N = 3", "offset = 2", "eps = ", '"identity"',
    '"ones"', '"zeros"', "{shape = [2, 2]}", "{shape = [1000000, 1000000]}", "{keep = ", "{window = ", "{prefix = 1}",
    '"causal"', "[[", "]]", "true", "1979-05-27", "07:32:00", "0xFF", "1e999999999", "-oo", '"W_Q[0,1]"', '"A[0]"', "inf", "nan",
    '"""', "'''", "\\u0000", "\\U0010FFFF", "# ", "= ", ".", "a.b.c = 1\n", "[a]\n", "W_O = ", "W_1 = ", "W_vocab = ", "gamma_1 = ",
    'positions = "rope"', 'norm = "pre"', 'text = "../x"', "digits = 1000", 'fold = ["layers"]', 'highlight = ["A[0,0]"]',
)  # fmt: skip

LITERALS = (
    "0.2", "1/5", "sqrt(2)", "-oo", "a_1", "W_Q[0,1]", "2*sqrt(2)/3", "exp(1/2)", "log(3)", "sin(1)", "tanh(1/3)", "erf(1)",
    "2^(1/2)", "(1+sqrt(5))/2", "exp(-exp(2))", "10**-5", "1e-5", "-(1/3)", "exp(13*sqrt(2)/25)/(1+exp(1))", "sqrt(1/2)+sqrt(3)",
    "13√2/25", "\\frac{13\\sqrt{2}}{25}", "e^{\\frac12}", "½", "np.sqrt(2)/2", "\\frac{1}{\\sqrt{d_{k}}}", "sqrt(a)*b^2",
)  # fmt: skip
LITERAL_WORDS = (
    "sqrt(", "exp(", "log(", "sin(", "cos(", "tanh(", "erf(", ")", "(", "+", "-", "*", "/", "^", "**", "oo", "a", "W_Q[0,1]", "[",
    "]", "e", "pi", "d_k", "\\frac{", "}{", "}", "\\sqrt[3]{", "√", "½", "e^{", "\\ln", "\\pi", "\\infty", "·", "×", "÷", "−", "1", "10",
)  # fmt: skip

ADDRESSES = (
    "A", "A[1,1]", "P[1]", "Z_masked[:,0]", "A.exp", "A.sum[0]", "layer[0].head[1].A[0,1]", "x_last", "head[0]", "W_Q", "A[-1,-1]",
    "layer[2].A", "S[0][1]", "*", "layer[0].*", "d_A",
)  # fmt: skip
ADDRESS_WORDS = (
    "[", "]", "[0]", "[1,1]", "[:,0]", "[-1]", "[999999999]", "[0:1]", "[a]", ".", "layer", "head", "A", "exp", "sum", "~1", "'",
    ",", ":", "*", "d_", "return.0", "[ 1 , 0 ]", "[0,0,0]", "[]",
)  # fmt: skip

COMMANDS = (
    "show A[1,1]", "show P --top 2", "show P --nucleus 0.5", "show A --digits 30", "show A --expand --limit 100", "show A --step A.digits=3",
    "show A --format latex", "show A --as heatmap --format svg", "show A --json --values decimals", "show S --highlight S[1,1]",
    "show A --digits A=3 --rounding significant --small fixed", "list", "list --format mermaid", "list article-encoder --json",
    "worksheet --blank A,O[1]", "worksheet --blank 30% --seed 3", "worksheet --blank 2 --no-prose", "worksheet --random",
    "worksheet --tokens 3", "vary W_vocab[1,3] --cells 20", "vary W_1[0,0] --from -1 --to 2 --digits 3", "sensitivity --of P[1] --top 2",
    "diff article article", "diff article article-encoder", "generate -n 1", "params config.json --symbolic d,L", "params config.json --context 99",
    "check case.md", "check case.md --spec article --json", "check case.md --diff --format github", "prove --size n=1,d=1,h=1 --only softmax",
    "show model head[0].A --ids 1,2", "show model layer[0].head[1].A --ids 0,3 --take tokens=0:2,dims=0:2", "certify model --ids 1,2 --digits 3",
    "show model layer[1] --ids 3 --digits 2", "certify model --ids 1 --bits 60 --inside --top 2",
)  # fmt: skip
COMMAND_WORDS = (
    "show ", "list ", "worksheet ", "vary ", "check ", "params ", "diff ", "--ids ", "--take ", "--blank ", "--digits ", "--step ", "--json ",
    "--format ", "--as ", "--top ", "--nucleus ", "--seed ", "--from ", "--to ", "--of ", "--only ", "--size ", "--symbolic ", "--text ", "--spec ",
    "article", "gpt2", "A.digits=3", "tokens=0;1", "dims=0:99", "n=9999", "1,2,3", "A", "P[1]", "layer[0].head[0].A", "=", ",", ";", ":", "%", "-1",
    "0", "/dev/null", ".", "..", "config.json", "case.md", "missing.toml", "''", "--", "-h", "*",
)  # fmt: skip

PROSE = (
    "{A[1,1]} and {A[1,1] 4}", "{exact A[1,1]} of {share Z[2,0]}", "{largest P}: {sentence P}", "{verified}", "{show A.exp A.sum A}",
    "{show *}", "{entry S[1,2]}", "{formula attention_head}", "{changes E O}", "{probabilities P}", "{claims}", "{steps}", "{map}",
    "{reconstructed}", "{backward A for cat}", "{descent W_1 1/2 for cat}", "Some *text* with **bold**, `code`, $x_1$.\n\n- one\n- two",
)  # fmt: skip
PROSE_WORDS = (
    "{", "}", "show ", "exact ", "entry ", "share ", "largest ", "sentence ", "formula ", "changes ", "A", "P[1]", "Z[2,0]", " 4", " 1000", "for cat",
    "*", "**", "`", "$", "\n\n", "\n- ", "1. ", "{{", "}}", "E", "W_1", "1/2", "9**9**9", "softmax",
)  # fmt: skip

CONFIGS = (
    {"model_type": "bert", "vocab_size": 11, "hidden_size": 4, "num_hidden_layers": 2, "num_attention_heads": 2,
     "intermediate_size": 6, "max_position_embeddings": 8, "layer_norm_eps": 1e-12, "architectures": ["BertForMaskedLM"]},
    {"model_type": "gpt2", "vocab_size": 11, "n_embd": 4, "n_layer": 2, "n_head": 2, "n_inner": 6, "n_positions": 8},
    {"model_type": "llama", "vocab_size": 11, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 4,
     "num_key_value_heads": 2, "intermediate_size": 6, "rope_theta": 100.0, "rope_parameters": {"rope_type": "default"}},
    {"model_type": "qwen2", "vocab_size": 11, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 4,
     "num_key_value_heads": 2, "intermediate_size": 6, "use_sliding_window": True, "sliding_window": 3, "max_window_layers": 1},
    {"model_type": "mistral", "vocab_size": 11, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 4,
     "num_key_value_heads": 2, "intermediate_size": 6, "head_dim": 4, "sliding_window": None},
)  # fmt: skip
JSON_WORDS = (
    "null", "true", "[]", "{}", '""', '"a"', "NaN", "-Infinity", "1e999", "1e-999999999", "0", "-1", "9999999", "10000000000",
    '"model_type": ', '"gpt2"', '"llama"', '"n_layer": ', '"hidden_size": ', '"architectures": ', '"rope_scaling": ', ",", ":", "[[[[",
    '{"a": ', '"__metadata__": ', '"dtype": "F32"', '"dtype": "I64"', '"BF16"', '"shape": [2, 2]', '"data_offsets": [0, 16]', "\\ud800",
    '"shape": [4294967296, 4294967296]', '"data_offsets": [16, 0]', '"type": "BPE"', '"vocab": {', '"merges": [', '"unk_token": null',
)  # fmt: skip
HEADERS = (
    '{"wte.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}',
    '{"__metadata__":{"format":"pt"},"a":{"dtype":"F16","shape":[4],"data_offsets":[0,8]},'
    '"b":{"dtype":"BF16","shape":[2,2],"data_offsets":[8,16]}}',
    '{"x":{"dtype":"F64","shape":[],"data_offsets":[0,8]},"y":{"dtype":"I32","shape":[2],"data_offsets":[8,16]}}',
    "{}", "",
)  # fmt: skip
TOKENIZERS = (
    '{"version":"1.0","truncation":null,"padding":null,"added_tokens":[{"id":0,"content":"[UNK]","single_word":false,'
    '"lstrip":false,"rstrip":false,"normalized":false,"special":true}],"normalizer":{"type":"Lowercase"},"pre_tokenizer":'
    '{"type":"Whitespace"},"post_processor":null,"decoder":null,"model":{"type":"WordLevel","vocab":{"[UNK]":0,"the":1,"cat":2},'
    '"unk_token":"[UNK]"}}',
    '{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,"pre_tokenizer":{"type":"ByteLevel",'
    '"add_prefix_space":false,"trim_offsets":true,"use_regex":true},"post_processor":null,"decoder":null,"model":{"type":"BPE",'
    '"dropout":null,"unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":false,"vocab":'
    '{"a":0,"b":1,"c":2,"t":3,"at":4,"cat":5,"h":6,"e":7},"merges":["a t","c at"]}}',
)  # fmt: skip
