"""One line on a terminal that says how far long work has come, and goes when it is done.

Not rich's: that puts itself in place of sys.stdout to share the screen with what is printed. A
thread draws, so that the line comes in the middle of a long item, too.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TextIO

from symattn.progress import Work, share, watched

#: Seconds of work before which nothing is shown, and between two looks at it.
AFTER, EVERY = 1.0, 0.1

#: Cells of the bar.
CELLS = 24

#: Back to the first column, and erase the line (ECMA-48, 8.3.41).
_ERASE = "\r\x1b[2K"


def bar() -> AbstractContextManager[None]:
    """Within it, work that takes long is shown on standard error, where that is a terminal."""
    return _shown(sys.stderr) if _is_watched(sys.stderr) else nullcontext()


def _is_watched(stream: TextIO | None) -> bool:
    try:
        return bool(stream and stream.isatty()) and os.environ.get("TERM") != "dumb"
    except ValueError:  # closed
        return False


@contextmanager
def _shown(stream: TextIO) -> Iterator[None]:
    made = Bar(stream)
    try:
        with watched(made):
            yield
    finally:
        made.close()


class Bar:
    """A watcher of `symattn.progress` that draws on a terminal.

    Args:
        clock: seconds, from whenever.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream = stream
        self.clock = clock
        self.start = clock()
        self.works: list[Work] = []
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._line = ""
        self._most = 0.0

    def begun(self, work: Work) -> None:
        """Work begins."""
        with self._lock:
            if not self.works:
                self._most = 0.0
            self.works.append(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

    def ended(self, work: Work) -> None:
        """Work is over; with the outermost the line goes."""
        with self._lock:
            self.works = [other for other in self.works if other is not work]
            if not self.works:
                self._put("")

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """No line while something is printed."""
        with self._lock:
            self._put("")
            yield

    def close(self) -> None:
        """No line from now on."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
        with self._lock:
            self._put("")

    def _run(self) -> None:
        while not self._stopped.wait(EVERY):
            self.look()

    def look(self) -> None:
        """Draw the work that there is, once a second has passed."""
        with self._lock:
            seconds = self.clock() - self.start
            if self.works and seconds >= AFTER and not self._stopped.is_set():
                self._put(self._drawn(int(seconds)))

    def _drawn(self, seconds: int) -> str:
        named = [work for work in self.works if work.total != 1][:2] or self.works[:1]
        if named[0].total is None:  # what is inside comes and goes too fast
            named = named[:1]
        said = f"{', '.join(map(_where, named))}  {seconds} s"
        done = share(self.works)
        if done is not None:
            # An item may hold several rounds of work, one after the other: no step back for these.
            self._most = max(self._most, done)
            said = f"{self._cells(int(self._most * CELLS))} {int(self._most * 100):3} %  {said}"
        return said if len(said) < self._width() else ", ".join(map(_where, named[:1]))

    def _cells(self, full: int) -> str:
        encoding = (self.stream.encoding or "").lower().replace("-", "")
        done, left = ("━", "┄") if encoding == "utf8" else ("#", ".")
        return done * full + left * (CELLS - full)

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self.stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    def _put(self, line: str) -> None:
        if line == self._line:
            return
        self._line = line
        with suppress(OSError, ValueError):  # a terminal that is gone; work goes on
            self.stream.write(_ERASE + line[: self._width() - 1])
            self.stream.flush()


def _where(work: Work) -> str:
    if work.total is None:
        return f"{work.what} {work.done + 1:,}"
    return f"{work.what} {min(work.done + 1, work.total):,} of {work.total:,}"
