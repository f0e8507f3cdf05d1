"""What checking a document found: as text for people, for GitHub, and as plain data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from symattn.blocks import Block, Code, Inlines, Items, Paragraph, Table, plain, row
from symattn.claims.check import Checked, Finding
from symattn.claims.fix import Edit, in_style
from symattn.claims.judge import Judgement
from symattn.claims.placing import Claimed
from symattn.claims.prose import repeats
from symattn.entries import place
from symattn.notation import visible
from symattn.writers.screen import PLAIN, Screen

ROLES = {"right": "good", "wrong": "bad", "quoted": ""}  # in what colour a verdict stands
SLIPS = 6  # entries of a step that are written out
CAUSES = 5  # that are told of a step
TOLD = 200  # numbers that are told of a document
TOLD_BLANK = 30  # entries without an answer that are named
LONG = 500  # characters of an entry's working


def text(checked: Checked, screen: Screen = PLAIN) -> str:
    """For people: what is wrong, where, and why; then what was found at all."""
    name = visible(str(checked.document.path)) or "text"
    lines = [f"{screen.ink(name, 'heading')}: {_summary(checked, screen)}"]
    lines += [f"  {line}" for line in _about(checked)]
    told = [f for f in checked.findings if _told(f)]
    lines += [f"{name}:{_at(checked, f)}  {_sentence(f, screen)}" for f in told[:TOLD]]
    if len(told) > TOLD:
        lines.append(f"{name}: and {len(told) - TOLD} more, see --json")
    for j in checked.of_spec:
        if j.verdict != "right":
            lines.append(f"{name}: the spec claims {j.printed} for {j.at}: {_verdict(j, screen)}")
    lines += [
        f"{name}:{line}:{column}  {screen.ink(said, 'bad' * wrong)}"
        for line, column, said, wrong in _others(checked)
    ]
    if why := list(_why(checked)):
        lines += [screen.ink("why:", "heading"), *(f"  {line}" for line in why)]
    if not (checked.counts["right"] or checked.counts["wrong"] or checked.shown):
        lines.append(f"{name}: {screen.ink('nothing could be judged', 'warning')}")
    return "\n".join(lines) + "\n"


def shown(checked: Checked) -> list[Block]:
    """The same as blocks, for notebooks: a table of what is not right, and why."""
    name = str(checked.document.path) or "text"
    about = [f"{name}: {_summary(checked)}", *_about(checked)]
    blocks: list[Block] = [Paragraph(plain(line)) for line in about]
    told = [f for f in checked.findings if _told(f)]
    rows = [row([plain(_at(checked, f)), *judged_cells(_in_percent(f))]) for f in told[:TOLD]]
    if rows:
        blocks.append(Table(row(["at", *JUDGED]), tuple(rows)))
    if len(told) > TOLD:
        blocks.append(Paragraph(plain(f"and {len(told) - TOLD} more")))
    others = [f"{line}:{column} {said}" for line, column, said, _ in _others(checked)]
    blocks += [Paragraph(plain(line)) for line in others]
    if why := [line.strip() for line in _why(checked)]:
        blocks.append(Items(tuple(plain(line) for line in why)))
    return blocks


#: What is told of a number in a table.
JUDGED = ("entry", "printed", "verdict", "it should be")


def judged_cells(j: Judgement) -> list[Inlines]:
    """The cells of such a row."""
    note = f": {j.note}" if j.note else ""
    correct = visible(j.correct) if j.verdict == "wrong" else ""
    return [(Code(j.at),), plain(visible(j.printed)), plain(f"{j.verdict}{note}"), plain(correct)]


def judgement(j: Judgement) -> list[Block]:
    """One of them alone."""
    return [Table(row(list(JUDGED)), (tuple(judged_cells(j)),))]


def github(checked: Checked) -> str:
    """Workflow commands, which GitHub shows beside the lines."""
    name = str(checked.document.path)
    causes = {id(c): e for e in checked.explained for c in e.wrong}
    out = []
    for f in checked.findings:
        if not _told(f) or f.claim.quoted:
            continue
        level = "error" if f.judgement.verdict == "wrong" else "warning"
        found = causes.get(id(f.claim))
        because = f" ({found.causes[0].text})" if found and found.causes else ""
        out.append(_command(level, name, f.line, f.column, _sentence(f) + because))
    for line, column, said, wrong in _others(checked):
        out.append(_command("error" if wrong else "notice", name, line, column, said))
    return "".join(f"{line}\n" for line in out)


def data(checked: Checked) -> dict[str, Any]:
    """Plain data, for JSON."""
    reading = checked.reading
    return {
        "document": str(checked.document.path),
        "counts": dict(checked.counts),
        "given": [
            {"name": g.name, "line": _line(checked, g.matrix.start)} for g in checked.example.given
        ],
        "notes": list(checked.example.notes),
        "findings": [
            {
                "at": f.judgement.at,
                "labels": list(f.claim.entry.labels),
                "line": f.line,
                "column": f.column,
                "printed": _in_percent(f).printed,
                "correct": _in_percent(f).correct,
                "verdict": f.judgement.verdict,
                "note": f.judgement.note,
                "quoted": f.claim.quoted,
            }
            for f in checked.findings
        ],
        "spec_claims": [
            {"at": j.at, "printed": j.printed, "correct": j.correct, "verdict": j.verdict}
            for j in checked.of_spec
        ],
        **({"answers": dict(checked.answers.verdicts)} if checked.answers else {}),
        "causes": [
            {
                "step": e.step.short,
                "entries": [c.entry.address for c in e.wrong],
                "causes": [cause.text for cause in e.causes],
                "slips": [] if e.causes else [_expansion(c) for c in e.wrong[:SLIPS]],
            }
            for e in checked.explained
        ],
        "other": [
            {"line": line, "column": column, "message": said, "wrong": wrong}
            for line, column, said, wrong in _others(checked)
        ],
        "problems": [{"line": p.line, "message": p.message} for p in reading.problems],
    }


def fixed(checked: Checked, changes: list[Edit]) -> str:
    """What was corrected, and where running text still repeats an old number."""
    name = visible(str(checked.document.path))
    lines = [f"{name}: {len(changes)} place{'s' * (len(changes) != 1)} corrected"]
    for s in checked.shown:
        if s.state == "edited":
            line = _line(checked, s.block.start)
            lines.append(f"{name}:{line}:1  wrote over a block that was edited by hand")
    # Lines as they were: numbers and blocks are replaced one by one.
    for start, number in repeats(checked.reading, [e.old for e in changes if e.old]):
        line, column = checked.document.line_and_column(start)
        lines.append(f"{name}:{line}:{column}  the text still says {number}")
    return "\n".join(lines) + "\n"


def _summary(checked: Checked, screen: Screen = PLAIN) -> str:
    counts = checked.counts
    shown = [k for k in counts if counts[k] or k in ("right", "wrong")]
    return ", ".join(
        screen.ink(f"{counts[k]} {k}", ROLES.get(k, "warning") if counts[k] else "") for k in shown
    )


def _about(checked: Checked) -> Iterator[str]:
    """What was taken as given, and what was assumed."""
    given = [f"{g.name} (line {_line(checked, g.matrix.start)})" for g in checked.example.given]
    if given:
        yield f"given: {', '.join(given)}"
    if checked.example.notes:
        yield "; ".join(checked.example.notes)
    if checked.answers is not None:
        counts = checked.answers.counts
        yield f"answers: {', '.join(f'{n} {word}' for word, n in counts.items())}"
        if missing := checked.answers.unanswered:
            more = f" and {len(missing) - TOLD_BLANK} more" * (len(missing) > TOLD_BLANK)
            yield f"unanswered: {', '.join(missing[:TOLD_BLANK])}{more}"


def _told(finding: Finding) -> bool:
    j = finding.judgement
    return j.verdict not in ("right", "unanswered")


def _at(checked: Checked, finding: Finding) -> str:
    return f"{finding.line}:{finding.column}"


def _sentence(finding: Finding, screen: Screen = PLAIN) -> str:
    j = _in_percent(finding)
    where = place(finding.claim.entry)
    about = f" ({where})" if where else ""
    quoted = "quoted: " if finding.claim.quoted else ""
    return f"{quoted}{j.at}{about}: {visible(j.printed)} is {_verdict(j, screen)}"


def _in_percent(finding: Finding) -> Judgement:
    """The judgement; of a percentage, in percent."""
    j, printed = finding.judgement, finding.claim.printed
    if not printed.percent:
        return j
    is_decimal = re.fullmatch(r"-?[\d.]+", j.correct)
    correct = f"{in_style(printed, j.correct, printed.text)}%" if is_decimal else j.correct
    return replace(j, printed=f"{j.printed}%", correct=correct)


def _verdict(j: Any, screen: Screen = PLAIN) -> str:
    said = screen.ink(j.verdict, ROLES.get(j.verdict, "warning"))
    if j.verdict == "wrong":
        return f"{said}, it should be {screen.ink(j.correct, 'strong')}"
    if j.verdict == "right":
        return said
    return said + (f": {j.note}" if j.note else "")


def _others(checked: Checked) -> Iterator[tuple[int, int, str, bool]]:
    """What is no verdict on one entry: line, column, sentence, and whether it is wrong."""
    position = checked.document.line_and_column
    for u in checked.example.unmatched:
        yield *position(u.start), f"{visible(u.what)[:80]} is unmatched: {u.why}", False
    for odd in checked.inconsistent:
        yield *position(odd.start), f"{visible(odd.what)} cannot be right: {odd.why}", True
    for s in checked.shown:
        said = {
            "fresh": "",
            "stale": "is not what the spec gives; symattn check --fix writes it",
            "edited": "was edited by hand; symattn check --fix writes over it",
            "wrong": f"cannot be written: {s.problem}",
        }[s.state]
        if said:
            yield *position(s.block.start), f"the block {s.block.argument!r} {said}", True
    for p in checked.reading.problems:
        yield p.line, 1, p.message, True
    for g in checked.guesses:
        address = g.entry.address
        said = f"a guess: {g.text} may be {address}; {g.text}<!-- symattn: {address} --> checks it"
        yield *position(g.start), said, False


def _why(checked: Checked) -> Iterator[str]:
    for e in checked.explained:
        name = e.step.short
        if len(e.wrong) == 1:
            name = e.wrong[0].entry.address
        if e.causes:
            yield f"{name}: {e.causes[0].text}"
            indent = " " * len(name)
            yield from (f"{indent}  or {cause.text}" for cause in e.causes[1:CAUSES])
            if len(e.causes) > CAUSES:
                yield f"{indent}  or {len(e.causes) - CAUSES} more, see --json"
            continue
        if not e.tried:
            yield f"{name}: too large to look for a cause"
        else:
            yield f"{name}: no single cause explains it; an arithmetic slip, or several"
        yield from (f"  {_expansion(c)}" for c in e.wrong[:SLIPS])
        if len(e.wrong) > SLIPS:
            yield f"  and {len(e.wrong) - SLIPS} more"


def _expansion(claim: Claimed) -> str:
    """One entry with its working, on a line."""
    rows = dict(claim.entry.explain().rows())
    parts = [rows[k] for k in ("formula", "substituted", "exact") if k in rows]
    digits = max(claim.printed.decimals or 0, 0)
    decimal = claim.entry.step.shown_at(claim.entry.index, digits)
    working = " = ".join(dict.fromkeys(part if len(part) < LONG else "…" for part in parts))
    return f"{claim.entry.address} = {working} ≈ {decimal}"


def _line(checked: Checked, start: int) -> int:
    return checked.document.line_and_column(start)[0]


def _command(level: str, file: str, line: int, column: int, message: str) -> str:
    def escaped(value: str, more: str = "") -> str:
        for sign in "%\r\n" + more:
            value = value.replace(sign, f"%{ord(sign):02X}")
        return value

    where = f"file={escaped(file, ':,')},line={line},col={column}"
    return f"::{level} {where}::{escaped(message)}"
