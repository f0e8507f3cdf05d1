"""What the reader's terminal is: its width and colours."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

import click

from symattn.writers.screen import Screen, isolated


def screen() -> Screen:
    """Where standard output goes.

    Colours are for terminals. NO_COLOR, where it is set to anything, turns them off
    (no-color.org); FORCE_COLOR and CLICOLOR_FORCE (bixense.com/clicolors), but for 0, turn them on
    where there is none, too. A terminal called dumb has none.
    """
    seen = _is_terminal(sys.stdout)
    width = shutil.get_terminal_size((120, 24)).columns if seen else None
    return Screen(width, _colours(seen))


def echo(text: str, where: Screen) -> None:
    """Print what was written for a screen; its colours reach a pipe where they were forced."""
    if where.width is not None:
        text = isolated(text)
    click.echo(text, color=True if where.colours else None)


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # closed, or something in its place
        return False


def _colours(seen: bool) -> int:
    if os.environ.get("NO_COLOR"):
        return 0
    settings = [os.environ.get(name, "") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")]
    forced = any(setting not in ("", "0") for setting in settings)
    term = os.environ.get("TERM", "")
    if not forced and (not seen or term == "dumb"):
        return 0
    has_many = "256" in term or os.environ.get("COLORTERM") in ("truecolor", "24bit")
    return 256 if has_many else 16
