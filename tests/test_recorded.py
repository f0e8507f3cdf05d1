"""What is read, judged and refused of some 8,400 texts is what it was when it was last looked at."""

from __future__ import annotations

import pytest

from tests import vocabulary
from tests.recorded import GOLDEN, GROUP, groups, lines

pytestmark = pytest.mark.once


def _of(*kinds: str) -> pytest.MarkDecorator:
    """The groups of kinds whose names begin so, each a test."""
    return pytest.mark.parametrize(
        ("name", "group"), [(n, g) for n, g in groups() if n.startswith(kinds)]
    )


def _compare(name: str, group: int) -> None:
    kept = (GOLDEN / f"{name}.txt").read_text("utf-8").splitlines()
    assert lines(name, group) == kept[group * GROUP : (group + 1) * GROUP]


# A test function for each part, so that a record of what runs a line can tell them apart.


@_of("words")
def test_what_is_read_where_a_word_stands_is_what_it_was(name: str, group: int) -> None:
    _compare(name, group)


@_of("layouts")
def test_what_is_read_of_a_layout_is_what_it_was(name: str, group: int) -> None:
    _compare(name, group)


@_of("authored")
def test_what_is_judged_of_a_faulty_example_is_what_it_was(name: str, group: int) -> None:
    _compare(name, group)


@_of("read-as", "markdown", "latex", "html", "notebook", "text", "against")
def test_what_comes_of_a_document_is_what_it_was(name: str, group: int) -> None:
    _compare(name, group)


@_of("claimed")
def test_what_is_judged_of_an_entry_is_what_it_was(name: str, group: int) -> None:
    _compare(name, group)


@_of("commands")
def test_what_commands_print_is_what_it_was(name: str, group: int) -> None:
    _compare(name, group)


@_of("comparisons", "literals", "numbers")
def test_what_comes_of_a_number_is_what_it_was(name: str, group: int) -> None:
    _compare(name, group)


@_of("specs", "addresses")
def test_what_comes_of_a_spec_is_what_it_was(name: str, group: int) -> None:
    _compare(name, group)


def test_every_kind_is_compared() -> None:
    compared = {
        n for f in globals().values() for m in getattr(f, "pytestmark", ()) for n, _ in m.args[1]
    }
    assert compared == {n for n, _ in groups()}


def test_every_word_of_the_sources_is_asked() -> None:
    """`python tests/regenerate.py` adds words; one that a source forgets is asked still."""
    assert vocabulary.of_sources() <= set(vocabulary.words())
