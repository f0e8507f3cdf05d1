"""A step of a derivation: its symbol, formula, and value in every form."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from symattn import cells, formulas, notation, numerals
from symattn.display import MAX_DIGITS
from symattn.entries import Entry, mentions
from symattn.errors import AddressError, ExactnessError, SizeError, Undecided
from symattn.expression import Cell
from symattn.graph import Array, Binding, NamedNode, split_address
from symattn.labels import Axes
from symattn.layout import LINE, is_long, width
from symattn.literals import Infinity
from symattn.notation import Notation, Roots, Template
from symattn.numbers.held import has_symbols
from symattn.rounding import Decimals, Figures, Rule
from symattn.scopes import superscript

if TYPE_CHECKING:
    from symattn.derivation import Derivation
    from symattn.numerals import Numeral
    from symattn.selection import Selection


#: Entries that are longer, written out, are not handed to SymPy: it takes minutes and more.
SYMPY_CHARACTERS = 1_000_000


class Step:
    """One named node of a derivation."""

    def __init__(self, derivation: Derivation, named: NamedNode) -> None:
        self.derivation = derivation
        self._named = named
        self.node = named.node
        self.address = named.address
        self.name = named.name
        self.source = named.source
        self.inside = named.inside
        self._texts: dict[Notation, Array] = {}
        self._moved: dict[int, dict[tuple[int, ...], str]] = {}
        self._numerals: dict[int, Array] = {}
        #: The entries that a definition names, by the entry written by its definition.
        self._definitions: dict[tuple[Notation, tuple[int, ...]], tuple[Cell, ...]] = {}

    @cached_property
    def short(self) -> str:
        """The address, cut to its last parts as far as it stays the only one."""
        return self.derivation.graph.short(self._named)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.derivation.graph.nodes[self.node].shape

    @property
    def given(self) -> bool:
        """Whether the step is an input, or was replaced by one."""
        is_input = self.derivation.graph.nodes[self.node].op == "input"
        return is_input or self.is_part or self.derivation.is_replaced(self.address)

    @property
    def primal(self) -> str | None:
        """Of a gradient or Jacobian, the address of the step that it is by; else None."""
        return self._named.primal

    @property
    def is_gradient(self) -> bool:
        """Whether a backward pass added it."""
        return self.primal is not None

    @property
    def is_part(self) -> bool:
        """Whether it is a row or matrix of a stack that was given."""
        return self._named.part

    @property
    def digits(self) -> int:
        """How many decimals it shows."""
        return int(self.display_option("digits"))

    def display_option(self, name: str) -> Any:
        """How it is shown in one respect, see `symattn.display.Display`."""
        return self.derivation.display.of(name, self.address)

    def is_highlighted(self, index: tuple[int, ...]) -> bool:
        """Whether the display highlights an entry."""
        return (self.node, index) in self.derivation.highlighted

    def worked(self) -> list[Entry]:
        """The entries that the display writes out below it."""
        return [Entry(self, index) for node, index in self.derivation.worked if node == self.node]

    @property
    def _roots(self) -> Roots:
        return self.derivation.display.roots

    @property
    def axes(self) -> Axes:
        """For each axis, the labels along it, or None."""
        return self.derivation.axes[self.node]

    @property
    def shown_axes(self) -> Axes:
        """The same as far as the display shows labels."""
        return self.axes if self.display_option("labels") else (None,) * len(self.shape)

    # Symbols and formulas.

    @cached_property
    def symbol(self) -> str:
        r"""LaTeX symbol: ``A``, ``Z_{\mathrm{masked}}``, ``A^{(1,0)}`` in layer 1, head 0."""
        if self._named.primal:
            return self._derivative_symbol(self._named.primal)
        if self.inside:
            inner = self.derivation.step(self.inside)
            scores = self._operand_symbol(inner)
            if self.name.endswith(".exp"):
                return rf"e^{{{scores}}}"
            return r"\ell" + self._row_sum_mark(inner, "latex")
        name = self.name
        if self._named.returned:
            scopes = self.address.removesuffix(name).rstrip(".")
            scope = scopes.rpartition(".")[2].partition("[")[0]
            base = notation.function_symbol(scope or self.derivation.graph.name)
            part = name.partition(".")[2]
            base = rf"{base}_{{{notation.symbol(part)}}}" if part else base
            return base + superscript(self.derivation.graph, self._named)
        base, above = notation.symbol(name), superscript(self.derivation.graph, self._named)
        # A prime is a superscript already, unless the next one follows it at once.
        return f"{{{base}}}{above}" if above and "'_" in base else base + above

    def _derivative_symbol(self, primal: str) -> str:
        by = self.derivation.step(primal).symbol
        if self._named.of is None:
            return rf"\mathrm{{d}}{by}"
        address, cell = split_address(self._named.of)
        row = self._named.of[len(address) :] if cell else ""
        of = self.derivation.step(address).symbol + row
        return rf"\frac{{\partial {of}}}{{\partial {by}}}"

    def _operand_symbol(self, softmax: Step) -> str:
        named = self.derivation.step_at(self.derivation.graph.nodes[softmax.node].inputs[0])
        return named.symbol if named else "z"

    def _row_sum_mark(self, softmax: Step, style: str) -> str:
        """What tells the row sums of one softmax from those of another: nothing, or its name."""
        sums = [s for s in self.derivation.steps if s.name.endswith(".sum") and s.inside]
        matrices = [s for s in sums if s.shape]
        taken = any(name.startswith("ℓ") for name in self.derivation.symbols)
        if self.shape and len(matrices) == 1 and not taken:
            return ""
        if style == "text":
            return f"({softmax.short})"
        mark = softmax.symbol if len(softmax.symbol) == 1 else f"{{{softmax.symbol}}}"
        return f"^{mark}" if self.shape else f"_{mark}"

    @cached_property
    def _marks(self) -> dict[str, str]:
        softmax = self.derivation.step(self.inside or "")
        return {style: self._row_sum_mark(softmax, style) for style in ("latex", "text")}

    def entry_symbol(self, index: tuple[int, ...], style: str = "latex") -> str:
        """The name of an entry: ``A[1,0]``, ℓ_1 for a row sum."""
        places = ",".join(map(str, index))
        if self.inside and self.name.endswith(".sum"):
            mark = self._marks[style]
            if style == "text":
                return f"ℓ{'_' if places else ''}{places}{mark}"
            below = places if len(places) == 1 else f"{{{places}}}"
            return rf"\ell{mark}" + (f"_{below}" if places else "")
        if style == "text":
            return self._cell(index)
        return f"{self.symbol}[{places}]" if places else self.symbol

    @property
    def formula(self) -> str | None:
        """LaTeX of the general formula; None for what was given."""
        if self.inside:
            return self._inside_formula()
        if self.source is None or self.derivation.is_replaced(self.address):
            return None
        return f"{self.symbol} = {self._template.fill(self._bound_symbol)}"

    @cached_property
    def _template(self) -> Template:
        assert self.source is not None  # asked by those who have looked
        return Template(*self._named.latex) if self._named.latex else formulas.template(self.source)

    @property
    def formula_as_substituted(self) -> str | None:
        """The right side of the formula with its names where `substitution` has their values."""
        if self.inside or self.source is None or self.given or self._named.of:
            return None
        made = self._template
        return None if made.code else made.fill(self._bound_symbol, factored=bool(self.shape))

    @property
    def formula_is_code(self) -> bool:
        """Whether the formula is source text, for want of latexify-py (Python 3.14 on)."""
        return self.source is not None and self._template.code

    def _inside_formula(self) -> str:
        scores = self._operand_symbol(self.derivation.step(self.inside or ""))
        if self.name.endswith(".exp"):
            return (
                rf"{self.symbol} = \left(e^{{{scores}[i,j]}}\right)_{{i,j}}"
                if len(self.shape) > 1
                else rf"{self.symbol} = \left(e^{{{scores}[j]}}\right)_{{j}}"
            )
        if self.shape:
            return rf"{self.symbol}_i = \sum_j e^{{{scores}[i,j]}}"
        return rf"{self.symbol} = \sum_j e^{{{scores}[j]}}"

    def _bound_symbol(self, name: str) -> str:
        bound = self._named.bindings.get(name)
        if isinstance(bound, tuple):
            return self._listed(bound, name)
        step = self._step_of(bound)
        if step is None or (step._named.returned and not self._named.latex):
            return notation.symbol(name)
        return step.symbol

    def _listed(self, nodes: tuple[int, ...], name: str) -> str:
        """The symbols of a list of steps: O^{(0)}, O^{(1)}; its own where they have none."""
        steps = [self.derivation.step_at(node) for node in nodes]
        symbols = [s.symbol for s in steps if s is not None and not s._named.returned]
        return ", ".join(symbols) if len(symbols) == len(nodes) else notation.symbol(name)

    def _step_of(self, bound: Binding | None) -> Step | None:
        return self.derivation.step_at(bound) if isinstance(bound, int) else None

    @property
    def substitution(self) -> str | None:
        """LaTeX of the formula with this derivation's matrices in place of their names."""
        return self.substituted(self.put_in)

    def substituted(self, operand: Callable[[Step], str]) -> str | None:
        """The same with the LaTeX that a function gives for each step that is named."""
        if self.inside or self.source is None or self.given or self._named.of:
            return None
        made = self._template
        factored = bool(self.shape) and self.display_option("factor")
        if made.code:
            return None
        return made.fill(lambda name: self._bound_value(name, operand), factored=factored)

    def _bound_value(self, name: str, operand: Callable[[Step], str]) -> str:
        bound = self._named.bindings.get(name)
        if isinstance(bound, tuple):
            return self._listed(bound, name)
        step = self._step_of(bound)
        if step is not None:
            latex = operand(step)
            return latex if step.shape or not latex.startswith("-") else rf"\left({latex}\right)"
        if isinstance(bound, int) and self.derivation.graph.nodes[bound].shape == ():
            from symattn.numbers.texts import text

            return text(self.derivation.forms[bound][()], "latex", roots=self._roots)
        if isinstance(bound, str) and bound:
            return bound
        return notation.symbol(name)

    def put_in(self, operand: Step) -> str:
        """LaTeX of a step as it stands in this one's formula: by names where it is too wide."""
        latex = self._put_in(operand)
        return operand._symbols_latex() if _is_wide(operand, latex) else latex

    def _put_in(self, operand: Step) -> str:
        return operand.latex(None if self._puts_exact(operand) else operand.digits)

    def _puts_exact(self, operand: Step) -> bool:
        return self.display_option("values") != "decimals" or not operand.wants_decimals

    @property
    def _operands(self) -> list[Step]:
        steps = [self._step_of(bound) for bound in self._named.bindings.values()]
        return [step for step in steps if step is not None]

    @property
    def substitutes_names(self) -> bool:
        """Whether a matrix of the substitution is too wide, and stands by its entries' names."""
        return any(_is_wide(step, self._put_in(step)) for step in self._operands)

    @property
    def substitutes_exactly(self) -> bool:
        """Whether what is put into the formula are exact values, and not rounded ones."""
        return all(
            self._puts_exact(s) or s.decimals_are_exact or _is_wide(s, self._put_in(s))
            for s in self._operands
        )

    def _symbols_latex(self) -> str:
        """The matrix of its entries' names, for where the entries are too long."""
        from symattn.writers import matrices

        return matrices.latex(self._map(self.entry_symbol))

    def names_latex(self) -> str | None:
        """The matrix of the entries of other steps that it only puts in another place, by name.

        None where something is computed, or nothing is there but rationals.
        """
        if self.given or not self.shape or None not in self._rationals():
            return None
        from symattn.expression import expand
        from symattn.writers import matrices

        names = []
        for index in np.ndindex(self.shape):
            cell = expand(self.derivation.graph, self.node, index)
            if not isinstance(cell, Cell):
                return None
            names.append(self.at(cell).entry_symbol(cell.index))
        return matrices.latex(np.array(names, dtype=object).reshape(self.shape))

    # Values.

    @property
    def value(self) -> Array:
        """The exact value as an object array of SymPy expressions.

        Raises:
            SizeError: an entry of over a million characters, as those of deep layers are. SymPy
                keeps every value written out; texts, decimals and comparisons do not need it.
        """
        size, entry = max(((e.size, e.address) for e in self.entries()), default=(0, ""))
        if size > SYMPY_CHARACTERS:
            raise SizeError(
                f"{entry}: wanted at most {SYMPY_CHARACTERS:,} characters for SymPy, which writes "
                f"every value out, and it has {size:,}; decimal(), text() and compare do without",
                size,
            )
        value: Array = self.derivation.values[self.node]
        return value

    @property
    def exact(self) -> Any:
        """The exact value: an immutable SymPy matrix (rank 0 and 1: one row), N-d from rank 3."""
        from symattn.numbers import symbolic

        return symbolic.matrix(self.value)

    @property
    def forms(self) -> Any:
        """The exact value in the normal form of `symattn.numbers.normal_form`."""
        return self.derivation.forms[self.node]

    def __symattn_exact__(self) -> Array:
        """The values as an input of another derivation: ``derive(f, x=d["O"])``.

        Raises:
            ExactnessError: they are known only as far as the printed digits of inputs tell.
        """
        out = np.empty(self.shape, dtype=object)
        for entry in self.entries():
            out[entry.index] = entry.__symattn_exact__()
        return out

    def check_exact(self) -> None:
        """Refuse to stand for exact values where inputs are known to printed digits only."""
        if self.derivation.radii:
            raise ExactnessError(
                f"{self.short} is known only as far as the printed digits of its inputs tell; "
                "wanted exact values: see Derivation.without_radii"
            )

    def numeric(self, dtype: Any = np.float64) -> Array:
        """What NumPy makes of it in a float type, computed from the inputs on."""
        return self.derivation.floats(dtype)[self.node]

    def decimal(self, digits: int | None = None) -> Any:
        """Nested lists of certified decimals, rounded half away from zero.

        Args:
            digits: after the point; by default as the derivation's display says.

        Raises:
            Undecided: an entry whose rounding no enclosure settles.
            ExactnessError: an entry with symbols, or digits out of 0 … 1000.
        """
        return self._rounded(Decimals(self.checked_digits(digits)), self.decimal_at).tolist()

    def _rounded(self, rule: Rule, one: Callable[[tuple[int, ...], int], str]) -> Array:
        """All entries at once, and `one` by one those that take more than a look."""
        known = self.derivation.enclosures.all_rounded(self.node, rule)
        indices = np.ndindex(self.shape)
        found = [
            text if text is not None else one(index, rule.digits)
            for index, text in zip(indices, known, strict=True)
        ]
        return np.array(found, dtype=object).reshape(self.shape)

    def figures_at(self, index: tuple[int, ...], figures: int) -> str:
        """The certified significant figures of one entry; see `Entry.figures`.

        Raises:
            Undecided: its rounding is not settled, as that of a number is that may be 0.
            ExactnessError: an entry with symbols, or figures out of 1 … 1000.
        """
        if not isinstance(figures, int) or not 1 <= figures <= MAX_DIGITS:
            raise ExactnessError(f"wanted 1 to {MAX_DIGITS} significant figures, got {figures!r}")
        return self._rounded_at(index, Figures(figures))

    def _rounded_at(self, index: tuple[int, ...], rule: Rule) -> str:
        Entry(self, index).check_number()
        try:
            return self.derivation.enclosures.rounded((self.node, index), rule)
        except Undecided as error:
            raise Undecided(f"{self._cell(index)}: {error}", error.proven) from None

    def figures_shown(self, figures: int) -> Array:
        """Those of every entry; what is not settled ends in "?" after what is proven."""
        return self._rounded(Figures(figures), self.figures_shown_at)

    def figures_shown_at(self, index: tuple[int, ...], figures: int) -> str:
        """The same of one entry."""
        try:
            return self.figures_at(index, figures)
        except Undecided as error:
            return f"{error.proven}?"

    def decimal_at(self, index: tuple[int, ...], digits: int | None = None) -> str:
        """The certified decimal of one entry; see `decimal`."""
        return self._rounded_at(index, Decimals(self.checked_digits(digits)))

    def checked_digits(self, digits: int | None) -> int:
        """So many decimals, or by default as the display says.

        Raises:
            ExactnessError: out of 0 … 1000.
        """
        wanted = self.digits if digits is None else digits
        if not isinstance(wanted, int) or not 0 <= wanted <= MAX_DIGITS:
            raise ExactnessError(f"wanted 0 to {MAX_DIGITS} decimals, got {wanted!r}")
        return wanted

    def shown_at(self, index: tuple[int, ...], digits: int | None = None) -> str:
        """The same for people: what is not settled ends in "?" after the proven digits."""
        try:
            return self.decimal_at(index, digits)
        except Undecided as error:
            return f"{error.proven}?"

    def shown(self, digits: int | None = None) -> Array:
        """Every entry as `shown_at` gives it."""
        return self._rounded(Decimals(self.checked_digits(digits)), self.shown_at)

    @property
    def keeps_sums(self) -> bool:
        """Whether its rows add to 1 as they are shown."""
        is_softmax = self.derivation.graph.nodes[self.node].op == "softmax" and not self.given
        return is_softmax and self.display_option("row_sums") == "kept" and not self._signifies

    @property
    def _signifies(self) -> bool:
        return bool(self.display_option("rounding") == "significant")

    def numerals(self, digits: int | None = None) -> Array:
        """Every entry as a `symattn.numerals.Numeral`: its decimal as the display has it."""
        wanted = self.checked_digits(digits)
        if wanted not in self._numerals:
            self._numerals[wanted] = numerals.numerals(self, wanted)
        found: Array = self._numerals[wanted]
        return found

    def reads_zero(self, digits: int | None = None) -> list[tuple[int, ...]]:
        """The entries that are shown as 0 and are not, or not known to be: marked on a page."""
        if self.has_symbols:
            return []
        return [index for index, n in np.ndenumerate(self.numerals(digits)) if n.small]

    def moved(self, digits: int | None = None) -> dict[tuple[int, ...], str]:
        """The entries that pages show by another decimal than the nearest, so that rows add to 1.

        None unless the display's `row_sums` are kept; see `symattn.row_sums`.

        >>> import symattn as sa
        >>> from symattn.functions import softmax
        >>> thirds = sa.derive(softmax, x=[0, 0, 0], digits=2)
        >>> thirds.with_display(row_sums="kept")["return"].moved()
        {(0,): '0.34'}
        """
        if self.display_option("row_sums") == "rounded" or self._signifies:
            return {}
        from symattn.row_sums import moved

        wanted = self.checked_digits(digits)
        if wanted not in self._moved:
            self._moved[wanted] = moved(self, wanted)
        return self._moved[wanted]

    def displayed(
        self,
        style: Notation,
        digits: int | None = None,
        marked: Collection[tuple[int, ...]] = (),
    ) -> Array:
        """Every decimal as a page has it: rounded and written as the display says, and marked.

        Args:
            marked: indices of entries that get a dagger.
        """
        shown = self.numerals(digits)
        return self._map(lambda index: self._displayed(index, shown[index], style, marked))

    def displayed_at(
        self, index: tuple[int, ...], style: Notation, digits: int | None = None
    ) -> str:
        """One entry as `displayed` gives it."""
        return self._displayed(index, numerals.numeral(self, index, digits), style)

    def _displayed(
        self,
        index: tuple[int, ...],
        shown: Numeral,
        style: Notation,
        marked: Collection[tuple[int, ...]] = (),
    ) -> str:
        text = shown.written(style, self.derivation.display.decimal_mark)
        return cells.decorated(
            self, index, text, style, moved=shown.moved, small=shown.small, dagger=index in marked
        )

    def written(self, style: Notation, marked: Collection[tuple[int, ...]] = ()) -> Array:
        """Every exact entry as a page has it: as `text_at` gives it, marked.

        Args:
            marked: indices of entries that get a dagger.
        """
        texts = self.texts(style)
        for index, text in np.ndenumerate(texts):
            texts[index] = cells.decorated(self, index, text, style, dagger=index in marked)
        return texts

    def written_at(self, index: tuple[int, ...], style: Notation) -> str:
        """One exact entry as `written` gives it."""
        return cells.decorated(self, index, self.text_at(index, style), style)

    def _cell(self, index: tuple[int, ...]) -> str:
        places = ",".join(map(str, index))
        return f"{self.short}[{places}]" if places else self.short

    def _map(self, function: Callable[[tuple[int, ...]], str]) -> Array:
        out = np.empty(self.shape, dtype=object)
        for index in np.ndindex(self.shape):
            out[index] = function(index)
        return out

    def text_at(self, index: tuple[int, ...], style: Notation) -> str:
        """One exact entry as LaTeX or plain text, long parts by name.

        What is too long to read is written by the entries that it is computed from; see
        `symattn.definitions`. `Entry.expand` writes everything out.
        """
        from symattn.numbers import texts

        if style in self._texts:
            return str(self._texts[style][index])
        names = self.derivation.names(self.node, style)
        found = texts.text_within(self.forms[index], style, names, index, self._roots)
        return self._readable(index, style, found)

    def texts(self, style: Notation) -> Array:
        """Every entry as `text_at` gives it."""
        from symattn.numbers import texts

        base = self.derivation.same_in_base(self)
        if style not in self._texts and base is not None:
            self._texts[style] = base.texts(style)
            self._definitions |= {k: v for k, v in base._definitions.items() if k[0] == style}
        if style not in self._texts:
            names = self.derivation.names(self.node, style)
            found = texts.texts(self.forms, style, names, self._roots)
            for index, text in np.ndenumerate(found):
                found[index] = self._readable(index, style, text)
            self._texts[style] = found
        return self._texts[style].copy()

    def full_texts(self, style: Notation) -> Array:
        """Every exact entry with nothing called by a name; see `Entry.expand` for the limit."""
        from symattn.numbers import texts

        return texts.full_texts(self.forms, self.derivation.expansion(style))

    def is_defined(self, index: tuple[int, ...], style: Notation = "text") -> bool:
        """Whether an entry is written by a definition, its value being too long."""
        _ = self.text_at(index, style)
        return (style, index) in self._definitions

    def _readable(self, index: tuple[int, ...], style: Notation, text: str | None) -> str:
        """The text of an entry's value, or its definition where that is long and shorter."""
        if text is not None and not is_long(text, style):
            return text
        from symattn.definitions import definition
        from symattn.numbers import texts

        if self.given:
            return texts.text(self.forms[index], style, roots=self._roots)
        if self._named.of:  # the passes of a Jacobian have no steps to define it by
            return self.entry_symbol(index, style) if text is None else text
        found = definition(self, index, style)
        if text is not None and len(text) <= len(found.text):
            return text
        self._definitions[style, index] = found.cells
        return found.text

    def latex(
        self,
        digits: int | None = None,
        *,
        labels: bool = False,
        marked: Collection[tuple[int, ...]] = (),
    ) -> str:
        """LaTeX of the matrix: exact, or with so many decimals.

        Args:
            digits: decimals, as `displayed` gives them; None for the exact entries.
            labels: with row and column labels, where there are any and the display shows them.
            marked: indices of entries that get a dagger.
        """
        from symattn.writers import matrices

        if digits is None:
            found = self.written("latex", marked)
        else:
            found = self.displayed("latex", digits, marked)
        return matrices.latex(found, self.shown_axes if labels else None)

    def _rationals(self) -> list[Any]:
        """The entries that are numbers, as a rational where they are one as they stand."""
        return [form.rational() for form in self.forms.flat if not isinstance(form, Infinity)]

    @cached_property
    def wants_decimals(self) -> bool:
        """Whether decimals add something: not for integers, infinities and symbols."""
        whole = all(c is not None and c.q == 1 for c in self._rationals())
        return not (whole and not self.derivation.radii) and not self.has_symbols

    @property
    def shows_decimals(self) -> bool:
        """Whether its decimals are displayed."""
        return self.wants_decimals and self.display_option("values") != "exact"

    @property
    def shows_exact(self) -> bool:
        """Whether its exact values are displayed."""
        return not self.wants_decimals or self.display_option("values") != "decimals"

    @cached_property
    def has_symbols(self) -> bool:
        """Whether any entry contains a symbol."""
        return has_symbols(self.forms)

    @cached_property
    def decimals_are_exact(self) -> bool:
        """Whether the decimals shown are the exact values, to the last digit."""
        return self.decimals_are_exact_at(self.digits)

    def decimals_are_exact_at(self, digits: int) -> bool:
        """The same with so many digits."""
        if not self._signifies:
            return self.is_exact_at(digits)
        return all(self.shows_exactly(index, digits) for index in np.ndindex(self.shape))

    def shows_exactly(self, index: tuple[int, ...], digits: int | None = None) -> bool:
        """Whether the decimal shown of an entry is its exact value, to the last digit."""
        form = self.forms[index]
        c = None if isinstance(form, Infinity) else form.rational()
        if c is None or self.derivation.radii:
            return isinstance(form, Infinity)
        wanted = self.checked_digits(digits)
        if not self._signifies:
            return bool(10**wanted % int(c.q) == 0)
        shown = self.numerals(wanted)[index].text
        return not shown.endswith("?") and Fraction(shown) == Fraction(int(c.p), int(c.q))

    def is_exact_at(self, digits: int) -> bool:
        """Whether so many decimals write every entry exactly."""
        exact = all(c is not None and 10**digits % int(c.q) == 0 for c in self._rationals())
        return exact and not self.derivation.radii

    def entries(self) -> list[Entry]:
        """Every entry, in order."""
        return [Entry(self, index) for index in np.ndindex(self.shape)]

    def largest(self) -> list[Entry]:
        """The entry that is proven the largest, or all that are proven to tie for it.

        Raises:
            Undecided: two of them could not be told apart.
            ExactnessError: an entry with symbols.
        """
        from symattn.comparison import largest

        return largest(self.entries())

    def jacobian(self, by: str) -> Step:
        """The derivative of each of its entries by each entry of a step that it comes from.

        Returns:
            A step of its shape and then of the other's: ``d["A"].jacobian("Z")[0, 1, 0, 2]``
            is ∂A[0,1]/∂Z[0,2].

        Raises:
            AddressError: no such step.

        >>> import symattn as sa
        >>> J = sa.article()["A"].jacobian("Z")
        >>> J.shape, J[1, 0, 1, 1]
        ((3, 3, 3, 3), dA_dZ[1,0,1,1] = -exp(31*sqrt(2)/50)/ℓ_1**2 ≈ -0.23)
        """
        from symattn.gradients import Jacobian

        made = self.derivation.extended(Jacobian(self.address, (by,)))
        return made.steps[-1]

    def plot(self, kind: str | None = None, axes: Any = None) -> Any:
        """Matplotlib's axes: a heatmap, bars, arcs or arrows; see `symattn.pictures.axes.plot`."""
        from symattn.pictures.axes import plot

        return plot(self, kind, axes)

    def top_k(self, k: int, row: int | tuple[int, ...] = ()) -> Selection:
        """The k largest entries of a row of it; see `symattn.selection.top_k`.

        Args:
            row: which row, for a matrix: ``d["A"].top_k(2, row=1)``.
        """
        from symattn.selection import top_k

        return top_k(self._row(row), k)

    def nucleus(self, p: Any, row: int | tuple[int, ...] = ()) -> Selection:
        """The smallest set whose sum is at least p (top-p); see `symattn.selection.nucleus`.

        Args:
            row: which row, for a matrix.
        """
        from symattn.selection import nucleus

        return nucleus(self._row(row), p)

    def _row(self, row: int | tuple[int, ...]) -> list[Entry]:
        entries = self[slice(None) if row == () else row] if self.shape else None
        if not isinstance(entries, list) or not all(isinstance(e, Entry) for e in entries):
            raise AddressError(
                f"{self.short} has shape {self.shape}; wanted a row of it, such as row=0"
            )
        return entries

    def where(self, style: Notation = "latex") -> list[tuple[str, str]]:
        """The names that its entries use, each with what it stands for, deepest first.

        What stands for a name may have names of further entries in it; these are at their own
        steps, and not followed further down.
        """
        return list(self.named(list(np.ndindex(self.shape)), style).values())

    def named(self, indices: list[tuple[int, ...]], style: Notation) -> dict[Cell, tuple[str, str]]:
        """The entries that some of its entries name: each with its name and what it stands for."""
        from symattn.numbers.normal_form import has_references  # not for those who list

        if not self.shows_exact:
            return {}
        text = " ".join(self.text_at(index, style) for index in indices)
        used = {cell for index in indices for cell in self._definitions.get((style, index), ())}
        found: dict[Cell, tuple[str, str]] = {}
        for named in reversed(self.derivation.name_table.entries(style)):
            cell = Cell(named.node, named.place)
            if named.node < self.node and (cell in used or mentions(text, named.label)):
                step = self.at(cell)
                meaning = step.written_at(cell.index, style)
                found[cell] = (named.label, meaning)
                if not (step.is_defined(cell.index, style) or has_references(named.value)):
                    text += " " + meaning
        for cell in used - found.keys():
            step = self.at(cell)
            found[cell] = (step.entry_symbol(cell.index, style), step.written_at(cell.index, style))
        return {cell: found[cell] for cell in sorted(found, key=lambda c: (c.node, c.index))}

    def at(self, cell: Cell) -> Step:
        """The step that a cell is an entry of."""
        step = self.derivation.step_at(cell.node)
        assert step is not None  # names are those of steps
        return step

    # Entries.

    def __getitem__(self, index: Any) -> Any:
        """``step[1, 0]`` is an entry; with fewer indices or a slice, a list of entries."""
        key = index if isinstance(index, tuple) else (index,)
        places = np.arange(int(np.prod(self.shape, dtype=int))).reshape(self.shape)
        try:
            if not all(
                isinstance(k, int | np.integer | slice) and not isinstance(k, bool) for k in key
            ):
                raise IndexError(f"wanted whole numbers, got {index!r}")
            found = places[key]
        except IndexError:
            raise AddressError(
                f"{self.short} has shape {self.shape}; there is no entry "
                f"{self.short}[{', '.join(map(str, key))}]"
            ) from None
        return self._entries(found)

    def _entries(self, places: Any) -> Any:
        if np.ndim(places):
            return [self._entries(p) for p in places]
        place = np.unravel_index(int(places), self.shape) if self.shape else ()
        return Entry(self, tuple(int(i) for i in place))

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 1

    def __iter__(self) -> Any:
        return (self[i] for i in range(self.shape[0])) if self.shape else iter([self[()]])

    def __repr__(self) -> str:
        from symattn.writers import terminal

        return terminal.step(self)

    def _repr_latex_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.latex(shown.step(self))

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.markdown(shown.step(self))


class Steps(tuple[Step, ...]):
    """Steps that were asked for together, ``d["Q", "K", "V"]``, and show themselves together."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self))

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.markdown(shown.steps(self))


def _is_wide(step: Step, latex: str) -> bool:
    return bool(step.shape) and width(latex) > LINE


def entries_of(found: Any) -> list[Entry]:
    """The entries of what an address leads to: a step, an entry, or lists of entries."""
    if isinstance(found, Step):
        return found.entries()
    return [found] if isinstance(found, Entry) else [e for part in found for e in entries_of(part)]
