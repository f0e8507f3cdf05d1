"""symattn derives attention and Transformers exactly, typesets and checks them.

>>> import symattn as sa
>>> d = sa.article()
>>> d["A"][1, 1]
A[1,1] = exp(13*sqrt(2)/25)/ℓ_1 ≈ 0.64
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from symattn.errors import SpecError, SymattnError, Undecided
from symattn.lazy import attributes

if TYPE_CHECKING:
    from symattn.comparison import Comparison, compare
    from symattn.derivation import Derivation, derive, static
    from symattn.generation import Generation, generate
    from symattn.properties.core import Statement, Statements
    from symattn.properties.prover import prove
    from symattn.symbols import symbols_like
    from symattn.trace import model
    from symattn.varying.vary import vary
    from symattn.worksheets.examples import random_spec
    from symattn.worksheets.sheet import worksheet

__version__ = "1.0.0rc1"

__all__ = [
    "Comparison",
    "Derivation",
    "Generation",
    "SpecError",
    "Statement",
    "Statements",
    "SymattnError",
    "Undecided",
    "article",
    "compare",
    "derive",
    "generate",
    "load",
    "loads",
    "model",
    "prove",
    "random_spec",
    "static",
    "symbols_like",
    "vary",
    "worksheet",
]

#: Names that are imported when they are first asked for: `symattn --help` needs none.
_HOMES = {
    "Comparison": "comparison",
    "Derivation": "derivation",
    "Generation": "generation",
    "Statement": "properties.core",
    "Statements": "properties.core",
    "compare": "comparison",
    "derive": "derivation",
    "generate": "generation",
    "model": "trace",
    "prove": "properties.prover",
    "static": "derivation",
    "symbols_like": "symbols",
    "random_spec": "worksheets.examples",
    "vary": "varying.vary",
    "worksheet": "worksheets.sheet",
}

__getattr__ = attributes(__name__, _HOMES)


def load(spec: str | os.PathLike[str]) -> Derivation:
    """Derive a spec: a path ending in .toml, or a built-in's name.

    Raises:
        SpecError: what cannot be used, with file, key and row.

    >>> load("article-encoder")["A"].decimal(2)[0]
    ['0.41', '0.23', '0.36']
    """
    from symattn.spec_reader import load_spec

    if not isinstance(spec, str | os.PathLike):
        raise SpecError(f"wanted a path or a name, got {type(spec).__name__}")
    return load_spec(os.fspath(spec)).derive()


def loads(text: str) -> Derivation:
    """Derive a spec from its text, as it stands in a file or a notebook.

    Raises:
        SpecError: what cannot be used, with key and row.

    >>> text = '''
    ... format = 1
    ... model = "attention_head"
    ... tokens = ["cat", "mouse"]
    ... [matrices]
    ... E = [[1, 0], [0, 1]]
    ... W_Q = "identity"
    ... W_K = "identity"
    ... W_V = "identity"
    ... '''
    >>> loads(text)["A"].decimal(2)
    [['0.67', '0.33'], ['0.33', '0.67']]
    """
    from symattn.spec_reader import parse_spec

    if not isinstance(text, str):
        raise SpecError(f"wanted the text of a spec, got {type(text).__name__}")
    return parse_spec(text).derive()


def article() -> Derivation:
    """Derive the built-in article, "cat chases mouse".

    >>> article()["P"].largest()
    [P[1] = exp(logits[1])/ℓ(P) ≈ 0.29]
    """
    return load("article")
