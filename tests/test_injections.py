"""Text that would be a command somewhere, in every place that text has, in every writer.

What a stranger writes is shown, and nothing in it is obeyed: not by TeX, typst, a browser, a
reader of Markdown, a notebook or a terminal. Where a program that would obey is installed, it is
given the result.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import symattn as sa
from symattn.blocks import Page
from symattn.cli import main
from symattn.document import Builder, page
from symattn.errors import SpecError, SymattnError
from symattn.notation import visible
from symattn.selection import top_k
from symattn.spec_reader import parse_spec
from symattn.text import WORDS, Section, Text, load_text
from symattn.toml_text import quoted
from symattn.worksheets.sheet import worksheet
from symattn.writers import dialects, formats, latex, markdown, notebook, typst
from symattn.writers import html as html_writer
from symattn.writers.session import _quoted, _text

pytestmark = pytest.mark.once

HERE = Path(__file__).parent

#: A script that says that it ran.
PWN = "window.pwned=1"

#: What each would do, by whom.
INJECTIONS = {
    "TeX": (
        "\\input{/etc/passwd}", "\\write18{touch pwned}", "\\immediate\\openout5=pwned", "\\catcode`\\%=12",
        "^^5cinput{canary}", "100% \\end{document}", "\\csname input\\endcsname", "#1", "\\verb|x|", "$\\input{canary}$",
        "$$", "\\directlua{os.execute('touch pwned')}", "~^_&", "\\", "{", "}",
    ),
    "HTML": (
        f"<img src=x onerror={PWN}>", f"</script><script>{PWN}</script>", f'"><svg onload="{PWN}">',
        f"<a href='javascript:{PWN}'>a</a>", f"]]><script>{PWN}</script>", f"--><script>{PWN}</script>",
        f"&#x3c;script&#x3e;{PWN}&#x3c;/script&#x3e;", f"&lt;script&gt;{PWN}", f"</style><img src=y onerror={PWN}>",
        f"</title><svg/onload={PWN}>", f"</template><img src=z onerror={PWN}>", "<base href=//evil.example>",
        "<!--", "<![CDATA[", "<meta http-equiv=refresh content=0;url=//evil.example>",
    ),
    "Markdown": (
        "![a](http://evil.example/a.png)", f"[a](javascript:{PWN})", "<http://evil.example>", "`code`", "**b**",
        "# heading", "- item", "1. item", "---", "> quote", "| a | b |", "[^1]", "$x$", "```", "~~~", "    code",
        "a\\", "[a]: http://evil.example", "1) item", "+ item",
    ),
    "books": (
        "{include} /etc/passwd", ":::{include} /etc/passwd", "```{include} /etc/passwd", "{raw:html}`<script>`",
        "{{< include /etc/passwd >}}", "{{< env HOME >}}", "```{python}", "{{ config }}", "{% include x %}",
        "(target)=", "% comment", "+++", "@cite", "^sup^", "[span]{.class onclick=x}", "::: {.cell}",
        "{download}`/etc/passwd`", "|sub|", ".. include:: /etc/passwd", "`x`_",
    ),
    "mermaid": ('a"] --> b; click x "javascript:alert(1)"', "%%{init: {}}%%", "end", "#quot;"),
    "typst": (
        '#read("canary.txt")', '#eval("1")', "#show: x => [gone]", "#import \"a.typ\"", '$#read("canary.txt")$', "<label>",
        "@ref", "= heading", "#let x = 1", "// comment", "/* comment */", "\\u{41}", '"); #read("canary.txt"',
    ),
    "Python": ('"""', "'''", '"); import os; os.system("touch pwned"); ("', "\\N{DIGIT ONE}", "%run x", "!touch pwned"),
    "terminals": (
        "\x1b[31mred", "\x1b]52;c;ZXZpbA==\x07", "\x9b2J", "\u202eevil", "\u2066evil", "\u200b", "\x00nul", "\x08\x08",
        "\x1b]0;title\x07", "a\u2028b", "\x7f", "\ufeff", "\U000e0041", "\u0085next",
    ),
    "lines": ("a\nb", "a\r\n\r\n<b>", "a\n\n```{python}\nimport os\n```\n", "a\n\n\\input{canary}\n", "\t\ttab"),
}  # fmt: skip
WORDS_OF = [word for some in INJECTIONS.values() for word in some]

#: Those that a line of an author's prose can have: its own syntax is dollars, stars, braces and `.
PROSE = [w for w in WORDS_OF if not re.search(r"[$`*{}\n\r]", w) and w.strip()]


