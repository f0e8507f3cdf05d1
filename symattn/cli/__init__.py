"""The command line: parse, call, print, exit status; a command a file.

0: all well. 1: something checked is wrong. 2: the call or its input can't be used. 130: stopped
by Ctrl-C. 141: nobody reads what is printed.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from symattn.cli.bar import bar
from symattn.cli.terminal import encoded, say
from symattn.errors import SymattnError, nearest, shortened
from symattn.notation import visible

# NumPy's BLAS starts a thread for each core when it is imported, which takes as long as the rest
# of NumPy; matrices that a command works on are too small for more than one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

#: The commands, in the order of `symattn --help`; each is the object ``command`` of its module.
COMMANDS = (
    "write", "show", "list", "verify", "check", "generate", "prove", "vary", "sensitivity", "diff",
    "certify", "params", "worksheet", "new", "repl",
)  # fmt: skip


#: As other programs end whose reader has gone: 128 and the number of SIGPIPE. A document that was
#: not read to its end must not count as one in which all is well.
UNHEARD = 141


class _Unheard(Exception):
    """What is printed is no longer read."""


class _Commands(click.Group):
    """Commands that are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]  # `list` is a module of this package

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            known = ", ".join(COMMANDS)
            raise click.UsageError(
                f"no command {cmd_name!r}{nearest(cmd_name, COMMANDS)}; known are {known}"
            )
        command: click.Command = import_module(f"symattn.cli.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with bar():  # gone before click says anything
                return super().invoke(ctx)
        except BrokenPipeError:
            raise _Unheard from None  # which click would take for a failure, and say 1

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # Two options that every program has; the text above names them. A screen has 24 lines.
        self.format_commands(ctx, formatter)


#: New objects after which cycles among them are looked for: a command ends soon, and nearly all
#: that it makes lives until then. Python's own threshold takes a twelfth of a command's time.
GARBAGE = 100_000


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="symattn")
def main() -> None:
    """Derive attention exactly, typeset every step, and check the numbers.

    SPEC is a .toml file or a built-in such as gpt2; without it, the article.
    `symattn COMMAND -h` tells more, --version which symattn this is.
    """


def run() -> None:
    """The console script: errors in one line, a closed pipe in none."""
    gc.set_threshold(GARBAGE, 20, 20)
    encoded()
    message, status = "", 0
    try:
        main(standalone_mode=False)
        _flush()
    except SystemExit as stop:  # of a command that says it itself
        status = stop.code if isinstance(stop.code, int) else 1
    except SymattnError as error:
        message, status = _told(error), 2
    except click.exceptions.NoArgsIsHelpError as error:
        message, status = error.format_message(), 2
    except click.MissingParameter as error:
        wanted = error.param.make_metavar(error.ctx) if error.param and error.ctx else "more"
        name = error.ctx.info_name if error.ctx else "COMMAND"
        message = _told(f"wanted {wanted}, got nothing; `symattn {name} -h` has examples")
        status = 2
    except click.ClickException as error:
        message, status = _told(error.format_message()), 2
    except (click.Abort, KeyboardInterrupt):
        message, status = _told("stopped"), 130
    except (_Unheard, BrokenPipeError):
        _unheard()
        status = UNHEARD
    except OSError as error:
        said = f"{error.filename}: " if isinstance(error.filename, str) else ""
        message, status = _told(f"{said}{error.strerror or error}"), 2
    except MemoryError:
        message, status = _told("this takes more memory than there is"), 2
    try:
        if message:
            say(message)
        _flush()
    except BrokenPipeError:
        _unheard()
        status = UNHEARD
    except OSError as error:
        _unheard()
        with suppress(OSError):
            say(_told(error.strerror or error))
        status = status or 2
    sys.exit(status)


def _told(what: object) -> str:
    return one_line(f"symattn: {what}")


def one_line(message: str) -> str:
    """A message as it is printed: on a line, with nothing that a terminal obeys, and short."""
    return shortened(visible(" ".join(shortened(message).split("\n"))))


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _unheard() -> None:
    """Keep the interpreter from flushing, at its end, what nobody takes."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
