"""The page to explore: whole, safe with any text, true to its derivation, and usable."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import symattn as sa
from symattn.cli import main
from symattn.document import page
from symattn.feeds import feeds
from symattn.leading import MOST, leading, rounded
from symattn.pictures.stepmap import stepmap
from symattn.rounding import fixed
from symattn.spec_reader import load_spec, parse_spec
from symattn.writers import html as writer
from symattn.writers.html.data import embedded

HERE = Path(__file__).parent
SPECS = [
    "article",
    "article-encoder",
    *(str(HERE / "specs" / f"{name}.toml") for name in ("two-layers", "eight-tokens", "hostile")),
]
VOID = {"meta", "input", "br", "wbr", "link", "img", "hr"}


class Read(HTMLParser):
    """A page read strictly: every element closed in order; what is asked of it kept."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None], tuple[str, ...]]] = []
        self.texts: dict[str, list[str]] = {}
        self.inside: dict[int, str] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        self.elements.append((tag, dict(attrs), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), tuple(self.open)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open[-1:]):
            self.texts.setdefault(tag, []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs, _ in self.elements if name == tag]

    @property
    def data(self) -> Any:
        scripts = self.all("script")
        i = next(i for i, a in enumerate(scripts) if a.get("id") == "data")
        return json.loads(self.texts["script"][i])

    @property
    def cells(self) -> dict[str, dict[str, str | None]]:
        return {str(a["data-c"]): a for a in self.all("td") if "data-c" in a}


@cache
def written(spec: str) -> str:
    return writer.write(page(load_spec(spec).derive()))


@cache
def read(spec: str) -> Read:
    return Read(written(spec))


def of(text: str) -> Read:
    return Read(writer.write(page(parse_spec(text).derive())))


# The file.


def test_the_command_writes_one_file(tmp_path: Path) -> None:
    for words in (
        ["-o", str(tmp_path / "a.html")],
        ["-o", str(tmp_path / "b.txt"), "--format", "html"],
    ):
        done = CliRunner().invoke(main, ["write", *words])
        assert done.exit_code == 0, done.output
    files = sorted(tmp_path.iterdir())
    assert [f.name for f in files] == ["a.html", "b.txt"]
    assert files[0].read_text("utf-8") == files[1].read_text("utf-8") == written("article")


@pytest.mark.parametrize("spec", SPECS)
def test_a_page_is_well_formed_and_loads_nothing(spec: str) -> None:
    found = read(spec)
    (policy,) = (a["content"] for a in found.all("meta") if a.get("http-equiv"))
    assert (
        policy is not None
        and policy.startswith("default-src 'none'")
        and "unsafe-eval" not in policy
    )
    assert "script-src 'sha256-" in policy and "http" not in policy
    for tag, attrs, _ in found.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        for name, value in attrs.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in ("src", "srcset", "action", "formaction"), (tag, name)
            if name.endswith("href"):
                assert str(value).startswith("#"), (tag, value)
    style = "".join(found.texts["style"])
    assert "url(" not in style and "@import" not in style
    ids = [a["id"] for _, a, _ in found.elements if "id" in a]
    assert len(ids) == len(set(ids))
    targets = {str(a["href"])[1:] for a in found.all("a")}
    assert targets <= set(ids)


def test_the_policy_lets_only_the_pages_own_script_run() -> None:
    from base64 import b64encode
    from hashlib import sha256

    found = read("article")
    scripts = found.all("script")
    assert [s.get("type") for s in scripts] == ["application/json", None]
    own = found.texts["script"][1]
    assert b64encode(sha256(own.encode()).digest()).decode() in written("article")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", own
    )
    assert own.lstrip().startswith('"use strict"')


def test_the_articles_page_is_small() -> None:
    assert len(written("article").encode()) < 400_000


def test_what_the_package_needs_is_in_it() -> None:
    folder = Path(writer.__file__).parent
    assert {p.name for p in folder.iterdir()} >= {"page.html", "page.css", "page.js"}


