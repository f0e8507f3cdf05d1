"""A Sphinx extension, for Jupyter Book and other pages in MyST and reST.

With ``extensions = ["symattn.sphinx"]`` in conf.py there is a directive for the blocks that a
text of symattn knows (`symattn.document` lists them), and a role for its values:

    ```{symattn} show Q K V          .. symattn:: show Q K V
    :spec: mine.toml                    :spec: mine.toml
    :digits: 4                          :digits: 4
    ```

    {symattn-value}`A[1,1] 4`        :symattn-value:`A[1,1] 4`

A name alone is a step to show, or an entry to write out. What cannot be used is a warning with
file and line, of the type ``symattn``, and the command stands in the page as it was written.

``html_math_renderer = "symattn"`` has all equations of a project as MathML, made when the pages are
built: no script sets them, and nothing is fetched.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

import symattn
from symattn import mathml
from symattn.blocks import Paragraph, inlines
from symattn.derivation import Derivation
from symattn.display import OPTIONS
from symattn.document import Builder, commands
from symattn.errors import SpecError, SymattnError
from symattn.files import is_within
from symattn.writers import nodes as writer

logger = logging.getLogger(__name__)

#: Where a document's state is kept while it is read.
KEY = "symattn"


@dataclass
class Document:
    """What is known of a document while it is read.

    Attributes:
        spec: what its directives and roles are about, where they do not say: a built-in's name,
            or a path from the folder of the sources, behind a slash.
        digits: as many decimals as the spec says where it is None.
        derivations: by spec.
        builders: by spec and digits; what one of them has explained it does not explain again.
    """

    spec: str
    digits: int | None = None
    derivations: dict[str, Derivation] = field(default_factory=dict)
    builders: dict[tuple[str, int | None], Builder] = field(default_factory=dict)


def document(env: Any) -> Document:
    """The state of the document that Sphinx is reading."""
    found = env.temp_data.get(KEY)
    if found is None:
        spec = str(env.config.symattn_spec)
        path = spec if Path(spec).suffix != ".toml" else f"/{spec.lstrip('/')}"
        found = env.temp_data[KEY] = Document(path)
    assert isinstance(found, Document)
    return found


def builder(env: Any, spec: str, digits: int | None) -> Builder:
    """What builds the blocks of a spec in this document.

    Raises:
        SymattnError: the spec cannot be used.
    """
    state = document(env)
    key = (spec, digits)
    if key not in state.builders:
        if spec not in state.derivations:
            state.derivations[spec] = _loaded(env, spec)
        derivation = state.derivations[spec]
        if digits is not None:
            derivation = derivation.with_digits(digits)
        state.builders[key] = Builder.of_blocks(derivation)
    return state.builders[key]


def _loaded(env: Any, spec: str) -> Derivation:
    """A spec, derived; a page depends on its file and on that of its text."""
    if Path(spec).suffix != ".toml":
        return symattn.load(spec)
    _, path = env.relfn2path(spec)
    env.note_dependency(path)
    derivation = symattn.load(path)
    text = Path(path).parent / derivation.spec.text_name
    if text.is_file():
        env.note_dependency(str(text))
    return derivation


class Symattn(SphinxDirective):  # type: ignore[misc]
    """The blocks of commands; without any it sets its options for what follows in the document."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        "spec": directives.unchanged_required,
        "digits": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        lines = [*"".join(self.arguments[:1]).split("\n"), *self.content]
        asked = commands(lines)
        state = document(self.env)
        try:
            spec, digits = self._spec(state), self._digits(state)
            made = builder(self.env, spec, digits)
        except SymattnError as error:
            return self._refused(error, asked)
        if not asked:
            if not self.options:
                return self._refused(SpecError("wanted a command such as show A"), [])
            state.spec, state.digits = spec, digits
        out: list[nodes.Node] = []
        for command in asked:
            try:
                out += map(writer.written, made.asked(command))
            except SymattnError as error:
                out += self._refused(error, [command])
        for node in out:
            self.set_source_info(node)
        return out

    def _spec(self, state: Document) -> str:
        """The spec that is meant: a built-in's name, or a path from the folder of the sources."""
        spec: str = self.options.get("spec", "")
        if Path(spec).suffix != ".toml":
            return spec or state.spec
        relative, _ = self.env.relfn2path(spec)
        if not is_within(Path(self.env.srcdir) / relative, Path(self.env.srcdir)):
            said = "wanted a file in the folder of the sources, or symattn_spec in conf.py"
            raise SpecError(f":spec: {said}, got {spec}")
        return f"/{relative}"

    def _digits(self, state: Document) -> int | None:
        text = self.options.get("digits")
        if text is None:
            return state.digits
        try:
            digits: int = OPTIONS["digits"].parsed(text)
        except SymattnError as error:
            raise SpecError(f":digits: {error}") from None
        return digits

    def _refused(self, error: SymattnError, commands: list[str]) -> list[nodes.Node]:
        logger.warning("symattn: %s", error, location=self.get_location(), type="symattn")
        return [nodes.literal_block(text, text, language="none") for text in commands]


