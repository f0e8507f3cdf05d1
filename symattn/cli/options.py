"""What commands share: the spec, how numbers are shown, how results are printed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.terminal import echo
from symattn.display import OPTIONS, Option, option_named
from symattn.errors import OptionError

if TYPE_CHECKING:
    from symattn.derivation import Derivation

    Values = click.ParamType[tuple[str, Any]]
else:
    Values = click.ParamType  # takes no brackets before click 8.4

DEFAULT = "article"


def derivation_of(spec: str) -> Derivation:
    """The derivation of a spec: a path or a built-in's name."""
    from symattn.spec_reader import load_spec

    return load_spec(spec).derive()


def format_options(*names: str) -> Callable[[Any], Any]:
    """The options --format and --json."""

    def add(command: Any) -> Any:
        command = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")(
            command
        )
        choice = click.Choice([*names, "json"])
        return click.option("--format", "form", type=choice, help="How to print it.")(command)

    return add


class Command(click.Command):
    """A command whose help lists apart the options that say how numbers are shown.

    Args:
        examples: lines to type, with which the help ends.
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[bool, list[tuple[str, str]]] = {False: [], True: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups[isinstance(parameter, _Shown)].append(record)
        for title, rows in zip(("Options", "How numbers look"), groups.values(), strict=True):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for line in self.examples:
                formatter.write(f"{' ' * formatter.current_indent}{line}\n")


class _Shown(click.Option):
    """An option of `symattn.display.Display`."""


class _Value(Values):
    """A value of an option of displays; of one that steps have, also ``STEP=VALUE``."""

    def __init__(self, option: Option) -> None:
        self.option = option
        words = option.kind.words
        what = {"count": "N", "addresses": "ADDRESS"}.get(option.kind.name, "|".join(words))
        self.name = f"[STEP=]{what}" if option.per_step else what

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, Any]:
        if isinstance(value, tuple):
            return value
        step, _, text = str(value).rpartition("=") if self.option.per_step else ("", "", value)
        try:
            return step, self.option.parsed(text)
        except OptionError as error:
            self.fail(str(error), param, ctx)


def display_options(*, pages: bool = False) -> Callable[[Any], Any]:
    """The options that say how numbers are shown; each is left to the spec where not given.

    Args:
        pages: whether those for pages are among them.
    """

    def add(command: Any) -> Any:
        of_step = click.option(
            "--step",
            "steps",
            cls=_Shown,
            multiple=True,
            metavar="STEP.OPTION=VALUE",
            help="Any of these for one step: Z.digits=4, A.labels=no.",
        )
        command = of_step(command)
        for option in reversed(OPTIONS.values()):
            if pages or not option.pages:
                command = _declared(option)(command)
        return command

    return add


def _declared(option: Option) -> Callable[[Any], Any]:
    name = option.name.replace("_", "-")
    if option.kind.name == "flag":
        return click.option(f"--{name}/--no-{name}", default=None, cls=_Shown, help=option.help)
    kind = _Value(option)
    return click.option(
        f"--{name}", type=kind, multiple=True, cls=_Shown, metavar=kind.name, help=option.help
    )


def displayed(derivation: Derivation, steps: Sequence[str] = (), **given: Any) -> Derivation:
    """A derivation shown as the options of `display_options` say, where any is given."""
    changes: dict[str, Any] = {}
    of_steps: dict[str, dict[str, Any]] = {}
    for name, values in given.items():
        if isinstance(values, bool):
            changes[name] = values
            continue
        for step, value in values or ():
            if step:
                of_steps.setdefault(step, {})[name] = value
            elif OPTIONS[name].kind.is_list:
                changes[name] = (*changes.get(name, ()), *value)
            else:
                changes[name] = value
    for text in steps:
        left, _, value = text.partition("=")
        step, _, name = left.rpartition(".")
        if not step or not value:
            raise OptionError(f"--step: wanted STEP.OPTION=VALUE such as Z.digits=4, got {text!r}")
        option = option_named(name.replace("-", "_"), per_step=True)
        try:
            of_steps.setdefault(step, {})[option.name] = option.parsed(value)
        except OptionError as error:
            raise OptionError(f"--step {left}: {error}") from None
    if of_steps:
        changes["steps"] = of_steps
    return derivation.with_display(**changes) if changes else derivation


def print_by(writer: Any, form: str | None, as_json: bool, *found: Any) -> None:
    """Print by a writer that has a function for each format, `data` for JSON."""
    kind = "json" if as_json else form or "text"
    if kind == "json":
        print_json(writer.data(*found))
    elif kind == "text":
        print_text(writer.text, *found)
    else:
        echo(getattr(writer, kind)(*found).rstrip("\n"))


def print_text(write: Callable[..., str], *found: Any) -> None:
    """Print what a writer makes of something for the terminal, or pipe, that there is."""
    from symattn.cli.terminal import screen, show

    where = screen()
    show(write(*found, screen=where).removesuffix("\n"), where)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json_text(value))


def json_text(value: Any) -> str:
    """A value as JSON, in which what a terminal might obey is written as escapes."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    if all(line.isprintable() for line in text.split("\n")):
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def output_option(help: str) -> Callable[[Any], Any]:
    """The option --output, -o, of what can also be printed: ``-`` is the same as none."""

    def read(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
        return None if str(value) == "-" else value

    return click.option("-o", "--output", type=Path, callback=read, help=help)


def page_format(output: Path | None) -> str:
    """The format of a page that goes to a file, by its ending; of one that is printed, Markdown."""
    from symattn.writers.formats import format_of

    return "markdown" if output is None else format_of(output)


def put(made: str | bytes, form: str, output: Path | None) -> None:
    """Write what was made to a file, or print it.

    Raises:
        UsageError: bytes, to a terminal.
    """
    if output is not None and str(output) != "-":
        from symattn import files

        files.write(output, made)
        return
    if isinstance(made, bytes) and sys.stdout.isatty():
        raise click.UsageError(f"{form} is no text: wanted -o FILE, or a pipe")
    if isinstance(made, bytes):
        click.echo(made, nl=False)
    else:
        echo(made, nl=False)