# Text stays text.


def test_hostile_words_stay_text() -> None:
    spec = str(HERE / "specs" / "hostile.toml")
    found, d = read(spec), load_spec(spec).derive()
    assert len(found.all("script")) == 2
    assert "<script>alert(1)" not in written(spec) and "<img" not in written(spec)
    assert found.texts["title"][0] == d.spec.title
    assert found.texts["h1"] == [d.spec.title]
    heads = set(found.texts["th"])
    assert set(d.spec.tokens) <= heads
    names = " ".join(str(a["aria-label"]) for a in found.cells.values())
    assert "<img src=x onerror=alert(1)>" in names


def test_data_cannot_close_its_script() -> None:
    said = {"a": "</script><!--<script>&amp;\u2028"}
    text = embedded(said)
    assert "<" not in text and ">" not in text and "&" not in text
    assert json.loads(text) == said


# Cells, and their names.


@pytest.mark.parametrize("spec", SPECS)
def test_every_entry_is_a_cell_with_a_name(spec: str) -> None:
    d, cells = load_spec(spec).derive(), read(spec).cells
    for step in d.steps:
        for entry in step.entries():
            name = str(cells[f"{step.node}.{entry.flat}"]["aria-label"])
            assert ": " in name
            for label in entry.labels:
                if label and label.isalnum():
                    assert label in name, (name, label)


def test_names_say_where_and_what() -> None:
    d, cells = sa.article(), read("article").cells
    a, m = d["A"].node, d["M"].node
    assert cells[f"{a}.6"]["aria-label"] == "A, row mouse, column cat: 0.40; printed 0.40, right"
    assert cells[f"{a}.3"]["aria-label"] == (
        "A, row chases, column cat: 0.36; printed 0.35, should be 0.36"
    )
    assert cells[f"{m}.1"]["aria-label"] == "M, row cat, column chases: minus infinity"


@pytest.mark.parametrize("spec", SPECS)
def test_every_equation_is_said_in_words(spec: str) -> None:
    for tag, attrs, within in read(spec).elements:
        if tag == "math" and "template" not in within and "aria-hidden" not in attrs:
            label = attrs.get("aria-label")
            assert label, attrs
            assert "\\" not in label.replace("\\write18{rm}", ""), label
        elif tag == "math" and "template" not in within:
            assert within[-1] == "td"  # which has a name


def test_every_step_has_a_block_and_a_symbol() -> None:
    for spec in (*SPECS, "gpt2"):
        found, d = read(spec), load_spec(spec).derive()
        blocks = {a["id"] for a in found.all("div") if "id" in a}
        symbols = {
            a["data-s"] for t, a, within in found.elements if t == "math" and "template" in within
        }
        assert {f"step-{step.node}" for step in d.steps} <= blocks
        assert {str(step.node) for step in d.steps} <= symbols


def test_wrong_claims_are_marked_in_the_matrix() -> None:
    marks = [t for t in read("article").texts["span"] if t.startswith("printed")]
    assert marks.count("printed 0.35, should be 0.36") == 1
    judged = [j for j in page_claims() if j.entry is not None]
    assert len(marks) == sum(j.verdict == "wrong" for j in judged) > 0


def page_claims() -> Any:
    from symattn.claims.judge import judge

    d = sa.article()
    return judge(d, d.spec.claims)


def test_weights_are_shaded_by_their_value() -> None:
    d, cells = sa.article(), read("article").cells
    for name in ("A", "P"):
        for entry in d[name].entries():
            style = cells[f"{d[name].node}.{entry.flat}"].get("style")
            assert style == f"--w:{entry.decimal(2)}"
    assert "style" not in cells[f"{d['Z'].node}.0"]


# What the script reads.


def cells_in(tree: Any) -> set[tuple[int, int]]:
    if isinstance(tree, list) and isinstance(tree[0], int):
        return {(tree[0], tree[1])}
    return {c for part in tree[1:] for c in cells_in(part)} if isinstance(tree, list) else set()


