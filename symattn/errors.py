"""What can go wrong, in a few named families.

Every message says what was wanted, what came, and where. `SymattnError` is the
common base; it is a `ValueError`, so callers that know nothing of symattn can
still catch it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Characters of a message, and of a word that it quotes; what is longer keeps its two ends.
MAX_MESSAGE, MAX_WORD = 1200, 300

_LONG_WORD = re.compile(rf"\S{{{MAX_WORD + 1},}}")


class SymattnError(ValueError):
    """Base of every error that symattn raises on purpose; its message is short, whatever came."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(shortened(a) if isinstance(a, str) else a for a in args))


def shortened(message: str) -> str:
    """A message in which what somebody gave, and it quotes, takes no more than a few lines.

    >>> len(shortened(f"no step {'A' * 10**6!r}; the steps are E, A"))
    311
    """
    message = _LONG_WORD.sub(lambda word: _ends(word[0], MAX_WORD), message)
    return _ends(message, MAX_MESSAGE)


def _ends(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    left_out = f" … {len(text) - most + 40:,} characters … "
    return text[: most - 100] + left_out + text[len(text) - 60 :]


class LiteralError(SymattnError):
    """Text, or an object, that is not an exact number."""


class ExactnessError(SymattnError):
    """A float, or a symbol, came where an exact number was wanted."""


class ShapeError(SymattnError):
    """Arrays whose shapes do not fit together."""


class MaskError(SymattnError):
    """A mask that cannot be applied, or a row of scores in which nothing is left."""


class OptionError(SymattnError):
    """An option of a model or function with a value that it does not have."""


class TraceError(SymattnError):
    """A function that cannot be traced; the message names file and line."""


class AddressError(SymattnError, KeyError):
    """A step or entry that does not exist, or a short address that fits several."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument; people should see the sentence.
        return str(self.args[0]) if self.args else ""


class SpecError(SymattnError):
    """A spec that cannot be used; the message names file, key and row."""


class DocumentError(SymattnError):
    """A document that cannot be read; the message names the file, and the line if there is one."""


class ModelError(SymattnError):
    """Files of a trained model that cannot be used; the message names file and key or tensor."""


class SizeError(SymattnError):
    """An entry that is too long to write out; the message says how long it would be.

    Attributes:
        size: in characters.
    """

    def __init__(self, message: str, size: int) -> None:
        super().__init__(message)
        self.size = size


class Undecided(SymattnError):
    """A question that was not settled up to the stated limit.

    Attributes:
        proven: the digits that are proven all the same, or "".
    """

    def __init__(self, message: str, proven: str = "") -> None:
        super().__init__(message)
        self.proven = proven


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``", did you mean 'x'?"`` for the closest known word, or ``""``.

    >>> nearest("tokns", ["tokens", "mask"])
    ", did you mean 'tokens'?"
    """
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1)
    return f", did you mean {close[0]!r}?" if close else ""
