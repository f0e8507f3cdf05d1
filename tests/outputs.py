"""What the commands write and print, command by command: ``python -m tests.outputs FOLDER...``.

Every output is a file of the folder (a whole path; of each folder, one after the other). In a
process of its own, so that the hash seed, the locale and the threads are those it was started with.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shutil import copy

from symattn.cli import run

ROOT = Path(__file__).parent.parent

#: By name of the file: a command, FILE in place of that file's name where it writes one.
COMMANDS = {
    **{
        f"article.{ending}": f"write -o FILE.{ending}"
        for ending in ("md", "tex", "html", "ipynb", "typ", "qmd", "txt")
    },
    "article.json": "write --json",
    "article.myst.md": "write --format myst",
    "backward.md": "write article-encoder --backward --target chases",
    "hostile.md": "write hostile.toml",
    "hostile.html": "write hostile.toml --format html",
    "two-layers.tex": "write two-layers.toml --format latex",
    "show.txt": "show A",
    "show.json": "show A --json",
    "entry.txt": "show 'A[1,1]' --digits 40",
    "heatmap.svg": "show A --as heatmap -o FILE.svg",
    "list.txt": "list",
    "list.mmd": "list --format mermaid",
    "map.svg": "list -o FILE.svg",
    "check.txt": "check worked-01.md",
    "check.json": "check --json worked-01.md",
    "prove.txt": "prove --only softmax",
    "diff.txt": "diff article article-encoder",
    "vary.txt": "vary 'W_1[0,0]'",
    "sensitivity.txt": "sensitivity",
    "generate.txt": "generate -n 3",
    "worksheet.md": "worksheet --random --seed 7 -o FILE.md",
}

#: What depends on more than symattn: on how NumPy was built and the processor, or on typst.
OF_THE_MACHINE = {
    "verify.txt": "verify",
    "verify.json": "verify --json",
    "article.pdf": "write -o FILE.pdf",
    "equation.svg": "show A --as equation -o FILE.svg",
}

#: What they read, copied to where they run.
READ = ("tests/specs/hostile.toml", "tests/specs/two-layers.toml", "tests/cases/docs/worked-01.md")


def write_all() -> None:
    """Run every command in this folder, with its output in a file of it."""
    for name in READ:
        copy(ROOT / name, ".")
    for name, line in {**COMMANDS, **OF_THE_MACHINE}.items():
        if not find_spec("typst") and name in ("article.pdf", "equation.svg"):
            continue
        path = Path(name)
        words = shlex.split(line.replace("FILE", path.stem))
        printed = path if name not in words else Path(f"{name}.printed")
        sys.argv = ["symattn", *words]
        with (
            printed.open("w", newline="") as out,
            open(os.devnull, "w") as err,
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            try:
                run()
            except SystemExit as end:  # 1: `check` found a wrong number
                if end.code not in (0, 1):
                    raise


def made(*folders: Path, **environment: str) -> None:
    """Have a process write all outputs, into each folder in turn."""
    subprocess.run(
        [sys.executable, "-m", "tests.outputs", *map(str, folders)],
        cwd=ROOT,
        env={**os.environ, **environment},
        check=True,
    )


#: In a page to explore, what NumPy's floats are, which hangs on the processor: AVX-512 has its own exp.
MEASURED = re.compile(rb'"x":\{[^{}]*\}')


def sums(folder: Path) -> str:
    """The SHA-256 of each output that is the same everywhere, as sha256sum lists them.

    Floats that a page measured are left out.
    """
    return "".join(
        f"{sha256(MEASURED.sub(b'', (folder / name).read_bytes())).hexdigest()}  {name}\n"
        for name in sorted(COMMANDS)
    )


if __name__ == "__main__":
    for folder in map(Path, sys.argv[1:]):
        folder.mkdir(parents=True, exist_ok=True)
        os.chdir(folder)
        write_all()
