"""Entries too long to read: written by names, expanded on demand, refused over a limit."""

from __future__ import annotations

import json
import operator
import re
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import math_core
import pytest
from click.testing import CliRunner
from flint import arb, ctx, fmpq

import symattn as sa
from symattn import cli, layers
from symattn.blocks import Equation, Page
from symattn.config import Config
from symattn.derivation import Derivation
from symattn.document import page
from symattn.entries import Entry
from symattn.equations import equation
from symattn.errors import SizeError
from symattn.layout import LINE, MAX_CHARACTERS, width
from symattn.literals import Name, _Parser, parse
from symattn.numbers import compact
from symattn.numbers.enclosure import enclose
from symattn.numbers.expansion import Expansion, counted
from symattn.numbers.normal_form import held
from symattn.numbers.printing import Printer
from symattn.spec_reader import parse_spec
from symattn.text import WORDS, Section, Text
from symattn.writers import latex
from tests.test_layers import stack

pytestmark = pytest.mark.once

MODELS = [("post", 1), ("post", 2), ("pre", 2)]
#: A name in a text: an address with the places of an entry, or the sum of a row.
NAME = re.compile(r"ℓ_\d+\([\w\[\].~]+\)|[a-zA-Z_][\w\[\].~]*\[[\d,]+\]")


@cache
def model(norm: str, n_layers: int) -> Derivation:
    """Three tokens of four dimensions, two heads, every bias and gain."""
    x, weights = stack()
    weights = {name: W[:n_layers] for name, W in weights.items()}
    return sa.derive(layers.encoder, E=x[:3], config=Config(norm=norm), **weights)


class Unlimited(_Parser):
    """The grammar of literals without its limit on nested brackets."""

    def _nested(self, read: Any) -> Any:
        return read()


def enclosed(text: str, values: dict[str, Any]) -> Any:
    """A ball around what a text says, with balls for its names."""
    labels = list(dict.fromkeys(NAME.findall(text)))
    for k, label in enumerate(labels):
        text = text.replace(label, f"name{k}x")
    known = {f"name{k}x": values[label] for k, label in enumerate(labels)}
    with ctx.workprec(300):
        return calculated(Unlimited(text, {}).parse(), known)


def calculated(e: Any, known: dict[str, Any]) -> Any:
    if isinstance(e, Fraction):
        return arb(fmpq(e.numerator, e.denominator))
    if isinstance(e, Name):
        return arb.pi() if e.name == "pi" else known[e.name]
    args = [calculated(a, known) for a in e.args]
    if e.op in ("neg", "exp", "sqrt", "erf", "sin", "cos", "tanh"):
        return -args[0] if e.op == "neg" else getattr(args[0], e.op)()
    return getattr(operator, {"div": "truediv", "power": "pow"}.get(e.op, e.op))(*args)


def ball(entry: Entry) -> Any:
    return ball_of(entry.form)


@cache
def ball_of(form: Any) -> Any:
    return enclose(form, 300)


def same(found: Any, entry: Entry) -> bool:
    """Whether a ball of a few digits less than 300 bits holds the entry."""
    return bool(found.overlaps(ball(entry))) and found.rad() < arb(2) ** -200


@cache
def row_sums(d: Derivation) -> dict[str, Entry]:
    """The entries that are called by another name than their address, by that name."""
    inside = [s for s in d if s.inside and s.name.endswith(".sum")]
    return {e.step.entry_symbol(e.index, "text"): e for s in inside for e in s.entries()}


def names_in(text: str, d: Derivation) -> dict[str, Entry]:
    return {name: row_sums(d).get(name) or d[name] for name in NAME.findall(text)}


@pytest.mark.parametrize(("norm", "n_layers"), MODELS)
def test_every_entry_is_short(norm: str, n_layers: int) -> None:
    for step in model(norm, n_layers):
        for style, most in (("text", 250), ("latex", 350)):
            for text in step.texts(style).flat:
                assert len(text) <= most, (step.address, text)
                assert "characters" not in text


@pytest.mark.parametrize(("norm", "n_layers"), MODELS)
def test_every_name_is_an_earlier_entry_and_listed(norm: str, n_layers: int) -> None:
    d = model(norm, n_layers)
    count = 0
    for step in d:
        listed = dict(step.where("text"))
        for text in step.texts("text").flat:
            for name, entry in names_in(text, d).items():
                assert entry.step.node < step.node
                assert listed[name] == entry.text(), (step.address, name)
                count += 1
    assert count > 200


