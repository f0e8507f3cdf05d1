"""The comment at the top of a page that says which spec it is about; `symattn check` reads it."""

from __future__ import annotations

import re

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
