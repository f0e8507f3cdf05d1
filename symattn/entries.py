"""One cell of a step, and the working that leads to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from symattn import expression, notation, numerals
from symattn.cells import decorated
from symattn.errors import ExactnessError, SizeError
from symattn.layout import MAX_CHARACTERS, aligned, is_long
from symattn.literals import Infinity
from symattn.notation import Notation
from symattn.numbers.grid import flat_index
from symattn.symbols import listed

if TYPE_CHECKING:
    from symattn.steps import Step


class Entry:
    """One cell of a step."""

    def __init__(self, step: Step, index: tuple[int, ...]) -> None:
        self.step = step
        self.index = index

    @property
    def address(self) -> str:
        return self.step._cell(self.index)

    @property
    def flat(self) -> int:
        """Its place among all entries of the step, in order."""
        return flat_index(self.index, self.step.shape)

    @property
    def exact(self) -> Any:
        """The exact value, a SymPy expression."""
        return self.step.value[self.index]

    @property
    def form(self) -> Any:
        """The exact value in normal form, or an infinity."""
        return self.step.forms[self.index]

    def __symattn_exact__(self) -> Any:
        """The value as an input of another derivation; see `Step`."""
        self.step.check_exact()
        form = self.form
        return form if isinstance(form, Infinity) else form.__symattn_exact__()

    @property
    def rational(self) -> Fraction | None:
        """The exact value as a Fraction, if it is proven to be one; else None."""
        from symattn.decide import rational_value
        from symattn.numbers.normal_form import fraction

        found = None if isinstance(self.form, Infinity) else rational_value(self.form)
        return None if found is None else fraction(found)

    @property
    def has_symbols(self) -> bool:
        """Whether the entry contains a symbol."""
        return not isinstance(self.form, Infinity) and bool(self.form.has_symbols)

    def check_number(self) -> None:
        """Refuse an entry that contains symbols.

        Raises:
            ExactnessError: it does; some of them are named.
        """
        if self.has_symbols:
            self._refuse(self.form, self.address)

    def _refuse(self, form: Any, what: str) -> NoReturn:
        from symattn.numbers.normal_form import symbols_of

        found = listed(tuple(sorted(symbols_of(form))))
        raise ExactnessError(f"{what} contains symbols ({found}); {self.step.derivation.way_back}")

    @property
    def labels(self) -> tuple[str | None, ...]:
        """The label of its row, its column, …; None where an axis has none."""
        return tuple(
            axis[i] if axis else None for axis, i in zip(self.step.axes, self.index, strict=True)
        )

    @property
    def shown_labels(self) -> tuple[str | None, ...]:
        """The same as far as the display of its step shows them."""
        return self.labels if self.step.display_option("labels") else (None,) * len(self.index)

    def latex(self) -> str:
        """LaTeX of the exact value, long parts by their names; `expand` writes it in full."""
        return self.step.text_at(self.index, "latex")

    def text(self) -> str:
        """Plain text of the exact value, long parts by their names; `expand` writes it in full."""
        return self.step.text_at(self.index, "text")

    @property
    def size(self) -> int:
        """How many characters the exact value has as plain text with nothing called by a name.

        It is counted without writing it: an entry of a second layer may have trillions.

        >>> import symattn as sa
        >>> sa.article()["P"][3].size
        672
        """
        return self._size("text")

    def _size(self, style: Notation) -> int:
        from symattn.numbers.texts import text

        if isinstance(self.form, Infinity):
            return len(text(self.form, style))
        return self.step.derivation.expansion(style).size(self.form)

    def expand(self, style: Notation = "text", *, limit: int = MAX_CHARACTERS) -> str:
        """The exact value with nothing called by a name: down to rationals, roots and symbols.

        Args:
            style: ``"text"`` or ``"latex"``.
            limit: characters that it may have.

        Raises:
            SizeError: it has more; the message says how many, as `size` does for plain text.

        >>> import symattn as sa
        >>> sa.article()["A"][1, 1].expand()
        'exp(13*sqrt(2)/25)/(exp(sqrt(2)/10) + exp(13*sqrt(2)/25))'
        """
        from symattn.numbers.expansion import counted
        from symattn.numbers.texts import text

        size = self._size(style)
        if size > limit:
            raise SizeError(
                f"{self.address}: wanted at most {limit:,} characters, and written out it has "
                f"{counted(size)}: raise the limit (limit=… or --limit), or show it by names, "
                "without expanding it",
                size,
            )
        if isinstance(self.form, Infinity):
            return text(self.form, style)
        return self.step.derivation.expansion(style).full(self.form)

    def decimal(self, digits: int | None = None) -> str:
        """The value with so many certified decimals, as a string; see `Step.decimal`."""
        return self.step.decimal_at(self.index, digits)

    def figures(self, figures: int) -> str:
        """The value with so many certified significant figures, rounded half away from zero.

        They are written with an exponent where they stand far behind the point, or where zeros
        before it would not signify.

        Raises:
            Undecided: not settled at 32,768 bits, as of a number that may be 0.
            ExactnessError: symbols, or figures out of 1 … 1000.

        >>> import symattn as sa
        >>> A = sa.article()["A"]
        >>> A[1, 1].figures(3), A[0, 1].figures(3)
        ('0.644', '0')
        """
        return numerals.positional(self.step.figures_at(self.index, figures))

    @property
    def about(self) -> str:
        r"""LaTeX of a sign and the decimal, ``\approx 0.64``; "" where that adds nothing."""
        if self.has_symbols or isinstance(self.form, Infinity):
            return ""
        c = self.form.rational()
        if c is not None and c.q == 1 and not self.step.derivation.radii:
            return ""
        sign = "=" if self.step.shows_exactly(self.index) else r"\approx"
        return f"{sign} {self.step.displayed_at(self.index, 'latex')}"

    @property
    def part(self) -> Any:
        """Its part of the sum of its row, in normal form.

        Raises:
            ExactnessError: the row has no finite sum, or 0.
        """
        from symattn.numbers.normal_form import ZERO, inverse

        row = self.step.forms[self.index[:-1]]
        total = None if any(isinstance(f, Infinity) for f in row) else sum(row, start=ZERO)
        if total is None or not total.terms:
            raise ExactnessError(f"{self.address} has no share: its row has no finite sum but 0")
        return self.form * inverse(total)

    def share(self, digits: int) -> str:
        """Its part of the sum of its row, as a certified decimal; see `part`."""
        from symattn.certify import decimal_of

        part = self.part
        if part.has_symbols:
            self._refuse(part, f"the share of {self.address}")
        return decimal_of(part, digits)

    def numeric(self, dtype: Any = np.float64) -> Any:
        """What NumPy makes of it, computed from the inputs on."""
        return self.step.numeric(dtype)[self.index]

    def _written(self, style: Notation, leaf: Callable[[Step, Any], str]) -> str | None:
        if self.step.given:
            return None
        derivation = self.step.derivation
        tree = expression.expand(derivation.graph, self.step.node, self.index)

        def named(cell: expression.Cell) -> str:
            step = derivation.step_at(cell.node)
            assert step is not None  # an expression ends at what has a name
            return leaf(step, cell.index)

        return expression.write(tree, style, named)

    def formula(self, style: Notation = "latex") -> str | None:
        """The entry in terms of the named entries it is computed from; None if given."""
        return self._written(style, lambda step, index: step.entry_symbol(index, style))

    def substitution(
        self, style: Notation = "latex", is_kept: Callable[[Step, Any], bool] | None = None
    ) -> str | None:
        """The same with their exact values, long ones by name; None if given.

        Args:
            is_kept: which others stay names.
        """

        def value(step: Step, index: Any) -> str:
            if is_kept is not None and is_kept(step, index):
                return step.entry_symbol(index, style)
            return self._put_in(step, index, style)

        return self._written(style, value)

    def _put_in(self, step: Step, index: Any, style: Notation) -> str:
        from symattn.numbers.texts import text_within

        roots = step.derivation.display.roots
        names = step.derivation.names(min(self.step.node, step.node + 1), style)
        found = text_within(step.forms[index], style, names, index, roots)
        if found is None or is_long(found, style):
            return step.entry_symbol(index, style)
        return decorated(step, index, found, style)

    def rounded_substitution(self, style: Notation = "latex") -> str | None:
        """The same with their decimals, of those that have any."""

        def value(step: Step, index: Any) -> str:
            if step.wants_decimals:
                return step.displayed_at(index, style)
            return self._put_in(step, index, style)

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
        decimal = self._decimal_or_nothing()
        if not self.step.shows_exact:
            return f"{self.address} ≈ {decimal}"
        value = f"{self.address} = {self.step.written_at(self.index, 'text')}"
        return value if self.step.display_option("values") == "exact" else f"{value} ≈ {decimal}"

    def _decimal_or_nothing(self) -> str:
        return "(symbols)" if self.has_symbols else self.step.displayed_at(self.index, "text")

    def _repr_latex_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.latex(shown.entry(self))

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.markdown(shown.entry(self))


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
        for label, found in (("formula", entry.formula("text")), self._substituted("text")):
            if found is not None and (label, found) not in rows and found != rows[-1][1]:
                rows.append((label, found))
        if step.shows_exact:
            rows.append(("exact", step.written_at(entry.index, "text")))
        named = step.named([entry.index], "text").values()
        rows += [("where", f"{name} = {value}") for name, value in named]
        if step.shows_exact and step.is_defined(entry.index):
            from symattn.numbers.expansion import counted

            rows.append(("expanded", f"{counted(entry.size)} characters"))
        return rows + (self._decimal_rows() if step.display_option("values") != "exact" else [])

    def _substituted(self, style: Notation) -> tuple[str, str | None]:
        if self.entry.step.shows_exact:
            return "substituted", self.entry.substitution(style)
        return "rounded", self.entry.rounded_substitution(style)

    def _decimal_rows(self) -> list[tuple[str, str]]:
        entry, step = self.entry, self.entry.step
        rows = [("decimal", entry._decimal_or_nothing())]
        if entry.has_symbols:
            return rows
        shown = numerals.numeral(step, entry.index)
        if shown.moved:
            nearest = numerals.written(
                entry.decimal(), "text", step.derivation.display.decimal_mark
            )
            rows.append(("nearest", f"{nearest} (* is shown so that the row adds to 1)"))
        if shown.small:
            rows.append(("mark", numerals.SMALL))
        return rows

    def __str__(self) -> str:
        from symattn.writers import terminal

        return terminal.explanation(self)

    __repr__ = __str__

    def latex(self) -> str:
        """The chain of equalities as an ``aligned`` environment."""
        entry = self.entry
        step = entry.step
        chain = [("=", entry.formula())]
        if step.shows_exact:
            chain.append(("=", entry.substitution()))
            chain.append(("=", step.written_at(entry.index, "latex")))
        else:
            chain.append((r"\approx", entry.rounded_substitution()))
        parts = [text for _, text in chain]
        lines = [f"&{sign} {t}" for i, (sign, t) in enumerate(chain) if t and t not in parts[:i]]
        if entry.about and (step.shows_decimals or not lines):
            lines.append(f"&{entry.about}")
        if not lines:  # an integer in a matrix of decimals
            lines.append(f"&= {step.displayed_at(entry.index, 'latex')}")
        return aligned([f"{step.entry_symbol(entry.index)} {lines[0]}", *lines[1:]])

    def _repr_latex_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.latex(shown.explanation(self))

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.markdown(shown.explanation(self))


def place(entry: Entry) -> str:
    """``row mouse, column cat``: the labels of an entry in words."""
    words = ("row", "column") if len(entry.index) == 2 else ("entry",) * len(entry.index)
    return ", ".join(
        f"{word} {notation.visible(label)}"
        for word, label in zip(words, entry.labels, strict=True)
        if label is not None
    )


def mentions(text: str, label: str) -> bool:
    """Whether a text uses a name, and not only a longer one that begins like it.

    >>> mentions("a + A[1,0]", "A[1,0]"), mentions("A[1,0]", "A"), mentions("AB", "A")
    (True, False, False)
    """
    at = text.find(label)
    while at >= 0:
        end = at + len(label)
        after = text[end : end + 1]
        if not (after.isalnum() or (after and after in "_[{")):
            return True
        at = text.find(label, at + 1)
    return False