def spec_text(words: Sequence[str], title: str) -> str:
    some = ", ".join(map(quoted, words[:3]))
    row = ", ".join(str(i % 5) for i in range(len(words)))
    return f"""
format = 1
model = "next_token"
title = {quoted(title)}
tokens = [{some}]
vocabulary = [{", ".join(map(quoted, words))}]
mask = "causal"
[matrices]
W_vocab = [[{row}], [{", ".join("1" * len(words))}]]
W_Q = "identity"
W_K = "identity"
W_V = "identity"
W_1 = "identity"
[[claims]]
at = "A[1,0]"
printed = "0.7"
[[properties]]
lhs = "A"
rhs = "A"
title = {quoted(title.replace("$", ""))}
source = {quoted(title)}
"""


TEXT = Text(
    (
        Section("a", "50% <b>" + visible(PROSE[0]), "{show *}\n\n{map}", "test"),
        Section(
            "b", "{largest P}",
            "{changes E O}\n\n{probabilities P}\n\n{sentence P}\n\n{claims}\n\n{properties own}", "test",
        ),
        *(Section(f"c{i}", "", f"{word}\n\n- {word}\n- `{word}`", "test") for i, word in enumerate(PROSE)),
    ),
    WORDS,
)  # fmt: skip


@cache
def derivations() -> tuple[sa.Derivation, ...]:
    """All words in four vocabularies; a title is a dozen of them."""
    parts = [WORDS_OF[i::4] for i in range(4)]
    return tuple(parse_spec(spec_text(p, " ".join(p[-12:]))).derive() for p in parts)


@cache
def pages() -> tuple[Page, ...]:
    return tuple(page(d, TEXT) for d in derivations())


def is_clean(text: str) -> bool:
    return all(c.isprintable() or c == "\n" for c in text)


# Every text format: no sign that a terminal obeys, and each word is there.


@pytest.mark.parametrize("form", [f for f in formats.FORMATS if f != "pdf"])
def test_no_format_has_signs_that_a_terminal_obeys(form: str) -> None:
    if form == "notebook":
        for d in derivations():
            assert is_clean(notebook.write(Page(d.spec.title, page(d, TEXT).blocks)))
        return
    for made in pages():
        text = formats.written(made, form)
        assert isinstance(text, str)
        bad = {c for c in text if not c.isprintable() and c not in ("\n", "\t" * (form == "html"))}
        assert not bad, bad


# HTML, read as a browser does.


