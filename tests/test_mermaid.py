"""The map of steps: what it leaves out, and that mermaid itself reads what is written."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import symattn as sa
from symattn.blocks import Map, Page
from symattn.derivation import Derivation
from symattn.document import page
from symattn.stepmap import MOST, Box, stepmap
from symattn.text import WORDS, Section, Text
from symattn.writers import latex, markdown
from symattn.writers.mermaid import flowchart, label
from tests import regenerate

SPECS = Path(__file__).parent / "specs"
NAMES = ("article", "article-encoder", *regenerate.PRESETS, *(str(p) for p in sorted(SPECS.glob("*.toml"))))  # fmt: skip


def arrows(boxes: tuple[Box, ...]) -> set[tuple[str, str]]:
    return {(boxes[b].name, box.name) for box in boxes for b in box.before}


def test_the_articles_map_has_every_step_but_the_insides_of_softmaxes() -> None:
    d = sa.article()
    boxes = stepmap(d)
    assert [s.short for b in boxes for s in b.steps] == [s.short for s in d.steps if not s.inside]
    assert {("Q", "S"), ("K", "S"), ("M", "Z_masked"), ("W_vocab", "logits")} <= arrows(boxes)
    assert {b.name for b in boxes if b.given} == {"W_vocab", "W_Q", "W_K", "W_V", "W_1", "M"}


@pytest.mark.parametrize("name", NAMES, ids=lambda n: Path(n).name)
def test_a_map_is_small_whole_and_points_forward(name: str) -> None:
    d = sa.load(name)
    boxes = stepmap(d)
    assert 0 < len(boxes) <= MOST
    drawn = [s for b in boxes for s in b.steps]
    assert len(drawn) == len(set(drawn))
    assert all(s.given or s.inside for s in d.steps if s not in drawn)
    for i, box in enumerate(boxes):
        assert i not in box.before


def test_layers_after_the_first_are_one_box() -> None:
    boxes = stepmap(sa.load("gpt2"))
    assert "layer[1]" in {b.name for b in boxes}
    assert ("r_2", "layer[1]") in arrows(boxes)
    assert not any(b.scope.startswith("layer[1]") for b in boxes)


def test_a_map_that_would_be_too_large_is_left_out_and_said() -> None:
    assert stepmap(sa.article(), most=5) == ()


def one_map(derivation: Derivation) -> Page:
    return page(derivation, Text((Section("a", "", "{map}", "test"),), WORDS))


def test_where_nothing_is_drawn_a_sentence_says_it() -> None:
    made = one_map(sa.article())
    assert isinstance(made.blocks[0], Map)
    assert "$A$ comes from $Z_{\\mathrm{masked}}$" in latex.write(made)
    assert "$S$ comes from $Q$ and $K$" in latex.write(made)
    assert "```mermaid\nflowchart TD\n" in markdown.write(made)


def test_labels_are_never_syntax() -> None:
    hostile = 'a"] --> b; click x "javascript:1" <img> `m` end # %% {猫}\n'
    assert not re.search(r'["`<>{}%;\n-]', re.sub(r"#\d+;", "", label(hostile)))


@pytest.mark.render
def test_mermaid_reads_every_map(tmp_path: Path) -> None:
    modules = os.environ.get("NODE_PATH")
    if not shutil.which("node") or not modules or not (Path(modules) / "mermaid").is_dir():
        pytest.skip("node with mermaid and jsdom is not installed (NODE_PATH names its folder)")
    charts = [flowchart(stepmap(sa.load(name))) for name in NAMES]
    box = stepmap(sa.article())[0]
    hostile = ["end", 'x"] --> y', "<b>", "`", "#quot;", "%%{init}%%", "\\", "graph TD", "猫 كلب"]
    odd = tuple(Box(f"{name}.s[0]", name, box.steps, ()) for name in hostile)
    (tmp_path / "charts.json").write_text(json.dumps([*charts, flowchart(odd)]), "utf-8")
    done = subprocess.run(
        ["node", str(Path(__file__).parent / "render_mermaid.mjs"), str(tmp_path / "charts.json")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip().endswith(f"{len(charts) + 1} charts")
