"""The largest derivatives of predictions, ordered by proof; the backward pass on pages."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import symattn as sa
from symattn import cli
from symattn.document import page, with_backward
from symattn.errors import AddressError, ExactnessError
from symattn.sensitivity import sensitivities
from symattn.writers import latex, markdown

pytestmark = pytest.mark.once


def run(*words: str) -> Any:
    return CliRunner().invoke(cli.main, list(words))


def test_every_derivative_is_there_once_and_the_order_is_that_of_floats() -> None:
    d = sa.article()
    found = sensitivities(d)
    assert found.total == 5 * (10 + 4 + 4 + 4 + 4)
    sizes = [abs(x.entry.numeric()) for x in found.derivatives]
    assert all(a >= b - 1e-12 for a, b in pairwise(sizes))
    addresses = {(x.of.address, x.by.address) for x in found.derivatives}
    assert len(addresses) == len(found.derivatives) == found.total - found.zeros
    for x in found.top(7):
        slope = d.gradient(x.of.address, x.by.address)
        assert sa.compare(slope, x.entry).verdict == "equal"


def test_ties_are_proven_and_not_cut() -> None:
    """W_V and W_1 are next to each other: what moves one moves the other."""
    found = sensitivities(sa.article())
    tied = [x for x in found.derivatives if x.order == "equal"]
    assert ("P[1]", "W_1[0,1]") in {(x.of.address, x.by.address) for x in tied}
    place = found.derivatives.index(tied[0])
    assert len(found.top(place)) == place + 1
    assert all(x.order == "less" for x in found.top(4))


def halves(a, b):
    P = np.stack([a * b, a + a, b - a - a])
    return P


def test_order_of_what_is_small_or_equal() -> None:
    d = sa.derive(halves, a="1/3", b="2")
    found = sensitivities(d, "P")
    rows = [(x.of.address, x.by.address, x.order) for x in found.derivatives]
    assert found.zeros == 1
    assert {r[:2] for r in rows[:3]} == {("P[0]", "a"), ("P[1]", "a"), ("P[2]", "a")}
    assert [r[2] for r in rows] == ["less", "equal", "equal", "less", "less"]
    assert rows[3][:2] == ("P[2]", "b") and rows[4][:2] == ("P[0]", "b")


def test_what_cannot_be_asked() -> None:
    with pytest.raises(AddressError, match="no step 'Q_'"):
        sensitivities(sa.article(), "Q_")
    symbolic = sa.article().with_(W_1=[["a", 1], [1, 0]])
    with pytest.raises(ExactnessError, match="wanted numbers"):
        sensitivities(symbolic)


def test_the_command() -> None:
    shown = run("sensitivity", "--top", "3").output
    assert shown.splitlines()[0].endswith("the 3 largest of 130 derivatives; 20 are exactly 0")
    assert "∂P[0]/∂W_vocab[1,0]  cat" in shown and "0.138888" in shown
    table = run("sensitivity", "--of", "P[1]", "--top", "2", "--format", "markdown").output
    assert "| 1 | `∂P[1]/∂W_vocab[1,1]` | chases | 0.130872 |" in table
    data = json.loads(run("sensitivity", "--of", "P[1]", "--top", "1", "--json").output)
    assert (data["total"], data["derivatives"][0]["by"]) == (26, "W_vocab[1,1]")
    assert data["derivatives"][0]["exact"].startswith("(")
    last = run("sensitivity", "gpt2", "--top", "1").output
    assert last.startswith("P[2] by W_vocab")


def test_write_appends_the_backward_pass() -> None:
    plain = run("write").output
    made = run("write", "--backward", "--target", "mouse")
    assert made.exit_code == 0 and made.output.startswith(plain[:200])
    assert "## The backward pass" in made.output and "## The backward pass" not in plain
    tail = made.output.partition("## The backward pass")[2]
    lines = [
        r"\mathrm{d}V &= A^{\top} \mathrm{d}O",
        r"\mathrm{d}S &= \frac{\mathrm{d}Z}{\sqrt{d_k}}",
        r"\mathrm{d}W_Q &= E^{\top} \mathrm{d}Q",
    ]
    places = [tail.index(line) for line in lines]
    assert places == sorted(places)
    data = json.loads(run("write", "--backward", "--target", "mouse", "--json").output)
    assert "dW_Q" in {s["address"] for s in data["steps"]}
    refused = run("write", "--target", "mouse")
    assert refused.exit_code == 2 and "--backward" in refused.output
    none = run("write", "--backward")
    assert isinstance(none.exception, AddressError) and "target" in str(none.exception)


def test_a_model_with_a_loss_needs_no_target() -> None:
    d = sa.load("gpt2")
    text = with_backward(d.spec.text, d)
    for writer in (markdown, latex):
        made = writer.write(page(d, text))
        assert r"\mathrm{d}A^{(0,0)}" in made and r"\mathrm{softmax}" in made


def test_the_page_says_what_is_taken_for_relu_at_0() -> None:
    d = sa.load("vaswani2017")
    word = d.spec.vocabulary[0]
    assert "(0) = 0" not in markdown.write(page(d, with_backward(d.spec.text, d, word)))
    nothing = {name: np.zeros(d.inputs[name].shape, int) for name in ("W_1", "b_1")}
    tied = d.with_(nothing)
    shown = markdown.write(page(tied, with_backward(tied.spec.text, tied, word)))
    assert "a maximum ties there and has no derivative; by convention 0 is taken" in shown