class Tags(HTMLParser):
    """Elements and attributes of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str | None]] = {}
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value)

    def handle_data(self, data: str) -> None:
        self.words += data


def harmless(found: Tags, more: Sequence[str] = ()) -> None:
    assert not found.tags & {
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "link",
        "foreignobject",
        *more,
    }
    assert not [name for name in found.attributes if name.startswith("on")]
    for value in found.attributes.get("href", ()):
        assert value is not None and value.startswith("#"), value
    assert not {"src", "srcset", "action", "formaction", "xlink:href", "data"} & {*found.attributes}


def test_pages_to_explore_have_no_elements_of_a_stranger() -> None:
    for made in pages():
        text = html_writer.write(made)
        assert text.count("<script") == 2
        harmless(Tags(text))


@pytest.mark.parametrize("kind", ["heatmap", "bars", "arcs", "arrows"])
def test_pictures_have_none(kind: str) -> None:
    from symattn.pictures.files import made

    for d in derivations():
        for found in (d["A"], d["E"]) if kind != "bars" else (d["P"],):
            try:
                text = made(found, kind, "svg")
            except SymattnError:
                continue  # arcs of what is no attention
            assert isinstance(text, str) and is_clean(text)
            harmless(Tags(text), ["script", "style", "a"])
            assert ElementTree.fromstring(text).tag.endswith("svg")


def words_of_pages() -> Iterator[tuple[str, list[str]]]:
    for d in derivations():
        yield d.spec.title, [visible(w) for w in d.spec.vocabulary]


# Markdown, read as its readers do.


def rendered(text: str) -> str:
    """A page as HTML, by a reader that lets HTML through; its mathematics and drawings go first."""
    reader = pytest.importorskip("markdown_it").MarkdownIt(
        "gfm-like", {"html": True, "linkify": False}
    )
    without = re.sub(
        r"```(?:math|mermaid)\n.*?\n```|\$\$\n.*?\n\$\$|(?<!\\)\$[^$\n]+(?<!\\)\$",
        "",
        text,
        flags=re.DOTALL,
    )
    return str(reader.render(without))


def read_markdown(text: str) -> Tags:
    return Tags(rendered(text))


@pytest.mark.parametrize("form", ["markdown", "plain", "myst", "quarto"])
def test_markdown_has_no_elements_of_a_stranger(form: str) -> None:
    write = markdown.write if form == "markdown" else lambda p: dialects.write(p, dialect=form)
    for made in pages():
        found = read_markdown(write(made))
        harmless(
            found,
            ["script", "svg", "a", "math", "style", "meta", "template", "title", "blockquote"],
        )
        if form in ("markdown", "plain"):
            for word in PROSE:
                assert visible(word) in found.words, word


def test_notebooks_have_none_and_their_code_is_ours() -> None:
    for d in derivations():
        made = json.loads(notebook.write(page(d, TEXT)))
        for cell in made["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                harmless(
                    read_markdown(source),
                    ["script", "svg", "a", "math", "style", "meta", "template"],
                )
                continue
            called = {
                getattr(n.func, "attr", getattr(n.func, "id", "")) for n in ast.walk(ast.parse(source))
                if isinstance(n, ast.Call)
            }  # fmt: skip
            assert called <= {"loads", "load", "article", "decimal", "largest", "print", "verify", "backward",
                              "with_", "compare", "vary", "explain", "with_display", "equals"}, called  # fmt: skip
            for output in cell["outputs"]:
                assert {*output.get("data", {})} <= {"text/plain", "text/latex", "text/markdown"}


@given(st.text())
def test_text_in_code_is_a_literal(text: str) -> None:
    assert ast.literal_eval(_text(text)) == text
    assert ast.literal_eval(_quoted(text)) == text.replace("\r\n", "\n").replace("\r", "\n") or (
        ast.literal_eval(_quoted(text)) == text
    )
    assert is_clean(_text(text)) and is_clean(_quoted(text))


def test_myst_reads_no_directives_and_no_files() -> None:
    pytest.importorskip("myst_parser")
    from docutils import nodes
    from docutils.core import publish_doctree
    from myst_parser.docutils_ import Parser

    # As many of its extensions as there are.
    settings = {
        "myst_enable_extensions": [
            "amsmath", "attrs_inline", "attrs_block", "colon_fence", "deflist", "dollarmath", "fieldlist",
            "html_admonition", "html_image", "replacements", "smartquotes", "strikethrough", "substitution",
            "tasklist",
        ],
        "report_level": 5, "file_insertion_enabled": True, "raw_enabled": True,
    }  # fmt: skip
    for made in pages():
        text = dialects.write(made, dialect="myst")
        text = re.sub(r"```\{mermaid\}\n.*?\n```", "", text, flags=re.DOTALL)
        tree = publish_doctree(text, parser=Parser(), settings_overrides=settings)
        assert not [*tree.findall(nodes.raw)]
        assert not [*tree.findall(nodes.image)]
        assert not [*tree.findall(nodes.reference)]
        assert not [*tree.findall(nodes.comment)]
        assert not [*tree.findall(nodes.problematic)]
        assert "root:" not in tree.astext()


def test_quarto_sees_no_cells_and_no_shortcodes() -> None:
    if not shutil.which("pandoc"):
        pytest.skip("pandoc is not installed")
    for made in pages():
        text = dialects.write(made, dialect="quarto")
        assert "{{<" not in text
        assert not re.search(r"(?m)^\s*[`~]{3,}\s*\{(?!mermaid)", text)
        done = subprocess.run(
            ["pandoc", "-f", "markdown", "-t", "json"], input=text, capture_output=True, text=True, check=True,
        )  # fmt: skip
        kinds = {node["t"] for node in walked(json.loads(done.stdout)) if "t" in node}
        assert not kinds & {"RawBlock", "Image", "Link", "Cite"}, kinds
        raw = {n["c"][1] for n in walked(json.loads(done.stdout)) if n.get("t") == "RawInline"}
        assert raw <= {"<code>", "</code>"}


def walked(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for child in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from walked(child)


# What an author's formula may be.


@pytest.mark.parametrize(
    "formula",
    [
        r"\input{/etc/passwd}", r"\write18{ls}", r"\catcode`\%=12", r"^^5cinput{x}", r"\text{^^5cinput{x}}",
        r"\def\x{\input{y}}", r"\gdef\frac{\input{y}}", r"\newcommand\x{1}", r"\let\x\input", r"a % b",
        r"\href{javascript:alert(1)}{x}", r"\includegraphics{x}", r"\begin{filecontents}{x}a\end{filecontents}",
        r"\directlua{x}", r"\csname input\endcsname", r"\end{document}", r"\htmlClass{a}{b}", r"\url{x}", "a#1",
        r"\openout5=x", r"\special{x}", r"\verb|x|", r"\require{x}", r"}\input{x}{",
    ],
)  # fmt: skip
def test_formulas_of_an_author_are_formulas(formula: str, tmp_path: Path) -> None:
    built = Builder(derivations()[0], TEXT)
    for text in (f"so ${formula}$ it is", f"**so ${formula}$**"):
        with pytest.raises(SymattnError, match="wanted"):
            built.filled(text)
    (tmp_path / "own.toml").write_text(f"[words]\nstep = {quoted(f'${formula}$')}\n", "utf-8")
    with pytest.raises(SpecError, match="wanted"):
        load_text(tmp_path / "own.toml")
    spec = spec_text(["a", "b", "c"], "t")
    for old, new in (("title = \"t\"\nsource", f"title = {quoted(f'${formula}$')}\nsource"),
                     ('source = "t"', f"latex = {quoted(formula)}")):  # fmt: skip
        with pytest.raises(SpecError, match=r"properties\[0\]: wanted"):
            parse_spec(spec.replace(old, new))


def test_formulas_stay_in_their_line() -> None:
    text = "$a\n```{python}\nb\n```\n<img src=x>$ and $ x $ and $ $"
    made = Builder(derivations()[0], TEXT).filled(text)
    assert made[0].latex == "a ```{python} b ``` < img src=x>"  # type: ignore[union-attr]
    assert made[2].latex == "x"  # type: ignore[union-attr]


# The terminal: every command, on words as they are and in every message.


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("hostile")
    out = []
    for i in range(2):
        part = WORDS_OF[i::7]
        (folder / f"{i}.toml").write_text(spec_text(part, " ".join(part)), "utf-8")
        out.append(str(folder / f"{i}.toml"))
    return out


COMMANDS = (
    ("show", "{0}", "A"), ("show", "{0}", "A[1,1]"), ("show", "{0}", "P", "--json"), ("show", "{0}", "P", "--top", "3"),
    ("show", "{0}", "E", "--format", "latex"), ("show", "{0}", "E", "--format", "markdown"),
    ("list", "{0}"), ("list", "{0}", "--format", "mermaid"), ("verify", "{0}"), ("prove", "{0}", "--only", "own"),
    ("prove", "{0}", "--only", "own", "--json"), ("prove", "{0}", "--only", "own", "--format", "markdown"),
    ("prove", "{0}", "--only", "own", "--format", "latex"), ("generate", "{0}", "-n", "1"),
    ("generate", "{0}", "-n", "1", "--format", "markdown"), ("generate", "{0}", "-n", "1", "--json"),
    ("vary", "{0}", "W_1[0,0]"), ("vary", "{0}", "W_1[0,0]", "--format", "markdown"),
    ("vary", "{0}", "W_1[0,0]", "--json"), ("sensitivity", "{0}"), ("diff", "{0}", "{1}"),
    ("write", "{0}", "--json"), ("write", "{0}", "--format", "notebook"), ("worksheet", "{0}"),
)  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("colours", ["0", "1"])
def test_no_command_prints_what_a_terminal_obeys(
    words: tuple[str, ...], colours: str, specs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if colours == "1" and not {*words}.isdisjoint({"--json", "--format", "write", "worksheet"}):
        pytest.skip("has no colours")
    monkeypatch.setenv("FORCE_COLOR", colours)
    done = CliRunner().invoke(main, [word.format(*specs) for word in words], color=True)
    assert done.exit_code in (0, 1), done.output
    assert is_clean(re.sub(r"\x1b\[(?:0|1|2|3[126]|35)m", "", done.output))
    if "--json" in words:
        json.loads(done.stdout)
    if "markdown" in words:
        harmless(read_markdown(done.stdout), ["script", "svg", "a", "style", "meta", "template"])
    if "latex" in words:
        assert not re.search(
            r"\\(?:input|write|immediate|openout|directlua|csname|catcode|verb|end\{doc)",
            done.stdout,
        )


def test_nothing_shows_of_itself_what_a_terminal_obeys() -> None:
    for d in derivations()[:2]:
        row = list(d["P"])
        for found in (
            d, d["A"], d["P"], row[0], row[0].explain(), d["A"][1, 0].explain(), d["P"].largest(), top_k(row, 2),
            sa.vary(d, "W_1[0,0]"), sa.vary(d, "W_1[0,0]").rows, sa.generate(d, 1), sa.compare(row[0], row[1]),
            sa.vary(d, "W_1[0,0]", "W_1[1,0]", low=(-1, -1), high=(1, 1), cells=20), d.verify(),
            d.spec.statements(["own"]),
        ):  # fmt: skip
            for way in ("__repr__", "__str__", "_repr_markdown_", "_repr_latex_"):
                shown = getattr(found, way, str)()
                assert shown is None or is_clean(shown), (way, shown)


@pytest.mark.parametrize(
    "word", ["\x1b]52;c;ZXZpbA==\x07", "\x9b2J", "\u202eevil", "a\nb", "<img src=x>"], ids=repr
)
def test_no_message_does(word: str, tmp_path: Path) -> None:
    whole = spec_text(["a", "b", "c"], "t")
    broken = [
        whole.replace('tokens = ["a"', f"tokens = [{quoted(word)}"),
        whole.replace('at = "A[1,0]"', f"at = {quoted(word)}"),
        whole.replace('lhs = "A"', f"lhs = {quoted(word)}"),
        whole.replace('mask = "causal"', f"mask = {quoted(word)}"),
        f"{whole}\n[aliases]\n{quoted(word)} = {quoted(word)}",
        whole.replace("[matrices]", f"[matrices]\n{quoted(word)} = 1"),
        f"text = {quoted(f'../{word}')}\n{whole}",
        f"{quoted(word)} = 1\n{whole}",
        whole.replace('"identity"', quoted(word)),
    ]
    commands = [["show", word], ["check", word], ["check", f"{word}.md", "--spec", word], [word], ["show", "A", "--as", word],
                ["new", word], ["write", "-o", word], ["certify", word, "--ids", word], ["params", word], ["diff", word, word],
                ["vary", word], ["prove", word], ["worksheet", word, "--random"], ["generate", "-n", word]]  # fmt: skip
    for i, text in enumerate(broken):
        (tmp_path / f"{i}.toml").write_text(text, "utf-8")
        commands.append(["prove", str(tmp_path / f"{i}.toml"), "--only", "own"])
    for asked in commands:
        status, said = failed(asked)
        assert status == 2, (asked, said)
        assert is_clean(said), (asked, said)


def failed(words: Sequence[str]) -> tuple[int, str]:
    """The status of a call and what it says, by the program's own way out."""
    import contextlib
    import io
    import sys
    from unittest import mock

    from symattn.cli import run

    said = io.StringIO()
    with mock.patch.object(sys, "argv", ["symattn", *words]), contextlib.redirect_stderr(said), \
            contextlib.redirect_stdout(said), pytest.raises(SystemExit) as stopped:  # fmt: skip
        run()
    return int(stopped.value.code or 0), said.getvalue()


