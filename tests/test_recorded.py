"""What is read, judged and refused of some 8,400 texts is what it was when it was last looked at."""

from __future__ import annotations

import pytest

from tests import vocabulary
from tests.recorded import GOLDEN, GROUP, groups, lines

pytestmark = pytest.mark.once


@pytest.mark.parametrize(("name", "group"), list(groups()))
def test_what_comes_of_a_text_is_what_it_was(name: str, group: int) -> None:
    kept = (GOLDEN / f"{name}.txt").read_text("utf-8").splitlines()
    assert lines(name, group) == kept[group * GROUP : (group + 1) * GROUP]


def test_every_word_of_the_sources_is_asked() -> None:
    """`python tests/regenerate.py` adds words; one that a source forgets is asked still."""
    assert vocabulary.of_sources() <= set(vocabulary.words())
