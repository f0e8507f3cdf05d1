"""Pages: fresh, rendering everywhere, safe with any text, and true to their spec."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import math_core
import pytest

import symattn as sa
from symattn.blocks import Block, Equation, Fold, Math, Page, Plain, Styled, Table, inlines
from symattn.document import page
from symattn.errors import SpecError
from symattn.examples import builtin_folder
from symattn.layout import width
from symattn.spec_reader import load_spec, parse_spec
from symattn.text import WORDS, Section, Text
from symattn.writers import latex, markdown
from tests import regenerate
from tests.five import FIVE, page_of

HOSTILE = ["50%", "##ing", "_", "$", "<s>", "a_b", "x^2", "~", "\\", "{}", "&", "[CLS]", "`x`", "|", "你好", "▁the",
           "🙂", "<img src=x onerror=alert(1)>", "\x1b[31mred", "\\input{/etc/passwd}", "$$", "**b**", "{show A}"]  # fmt: skip

#: What the equations are made of; all of it is on GitHub's list, and known to the four targets.
MACROS = {
    r"\\",
    r"\approx",
    r"\ast",
    r"\begin",
    r"\boxed",
    r"\cdot",
    r"\dagger",
    r"\ell",
    r"\end",
    r"\frac",
    r"\hline",
    r"\infty",
    r"\ldots",
    r"\le",
    r"\left",
    r"\mathrm",
    r"\max",
    r"\qquad",
    r"\quad",
    r"\right",
    r"\sqrt",
    r"\sum",
    r"\text",
    r"\times",
    r"\top",
    r"\gamma",
    r"\;",
    r"\odot",
    r"\beta",
    r"\sin",
    r"\cos",
    r"\tanh",
    r"\log",
    r"\hat",
    r"\mu",
    r"\sigma",
    r"\theta",
    r"\pi",
    r"\_",
    r"\land",
    r"\varepsilon",
    r"\lfloor",
    r"\rfloor",
}


def hostile_spec(words: list[str]) -> str:
    quoted = ", ".join('"' + "".join(f"\\U{ord(c):08X}" for c in w) + '"' for w in words)
    columns = ", ".join(str(i + 1) for i in range(len(words)))
    n = min(len(words), 4)
    return f"""
format = 1
model = "next_token"
title = "50% of $x$ <b> \\\\input"
tokens = [{", ".join(quoted.split(", ")[:n])}]
vocabulary = [{quoted}]
mask = "causal"
[matrices]
W_vocab = [[{columns}]]
W_Q = [["1/7"]]
W_K = "identity"
W_V = "identity"
W_1 = "identity"
"""


HOSTILE_TEXT = Text(
    (
        Section("a", "", "{show *}", "test"),
        Section("b", "{largest P}", "{changes E O}\n\n{probabilities P}\n\n{sentence P}", "test"),
    ),
    WORDS,
)


def opened(blocks: tuple[Block, ...]) -> list[Block]:
    """Every block, those that are folded in too."""
    return [x for b in blocks for x in (b, *(opened(b.blocks) if isinstance(b, Fold) else ()))]


def equations(made: Page) -> list[str]:
    found = [b.latex for b in opened(made.blocks) if isinstance(b, Equation)]

    def walk(parts: object) -> None:
        if isinstance(parts, Math):
            found.append(parts.latex)
        elif isinstance(parts, Styled):
            walk(parts.parts)
        elif isinstance(parts, tuple):
            for part in parts:
                walk(part)

    for block in made.blocks:
        walk(getattr(block, "parts", ()))
        if isinstance(block, Table):
            walk(block.header)
            walk(block.rows)
    return found


def every_page() -> dict[str, Page]:
    pages = {name: page_of(name) for name in (*FIVE, *regenerate.PRESETS)}
    pages["words"] = page(parse_spec(hostile_spec(HOSTILE)).derive(), HOSTILE_TEXT)
    template = (builtin_folder() / "new.toml.template").read_text("utf-8")
    pages["new"] = page(parse_spec(template).derive())
    return pages


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return every_page()


@pytest.mark.parametrize("path", list(regenerate.outputs()), ids=lambda p: p.name)
def test_committed_outputs_are_fresh(path: Path) -> None:
    """If this fails on purpose: python tests/regenerate.py, and read the diff."""
    assert path.read_text("utf-8") == regenerate.outputs()[path]


def test_every_equation_parses_in_math_core(pages: dict[str, Page]) -> None:
    converter = math_core.LatexToMathML()
    count = 0
    for made in pages.values():
        for equation in equations(made):
            converter.convert_with_local_state(equation, displaystyle=True)
            count += 1
    assert count > 200


def test_equations_use_only_macros_that_travel(pages: dict[str, Page]) -> None:
    for name in {*pages} - {"words", "hostile"}:  # where words have signs of their own
        for equation in equations(pages[name]):
            used = set(re.findall(r"\\[A-Za-z]+|\\.", equation, re.DOTALL))
            assert used <= MACROS, equation


def test_no_row_after_a_bare_break_begins_with_a_bracket(pages: dict[str, Page]) -> None:
    for made in pages.values():
        for equation in equations(made):
            assert not re.search(r"\\\\(?:\s*)\[(?![46]pt\])", equation)


def test_the_article_says_what_it_should(pages: dict[str, Page]) -> None:
    text = markdown.write(pages["article"])
    assert "Rounding $Z$ to 2 decimals first gives what was printed for $A$ and $O$." in text
    assert "| $A[1,1]$ | 0.65 | 0.64 | **wrong** |" in text
    assert text.count("**wrong**") == 3
    assert (
        "The most likely next word is **chases**, and the sentence goes on as *cat chases mouse chases*."
        in text
    )
    assert "in shares 0.50, 0.10, 0.40, and its weights are 0.40, 0.25, 0.35" in text
    assert r"S[1,2] &= Q[1,0] \cdot K[2,0] + Q[1,1] \cdot K[2,1]" in text
    assert "within the running error bound" in text
    assert "ulp" not in text
    assert r"{\frac{3}{5}}^{\dagger}" in text
    assert "| mouse | $(0.80, 0.00)$ | $(0.73, 0.25)$ |" in text


def test_nothing_on_a_page_is_wider_than_it(pages: dict[str, Page]) -> None:
    for name in (*FIVE, *regenerate.PRESETS):
        for equation in equations(pages[name]):
            body = equation.replace("\\begin{aligned}\n", "").replace("\n\\end{aligned}", "")
            for line in body.split(" \\\\[6pt]\n"):
                # One fraction, which cannot be broken, may take a little more of a line.
                assert width(line) < (105 if name in regenerate.PRESETS else 90), line


def test_a_changed_model_changes_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page follows the code: another line in the model is another formula and value."""
    from symattn import transformer

    monkeypatch.setattr(transformer, "next_token", scaled_differently)
    text = markdown.write(page(load_spec("article").derive()))
    assert r"Z &= \frac{S}{d_k}" in text


