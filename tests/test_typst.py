"""Documents for typst: mathematics as a person would write it, and text that stays text."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import mathml, notation, typesetting, typst_math, typst_names
from symattn.blocks import (  # fmt: skip
    Code,
    Fold,
    Heading,
    Items,
    Math,
    Page,
    Paragraph,
    Plain,
    Styled,
    Table,
    plain,
)
from symattn.document import page
from symattn.spec_reader import parse_spec
from symattn.typesetting import TypstError, compiled
from symattn.typst_math import TypesetError, from_latex
from symattn.typst_parts import in_parts
from symattn.writers import pdf, typst
from tests.equations_of import formulas
from tests.five import FIVE, page_of
from tests.test_pages import HOSTILE, HOSTILE_TEXT, hostile_spec

LABELLED = r"A = \begin{array}{c|c} & \text{cat} \\ \hline \text{a} & \frac{1}{2} \end{array}"


#: LaTeX, and what it is for typst.
WRITTEN = [
    (r"S = Q K^\top", "S = Q K^⊤"),
    (r"A = \mathrm{softmax}(Z_{\mathrm{masked}}) V", 'A = "softmax"(Z_"masked") V'),
    (r"Z_{\mathrm{masked}}[0,1]", 'Z_"masked" [0, 1]'),
    (r"\mathrm{logits}[0] + 1", '"logits"[0] + 1'),
    (r"{K^{(1,0)}}^\top", "K^((1, 0) ⊤)"),
    (r"{W_Q}^{(0)}", "W_Q^((0))"),
    (r"{x'}_1^{(0)}", "x'_1^((0))"),
    (r"\ell^A_{1,2}", "ℓ_(1, 2)^A"),
    (r"e^{-\sqrt{2}/10}", r"e^(− sqrt(2) \/ 10)"),
    (r"\frac{1}{25}", "1/25"),
    (r"{\frac{3}{5}}^{\dagger} - {\frac{1}{2}}'", "frac(3, 5)^† − frac(1, 2)'"),
    (r"\frac{a + 1}{b_2}", "frac(a + 1, b_2)"),
    (r"\sqrt[3]{x}", "root(3, x)"),
    (r"\hat{x} + \overline{y}", "hat(x) + overline(y)"),
    (r"\sum_j x_j", "∑_j x_j"),
    (r"\max_i x", "max_i x"),
    (r"\max\left(0, x\right)", "max (0, x)"),
    (r"\log P", "log P"),
    (r"[0, 1)", r"\[ 0, 1 \)"),
    (r"i = 0, \ldots, n", "i = 0, dots.h, n"),
    (r"a, \qquad b \quad c\,d", "a, wide b quad c thin d"),
    (r"1 \qquad \text{cat}", '1 wide tok("cat")'),
    (r"\mathrm{d}x + \mathtt{e} + \mathbf{0.40}", 'upright(d) x + mono("e") + bold("0.40")'),
    (r"\textcolor{red}{a} + \boxed{b} + \cancel{c}", 'coloured(#"#FF0000", a) + framed(b) + cancel(c)'),
    (r"\boxed{\phantom{0.5}} + \phantom{x}", "roomy(0.5) + hidden(x)"),
    (r"\underline{a} + \bar{b} + \vec{c} + \tilde{d} + \dot{e}",
     "underline(a) + macron(b) + arrow(c) + tilde(d) + dot(e)"),
    (r"\mathbb{R} + \mathfrak{g} + \overbrace{x} + \underset{i}{y}",
     "ℝ + frak(\"g\") + overbrace(x) + limits(y)_i"),
    (r"a\:b\!c", "a med b #h(-0.16666667em) c"),
    (r"\underbrace{a}_{b}", "underbrace(a, b)"),
    (r"x = 0{,}40 + A[1,0]", 'x = "0,40" + A[1, 0]'),
    (r"\begin{bmatrix} 1 & A[0,1] \\ 0 & -\infty \end{bmatrix}^\top", r"mat(1, A[0\, 1]; 0, − ∞)^⊤"),
    (r"\begin{pmatrix} a \\ b \end{pmatrix}", 'mat(delim: "(", a; b)'),
    (LABELLED, 'A = gap mat(delim: #none, augment: #rules(hline: 1, vline: 1), , tok("cat"); tok("a"), 1/2)'),
    (r"\begin{cases} 0 & \text{if } j \le i \\ 1 & \text{otherwise} \end{cases}",
     'cases(0 &quad "if "j ≤ i, 1 &quad "otherwise")'),
    ("\\begin{aligned}\na &= 1 \\\\[6pt]\n&= 2\n\\end{aligned}", "a & = 1 \\\n& = 2"),
    (r"{<}\text{s}{>}", '"<s>"'),
    (r"\text{\#let x = \$1; \{a\}}", '"#let x = $1; {a}"'),
    (r"a < b : c", r"a < b \: c"),
]  # fmt: skip


@pytest.mark.parametrize(("latex", "made"), WRITTEN)
def test_mathematics_as_a_person_would_write_it(latex: str, made: str) -> None:
    assert from_latex(latex) == made


@pytest.mark.render
def test_typst_sets_all_of_it() -> None:
    pytest.importorskip("typst")
    lines = [f"$ {made} $" for _, made in WRITTEN]
    compiled(f"{typst.style()}\n" + "\n\n".join(lines), "pdf", accessible=False)


def test_what_typst_lacks_is_named() -> None:
    tree = fromstring('<math><menclose notation="horizontalstrike"><mi>x</mi></menclose></math>')
    with pytest.raises(TypesetError, match=r"got <menclose notation='horizontalstrike'>"):
        typst_math.from_tree(tree)
    with pytest.raises(TypesetError, match=r"got <maction>"):
        typst_math.from_tree(fromstring("<math><maction><mi>x</mi></maction></math>"))


def test_a_long_token_is_set_in_lines() -> None:
    assert from_latex(r"1 \quad " + notation.text("x" * 60)) == f'1 quad tok("{"x" * 60}", long: #true)'  # fmt: skip


# Large matrices.


def matrix(rows: int, columns: int, cell: str = "0.1234") -> str:
    body = r" \\ ".join(" & ".join([cell] * columns) for _ in range(rows))
    return rf"\left[\begin{{array}}{{{'c' * columns}}} {body} \end{{array}}\right]"


def parts_of(latex: str) -> list[str]:
    made = in_parts(mathml.tree(latex))
    assert made is not None
    return typst_math.from_tree(made).split(" \\\n")


def test_a_wide_matrix_is_parted_by_columns() -> None:
    lines = parts_of(f"S = {matrix(2, 20)}")
    assert [re.findall(r'"(.*?)"', line) for line in lines] == [["[:, 0:8]: "], ["[:, 8:16]: "], ["[:, 16:20]: "]]  # fmt: skip
    assert lines[0].startswith("& S = ")
    assert sum(line.count("0.1234") for line in lines) == 40


def test_a_high_matrix_is_parted_by_rows_and_a_transposed_one_too() -> None:
    lines = parts_of(f"{matrix(45, 2)} {matrix(45, 2)}^\\top")
    assert [re.findall(r'"(.*?)"', line) for line in lines] == [
        ["[0:20, :]: "], ["[20:40, :]: "], ["[40:45, :]: ", "[0:20, :]: "], ["[20:40, :]: "], ["[40:45, :]: "],
    ]  # fmt: skip
    assert sum(line.count(")^⊤") for line in lines) == 3


def test_parts_of_a_labelled_matrix_repeat_its_labels() -> None:
    head = " & ".join(rf"\text{{t{j}}}" for j in range(20))
    rows = r" \\ ".join(rf"\text{{r{i}}} & " + " & ".join(["0.1234"] * 20) for i in range(2))
    lines = parts_of(
        rf"A = \begin{{array}}{{c|{'c' * 20}}} & {head} \\ \hline {rows} \end{{array}}"
    )
    assert len(lines) == 3
    assert all('tok("r0")' in line and 'tok("r1")' in line for line in lines)
    assert re.findall(r'tok\("(t\d+)"\)', " ".join(lines)) == [f"t{j}" for j in range(20)]
    assert ":, " not in "".join(lines)


def test_what_fits_has_no_parts() -> None:
    assert in_parts(mathml.tree(f"S = {matrix(8, 8)}")) is None
    assert in_parts(mathml.tree(r"\begin{aligned} a &= b \\ &= c \end{aligned}")) is None


# Documents.


def test_a_document_has_its_looks_once_and_then_what_people_edit() -> None:
    text = typst.write(page_of("article"), "article")
    assert text.startswith("// symattn: spec article\n")
    assert text.count("#let eq(") == 1
    assert '#show: paper.with(title: "cat chases mouse", language: "en")' in text
    assert "\n= 4\\. Scores\n" in text
    assert '#eq("M equals by cases: 0, if j is at most offset plus i; ' in text
    assert "#emph[cat] has only itself to look at" in text


def test_markup_of_blocks() -> None:
    made = Page(
        "t",
        (
            Heading(2, plain("One")),
            Heading(4, plain("Deep")),
            Items((plain("1. a"), (Styled(2, plain("b")), Plain(".x(y)"))), numbered=True),
            Paragraph((Math("x"), Plain("(y) [z]; "), Code("a`b"), Plain("; c"))),
            Table((plain("h"),), ((plain("a, [b]"),),)),
            Fold(plain("more"), (Paragraph(plain("inside")),), plain("Left out.")),
        ),
    )
    text = typst.write(made).partition("#show: paper.with")[2]
    assert "\n= One\n\n== Deep\n" in text  # no level is left out
    assert "\n+ 1\\. a\n+ #strong[b];.x(y)\n" in text
    assert '\n#lead[#m("x", $x$);(y) \\[z\\]; #raw("a`b");; c]\n' in text
    assert "#rows(1,\n  ([h],),\n  [a, \\[b\\]],\n)" in text
    assert "Left out. #link(<folded-1>)[See the appendix.]" in text
    assert "\n= What was left out above\n\n== more <folded-1>\n\ninside\n" in text
    assert "contents: false" in text


def test_the_language_is_that_of_the_text() -> None:
    from symattn.text import WORDS, Section, Text

    german = Text((Section("a", "Zahlen", "{show A}", "test"),), {**WORDS, "language": "de"})
    made = page(page_of("article").derivation, german)
    assert 'language: "de"' in typst.write(made)


READ = r"""
#let shown(it) = {
  if type(it) == str { it }
  else if it.has("text") { it.text }
  else if it.has("children") { it.children.map(shown).join("") }
  else if it.func() == smartquote { if it.double { "\"" } else { "'" } }
  else if it == [ ] { " " }
  else if it == [] { "" }
  else { panic(repr(it)) }
}
"""


def check_shown(texts: list[str]) -> None:
    """That typst reads the markup of each text as the text."""
    lines = [
        f"#assert.eq(shown([{typst.markup(t)}]), {typst_names.string(re.sub(' +', ' ', t))})"
        for t in map(notation.visible, texts)
    ]
    compiled(READ + "\n".join(lines), "pdf", accessible=False)


SIGNS = "#$*_`\\~<>@=+-/[]{}()'\":;.,&|^%!? \t\n0123456789aZäЖ猫🙂\u00a0–…"


@pytest.mark.render
@pytest.mark.once
@settings(max_examples=25)
@given(st.lists(st.text(alphabet=st.sampled_from(SIGNS), max_size=12), min_size=20, max_size=40))
def test_any_text_is_markup_that_shows_it(texts: list[str]) -> None:
    pytest.importorskip("typst")
    check_shown([t.strip() for t in texts if t.strip()])


@pytest.mark.render
def test_hostile_texts_are_markup_that_shows_them() -> None:
    pytest.importorskip("typst")
    check_shown([*HOSTILE, "= a", "- b", "1. c", "123. c", "/ d: e", "// f", "/* g", "http://x.y", "a--b", "...", "-?", "x -> y"])  # fmt: skip
    with pytest.raises(TypstError, match=r"assertion failed"):
        compiled(READ + '#assert.eq(shown([a]), "b")', "pdf", accessible=False)


def test_no_hostile_text_is_code() -> None:
    text = typst.write(page(parse_spec(hostile_spec(HOSTILE)).derive(), HOSTILE_TEXT))
    body = text.partition("#show: paper.with")[2]
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', body)
    known = r"eq\(|m\(|rows\(|lead\[|emph\[|strong\[|raw\(|none\b|true\b|rules\("
    assert "\x1b" not in text
    assert not re.search(rf"(?<!\\)#(?!{known})", outside)
    assert not re.search(r"(?<!\\)[<@`~*]", outside)


@pytest.mark.parametrize("name", [*FIVE, "gpt2", "vaswani2017"])
def test_every_equation_of_a_page_can_be_set(name: str) -> None:
    for latex, displayed in formulas(page_of(name)):
        made = from_latex(latex, displayed=displayed)
        assert made.strip()
        assert "\x01" not in made
        outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', made)
        assert not re.search(r"[_^][_^]|\$|(?<!\\)#(?!none|true|rules)", outside)


# Pictures.


@pytest.mark.render
def test_an_equation_alone_is_a_picture() -> None:
    pytest.importorskip("typst")
    svg = pdf.equation_svg(LABELLED)
    assert svg.startswith("<svg ")
    assert svg == pdf.equation_svg(LABELLED)
    assert pdf.equation_png(LABELLED).startswith(b"\x89PNG")


def test_characters_without_a_glyph_are_found_by_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def has_glyphs(characters: tuple[str, ...]) -> bool:
        asked.append(len(characters))
        return not set(characters) & set("🙂猫")

    monkeypatch.setattr(typesetting, "_has_glyphs", has_glyphs)
    typesetting._unseen.cache_clear()
    assert typesetting.unseen("plain ASCII") == ""
    assert not asked
    assert typesetting.unseen("a🙂 ∞ℓ⊤ γπ 猫") == "猫🙂"
    assert len(asked) < 12
    typesetting._unseen.cache_clear()


@pytest.mark.render
def test_no_sign_of_ours_is_without_a_glyph() -> None:
    pytest.importorskip("typst")
    assert typesetting.unseen("äßéñ ∞ℓ⊤†‡∗≈≤×⋅⊙−′∑∂⌊⌋ αβγεπμσθ ЖЯ “”–…") == ""


def test_an_unseen_character_has_a_rule() -> None:
    boxed = typst.style("\U0001f642")
    assert boxed.endswith('#show regex("[\\u{1f642}]"): it => unseen(it.text)')


def test_without_typst_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from symattn.errors import OptionError

    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(OptionError, match=r"pip install 'symattn\[pdf\]'"):
        compiled("x", "pdf")


def test_the_looks_are_in_the_package() -> None:
    assert (Path(typst.__file__).parent / "style.typ").is_file()
