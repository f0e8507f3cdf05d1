"""The site of the documentation: it builds, its links lead somewhere, and a browser shows it whole."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
SITE = DOCS / "_build" / "html"


@pytest.fixture(scope="session")
def site() -> Path:
    """The site, built with warnings fatal; files of the gallery that are up to date are kept."""
    for module in ("sphinx", "myst_parser", "furo", "sphinx_click", "typst"):
        pytest.importorskip(module, reason="wanted: pip install '.[docs]'")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E", str(DOCS), str(SITE)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    assert done.returncode == 0, done.stderr
    return SITE


class Links(HTMLParser):
    """Where a page leads, what it loads, and the places in it that links may name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids |= {str(given[key]) for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.hrefs.append(str(given["href"]))
        elif tag != "a":
            self.loads += [
                str(given[key]) for key in ("src", "href") if given.get(key) and tag != "use"
            ]


@cache
def links(path: Path) -> Links:
    return Links(path)


def built(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_links_of_the_site_lead_somewhere(site: Path) -> None:
    dead = []
    for page in built(site):
        for href in links(page).hrefs:
            parts = urlsplit(href)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            is_there = target.is_file()
            if is_there and parts.fragment and target.suffix == ".html":
                is_there = unquote(parts.fragment) in links(target).ids
            if not is_there:
                dead.append((page.relative_to(site).as_posix(), href))
    assert not dead


def test_the_site_loads_nothing_from_another_host(site: Path) -> None:
    loaded = {load for page in built(site) for load in links(page).loads}
    assert not [load for load in loaded if urlsplit(load).netloc]
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(https?:)?//", style.read_text("utf-8")), style


def test_the_gallery_has_page_pdf_notebook_and_spec_of_each_example(site: Path) -> None:
    names = re.findall(r"```\{example\} (\S+)", (DOCS / "gallery" / "index.md").read_text("utf-8"))
    assert len(names) >= 8
    for name in names:
        files = {
            kind: site / "gallery" / "files" / f"{name}.{kind}"
            for kind in ("html", "pdf", "ipynb", "toml", "tex")
        }
        assert files["pdf"].read_bytes().startswith(b"%PDF")
        assert json.loads(files["ipynb"].read_text("utf-8"))["nbformat"] == 4
        assert files["html"].read_text("utf-8").lower().startswith("<!doctype html>")
        assert "format = 1" in files["toml"].read_text("utf-8")
        assert r"\end{document}" in files["tex"].read_text("utf-8")


def test_equations_are_in_the_pages_as_mathml(site: Path) -> None:
    article = (site / "attention.html").read_text("utf-8")
    assert article.count("<math") > 50
    assert "merror" not in article


@pytest.mark.render
def test_every_page_of_the_site_in_a_browser(site: Path, tmp_path: Path) -> None:
    """No error, no request to another host, no maths left in dollars, no page that scrolls sideways."""
    chromium = shutil.which("chromium")
    if not (chromium and shutil.which("node") and os.environ.get("NODE_PATH")):
        pytest.skip("wanted: chromium, node, and NODE_PATH with puppeteer-core")
    pages = [p.relative_to(site).as_posix() for p in built(site) if "_modules" not in p.parts]
    listed = tmp_path / "pages.json"
    listed.write_text(json.dumps(pages), "utf-8")
    done = subprocess.run(
        ["node", str(Path(__file__).parent / "render_docs.cjs"), chromium, str(site), str(listed)],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == set(pages)
    faults = {page: f for page, f in found.items() if any(f.values())}
    assert not faults
