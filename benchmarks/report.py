"""Outcomes as text: lines for the terminal, a table for the README."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.row import OURS, Finding, Outcome

README = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def seconds(value: float | None) -> str:
    """Three digits, in the unit that suits."""
    if value is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return (
                f"{value / size:.3g} {unit}" if value / size < 100 else f"{value / size:.0f} {unit}"
            )
    return f"{value:.1e} s"


def measured(found: Finding) -> str:
    """The ratio or number, or why there is none."""
    if found.measured is None:
        return found.note
    size = found.measured
    digits = f"{size:,.0f}" if size >= 100 else f"{size:#.3g}"
    return f"{digits} {found.unit}"


def lines(outcome: Outcome, judged: bool) -> Iterable[str]:
    """An outcome for the terminal; `judged` says whether targets are met."""
    counted = f"{outcome.rounds} round" + "s" * (outcome.rounds != 1)
    yield f"{outcome.name}: {outcome.what.replace('`', '')} ({counted})"
    for found in outcome.findings:
        verdict = {True: "met", False: "missed", None: ""}[found.met if judged else None]
        times = f"{seconds(found.ours)} against {seconds(found.theirs)}, " if found.ours else ""
        yield (
            f"  {found.ours_name} / {found.peer}: {times}{measured(found)}"
            f"  (target {found.target}) {verdict}".rstrip()
        )
    for note in outcome.notes:
        yield f"  {note}"


def facts(setting: dict[str, str]) -> str:
    """Versions and cores in one line."""
    return ", ".join(
        f"{value} cores" if name == "cores" else value if name == "machine" else f"{name} {value}"
        for name, value in setting.items()
    )


def table(outcomes: Sequence[Outcome], setting: dict[str, str]) -> str:
    """The results as Markdown."""
    rows = [
        "| what | row | symattn | peer | its time | measured | target |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    notes = []
    for outcome in outcomes:
        for found in outcome.findings:
            form = found.ours_name.removeprefix(OURS).removeprefix(", ")
            ours = seconds(found.ours) + (f" ({form})" if form else "")
            cells = [outcome.what, f"`{outcome.name}`", ours, found.peer, seconds(found.theirs)]
            cells += [measured(found), found.target]
            rows.append("| " + " | ".join(cells) + " |")
        notes += [f"- `{outcome.name}`: {note}" for note in outcome.notes]
    counted = ", ".join(f"{o.name} {o.rounds}" for o in outcomes)
    parts = ["\n".join(rows), f"Measured with {facts(setting)}. Rounds: {counted}."]
    if notes:
        parts.append("\n".join(notes))
    return "\n\n".join(parts)


def rewrite_readme(outcomes: Sequence[Outcome], setting: dict[str, str]) -> None:
    """Put the table between the README's two markers."""
    text = README.read_text("utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    made = f"{head}{BEGIN}\n\n{table(outcomes, setting)}\n\n{END}{tail}"
    README.write_text(made, encoding="utf-8")
