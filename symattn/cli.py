"""The command line: parse, call, print, exit status.

0: all well. 1: something checked is wrong. 2: the call or its input can't be used.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.errors import SpecError, SymattnError
from symattn.layout import MAX_CHARACTERS

if TYPE_CHECKING:
    from symattn.derivation import Derivation
    from symattn.notation import Notation

DEFAULT = "article"
ENDINGS = {".md": "markdown", ".tex": "latex"}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="symattn")
def main() -> None:
    """Derive attention exactly, typeset every step, and check the numbers.

    SPEC is a path ending in .toml or a built-in's name (article, article-encoder,
    bert, gemma2, gpt2, llama, vaswani2017); without it, the article.
    """


def _derivation(spec: str) -> Derivation:
    from symattn.spec_reader import load_spec

    return load_spec(spec).derive()


def _formats(*names: str) -> Callable[[Any], Any]:
    """The options --format and --json."""

    def add(command: Any) -> Any:
        command = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")(
            command
        )
        choice = click.Choice([*names, "json"])
        return click.option("--format", "form", type=choice, help="How to print it.")(command)

    return add


def _display(command: Any) -> Any:
    """The options that say how numbers are shown; each is left to the spec where not given."""
    options = (
        click.option(
            "--row-sums",
            type=click.Choice(["rounded", "kept"]),
            help="Decimals of weights: each rounded, or such that rows add to 1; these are marked.",
        ),
        click.option(
            "--roots",
            type=click.Choice(["rationalised", "divided"]),
            help="Roots in fractions: √2/2 or 1/√2.",
        ),
        click.option(
            "--factor/--no-factor",
            default=None,
            help="A divided matrix with its factor, (1/√2)·S, or as a fraction, S/√2.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _displayed(derivation: Derivation, **changes: Any) -> Derivation:
    given = {name: value for name, value in changes.items() if value is not None}
    return derivation.with_display(**given) if given else derivation


def _print_by(writer: Any, form: str | None, as_json: bool, *found: Any) -> None:
    """Print by a writer that has a function for each format, `data` for JSON."""
    kind = "json" if as_json else form or "text"
    if kind == "json":
        _print_json(writer.data(*found))
    else:
        click.echo(getattr(writer, kind)(*found))


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


@main.command()
@click.argument("spec", default=DEFAULT)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file, .md or .tex; - for the terminal.",
)
@click.option(
    "--fold",
    type=click.Choice(["layers", "heads", "entries", "none"]),
    multiple=True,
    help="Show only the first layer or head, or no long entries; else as the spec says.",
)
@click.option("--backward", is_flag=True, help="Append the backward pass, with every gradient.")
@click.option("--target", help="With --backward: what to predict, where the model has no loss.")
@_display
@_formats("markdown", "latex")
def write(
    spec: str,
    output: Path | None,
    fold: tuple[str, ...],
    backward: bool,
    target: str | None,
    form: str | None,
    as_json: bool,
    **display: Any,
) -> None:
    """Write the whole page: every equation, derived, typeset and verified.

    \b
    symattn write -o attention.md
    symattn write gpt2 -o gpt2.md --fold layers --backward
    """
    from symattn import files
    from symattn.document import page, with_backward

    if target is not None and not backward:
        raise click.UsageError("wanted --target together with --backward")

    kind = "json" if as_json else form or _kind_of(output)
    derivation = _displayed(_derivation(spec), **display)
    if fold:
        derivation = derivation.with_fold([word for word in fold if word != "none"])
    text = with_backward(derivation.spec.text, derivation, target) if backward else None
    made = page(derivation, text)
    if backward:
        derivation = derivation.backward(target=target)
    if kind == "json":
        steps = [_step_json(step) for step in derivation.steps]
        whole = {"title": made.title, "steps": steps}
        written = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    else:
        from importlib import import_module

        written = import_module(f"symattn.writers.{kind}").write(
            made, _about(spec, derivation, output)
        )
    if output is None or str(output) == "-":
        click.echo(written, nl=False)
    else:
        files.write_text(output, written)
        click.echo(f"{output}: {len(derivation.steps)} steps", err=True)


def _about(spec: str, derivation: Derivation, output: Path | None) -> str:
    """What a page says it is about: a built-in's name, or where its spec lies from there.

    Nothing for a spec that quotes numbers: its page says itself which of them are wrong.
    """
    from symattn.examples import builtin_names

    if derivation.spec is not None and derivation.spec.claims:
        return ""
    if spec in builtin_names():
        return spec
    if output is None or str(output) == "-" or not spec.endswith(".toml"):
        return ""
    path = Path(spec)
    try:
        found = os.path.relpath(path.parent.resolve() / path.name, output.parent.resolve())
    except ValueError:  # on another drive
        return ""
    return Path(found).as_posix()


def _kind_of(output: Path | None) -> str:
    if output is None or str(output) == "-":
        return "markdown"
    if output.suffix.lower() not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise SpecError(f"{output}: wanted a file ending in {known}, or --format")
    return ENDINGS[output.suffix.lower()]


@main.command()
@click.argument("spec_and_step", nargs=-1, required=True, metavar="[SPEC] STEP")
@click.option("--digits", type=click.IntRange(0, 1000), help="Decimals; else as the spec says.")
@click.option("--top", "--top-k", "k", type=int, help="Only the K largest entries of a row.")
@click.option("--nucleus", "--top-p", "p", help="Only the most likely, up to a sum of P.")
@click.option("--expand", is_flag=True, help="Write exact entries in full: their size, then they.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help=f"Characters that --expand may write for an entry, {MAX_CHARACTERS:,} if left out.",
)
@_display
@_formats("text", "latex", "markdown")
def show(
    spec_and_step: Sequence[str],
    digits: int | None,
    k: int | None,
    p: str | None,
    expand: bool,
    limit: int | None,
    form: str | None,
    as_json: bool,
    **display: Any,
) -> None:
    """Show a step, A, or an entry, A[1,1]: formula, exact value, decimals.

    \b
    symattn show article-encoder 'P[3]' --expand --format latex
    symattn show P --top 3
    """
    if limit is not None and not expand:
        raise click.UsageError("wanted --limit together with --expand")
    spec, address = _spec_and_step(spec_and_step)
    derivation = _displayed(_derivation(spec), **display)
    if digits is not None:
        derivation = derivation.with_digits(digits)
    found = derivation[address]
    kind = "json" if as_json else form or "text"
    if k is not None or p is not None:
        _show_selection(address, found, k, p, kind)
    elif expand:
        _print_expanded(_flat(found), kind, MAX_CHARACTERS if limit is None else limit)
    elif kind == "json":
        _print_json(_any_json(found))
    else:
        click.echo("\n".join(_shown(part, kind) for part in _flat(found)))


def _show_selection(address: str, found: Any, k: int | None, p: str | None, kind: str) -> None:
    from symattn.entries import Entry
    from symattn.selection import nucleus, top_k

    if k is not None and p is not None:
        raise SpecError("wanted --top or --nucleus, got both")
    if kind not in ("text", "json"):
        raise SpecError(f"what is kept is shown as text or json, got {kind}")
    row = [] if isinstance(found, Entry) else list(found)
    if not row or not all(isinstance(entry, Entry) for entry in row):
        raise SpecError(f"wanted a row such as P or A[0], got {address}")
    kept = top_k(row, k) if k is not None else nucleus(row, p)
    if kind == "json":
        _print_json(kept.json())
    else:
        click.echo(str(kept))


def _print_expanded(found: list[Any], kind: str, limit: int) -> None:
    """Every entry in full, each after its size; nothing if one of them is over the limit."""
    from symattn.entries import Entry

    entries = [e for part in found for e in ([part] if isinstance(part, Entry) else part.entries())]
    style: Notation = "text" if kind in ("text", "json") else "latex"
    texts = [(e.address, e.expand(style, limit=limit)) for e in entries]
    if kind == "json":
        _print_json([{"address": a, "size": len(t), "expanded": t} for a, t in texts])
        return
    for address, text in texts:
        # What is piped into a document is the mathematics alone.
        size = f"{len(text):,} character{'s' * (len(text) > 1)}"
        click.echo(f"{address}: {size}", err=kind != "text")
        click.echo(f"```math\n{text}\n```" if kind == "markdown" else text)


def _spec_and_step(words: Sequence[str]) -> tuple[str, str]:
    from symattn.examples import builtin_names

    if len(words) == 1:
        if words[0].endswith(".toml") or words[0] in builtin_names():
            raise SpecError(f"wanted a step after {words[0]}, such as A; `symattn list` names them")
        return DEFAULT, words[0]
    if len(words) == 2:
        if words[1].endswith(".toml") and not words[0].endswith(".toml"):
            return words[1], words[0]
        return words[0], words[1]
    raise SpecError(f"wanted [SPEC] STEP, got {len(words)} words: {' '.join(words)}")


def _flat(found: Any) -> list[Any]:
    return [x for part in found for x in _flat(part)] if isinstance(found, list) else [found]


def _shown(found: Any, kind: str) -> str:
    from symattn.entries import Entry
    from symattn.equations import equation
    from symattn.writers import terminal
    from symattn.writers.markdown import escape

    if kind == "text":
        return str(found.explain() if isinstance(found, Entry) else found)
    step, indices = (found.step, [found.index]) if isinstance(found, Entry) else (found, None)
    latex = equation(found) if indices is None else found.explain().latex()
    starred = terminal.nearest(step, indices)
    if kind == "latex":  # a comment: what is piped into a document is the mathematics alone
        return "\n".join([latex, *(f"% {line}" for line in starred)])
    return "\n\n".join([f"```math\n{latex}\n```", *map(escape, starred)])


def _any_json(found: Any) -> Any:
    from symattn.entries import Entry

    if isinstance(found, list):
        return [_any_json(part) for part in found]
    return _entry_json(found) if isinstance(found, Entry) else _step_json(found)


def _step_json(step: Any) -> dict[str, Any]:
    return {
        "address": step.address,
        "symbol": step.symbol,
        "shape": list(step.shape),
        "source": step.source,
        "formula": step.formula,
        "substitution": step.substitution,
        "exact": step.full_texts("text").tolist(),
        "latex": step.texts("latex").tolist(),
        "where": dict(step.where("latex")),
        "decimals": None if step.has_symbols else step.shown().tolist(),
        "labels": [list(axis) if axis else None for axis in step.axes],
    }


def _entry_json(entry: Any) -> dict[str, Any]:
    from symattn.numbers.texts import full

    return {
        "address": entry.address,
        "labels": list(entry.labels),
        "formula": entry.formula(),
        "substitution": entry.substitution(),
        "exact": full(entry.form, entry.step.derivation.expansion("text")),
        "size": entry.size,
        "latex": entry.latex(),
        "decimal": None if entry.has_symbols else entry.step.shown_at(entry.index),
    }


@main.command()
@click.argument("spec", default=DEFAULT)
@_formats("text")
def verify(spec: str, form: str | None, as_json: bool) -> None:
    """Check NumPy's float64 and float32 against the exact values, step by step.

    \b
    symattn verify
    symattn verify mine.toml --json
    """
    report = _derivation(spec).verify()
    if as_json or form == "json":
        _print_json(report.json())
    else:
        click.echo(str(report))
    sys.exit(0 if report.agrees else 1)


@main.command()
@click.argument("spec", default=DEFAULT)
@click.option("-n", "n", type=click.IntRange(1), default=5, show_default=True, help="Tokens.")
@click.option("--cached", is_flag=True, help="From keys and values kept; proven the same as not.")
@_formats("text", "markdown")
def generate(spec: str, n: int, cached: bool, form: str | None, as_json: bool) -> None:
    """Go on with the most likely token, proven so, n times.

    \b
    symattn generate -n 3
    symattn generate mine.toml --format markdown
    """
    from symattn.generation import generate as generated
    from symattn.writers import generations

    made = generated(_derivation(spec), n, cached=cached)
    _print_by(generations, form, as_json, made)
    if cached and made.proof.refuted:
        sys.exit(1)


@main.command()
@click.argument("spec", default=DEFAULT)
@click.option("--size", default="n=3,d=2,h=1", show_default=True, help="Tokens, d_model, heads.")
@click.option("--only", multiple=True, help="A family or property; own or model for those of SPEC.")
@click.option("--strict", is_flag=True, help="Undecided counts as wrong.")
@_formats("text", "markdown", "latex")
def prove(
    spec: str, size: str, only: tuple[str, ...], strict: bool, form: str | None, as_json: bool
) -> None:
    """Prove what holds whatever the weights: the list, and the properties that SPEC states.

    \b
    symattn prove
    symattn prove mine.toml --only own --only softmax --size n=4,d=2,h=2
    """
    from symattn.properties.core import Size
    from symattn.spec_reader import load_spec
    from symattn.writers import statements

    found = load_spec(spec).statements(only, Size.read(size))
    kind = "json" if as_json else form or "text"
    if kind == "json":
        _print_json(statements.data(found))
    else:
        click.echo(getattr(statements, kind)(found).rstrip("\n"))
    is_open = strict and any(s.verdict == "undecided" for s in found)
    sys.exit(1 if is_open or any(s.is_wrong for s in found) else 0)


@main.command()
@click.argument("words", nargs=-1, required=True, metavar="[SPEC] ENTRY [ENTRY]")
@click.option("--from", "low", multiple=True, help="Where it begins; twice for two entries.")
@click.option("--to", "high", multiple=True, help="Where it ends; twice for two entries.")
@click.option("--digits", type=click.IntRange(0, 1000), default=6, show_default=True)
@click.option("--cells", type=click.IntRange(1), default=1000, help="Parts of a range to look at.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A plot: .svg, .png, .pdf.")
@_formats("text", "markdown")
def vary(
    words: Sequence[str],
    low: tuple[str, ...],
    high: tuple[str, ...],
    digits: int,
    cells: int,
    output: Path | None,
    form: str | None,
    as_json: bool,
) -> None:
    """Where the most likely token changes as an entry varies; over two entries, a map.

    \b
    symattn vary 'W_vocab[1,3]'
    symattn vary 'W_1[0,0]' 'W_1[1,0]' --from -4 --to 4
    """
    from symattn.varying.vary import vary as varied
    from symattn.writers import plots, variations

    spec, entries = _spec_and_entries(words)
    ends = ((x if len(x) > 1 else x[0]) if x else None for x in (low, high))
    given = dict(zip(("low", "high"), ends, strict=True))
    found = varied(_derivation(spec), *entries, **given, digits=digits, cells=cells)
    if output is not None:
        plots.save(found, output)
    kind = "json" if as_json else form or "text"
    if kind == "json":
        _print_json(found.json())
    else:
        click.echo(getattr(variations, kind)(found).rstrip("\n"))


def _spec_and_entries(words: Sequence[str]) -> tuple[str, list[str]]:
    from symattn.examples import builtin_names

    specs = [w for w in words if w.endswith(".toml") or w in builtin_names()]
    entries = [w for w in words if w not in specs]
    if len(specs) > 1 or not 1 <= len(entries) <= 2:
        raise SpecError(f"wanted [SPEC] ENTRY [ENTRY], got {len(words)} words: {' '.join(words)}")
    return specs[0] if specs else DEFAULT, entries


@main.command()
@click.argument("spec", default=DEFAULT)
@click.option("--of", default="P", show_default=True, help="A row or an entry, such as P[1].")
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="How many.")
@_formats("text", "markdown")
def sensitivity(spec: str, of: str, top: int, form: str | None, as_json: bool) -> None:
    """Derivatives of each probability by each entry of the inputs, the largest first.

    \b
    symattn sensitivity --top 5
    symattn sensitivity gpt2 --of 'P[2,1]' --format markdown
    """
    from symattn.sensitivity import sensitivities
    from symattn.writers import sensitivities as writer

    found = sensitivities(_derivation(spec), of)
    _print_by(writer, form, as_json, found, top)


@main.command(name="list")
@click.argument("spec", default=DEFAULT)
@_formats("text")
def list_(spec: str, form: str | None, as_json: bool) -> None:
    """List the steps: address, symbol, shape, formula.

    \b
    symattn list
    symattn list article-encoder --json
    """
    from symattn.writers import terminal

    steps = _derivation(spec).steps
    if as_json or form == "json":
        keys = ("address", "symbol", "source", "formula")
        _print_json([{k: getattr(s, k) for k in keys} | {"shape": list(s.shape)} for s in steps])
    else:
        click.echo(terminal.overview(steps))


@main.command()
@click.argument("name", type=click.Path(path_type=Path))
@click.option("--preset", help="A whole model to start from: gpt2, bert, llama, gemma2, …")
def new(name: Path, preset: str | None) -> None:
    """Write a commented spec to start from; a file that is there is left alone.

    \b
    symattn new mine.toml
    symattn new small-gpt.toml --preset gpt2
    """
    from symattn import files
    from symattn.errors import nearest
    from symattn.examples import builtin_names, builtin_text

    if name.suffix != ".toml":
        raise SpecError(f"{name}: wanted a name ending in .toml")
    if preset is not None and preset not in builtin_names():
        known = ", ".join(builtin_names())
        raise SpecError(
            f"--preset: wanted one of {known}, got {preset!r}{nearest(preset, builtin_names())}"
        )
    template = builtin_text(f"{preset}.toml" if preset else "new.toml.template")
    files.write_text(name, template, overwrite=False)
    click.echo(f"{name}: change it, then: symattn write {name} -o {name.stem}.md", err=True)


@main.command()
@click.argument("spec", default=DEFAULT)
def repl(spec: str) -> None:
    """A Python prompt with the derivation in hand: d["A"], d["A"][1, 1].explain().

    \b
    symattn repl
    symattn repl mine.toml
    """
    from symattn import repl as prompt

    prompt.run(_derivation(spec))


@main.command()
@click.argument("documents", nargs=-1, required=True, metavar="DOC...")
@click.option("--spec", help="What the documents are about; else each says it itself.")
@click.option("--diff", "show_diff", is_flag=True, help="Show what --fix changes.")
@click.option("--fix", "write_fix", is_flag=True, help="Correct the wrong numbers in place.")
@click.option("--strict", is_flag=True, help="Undecided and unmatched numbers count as wrong.")
@_formats("text", "github")
def check(
    documents: Sequence[str],
    spec: str | None,
    show_diff: bool,
    write_fix: bool,
    strict: bool,
    form: str | None,
    as_json: bool,
) -> None:
    """Judge the numbers somebody printed: Markdown, LaTeX, HTML, notebooks, plain text.

    \b
    symattn check lesson.md
    symattn check lesson.md --fix --diff
    """
    from symattn.claims.fix import difference, edits, fixed_text
    from symattn.writers import findings

    kind = "json" if as_json else form or "text"
    results, status = [], 0
    for name in documents:
        try:
            checked = _checked(name, spec)
            changes = edits(checked) if show_diff or write_fix else []
            old = checked.document.text
            new = fixed_text(old, changes)
            if write_fix and new != old:
                from symattn import files

                files.write_text(Path(name), new)
        except SymattnError as error:
            click.echo(f"symattn: {error}", err=True)
            status = 2
            continue
        if kind == "json":
            results.append(findings.data(checked))
        else:
            click.echo(getattr(findings, kind)(checked), nl=False)
        if show_diff and changes:
            click.echo(difference(name, old, new), nl=False)
        if write_fix:
            click.echo(findings.fixed(checked, changes), nl=False, err=True)
            after = _checked(name, spec) if new != old else checked
            wrong, is_open = after.is_wrong, after.is_open
        else:
            wrong, is_open = checked.is_wrong, checked.is_open
        status = max(status, 1 if wrong or (strict and is_open) else 0)
    if kind == "json":
        _print_json(results)
    sys.exit(status)


@main.command()
@click.argument("left")
@click.argument("right")
@_formats("text", "markdown", "latex")
def diff(left: str, right: str, form: str | None, as_json: bool) -> None:
    """Two derivations side by side: what changed, entry by entry.

    \b
    symattn diff article article-encoder
    symattn diff mine.toml article --format markdown
    """
    from symattn.writers import differences

    found = _derivation(left).diff(_derivation(right))
    _print_by(differences, form, as_json, found)


def _checked(name: str, spec: str | None) -> Any:
    """A document, checked against a spec, the one it names, or what it gives itself."""
    from symattn.claims.check import check
    from symattn.claims.reading import read
    from symattn.spec_reader import load_spec
    from symattn.transformer import worked_attention

    reading = read(Path(name))
    if spec is None and reading.spec:
        beside = Path(name).parent / reading.spec
        spec = str(beside) if reading.spec.endswith(".toml") else reading.spec
    if spec is None:
        return check(reading, worked_attention)
    loaded = load_spec(spec)
    return check(
        reading, worked_attention, loaded.derive(), claims=loaded.claims, aliases=loaded.aliases
    )


def run() -> None:
    """The console script: errors in one line, a closed pipe in none."""
    try:
        main(standalone_mode=False)
    except SymattnError as error:
        _fail(f"symattn: {_one_line(str(error))}")
    except click.exceptions.NoArgsIsHelpError as error:
        _fail(error.format_message())
    except click.ClickException as error:
        _fail(f"symattn: {error.format_message()}")
    except (click.Abort, KeyboardInterrupt):
        _fail("symattn: stopped", 130)
    except BrokenPipeError:
        # The reader has what it wanted; keep the interpreter from flushing into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        _fail(f"symattn: {error.strerror or error}")


def _one_line(message: str) -> str:
    from symattn.notation import visible

    return visible(" ".join(message.split("\n")))


def _fail(message: str, status: int = 2) -> None:
    click.echo(message, err=True)
    sys.exit(status)