@pytest.mark.parametrize(("norm", "n_layers"), MODELS)
def test_a_text_is_the_value(norm: str, n_layers: int) -> None:
    """With the values of the entries that it names, each text is the entry's own value."""
    d = model(norm, n_layers)
    count = 0
    for entry in (e for step in d for e in step.entries()[-3:]):
        names = names_in(entry.text(), d)
        if names:
            found = enclosed(entry.text(), {name: ball(e) for name, e in names.items()})
            assert same(found, entry), (entry.address, entry.text())
            count += 1
    assert count > 60


@pytest.mark.parametrize("style", ["text", "latex"])
@pytest.mark.parametrize(("norm", "n_layers"), MODELS)
def test_the_size_is_that_of_the_expansion(norm: str, n_layers: int, style: str) -> None:
    count = 0
    for step in model(norm, n_layers):
        for entry in step.entries()[-2:]:
            size = entry._size(style)
            if size > MAX_CHARACTERS:
                with pytest.raises(SizeError, match=re.escape(counted(size))) as caught:
                    entry.expand(style)
                assert caught.value.size == size
                continue
            text = entry.expand(style, limit=size)
            assert len(text) == size
            with pytest.raises(SizeError):
                entry.expand(style, limit=size - 1)
            # The same as written in one piece, without holes.
            assert text == Printer(style).write(entry.form, room=10 * MAX_CHARACTERS)
            count += 1
    assert count > 50


@pytest.mark.parametrize(
    "address", ["r_1[0,1]", "layer_norm[0].var[1,0]", "layer_norm[0].y[2,3]", "head[1].A[2,0]"]
)
def test_an_expansion_is_the_value(address: str) -> None:
    entry = model("post", 1)[f"layer[0].{address}"]
    text = entry.expand(limit=10**6)
    assert not NAME.search(text)
    assert same(enclosed(text, {}), entry)


def test_a_size_beyond_all_memory_is_exact() -> None:
    """Each round writes the one before twice: (x + (x)**2)."""
    x, sizes = held(compact.number(parse("exp(1) + 1"))), []
    expansion = Expansion("text")
    for _ in range(300):
        x = held(x + x * x)
        sizes.append(expansion.size(x))
        if sizes[-1] < 10_000:
            assert len(expansion.full(x)) == sizes[-1]
    assert all(after == 2 * before + len("( + ()**2)") for before, after in pairwise(sizes))
    assert sizes[-1] > 2**300
    assert counted(sizes[-1]) == f"about {str(sizes[-1])[0]}.{str(sizes[-1])[1]} × 10^91"


def test_the_guard_says_the_size_and_what_to_do() -> None:
    entry = model("post", 2)["layer[1].r_2[0,0]"]
    message = (
        f"wanted at most 20,000 characters, and written out it has {entry.size:,}: raise the "
        "limit (limit=… or --limit), or show it by names"
    )
    with pytest.raises(SizeError, match=re.escape(message)):
        entry.expand()
    explained = dict(entry.explain().rows())
    assert explained["expanded"] == f"{entry.size:,} characters"


def test_a_note_stands_for_what_is_over_the_limit() -> None:
    step = model("post", 2)["layer[1].r_2"]
    for style, note in (("text", "({} characters: see expand)"), ("latex", r"\text{{({} ")):
        found = step.full_texts(style)[0, 0]
        assert note.format(f"{step[0, 0]._size(style):,}") in found
    first = model("post", 2)["layer[0].r_1"]
    assert first.full_texts("text")[1, 2] == first[1, 2].expand()


def test_what_only_moves_entries_is_shown_by_their_names() -> None:
    d = model("post", 2)
    assert d["layer[1].H[2,3]"].text() == "layer[1].head[1].O[2,1]"
    names = d["layer[1].H"].names_latex()
    assert names is not None
    assert r"O^{(1,0)}[0,1] & O^{(1,1)}[0,0]" in names
    assert d["layer[1].attn"].names_latex() is None
    assert d["layer[0].W_O"].names_latex() is None  # rationals say more than where they came from
    assert names in equation(d["layer[1].H"])