OPS = {
    "+": lambda *a: sum(a[1:], a[0]), "-": lambda a, b: a - b, "*": lambda *a: np.prod(a),
    "/": lambda a, b: a / b, "^": lambda a, b: a**b, "neg": lambda a: -a, "exp": np.exp,
    "sqrt": np.sqrt, "log": np.log, "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "pi": lambda: np.pi,
    "maximum": lambda *a: max(a), "minimum": lambda *a: min(a), "abs": abs,
}  # fmt: skip


def value(tree: Any, leaf: Any) -> Any:
    if isinstance(tree, str):
        return float("-inf") if tree == "-oo" else float(Fraction(tree))
    if isinstance(tree[0], int):
        return leaf(*tree)
    return OPS[tree[0]](*(value(part, leaf) for part in tree[1:]))


@pytest.mark.parametrize("spec", [*SPECS, "gpt2"])
def test_expressions_compute_the_entries(spec: str) -> None:
    d, data = load_spec(spec).derive(), read(spec).data
    floats = d.floats()

    def leaf(key: int, i: int) -> Any:
        return floats[key].flat[i]

    checked = 0
    for step in d.steps:
        known = data["steps"][str(step.node)]
        assert known["n"] == step.short and tuple(known["s"]) == step.shape
        assert ("f" in known) != step.given
        for i, tree in enumerate(known.get("f", [])):
            with np.errstate(all="ignore"):
                assert value(tree, leaf) == pytest.approx(
                    floats[step.node].flat[i], rel=1e-9, abs=1e-12
                )
            checked += 1
    assert checked > 20
    assert data["result"] == d.graph.results[0]


def test_every_entry_leads_back_to_the_inputs_and_on_to_the_probabilities() -> None:
    d, steps = sa.article(), read("article").data["steps"]

    def back(cell: tuple[int, int]) -> set[tuple[int, int]]:
        trees = steps[str(cell[0])].get("f")
        return set().union(*map(back, cells_in(trees[cell[1]]))) if trees else {cell}

    reached = {key for key, _ in back((d["P"].node, 1))}
    assert d["W_vocab"].node in reached
    assert reached <= {step.node for step in d.steps if step.given}


def test_names_in_exact_values_lead_to_their_cells() -> None:
    d, steps = sa.article(), read("article").data["steps"]
    assert steps[str(d["A"].node)]["w"]["4"] == [[d["A.sum"].node, 1]]
    assert steps[str(d["P"].node)]["w"]["1"] == [[d["logits"].node, 1], [d["P.sum"].node, 0]]
    assert steps[str(d["logits"].node)]["w"]["1"] == [[d["A.sum"].node, 2]]


@pytest.mark.parametrize("spec", ["article", SPECS[2]])
def test_floats_and_their_ulps(spec: str) -> None:
    d, steps = load_spec(spec).derive(), read(spec).data["steps"]
    for step in d.steps:
        for kind, digits in (("float64", 52), ("float32", 23)):
            floats = step.numeric(kind).ravel()
            for entry, own, (text, ulps) in zip(
                step.entries(), floats, steps[str(step.node)]["x"][kind], strict=True
            ):
                assert text == str(own)
                if not np.isfinite(own) or ulps.startswith("="):
                    continue
                low, high = d.enclosures.bounds((step.node, entry.index), 512)
                exact = (low + high) / 2
                off = abs(Fraction(float(own)) - exact)
                if not exact:
                    assert ulps == "0"
                    continue
                exponent = 0
                while abs(exact) >= Fraction(2) ** (exponent + 1):
                    exponent += 1
                while abs(exact) < Fraction(2) ** exponent:
                    exponent -= 1
                assert float(off / Fraction(2) ** (exponent - digits)) == pytest.approx(
                    float(ulps), rel=0.06
                )


# Decimals of every length.


