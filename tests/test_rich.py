"""What objects show of themselves in Jupyter, VS Code and marimo."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

import symattn as sa
from symattn.claims.check import check
from symattn.claims.reading import read
from symattn.errors import AddressError
from symattn.notation import visible
from symattn.sensitivity import sensitivities
from symattn.spec_reader import load_spec
from symattn.transformer import worked_attention
from symattn.writers import jupyter
from symattn.writers.jupyter import escape
from tests.test_pages import HOSTILE

WRONG = r"""
$$ Q = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} \quad K = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} $$

$$ S = QK^\top = \begin{bmatrix} 1 & 0 \\ 0 & 2 \end{bmatrix} $$
"""

#: Each kind of object that a session holds in hand, made from the article.
OBJECTS: dict[str, Callable[[sa.Derivation], Any]] = {
    "derivation": lambda d: d,
    "step": lambda d: d["A"],
    "steps": lambda d: d["Q", "K", "V"],
    "entry": lambda d: d["A"][1, 1],
    "explanation": lambda d: d["A"][1, 1].explain(),
    "comparison": lambda d: sa.compare(d["A"][1, 1], "1/2"),
    "report": lambda d: d.verify(),
    "judgement": lambda d: next(
        f.judgement for f in _checked().findings if f.judgement.at == "S[1,1]"
    ),
    "checked": lambda d: _checked(),
    "difference": lambda d: d.diff(d.with_(W_1=[[1, 0], [0, 1]])),
    "selection": lambda d: d["P"].top_k(2),
    "generation": lambda d: sa.generate(d, 2),
    "proof": lambda d: sa.generate(sa.load("gpt2"), 1).proof,
    "variation": lambda d: sa.vary(d, "W_1[0,0]"),
    "map": lambda d: sa.vary(d, "W_1[0,0]", "W_1[0,1]", low=-1, high=1),
    "statement": lambda d: sa.prove("weights")[0],
    "statements": lambda d: sa.prove("weights"),
    "sensitivities": lambda d: sensitivities(d, "P[1]", ["W_1"]),
    "gradient step": lambda d: d.gradient_step("W_1", rate="1/2", target="mouse"),
}


def _checked() -> Any:
    return check(read(WRONG, "markdown"), worked_attention)


def words(markdown: str) -> str:
    """What a reader sees of text: references and elements resolved, backslashes of Markdown gone."""
    return unescape(re.sub(r"</?(?:span|code)>", "", markdown))


@pytest.fixture(scope="module")
def shown(article: sa.Derivation) -> dict[str, str]:
    return {name: make(article)._repr_markdown_() for name, make in OBJECTS.items()}


@pytest.mark.parametrize("name", OBJECTS)
def test_every_object_shows_itself_as_markdown_and_not_as_html(
    article: sa.Derivation, shown: dict[str, str], name: str
) -> None:
    made = OBJECTS[name](article)
    assert shown[name].strip() and shown[name] == made._repr_markdown_()
    for other in ("_repr_html_", "_repr_mimebundle_", "_repr_svg_", "_repr_json_"):
        assert not hasattr(made, other)


def test_what_is_shown_says_what_is_known(shown: dict[str, str]) -> None:
    assert r"\approx 0.64" in shown["entry"] and r"\ell_1 =" in shown["entry"]
    assert "row chases, column chases" in shown["explanation"]
    assert "&\\approx 0.64" in shown["explanation"]
    assert shown["comparison"].startswith("**greater**: the enclosures")
    assert "| A | A&#91;" in shown["report"]
    assert "steps agree" in shown["report"]
    assert "| `S[1,1]` | 2 | wrong | 1 |" in shown["checked"]
    assert shown["difference"].startswith("**`W_1`**: 4 of 4 entries differ")
    assert "| chases | 0.29 |" in shown["selection"]
    assert "| 2 | cat chases mouse chases | cat | 0.23 |" in shown["generation"]
    assert "are proven equal" in shown["proof"]
    assert r"\approx 0.904650$" in shown["variation"]
    assert shown["map"].count("```") == 2
    assert shown["statements"].startswith("- **proven** ")
    assert "`∂P[1]/∂W_1[0,1]`" in shown["sensitivities"]
    assert "it fell" in shown["gradient step"]


def test_a_step_shows_the_equation_of_its_page_and_what_names_stand_for(
    article: sa.Derivation,
) -> None:
    from symattn.equations import equation

    step = article["A"]
    assert f"$$\n{equation(step)}\n$$" in step._repr_markdown_()
    assert [label for label, _ in step.where()] == [r"\ell_1", r"\ell_2"]
    for label, value in step.where():
        assert f"{label} &= {value}" in step._repr_markdown_()


def test_steps_asked_for_together_share_lines_as_on_a_page(article: sa.Derivation) -> None:
    weights = article["W_Q", "W_K", "W_V"]
    assert [s.name for s in weights] == ["W_Q", "W_K", "W_V"]
    assert weights._repr_markdown_().count("$$") == 2
    assert repr(weights).count("(2 × 2)") == 3
    with pytest.raises(AddressError):
        article["Q", "nothing"]


def test_reconstructed_entries_are_marked_until_they_are_replaced(article: sa.Derivation) -> None:
    assert r"^{\dagger}" in article["W_1"]._repr_markdown_()
    assert r"^{\dagger}" in article.with_(E=article["E"])["W_1"]._repr_markdown_()
    assert r"\dagger" not in article.with_(W_1=[[1, 0], [0, 1]])["W_1"]._repr_markdown_()


def test_wide_steps_show_decimals_in_place_of_a_screen_of_entries() -> None:
    d = load_spec("tests/specs/eight-tokens.toml").derive()
    shown = d["A"]._repr_markdown_()
    assert len(shown.split("\n")) < 40
    assert d["A"].decimal(3)[7][7] in shown
    given = load_spec("tests/specs/hostile.toml").derive()["W_vocab"]
    assert given._repr_markdown_().startswith("$$\nW_{\\mathrm{vocab}} \\approx ")
    with_symbols = d.with_(E=sa.symbols_like("E", (8, 2)))["A"]._repr_markdown_()
    assert r"\vdots" in with_symbols and len(with_symbols.split("\n")) < 60


def test_latex_has_the_equations_of_the_markdown(article: sa.Derivation) -> None:
    for name in ("step", "entry", "explanation"):
        made = OBJECTS[name](article)
        lines = re.findall(r"\$\$\n(.*?)\n\$\$", made._repr_markdown_(), re.DOTALL)
        inline = [" ".join(line.split()) for line in lines]
        assert made._repr_latex_() == "\n\n".join(rf"$\displaystyle {x}$" for x in inline)


@pytest.mark.parametrize("token", HOSTILE)
def test_no_sign_of_a_text_is_left_to_be_syntax(token: str) -> None:
    made = escape(token)
    assert words(made) == visible(token)
    bare = re.sub(r"</?span>|&(?:#\d+|amp|lt|gt);", "", made)
    assert not set(bare) & set("`*[]|~#^{}@&<>$\\")
    assert made.count("$") == 0


@pytest.mark.parametrize("text", ["see https://x.y", "www.x.y", ":cat:", "::lucide:cat::", "++a++"])
def test_links_icons_and_keys_of_other_dialects_stay_text(text: str) -> None:
    made = escape(text)
    assert words(made) == text
    assert not re.search(r"://|www\.|:\w|::|\+\+", made)


def test_bars_of_mathematics_do_not_end_a_cell() -> None:
    from symattn.blocks import Code, Math, Table, plain

    table = Table((plain("a|b"),), (((Math("|x|"), Code("a|`b")),),))
    lines = jupyter.written(table).split("\n")
    assert lines == ["| a&#124;b |", "| --- |", r"| $\vert x\vert $<code>a&#124;&#96;b</code> |"]


@pytest.mark.once
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_kernel_takes_markdown_and_latex_and_plain_text_from_them() -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    sources = ["import symattn as sa; d = sa.article()", "d", 'd["A"]', 'd["Q", "K"]', 'd["A"][1, 1]',
               'd["A"][1, 1].explain()', 'd["P"].top_k(2)', "sa.prove('weights')"]  # fmt: skip
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    book = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(book, timeout=120).execute()
    for cell in book.cells[1:]:
        (output,) = cell.outputs
        latex = {"text/latex"} if cell.source in sources[2:3] + sources[4:6] else set()
        assert set(output.data) == {"text/plain", "text/markdown"} | latex
    d = sa.article()
    assert book.cells[2].outputs[0].data["text/plain"] == repr(d["A"])
    assert book.cells[3].outputs[0].data["text/markdown"] == d["Q", "K"]._repr_markdown_()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OBJECTS)
def test_marimo_typesets_them(article: sa.Derivation, name: str) -> None:
    formatting = pytest.importorskip("marimo._output.formatting")
    found = formatting.try_format(OBJECTS[name](article))
    assert found.exception is None and found.mimetype == "text/html"
    assert "$" not in unescape(
        re.sub(r"<marimo-tex.*?</marimo-tex>", "", found.data, flags=re.DOTALL)
    )
    if name in ("step", "steps", "entry", "explanation", "derivation", "variation"):
        assert "<marimo-tex" in found.data
    if name in ("derivation", "report", "selection", "generation", "sensitivities", "checked"):
        assert "<table>" in found.data


@pytest.mark.filterwarnings("ignore")
def test_marimo_shows_hostile_text_as_text() -> None:
    formatting = pytest.importorskip("marimo._output.formatting")
    d = load_spec("tests/specs/hostile.toml").derive()
    for made in (d, d["P"], d["A"], d["P"].top_k(8), sa.generate(d, 1), d["A"][1, 1].explain()):
        html = formatting.try_format(made).data
        assert "<img" not in html and "<script" not in html
    assert "<img src=x onerror=alert(1)>" in unescape(formatting.try_format(d["P"].top_k(8)).data)
