"""Text as a trained model's tokens, by the tokenizer that comes with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symattn.errors import ModelError, OptionError

#: Characters of a text; far more tokens than a certified pass can take.
MAX_TEXT = 100_000


@dataclass(frozen=True)
class Tokens:
    """Tokens by number, with what stands for each."""

    ids: tuple[int, ...]
    words: tuple[str, ...]


class Tokenizer:
    """The ``tokenizer.json`` of a model's directory.

    Raises:
        ModelError: there is none, or it cannot be read.
        OptionError: tokenizers is not installed.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / "tokenizer.json"
        if not path.is_file():
            raise ModelError(f"{folder}: has no tokenizer.json: give the tokens with --ids")
        self._tokenizer = _opened(path)

    def tokens(self, text: str) -> Tokens:
        """A text's tokens, with those that the model wants around it.

        Raises:
            ModelError: a text that is too long.
        """
        if len(text) > MAX_TEXT:
            raise ModelError(f"text: wanted at most {MAX_TEXT:,} characters, got {len(text):,}")
        found = self._tokenizer.encode(text)
        return Tokens(tuple(found.ids), tuple(found.tokens))

    def words(self, ids: Sequence[int]) -> tuple[str, ...]:
        """What stands for tokens; their numbers where the tokenizer does not know them."""
        return tuple(self._tokenizer.id_to_token(i) or str(i) for i in ids)


def _opened(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer as Theirs
    except ImportError:
        raise OptionError(
            "text needs tokenizers, which is not installed: pip install 'symattn[models]', or give "
            "the tokens with --ids"
        ) from None
    try:
        theirs = Theirs.from_file(str(path))
    except Exception as error:  # it raises no class of its own
        raise ModelError(f"{path}: not a tokenizer: {error}") from None
    # A certificate is about the tokens alone: no padding to a length, nothing cut off unsaid.
    theirs.no_padding()
    theirs.no_truncation()
    return theirs
