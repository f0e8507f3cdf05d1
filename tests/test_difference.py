"""Two derivations side by side: what differs is named, what is proven the same is not."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import symattn as sa
from symattn.difference import Difference
from symattn.writers import differences


@pytest.fixture
def found(article: sa.Derivation) -> Difference:
    return article.diff(article.with_(W_V=[[1, 0], [0, "1.25"]]))


def test_a_derivation_differs_from_itself_in_nothing(article: sa.Derivation) -> None:
    assert article.diff(article.with_()).changed == ()
    assert str(article.diff(article)) == "no step differs"


def test_what_follows_from_a_change_differs_and_nothing_else(found: Difference) -> None:
    assert [s.address for s in found.changed] == [
        "W_V", "V", "O", "x_last", "F", "logits", "P.exp", "P.sum", "P",
    ]  # fmt: skip
    changed = {s.address: [e.left.index for e in s.entries] for s in found.changed}
    assert changed["W_V"] == [(1, 1)]
    assert changed["O"] == [(1, 1), (2, 1)]  # row 0 sees itself alone, and has a 0 there


def test_equal_values_in_other_forms_are_the_same() -> None:
    """√8/2 is √2: equality is proven, not looked at."""
    left = sa.derive(scaled, x=["1", "2"], c="sqrt(8)/2")
    right = sa.derive(scaled, x=["1", "2"], c="sqrt(2)")
    assert left.diff(right).changed == ()


def scaled(x, c):
    y = x / c
    return y


def test_shapes_and_steps_of_one_side(article: sa.Derivation, encoder: sa.Derivation) -> None:
    kinds = {s.address: s.kind for s in article.diff(encoder).changed}
    assert kinds["M"] == kinds["Z_masked"] == "left"
    assert kinds["A"] == "different"
    back = {s.address: s.kind for s in encoder.diff(article).changed}
    assert back["Z_masked"] == "right"
    small = sa.derive(scaled, x=["1"], c="2").diff(sa.derive(scaled, x=["1", "2"], c="2"))
    assert {s.address: s.kind for s in small.changed}["y"] == "shape"


def test_every_format(found: Difference) -> None:
    text = differences.text(found)
    assert "O: 2 of 6 entries differ" in text
    assert "W_V[1,1]  1     1.00    5/4  1.25" in text
    assert r"| $W_V[1,1]$ | $1$ |" in differences.markdown(found)
    assert r"W_V[1,1] & 1 & 1.00 & \frac{5}{4} & 1.25" in differences.latex(found)
    plain = {d["step"]: d for d in differences.data(found)}
    assert plain["Q"]["entries"] == []
    assert plain["W_V"]["entries"][0]["right"] == "5/4"


def test_at_the_command_line() -> None:
    words = [sys.executable, "-m", "symattn", "diff", "article", "article-encoder", "--json"]
    out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    kinds = {s["step"]: s["kind"] for s in json.loads(out)}
    assert (kinds["E"], kinds["A"], kinds["M"]) == ("same", "different", "left")
