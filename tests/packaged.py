"""What a wheel holds: ``python tests/packaged.py WHEEL``; the package is the installed one."""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZipFile

import symattn

#: Files that are no modules, and that commands cannot do without; a suffix for several.
DATA = (
    "py.typed",
    "recorded.json",
    ".toml",
    ".template",
    "macros.tex",
    "style.typ",
    ".css",
    ".html",
    ".js",
)


def check(wheel: Path) -> str:
    names = [name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name]
    assert all(name.startswith("symattn/") for name in names), "something beside the package"
    assert not [name for name in names if "test" in name], "tests"
    for ending in DATA:
        assert any(name.endswith(ending) for name in names), f"no {ending}"
    installed = Path(symattn.__file__).parent
    assert installed.parent.name == "site-packages", installed
    assert not [name for name in names if not (installed.parent / name).exists()], "not installed"
    return f"{len(names)} files in the wheel, installed in {installed}"


if __name__ == "__main__":
    print(check(Path(sys.argv[1])))
