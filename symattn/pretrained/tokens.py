"""Text as a trained model's tokens, by the tokenizer that comes with it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symattn import files
from symattn.errors import ModelError, OptionError

#: Characters of a text; far more tokens than a certified pass can take.
MAX_TEXT = 100_000

#: Bytes of a tokenizer; the largest that are published have a third of it.
MAX_BYTES = 100_000_000


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
        self._path = path
        self._tokenizer = _opened(path)

    def tokens(self, text: str) -> Tokens:
        """A text's tokens, with those that the model wants around it.

        Raises:
            ModelError: a text that is too long.
        """
        if len(text) > MAX_TEXT:
            raise ModelError(f"text: wanted at most {MAX_TEXT:,} characters, got {len(text):,}")
        with _told(f"{self._path}: cannot take this text apart"):
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
            "text needs tokenizers, which is not installed: "
            "pip install 'symattn[models]' (in a clone '.[models]'), or give "
            "the tokens with --ids"
        ) from None
    data = files.read(path, MAX_BYTES, ModelError, "a tokenizer")
    with _told(f"{path}: not a tokenizer"):
        theirs = Theirs.from_buffer(data)
    # A certificate is about the tokens alone: no padding to a length, nothing cut off unsaid.
    theirs.no_padding()
    theirs.no_truncation()
    return theirs


@contextlib.contextmanager
def _told(what: str) -> Iterator[None]:
    """What goes wrong in tokenizers, as an error of ours: it raises no class of its own.

    It panics at some files, which is no `Exception`, and writes so to standard error itself.
    """
    try:
        with _unsaid():
            yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise ModelError(f"{what}: {error}") from None


@contextlib.contextmanager
def _unsaid() -> Iterator[None]:
    """Without what is written to the standard error of the process, from outside of Python."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
