"""One input after another into one target: what came of each, how long it took, what it held."""

from __future__ import annotations

import faulthandler
import re
import resource
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from types import FrameType

import click

from symattn.cli import one_line
from symattn.errors import SymattnError
from tests.fuzz.mutate import mutated

SECONDS = 2.0  # of processor time that a small input may take
GROWTH = 500  # megabytes that it may take
STUCK = 120  # seconds after which a call that nothing interrupts ends the run, with a traceback
MESSAGE = 1500  # characters of a message: what was wanted, what came, where
MAX_CORPUS = 4000
PACKAGE = "symattn"


class TooSlow(BaseException):
    """Raised into a call that takes longer than an input may; no `except Exception` stops it."""


@dataclass(frozen=True)
class Target:
    """A reader.

    Attributes:
        run: reads a text; returns in a few words what came of it.
        corpus: texts that it reads, to start from.
        words: what is put into them.
    """

    name: str
    run: Callable[[str], str]
    corpus: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class Fault:
    """What should not have happened: kind, place, and the input that did it."""

    kind: str
    where: str
    text: str
    details: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.where


@dataclass
class Report:
    """What a run over one target found."""

    name: str
    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    outcomes: set[str] = field(default_factory=set)
    faults: dict[tuple[str, str], Fault] = field(default_factory=dict)
    faulty: int = 0

    @property
    def line(self) -> str:
        rate = self.inputs / self.seconds if self.seconds else 0
        return (
            f"{self.name:14} {self.inputs:>9,} inputs {rate:>8,.0f}/s {len(self.outcomes):>6,} outcomes "
            f"{self.faulty:>4} faults ({len(self.faults)} kinds)  slowest {self.slowest:.2f} s"
        )


def _ring(signum: int, frame: FrameType | None) -> None:
    raise TooSlow


def tried(target: Target, text: str) -> tuple[str, Fault | None, float]:
    """Run one input: its outcome, the fault if there is one, and processor seconds."""
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome, fault = "", None
    started = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        outcome = target.run(text)
    except (SymattnError, click.ClickException) as error:
        signal.setitimer(signal.ITIMER_PROF, 0)
        outcome, fault = _refused(error, text)
    except TooSlow as slow:
        fault = Fault("slow", _place(slow), text, _traced(slow))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # whatever it is, a user would see it
        signal.setitimer(signal.ITIMER_PROF, 0)
        fault = Fault(type(error).__name__, _place(error), text, _traced(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    taken = time.process_time() - started
    if fault is None and taken > 1.5 * SECONDS:
        fault = Fault("slow", outcome[:60], text)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held) / 1024
    if fault is None and grown > GROWTH:
        fault = Fault("memory", outcome[:60], text, f"{grown:.0f} MB")
    return outcome, fault, taken


def _refused(error: Exception, text: str) -> tuple[str, Fault | None]:
    said = error.format_message() if isinstance(error, click.ClickException) else str(error)
    try:
        is_plain = isinstance(error, SymattnError) and said.isprintable()
        line = said if is_plain else one_line(said)
        line.encode("utf-8")
    except (ValueError, RecursionError) as inner:
        return "", Fault(f"unprintable: {type(inner).__name__}", _place(error), text)
    if len(line) > MESSAGE:
        return "", Fault("long message", _place(error), text, line[:300])
    return f"{type(error).__name__}: {outline(said)}", None


def outline(said: str) -> str:
    """A message without what it quotes: the same for the same mistake."""
    said = re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "·", said)
    return re.sub(r"\W+", " ", said)[:60]


def _place(error: BaseException) -> str:
    """The last line of the package in a traceback."""
    frames = [(f.f_code.co_filename, line) for f, line in traceback.walk_tb(error.__traceback__)]
    own = [(file, line) for file, line in frames if f"/{PACKAGE}/" in file] or frames
    file, line = own[-1] if own else ("?", 0)
    return f"{file.rpartition(f'/{PACKAGE}/')[2]}:{line}"


def _traced(error: BaseException) -> str:
    lines = traceback.format_exception(error, chain=False)
    return "".join(lines)[-1500:]


def run(
    target: Target,
    *,
    seed: int = 0,
    inputs: int | None = None,
    seconds: float | None = None,
) -> Report:
    """Inputs until there are so many, or so long has passed.

    What gives an outcome that was not seen before is kept, and changed further.
    """
    before = signal.signal(signal.SIGPROF, _ring)
    report = Report(target.name)
    rng = Random(f"{seed} {target.name}")
    corpus = list(target.corpus)
    began = time.perf_counter()
    first: Sequence[str] = target.corpus
    watched = 0.0
    while (inputs is None or report.inputs < inputs) and (
        seconds is None or time.perf_counter() - began < seconds
    ):
        if time.perf_counter() - watched > STUCK / 10:
            watched = time.perf_counter()  # each time takes a thread
            faulthandler.dump_traceback_later(STUCK, exit=True)
        at = report.inputs
        # Every other one is a text as it was, as long as there are some.
        half, is_changed = divmod(at, 2)
        is_changed = is_changed or half >= len(first)
        text = mutated(rng, corpus, target.words) if is_changed else first[half]
        outcome, fault, taken = tried(target, text)
        report.inputs += 1
        report.slowest = max(report.slowest, taken)
        if fault is not None:
            report.faulty += 1
            known = report.faults.get(fault.key)
            if known is None or len(fault.text) < len(known.text):
                report.faults[fault.key] = fault
        elif outcome not in report.outcomes:
            report.outcomes.add(outcome)
            if len(corpus) < MAX_CORPUS:
                corpus.append(text)
    faulthandler.cancel_dump_traceback_later()
    signal.signal(signal.SIGPROF, before)
    report.seconds = time.perf_counter() - began
    return report
