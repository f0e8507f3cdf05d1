"""Text as TOML."""

from __future__ import annotations

import json


def quoted(text: str) -> str:
    r"""A basic string of TOML that holds a text, whatever is in it.

    >>> quoted('say "hi"\n')
    '"say \\"hi\\"\\n"'
    """
    # JSON's escapes are TOML's; beyond them TOML escapes DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
