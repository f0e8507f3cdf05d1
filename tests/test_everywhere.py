"""The same bytes everywhere: hash seeds, locales, threads, time zones, folders, twice in a row.

CI runs this on every Python and with the oldest and the newest dependencies; all of them are held
against the same list of checksums.
"""

from __future__ import annotations

import locale
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.outputs import COMMANDS, made, sums
from tests.regenerate import SUMS

#: Locales of other encodings, decimal marks and alphabets (a Turkish I is no i), if there are any.
LOCALES = ("de_DE.ISO-8859-1", "tr_TR.UTF-8", "de_DE.UTF-8", "ja_JP.eucJP", "fr_FR.UTF-8")

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def there_is(name: str) -> bool:
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        return False
    finally:
        locale.setlocale(locale.LC_ALL, before)
    return True


ENVIRONMENTS = {
    "one": {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC", **dict.fromkeys(THREADS, "1")},
    "two": {
        "PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kolkata", "COLUMNS": "40",
        "PYTHONIOENCODING": "latin-1", **dict.fromkeys(THREADS, "2"),
    },
    "three": {
        "PYTHONHASHSEED": "random", "LC_ALL": next(filter(there_is, LOCALES), "POSIX"),
        "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "America/New_York",
    },
}  # fmt: skip


#: The folders of outputs, of other names and depths; the first environment writes two of them.
PLACES = {"one": "a", "again": "a b/ü", "two": "b", "three": "c/d"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Each environment's outputs, written when they are first asked for."""
    base = tmp_path_factory.mktemp("outputs")

    @cache
    def folder(name: str) -> Path:
        environment = ENVIRONMENTS["one" if name == "again" else name]
        made(
            *(base / PLACES[n] for n in (("one", "again") if name == "one" else (name,))),
            **environment,
        )
        return base / PLACES[name]

    def asked(name: str) -> Path:
        return folder("one").parent / PLACES[name] if name == "again" else folder(name)

    return asked


@pytest.mark.once
@pytest.mark.parametrize("other", ["again", "two", "three"])
def test_every_byte_is_the_same(folders: Callable[[str], Path], other: str) -> None:
    """Also of what depends on the machine: PDF, and how far floats are off."""
    files = {path.name: path.read_bytes() for path in folders("one").iterdir()}
    others = {path.name: path.read_bytes() for path in folders(other).iterdir()}
    assert files.keys() == others.keys() > COMMANDS.keys()
    assert [name for name in files if files[name] != others[name]] == []


def test_every_byte_is_that_of_every_python_and_dependency(folders: Callable[[str], Path]) -> None:
    """What was written where the checksums were made, and wherever else these tests pass."""
    assert sums(folders("two")) == SUMS.read_text("utf-8")
    for name in COMMANDS:
        assert (folders("two") / name).stat().st_size > 100, name