def test_documents_do_not_either(tmp_path: Path) -> None:
    for i, word in enumerate(w for w in INJECTIONS["terminals"] if "\x00" not in w):
        text = f"{word} A {word}\n\n$A = \\begin{{bmatrix}} 1 & {word} \\\\ 0.5 & 0.5 \\end{{bmatrix}}$\n\n0.3 <!-- symattn: A{word} -->\n"
        (tmp_path / f"{i}.md").write_text(text, "utf-8")
        for options in ((), ("--format", "github"), ("--json",)):
            done = CliRunner().invoke(main, ["check", str(tmp_path / f"{i}.md"), *options])
            assert done.exit_code in (0, 1, 2)
            assert is_clean(done.output), (word, options, done.output)


# Given to those who would obey.


@pytest.mark.render
def test_no_script_runs_and_nothing_is_asked_for(tmp_path: Path) -> None:
    chromium, modules = shutil.which("chromium"), os.environ.get("NODE_PATH")
    if not (
        chromium and shutil.which("node") and modules and Path(modules, "puppeteer-core").is_dir()
    ):
        pytest.skip("chromium and node with puppeteer-core are not installed (NODE_PATH)")
    from symattn.pictures.files import made as picture

    (tmp_path / "control.html").write_text(f"<!doctype html><img src=x onerror={PWN}>")
    for i, (d, made) in enumerate(zip(derivations(), pages(), strict=True)):
        text = html_writer.write(made)
        (tmp_path / f"{i}.html").write_text(text, "utf-8")
        # The page's own policy would hide what gets through.
        (tmp_path / f"{i}-open.html").write_text(
            re.sub(r"<meta http-equiv[^>]*>", "", text), "utf-8"
        )
        (tmp_path / f"{i}.svg.html").write_text(str(picture(d["A"], "heatmap", "svg")), "utf-8")
        for form in ("markdown", "myst", "quarto", "plain"):
            shown = rendered(str(formats.written(made, form)))
            (tmp_path / f"{i}-{form}.html").write_text(
                f"<!doctype html><meta charset=utf-8>{shown}", "utf-8"
            )
    names = [str(p) for p in sorted(tmp_path.glob("*.html"))]
    done = subprocess.run(
        ["node", str(HERE / "render_hostile.cjs"), chromium, *names],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    found = json.loads(done.stdout)
    control = found.pop(str(tmp_path / "control.html"))
    assert control["pwned"] and control["requests"]  # it is seen where it happens
    for name, seen in found.items():
        assert not seen["pwned"], name
        assert not seen["requests"], (name, seen["requests"])
        assert not seen["dialogs"], name
    for i, (_, words) in enumerate(words_of_pages()):
        shown = " ".join(found[str(tmp_path / f"{i}.html")]["words"].split())
        for word in words:
            assert " ".join(word.split()) in shown, word


@pytest.mark.render
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_tex_reads_and_writes_nothing(engine: str, tmp_path: Path) -> None:
    if not (shutil.which(engine) and shutil.which("pdftotext")):
        pytest.skip(f"{engine} or pdftotext is not installed")
    for name in ("canary", "canary.tex"):
        (tmp_path / name).write_text("the canary sings")
    before = {p.name for p in tmp_path.iterdir()}
    for i, made in enumerate(pages() if engine == "pdflatex" else pages()[:1]):
        (tmp_path / "page.tex").write_text(latex.write(made), "utf-8")
        done = subprocess.run(
            [engine, "-interaction=nonstopmode", "-halt-on-error", "-recorder", "-shell-escape", "page.tex"],
            cwd=tmp_path, capture_output=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, (tmp_path / "page.log").read_text("utf-8", "replace")[-1500:]
        assert (
            not {p.name for p in tmp_path.iterdir()}
            - before
            - {f"page.{e}" for e in ("tex", "log", "aux", "fls", "pdf")}
        )
        read = (tmp_path / "page.fls").read_text("utf-8", "replace")
        assert "canary" not in read and "passwd" not in read
        text = subprocess.run(
            ["pdftotext", "page.pdf", "-"], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
        assert "canary sings" not in text and "root:" not in text
        if engine == "pdflatex":
            plain = "".join(text.split())
            for word in derivations()[i].spec.vocabulary:
                if word.isascii() and word.isprintable() and not re.search("[-'\"`<>,^~]", word):
                    assert "".join(word.split()) in plain, word


def test_typst_reads_nothing(tmp_path: Path) -> None:
    compiler = pytest.importorskip("typst")
    pypdf = pytest.importorskip("pypdf")
    from symattn import typesetting

    (tmp_path / "canary.txt").write_text("the canary sings")
    (tmp_path / "control.typ").write_text('#read("canary.txt")')
    control = pypdf.PdfReader(BytesIO(compiler.compile(str(tmp_path / "control.typ"))))
    assert "canary sings" in control.pages[0].extract_text()
    for made in pages():
        source = typst.write(made)
        source = typst.write(made, unseen=typesetting.unseen(source))
        (tmp_path / "page.typ").write_text(source, "utf-8")
        data = compiler.compile(str(tmp_path / "page.typ"))
        text = "".join(p.extract_text() for p in pypdf.PdfReader(BytesIO(data)).pages)
        assert "canary sings" not in text
        plain = re.sub(r"[\s\u00ad\u200b-]", "", text)  # some are hyphenated
        for word in made.derivation.spec.vocabulary if made.derivation else ():
            if word.isascii() and word.isprintable() and not re.search("['\"-]", word):
                assert "".join(word.split()) in plain, word


def test_worksheets_are_pages_like_others() -> None:
    for d in derivations():
        made = worksheet(d.spec.derive(), "A", seed=1)
        for p in (made.sheet, made.key):
            harmless(Tags(html_writer.write(p)))
            harmless(read_markdown(markdown.write(p)), ["script", "svg", "a", "meta"])
            assert is_clean(latex.write(p))


def test_escaped_words_are_the_words_again() -> None:
    for word in WORDS_OF:
        shown = read_markdown(f"x {markdown.escape(word)} x").words
        assert shown.split() == f"x {visible(word)} x".split()
