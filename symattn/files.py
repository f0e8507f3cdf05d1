"""Reading files that are files and no longer than may be; writing them whole or not at all.

The new content goes to a file of its own beside the old one, ``.NAME.RANDOM.tmp``, which is then
renamed. Only a process that is killed while it writes leaves that file behind; nothing reads it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from symattn.errors import SymattnError

#: Characters of a name that its temporary file takes over: a name may have 255 bytes in all.
NAMED = 50


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

    A link stays a link, and permissions and owner stay as they are. A device or a pipe is
    written to.

    Args:
        overwrite: whether a file that is there already may be replaced.

    Raises:
        FileError: it cannot be written, or is there and may not be replaced.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    with _told(path):
        if _is_special(path):
            path.write_bytes(data)  # a rename would put a file in its place
            return
        target = _target(path)
        with _staged(target, data) as temporary:
            if overwrite:
                os.replace(temporary, target)
            else:
                os.link(temporary, target)  # fails where a file is there, with no gap to slip into


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Write several files: all lie there, each beside where it goes, before the first is renamed.

    Raises:
        FileError: one of them cannot be written; those that are there are left as they are.
    """
    with contextlib.ExitStack() as stack:
        staged: list[tuple[Path, Path, Path]] = []
        for path, content in contents.items():
            data = content.encode("utf-8") if isinstance(content, str) else content
            with _told(path):
                if _is_special(path):
                    raise FileError(f"{path}: wanted a file to write, got a device or a pipe")
                target = _target(path)
                staged.append((path, target, stack.enter_context(_staged(target, data))))
        for path, target, temporary in staged:
            with _told(path):
                os.replace(temporary, target)


def is_within(path: Path, folder: Path) -> bool:
    """Whether a file lies in a folder, once its links are followed: pages may be a stranger's."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # a NUL in the name, links that go round
        return False


def _target(path: Path) -> Path:
    """The file that is meant: a link's own, which may be written."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FileError(f"{path}: wanted a file to write, got a directory")
    if target.exists() and not os.access(target, os.W_OK):
        # A rename asks the directory alone, and would replace what its owner protects.
        raise FileError(f"{path}: is read-only")
    return target


def _is_special(path: Path) -> bool:
    """Whether a path is a device or a pipe; asked of the path, since /dev/stdout leads nowhere."""
    return path.exists() and not path.is_dir() and not path.is_file()


@contextlib.contextmanager
def _staged(target: Path, data: bytes) -> Iterator[Path]:
    """A temporary file with the content, beside the one that it will be; gone afterwards."""
    # The name is known before there is a file, so that whatever comes between finds it.
    temporary = target.with_name(f".{target.name[:NAMED]}.{os.urandom(6).hex()}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _like(temporary, target)
        yield temporary
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


#: Windows would write other line ends.
_BINARY = getattr(os, "O_BINARY", 0)


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


def _like(temporary: Path, target: Path) -> None:
    """Give it the owner and permissions that the file has, or those that a new one gets."""
    try:
        old = target.stat()
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        return
    new = temporary.stat()
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):  # who is not root may not give files away
            os.chown(temporary, old.st_uid, old.st_gid)
    os.chmod(temporary, stat.S_IMODE(old.st_mode))
