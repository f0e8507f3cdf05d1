"""Pictures: well-formed, inside their frames, labelled, and text stays text."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

import symattn as sa
from symattn.cli import main
from symattn.errors import OptionError
from symattn.functions import softmax
from symattn.pictures import lettering
from symattn.pictures.arcs import arcs
from symattn.pictures.arrows import arrows
from symattn.pictures.bars import bars
from symattn.pictures.files import made
from symattn.pictures.heatmap import heatmap
from symattn.pictures.stepmap import stepmap
from tests.five import FIVE, derivation_of

NS = "{http://www.w3.org/2000/svg}"


def pictures(name: str) -> dict[str, str]:
    d = derivation_of(name)
    weights = [s for s in d.steps if s.name == "A"]
    found = {f"arcs {s.short}": arcs(s, standalone=True) for s in weights}
    found |= {f"heat {s.short}": heatmap(s, standalone=True) for s in d.steps if not s.given}
    for s in d.steps:
        if s.name in ("P", "A") and len(s.shape) < 3:
            found[f"bars {s.short}"] = bars(s, standalone=True)
        if s.name in ("E", "O") and s.shape[1:] == (2,):
            found[f"arrows {s.short}"] = arrows(s, standalone=True)
    return {**found, "map": stepmap(d, standalone=True)}


@pytest.mark.parametrize("name", FIVE)
def test_they_are_svg_with_text_inside_the_frame(name: str) -> None:
    for what, svg in pictures(name).items():
        root = ElementTree.fromstring(svg)
        assert root.tag == f"{NS}svg", what
        left, top, width, height = map(float, root.attrib["viewBox"].split())
        words = root.find(f"{NS}title")
        assert words is not None
        assert words.text
        assert root.find(f"{NS}desc") is not None
        for text, (x, y) in placed(root):
            assert left <= x <= left + width, (what, text.text)
            assert top <= y <= top + height, (what, text.text)
        assert "var(" not in svg
        assert not re.search(r"<script|<img|href=\"(?!#)|onerror=\"", svg)


def placed(root: Any, dx: float = 0.0, dy: float = 0.0) -> Any:
    """Texts and where they begin, moved as their groups are."""
    for child in root:
        match = re.fullmatch(r"translate\((\S+) (\S+)\)", child.attrib.get("transform", ""))
        x, y = (dx + float(match[1]), dy + float(match[2])) if match else (dx, dy)
        if child.tag == f"{NS}text":
            yield child, (x + float(child.attrib.get("x", 0)), y + float(child.attrib.get("y", 0)))
        yield from placed(child, x, y)


@pytest.mark.parametrize("name", FIVE)
def test_they_are_the_same_each_time(name: str) -> None:
    assert pictures(name) == pictures(name)


def test_arcs_are_as_thick_as_their_weights() -> None:
    d = derivation_of("article")
    root = ElementTree.fromstring(arcs(d["A"]))
    thick = {
        g.attrib["data-entry"]: float(
            next(e for e in g.iter() if "stroke-width" in e.attrib).attrib["stroke-width"]
        )
        for g in root.iter(f"{NS}g")
        if "data-entry" in g.attrib
    }
    assert set(thick) == {"A[0,0]", "A[1,0]", "A[1,1]", "A[2,0]", "A[2,1]", "A[2,2]"}
    ordered = sorted(thick, key=lambda a: float(d[a].decimal(9)))
    assert all(thick[a] < thick[b] for a, b in pairwise(ordered))
    ratio = thick["A[1,1]"] / thick["A[1,0]"]
    assert abs(ratio - float(d["A[1,1]"].decimal(9)) / float(d["A[1,0]"].decimal(9))) < 0.02


def test_bars_accent_the_proven_winner() -> None:
    svg = bars(derivation_of("article")["P"])
    bold = re.findall(r'font-weight="bold"[^>]*>([^<]*)<', svg)
    assert "chases" in bold
    assert "quickly" not in bold


def test_heatmaps_hatch_what_is_masked() -> None:
    root = ElementTree.fromstring(heatmap(derivation_of("article")["A"]))
    masked = [t.text for t in root.iter(f"{NS}title") if t.text and "(masked)" in t.text]
    assert len(masked) == 3


def test_row_labels_are_whole_where_they_fit() -> None:
    assert ">chases<" in heatmap(derivation_of("article")["A"])


@pytest.mark.parametrize("word", ["the", "it", "quickly", "猫"])
def test_the_widest_label_of_bars_is_whole(word: str) -> None:
    step = sa.derive(softmax, x=[1, 2], labels={"x": [(word, "i")]})["return"]
    svg = bars(step)
    assert f">{word}<" in svg
    assert "…" not in svg


def boxes(root: Any, *, small: bool) -> list[tuple[float, float, float, float]]:
    """Where the numbers of axes stand, which are small, or the other texts."""
    found = []
    for text, (x, y) in placed(root):
        size = float(text.attrib.get("font-size", 14))
        if (size < 12) != small or text.attrib.get("font-weight"):
            continue
        wide = lettering.width("".join(text.itertext()), size)
        shift = {"middle": 0.5, "end": 1.0}.get(text.attrib.get("text-anchor", ""), 0.0)
        found.append((x - shift * wide, y - 0.7 * size, x + (1 - shift) * wide, y))
    return found


@pytest.mark.parametrize(
    "rows",
    [
        [[-2.0, 2.0], [-0.25, 1.5], [1.75, -0.25]],
        [[1.75, 2.0], [1.0, -1.75], [1.75, -0.25]],
        [[0.0, 1.75], [-0.75, 1.5], [2.0, -1.75]],
        [[2.0, -1.0], [1.25, 0.0], [0.0, 1.75], [0.25, 0.0], [1.75, -0.5]],
    ],
)
def test_labels_of_arrows_stand_beside_the_numbers_of_axes(rows: list[list[float]]) -> None:
    root = ElementTree.fromstring(arrows(plane(rows)))
    names, numbers = boxes(root, small=False), boxes(root, small=True)
    assert len(names) == len(rows)
    assert len(numbers) >= 3
    for a in names:
        over = [b for b in numbers if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]]
        assert not over


def plane(rows: list[list[float]]) -> sa.Step:
    """Rows that are labelled, as a step."""
    words = [f"w{k}" for k in range(len(rows))]
    return sa.derive(softmax, x=rows, labels={"x": [words, None]}, exact="decimal")["x"]


def test_widths_of_letters_are_about_right() -> None:
    assert lettering.width("mm") > lettering.width("ii")
    assert lettering.width("猫") > lettering.width("a")
    assert lettering.shortened("a long token indeed", 40.0).endswith("…")


def test_what_does_not_suit_is_refused() -> None:
    d = derivation_of("article")
    symbolic = d.with_(W_Q=sa.symbols_like("W_Q", (2, 2)))
    for draw, step, said in (
        (arcs, d["P"], "arcs want a matrix of weights"),
        (arcs, d["S"], "arcs want weights from 0 to 1"),
        (arrows, d["A"], "two columns"),
        (heatmap, symbolic["A"], "contains symbols"),
    ):
        with pytest.raises(OptionError, match=said):
            draw(step)
    with pytest.raises(OptionError, match="bars want"):
        bars([])
    with pytest.raises(OptionError, match="heatmap: wanted a step"):
        made(d["A[1,0]"], "heatmap", "svg")


def test_one_token_and_rank_3() -> None:
    one = sa.derive(softmax, x=[[0]])["return"]
    for draw in (arcs, heatmap, bars):
        ElementTree.fromstring(draw(one))
    deep = derivation_of("two-layers")["W_1"]
    assert len(deep.shape) == 3
    ElementTree.fromstring(heatmap(deep))


# The commands.


def run(*words: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == status, done.output
    return done.output


@pytest.mark.parametrize(
    "words",
    [
        ("A", "--as", "heatmap"),
        ("A", "--as", "arcs"),
        ("P", "--as", "bars"),
        ("O", "--as", "arrows"),
        ("A[1]", "--as", "bars"),
    ],
)
def test_show_writes_svg(words: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    run("show", *words, "-o", str(path))
    ElementTree.fromstring(path.read_text("utf-8"))
    assert run("show", *words, "--format", "svg") == path.read_text("utf-8")


@pytest.mark.once
def test_equations_and_png(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    ElementTree.fromstring(run("show", "A", "--format", "svg"))
    ElementTree.fromstring(run("show", "A[1,1]", "--format", "svg"))
    for words in (("A",), ("A", "--as", "heatmap")):
        path = tmp_path / "picture.png"
        run("show", *words, "-o", str(path))
        assert path.read_bytes().startswith(b"\x89PNG")


def test_calls_that_ask_for_no_picture() -> None:
    assert "wanted --as and -o with svg or png" in run("show", "A", "--as", "heatmap", status=2)
    assert "--as: wanted one of" in run("show", "A", "--format", "svg", "--as", "pie", status=2)


def test_list_draws_the_map(tmp_path: Path) -> None:
    path = tmp_path / "map.svg"
    run("list", "-o", str(path))
    root = ElementTree.fromstring(path.read_text("utf-8"))
    assert len(list(root.iter(f"{NS}a"))) > 15
    assert run("list", "--format", "mermaid").startswith("flowchart TD")
    assert json.loads(run("list", "--json"))[0]["address"] == "W_vocab"


# matplotlib.


def test_plots() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    d = derivation_of("article")
    heat = d["A"].plot()
    assert [t.get_text() for t in heat.get_yticklabels()] == ["cat", "chases", "mouse"]
    assert [t.get_text() for t in heat.texts][3:5] == ["0.36", "0.64"]
    assert [t.get_text() for t in d["P"].plot().texts] == ["0.17", "0.29", "0.16", "0.23", "0.15"]
    mine = Figure().subplots()
    assert d["O"].plot("arrows", axes=mine) is mine
    derivation_of("hostile")["A"].plot().figure.canvas.draw()
    for step, kind, said in (
        (d["A"], "pie", "wanted one of"),
        (d["A"], "bars", "wanted rank 0 or 1"),
        (d["P"], "arrows", "wanted rank 2"),
    ):
        with pytest.raises(OptionError, match=said):
            step.plot(kind)


#: Dollars, underscores, other scripts, and a sign that no font has (Yi would be in a few).
ODD = ("$d$", "_x", "猫", "\U000140d1", "$", "a\x07")


def odd() -> sa.Derivation:
    identity = np.eye(len(ODD), dtype=int).tolist()
    return sa.derive(softmax, x=identity, labels={"x": (ODD, ODD)})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["heatmap", "arcs", "arrows", "bars"])
def test_plots_show_any_word_as_it_is(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    d = odd()
    if kind == "arrows":
        d = sa.derive(softmax, x=[[0, i] for i in range(len(ODD))], labels={"x": (ODD, None)})
    step = d["return"]
    if kind == "bars":
        step = sa.derive(softmax, x=list(range(len(ODD))), labels={"x": (ODD,)})["return"]
    axes = step.plot(kind)
    for ending in ("png", "svg", "pdf"):
        axes.figure.savefig(tmp_path / f"plot.{ending}")
    texts = [*axes.get_xticklabels(), *axes.get_yticklabels(), *axes.texts]
    found = {
        t.get_text(): t for t in texts if t.get_text() in ("$d$", "_x", "\\U000140d1", "a\\x07")
    }
    assert len(found) == 4
    assert not any(text.get_parse_math() for text in found.values())


def test_plots_of_arcs_have_one_for_each_weight() -> None:
    pytest.importorskip("matplotlib")
    d = derivation_of("article")
    axes = d["A"].plot("arcs")
    assert len(axes.patches) == 6
    widths = sorted(p.get_linewidth() for p in axes.patches)
    weights = sorted(float(e.decimal(9)) for e in d["A"].entries())[3:]
    assert widths == pytest.approx([8 * weight for weight in weights])
    with pytest.raises(OptionError, match="arcs want weights from 0 to 1"):
        d["S"].plot("arcs")
    with pytest.raises(OptionError, match="wanted rank 2"):
        d["P"].plot("arcs")


def test_plots_hatch_what_is_masked() -> None:
    pytest.importorskip("matplotlib")
    d = derivation_of("article")
    for name in ("A", "Z_masked"):
        cells = {p.get_xy() for p in d[name].plot().patches if p.get_hatch()}
        assert cells == {(0.5, -0.5), (1.5, -0.5), (1.5, 0.5)}
    assert not d["S"].plot().patches
