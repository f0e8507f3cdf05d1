"""Proving: what a check says and does not say, one's own statements, specs, the command, pages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import symattn as sa
from symattn import cli
from symattn.errors import (
    AddressError,
    ExactnessError,
    OptionError,
    ShapeError,
    SpecError,
    TraceError,
    Undecided,
)
from symattn.functions import log_softmax, relu, softmax
from symattn.literals import Name
from symattn.numbers.normal_form import Kernel, number, of
from symattn.properties import checks
from symattn.properties.checks import depends, equal, independent, returned, symbols
from symattn.properties.core import Size, chosen
from symattn.properties.families import scaling
from symattn.spec_reader import parse_spec
from tests.test_spec import SMALL

pytestmark = pytest.mark.once

ALL = {p.name: p for p in chosen(())}
d_k = of(Kernel("symbol", "d_k"))


# What a check does with what it cannot prove.


def test_equal_without_a_proof_is_undecided() -> None:
    def left(x: Any) -> Any:
        return np.sin(2 * x)

    def right(x: Any) -> Any:
        return 2 * np.sin(x) * np.cos(x)

    found = equal(returned(left, x=symbols("x", 1)), returned(right, x=symbols("x", 1)))
    assert found.verdict == "undecided"
    assert "Lindemann–Weierstrass" in found.method


def test_a_counterexample_says_every_number_and_holds() -> None:
    def left(x: Any, c: Any) -> Any:
        return x * c

    def right(x: Any, c: Any) -> Any:
        return x / c

    x = symbols("x", 1, 2)
    found = equal(returned(left, x=x, c=symbols("c")), returned(right, x=x, c=symbols("c")))
    assert found.verdict == "refuted"
    match = re.fullmatch(
        r"left\[0,0\] = (\S+) against right\[0,0\] = (\S+) at x = \((\S+), \S+\), c = (\S+)",
        found.witness,
    )
    assert match is not None, found.witness
    product, quotient, x_0, c = map(Fraction, match.groups())
    assert product == x_0 * c
    assert quotient == x_0 / c
    assert product != quotient


def test_symbols_that_occur_in_vain_are_undecided() -> None:
    def cancelled(E: Any) -> Any:
        return np.stack([np.sin(2 * E[1]) - 2 * np.sin(E[1]) * np.cos(E[1]), E[1]])

    O = returned(cancelled, E=symbols("E", 2, 1))
    assert independent(O, "E", lambda i: [1 - i], [0]).verdict == "undecided"
    assert independent(O, "E", lambda i: [1], [1]).verdict == "refuted"
    assert depends(O.derivation, O, 0, "E", 1).verdict == "undecided"


@pytest.mark.parametrize(
    ("terms", "is_growing"),
    [
        ({"a": 1, "b": -1}, True),  # e^(g) - e^0
        ({"a": -1, "b": 1}, False),
        ({"a": 1, "b": 1}, True),
        ({"b": -1}, False),
        ({"a": 2, "b": -1}, False),  # true, but sizes that differ are not matched
    ],
)
def test_signs_are_never_guessed(terms: dict[str, int], is_growing: bool) -> None:
    from symattn.numbers.normal_form import ZERO, constant, exp

    g = number(Name("g"))
    powers = {"a": exp(g), "b": constant(1)}
    form = sum((powers[k] * constant(c) for k, c in terms.items()), start=ZERO)
    assert checks.grows(form, ["g"]) is is_growing
    assert not checks.grows(form, []) or terms == {"a": 1, "b": 1}


def test_moments_of_components() -> None:
    q, k = number(Name("q[0]")), number(Name("k[0]"))
    assert scaling.expected(q).terms == {}
    assert scaling.expected(q * q * k * k).rational() == 1
    assert scaling.expected(q * q * k).terms == {}
    assert str(scaling.expected(q * q * q * q)) == "1*symbol(m_4)^1"
    assert scaling.expected(d_k * q * q) == d_k


# Sizes and choices.


def test_sizes() -> None:
    assert Size.read("n=4, d=2,h=2") == Size(4, 2, 2)
    assert Size.read("d=4") == Size(3, 4, 1)
    assert str(Size()) == "n = 3, d = 2, h = 1"
    for text in ("n=1", "n=x", "m=3", "n=3,n=4", "", "n=3;d=2", "d=0"):
        with pytest.raises(OptionError, match="size: wanted"):
            Size.read(text)
    with pytest.raises(ShapeError, match="divisible by h = 2, got d = 3"):
        Size.read("d=3,h=2")
    with pytest.raises(OptionError):
        Size(n=True)


def test_properties_are_chosen_by_name_or_family() -> None:
    assert [p.name for p in chosen(("tying", "softmax.shift"))] == [
        "tying.saving", "tying.same", "softmax.shift",
    ]  # fmt: skip
    with pytest.raises(OptionError, match="did you mean 'softmax'"):
        chosen(("softmaxx",))
    with pytest.raises(OptionError, match=r"did you mean 'softmax\.shift'"):
        chosen(("softmax.shif",))


@pytest.mark.parametrize("p", ALL.values(), ids=ALL)
def test_every_statement_cites_and_is_safe_to_print(p: Any) -> None:
    assert p.source
    assert p.title.endswith(".")
    assert p.latex
    # GitHub takes a backslash before punctuation for its own, also between dollars.
    assert not re.search(r"\\[^A-Za-z]", p.latex + p.title)
    assert p.latex.count("{") == p.latex.count("}")


def test_a_family_is_a_file() -> None:
    """A new one is found by itself, and the list names no file."""
    from symattn.properties import core, families

    folder = Path(families.__file__).parent
    assert core.families() == sorted(f.stem for f in folder.glob("[a-z]*.py"))
    assert not any(name in Path(core.__file__).read_text("utf-8") for name in ("tying", "scaling"))


# One's own.


def test_the_list_is_proven() -> None:
    found = sa.prove(size="n=3,d=2,h=1")
    assert len(found) == len(ALL) >= 50
    assert all(s.is_as_claimed for s in found)
    assert str(found).endswith(f"{len(found)} statements: {len(found) - 4} proven, 4 refuted")
    assert sa.prove("softmax", "tying.saving")[-1].sizes == "every |V|, d and number of layers"
    assert sa.prove("weights.rows", size=Size(2, 2, 1))[0].sizes == "n = 2, d = 2, h = 1"
    assert "- **proven** Every row of $A$" in sa.prove("weights")._repr_markdown_()


TRUE: dict[str, tuple[Any, Any]] = {
    "rows": (lambda d: d["A"].sum(axis=1), 1),
    "entry": (lambda d: d["A[0,0]"], 1),
    "step": (lambda d: d["A"] @ d["V"], lambda d: d["O"]),
    "transpose": (lambda d: (d["Q"] @ d["K"].T).T, lambda d: d["K"] @ d["Q"].T),
    "numpy": (lambda d: np.exp(d["S"] + d["S"]), lambda d: np.exp(d["S"]) ** 2),
    "function": (lambda d: d.apply(softmax, x=d["Z_masked"]), lambda d: d["A"]),
    "number": (lambda d: d["Z"] * d.number("sqrt(2)"), lambda d: d["S"]),
    "array": (lambda d: d["A"][0], [1, 0, 0]),
    "text": (lambda d: d["A"] - d["A"], "0"),
    "model": (lambda d: d.apply(log_softmax, x=d["S"]), lambda d: np.log(d.apply(softmax, x=d["S"]))),
}  # fmt: skip
FALSE: dict[str, tuple[Any, Any]] = {
    "rows": (lambda d: d["A"].sum(axis=0), 1),
    "entry": (lambda d: d["A[1,0]"], 0),
    "step": (lambda d: d["V"], lambda d: d["O"]),
    "transpose": (lambda d: d["S"].T, lambda d: d["S"]),
    "numpy": (lambda d: np.exp(d["S"]), lambda d: d["S"]),
    "function": (lambda d: d.apply(softmax, x=d["Z"]), lambda d: d["A"]),
    "relu": (lambda d: d.apply(relu, x=d["S"]), lambda d: d["S"]),
}


@pytest.mark.parametrize(("lhs", "rhs"), TRUE.values(), ids=TRUE)
def test_what_is_true_is_proven(lhs: Any, rhs: Any) -> None:
    if lhs is TRUE["model"][0]:
        # log e^z - log Σ is the same as log(e^z/Σ), which the normal form does not see.
        assert sa.prove(lhs=lhs, rhs=rhs).verdict == "undecided"
        return
    found = sa.prove(lhs=lhs, rhs=rhs)
    assert found.verdict == "proven", found


@pytest.mark.parametrize(("lhs", "rhs"), FALSE.values(), ids=FALSE)
def test_what_is_false_is_refuted(lhs: Any, rhs: Any) -> None:
    found = sa.prove(lhs=lhs, rhs=rhs)
    assert found.verdict == "refuted", found
    assert found.witness
    assert found.is_wrong


def test_a_derivation_of_ones_own() -> None:
    def scores(Q: Any, K: Any) -> Any:
        S = Q @ K.T
        return S

    d = sa.derive(scores, Q=sa.symbols_like("q", (2, 2)), K=[[1, 0], [0, "1/2"]])
    found = sa.prove(lhs=lambda d: d["S"][:, 0], rhs=lambda d: d["Q"][:, 0], derivation=d)
    assert found.verdict == "proven"
    numbers = sa.article()
    assert sa.prove(lhs=lambda d: d["A[1,0]"], rhs="1/2", derivation=numbers).verdict == "refuted"
    assert sa.prove(lhs=lambda d: d["Q"], rhs=lambda d: d["E"], derivation=numbers).sizes == (
        "these numbers"
    )
    assert sa.prove(
        lhs=lambda d: d["A"].sum(axis=1), rhs=1, size="n=4,d=2,h=2", title="rows"
    ).title == "rows"  # fmt: skip


def test_refusals_of_ones_own() -> None:
    with pytest.raises(OptionError, match="lhs and rhs together"):
        sa.prove(lhs=1)
    with pytest.raises(OptionError, match="lhs and rhs together"):
        sa.prove("softmax", lhs=1, rhs=1)
    with pytest.raises(ExactnessError):
        sa.prove(lhs=lambda d: d["A"] * 0.5, rhs=1)
    with pytest.raises(AddressError, match="no step 'B'"):
        sa.prove(lhs=lambda d: d["B"], rhs=1)
    with pytest.raises(AddressError, match="wanted the name of a step"):
        sa.prove(lhs=lambda d: d[0], rhs=1)
    with pytest.raises(ShapeError, match="wanted sides of shapes that fit"):
        sa.prove(lhs=lambda d: d["A"], rhs=lambda d: d["Q"])
    with pytest.raises(TraceError, match="branching"):
        sa.prove(lhs=lambda d: d["A"] if d["A"][0, 0] > 0 else 1, rhs=1)
    other: list[Any] = []
    sa.prove(lhs=lambda d: other.append(d["A"]) or d["A"], rhs=lambda d: d["A"])
    with pytest.raises(TraceError, match="the derivation that is passed in"):
        sa.prove(lhs=lambda d: other[0], rhs=1)


# In a spec.

PROPERTIES = """
[[properties]]
title = "the head is attention"
lhs = "A"
rhs = "softmax"
with.x = "Z"

