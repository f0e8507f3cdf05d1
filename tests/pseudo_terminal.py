"""Programs that write to a pseudo-terminal."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest

ROOT = Path(__file__).parent.parent

#: What a reader's settings may say of colours and widths.
UNSET = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "LINES")


def heeding() -> None:
    """In a child: Ctrl-C ends it, whatever who started the tests does, as shells do for what runs behind."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def ran(
    *words: str,
    stream: Literal["stdout", "stderr"],
    columns: int = 100,
    stop_at: str = "",
    **environment: str,
) -> tuple[str, int]:
    """What Python writes, given some words, to a stream that is a terminal; and its status.

    Args:
        stop_at: Ctrl-C comes once this is read.
    """
    pty = pytest.importorskip("pty", reason="there are pseudo-terminals on Unix alone")
    import fcntl
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    settings = {k: v for k, v in os.environ.items() if k not in UNSET}
    settings |= {"TERM": "xterm", "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **environment}
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
    process = subprocess.Popen(
        [sys.executable, *words], stdin=subprocess.DEVNULL, env=settings, **streams,
        preexec_fn=heeding,
    )  # fmt: skip
    os.close(theirs)
    shown, stopped = b"", False
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # nobody writes any more
            break
        if not part:
            break
        shown += part
        if stop_at and not stopped and stop_at in shown.decode("utf-8", "replace"):
            process.send_signal(signal.SIGINT)
            stopped = True
    os.close(ours)
    return shown.decode("utf-8"), process.wait(timeout=60)
