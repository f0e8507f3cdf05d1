"""LaTeX as MathML: what math-core reads otherwise is put right, and errors say where."""

from __future__ import annotations

import pytest

from symattn import mathml, notation
from symattn.mathml import MathError
from tests.equations_of import formulas
from tests.five import FIVE, page_of


def shown(latex: str) -> str:
    return "".join(mathml.tree(latex).itertext())


def test_a_row_gap_is_no_text() -> None:
    made = mathml.tree(r"\begin{aligned} a &= 1 \\[6pt] &= 2 \\[4pt] &= 3 \end{aligned}")
    assert "".join(made.itertext()) == "a=1=2=3"
    assert len(made.findall(".//mtr")) == 3


@pytest.mark.parametrize(
    "token",
    ["`x'", "it's", "--", "''", "&amp;", "&lt;b&gt;", "a_b", "50%", "{}", "$x$", "#let x = 1", "猫", "🙂",
     "\\input{x}", "<img src=x>", "\x1b[31m", "]]>", "x^2~|"],
)  # fmt: skip
def test_a_token_is_what_it_was(token: str) -> None:
    made = shown(notation.text(token)).replace("\xa0", " ")
    assert made.replace("∧", "^").replace("∼", "~") == notation.visible(token)


def test_a_decimal_comma_is_part_of_its_number() -> None:
    assert [part.text for part in mathml.tree(r"0{,}40 + 1,5 + 1{,}3")] == ["0,40", "+", "1", ",", "5", "+", "1,3"]  # fmt: skip


def test_the_text_form_has_no_entities_that_xml_lacks() -> None:
    assert "\u2061" in mathml.text(r"\log x")
    assert "&" not in mathml.text(r"\log x")
    assert mathml.text("x", displayed=True).startswith('<math display="block">')


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        (r"\foo", r'Unknown command "\\foo" at character 1: \\foo'),
        (r"a + \frac{b", "reached end of input at character 12: "),
        ("a & b", "may only appear in a table-like environment at character 3"),
        ("a\x1bb", r"wanted LaTeX that MathML has, .*: a\\x1bb"),
        ("x" * 200 + r"\foo", "at character 201: x{59}…$"),
    ],
)
def test_what_does_not_parse_is_said(latex: str, message: str) -> None:
    with pytest.raises(MathError, match=message):
        mathml.tree(latex)


@pytest.mark.parametrize("name", [*FIVE, "gpt2", "vaswani2017"])
def test_every_equation_of_a_page_has_a_tree(name: str) -> None:
    found = formulas(page_of(name))
    assert len(found) > 25
    for latex, displayed in found:
        made = mathml.tree(latex, displayed=displayed)
        assert "".join(made.itertext()).strip(), latex
        assert "pt]" not in "".join(made.itertext())
