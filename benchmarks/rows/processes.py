"""Whole processes: what somebody at a prompt waits for.

`symattn` is the console script beside this Python. Bytecode is compiled before, by the
round that warms up; everything else each process does anew.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from benchmarks.measure import ROOT, Pairs, process
from benchmarks.row import OURS, Case, Side, Target

SCRIPT = ROOT / "benchmarks" / "peers" / "article_script.py"

PASS, IMPORT_NUMPY, IMPORT_SYMPY = (
    f'`python -c "{code}"`' for code in ("pass", "import numpy", "import sympy")
)


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Where processes start and write; it is removed when this one ends."""
    return tempfile.TemporaryDirectory(prefix="symattn-")


def _symattn(*words: str) -> Side:
    found = shutil.which("symattn", path=str(Path(sys.executable).parent))
    start = [found] if found else [sys.executable, "-m", "symattn"]
    return process([*start, *words], Path(_folder().name))


def _python(*words: str) -> Side:
    return process([sys.executable, *words], Path(_folder().name))


def _write() -> Side:
    """The article as Markdown into a file: exact, LaTeX, certified decimals, NumPy check."""
    return _symattn("write", "-o", "article.md")


def _write_html() -> Side:
    """The article as a page to explore, into a file."""
    return _symattn("write", "-o", "article.html")


def _write_pdf() -> Side:
    """The article as PDF, by typst."""
    return _symattn("write", "-o", "article.pdf")


def _write_notebook() -> Side:
    """The article as a notebook, its outputs stored."""
    return _symattn("write", "-o", "article.ipynb")


def _beside(ours: Callable[[], Side], peer: str, theirs: Side) -> Callable[[int, bool], Case]:
    return lambda seed, quick: Case({OURS: ours(), peer: theirs})


ROWS = (
    Pairs(
        "write",
        "`symattn write -o article.md`, whole process: exact, LaTeX, certified decimals, "
        "NumPy check",
        _beside(_write, IMPORT_SYMPY, _python("-c", "import sympy")),
        (Target(IMPORT_SYMPY, 1.0, faster=False),),
    ),
    Pairs(
        "write-html",
        "`symattn write -o article.html`, whole process: the page to explore, with the way to each "
        "entry, its digits and floats",
        _beside(_write_html, IMPORT_SYMPY, _python("-c", "import sympy")),
        (Target(IMPORT_SYMPY, 1.2, faster=False),),
    ),
    Pairs(
        "write-pdf",
        "`symattn write -o article.pdf`, whole process: the page set by typst, with contents and "
        "words for each equation",
        _beside(_write_pdf, IMPORT_SYMPY, _python("-c", "import sympy")),
        (Target(IMPORT_SYMPY, None, faster=False),),
    ),
    Pairs(
        "write-notebook",
        "`symattn write -o article.ipynb`, whole process: the page as a session, with what its "
        "cells show",
        _beside(_write_notebook, IMPORT_SYMPY, _python("-c", "import sympy")),
        (Target(IMPORT_SYMPY, None, faster=False),),
    ),
    Pairs(
        "help",
        "`symattn --help`, whole process",
        _beside(lambda: _symattn("--help"), PASS, _python("-c", "pass")),
        (Target(PASS, 6.0, faster=False),),
    ),
    Pairs(
        "list",
        "`symattn list`, whole process",
        _beside(lambda: _symattn("list"), IMPORT_NUMPY, _python("-c", "import numpy")),
        (Target(IMPORT_NUMPY, 1.5, faster=False),),
    ),
    Pairs(
        "write-sympy",
        "`symattn write -o article.md`, whole process, against a plain SymPy script: "
        "twelve matrices, LaTeX and 30 digits of each",
        _beside(_write, "SymPy script", _python(str(SCRIPT))),
        (Target("SymPy script", 4.0),),
    ),
)