@given(
    st.fractions(-1000, 1000, max_denominator=10**9)
    | st.builds(Fraction, st.integers(-(10**9), 10**9), st.integers(0, 40).map(lambda k: 10**k))
    | st.builds(
        lambda n, k: Fraction(2 * n + 1, 2 * 10**k),
        st.integers(-(10**6), 10**6),
        st.integers(0, 31),
    )
)
def test_shorter_decimals_follow_from_leading_digits(x: Fraction) -> None:
    (digits,) = leading(sa.derive(doubled, x=[x / 2])["y"])
    for k in range(MOST + 1):
        assert rounded(digits, k) == fixed(x, k)


def doubled(x: Any) -> Any:
    y = x + x
    return y


@pytest.mark.parametrize("spec", SPECS)
def test_shorter_decimals_are_the_certified_ones(spec: str) -> None:
    d, steps = load_spec(spec).derive(), read(spec).data["steps"]
    for step in d.steps:
        known = steps[str(step.node)]["d"]
        assert known == leading(step)
        for k in (0, 1, 2, 5, 15, 29, 30):
            assert [rounded(x, k) for x in known] == step.shown(k).ravel().tolist()


def test_a_rounding_is_not_rounded_again() -> None:
    # 0.4999…9 (31 nines) would be 0.5000…0 to 30 digits, and 1 if that were rounded once more.
    (digits,) = leading(sa.derive(doubled, x=[Fraction(5 * 10**31 - 1, 2 * 10**32)])["y"])
    assert [rounded(digits, k) for k in (0, 1, 30)] == ["0", "0.5", "0." + "5".ljust(30, "0")]
    (near,) = leading(sa.derive(doubled, x=[Fraction(1, 3)])["y"])
    assert near == "0." + "6" * 31 + "…"
    assert (rounded(near, 0), rounded(near, 30)) == ("1", "0." + "6" * 29 + "7")


def test_what_is_not_settled_keeps_its_question_marks() -> None:
    found = sa.derive(sqrt_difference, x=["sqrt(2)+sqrt(3)"], y=["sqrt(5+2*sqrt(6))"])["z"]
    (digits,) = leading(found)
    assert [rounded(digits, k) for k in (0, 4, 30)] == [found.shown_at((0,), k) for k in (0, 4, 30)]


def sqrt_difference(x: Any, y: Any) -> Any:
    z = x - y
    return z


def test_inputs_known_to_printed_digits() -> None:
    text = (HERE / "specs" / "eight-tokens.toml").read_text("utf-8")
    spec = parse_spec(text.replace('mask = "causal"', 'mask = "causal"\ninputs = "printed"'))
    d = spec.derive()
    assert d.radii
    found = Read(writer.write(page(d)))
    step = d["A"]
    known = found.data["steps"][str(step.node)]
    assert any(isinstance(digits, list) and digits[-1].endswith("?") for digits in known["d"])
    for k in (0, 3, 9):
        assert [rounded(x, k) for x in known["d"]] == step.shown(k).ravel().tolist()
    assert known["x"]["float64"][0][0] == str(step.numeric()[0, 0])


# Odd shapes and values.


def test_symbols_have_exact_values_and_no_digits() -> None:
    text = (HERE / "specs" / "eight-tokens.toml").read_text("utf-8")
    found = of(text.replace("[0.5, 0.2]", '["a", 0.2]'))
    e = str(next(k for k, s in found.data["steps"].items() if s["n"] == "E"))
    assert found.data["steps"][e]["d"][6:8] == [None, "0.2"]
    assert all("x" not in step for step in found.data["steps"].values())
    a = next(k for k, s in found.data["steps"].items() if s["n"] == "A")
    assert "style" not in found.cells[f"{a}.24"] and found.cells[f"{a}.0"]["style"] == "--w:1.00"
    assert found.cells[f"{e}.6"]["aria-label"] == "E, row fox, first column: a"


