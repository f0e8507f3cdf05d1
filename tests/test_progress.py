"""How far work has come: what is counted, and the line that a terminal shows of it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

import symattn as sa
from symattn import progress
from symattn.cli.bar import Bar
from symattn.progress import Work
from tests import pseudo_terminal

ROOT = Path(__file__).parent.parent
ERASE = "\r\x1b[2K"

#: A program whose work takes as long as it says; the items alone are slow.
WORK = """
import sys, time
from symattn import progress
from symattn.cli.bar import bar
def slowly(seconds):
    for k in range(4):
        time.sleep(seconds / 4)
        yield k
with bar():
    with progress.work("step", 4) as work:
        for _ in slowly(float(sys.argv[1])):
            work.done += 1
print("done", file=sys.stderr)
"""

#: `symattn verify`, of which each step takes a second longer.
SLOW = """
import time
import symattn.cli, symattn.verify
enclosed = symattn.verify.enclosed
def slow(step):
    time.sleep(1)
    return enclosed(step)
symattn.verify.enclosed = slow
import sys
sys.argv = ["symattn", "verify"]
symattn.cli.run()
"""


def on_a_terminal(code: str, *words: str, stop_at: str = "", **environment: str) -> tuple[str, int]:
    """What a program writes on a terminal that is its standard error, and its status.

    Args:
        stop_at: Ctrl-C comes once this is read.
    """
    return pseudo_terminal.ran("-c", code, *words, stream="stderr", stop_at=stop_at, **environment)


def test_long_work_shows_a_line_on_a_terminal_and_takes_it_back() -> None:
    shown, status = on_a_terminal(WORK, "2.4")
    assert status == 0
    assert "━" in shown and "step 3 of 4" in shown
    assert shown.endswith(f"{ERASE}done\r\n")


def test_short_work_shows_nothing() -> None:
    assert on_a_terminal(WORK, "0.2") == ("done\r\n", 0)


def test_a_dumb_terminal_shows_nothing() -> None:
    assert on_a_terminal(WORK, "1.6", TERM="dumb") == ("done\r\n", 0)


def test_a_pipe_gets_nothing() -> None:
    made = subprocess.run(
        [sys.executable, "-c", WORK, "1.6"], capture_output=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert made.stderr == b"done" + os.linesep.encode()


def test_control_c_leaves_no_line_behind() -> None:
    shown, status = on_a_terminal(SLOW, stop_at="━")
    assert status == 130
    before, _, after = shown.rpartition(ERASE)
    assert "step" in before
    assert after.split() == ["symattn:", "stopped"]


class Terminal(io.StringIO):
    """Text that is written, and the line that one sees."""

    encoding = "utf-8"  # type: ignore[assignment]

    @property
    def seen(self) -> str:
        return self.getvalue().rpartition(ERASE)[2]


@pytest.fixture
def clock() -> list[float]:
    return [0.0]


@pytest.fixture
def bar(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> Bar:
    """A bar whose time the test tells, and which looks when it is told to."""
    monkeypatch.setattr(Bar, "_run", lambda self: None)
    return Bar(Terminal(), clock=lambda: clock[0])


def test_nothing_is_shown_before_a_second(bar: Bar, clock: list[float]) -> None:
    bar.begun(Work("step", 10))
    clock[0] = 0.9
    bar.look()
    assert bar.stream.getvalue() == ""
    clock[0] = 1.0
    bar.look()
    assert "step 1 of 10" in bar.stream.seen


def test_what_is_inside_moves_the_bar_of_what_is_outside(bar: Bar, clock: list[float]) -> None:
    clock[0] = 12.0
    outer, inner = Work("document", 2, done=1), Work("number", 4, done=2)
    bar.begun(outer)
    bar.begun(inner)
    bar.look()
    assert bar.stream.seen == "━" * 18 + "┄" * 6 + "  75 %  document 2 of 2, number 3 of 4  12 s"
    bar.ended(inner)
    bar.ended(outer)
    assert bar.stream.seen == ""


def test_the_bar_takes_no_step_back_within_a_work(bar: Bar, clock: list[float]) -> None:
    clock[0] = 2.0
    bar.begun(outer := Work("document", 2))
    for done in (3, 1):
        bar.begun(inner := Work("step", 4, done=done))
        bar.look()
        bar.ended(inner)
        assert " 37 %" in bar.stream.seen
    bar.ended(outer)
    bar.begun(Work("section", 4))
    bar.look()
    assert "  0 %" in bar.stream.seen


def test_work_of_unknown_length_is_counted(bar: Bar, clock: list[float]) -> None:
    clock[0] = 2.0
    bar.begun(Work("cell", done=1234))
    bar.begun(Work("operation", 4))
    bar.look()
    assert bar.stream.seen == "cell 1,235  2 s"


def test_what_is_printed_finds_no_line(bar: Bar, clock: list[float]) -> None:
    clock[0] = 2.0
    bar.begun(Work("step", 3))
    bar.look()
    with bar.hidden():
        assert bar.stream.seen == ""
        bar.stream.write("a finding\n")
    bar.look()
    assert "a finding\n" in bar.stream.getvalue() and "step 1 of 3" in bar.stream.seen


def test_a_narrow_terminal_never_wraps_the_line(
    bar: Bar, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock[0] = 2.0
    bar.begun(Work("step", 3))
    for width in (1, 5, 12, 30, 80):
        monkeypatch.setattr(Bar, "_width", lambda self, width=width: width)
        bar.works[0].done = width % 3
        bar.look()
        assert len(bar.stream.seen) < width


def test_a_terminal_without_unicode_gets_ascii(bar: Bar, clock: list[float]) -> None:
    clock[0] = 2.0
    bar.stream.encoding = "ascii"
    bar.begun(Work("step", 2, done=1))
    bar.look()
    assert bar.stream.seen.isascii() and "############......" in bar.stream.seen


def test_a_terminal_that_is_gone_stops_no_work(bar: Bar, clock: list[float]) -> None:
    clock[0] = 2.0
    bar.stream.close()
    bar.begun(Work("step", 2))
    bar.look()
    bar.close()


class Recorder:
    """A watcher that notes what it is told."""

    def __init__(self) -> None:
        self.begun_works: list[Work] = []
        self.open: list[Work] = []

    def begun(self, work: Work) -> None:
        self.begun_works.append(work)
        self.open.append(work)

    def ended(self, work: Work) -> None:
        self.open.remove(work)

    def hidden(self) -> AbstractContextManager[None]:
        return nullcontext()


def test_items_are_the_same_with_a_watcher_and_without() -> None:
    items = [3, 1, 2]
    assert progress.over(items, "item") is items
    recorder = Recorder()
    with progress.watched(recorder):
        assert list(progress.over(items, "item")) == items
    assert [(w.what, w.total, w.done) for w in recorder.begun_works] == [("item", 3, 3)]
    assert not recorder.open


def test_work_that_fails_or_is_left_has_ended() -> None:
    recorder = Recorder()
    with progress.watched(recorder):
        for _ in progress.over(range(3), "item"):
            break
        with pytest.raises(ValueError, match="no"), progress.work("cell"):
            raise ValueError("no")
    assert len(recorder.begun_works) == 2 and not recorder.open


def _watched(do: object) -> set[tuple[str, int | None]]:
    recorder = Recorder()
    with progress.watched(recorder):
        do()  # type: ignore[operator]
    assert not recorder.open
    for work in recorder.begun_works:
        assert work.total is None or work.done == work.total, work
    return {(work.what, work.total) for work in recorder.begun_works}


def test_long_commands_say_what_they_go_through() -> None:
    from symattn.document import page
    from symattn.sensitivity import sensitivities

    steps = len([s for s in sa.article().steps if s.inside is None])
    assert ("step", steps) in _watched(lambda: sa.article().verify())
    assert ("token", 2) in _watched(lambda: sa.generate(sa.article(), 2))
    assert ("property", None) not in (told := _watched(lambda: sa.prove("softmax")))
    assert any(what == "property" and total for what, total in told)
    sections = len(sa.article().spec.text.sections)
    assert ("section", sections) in _watched(lambda: page(sa.article()))
    assert ("input", 1) in _watched(lambda: sensitivities(sa.article(), "P[1]", ["W_1"]))


def test_variations_say_what_they_go_through() -> None:
    one = _watched(lambda: sa.vary(sa.article(), "W_Q[0,0]", low=-1, high=1))
    two = _watched(lambda: sa.vary(sa.article(), "W_1[0,0]", "W_1[1,0]", low=-1, high=1))
    assert ("cell", None) in one and ("cell", None) in two


def test_a_prompt_of_python_is_told_nothing() -> None:
    recorder = Recorder()
    with progress.watched(recorder), progress.watched(None):
        sa.article().verify()
    assert not recorder.begun_works


def test_a_bar_draws_by_itself_and_stops_when_closed() -> None:
    terminal = Terminal()
    made = Bar(terminal, clock=iter(range(1000)).__next__)
    made.begun(Work("step", 2))
    until = time.monotonic() + 10
    while not terminal.seen and time.monotonic() < until:
        time.sleep(0.02)
    assert "step 1 of 2" in terminal.seen
    made.close()
    assert terminal.seen == ""
    made.look()
    assert terminal.seen == ""
