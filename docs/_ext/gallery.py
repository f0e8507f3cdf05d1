"""The gallery: pictures of examples, and their files, made when the site is built.

A directive draws a step as a heatmap and links to the example's files::

    ```{example} gpt2
    :picture: layer[0].head[0].A
    ```

The name is a built-in's, or that of a spec beside the page. Where a page holds a map in mermaid's
words, which GitHub draws, the site has the same map as SVG.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.display import status_iterator
from sphinx.util.docutils import SphinxDirective

import symattn as sa
from symattn.document import page
from symattn.examples import builtin_folder
from symattn.pictures.heatmap import heatmap
from symattn.pictures.stepmap import stepmap
from symattn.writers import formats

#: The files of an example, by ending, as a reader calls them.
FILES = {
    "html": "page to explore",
    "pdf": "PDF",
    "ipynb": "notebook",
    "tex": "LaTeX",
    "toml": "spec",
}

#: Where they stand, beside the gallery's page.
FOLDER = "files"

MARKER = re.compile(r"<!-- symattn: spec (\S+) -->")


class Example(SphinxDirective):
    """A heatmap of a step, and links to the files of the example."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"picture": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        spec = spec_of(Path(self.env.doc2path(self.env.docname)).parent, name)
        self.env.note_dependency(str(spec))
        known(self.env)[name] = str(spec)
        step = sa.load(spec)[self.options["picture"]]
        links = nodes.paragraph(classes=["files"])
        for ending, said in FILES.items():
            uri = f"{FOLDER}/{name}.{ending}"
            links += [nodes.reference(said, said, refuri=uri), nodes.Text(" ")]
        return [drawn(heatmap(step)), links]


class Map(SphinxDirective):
    """The map of the page's example, in place of mermaid's words for it."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.doc2path(self.env.docname))
        about = MARKER.search(path.read_text("utf-8"))
        name = about[1] if about else "article"
        svg = stepmap(sa.load(spec_of(path.parent, name.removesuffix(".toml"))))
        # Its boxes lead to the steps of a page to explore, which have no places of their own here.
        boxes = re.sub(r' href="#step-\d+"', "", svg).replace("<a ", "<g ").replace("</a>", "</g>")
        return [drawn(boxes)]


def drawn(svg: str) -> nodes.raw:
    """A picture in the page: its text keeps the reader's colours."""
    return nodes.raw("", f'<div class="drawn">{svg}</div>', format="html")


def spec_of(folder: Path, name: str) -> Path:
    """The spec of a name: beside the page, or a built-in."""
    beside = folder / f"{name}.toml"
    return beside if beside.exists() else builtin_folder() / f"{name}.toml"


def known(env: Any) -> dict[str, str]:
    """The examples that pages show, by name, with their specs."""
    if not hasattr(env, "gallery_examples"):
        env.gallery_examples = {}
    found: dict[str, str] = env.gallery_examples
    return found


def write_files(app: Any, error: Exception | None) -> None:
    """The files of all examples that have changed, on as many cores as there are."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "gallery" / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    stale = {n: s for n, s in known(app.env).items() if _mark(folder, n) != _digest(Path(s))}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        made = pool.map(_written, stale, stale.values(), [folder] * len(stale))
        for _ in status_iterator(made, "files of the gallery... ", length=len(stale)):
            pass


def _written(name: str, spec: str, folder: Path) -> str:
    path = Path(spec)
    derivation = sa.load(name if path.parent == builtin_folder() else path)
    whole = page(derivation)
    about = name if path.parent == builtin_folder() else path.name
    for ending in FILES:
        if ending != "toml":
            form = formats.ENDINGS[f".{ending}"]
            content = formats.written(whole, form, about)
            data = content.encode() if isinstance(content, str) else content
            (folder / f"{name}.{ending}").write_bytes(data)
    shutil.copyfile(path, folder / f"{name}.toml")
    (folder / f"{name}.made").write_text(_digest(path), "utf-8")
    return name


def _mark(folder: Path, name: str) -> str:
    path = folder / f"{name}.made"
    return path.read_text("utf-8") if path.exists() else ""


def _digest(spec: Path) -> str:
    """What the files of an example are made from: its spec, its text, and the package."""
    digest = hashlib.sha256()
    for path in _sources(spec):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources(spec: Path) -> Iterator[Path]:
    yield from sorted(spec.parent.glob(f"{spec.stem}*.toml"))
    yield from sorted(
        p for p in Path(sa.__file__).parent.rglob("*") if p.suffix not in (".pyc", "")
    )


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_directive("example", Example)
    app.add_directive("mermaid", Map)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
