"""The Sphinx extension, on small projects that Sphinx builds."""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import symattn as sa
from symattn.document import Builder
from symattn.text import Text

pytest.importorskip("sphinx")
pytest.importorskip("myst_parser")
pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
HOSTILE = ROOT / "tests" / "specs" / "hostile.toml"

CONF = """
project = "book"
extensions = ["myst_parser", "symattn.sphinx"]
html_theme = "basic"
show_warning_types = True
"""

MYST = """
# Attention

```{toctree}
rest
```

Weight {symattn-value}`A[1,1]` or {symattn-value}`A[1,1] 12`, exactly {symattn-value}`exact A[1,1]`.
The next word is {symattn-value}`largest P`.

```{symattn} show Q K V
:digits: 7
```

```{symattn} A
```

```{symattn}
S[1,2]
probabilities P
map
```
"""

REST = """
In reST
=======

.. symattn:: A
   :spec: article-encoder
   :digits: 9

Weight :symattn-value:`A[1,1] 15`.

.. symattn:: probabilities P
"""

SPEC = """
format = 1
model = "attention_head"
tokens = ["cat", "mouse"]
[matrices]
E = [[1, 0], [0, 1]]
W_Q = "identity"
W_K = "identity"
W_V = "identity"
"""


def project(folder: Path, **files: str) -> Path:
    """A project of these files: `index.md` by `index_md`."""
    (folder / "conf.py").write_text(CONF, "utf-8")
    for name, text in files.items():
        path = folder / ".".join(name.rsplit("_", 1))
        path.write_text(text, "utf-8")
    return folder


def built(folder: Path, builder: str, *options: str) -> tuple[int, str]:
    """Sphinx's exit code and what it said."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "sphinx",
            "-b",
            builder,
            *options,
            str(folder),
            str(folder / builder),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
    )
    return done.returncode, done.stdout + done.stderr


def page(folder: Path, name: str, builder: str = "html") -> str:
    """What a built page says; in HTML with its tags."""
    text = (folder / builder / name).read_text("utf-8")
    return html.unescape(text) if builder == "html" else text


def numbers(step: sa.derivation.Step, digits: int) -> list[str]:
    return [entry.decimal(digits) for entry in step.entries()]


@pytest.mark.parametrize("builder", ["html", "latex"])
def test_myst_and_rest_have_the_certified_values(
    builder: str, tmp_path: Path, article: sa.Derivation, encoder: sa.Derivation
) -> None:
    folder = project(tmp_path, index_md=MYST, rest_rst=REST)
    code, said = built(folder, builder, "-W", "-j", "2")
    assert code == 0, said
    if builder == "html":
        first, second = page(folder, "index.html"), page(folder, "rest.html")
    else:
        first = second = page(folder, "book.tex", "latex")
    assert f"or {article['A'][1, 1].decimal(12)}" in re.sub("<[^>]*>", "", first)
    assert article["A"][1, 1].latex() in first
    assert re.search(r"next word is\s+(<[^>]*>)?chases", first)
    for name in ("Q", "K", "V"):
        for number in numbers(article[name], 7):
            assert number in first
    for number in numbers(article["P"], 2):
        assert number in first
    assert article["S"][1, 2].explain().latex() in first
    for number in numbers(encoder["A"], 9):
        assert number in second
    # The option was for one directive; the page's own spec is the default.
    assert article["A"][1, 1].decimal(15) in second


EQUATIONS = r"""
# Equations

In a line {math}`a < b_1` and

```{math}
:label: first
x = \frac{1}{2}
```

```{math}
a &= b \\
c &= d

e = f
```

