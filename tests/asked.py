"""Commands with many options, each asked in this process: what it prints and its status."""

from __future__ import annotations

import shlex
from contextlib import chdir
from itertools import cycle
from pathlib import Path

from click.testing import CliRunner

from symattn.cli import main
from tests.claimed import STEPS

ROOT = Path(__file__).parent.parent

_SHOWN = (
    "", "--format latex", "--format markdown", "--json", "--digits 5", "--values exact", "--values decimals",
    "--rounding significant --digits 3", "--roots divided", "--decimal-mark , --digits 3", "--row-sums kept",
    "--no-factor --format latex", "--expand", "--top 2", "--small fixed --digits 8", "--nucleus 0.8",
    "--no-labels --no-substitution", "--factor --roots divided --format markdown", "--digits 30",
)  # fmt: skip
_WRITTEN = (
    "", "--format latex", "--format latex --fragment", "--format quarto", "--format plain", "--format typst",
    "--format myst", "--json", "--values exact --no-labels", "--values decimals --digits 4", "--row-sums kept",
    "--roots divided --decimal-mark ,", "--highlight A[1,1] --working A[2]", "--rounding significant",
    "--no-substitution --factor", "--backward", "--backward --target mouse --format latex", "--step Z.digits=4",
)  # fmt: skip
_SPECS = ("article", "article-encoder", "tests/specs/two-layers.toml", "tests/specs/eight-tokens.toml",
          "tests/specs/hostile.toml")  # fmt: skip
_FAMILIES = ("asymmetry", "cache", "causality", "equivariance", "heads", "networks", "norms", "positions", "scaling",
             "softmax", "tying", "weights", "own", "model", "masks")  # fmt: skip
_DOCUMENTS = tuple(sorted(p.name for p in (ROOT / "tests" / "cases" / "docs").iterdir()))


def commands() -> tuple[str, ...]:
    options = cycle(_SHOWN)
    steps = [
        f"show '{name}' {next(options)}"
        for name in [*STEPS, "W_Q", "x", "A.exp", "K"]
        for _ in range(3)
    ]
    entries = [
        f"show '{name}[{','.join(map(str, index))}]' {next(options)}"
        for name, shape in STEPS.items()
        for index in [(0,) * len(shape), tuple(n - 1 for n in shape), (0, *(n - 1 for n in shape[1:])), shape]
    ]  # fmt: skip
    written = cycle(_WRITTEN)
    return (
        *steps, *entries,
        *(f"show '{name}[1]' {next(options)}" for name in STEPS),
        *(f"list {spec} {form}" for spec in _SPECS for form in ("", "--json", "--format mermaid")),
        *(f"write article {form}" for form in _WRITTEN),
        *(f"write {spec} {next(written)}" for spec in _SPECS[1:] for _ in range(4)),
        *(f"prove --only {family} {form}" for family, form in zip(_FAMILIES, cycle(("", "--json", "--format latex", "--strict")), strict=False)),
        *(f"vary {entry} {form}" for entry, form in zip(
            ("W_1[0,0]", "W_V[0,1]", "W_Q[1,1]", "W_vocab[0,2]", "W_1[1,0] --from -2 --to 2", "W_K[0,0] --cells 50", "W_9[0,0]"),
            cycle(("", "--json", "--format markdown --digits 3")), strict=False)),
        *(f"sensitivity article {form}" for form in ("", "--of 'P[1]'", "--json --top 3", "--format markdown --top 40", "--of A")),
        *(f"sensitivity {spec} --top 4" for spec in _SPECS[1:]),
        *(f"generate article -n 2 {form}" for form in ("", "--cached", "--json", "--format markdown --digits 4")),
        *(f"diff article {other} {form}" for other in (*_SPECS[1:], "gpt2") for form in ("", "--json")),
        *(f"worksheet -o - --blank '{what}' {form}" for what, form in zip(
            ("A,O", "A[1]", "3", "30%", "P.sum", "Z[0,0],S", "B", "M"), cycle(("", "--seed 3", "--no-prose", "--digits 3")), strict=False)),
        *(f"check tests/cases/docs/{name} {form}" for name, form in zip(_DOCUMENTS, cycle(("--json", "--strict", "--format github", "--diff")), strict=False)),
        *(f"check docs/attention.md --spec {spec} --diff" for spec in _SPECS[:3]),
        *(f"{verb} {name} {rest}" for name in ("gpt2", "llama", "bert", "vaswani2017", "gemma2")
          for verb, rest in (("list", ""), ("show", "logits"))),
    )  # fmt: skip


def answer(line: str) -> tuple[str, str]:
    """What a command prints, with its status."""
    with chdir(ROOT):
        done = CliRunner().invoke(main, shlex.split(line))
    error = "" if isinstance(done.exception, SystemExit | None) else repr(done.exception)
    return f"{done.exit_code}\n{done.output}\n{error}", f"{line}: {done.exit_code} {error}"[:100]