def test_steps_of_every_rank() -> None:
    ranks = set()
    for spec in ("article", "vaswani2017"):
        found = read(spec)
        for key, step in found.data["steps"].items():
            ranks.add(len(step["s"]))
            for i in range(int(np.prod(step["s"], dtype=int))):
                assert f"{key}.{i}" in found.cells
    assert ranks == {0, 1, 2, 3, 4}


def test_gradients_stand_beside_their_steps() -> None:
    d = sa.article()
    steps = read("article").data["steps"]
    last = max(map(int, steps))
    assert last >= len(d.graph.nodes)
    gradient = next(s for k, s in steps.items() if s["n"] == "dlogits")
    sources = {key for tree in gradient["f"] for key, _ in cells_in(tree)}
    assert d["P"].node in sources


def test_a_page_says_which_spec_it_is_about() -> None:
    assert "<!-- symattn: spec article-encoder -->" in writer.write(
        page(sa.load("article-encoder")), "article-encoder"
    )


def test_long_entries_stand_one_a_line_below_their_decimals() -> None:
    found, d = read("gpt2"), sa.load("gpt2")
    step = d["layer[0].layer_norm[1].y"]
    places = [a for a in found.all("td") if a.get("data-c") == f"{step.node}.0"]
    assert len(places) == 2  # its decimal in the matrix, and its exact value in the list


# Displays.


def shown_with(**display: Any) -> Read:
    return Read(writer.write(page(sa.load("article-encoder").with_display(**display))))


def test_a_page_shows_numbers_as_its_display_says() -> None:
    plain = read("article-encoder")
    a = sa.load("article-encoder")["A"].node
    commas = shown_with(decimal_mark=",")
    assert commas.data["mark"] == "," and "mark" not in plain.data
    assert str(commas.cells[f"{a}.0"]["aria-label"]).endswith("0.41")  # words are English
    assert "0,41" in commas.texts["span"] and "0.41" not in commas.texts["span"]

    boxed = shown_with(highlight=("A[1]",))
    classes = [boxed.cells[f"{a}.{i}"].get("class") for i in range(9)]
    assert classes == [None] * 3 + ["boxed"] * 3 + [None] * 3
    assert not [t for t in boxed.texts["span"] if t.startswith("[")]
    assert boxed.cells[f"{a}.4"]["aria-label"] == plain.cells[f"{a}.4"]["aria-label"]

    bare = shown_with(labels=False)
    assert "chases" in plain.texts["th"] and "chases" not in bare.texts["th"]
    assert "row chases" in str(bare.cells[f"{a}.4"]["aria-label"])

    short = shown_with(substitution=False)
    assert len(short.all("mtable")) < len(plain.all("mtable"))

    decimals = shown_with(values="decimals")
    assert len(decimals.all("mfrac")) < len(plain.all("mfrac")) / 2
    assert decimals.data["steps"][str(a)]["d"] == plain.data["steps"][str(a)]["d"]


# Pictures.


def test_pictures_stand_in_the_blocks_of_their_steps() -> None:
    text, d = written("article"), sa.article()
    for name, kind in (("A", "arcs"), ("P", "bars"), ("O", "arrows")):
        begin = text.index(f'id="step-{d[name].node}"')
        end = text.index('id="step-', begin + 10)
        assert text[begin:end].count(f"picture-{kind}") == 1
    assert text.count("<figure>") == 3


