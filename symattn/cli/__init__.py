"""The command line: parse, call, print, exit status; a command a file.

0: all well. 1: something checked is wrong. 2: the call or its input can't be used.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from symattn.cli.bar import bar
from symattn.errors import SymattnError, shortened

# NumPy's BLAS starts a thread for each core when it is imported, which takes as long as the rest
# of NumPy; matrices that a command works on are too small for more than one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

#: The commands, in the order of `symattn --help`; each is the object ``command`` of its module.
COMMANDS = (
    "write", "show", "list", "verify", "check", "generate", "prove", "vary", "sensitivity", "diff",
    "certify", "params", "worksheet", "new", "repl",
)  # fmt: skip


class _Commands(click.Group):
    """Commands that are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]  # `list` is a module of this package

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"symattn.cli.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        with bar():  # gone before click says anything
            return super().invoke(ctx)

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
    _set_encoding()
    try:
        main(standalone_mode=False)
    except SymattnError as error:
        _fail(f"symattn: {_one_line(str(error))}")
    except click.exceptions.NoArgsIsHelpError as error:
        _fail(error.format_message())
    except click.ClickException as error:
        _fail(f"symattn: {_one_line(error.format_message())}")
    except (click.Abort, KeyboardInterrupt):
        _fail("symattn: stopped", 130)
    except BrokenPipeError:
        # The reader has what it wanted; keep the interpreter from flushing into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        said = f"{error.filename}: " if isinstance(error.filename, str) else ""
        _fail(f"symattn: {_one_line(said + (error.strerror or str(error)))}")
    except MemoryError:
        _fail("symattn: this takes more memory than there is")


def _set_encoding() -> None:
    """The same bytes in every locale; a terminal gets those that it asks for.

    What an encoding has no sign for, and half a pair of UTF-16, is printed as \\u….
    """
    if not isinstance(sys.stdout, TextIOWrapper):
        return
    if sys.stdout.isatty():
        sys.stdout.reconfigure(errors="backslashreplace")
    else:
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def _one_line(message: str) -> str:
    from symattn.notation import visible

    return shortened(visible(" ".join(shortened(message).split("\n"))))


def _fail(message: str, status: int = 2) -> None:
    click.echo(message, err=True)
    sys.exit(status)
