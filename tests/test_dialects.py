"""Markdown for other readers than GitHub."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

import symattn as sa
from symattn.blocks import Block, Fold, Page, Paragraph, inlines, plain
from symattn.claims.reading import read
from symattn.cli import main
from symattn.document import page
from symattn.notation import visible
from symattn.writers import dialects, formats, markdown
from symattn.writers.dialects import Myst, Quarto
from symattn.writers.formats import DIALECTS
from tests.five import FIVE, page_of


def text(name: str, dialect: str) -> str:
    return dialects.write(page_of(name), dialect=dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_check_reads_it(dialect: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(text("article-encoder", dialect), "utf-8")
    done = CliRunner().invoke(
        main, ["check", str(path), "--spec", "article-encoder", "--strict", "--json"]
    )
    assert done.exit_code == 0, done.output[:2000]
    (found,) = json.loads(done.output)
    assert found["counts"]["right"] >= (190 if dialect == "plain" else 300)
    assert not found["counts"]["unmatched"]
    assert not found["counts"]["wrong"]


def test_check_reads_the_same_numbers_in_dialects_with_mathematics() -> None:
    def numbers(made: str) -> list[str]:
        found = read(made, "markdown")
        matrices = [cell.text for m in found.matrices for cell in m.cells]
        return matrices + [side.text for e in found.equalities for side in e.sides]

    wanted = numbers(markdown.write(page_of("gpt2")))
    assert len(wanted) > 2000
    assert numbers(text("gpt2", "myst")) == numbers(text("gpt2", "quarto")) == wanted


def folds(blocks: Iterable[Block]) -> Iterator[Fold]:
    for block in blocks:
        if isinstance(block, Fold):
            yield block
            yield from folds(block.blocks)


def admonitions(source: str) -> Iterator[str]:
    for token in MarkdownIt("commonmark").parse(source):
        if token.type == "fence" and token.info.startswith("{admonition} "):
            yield token.info.removeprefix("{admonition} ")
            yield from admonitions(token.content)


def test_folds_of_myst_are_fences_whatever_their_titles_hold() -> None:
    wanted = [Myst().inlines(fold.title) for fold in folds(page_of("gpt2").blocks)]
    assert any("`" in title for title in wanted)
    assert list(admonitions(text("gpt2", "myst"))) == wanted
    inner = Fold(plain("b ~~~ c"), (Paragraph(inlines("`~~~` and ````")),), ())
    for title in ("`a`", "a"):
        written = Myst().written(Fold(inlines(title), (inner,), ()))
        assert list(admonitions(written)) == [title, Myst().escape("b ~~~ c")]


@pytest.mark.parametrize("dialect", ["myst", "quarto"])
@pytest.mark.parametrize("name", FIVE)
def test_labels_are_there_once(dialect: str, name: str) -> None:
    labels = re.findall(
        r"^\$\$ (?:\{#|\()(eq-[A-Za-z0-9-]+)[})]$", text(name, dialect), re.MULTILINE
    )
    assert len(labels) > 5
    assert len({label.lower() for label in labels}) == len(labels)


@pytest.mark.render
@pytest.mark.once
@pytest.mark.skipif(
    not (find_spec("myst_parser") and find_spec("sphinxcontrib.mermaid")),
    reason="MyST is missing: pip install myst-parser sphinxcontrib-mermaid",
)
def test_sphinx_builds_it_without_a_warning(tmp_path: Path) -> None:
    names = [*FIVE, "gpt2"]
    for name in names:
        (tmp_path / f"{name}.md").write_text(text(name, "myst"), "utf-8")
    toctree = "\n".join(["```{toctree}", *names, "```"])
    (tmp_path / "index.md").write_text(f"# Pages\n\n{toctree}\n", "utf-8")
    (tmp_path / "conf.py").write_text(
        'extensions = ["myst_parser", "sphinxcontrib.mermaid"]\n'
        'myst_enable_extensions = ["dollarmath"]\n',
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", ".", "out"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[:2000]
    gpt2 = (tmp_path / "out" / "gpt2.html").read_text("utf-8")
    assert gpt2.count("dropdown admonition") == len(list(folds(page_of("gpt2").blocks)))
    hostile = (tmp_path / "out" / "hostile.html").read_text("utf-8")
    assert "<script>alert" not in hostile
    assert "<img src=x" not in hostile
    assert "&lt;script&gt;alert(1)" in hostile


@pytest.mark.render
@pytest.mark.once
@pytest.mark.skipif(not shutil.which("pandoc"), reason="pandoc is missing: apt-get install pandoc")
def test_pandoc_reads_quarto_s_page(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(text("hostile", "quarto"), "utf-8")
    made = subprocess.run(
        ["pandoc", "-s", "-f", "markdown", "-t", "html", "--mathjax", str(path)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "<script>alert" not in made
    assert "<img src=x" not in made
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in made
    assert "猫" in made


#: Titles that YAML or pandoc may take for something else than text.
TITLES = (
    "a 🎉 b", "it's \"so\" 'x'", "a -- b --- c", "wait... . . .", "Mr. Smith, e.g. he", "- item", "1. one",
    "(1) one", "---", "``x`` a\\", "@key [@key] ^a^ ~b~", "$x$ \\(x\\)", "https://x.org <https://x.org>",
    "{{< x >}} {.b}", "key: value", "null", "42", "x # y", "%&*!|>", "![a](b)", "a\xa0b\u2028c", "كلب", "\x1b[31m\x07",
    "\ud83d alone", "::: x", "&amp; &", "[x]: y",
)  # fmt: skip


def front_matter(title: str) -> str:
    return Quarto().page(Page(title, ()))


@pytest.mark.parametrize("title", TITLES)
def test_quarto_s_front_matter_is_yaml(title: str) -> None:
    yaml = pytest.importorskip("yaml")
    _, front, _ = front_matter(title).split("---\n")
    said = yaml.safe_load(front)
    assert said["format"] == "html"
    # The title is Markdown, in which signs have backslashes or are entities.
    assert html.unescape(re.sub(r"\\([^\w\s])", r"\1", said["title"])) == visible(title)
    if re.fullmatch(r"[\w 🎉:]*", visible(title)):
        assert said["title"] == title


@pytest.mark.render
@pytest.mark.once
@pytest.mark.skipif(not shutil.which("pandoc"), reason="pandoc is missing: apt-get install pandoc")
def test_pandoc_sets_quarto_s_title_as_it_is() -> None:
    for title in TITLES:
        made = subprocess.run(
            ["pandoc", "-f", "markdown", "-t", "json"], input=front_matter(title),
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        found = json.loads(made)["meta"]["title"]["c"]
        words = [("c" in part and part["c"]) or {"Space": " "}[part["t"]] for part in found]
        assert "".join(words) == visible(title)


@pytest.mark.parametrize("form", ["markdown", "notebook", *DIALECTS])
def test_control_characters_are_seen(form: str, tmp_path: Path) -> None:
    odd = "\x1b[31m\x07\u202e\u200b"
    text = tmp_path / "page.en.toml"
    quoted = json.dumps(odd)
    words = "\n".join(f"{word} = {quoted}" for word in ("printed", "no_entries", "entries", "and"))
    body = "{show A}\\n\\n{probabilities P}\\n\\n`" + quoted[1:-1] + "`"
    text.write_text(
        f'[words]\n{words}\n[section.a]\ntitle = "b {quoted[1:-1]}"\nbody = "{body}"\n', "utf-8"
    )
    spec = tmp_path / "spec.toml"
    spec.write_text(
        f'format = 1\nmodel = "next_token"\ntext = "page.en.toml"\ntitle = {quoted}\n'
        f'tokens = [{quoted}, "b"]\nvocabulary = ["b", {quoted}]\n[matrices]\n'
        'W_vocab = [[1, 0], [0, 1]]\nW_Q = "identity"\nW_K = "identity"\nW_V = "identity"\n'
        'W_1 = "identity"\n',
        "utf-8",
    )
    made = formats.written(page(sa.load(spec)), form, str(spec))
    assert isinstance(made, str)
    texts = json.loads(made)["cells"] if form == "notebook" else made
    assert not [t for t in strings(texts) if not t.replace("\n", "").isprintable()]
    assert "x1b" in made
    assert "u202e" in made


def strings(data: object) -> Iterator[str]:
    """All texts in data of JSON."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for part in data.values() if isinstance(data, dict) else data:
            yield from strings(part)


def test_plain_has_no_mathematics_in_dollars() -> None:
    found = text("article", "plain")
    assert "$" not in re.sub(r"```.*?```", "", found, flags=re.DOTALL)
    assert "A = softmax(Z_masked)    (3 × 3)" in found


def test_endings_choose_a_dialect(tmp_path: Path) -> None:
    for ending, start in ((".qmd", "---\ntitle: "), (".txt", "# cat chases mouse")):
        path = tmp_path / f"page{ending}"
        done = CliRunner().invoke(main, ["write", "-o", str(path)])
        assert done.exit_code == 0
        assert path.read_text("utf-8").startswith(start)
    path = tmp_path / "page.md"
    CliRunner().invoke(main, ["write", "--format", "myst", "-o", str(path)])
    assert "$$ (eq-cat-chases-mouse-A)" in path.read_text("utf-8")