as {eq}`first` says.
"""


def test_equations_are_mathml_where_the_project_asks_for_it(tmp_path: Path) -> None:
    folder = project(tmp_path, index_md=EQUATIONS)
    with (folder / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write('html_math_renderer = "symattn"\n')
    code, said = built(folder, "html", "-W")
    assert code == 0, said
    made = (folder / "html" / "index.html").read_text("utf-8")
    assert len(re.findall(r"<math\b", made)) == 4
    assert "<mfrac><mn>1</mn><mn>2</mn></mfrac>" in made
    assert "<mo>&lt;</mo>" in made
    assert '<span class="eqno">(1)' in made
    assert made.count("<mtr>") == 2  # the two rows of one equation
    for loader in ("mathjax", "katex", "http://", "https://"):
        assert loader not in re.sub(r"<a\b.*?</a>|xmlns\S*", "", made, flags=re.DOTALL).lower()


def test_an_equation_without_mathml_is_a_warning_with_file_and_line(tmp_path: Path) -> None:
    folder = project(tmp_path, index_md="# Page\n\nIn a line {math}`\\frac{1 <b>`.\n")
    with (folder / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write('html_math_renderer = "symattn"\n')
    code, said = built(folder, "html")
    assert code == 0
    assert re.search(r"index\.md:3: WARNING: symattn: wanted LaTeX .*\[symattn\]", said), said
    assert r"<code>\frac{1 &lt;b&gt;</code>" in (folder / "html" / "index.html").read_text("utf-8")


def test_a_wrong_name_is_a_warning_with_file_and_line(tmp_path: Path) -> None:
    text = "# Page\n\n```{symattn} Qq\n```\n\nNext {symattn-value}`A[9,9]`.\n"
    folder = project(tmp_path, index_md=text)
    code, said = built(folder, "html")
    assert code == 0
    assert re.search(r"index\.md:3: WARNING: symattn: .*'Qq'.*\[symattn\]", said), said
    assert re.search(r"index\.md:6: WARNING: symattn: .*A\[9, 9\].*\[symattn\]", said), said
    assert "Qq" in page(folder, "index.html")  # what was written stands there
    code, said = built(folder, "html", "-W", "-E")
    assert code != 0


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        ("show A\n:digits: many", ":digits: wanted a whole number"),
        ("show A\n:spec: nowhere.toml", "No such file"),
        ("show A\n:spec: artikel", "no built-in spec 'artikel'"),
        ("show Qx*", "there are no such steps"),
        ("shew A", "unknown block, did you mean 'show'"),
        ("A[1]", "wanted a step or an entry"),
        ("", "wanted a command"),
    ],
)
def test_what_cannot_be_used_says_what_was_wanted(block: str, wanted: str, tmp_path: Path) -> None:
    folder = project(tmp_path, index_md=f"# Page\n\n```{{symattn}} {block}\n```\n")
    code, said = built(folder, "dummy")
    assert code == 0
    (line,) = [line for line in said.splitlines() if "WARNING" in line]
    assert "index.md:3: WARNING: symattn: " in line
    assert wanted in line


@pytest.mark.parametrize("builder", ["html", "latex"])
def test_hostile_text_stays_text(builder: str, tmp_path: Path) -> None:
    text = """# Page

```{symattn}
:spec: hostile.toml
```

```{symattn} show *
```

```{symattn}
probabilities P
changes E O
claims
map
steps
```

