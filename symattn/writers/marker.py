"""Comments that `symattn check` reads: which spec a page is about, what a worksheet asks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap

MAX_LENGTH = 200

#: What a comment of Markdown, HTML or LaTeX can hold and cannot be ended by.
_SAFE = re.compile(r"[\w.](?:[\w./+@=,()-]| (?! ))*[\w.)]")


def said(spec: str) -> str:
    """What the comment says of a spec; nothing where its name could end a comment.

    >>> said("lessons/first.toml"), said("a --> b.toml"), said("")
    ('symattn: spec lessons/first.toml', '', '')
    """
    is_safe = len(spec) <= MAX_LENGTH and "--" not in spec and _SAFE.fullmatch(spec)
    return f"symattn: spec {spec}" if is_safe and spec.isprintable() else ""


#: By format, what a comment stands between.
COMMENTS = {"markdown": ("<!-- ", " -->"), "quarto": ("<!-- ", " -->"), "latex": ("% ", "")}


def blank(addresses: Sequence[str], form: str) -> str:
    r"""Comments for the end of a worksheet that say what it leaves blank; none in other formats.

    >>> blank(["A", "O[1,0]"], "latex")
    '\n% symattn: blank A O[1,0]\n'
    """
    if form not in COMMENTS:
        return ""
    before, after = COMMENTS[form]
    lines = wrap(" ".join(addresses), MAX_LENGTH, break_long_words=False, break_on_hyphens=False)
    return "\n" + "".join(f"{before}symattn: blank {line}{after}\n" for line in lines)
