"""One cell of a step, and the working that leads to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from symattn import expression, notation
from symattn.layout import aligned

if TYPE_CHECKING:
    from symattn.steps import Step


class Entry:
    """One cell of a step."""

    def __init__(self, step: Step, index: tuple[int, ...]) -> None:
        self.step = step
        self.index = index

    @property
    def address(self) -> str:
        places = ",".join(map(str, self.index))
        return f"{self.step.short}[{places}]" if self.index else self.step.short

    @property
    def value(self) -> Any:
        return self.step.value[self.index]

    @property
    def exact(self) -> Any:
        """The exact value, a SymPy expression."""
        return self.value

    @property
    def labels(self) -> tuple[str | None, ...]:
        """The label of its row, its column, …; None where an axis has none."""
        return tuple(
            axis[i] if axis else None for axis, i in zip(self.step.axes, self.index, strict=True)
        )

    def latex(self) -> str:
        """LaTeX of the exact value, long parts by their names."""
        names = self.step.derivation.names(self.step.node, "latex")
        return str(self.step._system.latex(self.value, names))

    def text(self) -> str:
        """Plain text of the exact value, long parts by their names."""
        names = self.step.derivation.names(self.step.node, "text")
        return str(self.step._system.text(self.value, names))

    def decimal(self, digits: int | None = None) -> str:
        """The value with so many decimals, as a string; see `Step.decimal`."""
        return self.step._decimal(self.value, digits)

    def numeric(self, dtype: Any = np.float64) -> Any:
        """What NumPy makes of it, computed from the inputs on."""
        return self.step.numeric(dtype)[self.index]

    def _written(self, style: expression.Notation, leaf: Callable[[Step, Any], str]) -> str | None:
        if self.step.given:
            return None
        graph = self.step.derivation.graph
        by_node = {s.node: s for s in self.step.derivation.steps}
        tree = expression.expand(graph, self.step.node, self.index)
        return expression.write(tree, style, lambda cell: leaf(by_node[cell.node], cell.index))

    def formula(self, style: expression.Notation = "latex") -> str | None:
        """The entry in terms of the named entries it is computed from; None if given."""
        return self._written(style, lambda step, index: step.entry_symbol(index, style))

    def substitution(self, style: expression.Notation = "latex") -> str | None:
        """The same with their exact values; None if given."""
        at = self.step.node
        names = self.step.derivation.names

        def value(step: Step, index: Any) -> str:
            write = step._system.latex if style == "latex" else step._system.text
            return str(write(step.value[index], names(min(at, step.node + 1), style)))

        return self._written(style, value)

    def explain(self) -> Explanation:
        """Where the entry comes from: formula, substitution, exact value, decimals.

        >>> import symattn as sa
        >>> print(sa.article()["A"][1, 1].explain())
        A[1,1]: row chases, column chases
          step         A = softmax(Z_masked)
          formula      exp(Z_masked[1,1])/(exp(Z_masked[1,0]) + exp(Z_masked[1,1]) + \
exp(Z_masked[1,2]))
          substituted  exp(13*sqrt(2)/25)/(exp(sqrt(2)/10) + exp(13*sqrt(2)/25) + exp(-oo))
          exact        exp(13*sqrt(2)/25)/ℓ_1
          where        ℓ_1 = exp(sqrt(2)/10) + exp(13*sqrt(2)/25)
          decimal      0.64
        """
        return Explanation(self)

    def __repr__(self) -> str:
        return f"{self.address} = {self.text()} ≈ {self._decimal_or_nothing()}"

    def _decimal_or_nothing(self) -> str:
        return "(symbols)" if self.value.free_symbols else self.decimal()

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.step.entry_symbol(self.index)} = {self.latex()}$"


@dataclass(frozen=True)
class Explanation:
    """An entry with the working that leads to it."""

    entry: Entry

    def rows(self) -> list[tuple[str, str]]:
        """Label and plain text of each line."""
        entry, step = self.entry, self.entry.step
        rows = [
            ("step", f"{step.name} = {step.source}" if step.source and not step.given else "given")
        ]
        for label, found in (
            ("formula", entry.formula("text")),
            ("substituted", entry.substitution("text")),
        ):
            if found is not None and (label, found) not in rows and found != rows[-1][1]:
                rows.append((label, found))
        rows.append(("exact", entry.text()))
        shown = entry.text()
        for name, value in step.where("text"):
            if mentions(shown, name):
                rows.append(("where", f"{name} = {value}"))
        rows.append(("decimal", entry._decimal_or_nothing()))
        return rows

    def __str__(self) -> str:
        words = place(self.entry)
        head = self.entry.address + (f": {words}" if words else "")
        return "\n".join([head, *(f"  {label:<12} {text}" for label, text in self.rows())])

    __repr__ = __str__

    def latex(self) -> str:
        """The chain of equalities as an ``aligned`` environment."""
        entry = self.entry
        parts = [entry.formula(), entry.substitution(), entry.latex()]
        chain = [p for i, p in enumerate(parts) if p is not None and p not in parts[:i]]
        first, *rest = chain
        lines = [f"{entry.step.entry_symbol(entry.index)} &= {first}", *(f"&= {p}" for p in rest)]
        value = entry.value
        if not (
            value.free_symbols or value.is_Integer or self.entry.step._system.is_infinite(value)
        ):
            exact = value.is_Rational and 10**entry.step.digits % int(value.q) == 0
            lines.append(rf"&{'=' if exact else chr(92) + 'approx'} {entry.decimal()}")
        return aligned(lines)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


def place(entry: Entry) -> str:
    """``row mouse, column cat``: the labels of an entry in words."""
    words = ("row", "column") if len(entry.index) == 2 else ("entry",) * len(entry.index)
    return ", ".join(
        f"{word} {notation.visible(label)}"
        for word, label in zip(words, entry.labels, strict=True)
        if label is not None
    )


def mentions(text: str, label: str) -> bool:
    """Whether a text uses a name, and not only a longer one that begins like it."""
    return re.search(re.escape(label) + r"(?![\w\[{])", text) is not None
