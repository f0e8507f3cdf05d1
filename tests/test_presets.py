"""Presets: whole models at toy size, by their names, their pages, and a spec to start from."""

from __future__ import annotations

from pathlib import Path

import pytest

import symattn as sa
from symattn.document import page
from symattn.errors import OptionError, SizeError
from symattn.numbers.normal_form import ZERO
from symattn.spec_reader import load_spec
from symattn.writers import latex, markdown
from tests.regenerate import PRESETS
from tests.test_cli import symattn

pytestmark = pytest.mark.once


@pytest.mark.parametrize("name", PRESETS)
def test_every_step_agrees_with_numpy(name: str) -> None:
    report = sa.load(name).verify()
    assert report.agrees, report.disagreements


#: What tells each model from the others: steps it has, and what they are called on a page.
MARKS = {
    "vaswani2017": {
        "decoder[0].layer[0].cross[0].head[1].A": r"A^{(0,0,0,1)}",
        "encoder[0].layer[0].head[0].A": r"A^{(\mathrm{encoder},0,0)}",
        "decoder[0].layer[0].r_c": "r_c",
    },
    "gpt2": {"layer[1].head[0].A": "A^{(1,0)}", "layer[0].layer_norm[0].y": "y^{(0,0)}"},
    "bert": {"E_type": r"E_{\mathrm{type}}", "T_gelu": r"T_{\mathrm{gelu}}"},
    "llama": {"layer[0].rms_norm[0].y": "y^{(0,0)}", "angle": r"\mathrm{angle}"},
    "gemma2": {"layer[1].head[1].Z_capped": r"Z_{\mathrm{capped}}^{(1,1)}", "uncapped": r"\mathrm{uncapped}"},
}  # fmt: skip


@pytest.mark.parametrize("name", PRESETS)
def test_steps_have_addresses_and_symbols(name: str) -> None:
    d = sa.load(name)
    for address, symbol in MARKS[name].items():
        assert d[address].symbol == symbol
    named = [s.symbol for s in d if not s.inside]
    assert len(set(named)) == len(named)


def test_conventions_of_the_presets() -> None:
    llama, gemma, bert = (sa.load(name) for name in ("llama", "gemma2", "bert"))
    # Both heads of queries have the keys of the one head of keys.
    assert (llama["layer[0].head[0].K"].forms == llama["layer[0].head[1].K"].forms).all()
    # A window of two keys in layer 0; layer 1 sees all that came before.
    hidden = [[e.form == ZERO for e in gemma[f"layer[{i}].head[0].A"][3]] for i in (0, 1)]
    assert hidden == [[True, True, False, False], [False] * 4]
    # Every token of an encoder sees all.
    assert not any(e.form == ZERO for e in bert["head[0].A"].entries())


def test_sympy_is_not_asked_for_what_would_take_it_minutes() -> None:
    d = sa.load("gpt2")
    assert d["layer[0].head[0].Q"].exact.shape == (3, 2)
    deep = d["layer[1].head[0].A"]
    with pytest.raises(SizeError, match=r"head\[0\].A\[.*wanted at most 1,000,000 characters"):
        _ = deep.exact
    assert deep.decimal(3)[2] == [e.decimal(3) for e in deep[2]]


@pytest.mark.parametrize("name", PRESETS)
def test_pages_fold_and_say_where_the_rest_is(name: str) -> None:
    d = sa.load(name)
    made = markdown.write(page(d))
    assert made.count("<details>") == made.count("</details>") > 5
    assert "<summary>exact entries of <code>" in made
    assert "left out here" in latex.write(page(d))
    whole = markdown.write(page(d.with_fold([])))
    assert "<details>" not in whole
    assert "left out" not in whole


def test_a_preset_is_written_to_start_from(tmp_path: Path) -> None:
    for name in PRESETS:
        done = symattn("new", f"{name}-mine.toml", "--preset", name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        text = (tmp_path / f"{name}-mine.toml").read_text("utf-8")
        assert "symattn write" in text
        made = load_spec(tmp_path / f"{name}-mine.toml")
        assert made.derive()["P"].decimal(4) == sa.load(name)["P"].decimal(4)
    again = symattn("new", "gpt2-mine.toml", "--preset", "gpt2", cwd=tmp_path)
    assert again.returncode == 2
    unknown = symattn("new", "x.toml", "--preset", "gptt", cwd=tmp_path)
    assert unknown.returncode == 2
    assert "did you mean 'gpt2'" in unknown.stderr
    assert not (tmp_path / "x.toml").exists()


def test_generation_of_presets_with_a_cache_and_without() -> None:
    for name in ("gpt2", "llama", "gemma2"):
        made = sa.generate(sa.load(name), 2, cached=True)
        assert made.proof.equal
        assert made.words == sa.generate(sa.load(name), 2).words
    with pytest.raises(OptionError, match="types: they say nothing of further tokens"):
        sa.generate(sa.load("bert"), 2)
