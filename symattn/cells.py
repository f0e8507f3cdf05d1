"""What is put around the value of a cell wherever it is displayed: marks, and boxes.

Every value of an entry that a page, `symattn show` or the prompt displays goes through
`decorated`, exact ones and decimals alike, in its own equation and in those that it is put in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symattn.notation import Notation

if TYPE_CHECKING:
    from symattn.steps import Step

#: What stands behind a value in plain text.
MARKS = "*†‡]"


def decorated(
    step: Step,
    index: tuple[int, ...],
    value: str,
    style: Notation,
    *,
    moved: bool = False,
    small: bool = False,
    dagger: bool = False,
) -> str:
    """The text of an entry's value with everything that marks it.

    Args:
        value: the value as text or LaTeX, exact or a decimal.
        moved: whether it is not the nearest decimal, see `Step.moved`: it gets a star.
        small: whether it reads 0 and is not, or not known to be: it gets a double dagger.
        dagger: whether nobody knows the original: it gets a dagger.
    """
    value = marked(value, style, moved=moved, small=small, dagger=dagger)
    if step.is_highlighted(index):
        value = rf"\boxed{{{value}}}" if style == "latex" else f"[{value}]"
    return value


def marked(
    value: str,
    style: Notation,
    *,
    moved: bool = False,
    small: bool = False,
    dagger: bool = False,
) -> str:
    """The same with the marks alone, of a number that is no entry, too."""
    for is_there, macro, sign in (
        (moved, r"\ast", "*"),
        (small, r"\ddagger", "‡"),
        (dagger, r"\dagger", "†"),
    ):
        if is_there:
            value = f"{{{value}}}^{{{macro}}}" if style == "latex" else f"{value}{sign}"
    return value


def overhang(text: str) -> int:
    """How many characters stand behind a value, for columns whose points are below each other."""
    return len(text) - len(text.rstrip(MARKS))