@pytest.mark.parametrize("spec", [*SPECS, "gpt2", "vaswani2017"])
def test_the_map_leads_to_every_step_and_tells_what_feeds_it(spec: str) -> None:
    d = load_spec(spec).derive()
    svg = stepmap(d)
    known = {int(n) for n in re.findall(r'href="#step-(\d+)"', svg)}
    also = {int(n) for group in re.findall(r'data-also="([\d ]+)"', svg) for n in group.split()}
    shown = {f"step-{n}" for n in known}
    assert shown <= {a["id"] for a in read(spec).all("div") if "id" in a}
    for step in d.steps:
        assert step.node in (also if step.inside else known) or len(step.shape) > 2
    edges = {tuple(map(int, e.split("-"))) for e in re.findall(r'data-edge="([\d-]+)"', svg)}
    expected = {
        (source.node, step.node)
        for step, sources in feeds(d).items()
        for source in sources
        if not step.is_part and not step.inside and not source.inside
    }
    assert edges == expected
    boxes = {
        int(n): tuple(map(float, box))
        for n, *box in re.findall(
            r'<a href="#step-(\d+)"[^>]*>.*?<rect x="([-.\d]+)" y="([-.\d]+)" width="([-.\d]+)"',
            svg,
        )
    }
    assert boxes.keys() == known
    for a, b in edges:
        assert boxes[a][1] < boxes[b][1]
    rows: dict[float, list[tuple[float, ...]]] = {}
    for box in boxes.values():
        rows.setdefault(box[1], []).append(box)
    for row in rows.values():
        row.sort()
        assert all(left[0] + left[2] < right[0] for left, right in pairwise(row))


# What `check` makes of it.


