"""What the reader's terminal is: its width and colours."""

from __future__ import annotations

import os
import re
import shutil
import sys
from io import TextIOWrapper
from typing import TextIO

import click

from symattn.notation import visible_lines
from symattn.writers.screen import INK, Screen, isolated


def screen() -> Screen:
    """Where standard output goes.

    Colours are for terminals. NO_COLOR, where it is set to anything, turns them off
    (no-color.org); FORCE_COLOR and CLICOLOR_FORCE (bixense.com/clicolors), but for 0, turn them on
    where there is none, too. A terminal called dumb has none.
    """
    seen = _is_terminal(sys.stdout)
    width = shutil.get_terminal_size((120, 24)).columns if seen else None
    return Screen(width, _colours(seen))


def show(text: str, where: Screen) -> None:
    """Print what was written for a screen; its colours reach a pipe where they were forced.

    Of all that a terminal obeys it gets line ends, these colours, and the ends of words that run
    from right to left.
    """
    pieces = re.split(f"({INK})", text) if where.colours else [text]
    safe = [piece if i % 2 else visible_lines(piece) for i, piece in enumerate(pieces)]
    if where.width is not None:
        safe = [piece if i % 2 else isolated(piece) for i, piece in enumerate(safe)]
    click.echo("".join(safe), color=True if where.colours else None)


def echo(text: str, nl: bool = True) -> None:
    """Print what a document or a program reads: as it is to a pipe, visible on a terminal."""
    # click would take colours out of what goes to a pipe.
    click.echo(visible_lines(text) if _is_terminal(sys.stdout) else text, nl=nl, color=True)


def say(text: str) -> None:
    """A line or more on standard error."""
    click.echo(visible_lines(text), err=True)


def encoded() -> None:
    """Let standard output and error take every character.

    What goes to a pipe or a file is UTF-8, as the files are that we write; a terminal that has
    another encoding is shown the number of what it lacks, and both that of half a character.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            asked = stream.encoding if _is_terminal(stream) else "utf-8"
            stream.reconfigure(encoding=asked, errors="backslashreplace")


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
