"""LaTeX's environments and other signs in a stretch of mathematics, found in one pass."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from symattn.claims.reading.scan import Span

MATRICES = (
    "matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "psmallmatrix", "bsmallmatrix",
    "array", "tabular", "matrix*", "pmatrix*", "bmatrix*", "Bmatrix*", "NiceMatrix",
    "bNiceMatrix", "pNiceMatrix", "tabular*", "tabularx", "pNiceArray", "bNiceArray",
)  # fmt: skip
RULED = ("array", "tabular", "tabular*", "tabularx", "matrix", "pNiceArray", "bNiceArray")

TOKEN = re.compile(
    r"""
      (?P<env>\\(?P<which>begin|end)[ ]?\{(?P<name>[a-zA-Z]{1,30}\*?)\})
    | (?P<row>\\\\(?:[ ]?\*)?(?:\[\s{0,9}-?[\d.]{1,9}\s{0,9}(?:[a-z]{2}|\\[a-z]+)\s{0,9}\])?
        |\\(?:cr|tabularnewline|newline)(?![a-zA-Z]))
    | (?P<relation>\\(?:approx|simeq|cong|equiv|sim|doteq|coloneqq|triangleq|eq)(?![a-zA-Z])
        |:=|[=≈≃≅≡])
    | (?P<arrow>\\(?:to|(?:long|Long)?(?:right|Right)arrow|implies|mapsto|iff|Leftrightarrow)
        (?![a-zA-Z])|\\xrightarrow|[→⇒⟹])
    | (?P<gap>\\q?quad(?![a-zA-Z]))
    | (?P<size>\\(?:left|right|[bB]igg?[lrm]?)(?![a-zA-Z])[ ]?\.?)
    | (?P<escape>\\[^a-zA-Z\s])
    | (?P<command>\\[a-zA-Z]+)
    | (?P<lone>\\(?=\s|$))
    | (?P<amp>&)
    | (?P<open>[{(\[])
    | (?P<close>[})\]])
    | (?P<separator>[,;])
    """,
    re.VERBOSE,
)
_SPEC = re.compile(r"\s{0,9}(?:\[[a-z]{1,3}\]\s{0,9})?(\{(?:[^{}]|\{[^{}]*\}){0,400}\})")
_OPTION = re.compile(r"\s{0,9}\[[a-z]{1,3}\]")


@dataclass(slots=True)
class Environment:
    r"""A LaTeX environment.

    Attributes:
        name: ``bmatrix``, ``aligned``, …
        start, end: its span, ``\begin`` and ``\end`` included; `end` is −1 while it is open.
        body, body_end: what is inside, column specification not included.
        spec: the column specification of an array.
        cuts: the signs that part rows and cells: ``row``, ``amp``, and ``lone`` backslashes.
        has_matrix: whether another matrix stands inside.
    """

    name: str
    start: int
    body: int
    spec: str = ""
    end: int = -1
    body_end: int = -1
    cuts: list[tuple[str, int, int]] = field(default_factory=list)
    has_matrix: bool = False

    @property
    def is_matrix(self) -> bool:
        return self.name in MATRICES and not self.has_matrix


def environments(text: str, start: int, end: int) -> tuple[list[Environment], list[Environment]]:
    """Closed environments of a stretch in order of their beginning, and those left open."""
    closed: list[Environment] = []
    stack: list[Environment] = []
    depth = 0
    depths: list[int] = []
    for token in TOKEN.finditer(text, start, end):
        kind = token.lastgroup or ""
        if token["env"]:
            if token["which"] == "begin":
                stack.append(_opened(text, token["name"], token.start(), token.end(), end))
                depths.append(depth)
                continue
            opened = next((i for i in range(1, min(len(stack), 20) + 1)
                           if stack[-i].name == token["name"]), 0)  # fmt: skip
            if opened:
                env = stack[-opened]
                depth = depths[-opened]
                del stack[-opened:], depths[-opened:]
                env.body_end, env.end = token.start(), token.end()
                closed.append(env)
                if stack and (env.name in MATRICES or env.has_matrix):
                    stack[-1].has_matrix = True
        elif stack and token.start() >= stack[-1].body:
            if kind in ("row", "amp", "lone") and depth == depths[-1]:
                stack[-1].cuts.append((kind, token.start(), token.end()))
            elif token[0] in "{}":
                depth += 1 if token[0] == "{" else -1
    closed.sort(key=lambda e: e.start)
    return closed, [e for e in stack if e.name in MATRICES]


def _opened(text: str, name: str, start: int, after: int, end: int) -> Environment:
    if name in RULED or name in ("alignat", "alignat*", "alignedat"):
        if name in ("tabular*", "tabularx") and (width := _SPEC.match(text, after, end)):
            after = width.end()
        match = _SPEC.match(text, after, end) if name != "matrix" else None
        if match:
            return Environment(name, start, match.end(), match[1])
    match = _OPTION.match(text, after, end)
    return Environment(name, start, match.end() if match and name.endswith("*") else after)


def rows(text: str, env: Environment) -> list[list[Span]]:
    r"""The cells of a matrix, row by row; empty rows, such as after a last ``\\``, are dropped."""
    found = _split(env, "row")
    if len([r for r in found if not _is_blank(text, r)]) == 1:
        # Markdown turns a double backslash into a single one.
        collapsed = _split(env, "row", "lone")
        kept = [r for r in collapsed if not _is_blank(text, r)]
        if len(kept) > 1 and len({len(r) for r in kept}) == 1:
            return kept
    return [r for r in found if not _is_blank(text, r)]


def _split(env: Environment, *row_kinds: str) -> list[list[Span]]:
    found: list[list[Span]] = []
    row: list[Span] = []
    at = env.body
    for kind, start, end in env.cuts:
        if kind in row_kinds:
            row.append((at, start))
            found.append(row)
            row, at = [], end
        elif kind == "amp":
            row.append((at, start))
            at = end
    row.append((at, env.body_end))
    return [*found, row]


_RULE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule)(?![a-zA-Z])|\\cline\{[^{}]*\}|\{\}")


def _is_blank(text: str, row: list[Span]) -> bool:
    """Whether a row holds nothing but rules."""
    if len(row) != 1:
        return False
    start, end = row[0]
    return end - start < 400 and not _RULE.sub("", text[start:end]).strip(" \t\r\n\\>")
