"""What is found of a derivation, its selections and differences, is displayed as its steps are."""

from __future__ import annotations

import pytest

import symattn as sa
from symattn.generation import generate
from symattn.selection import top_k
from symattn.sensitivity import sensitivities as derivatives
from symattn.writers import differences, generations, jupyter, sensitivities, shown, terminal

pytestmark = pytest.mark.once

COMMA = {"decimal_mark": ",", "digits": 3}


def test_a_selection_follows_the_display(article: sa.Derivation) -> None:
    d = article.with_display(values="decimals", rounding="significant", **COMMA)
    kept = top_k(d["P"].entries(), 2)
    said = terminal.selection(kept)
    assert "0,285" in said and "0.2" not in said and "exp" not in said
    assert "renormalised ≈" in said
    exact = top_k(article.with_display(values="exact")["P"].entries(), 2)
    assert "≈" not in terminal.selection(exact)
    assert "0,285" in jupyter.markdown(shown.selection(kept)).replace("{,}", ",")
    assert kept.json()["kept"][0]["decimal"].startswith("0.285")  # data stays data
    bare = top_k(d.with_display(labels=False)["P"].entries(), 2)
    assert "chases" not in terminal.selection(bare)


def test_a_difference_follows_the_display(article: sa.Derivation) -> None:
    other = article.with_(E=[[1, 0], ["1/5", 1], [0, 0]])
    d, e = (x.with_display(values="decimals", **COMMA) for x in (article, other))
    found = d.diff(e)
    for made in (differences.text(found), differences.markdown(found), differences.latex(found)):
        assert "0.1" not in made and r"\sqrt" not in made and "sqrt(" not in made
        assert "0,1" in made.replace("{,}", ",")
    exact = article.with_display(values="exact").diff(other.with_display(values="exact"))
    assert "≈" not in differences.text(exact)
    boxed = article.with_display(highlight=["Z"]).diff(other)
    assert r"\boxed" in differences.latex(boxed)


def test_generations_and_sensitivities_follow_the_display(article: sa.Derivation) -> None:
    d = article.with_display(**COMMA)
    assert "0,285" in generations.text(generate(d, 1))
    found = derivatives(d, "P[1]", ["W_1"])
    assert "0,109492" in sensitivities.text(found, 2)  # six decimals at least
    assert "0,109492" in sensitivities.markdown(found, 2)
    exact = derivatives(article.with_display(values="exact"), "P[1]", ["W_1"])
    assert "0.109492" not in sensitivities.text(exact, 2)
