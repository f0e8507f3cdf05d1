"""Reading files that are files and no longer than may be; writing them whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from symattn.errors import SymattnError


class FileError(SymattnError):
    """A file that cannot be written."""


#: Where the system has streams that are open already: standard input, ``<(…)`` of a shell.
_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def read(path: Path, most: int, refused: type[SymattnError], what: str = "a file") -> bytes:
    """What a file holds.

    Args:
        most: bytes that it may have.
        refused: the kind of error that is raised.
        what: is wanted, for messages.

    Raises:
        SymattnError: it cannot be read, is too long, or is a device or a pipe, which may have no
            end or never begin.
    """
    try:
        status = os.stat(path)
        mode = status.st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or str(path).startswith(_STREAMS)):
            raise refused(f"{path}: wanted {what}, got a device or a pipe")
        if status.st_size > most:
            raise refused(f"{path}: wanted at most {most:,} bytes, got {status.st_size:,}")
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise refused(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        if isinstance(error, SymattnError):
            raise
        raise refused(f"{str(path)!r}: wanted {what}, and no file has such a name") from None
    if len(data) > most:
        raise refused(f"{path}: wanted at most {most:,} bytes, got more")
    return data


def write(path: Path, content: str | bytes, *, overwrite: bool = True) -> None:
    """Write a file, text as UTF-8, by way of a temporary one beside it, then rename.

    Args:
        overwrite: whether a file that is there already may be replaced.

    Raises:
        FileError: it cannot be written, or is there and may not be replaced.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary = None
    with _told(path):
        target = Path(os.path.realpath(path))  # a link stays a link to the new text
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
            with _told(path):
                target = Path(os.path.realpath(path))
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
    except ValueError as error:
        if isinstance(error, SymattnError):
            raise
        raise FileError(
            f"{str(path)!r}: wanted a file to write, and none has such a name"
        ) from None


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