class Value(SphinxRole):  # type: ignore[misc]
    """A value in a line of text."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        command = " ".join(self.text.split())
        state = document(self.env)
        try:
            parts = builder(self.env, state.spec, state.digits).value(command)
        except SymattnError as error:
            logger.warning("symattn: %s", error, location=self.get_location(), type="symattn")
            return [nodes.literal(self.text, self.text)], []
        said = nodes.inline("", "", *writer.inlines(parts), **writer.AS_IT_IS)
        self.set_source_info(said)
        return [said], []


def explain(app: Any, doctree: nodes.document) -> None:
    """At the end of a document: what is certain of its inputs, and notes on marked values."""
    state = app.env.temp_data.get(KEY)
    made = list(state.builders.values()) if state else []
    said = {b.words["printed_inputs"]: None for b in made if b.d.radii}
    notes = [Paragraph(inlines(text)) for text in said] + [n for b in made for n in b.nearest()]
    place: Any = doctree
    while len(place) and isinstance(place[-1], nodes.section):
        place = place[-1]
    place += map(writer.written, notes)


def inline_math(translator: Any, node: nodes.math) -> None:
    """Mathematics in a line, as MathML."""
    translator.body.append(_mathml(node, node.astext(), displayed=False))
    raise nodes.SkipNode


def displayed_math(translator: Any, node: nodes.math_block) -> None:
    """An equation as MathML, with its number; several are parted by empty lines."""
    number = node.get("number")
    translator.body.append(translator.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if number:
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, _("Link to this equation"))
        translator.body.append("</span>")
    for part in re.split(r"\n\s*\n", node.astext().strip()):
        has_rows = "\\\\" in part and not part.lstrip().startswith("\\begin")
        latex = f"\\begin{{aligned}}{part}\\end{{aligned}}" if has_rows else part
        translator.body.append(_mathml(node, latex, displayed=True))
    translator.body.append("</div>")
    raise nodes.SkipNode


def _mathml(node: nodes.Node, latex: str, *, displayed: bool) -> str:
    """MathML; LaTeX that has none is a warning, and stands in the page as it was written."""
    try:
        return mathml.text(latex, displayed=displayed)
    except mathml.MathError as error:
        logger.warning("symattn: %s", error, location=node, type="symattn")
        return f"<code>{html.escape(latex)}</code>"


def offer_mathml(app: Any, config: Any) -> None:
    """Where it is asked for only: Sphinx takes what it is offered in place of its own."""
    if config.html_math_renderer == "symattn":
        app.add_html_math_renderer("symattn", (inline_math, None), (displayed_math, None))


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_config_value("symattn_spec", "article", "env", types=[str])
    app.add_directive("symattn", Symattn)
    app.add_role("symattn-value", Value())
    app.connect("doctree-read", explain)
    app.connect("config-inited", offer_mathml)
    return {
        "version": symattn.__version__,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
