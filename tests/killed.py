"""Commands that write, killed at every line of what writes: ``python -m tests.killed FOLDER``.

A command runs once. Where it is about to write, the process forks for each line that the writing
takes: the child stops there, and what lies on the disk then is compared with what lay there and
with what will. Prints what was found as JSON, a command a line.
"""

from __future__ import annotations

import json
import os
import resource
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from symattn import files
from symattn.cli import main

#: Bytes after which a write is cut off.
CUTS = (0, 1, 4096)

Tree = dict[str, tuple[bytes, int]]


def tree(folder: Path) -> Tree:
    """The content and permissions of each file."""
    return {
        p.name: (p.read_bytes(), p.stat().st_mode) for p in sorted(folder.iterdir()) if p.is_file()
    }


def restore(folder: Path, old: Tree) -> None:
    for path in folder.iterdir():
        path.unlink()
    for name, (data, mode) in old.items():
        (folder / name).write_bytes(data)
        (folder / name).chmod(mode)


def stopped_at(line: int, how: int) -> Callable[..., Any]:
    """A trace function that sends a signal when so many lines of files.py have been reached."""
    count = 0

    def local(frame: Any, event: str, arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        if count == line:
            count += 1
            os.kill(os.getpid(), how)
        return local

    return lambda frame, *_: local if frame.f_code.co_filename == files.__file__ else None


def child(work: Callable[[], Any], before: Callable[[], Any]) -> int:
    """What a child ends with that does some work: a status, or minus a signal."""
    pid = os.fork()
    if not pid:
        status = 99
        try:
            before()
            work()
            status = 0
        except KeyboardInterrupt:
            status = 130
        except files.FileError:
            status = 2
        finally:
            sys.settrace(None)
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Tried:
    """Takes the place of a function that writes."""

    def __init__(self, write: Callable[..., None], folder: Path, found: dict[str, Any]) -> None:
        self.write, self.folder, self.found = write, folder, found

    def __call__(self, *args: Any, **options: Any) -> None:
        old = tree(self.folder)
        self.write(*args, **options)
        new = tree(self.folder)
        restore(self.folder, old)

        def work() -> None:
            self.write(*args, **options)

        for how, end in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
            line = 1
            while True:
                status = child(work, lambda n=line, s=how: sys.settrace(stopped_at(n, s)))  # type: ignore[misc]
                self.look(old, new, f"{how.name} at {line}")
                restore(self.folder, old)
                if status == 0:
                    break
                assert status == end, (status, line)
                line += 1
            self.found["stages"][how.name] += line - 1
        for size in CUTS:
            for action in (signal.SIG_DFL, signal.SIG_IGN):

                def full(size: int = size, action: Any = action) -> None:
                    signal.signal(signal.SIGXFSZ, action)
                    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

                status = child(work, full)
                self.found["cut"].append(status)
                self.look(old, new, f"cut at {size}, {action.name}", whole=action is signal.SIG_IGN)
                restore(self.folder, old)
        self.write(*args, **options)

    def look(self, old: Tree, new: Tree, when: str, whole: bool = False) -> None:
        now = tree(self.folder)
        for name in {*old, *new, *now}:
            if name not in old and name not in new:
                kind = "SIGINT" if "SIGINT" in when or whole else "killed"
                self.found["left"].setdefault(kind, []).append(f"{name} ({when})")
            elif now.get(name) not in (old.get(name), new.get(name)):
                self.found["torn"].append(f"{name} ({when})")


def tried(folder: Path, line: str) -> dict[str, Any]:
    """What is found of a command."""
    found: dict[str, Any] = {
        "command": line, "stages": {"SIGKILL": 0, "SIGINT": 0}, "cut": [], "torn": [], "left": {},
    }  # fmt: skip
    whole = files.write, files.write_all
    files.write = Tried(files.write, folder, found)  # type: ignore[assignment]
    files.write_all = Tried(files.write_all, folder, found)  # type: ignore[assignment]
    try:
        main(shlex.split(line), standalone_mode=False)
    except SystemExit as stop:
        found["status"] = stop.code
    finally:
        files.write, files.write_all = whole
    return found


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    start = tree(Path())
    for asked in sys.stdin.read().splitlines():
        restore(Path(), start)
        print(json.dumps(tried(Path(), asked)), flush=True)
