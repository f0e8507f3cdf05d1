"""Write afresh what is committed and made by the program: ``python tests/regenerate.py``.

The tests compare each of these files with what is made from today's code.
"""

from __future__ import annotations

import ast
import json
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import symattn as sa
from symattn import attention, formulas, functions, language, layers, sublayers, transformer
from symattn.document import page
from symattn.equations import equation
from symattn.files import write
from symattn.properties.prover import prove
from symattn.writers import latex, markdown, statements
from tests import found, vocabulary
from tests.five import derivation_of, page_of
from tests.outputs import made, sums

ROOT = Path(__file__).parent.parent
GOLDEN = Path(__file__).parent / "golden"

#: What the commands write, by checksums.
SUMS = GOLDEN / "outputs.sha256"


#: Whole models at toy size, each with a page in docs/.
PRESETS = ("vaswani2017", "gpt2", "bert", "llama", "gemma2")

#: Specs of the gallery, each with a text and a page beside it.
GALLERY = tuple(
    p.stem for p in sorted((ROOT / "docs" / "gallery").glob("*.toml")) if "." not in p.stem
)

MODULES: list[ModuleType] = [
    *(import_module(f"{functions.__name__}.{m.name}") for m in iter_modules(functions.__path__)),
    attention, transformer, sublayers, layers, language,
]  # fmt: skip


def builtin_functions() -> list[Any]:
    """Every public function of the models and of what they are built of."""
    return [
        f
        for m in MODULES
        for name, f in vars(m).items()
        if getattr(f, "__module__", "") == m.__name__ and not name.startswith("_")
    ]


def record() -> str:
    """The text of symattn/recorded.json."""
    sources = [
        ast.unparse(v)
        for f in builtin_functions()
        for _, v in formulas.lines(f)
        if not formulas.is_static(v)
    ]
    return json.dumps(formulas.record(sources), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def golden(name: str) -> str:
    """The equation of every step of a built-in, as one file."""
    steps = derivation_of(name).steps
    return "\n\n".join(f"% {step.address}\n{equation(step)}" for step in steps) + "\n"


def in_gallery(name: str) -> str:
    """The page of a spec of the gallery."""
    spec = f"{name}.toml"
    return markdown.write(page(sa.load(ROOT / "docs" / "gallery" / spec)), spec)


PROPERTIES = """# What holds whatever the weights

`symattn prove` checks these statements: each is derived with symbols in place of all numbers, and
proven, or refuted with a counterexample. `--only softmax` has a family alone, `--size n=4,d=2,h=2`
other sizes (n tokens, d_model = d, h heads). A spec states its own:

```toml
[[properties]]
title = "the weights are softmax of the scores"
lhs = "A"                  # a step or an entry of one, a function of the model, or a number
rhs = "softmax"
with.x = "Z_masked"        # the step that its parameter x gets; else the one of that name
```

In Python, `sa.prove(lhs=lambda d: d["A"].sum(axis=1), rhs=1)` takes the article's model, or any
`derivation=`. What is refuted below is often said, and false.

"""


@cache
def outputs() -> dict[Path, str]:
    """Every generated file that is committed, with its text."""
    article = page_of("article")
    encoder = page_of("article-encoder")
    return {
        formulas.RECORD: record(),
        GOLDEN / "article.tex": golden("article"),
        GOLDEN / "article-encoder.tex": golden("article-encoder"),
        ROOT / "docs" / "attention.md": markdown.write(article),
        ROOT / "docs" / "attention.tex": latex.write(article),
        ROOT / "docs" / "encoder.md": markdown.write(encoder, "article-encoder"),
        ROOT / "docs" / "found.md": found.page(),
        ROOT / "docs" / "properties.md": PROPERTIES + statements.markdown(prove()),
        **{ROOT / "docs" / f"{name}.md": markdown.write(page_of(name), name) for name in PRESETS},
        **{ROOT / "docs" / "gallery" / f"{name}.md": in_gallery(name) for name in GALLERY},
    }


def checksums() -> str:
    """The text of tests/golden/outputs.sha256."""
    with TemporaryDirectory() as folder:
        made(Path(folder))
        return sums(Path(folder))


if __name__ == "__main__":
    vocabulary.add()
    from tests import recorded  # which asks the words that there are now

    for path, text in {**outputs(), **recorded.outputs(), SUMS: checksums()}.items():
        path.parent.mkdir(exist_ok=True)
        write(path, text)
        print(path.relative_to(ROOT))
