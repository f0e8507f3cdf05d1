"""`python -m tests.fuzz`: a line for each target; status 1 if there was a fault."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tests.fuzz.harness import run
from tests.fuzz.targets import TARGETS


@click.command()
@click.option("--target", "names", multiple=True, type=click.Choice(list(TARGETS)))
@click.option("--inputs", type=int, help="So many for each target.")
@click.option("--seconds", type=float, help="So long for each target.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="A directory for inputs with faults.")
def main(
    names: tuple[str, ...],
    inputs: int | None,
    seconds: float | None,
    seed: int,
    out: Path | None,
) -> None:
    """Feed every reader what is broken."""
    if inputs is None and seconds is None:
        inputs = 2000
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    faults = 0
    for name in names or TARGETS:
        report = run(TARGETS[name](), seed=seed, inputs=inputs, seconds=seconds)
        print(f"{report.line}  {report.seconds:.0f} s, seed {seed}", flush=True)
        for number, fault in enumerate(report.faults.values()):
            faults += 1
            print(f"    {fault.kind} at {fault.where}: {fault.text[:200]!r}", flush=True)
            if out is not None:
                path = out / f"{name}-{seed}-{number}"
                path.with_suffix(".input").write_bytes(fault.text.encode("utf-8", "surrogatepass"))
                path.with_suffix(".trace").write_text(
                    f"{fault.kind} {fault.where}\n{fault.details}"
                )
    sys.exit(1 if faults else 0)


main()
