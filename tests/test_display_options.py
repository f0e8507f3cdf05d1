"""How a display is said: in a spec, on the command line and in Python, from one table."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

import symattn as sa
from symattn import cli
from symattn.display import OPTIONS, Display, Option
from symattn.errors import AddressError, OptionError, SpecError
from symattn.spec_reader import parse_spec
from tests.test_spec import SMALL, with_line

pytestmark = pytest.mark.once


def run(*words: str) -> str:
    done = CliRunner().invoke(cli.main, [*words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def another(option: Option) -> Any:
    """A value that is not the default."""
    kind = option.kind
    if kind.name == "flag":
        return not option.default
    if kind.name == "count":
        return option.default + 1
    if kind.name == "word":
        return next(w for w in kind.words if w != option.default)
    return ("A[0,1]",) if kind.name == "addresses" else kind.words[:1]


def as_toml(value: Any) -> str:
    if isinstance(value, bool | int):
        return str(value).lower()
    return str(list(value)) if isinstance(value, tuple) else f'"{value}"'


@pytest.mark.parametrize("option", OPTIONS.values(), ids=list(OPTIONS))
def test_each_option_is_said_in_a_spec_in_python_and_on_the_command_line(option: Option) -> None:
    value = another(option)
    d = parse_spec(SMALL).derive()
    assert getattr(d.display, option.name) == option.default
    made = d.with_display(**{option.name: value})
    assert getattr(made.display, option.name) == value
    spec = parse_spec(with_line(f"[display]\n{option.name} = {as_toml(value)}"))
    assert spec.derive().display == made.display
    for command in ("write", "show"):
        said = run(command, "--help").partition("How numbers look:")[2]
        is_there = f"--{option.name.replace('_', '-')}" in said
        assert is_there == (command == "write" or not option.pages)


@pytest.mark.parametrize(
    "option", [o for o in OPTIONS.values() if o.per_step], ids=lambda o: o.name
)
def test_an_option_of_one_step_is_that_step_s(option: Option) -> None:
    value = another(option)
    d = parse_spec(SMALL).derive()
    made = d.with_display(steps={"A": {option.name: value}})
    line = f"[display.steps.A]\n{option.name} = {as_toml(value)}"
    assert parse_spec(with_line(line)).derive().display == made.display
    assert made["A"].display_option(option.name) == value
    assert made["Z"].display_option(option.name) == option.default
    # What is then said for all is said for this one too.
    again = made.with_display(**{option.name: option.default})
    assert again["A"].display_option(option.name) == option.default
    assert again.display == d.display


def test_the_command_line_says_steps_in_two_ways() -> None:
    short = run("show", "A[2,0]", "--digits", "A=7", "--digits", "1")
    assert short == run("show", "A[2,0]", "--step", "A.digits=7")
    assert "0.3954080" in short
    assert "\n          cat" not in run("show", "A", "--step", "A.labels=no")
    both = run("show", "A", "--highlight", "A[0,0]", "--highlight", "A[2]")
    assert "[1.00]" in both and "[0.40]" in both
    assert "[" not in run("show", "A", "--highlight", "none").partition("≈")[2]


def test_a_name_says_it_for_all_steps_that_end_like_it() -> None:
    d = sa.load("tests/specs/two-layers.toml")
    made = d.with_display(steps={"A": {"digits": 1}, "layer[0].head[1].A": {"digits": 2}})
    digits = {s.address: s.digits for s in made.steps if s.name == "A"}
    assert sorted(digits.values()) == [1, 1, 1, 2]
    assert next(n for a, n in digits.items() if a.endswith("layer[0].head[1].A")) == 2
    assert made["layer[0].head[0].Z"].digits == 3


# Mistakes.


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('row_sums = "keep"', "display.row_sums: wanted one of rounded, kept, got 'keep'"),
        ("row_sums = true", "display.row_sums: wanted one of rounded, kept, got True"),
        ('roots = "down"', "display.roots: wanted one of rationalised, divided, got 'down'"),
        ("factor = 1", "display.factor: wanted true or false, got 1"),
        ("sums = 1", "display.sums: unknown key, did you mean 'row_sums'"),
        ('digits = "4"', "display.digits: wanted a whole number from 0 to 1000, got '4'"),
        ("digits = 1.5", "display.digits: wanted a whole number from 0 to 1000, got 1.5"),
        ("digits = true", "display.digits: wanted a whole number from 0 to 1000, got True"),
        ('highlight = "A"', "display.highlight: wanted a list of addresses such as"),
        ('fold = ["layer"]', "display.fold: wanted a list of layers, heads, entries, got"),
        ("steps.A.roots = 1", "display.steps.A.roots: unknown key"),
        ('steps.A.labels = "no"', "display.steps.A.labels: wanted true or false, got 'no'"),
    ],
)
def test_mistakes_in_a_spec_are_named(line: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_spec(with_line(f"[display]\n{line}"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"row_sums": "keep"}, "row_sums: wanted one of rounded, kept, got 'keep'"),
        ({"factor": 1}, "factor: wanted true or false, got 1"),
        ({"root": "divided"}, "a display has no 'root', did you mean 'roots'"),
        ({"steps": {"A": {"digit": 1}}}, "a step's display has no 'digit', did you mean 'digits'"),
        ({"steps": {"A": {"digits": -1}}}, "steps.A.digits: wanted a whole number from 0"),
        ({"steps": {"A": 4}}, "steps.A: wanted a table such as"),
        ({"steps": 4}, "steps: wanted a table of steps, got 4"),
    ],
)
def test_mistakes_in_python_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_spec(SMALL).derive().with_display(**changes)
    with pytest.raises((OptionError, TypeError)):
        Display(**changes)


def test_steps_and_entries_that_there_are_not_are_named() -> None:
    d = parse_spec(SMALL).derive()
    with pytest.raises(AddressError, match="no step 'B'"):
        d.with_display(steps={"B": {"digits": 1}})
    with pytest.raises(AddressError, match=r"there is no entry A\[9, 0\]"):
        d.with_display(highlight=["A[9,0]"])
    with pytest.raises(SpecError, match="no step 'B'"):
        parse_spec(with_line('[display]\nhighlight = ["B"]')).derive()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--digits", "x"), "'--digits': wanted a whole number from 0 to 1000, got 'x'"),
        (("--digits", "A=1001"), "wanted a whole number from 0 to 1000, got 1001"),
        (("--digits", "1" * 5000), "wanted a whole number from 0 to 1000, got"),
        (("--row-sums", "keep"), "wanted one of rounded, kept, got 'keep', did you mean 'kept'?"),
        (("--step", "digits=4"), "--step: wanted STEP.OPTION=VALUE such as Z.digits=4"),
        (("--step", "A.digits"), "--step: wanted STEP.OPTION=VALUE such as Z.digits=4"),
        (("--step", "A.roots=divided"), "a step's display has no 'roots'"),
        (("--step", "A.labels=maybe"), "--step A.labels: wanted true or false, got 'maybe'"),
    ],
)
def test_mistakes_on_the_command_line_are_named(words: tuple[str, ...], message: str) -> None:
    done = CliRunner().invoke(cli.main, ["show", "A", *words])
    assert done.exit_code != 0
    assert message in done.output + str(done.exception)
