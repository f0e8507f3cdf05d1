"""Writing files so that the old or the new one is there, and never half of one."""

from __future__ import annotations

import contextlib
import os
import tempfile
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
    try:
        if target.is_dir():
            raise FileError(f"{path}: wanted a file to write, got a directory")
        if target.exists() and not target.is_file():
            # A device or a pipe is written to; a rename would put a file in its place.
            target.write_bytes(data)
            return
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        if overwrite:
            os.replace(temporary, target)
        else:
            os.link(temporary, target)  # fails where a file is there, with no gap to slip into
    except FileExistsError:
        raise FileError(f"{path}: is there already, and is not overwritten") from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    finally:
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
