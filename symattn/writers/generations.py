"""Generated tokens and their proof: as text, as Markdown, and as plain data."""

from __future__ import annotations

from typing import Any

from symattn.blocks import Block, Paragraph, Table, plain, row
from symattn.generation import Chosen, Generation, Proof
from symattn.notation import visible
from symattn.writers import markdown as markdown_writer
from symattn.writers import terminal
from symattn.writers.columns import table
from symattn.writers.screen import PLAIN, Screen

SHOWN = 10  # entries that are not proven equal


def text(made: Generation, screen: Screen = PLAIN) -> str:
    """For a terminal: a row a token, a line for each tie, and with a cache the proof."""
    header = ["token", "after", "next", _value(made)]
    shown = table(header, _rows(made), left=3, screen=screen)
    notes = _notes(made)
    if made.cached:  # the last of them is what is proven of the cache
        notes[-1] = screen.ink(notes[-1], "good" if made.proof.equal else "bad")
    return "\n".join([shown, *notes])


def markdown(made: Generation) -> str:
    """A Markdown table, a line for each tie, and with a cache the proof."""
    return "".join(f"{markdown_writer.written(block)}\n\n" for block in blocks(made))[:-1]


def blocks(made: Generation) -> list[Block]:
    """The same as blocks of a page."""
    header = row(["token", "after", "next", plain(_value(made))])
    rows = tuple(row([plain(visible(cell)) for cell in cells]) for cells in _rows(made))
    notes = (line for note in _notes(made) for line in note.split("\n"))
    return [Table(header, rows), *(Paragraph(plain(visible(note.strip()))) for note in notes)]


def data(made: Generation) -> dict[str, Any]:
    """Plain data, for JSON."""
    return {
        "prompt": list(made.prompt),
        "tokens": list(made.tokens),
        "words": list(made.words),
        "cached": made.cached,
        "proof": _proof_data(made.proof) if made.cached else None,
        "steps": [
            {
                "token": s.token,
                "word": s.word,
                "probability": s.probability,
                "address": s.entry.address,
                "tied": [w.index[-1] for w in s.winners] if s.tied else [],
            }
            for s in made.steps
        ],
    }


def proof(found: Proof) -> str:
    """Whether two passes are proven equal, how, and which entries are not."""
    n, tokens = len(found.entries), len({e.step for e in found.entries})
    entries = f"{n} {'entry' if n == 1 else 'entries'} of {tokens} token{'s' * (tokens > 1)}"
    ways = "; ".join(f"{count} by {why}" for why, count in found.reasons.items())
    if found.equal:
        return f"with a cache and without: {entries} are proven equal ({ways})"
    others = found.others
    lines = [f"with a cache and without: {len(others)} of {entries} are not proven equal"]
    lines += [f"  {visible(str(e))}" for e in others[:SHOWN]]
    if len(others) > SHOWN:
        lines.append(f"  and {len(others) - SHOWN} more")
    return "\n".join(lines)


def _proof_data(found: Proof) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "equal": found.equal,
        "entries": len(found.entries),
        "reasons": dict(found.reasons),
        "others": [
            {
                "token": e.step,
                "left": e.left.address,
                "right": e.right.address,
                "verdict": e.found.verdict,
                "why": e.found.why,
            }
            for e in found.others
        ],
    }


def _value(made: Generation) -> str:
    """What the numbers are: P, as the model calls it."""
    return made.steps[0].entry.step.name


def _rows(made: Generation) -> list[list[str]]:
    """A row a token: its number, the sentence so far, the token, its probability."""
    words = made.words
    n = len(made.prompt)
    return [
        [str(k + 1), " ".join(words[: n + k]), s.word, _probability(s)]
        for k, s in enumerate(made.steps)
    ]


def _probability(chosen: Chosen) -> str:
    """As its step is displayed; an exact value by names, long parts of it."""
    step, index = chosen.entry.step, chosen.entry.index
    exact = step.display_option("values") == "exact"
    return (step.written_at if exact else step.displayed_at)(index, "text")


def _notes(made: Generation) -> list[str]:
    ties = [
        visible(f"token {k + 1}: {_listed(s)} tie, and that is proven; {s.word} is taken, ")
        + "the first in the vocabulary"
        for k, s in enumerate(made.steps)
        if s.tied
    ]
    marks = [
        f"token {k + 1}: {line}"
        for k, s in enumerate(made.steps)
        for line in terminal.notes(s.entry.step, [s.entry.index])
    ]
    return [*ties, *marks, *([proof(made.proof)] if made.cached else [])]


def _listed(chosen: Chosen) -> str:
    *first, last = chosen.tied
    return f"{', '.join(first)} and {last}"
