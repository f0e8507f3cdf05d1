"""What comes of texts, whole and broken: read, judged, explained, corrected, refused, each as a line.

The texts are those of the fuzzer (`tests.fuzz`), the same each time. A line is a digest of all that was found, so
any change of what is read, of a place, a verdict, a cause or a message shows, whoever made it; the words behind the
digest say roughly what it was. `python tests/regenerate.py` writes the lines anew: look at what changed, and why.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from symattn.certify import decimal_of
from symattn.claims.check import check
from symattn.claims.fix import difference, edits, fixed_text
from symattn.claims.reading import Document, read
from symattn.claims.reading.cells import read as read_cell
from symattn.claims.reading.mapped import Mapped
from symattn.claims.reading.translate import divisor_text, exact_value
from symattn.comparison import compare
from symattn.decide import sign
from symattn.errors import SymattnError
from symattn.literals import Infinity, parse
from symattn.numbers.compact import number
from symattn.numbers.texts import text as text_of
from symattn.spec_reader import parse_spec
from symattn.transformer import worked_attention
from symattn.writers import findings
from tests import asked, claimed
from tests.fuzz import corpus
from tests.fuzz.mutate import mutated
from tests.fuzz.targets import article
from tests.injection import Author
from tests.layouts import layouts
from tests.notations import Said, looks_like_floats, written
from tests.vocabulary import documents, words

GOLDEN = Path(__file__).parent / "golden" / "recorded"
SEED = 20261201
GROUP = 20  # texts of one test

#: Tests whose texts are documents or parts of some.
READING = (
    "test_reading.py",
    "test_reading_parts.py",
    "test_claims.py",
    "test_check.py",
    "test_check_cli.py",
    "test_entry_names.py",
)


def _tried(what: Callable[[], Any]) -> str:
    """What came of it as text; of a refusal its message."""
    try:
        return repr(what())
    except SymattnError as error:
        return _refusal(error)


def _refusal(error: SymattnError) -> str:
    """Its kind and words, without those of Python's own readers, which change with it."""
    words = re.sub(
        r"(not valid TOML|not valid JSON|not a notebook).*", r"\1", str(error), flags=re.DOTALL
    )
    return f"{type(error).__name__}: {words}"


def _document(kind: Any, against: bool = False) -> Callable[[str], tuple[str, str]]:
    def run(text: str) -> tuple[str, str]:
        derivation, claims, aliases = article() if against else (None, (), {})
        reading = read(Document("case", text, kind))
        checked = check(reading, worked_attention, derivation, claims=claims, aliases=aliases)
        changes = edits(checked)
        new = fixed_text(text, changes)
        whole = [
            [(m.name, m.notation, m.start, m.end, m.rows) for m in reading.matrices],
            reading.problems, json.dumps(findings.data(checked), ensure_ascii=False), findings.text(checked),
            findings.github(checked), new, difference("case", text, new),
        ]  # fmt: skip
        said = ", ".join(f"{count} {verdict}" for verdict, count in checked.counts.items() if count)
        return repr(whole), f"{len(reading.matrices)} matrices; {said or 'nothing judged'}"

    return run


def _authored(kind: Any) -> Callable[[str], tuple[str, str]]:
    """A worked example that somebody derived, and printed with errors; see `tests.injection`."""
    judged = _document(kind)

    def run(seed: str) -> tuple[str, str]:
        author = Author(int(seed), errors=0.35)
        steps: list[tuple[str, Any]] = [
            *author.given.items(),
            *((p.step, p.rows) for p in author.printed),
        ]
        floats = {p.step for p in author.printed if looks_like_floats(p.rows)}
        mask = "" if author.mask == "given" else author.mask
        return judged(written(kind, steps, Said("sqrt", mask), Random(int(seed)), floats))

    return run


def _comparison(text: str) -> tuple[str, str]:
    """Two values, their sum, difference, product and quotient: which is larger, and why."""
    one, other = text.split(" ; ")
    x, y = f"({one})", f"({other})"
    pairs = [(x, y), (f"{x}+{y}", f"{x}*{y}"), (f"{x}-{y}", f"{y}-{x}"), (f"{x}/{y}", f"{y}/{x}"), (f"{x}*{y}/{y}", x)]  # fmt: skip
    found = [_tried(lambda a=a, b=b: compare(a, b)) for a, b in pairs]
    return "\n".join(found), found[0][:60]


