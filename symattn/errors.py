"""What can go wrong, in a few named families.

Every message says what was wanted, what came, and where. `SymattnError` is the
common base; it is a `ValueError`, so callers that know nothing of symattn can
still catch it.
"""

from __future__ import annotations

from collections.abc import Iterable


class SymattnError(ValueError):
    """Base of every error that symattn raises on purpose."""


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