[[properties]]
lhs = "A.sum"
rhs = "A.sum[:]"

[[properties]]
lhs = "O"
rhs = "scaled_dot_product_attention"

[[properties]]
lhs = "Q"
rhs = "K"
holds = false

[[properties]]
lhs = "Q"
rhs = "K"
symbolic = ["W_V"]
"""


def test_a_spec_states_its_own() -> None:
    spec = parse_spec(SMALL + PROPERTIES)
    found = spec.statements(["own"])
    assert [s.verdict for s in found] == ["proven", "proven", "proven", "refuted", "refuted"]
    assert [s.is_wrong for s in found] == [False, False, False, False, True]
    assert found[0].title == "the head is attention"
    assert found[1].title == "`A.sum` = `A.sum[:]`"
    assert found[0].sizes == "E 2 × 2, W_Q 2 × 2, W_K 2 × 2, W_V 2 × 1"
    assert len(spec.statements()) == len(ALL) + 6  # and one of its model


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'lhs = "A"\nrhs = "softmx"',
            r"properties\[0\]: no step or function 'softmx', did you mean",
        ),
        ('lhs = "A"\nrhs = "A.sum(axis=1)"', "no step or function"),
        ('lhs = "__import__"\nrhs = 1', "no step or function"),
        ('lhs = "A"\nrhs = "a"', "no step or function 'a'"),
        ('lhs = "A"\nrhs = "softmax"', "softmax: no step 'x' for its parameter"),
        ('lhs = "A"\nrhs = "softmax"\nwith.y = "Z"', "softmax has no parameter 'y'"),
        ('lhs = "A"\nrhs = "softmax"\nwith.x = "Y"', "no step 'Y'"),
        ('lhs = "A[0]"\nrhs = "causal_mask"', "causal_mask: no step 'n_q' for its parameter"),
        ('lhs = "A"\nrhs = 1\nsymbolic = ["W_X"]', "no input 'W_X', did you mean"),
    ],
)
def test_a_spec_names_what_there_is(text: str, message: str) -> None:
    spec = parse_spec(f"{SMALL}\n[[properties]]\n{text}\n")
    with pytest.raises(SpecError, match=message):
        spec.statements(["own"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("properties = 1", r"properties: wanted \[\[properties\]\] tables"),
        ('[[properties]]\nlhs = "A"', "rhs is missing"),
        ('[[properties]]\nlhs = "A"\nrhs = []', "wanted a string in quotes"),
        ('[[properties]]\nlhs = "A"\nrhs = true', "wanted a string in quotes"),
        ('[[properties]]\nlhs = "A"\nrhs = 1\nhold = true', "unknown key, did you mean 'holds'"),
        ('[[properties]]\nlhs = "A"\nrhs = 1\nholds = 1', "wanted true or false"),
        ('[[properties]]\nlhs = "A"\nrhs = 1\nwith = "A"', "wanted a table"),
        ('[[properties]]\nlhs = "A"\nrhs = 1\nwith.x = 1', r"with\.x: wanted a step"),
        ('[[properties]]\nlhs = "A"\nrhs = 1\nsymbolic = "E"', "wanted a list of addresses"),
    ],
)
def test_mistakes_in_a_spec(text: str, message: str) -> None:
    before, _, rest = SMALL.partition("[matrices]")
    text = f"{SMALL}\n{text}" if text.startswith("[") else f"{before}{text}\n[matrices]{rest}"
    with pytest.raises(SpecError, match=message):
        parse_spec(text)


# On the command line and on pages.


def run(*words: str) -> Any:
    return CliRunner().invoke(cli.main, ["prove", *words])


def test_the_command() -> None:
    done = run()
    assert done.exit_code == 0
    assert (
        done.output.splitlines()[-1] == f"{len(ALL)} statements: {len(ALL) - 4} proven, 4 refuted"
    )
    found = json.loads(run("--json", "--only", "softmax", "--size", "n=2,d=2,h=2").output)
    assert {s["name"] for s in found} == {n for n in ALL if n.startswith("softmax.")}
    assert found[0].keys() >= {"title", "latex", "verdict", "method", "sizes", "witness", "source"}
    assert found[0]["sizes"] == "n = 2, d = 2, h = 2"
    assert "\\begin{itemize}" in run("--format", "latex", "--only", "tying").output
    assert run("--format", "markdown", "--only", "tying").output.startswith("- **proven** Tying")
    assert isinstance(run("--size", "n=0").exception, OptionError)
    assert isinstance(run("--only", "nothing").exception, OptionError)


def test_the_status_tells(tmp_path: Path) -> None:
    spec = tmp_path / "mine.toml"

    def status(text: str, *words: str) -> int:
        spec.write_text(SMALL + text, "utf-8")
        return int(run(str(spec), "--only", "own", *words).exit_code)

    assert status('[[properties]]\nlhs = "A[0,0]"\nrhs = "A[0,0]"\n') == 0
    assert status('[[properties]]\nlhs = "A[1,0]"\nrhs = 1\n') == 1
    assert status('[[properties]]\nlhs = "A[1,0]"\nrhs = 1\nholds = false\n') == 0
    assert status('[[properties]]\nlhs = "A[0,0]"\nrhs = "A[0,0]"\nholds = false\n') == 1


def test_undecided_is_said_and_strict_makes_it_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def settled_by_nothing(size: Size) -> Any:
        raise Undecided("it would take too long")

    p = replace(ALL["tying.same"], check=settled_by_nothing)
    monkeypatch.setattr("symattn.properties.prover.chosen", lambda words: [p])
    done = run("--only", "tying.same")
    assert done.exit_code == 0
    assert "undecided" in done.output
    assert "it would take too long" in done.output
    assert run("--only", "tying.same", "--strict").exit_code == 1


def test_the_article_has_its_appendix() -> None:
    from symattn.document import page
    from symattn.writers import latex, markdown

    made = page(sa.article())
    text = markdown.write(made)
    assert "- **proven** Every row of $A$ adds to 1." in text
    assert "- **refuted** Softmax makes the largest share of a row larger." in text
    assert "0.50, 0.10, 0.40 become the weights 0.40, 0.25, 0.35" in text
    assert "\\textbf{proven}" in latex.write(made)


def test_proving_loads_no_sympy() -> None:
    code = "import sys, symattn; symattn.prove(); print('sympy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