def test_equations_of_whole_layers_fit_the_page_and_parse() -> None:
    converter = math_core.LatexToMathML()
    for step in model("pre", 2):
        found = equation(step)
        converter.convert_with_local_state(found, displaystyle=True)
        body = found.replace("\\begin{aligned}\n", "").replace("\n\\end{aligned}", "")
        # The first line is the formula, as long as its line of code.
        for line in body.split(" \\\\[6pt]\n")[1:]:
            assert width(line) < 1.4 * LINE, line


def test_zeros_and_integers_need_no_decimal() -> None:
    lines = equation(model("pre", 2)["layer[0].FFN[0].f"]).split("\n")
    zeros = [line for line in lines if "&= 0" in line]
    assert zeros
    assert not any("approx" in line for line in zeros)


def test_an_equation_of_many_lines_may_go_on_on_the_next_page() -> None:
    d = model("pre", 2)
    long, short = (Equation(equation(d[f"layer[1].{name}"])) for name in ("FFN[0].u", "H"))
    text = latex.write(Page("A title", (long, short)))
    assert text.count(r"\begin{symattnlines}") == text.count(r"\end{symattnlines}") == 1
    body = text[text.index(r"\begin{document}") :]
    assert body.count(r"\begin{aligned}") == body.count(r"\end{aligned}") == 1


def test_a_wide_matrix_stands_one_entry_a_line_in_a_terminal() -> None:
    lines = str(model("post", 2)["layer[1].FFN[0].u"]).split("\n")
    assert lines[1].startswith("layer[1].FFN[0].u[0,0] = ")
    assert max(map(len, lines)) < 250
    assert str(sa.article()["A"]).split("\n")[1].split() == ["cat", "chases", "mouse"]


SPEC = """
format = 1
model = "next_token"
title = "Some steps"
tokens = ["a", "b"]
vocabulary = ["a", "b"]
[matrices]
W_vocab = [["1/3", "1/2"], ["1/5", "1/7"]]
W_Q = [[1, 2], [3, 4]]
W_K = "identity"
W_V = "identity"
W_1 = "identity"
"""


def test_a_page_lists_the_names_of_steps_that_it_does_not_show() -> None:
    text = Text((Section("a", "", "{show P}\n\n{show A.exp}\n\n{entry P[0]}", "test"),), WORDS)
    found = [b.latex for b in page(parse_spec(SPEC).derive(), text).blocks]
    assert len(found) == 4  # P, the names in it, A.exp, P[0], whose names are there
    lines = [line.partition(" &= ")[0] for line in found[1].split("\n")[1:-1]]
    assert lines == [r"\ell_1", r"\mathrm{logits}[0]", r"\mathrm{logits}[1]", r"\ell_P"]
    shown = Text((Section("a", "", "{show A.sum logits P.sum P}", "test"),), WORDS)
    assert len(page(parse_spec(SPEC).derive(), shown).blocks) == 4


# The command line.


def run(*words: str) -> Any:
    return CliRunner().invoke(cli.main, ["show", *words])


def test_the_command_line_shows_the_size_first() -> None:
    entry = sa.article()["P"][3]
    assert run("P[3]", "--expand").output == f"P[3]: {entry.size} characters\n{entry.expand()}\n"
    lines = run("A", "--expand").output.split("\n")
    assert len(lines) == 2 * 9 + 1
    assert lines[0] == "A[0,0]: 1 character"
    found = run("P[3]", "--expand", "--format", "latex")
    assert found.stdout == entry.expand("latex") + "\n"
    assert found.stderr == f"P[3]: {len(entry.expand('latex'))} characters\n"
    (value,) = json.loads(run("P[3]", "--expand", "--json").output)
    assert value == {"address": "P[3]", "size": entry.size, "expanded": entry.expand()}


def test_the_command_line_keeps_to_the_limit() -> None:
    size = sa.article()["P"][3].size
    assert run("P[3]", "--expand", "--limit", str(size)).exit_code == 0
    refused = run("P", "--expand", "--limit", str(size - 1))
    assert isinstance(refused.exception, SizeError)
    assert refused.output == ""
    assert run("P", "--limit", "5").exit_code == 2