def scaled_differently(W_vocab, W_Q, W_K, W_V, W_1, M=None, *, tokens):
    from symattn.functions import softmax

    d_k = W_K.shape[-1]
    E = W_vocab.T[tokens]
    Q = E @ W_Q
    K = E @ W_K
    V = E @ W_V
    S = Q @ K.T
    Z = S / d_k
    Z_masked = Z + M
    A = softmax(Z_masked)
    O = A @ V
    x_last = O[-1]
    F = x_last @ W_1
    logits = F @ W_vocab
    P = softmax(logits)
    return P


def text_spec(tmp_path: Path, body: str) -> Page:
    article = (builtin_folder() / "article.toml").read_text("utf-8")
    (tmp_path / "s.toml").write_text(article.replace("article.en.toml", "mine.toml"), "utf-8")
    (tmp_path / "mine.toml").write_text(body, "utf-8")
    return page(sa.load(tmp_path / "s.toml"))


def test_prose_is_replaceable(tmp_path: Path) -> None:
    body = """
[words]
wrong = "falsch"
[section.eins]
title = "Überschrift {A[1,1] 3}"
body = '''
Ein *Wert*: {exact A[1,1]} ist {A[1,1]}, `{A[1,1]}` bleibt, $x_{0}$ auch. {largest P}.

### Unter

- eins
- zwei {O[0,0] 0}

1. erst
2. dann

{claims}
'''
"""
    text = markdown.write(text_spec(tmp_path, body))
    assert "## Überschrift 0.644" in text
    assert r"ist 0.64, `{A[1,1]}` bleibt, $x_{0}$ auch. chases." in text
    assert "- zwei 1" in text
    assert "falsch" in text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("[section.a]\ntitle = 3\nbody = ''", "mine.toml: section.a.title: wanted a string"),
        ("[section.a]\ntitel = ''\nbody = ''", "unknown key 'titel', did you mean 'title'"),
        ("[words]\nx = 'y'", "words: unknown key 'x'"),
        ("[section.a]\ntitle = ''\nbody = '{B[1,1]}'", "mine.toml: section.a: no step 'B'"),
        ("[section.a]\ntitle = ''\nbody = '{A}'", "wanted an entry such as A"),
        ("[section.a]\ntitle = ''\nbody = '{shwo A B}'", "unknown block, did you mean 'show'"),
        ("[section.a]\ntitle = ''\nbody = '{formula atention}'", "did you mean 'attention'"),
        ("[section.a]\ntitle = ''\nbody = 'x {A[1,1] x}'", "wanted a number of decimals"),
        ("[section.a", "not valid TOML"),
        ("section = 5", "section: wanted tables"),
        ("[words]\nstep = 5", "words.step: wanted a string, got 5"),
        ("[section.a]\ntitle = ''\nbody = '{changes E}'", "wanted two steps"),
        ("[section.a]\ntitle = ''\nbody = '{changes E S}'", "two matrices of one shape"),
        ("[section.a]\ntitle = ''\nbody = '{probabilities A}'", "wanted a row of entries"),
        ("[section.a]\ntitle = ''\nbody = 'x {share M[0,1]}'", "has no share"),
        (
            "[words]\nverified = '{bounds.__class__}'\n[section.a]\ntitle = ''\nbody = '{verified}'",
            "words.verified: {bounds.__class__} is none of {bounds}",
        ),
    ],
)
def test_mistakes_in_a_text_are_named(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        text_spec(tmp_path, body)


def test_a_page_needs_a_spec() -> None:
    from symattn.functions import softmax

    with pytest.raises(SpecError, match="load the derivation from a spec"):
        page(sa.derive(softmax, x=[1, 2]))


def outside_maths(text: str) -> str:
    """A Markdown page without its equations and its code."""
    return re.sub(r"```math\n.*?\n```|\$[^$\n]*\$|`[^`\n]*`", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", ["words", "hostile"])
def test_hostile_words_stay_words(pages: dict[str, Page], name: str) -> None:
    text = markdown.write(pages[name])
    outside = outside_maths(text)
    assert not re.search("<(img|script)", outside)
    assert re.search("&lt;(img|script)", outside)
    assert "\x1b" not in text
    document = latex.write(pages[name])
    assert "\x1b" not in document
    assert not re.search(r"\\(input|write)[{\d]", document)


def test_inline_markup() -> None:
    assert inlines("a *b* **c** `d` $e$") == (
        Plain("a "), Styled(1, (Plain("b"),)), Plain(" "), Styled(2, (Plain("c"),)), Plain(" "),
        *inlines("`d`"), Plain(" "), Math("e"),
    )  # fmt: skip
    assert inlines("5 * 3 * 2") == (Plain("5 * 3 * 2"),)


def test_more_than_ten_columns_need_no_bmatrix() -> None:
    from symattn.functions import softmax

    d = sa.derive(softmax, x=list(range(12)))
    assert r"\left[\begin{array}{cccccccccccc}" in d["x"].latex()


# Other renderers, where they are installed; CI installs them.


@pytest.mark.render
@pytest.mark.once
@pytest.mark.parametrize("name", ["new", "words"])  # the others are in test_latex.py
def test_pdflatex_sets_the_page_within_its_margins(
    pages: dict[str, Page], name: str, tmp_path: Path
) -> None:
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed")
    (tmp_path / "page.tex").write_text(latex.write(pages[name]), "utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    wide = map(float, re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", done.stdout))
    assert max(wide, default=0) <= 1 or name == "words"  # one word of which is wider than a page


@pytest.mark.render
@pytest.mark.once
@pytest.mark.parametrize("renderer", ["katex", "mathjax"])
def test_node_renderers_take_every_equation(
    pages: dict[str, Page], renderer: str, tmp_path: Path
) -> None:
    import json
    import os

    modules = os.environ.get("NODE_PATH")
    if not shutil.which("node") or not modules or not (Path(modules) / renderer).is_dir():
        pytest.skip(f"node with {renderer} is not installed (NODE_PATH names its folder)")
    every = [e for made in pages.values() for e in equations(made)]
    (tmp_path / "equations.json").write_text(json.dumps(every), "utf-8")
    script = Path(__file__).parent / f"render_{renderer}.cjs"
    done = subprocess.run(
        ["node", str(script), str(tmp_path / "equations.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip().endswith(f"{len(every)} equations")


def test_a_spec_with_symbols_has_a_page() -> None:
    template = (builtin_folder() / "new.toml.template").read_text("utf-8")
    text = markdown.write(
        page(
            parse_spec(template.replace('W_Q = "identity"', 'W_Q = [["a", 0], [0, "b"]]')).derive()
        )
    )
    assert "With symbols in it there are no floats to compare." in text
    assert r"\frac{\sqrt{2} a}{2}" in text


def test_a_step_that_overflows_is_said_on_the_page() -> None:
    from tests.test_spec import changed

    d = parse_spec(changed("[[1], [2]]", '[["1e39"], [2]]')).derive()
    assert d.verify().agrees
    assert "without bound in float32, which overflows" in markdown.write(page(d))


def test_the_bound_on_the_page_is_above_every_bound() -> None:
    """Found once: the largest bound was not that of the entry nearest to its bound."""
    text = """
format = 1
model = "attention_head"
tokens = ["a", "b"]
[matrices]
E = [["4/7", "9e-2"], ["1/3", "6/3"]]
W_Q = [["1/10", 0], [0, 0]]
W_K = [["1/10", 0], [0, 0]]
W_V = [["1", 0], ["1/3", "80/7"]]
"""
    d = parse_spec(text).derive()
    largest = max(c.largest_bound for c in d.verify().checks if c.type == "float32")
    shown = re.search(r"10\^\{(-\d+)\}\$ in float32", markdown.write(page(d)))
    assert shown
    assert largest <= 10.0 ** int(shown[1])
