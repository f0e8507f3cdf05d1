"""A command as the console script runs it, in this process: half a second less than one of its own."""

from __future__ import annotations

import gc
import io
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from symattn.cli import run


def symattn(*words: str, cwd: Path) -> CompletedProcess[str]:
    """What it printed and its status, as `subprocess.run` says it."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    status, threshold = 0, gc.get_threshold()
    asked = patch.object(sys, "argv", ["symattn", *words])
    with chdir(cwd), asked, redirect_stdout(out), redirect_stderr(err):
        try:
            run()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
    gc.set_threshold(*threshold)
    said = []
    for stream in (out, err):
        stream.flush()
        said.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    return CompletedProcess(words, status, *said)