After them {symattn-value}`sentence P` and {symattn-value}`largest P`.
"""
    folder = project(tmp_path, index_md=text)
    shutil.copy(HOSTILE, folder)
    code, said = built(folder, builder, "-W")
    assert code == 0, said
    if builder == "latex":
        written = page(folder, "book.tex", "latex")
        assert r"\write18" not in written
        assert "textbackslash{}write18" in written
        return
    written = (folder / "html" / "index.html").read_text("utf-8")
    body = written[written.index('<div class="body"') :]
    assert "<img" not in body
    assert "<script>alert" not in written
    assert "&lt;img src=x onerror=alert(1)&gt;" in body
    assert "--&gt; ]]&gt; &lt;/script&gt;" in body  # as it is: no dash is made of the two
    assert "a|b `c` $d$" in body


def test_a_changed_spec_rebuilds_its_page(tmp_path: Path) -> None:
    text = "# Page\n\n```{symattn} show A\n:spec: own.toml\n:digits: 5\n```\n"
    other = "# Other\n\n```{symattn} show A\n```\n"
    folder = project(
        tmp_path, index_md=f"{text}\n```{{toctree}}\nother\n```\n", other_md=other, own_toml=SPEC
    )
    before = sa.loads(SPEC)["A"][0, 0].decimal(5)
    assert built(folder, "html", "-W")[0] == 0
    assert before in page(folder, "index.html")
    code, said = built(folder, "html", "-W")
    assert "0 added, 0 changed, 0 removed" in said

    changed = SPEC.replace("[[1, 0], [0, 1]]", "[[2, 0], [0, 3]]")
    path = folder / "own.toml"
    path.write_text(changed, "utf-8")
    later = path.stat().st_mtime + 10
    os.utime(path, (later, later))
    code, said = built(folder, "html", "-W")
    assert code == 0
    assert "0 added, 1 changed, 0 removed" in said, said
    after = sa.loads(changed)["A"][0, 0].decimal(5)
    assert after != before
    assert after in page(folder, "index.html")
    assert before not in page(folder, "index.html")


def test_the_projects_spec_is_where_the_sources_are(tmp_path: Path) -> None:
    text = "Value {symattn-value}`A[0,0] 8`.\n"
    folder = project(tmp_path, index_md="# Page\n\n```{toctree}\nsub/page\n```\n", own_toml=SPEC)
    (folder / "sub").mkdir()
    (folder / "sub" / "page.md").write_text(f"# Sub\n\n{text}", "utf-8")
    code, said = built(folder, "html", "-W", "-D", "symattn_spec=own.toml")
    assert code == 0, said
    assert sa.loads(SPEC)["A"][0, 0].decimal(8) in page(folder, "sub/page.html")


def test_marks_of_values_in_lines_are_explained(tmp_path: Path) -> None:
    spec = SPEC + '\n[display]\ndigits = 2\nsmall = "fixed"\n'
    spec = spec.replace("[[1, 0], [0, 1]]", "[[5, 0], [0, 5]]")
    folder = project(tmp_path, index_md="# Page\n\nIt is {symattn-value}`A[0,1]`.\n", own_toml=spec)
    code, said = built(folder, "html", "-W", "-D", "symattn_spec=own.toml")
    assert code == 0, said
    written = page(folder, "index.html")
    assert r"\ddagger" in written
    assert "rounds to 0, and is not 0" in written


def test_folds_hold_all_that_is_in_them(tmp_path: Path) -> None:
    text = "# Page\n\n```{symattn}\n:spec: two-layers.toml\n```\n\n```{symattn} show *\n```\n"
    folder = project(tmp_path, index_md=text)
    spec = (ROOT / "tests" / "specs" / "two-layers.toml").read_text("utf-8")
    spec = spec.replace("[display]", '[display]\nfold = ["layers"]')
    assert "\nfold = " in spec
    (folder / "two-layers.toml").write_text(spec, "utf-8")
    code, said = built(folder, "html", "-W")
    assert code == 0, said
    assert 'class="dropdown admonition' in page(folder, "index.html")


def test_the_guides_page_builds(tmp_path: Path, article: sa.Derivation) -> None:
    guide = (ROOT / "docs" / "jupyter-book.md").read_text("utf-8")
    text = re.findall(r"(?ms)^````md\n(.*?)^````$", guide)[0]
    folder = project(tmp_path, index_md=text)
    code, said = built(folder, "html", "-W")
    assert code == 0, said
    assert article["A"][1, 1].decimal(12) in page(folder, "index.html")


@pytest.mark.parametrize("digits", ["²", "1001", "-1", "two", "9" * 5000])
def test_a_number_of_decimals_that_is_none_is_refused(digits: str, article: sa.Derivation) -> None:
    made = Builder(article, Text((), article.spec.text.words))
    with pytest.raises(sa.SpecError, match="at most 1000"):
        made.value(f"A[1,1] {digits}")
