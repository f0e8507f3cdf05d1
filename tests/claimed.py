"""What a page could say of an entry or of a step of the article, right and wrong, in many notations."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from symattn.steps import Step
from tests.fuzz.targets import article

#: The article's steps and their shapes.
STEPS: dict[str, tuple[int, ...]] = {
    "E": (3, 2), "Q": (3, 2), "V": (3, 2), "S": (3, 3), "Z": (3, 3), "M": (3, 3),
    "Z_masked": (3, 3), "A": (3, 3), "O": (3, 2), "A.sum": (3,), "x_last": (2,), "F": (2,),
    "logits": (5,), "P.exp": (5,), "P": (5,),
}  # fmt: skip


def addresses() -> tuple[str, ...]:
    """Of every entry of these steps, and of the steps."""
    return (*(f"{name}{list(index)}".replace(" ", "") for name, shape in STEPS.items()
              for index in product(*map(range, shape))), *STEPS)  # fmt: skip


def page(address: str) -> str:
    found = article()[0][address]
    return _of_step(found) if isinstance(found, Step) else _of_entry(found)


def _named(step: Step, index: tuple[int, ...]) -> str:
    return f"{step.symbol}[{','.join(map(str, index))}]"


def _moved(decimal: str, by: int = 1) -> str:
    """A decimal some units of its last place away."""
    if not decimal.lstrip("-").replace(".", "").isdigit():
        return "0.5"
    places = len(decimal.partition(".")[2])
    value = Fraction(decimal) + Fraction(by, 10**places)
    return f"{float(value):.{places}f}"


def _of_entry(entry: Any) -> str:
    step, index = entry.step, entry.index
    name = _named(step, index)
    other = step.entries()[(entry.flat + 1) % len(step.entries())]
    neighbour = _named(step, other.index)
    decimals = [entry.decimal(k) for k in (0, 1, 2, 3, 6, 12)]
    exact = entry.latex()
    at = "".join(str(i + 1) for i in index)
    sides = [
        f"= {exact}", f"= {other.latex()}", f"= {name}", f"= {neighbour}", f"= -{name}", f"= 2 {name} / 2",
        f"= {name} + 0", f"= {name} + 1/1000", rf"= \frac{{1}}{{3}} \cdot 3 {name}", f"= {name}^2",
        f"= {exact} = {entry.formula() or exact} = {entry.substitution() or exact}",
        f"= {entry.rounded_substitution() or exact} \\approx {decimals[2]}",
        rf"\approx {_moved(decimals[2])}", rf"\approx {_moved(decimals[3], -1)}", rf"\approx {_moved(decimals[4], 3)}",
        f"= {decimals[2].replace('.', ',')}", f"= {decimals[2]}0", f"= {decimals[2]}\\%", f"= {decimals[3]}e0",
        rf"= {decimals[3]} \times 10^{{0}}", rf"= -{decimals[2]}", "= x", "= ?", r"= \infty", r"= -\infty", "= nan",
        rf"\approx {exact}", f"= ({decimals[4]})", rf"= \mathbf{{{decimals[2]}}}", f"< {decimals[2]}", rf"= \sqrt{{{name}^2}}",
        rf"= e^{{\ln({name})}}", rf"= {neighbour} + ({exact}) - ({other.latex()})",
    ]  # fmt: skip
    lines = [f"$${name} {side}$$" for side in sides]
    lines += [f"$${name} = {d}$$ and $2 {name} \\approx {d}$" for d in decimals]
    lines += [
        f"The {step.short}{list(index)} is {d} <!-- symattn: {entry.address} -->." for d in decimals
    ]
    lines += [
        f"${step.symbol}_{{{at}}} = {decimals[2]}$, $({step.symbol})_{{{at}}} = {_moved(decimals[2])}$"
    ]
    lines += [f"`{entry.address} = {decimals[4]}`", f"{entry.address} = {decimals[4]}"]
    lines += [
        f"<!-- symattn: show {entry.address} digits=3 -->",
        "0.123",
        "<!-- /symattn: show -->",
    ]
    lines += [
        "<!-- symattn: quoted -->",
        f"$${name} = {_moved(decimals[2])}$$",
        "<!-- /symattn: quoted -->",
    ]
    return "\n\n".join(lines)


def _of_step(step: Step) -> str:
    rows = [list(step.entries())] if len(step.shape) < 2 else [
        step.entries()[i * step.shape[1] : (i + 1) * step.shape[1]] for i in range(step.shape[0])]  # fmt: skip

    def matrix(cell: Any) -> str:
        body = r" \\ ".join(" & ".join(cell(e) for e in row) for row in rows)
        return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"

    def decimal(k: int, wrong: int | None = None, by: int = 1) -> Any:
        return lambda e: _moved(e.decimal(k), by) if e.flat == wrong else e.decimal(k)

    symbol, last = step.symbol, len(step.entries()) - 1
    turned = r" \\ ".join(
        " & ".join(row[j].decimal(2) for row in rows) for j in range(len(rows[0]))
    )
    sides = [
        *(rf"= {matrix(decimal(k))}" for k in (0, 1, 2, 4, 9)),
        *(rf"\approx {matrix(decimal(2, wrong))}" for wrong in (0, last)),
        *(rf"\approx {matrix(decimal(3, 0, by))}" for by in (-1, 2, 40)),
        rf"= {matrix(lambda e: e.latex())} \approx {matrix(decimal(3))}",
        rf"= {matrix(lambda e: _named(e.step, e.index))}",
        rf"= {matrix(lambda e: e.formula() or e.latex())}",
        rf"= \frac{{1}}{{2}} {matrix(lambda e: f'2 {e.latex()}')}", rf"= \frac{{1}}{{\sqrt{{2}}}} {matrix(decimal(2))}",
        rf"= 2 {matrix(decimal(2))}", rf"= \begin{{bmatrix}} {turned} \end{{bmatrix}}", f"= {step.formula} = {matrix(decimal(2))}",
        rf"= {matrix(lambda e: e.decimal(2).replace('.', ','))}", rf"= {matrix(lambda e: e.decimal(2) + '?')}",
        rf"= {matrix(lambda e: '' if e.flat else e.decimal(2))}", rf"= {matrix(lambda e: e.decimal(2) + chr(92) + '%')}",
    ]  # fmt: skip
    listed = "[" + ", ".join("[" + ", ".join(e.decimal(4) for e in row) + "]" for row in rows) + "]"
    head = f"| {step.short} |" + " x |" * len(rows[0])
    table = [head, "|---|" + "---|" * len(rows[0])]
    table += [
        f"| t{i} | " + " | ".join(e.decimal(2) for e in row) + " |" for i, row in enumerate(rows)
    ]
    lines = [f"$${symbol} {side}$$" for side in sides]
    lines += [
        f"```python\n{step.short} = {listed}\n```",
        f"{step.short}:\n\n{listed}",
        "\n".join(table),
    ]
    lines += [
        f"$${symbol}_1 = {matrix(decimal(2)) if len(rows) == 1 else ', '.join(e.decimal(2) for e in rows[0])}$$"
    ]
    lines += [rf"$${symbol} = {matrix(decimal(2, 0))}$$ <!-- symattn: {step.address} -->"]
    lines += [f"<!-- symattn: show {step.address} digits=3 -->", "$$x$$", "<!-- /symattn: show -->"]
    return "\n\n".join(lines)
