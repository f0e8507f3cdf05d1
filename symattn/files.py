"""Writing files so that the old or the new one is there, and never half of one."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from symattn.errors import SymattnError


class FileError(SymattnError):
    """A file that cannot be written."""


def write(path: Path, content: str | bytes, *, overwrite: bool = True) -> None:
    """Write a file, text as UTF-8, by way of a temporary one beside it, then rename.

    Args:
        overwrite: whether a file that is there already may be replaced.

    Raises:
        FileError: it cannot be written, or is there and may not be replaced.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = Path(os.path.realpath(path))  # a link stays a link to the new text
    temporary = None
    with _told(path):
        try:
            if target.exists() and not target.is_dir() and not target.is_file():
                # A device or a pipe is written to; a rename would put a file in its place.
                target.write_bytes(data)
                return
            temporary = _staged(path, target, data)
            if overwrite:
                os.replace(temporary, target)
            else:
                os.link(temporary, target)  # fails where a file is there, with no gap to slip into
        finally:
            _unlinked(temporary)


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Write several files: all lie there, each beside where it goes, before the first is renamed.

    Raises:
        FileError: one of them cannot be written; those that are there are left as they are.
    """
    staged: list[tuple[Path, Path, str]] = []
    try:
        for path, content in contents.items():
            data = content.encode("utf-8") if isinstance(content, str) else content
            target = Path(os.path.realpath(path))
            with _told(path):
                if target.exists() and not target.is_dir() and not target.is_file():
                    raise FileError(f"{path}: wanted a file to write, got a device or a pipe")
                staged.append((path, target, _staged(path, target, data)))
        for path, target, temporary in staged:
            with _told(path):
                os.replace(temporary, target)
    finally:
        for _, _, temporary in staged:
            _unlinked(temporary)


def _staged(path: Path, target: Path, data: bytes) -> str:
    """A temporary file with the content, beside the one that it will be."""
    if target.is_dir():
        raise FileError(f"{path}: wanted a file to write, got a directory")
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
    except BaseException:
        _unlinked(temporary)
        raise
    return temporary


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """What the system says, as an error that names the file."""
    try:
        yield
    except FileExistsError:
        raise FileError(f"{path}: is there already, and is not overwritten") from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def _unlinked(temporary: str | None) -> None:
    if temporary is not None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _mode(target: Path) -> int:
    """The permissions the file has, or those a new one gets."""
    with contextlib.suppress(FileNotFoundError):
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