def _expression(rng: Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(
            (
                "1",
                "2",
                "3",
                "1/2",
                "2/3",
                "0.7",
                "sqrt(2)",
                "sqrt(3)",
                "log(2)",
                "exp(1/3)",
                "pi/4",
                "pi",
            )
        )
    x, y = (_expression(rng, depth - rng.choice((1, 1, 2)) if depth > 1 else 0) for _ in range(2))
    return rng.choice((
        f"({x}+{y})", f"({x}-{y})", f"({x}*{y})", f"({x}/{y})", f"exp({x})", f"sqrt({x})", f"({x})**2", f"log({x})",
        f"tanh({x})", f"sin({x})", f"cos({x})", f"erf({x})", f"-({x})", f"({x})**(1/3)", f"exp({x}-{y})",
    ))  # fmt: skip


def _comparisons() -> tuple[str, ...]:
    rng = Random(SEED)
    return tuple(
        f"{_expression(rng, rng.randint(0, 2))} ; {_expression(rng, rng.randint(0, 3))}" for _ in range(300)
    )  # fmt: skip


def _strings(*names: str) -> tuple[str, ...]:
    """The texts that tests of reading give, which ask there for one thing each."""
    found: dict[str, None] = {}
    for name in names:
        tree = ast.parse((Path(__file__).parent / name).read_text("utf-8"))
        for node in ast.walk(tree):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and 12 < len(value) < 3000 and re.search(r"\d", value):
                found[value] = None
    return tuple(found)


def _literal(text: str) -> tuple[str, str]:
    found = _tried(lambda: parse(text))
    cell = _tried(lambda: read_cell(Mapped.plain(text), 0, len(text)))
    return "\n".join([found, cell, repr(exact_value(text)), repr(divisor_text(text))]), found[:60]


def _number(text: str) -> tuple[str, str]:
    def value() -> tuple[str, ...]:
        form = number(parse(text))
        if isinstance(form, Infinity):
            return (str(form),)
        shown = (text_of(form, "text"), text_of(form, "latex"))
        if form.has_symbols:
            return shown
        return (*shown, _tried(lambda: sign(form)), _tried(lambda: decimal_of(form, 12)))

    found = _tried(value)
    return found, found[:60]


def _spec(text: str) -> tuple[str, str]:
    def derived() -> Any:
        spec = parse_spec(text)
        if sum(array.size for array in spec.matrices.values()) > 60 or spec.config:
            return spec.model, sorted(spec.matrices)
        d = spec.derive()
        return [(s.address, s.symbol, s.shape, s.formula, s.latex(), s.decimal(4)) for s in d.steps]

    found = _tried(derived)
    return found, found[:60]


def _address(text: str) -> tuple[str, str]:
    found = _tried(lambda: article()[0][text])
    return found, found[:60]


def _all_read(text: str, kind: Any) -> str:
    return _tried(lambda: replace(read(Document("", text, kind)), document=None))  # type: ignore[arg-type]


def _layout(said: str) -> tuple[str, str]:
    """All that is read of a layout, and what is judged; its first line is the kind."""
    kind, _, text = said.partition("\n")
    judged, about = _document(kind)(text)
    return f"{_all_read(text, kind)}\n{judged}", f"{kind}: {about}"


def _word(word: str) -> tuple[str, str]:
    """All that is read where a word stands."""
    found = [_all_read(text, kind) for text, kind in documents(word)]
    return "\n".join(found), f"{word}: {sum(f.count('PrintedMatrix(') for f in found)} matrices"


def _claimed(address: str) -> tuple[str, str]:
    """Of an entry or a step of the article, what a page could say, and what is judged of it."""
    whole, said = _document("markdown", True)(claimed.page(address))
    return whole, f"{address}: {said}"


#: By name, the function, the texts to begin with, what is put into them, and how many are made.
KINDS: dict[str, tuple[Callable[[str], tuple[str, str]], tuple[str, ...], tuple[str, ...], int]] = {
    **{
        f"authored-{kind}": (_authored(kind), tuple(map(str, range(24))), (), 0)
        for kind in ("markdown", "latex", "html", "notebook", "text")
    },
    **{
        f"read-as-{kind}": (_document(kind), _strings(*READING), (), 0)
        for kind in ("markdown", "latex", "html")
    },
    "words": (_word, words(), (), 0),
    "layouts": (_layout, tuple(f"{kind}\n{text}" for text, kind in layouts()), (), 0),
    "commands": (asked.answer, asked.commands(), (), 0),
    "claimed": (_claimed, claimed.addresses(), (), 0),
    "comparisons": (_comparison, _comparisons(), (), 0),
    "markdown": (_document("markdown"), corpus.markdown(), corpus.SIGNS, 400),
    "latex": (_document("latex"), corpus.latex(), corpus.SIGNS, 400),
    "html": (_document("html"), corpus.pages(), corpus.SIGNS, 300),
    "notebook": (_document("notebook"), corpus.notebooks(), corpus.SIGNS, 250),
    "text": (_document("text"), corpus.markdown(), corpus.SIGNS, 200),
    "against-a-spec": (_document("markdown", True), corpus.markdown(), corpus.SIGNS, 220),
    "literals": (_literal, corpus.LITERALS, corpus.LITERAL_WORDS, 1500),
    "numbers": (_number, corpus.LITERALS, corpus.LITERAL_WORDS, 1500),
    "specs": (_spec, corpus.specs(), corpus.SPEC_WORDS, 300),
    "addresses": (_address, corpus.ADDRESSES, corpus.ADDRESS_WORDS, 200),
}  # fmt: skip


def groups() -> Iterator[tuple[str, int]]:
    """Each kind, cut into groups that are a test each."""
    for name, (_, start, _, made) in KINDS.items():
        for group in range((len(start) + made + GROUP - 1) // GROUP):
            yield name, group


@cache
def texts(name: str) -> tuple[str, ...]:
    """The texts of a kind: those to begin with, then the broken ones."""
    _, start, words, made = KINDS[name]
    rng = Random(f"{SEED} {name}")
    broken = [mutated(rng, start, words) for _ in range(made)]
    return (*start, *(text.encode("utf-8", "replace").decode() for text in broken))


def lines(name: str, group: int) -> list[str]:
    """What comes of the texts of a group, a line each."""
    run = KINDS[name][0]
    found = []
    for number_of, text in list(enumerate(texts(name)))[group * GROUP : (group + 1) * GROUP]:
        try:
            whole, said = run(text)
        except SymattnError as error:
            whole = said = _refusal(error)
        digest = hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:12]
        shown = said[:80].encode("unicode_escape").decode("ascii")
        found.append(f"{number_of} {digest} {shown}")
    return found


def outputs() -> dict[Path, str]:
    """The files of the lines of each kind."""
    found: dict[Path, list[str]] = {}
    for name, group in groups():
        found.setdefault(GOLDEN / f"{name}.txt", []).extend(lines(name, group))
    return {path: "\n".join(of) + "\n" for path, of in found.items()}
