"""What no file of the package does: run text, decide by floats, reach for a network or a shell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "symattn"
FILES = sorted(PACKAGE.rglob("*.py"))

#: Names that are used nowhere, called or handed on, whatever they are attributes of.
NAMES = {
    # They run text, or what a file says.
    "eval", "exec", "__import__", "sympify", "parse_expr", "lambdify", "unsafe_load", "full_load",
    "exec_module", "run_path", "run_module", "allow_pickle",
    # They read what may be pickled, or leave the numbers to what a file says of itself.
    "fromfile", "memmap", "loadtxt", "genfromtxt",
    # They start programs.
    "popen", "spawnv", "spawnl", "spawnvp", "execv", "execve", "execvp", "execl",
    "posix_spawn", "startfile", "fork",
    # They reach for a network, or unpack what may lie anywhere.
    "urlopen", "urlretrieve", "create_connection", "unpack_archive", "extractall",
    # A name that somebody else may take before the file is made.
    "mktemp",
    # They write a file as they go, and leave half of it where they are stopped.
    "write_text", "write_bytes", "savetxt", "savez", "tofile",
    # They invent closed forms, or decide by floats.
    "simplify", "nsimplify", "evalf", "isclose", "allclose",
}  # fmt: skip

#: Functions that are used nowhere by these bare names; ``re.compile`` is another one.
BARE = {"compile", "input", "breakpoint"}

#: Modules that are imported nowhere, nor what is in them.
MODULES = {
    "pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "dbm", "copyreg",
    "subprocess", "pty", "multiprocessing", "asyncio", "concurrent", "ctypes", "cffi", "_posixsubprocess",
    "socket", "ssl", "http", "urllib.request", "ftplib", "smtplib", "telnetlib", "xmlrpc", "requests",
    "httpx", "aiohttp", "urllib3", "webbrowser", "huggingface_hub",
    "tarfile", "zipfile", "tempfile", "yaml", "ruamel", "lxml", "xml.dom", "xml.sax", "xml.parsers",
    "runpy", "code", "codeop", "imp", "importlib.util", "importlib.machinery", "builtins",
    "pydoc",
}  # fmt: skip

#: Functions that expand what an XML file declares: of a module, by these names.
XML = {"fromstring", "XML", "XMLParser", "iterparse", "parse"}

#: Where one of these is used all the same, and why that runs nobody's text.
ALLOWED = {
    ("trace.py", "eval"): "a function that calls it is refused",
    ("trace.py", "exec"): "a function that calls it is refused",
    ("rewrite.py", "compile"): "a function's own source file, which Python has run already",
    ("files.py", "open"): "of what was named, once it was seen to be a file",
    ("files.py", "write_bytes"): "to a device or a pipe, in whose place no file may come",
    ("repl.py", "code"): "the prompt that runs what its user types",
    ("mathml.py", "fromstring"): "what math-core has written, which declares nothing",
}

#: Where a module is imported by a name that is not written there, and whose name that is.
IMPORTING = {
    "claims/variations/core.py": "the files of a folder of the package",
    "cli/__init__.py": "a command's, once it is among COMMANDS",
    "lazy.py": "a package's own table",
    "models.py": "a table of models",
    "properties/core.py": "a table of families",
    "writers/formats.py": "a format, which click or the ending of a file has chosen from FORMATS",
}


def found(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The line and the name of each use of what is forbidden."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in NAMES | BARE:
            yield node.lineno, node.id
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open":
            yield node.lineno, "open"  # files are written by symattn.files, and read by Path
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in NAMES or (owner == "ElementTree" and node.attr in XML):
                yield node.lineno, node.attr
            elif owner in ("np", "numpy") and node.attr in ("load", "DataSource"):
                yield node.lineno, "np.load"
            elif owner == "os" and node.attr == "system":
                yield node.lineno, "os.system"
            elif owner in ("builtins", "__builtins__") or node.attr == "__builtins__":
                yield node.lineno, node.attr
        elif isinstance(node, ast.keyword) and node.arg in ("shell", "allow_pickle", "chop"):
            yield node.value.lineno, node.arg
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for name in imported(node):
                if (
                    any(name == m or name.startswith(f"{m}.") for m in MODULES)
                    or (name.startswith("xml.") and name.rpartition(".")[2] in XML)
                    or name.rpartition(".")[2] in NAMES
                    or name in ("os.system", "numpy.load")
                ):
                    yield node.lineno, name


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [f"{node.module}.{alias.name}" for alias in node.names] if not node.level else []


def tree_of(path: Path) -> ast.AST:
    return ast.parse(path.read_text("utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_nothing_forbidden_is_used(path: Path) -> None:
    where = path.relative_to(PACKAGE).as_posix()
    for line, name in found(tree_of(path)):
        assert (where, name) in ALLOWED, f"{where}:{line}: {name}"


def test_what_is_allowed_is_used() -> None:
    used = {
        (p.relative_to(PACKAGE).as_posix(), name) for p in FILES for _, name in found(tree_of(p))
    }
    assert used == set(ALLOWED)


def test_modules_are_imported_by_names_of_our_own() -> None:
    importing = set()
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name == "import_module" and not isinstance(node.args[0], ast.Constant):
                    importing.add(path.relative_to(PACKAGE).as_posix())
    assert importing == set(IMPORTING)


@pytest.mark.parametrize(
    "text",
    [
        "eval(x)", "map(eval, xs)", "exec('x')", "__import__('os')", "builtins.eval(x)", "f = compile",
        "import pickle", "from pickle import loads", "import marshal", "import shelve as s",
        "os.system(x)", "from os import system", "import subprocess", "run(x, shell=True)",
        "from urllib.request import urlopen", "import http.client", "import socket", "import requests",
        "np.load(f)", "np.loadtxt(f)", "f(allow_pickle=False)", "import yaml", "tempfile.mktemp()",
        "import tarfile", "from zipfile import ZipFile", "shutil.unpack_archive(f)",
        "import xml.dom.minidom", "from xml.etree.ElementTree import parse", "ElementTree.parse(f)",
        "importlib.util.find_spec('x')" + "; import importlib.util", "sympy.sympify(x)", "x.evalf(chop=True)",
        "open('x')",
    ],
)  # fmt: skip
def test_each_of_these_is_found(text: str) -> None:
    assert list(found(ast.parse(text)))


def test_these_are_something_else() -> None:
    text = "re.compile(x); from urllib.parse import quote; path.read_text(); safe_open(f); self.load(x)"
    assert not list(found(ast.parse(text)))