@pytest.mark.parametrize("spec", [*SPECS[1:4], "gpt2"])
def test_a_page_is_found_right_by_check(spec: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(written(spec), "utf-8")
    done = CliRunner().invoke(main, ["check", str(path), "--spec", spec, "--strict", "--json"])
    assert done.exit_code == 0, done.output[:2000]
    (document,) = json.loads(done.output)
    counts = document["counts"]
    assert counts["right"] > 100
    assert not counts["wrong"] and not counts["undecided"] and not counts["unmatched"]


def test_check_finds_a_number_that_was_changed(tmp_path: Path) -> None:
    d = sa.load("article-encoder")
    right, path = d["A"].decimal()[1][2], tmp_path / "page.html"
    cell = f"{right}</span><!-- symattn: A[1,2] -->"
    assert written("article-encoder").count(cell) == 1
    path.write_text(written("article-encoder").replace(cell, cell.replace(right, "0.99")), "utf-8")
    done = CliRunner().invoke(main, ["check", str(path), "--spec", "article-encoder"])
    assert done.exit_code == 1
    assert f"A[1,2] (row chases, column mouse): 0.99 is wrong, it should be {right}" in done.output


# In a browser.


def in_chromium(path: Path, *words: str, script: str = "render_chromium.cjs") -> Any:
    chromium, modules = shutil.which("chromium"), os.environ.get("NODE_PATH")
    needed = ("puppeteer-core", "axe-core")
    if not (chromium and shutil.which("node") and modules) or not all(
        (Path(modules) / name).is_dir() for name in needed
    ):
        pytest.skip("chromium and node with puppeteer-core, axe-core are not installed (NODE_PATH)")
    done = subprocess.run(
        ["node", str(HERE / script), chromium, str(path), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def check_sound(found: Any) -> None:
    assert found["errors"] == []
    assert found["requests"] == []
    assert found["violations"] == []
    assert found["unlabelled"] == []
    assert not found["moved"] and not found["movedOnPhone"] and not found["covered"]
    assert all(over <= 0 for over in found["overflow"].values()), found["overflow"]
    assert found["plain"]["overflow"] <= 0 and found["plain"]["tables"] > 5


@pytest.mark.once
@pytest.mark.render
def test_the_article_in_a_browser(tmp_path: Path) -> None:
    d = sa.article()
    path = tmp_path / "article.html"
    path.write_text(written("article"), "utf-8")
    node = {s.short: s.node for s in d.steps}
    found = in_chromium(path, f"{node['A']}.6")
    check_sound(found)

    clicked = found["clicked"]
    assert clicked["open"] and clicked["name"] == "A, row mouse, column cat"
    assert clicked["decimal"] == d["A"][2, 0].decimal(6) and clicked["sign"] == "≈"
    assert clicked["from"] == [f"{node['Z_masked']}.{i}" for i in (6, 7, 8)]
    assert clicked["to"] == [f"{node['O']}.{i}" for i in (4, 5)]
    assert clicked["map"] == [f"#step-{node['A']}"]
    rows = clicked["rows"]
    for kind in ("float64", "float32"):
        assert f"{kind}\t{d['A'].numeric(kind)[2, 0]!s}\t" in rows["floats"]
    assert rows["claim"] == "0.40: right"
    words = clicked["words"]
    assert words["exact"] == (
        "the fraction e to the power 2 root 2 over 5, end power, over ell sub 2, end fraction"
    )
    assert words["formula"].startswith(
        "the fraction e to the power Z masked, row mouse, column cat, end"
    )
    assert words["substituted"].startswith(
        "the fraction e to the power 2 root 2 over 5, end power, over"
    )
    assert {
        "exact",
        "where",
        "formula",
        "substituted",
        "from",
        "roots",
        "to",
        "ends",
    } <= rows.keys()

    assert found["decimals"] == [d["A"][2, 0].decimal(k) for k in range(31)]
    everywhere = {s.node: s for s in d.steps}
    for cell, shown in found["all"].items():
        key, place = map(int, cell.split("."))
        if key in everywhere:
            entry = everywhere[key].entries()[place]
            expected = [entry.decimal(k) for k in (0, 1, 3, 7, 16, 30)]
            plain = [t.replace("−", "-").replace("∞", "oo").strip() for t in shown]
            assert plain == [t.strip() for t in expected], cell

    assert found["back"][0].startswith("Z masked") and found["back"][-1].startswith(("W", "M"))
    assert found["forward"][0].startswith("O, ") and any(
        n.startswith("P,") for n in found["forward"]
    )
    assert found["focusAfterFollowing"] == "entry-name"

    assert not found["escaped"]["open"] and found["escaped"]["from"] == []
    assert found["entered"]["chosen"] == found["entered"]["focus"] == f"{node['A']}.6"
    assert found["left"]["focus"] == f"{node['A']}.6"  # there is nothing left of it
    assert (
        found["right"]["chosen"] == f"{node['A']}.7" and found["end"]["chosen"] == f"{node['A']}.8"
    )
    assert not found["closed"]["open"] and found["closed"]["focus"] == f"{node['A']}.8"
    assert found["spaced"]["open"]
    assert set(found["stops"]) == {1}
    assert found["scheme"]["light"] != found["scheme"]["dark"] == found["scheme"]["toggled"]


@pytest.mark.once
@pytest.mark.render
@pytest.mark.parametrize("spec", SPECS[1:])
def test_other_pages_in_a_browser(spec: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(written(spec), "utf-8")
    weights = next(s for s in load_spec(spec).derive().steps if s.name == "A")
    found = in_chromium(path, f"{weights.node}.0", "briefly")
    check_sound(found)
    assert found["clicked"]["open"] and found["clicked"]["from"]


def test_check_does_not_guess_at_numbers_in_pictures(tmp_path: Path) -> None:
    spec = SPECS[2]
    path = tmp_path / "page.html"
    path.write_text(written(spec), "utf-8")
    assert "<svg" in written(spec)
    assert "a guess" not in CliRunner().invoke(main, ["check", str(path), "--spec", spec]).output


@pytest.mark.once
@pytest.mark.render
def test_frames_are_seen_and_those_to_write_in_are_high(tmp_path: Path) -> None:
    """MathML Core has no menclose: without a style of ours a browser draws nothing."""
    path = tmp_path / "page.html"
    sheet = sa.worksheet(sa.article(), "A,O").sheet
    path.write_text(writer.write(sheet, "article"), "utf-8")
    boxes = in_chromium(path, script="render_boxes.cjs")
    assert len(boxes) == 15
    assert all(b["blank"] and b["isSeen"] and b["height"] > 28 for b in boxes)

    d = sa.article().with_display(highlight=["A[1,1]"], working=["A[1,1]"])
    path.write_text(writer.write(page(d, d.spec.text)), "utf-8")
    frames = in_chromium(path, script="render_boxes.cjs")
    assert frames
    assert all(f["isSeen"] and not f["blank"] for f in frames)
