"""What a user holds in hand: a derivation, its steps, and their entries."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from keyword import iskeyword
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from symattn import labels
from symattn.display import DIGITS, Display, names_step
from symattn.errors import AddressError, ExactnessError, MaskError, ShapeError, nearest
from symattn.graph import Array, Graph, Hook, NamedNode, Node, Run, split_address
from symattn.literals import Exact, Infinity, Name, Rule, exact_array
from symattn.notation import Notation
from symattn.numbers.given import Given
from symattn.steps import Step, Steps, entries_of
from symattn.symbols import substituted, symbols_in, there_are, values_of
from symattn.trace import check_function, trace

if TYPE_CHECKING:
    from symattn.certify import Enclosures
    from symattn.descent import GradientStep, Kink
    from symattn.difference import Difference
    from symattn.gradients import Extension
    from symattn.names import NameTable
    from symattn.numbers.expansion import Expansion
    from symattn.numbers.printing import Names
    from symattn.verify import Report


class Derivation:
    """A traced model with its exact inputs. Values are derived when first asked for.

    Made by `derive`, `symattn.load` and `symattn.article`; immutable.

    >>> import symattn as sa
    >>> sa.article()["P"].decimal(2)
    ['0.17', '0.29', '0.16', '0.23', '0.15']
    """

    def __init__(
        self,
        function: Callable[..., Any],
        inputs: Mapping[str, Array],
        options: Mapping[str, Any] | None = None,
        *,
        labels: Mapping[str, labels.Axes] | None = None,
        display: Display | None = None,
        replaced: Mapping[str, Array] | None = None,
        radii: Mapping[str, Array] | None = None,
        numbers: Mapping[str, Exact] | None = None,
        spec: Any = None,
        extensions: tuple[Extension, ...] = (),
    ) -> None:
        self.function = function
        self.inputs = dict(inputs)
        self.options = dict(options or {})
        self.display = display or Display()
        #: By input, the half-width of each entry known only to its printed digits.
        self.radii = {k: v for k, v in (radii or {}).items() if any(v.flat)}
        #: The arguments that are additive masks, as the function says.
        self.masks: tuple[str, ...] = getattr(function, "__symattn_masks__", ())
        for name in self.masks:
            if name in inputs:
                _check_mask(name, inputs[name])
        #: The spec it was loaded from, for writers; None otherwise.
        self.spec = spec
        self._expansions: dict[Notation, Expansion] = {}
        self._given_labels = dict(labels or {})
        self._replaced = dict(replaced or {})
        #: By symbol, the number that it stands for, where a spec says so.
        self.numbers = dict(numbers or {})
        graph = trace(function, {k: v.shape for k, v in inputs.items()}, self.options)
        #: Losses and backward passes that are added to the trace, in order.
        self.extensions = extensions
        for extension in extensions:
            known = {s.address: s.node for s in graph.steps}
            fixed = frozenset(known[a] for a in self._replaced if a in known)
            graph = extension.extended(graph, fixed, frozenset(self.masks))
        self.graph: Graph = graph
        #: The derivation that this one only adds to, with the same values.
        self._base: Derivation | None = None
        for name in self.symbols:
            self._check_symbol(name)

    @property
    def biases(self) -> tuple[str, ...]:
        """The masks that hold finite numbers beside 0, which are added and hide nothing."""
        given = ((name, self.inputs.get(name)) for name in self.masks)
        return tuple(
            name
            for name, mask in given
            if mask is not None and any(x and not isinstance(x, Infinity) for x in mask.flat)
        )

    # Symbols.

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbols in its inputs and replaced steps, in the order met.

        In `Step.exact` each is ``sympy.Symbol(name, real=True)``.
        """
        arrays = (*self.inputs.values(), *self._replaced.values())
        found = (symbols_in(array.ravel().tolist()) for array in arrays)
        return tuple(dict.fromkeys(name for names in found for name in names))

    def _check_symbol(self, name: str) -> None:
        """Refuse ``S[0,1]`` for anything but that entry of the step S itself."""
        stem, _, cell = name.partition("[")
        if not cell or not any(stem in (s.name, s.address) for s in self.graph.steps):
            return
        given = self._replaced.get(stem, self.inputs.get(stem))
        index = tuple(map(int, cell[:-1].split(",")))
        inside = given is not None and len(index) == given.ndim
        if given is None or not inside or np.any(np.array(index) >= given.shape):
            entry = None
        else:
            entry = given[index]
        if not isinstance(entry, Name) or entry.name != name:
            raise AddressError(
                f"the symbol {name} would read like that entry of {stem}, which is another value: "
                "call it something else"
            )

    def subs(
        self,
        values: Mapping[Any, Any] | None = None,
        /,
        *,
        exact: Rule | None = None,
        **named: Any,
    ) -> Derivation:
        """Derive again with numbers, or other expressions, in place of symbols.

        Args:
            values: by symbol, as it is printed or as SymPy's, for those that are no Python
                names (``{"w[0,1]": "1/2", "lambda": 3}``); others as keywords: ``subs(a=2)``.
                A matrix stands for all symbols of its name: ``subs(W_Q=[[1, 0], [0, 1]])``.
                Without any, symbols that a spec has numbers for (`numbers`) get those.
            exact: how Python floats are meant, see `symattn.derive`.

        All are put in at once; symbols that are not named stay.

        Raises:
            AddressError: a symbol that does not occur.
            ShapeError: an array for one symbol, or one that lacks an entry.
            LiteralError, ExactnessError: what is no finite exact number.

        >>> from symattn.transformer import attention
        >>> d = derive(attention, Q=[["a", 0]], K=[["b", 0], [0, 1]], V=[[1], [0]])
        >>> d.symbols, d.subs(a=0).symbols
        (('a', 'b'), ('b',))
        >>> d.subs(a="1/2", b="sqrt(2)")["return"].exact
        Matrix([[exp(1/2)/(1 + exp(1/2))]])
        """
        changes = {**(values or {}), **named}
        known: Mapping[str, Exact] = {n: x for n, x in self.numbers.items() if n in self.symbols}
        if changes:
            known = values_of(
                changes, self.symbols, lambda value, at: exact_array(value, at, rule=exact)
            )
        elif not known:
            raise ExactnessError(f"wanted values such as a=1; {there_are(self.symbols)}")
        changed = self._changed(
            {name: substituted(array, known, name) for name, array in self.inputs.items()},
            {name: substituted(array, known, name) for name, array in self._replaced.items()},
            self.display,
        )
        changed.radii = self.radii  # a symbol has none, and what is put in its place is exact
        return changed

    def check_numbers(self) -> None:
        """Refuse symbols, for what takes numbers only.

        Raises:
            ExactnessError: there are any; it names them.
        """
        if self.symbols:
            raise ExactnessError(f"wanted numbers, but {there_are(self.symbols)}; {self.way_back}")

    @property
    def way_back(self) -> str:
        """How symbols become numbers, for a message."""
        if self.symbols and all(name in self.numbers for name in self.symbols):
            return "d.subs() puts the spec's numbers in their place, d.subs({…}) others"
        first = self.symbols[0]
        plain = first.isidentifier() and not iskeyword(first)
        values = f"{first}=…" if plain else f'{{"{first}": …}}'
        return f"d.subs({values}) puts numbers in their place"

    # Steps.

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every step, in the order of the computation; a value named twice comes once."""
        seen: dict[int, NamedNode] = {}
        for named in self.graph.steps:
            # What a call merely returned is called by the name its caller gave it.
            if named.node not in seen or seen[named.node].returned:
                seen[named.node] = named
        return tuple(Step(self, named) for named in sorted(seen.values(), key=lambda s: s.node))

    def step(self, address: str) -> Step:
        """The step at an address, whole or cut to its last parts (``"A"``).

        Raises:
            AddressError: no step, or several, end like this.
        """
        return self._step_by_node[self.graph.find(address).node]

    @cached_property
    def _step_by_node(self) -> dict[int, Step]:
        return {step.node: step for step in self.steps}

    def same_in_base(self, step: Step) -> Step | None:
        """The same step of the derivation that this one only adds to, which knows its texts."""
        return self._base.step_at(step.node) if self._base else None

    def step_at(self, node: int) -> Step | None:
        """The step that a node is, if it has a name."""
        return self._step_by_node.get(node)

    def __getitem__(self, address: str | tuple[str, ...]) -> Any:
        """``d["A"]`` is a step, ``d["A[1,0]"]`` an entry, ``d["Q", "K"]`` are steps."""
        if isinstance(address, tuple):
            return Steps(map(self.step, address))
        if not isinstance(address, str):
            raise AddressError(f'wanted the name of a step such as "A", got {address!r}')
        name, cell = split_address(address)
        step = self.step(name)
        return step if cell is None else step[cell]

    def __iter__(self) -> Any:
        return iter(self.steps)

    def __repr__(self) -> str:
        shown = ", ".join(s.address for s in self.steps)
        return f"<derivation of {self.graph.name}: {shown}>"

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.markdown(shown.derivation(self))

    # Values.

    @cached_property
    def values(self) -> Run:
        """The exact value of each node, from the symbolic number system (SymPy), when asked for."""
        from symattn.numbers import symbolic

        return self.running(symbolic.shared())

    @cached_property
    def forms(self) -> list[Any]:
        """The exact value of every node, from the compact number system.

        Object arrays of `Sum`s, or arrays held in matrix shape that give such entries.
        """
        from symattn.numbers import compact

        known = dict(enumerate(self._base.forms)) if self._base else {}
        taken = {node: partial(_same, form) for node, form in known.items()}
        return self.running(compact.shared(), known=taken).all()

    @cached_property
    def enclosures(self) -> Enclosures:
        """Balls around every entry, and the decimals that they prove."""
        from symattn.certify import Enclosures

        return Enclosures(self)

    def run(self, system: Any, hooks: Mapping[str, Hook] | None = None) -> list[Any]:
        """The value of every node over a number system; see `running`."""
        return self.running(system, hooks).all()

    def running(
        self,
        system: Any,
        hooks: Mapping[str, Hook] | None = None,
        known: Mapping[int, Callable[[], Any]] | None = None,
    ) -> Run:
        """Interpret the graph over a number system, with hooks by a step's address.

        A node is computed when its value is asked for. A hook sees the step's value in
        that system and returns another; steps replaced by `with_` stay replaced.

        Args:
            known: by node, what gives its value without computing it.
        """
        by_node: dict[int, Hook] = {
            self.step(address).node: _constant_hook(system.array(value))
            for address, value in self._replaced.items()
        }
        for address, hook in (hooks or {}).items():
            by_node[self.step(address).node] = hook
        return Run(self.graph, system, self._given, by_node, known)

    @cached_property
    def _given(self) -> dict[str, Given]:
        """The inputs as number systems take them in, with what is known of them kept."""
        return {name: Given(array, self.radii.get(name)) for name, array in self.inputs.items()}

    def floats(self, dtype: Any = np.float64) -> list[Array]:
        """The value of every node as NumPy computes it in one float type.

        Raises:
            MaskError: a row of scores that is masked everywhere.
        """
        from symattn.numbers.floating import Floating

        self.check_numbers()
        _ = self.forms  # what is not defined exactly is refused before floats make nan of it
        return self.run(Floating(dtype))

    @cached_property
    def axes(self) -> list[labels.Axes]:
        """Row and column labels of every node."""
        return labels.propagate(self.graph, self._given_labels)

    def with_(
        self,
        changes: Mapping[str, Any] | None = None,
        /,
        *,
        exact: Rule | None = None,
        **named: Any,
    ) -> Derivation:
        """Derive again with inputs or steps replaced.

        Args:
            changes: by address, for those that are no Python names
                (``{"head[0].A": …}``); others as keywords: ``with_(E=…)``.
            exact: how Python floats are meant, see `symattn.derive`.

        Raises:
            AddressError: no such input or step.
            ShapeError: a step replaced by a matrix of another shape.

        >>> import symattn as sa
        >>> sa.article().with_(E=[[1, 0], ["1/5", 1], [0, 0]])["S"].exact[1, 1]
        26/25
        """
        inputs, replaced = dict(self.inputs), dict(self._replaced)
        options = dict(self.options)
        parameters = inspect.signature(self.function).parameters
        for address, value in {**(changes or {}), **named}.items():
            word = isinstance(value, str) and _is_word(parameters.get(address))
            if address in parameters and (word or is_option(value)):
                inputs.pop(address, None)
                options[address] = value.value if isinstance(value, static) else value
                continue
            array = exact_array(value, address, rule=exact)
            if address in parameters:
                options.pop(address, None)
                inputs[address] = array
                continue
            step = self.step(address)
            if step.inside:
                raise AddressError(
                    f"{address} is the inside of {step.inside}: replace that instead"
                )
            if array.shape != step.shape:
                raise ShapeError(f"{address}: wanted shape {step.shape}, got {array.shape}")
            replaced[step.address] = array
        return self._changed(inputs, replaced, self.display, options)

    def changed(self, inputs: Mapping[str, Array], options: Mapping[str, Any]) -> Derivation:
        """The same function over these exact inputs and options beside its own.

        It is no longer the one of the spec that it may have come from.
        """
        made = self._changed(
            {**self.inputs, **inputs}, self._replaced, self.display, {**self.options, **options}
        )
        made.spec = None
        return made

    def with_nodes(self, nodes: tuple[Node, ...]) -> Derivation:
        """The same derivation with further nodes behind those of its graph, which stay."""
        changed = self._changed(self.inputs, self._replaced, self.display)
        changed.graph = replace(changed.graph, nodes=nodes)
        changed.radii = self.radii
        return changed

    def without_radii(self) -> Derivation:
        """The same derivation, its inputs taken as exact as they are printed."""
        return self.with_radii({}) if self.radii else self

    def with_radii(self, radii: Mapping[str, Array]) -> Derivation:
        """The same derivation, inputs known only to within these half-widths."""
        changed = self._changed(self.inputs, self._replaced, self.display)
        changed.radii = {k: v for k, v in radii.items() if any(v.flat)}
        return changed

    def with_digits(self, digits: int) -> Derivation:
        """The same derivation, every step shown with so many decimals."""
        return self.with_display(digits=digits)

    def with_fold(self, fold: Sequence[str]) -> Derivation:
        """The same derivation, its pages folded: see `Display`."""
        return self.with_display(fold=tuple(fold))

    def with_display(self, **changes: Any) -> Derivation:
        """The same derivation, shown in another way.

        Args:
            changes: attributes of `Display`: ``row_sums="kept"``, ``roots="divided"``,
                ``factor=False``, ``highlight=["A[1,1]"]``. What is said for all steps replaces
                what was said for some; ``steps={"Z": {"digits": 4}}`` says it for some.

        Raises:
            OptionError: no such attribute, or a value that it does not have.
            AddressError: no such step or entry.

        >>> import symattn as sa
        >>> sa.article().with_display(roots="divided")["Z"][1, 1].text()
        '26/(25*sqrt(2))'
        """
        display = self.display.changed(**changes)
        made = self._changed(self.inputs, self._replaced, display)
        made.check_display()
        return made

    def check_display(self) -> None:
        """Refuse a display of steps and entries that there are not.

        Raises:
            AddressError: there are any.
        """
        for name in self.display.steps:
            if not any(names_step(name, step.address) for step in self.steps):
                self.step(name)
        _ = self.highlighted, self.worked

    @cached_property
    def highlighted(self) -> frozenset[tuple[int, tuple[int, ...]]]:
        """The entries that the display highlights, each as a node and an index."""
        return frozenset(self._named_entries(self.display.highlight))

    @cached_property
    def worked(self) -> dict[tuple[int, tuple[int, ...]], None]:
        """Those that it writes out, in order."""
        return dict.fromkeys(self._named_entries(self.display.working))

    def _named_entries(self, addresses: Sequence[str]) -> Iterator[tuple[int, tuple[int, ...]]]:
        for address in addresses:
            name, cell = split_address(address)
            steps = [step for step in self.steps if names_step(name, step.address)]
            for step in steps or [self.step(name)]:
                for entry in entries_of(step if cell is None else step[cell]):
                    yield entry.step.node, entry.index

    def _changed(
        self,
        inputs: Mapping[str, Array],
        replaced: Mapping[str, Array],
        display: Display,
        options: Mapping[str, Any] | None = None,
        added: tuple[Extension, ...] = (),
    ) -> Derivation:
        return Derivation(
            self.function,
            inputs,
            self.options if options is None else options,
            labels=self._fitting_labels(inputs),
            display=display,
            replaced=replaced,
            radii={k: v for k, v in self.radii.items() if inputs.get(k) is self.inputs[k]},
            numbers=self.numbers,
            spec=self.spec,
            extensions=self.extensions + added,
        )

    def _fitting_labels(self, inputs: Mapping[str, Array]) -> dict[str, labels.Axes]:
        """The labels given, less those of inputs that changed their shape."""
        return {
            name: axes
            for name, axes in self._given_labels.items()
            if name in inputs and inputs[name].shape == self.inputs[name].shape
        }

    def is_replaced(self, address: str) -> bool:
        """Whether `with_` put a value in place of this step's own."""
        return address in self._replaced

    def verify(self, **printed: Any) -> Report:
        """Check NumPy's float types against the exact values, step by step.

        Args:
            printed: float arrays of somebody else's, by step, put in place of
                NumPy's own before they are judged.

        See `symattn.verify.verify`.
        """
        from symattn.verify import verify

        return verify(self, printed)

    # Losses and gradients.

    def extended(self, extension: Extension) -> Derivation:
        """The same derivation with more steps after its own; what is known of these is kept."""
        found = self._extended.get(extension)
        if found is None:
            found = self._changed(self.inputs, self._replaced, self.display, added=(extension,))
            found.radii = self.radii
            found._base = self
            self._extended[extension] = found
        return found

    def with_loss(self, target: Any, *, of: str = "P") -> Derivation:
        """The same derivation with a loss: the cross-entropy of what a model predicts.

        Adds the steps ``log_P`` and ``loss``, and ``L`` where several positions are asked.

        Args:
            target: a word or its place; of a matrix it is the last row's. A list has one a row,
                None for rows that are not asked.
            of: the address of the softmax that predicts.

        Raises:
            AddressError: a word that is not there, a step that is no softmax.

        >>> import symattn as sa
        >>> sa.article().with_loss("mouse")["loss"].decimal(4)
        '1.8323'
        """
        from symattn.descent import loss_of

        return self.extended(loss_of(self, target, of))

    def backward(self, of: str = "loss", *, target: Any = None) -> Derivation:
        r"""The same derivation with its backward pass: gradients of one number by every step.

        The gradient by A is the step dA, that by ``head[0].A`` is ``head[0].dA``; they stand in
        the order in which backpropagation takes them. Masks have none.

        Args:
            of: a step of one number, or an entry: ``"loss"``, ``"P[1]"``.
            target: of a model without a loss, what it should predict; see `with_loss`.

        Raises:
            AddressError: no such number; without a loss and a target, that there is none.
            ShapeError: a step of more than one number.

        >>> import symattn as sa
        >>> d = sa.article().backward(target="mouse")
        >>> d["dS"].formula
        '\\mathrm{d}S = \\frac{\\mathrm{d}Z}{\\sqrt{d_k}}'
        >>> d["dF"].decimal(4)
        ['-0.3553', '0.4726']
        """
        from symattn.descent import with_target
        from symattn.gradients import Backward

        derivation, of = with_target(self, of, target)
        return derivation.extended(Backward(of))

    def gradient(self, of: str, by: str) -> Any:
        """The gradient of one number by a step, or by one entry: ``d.gradient("loss", "W_Q")``.

        It has the shape of that step; it is exactly zero where the number does not depend on it.

        Raises:
            AddressError, ShapeError: see `backward`.

        >>> import symattn as sa
        >>> sa.article().gradient("P[1]", "logits").decimal(3)
        ['-0.048', '0.204', '-0.046', '-0.067', '-0.043']
        >>> sa.article().gradient("P[1]", "logits[1]")
        dlogits[1] = P[1] - P[1]**2 ≈ 0.20
        """
        from symattn.descent import gradient

        return gradient(self, of, by)

    def gradient_step(
        self, *weights: str, rate: Any, of: str = "loss", target: Any = None
    ) -> GradientStep:
        """One step of gradient descent, exact: W − η dW in place of each of the weights.

        Args:
            weights: addresses of inputs or steps; none: every input but masks.
            rate: η, an exact number: ``"1/10"``.
            of, target: see `backward`.

        Raises:
            AddressError, ShapeError, ExactnessError: see `backward`; a rate that is not exact.

        >>> import symattn as sa
        >>> sa.article().gradient_step("W_1", rate="1/2", target="mouse")
        W_1 - 1/2 * gradient: loss 1.83 -> 1.73 (it fell: the enclosures are separate at 128 bits)
        """
        from symattn.descent import gradient_step

        return gradient_step(self, weights, rate, of, target)

    @cached_property
    def kinks(self) -> list[Kink]:
        """Entries of maxima without a derivative that its gradients met, and what was taken."""
        from symattn.descent import kinks

        return kinks(self)

    @cached_property
    def _extended(self) -> dict[Extension, Derivation]:
        return {}

    def diff(self, other: Derivation) -> Difference:
        """Compare with another derivation: which steps differ, entry by entry."""
        from symattn.difference import difference

        return difference(self, other)

    # What is too long to write out: names for it, and the whole.

    def names(self, node: int, style: Notation) -> Names:
        """Names in steps before `node`, by the number that they stand for."""
        return self.name_table.before(node, style)

    def expansion(self, style: Notation) -> Expansion:
        """What writes entries in full; what they share is written, and counted, once."""
        if style not in self._expansions:
            from symattn.numbers.expansion import Expansion

            self._expansions[style] = Expansion(style, self.display.roots)
        return self._expansions[style]

    @cached_property
    def name_table(self) -> NameTable:
        """Every entry that has a name; see `symattn.names`."""
        from symattn.names import NameTable

        return NameTable(self)


def _check_mask(name: str, mask: Array) -> None:
    """Refuse a mask of 0 and 1, which would be added to the scores as they are."""
    found = set(mask.flat)
    if found <= {Fraction(0), Fraction(1)} and Fraction(1) in found:
        raise MaskError(
            f"{name}: 0 and 1 would be added to the scores as they are; an additive mask is made "
            "of 0 and -oo (in a spec, booleans are given as {keep = …} or {drop = …})"
        )


def _same(form: Any) -> Any:
    return form


def _constant_hook(value: Any) -> Hook:
    return lambda _: value


@dataclass(frozen=True)
class static:
    """Marks an argument of `derive` as passed on as it is: ``tokens=static([0, 1])``."""

    value: Any


def is_option(value: Any) -> bool:
    """Whether an argument is passed on as it is, and is no exact input."""
    marked = getattr(type(value), "__symattn_option__", False)  # such as a Config
    return marked or isinstance(value, static | bool | int | tuple | NoneType) or callable(value)


def _is_word(parameter: inspect.Parameter | None) -> bool:
    """Whether a parameter is declared to be text: ``kind: str``."""
    return parameter is not None and parameter.annotation in (str, "str")


def derive(
    function: Callable[..., Any],
    /,
    *,
    exact: Rule | None = None,
    labels: Mapping[str, Sequence[Sequence[str] | None]] | None = None,
    digits: int = DIGITS,
    **arguments: Any,
) -> Derivation:
    """Trace a NumPy function and derive it from exact inputs.

    Args:
        function: plain NumPy, with readable source.
        exact: how Python floats among the inputs are meant: ``"decimal"`` (the
            shortest decimal, 0.2 is 1/5) or ``"binary"`` (the value stored).
            Without it they are refused.
        labels: by input, the words along each axis: ``{"E": [tokens, None]}``.
        digits: decimals shown by default.
        arguments: arrays (lists, NumPy arrays, SymPy matrices, steps of another
            derivation) and numbers as strings, Fractions, Decimals or SymPy become
            exact inputs; integers,
            booleans, None, tuples, functions, strings for parameters declared as
            ``str`` and what is marked `static` are passed to the function as they are.

    Raises:
        TraceError, ShapeError, ExactnessError, LiteralError: see `symattn.errors`.

    >>> from symattn.transformer import attention
    >>> I = [[1, 0], [0, 1]]
    >>> derive(attention, Q=I, K=I, V=I)["return"].decimal(3)
    [['0.670', '0.330'], ['0.330', '0.670']]
    """
    check_function(function)
    known = inspect.signature(function).parameters
    flexible = any(p.kind is p.VAR_KEYWORD for p in known.values())
    for name in arguments:
        if name not in known and not flexible:
            raise ShapeError(
                f"{function.__name__} has no input {name!r}{nearest(name, known)}; "
                f"its inputs are {', '.join(known)}"
            )
    inputs, options = {}, {}
    for name, value in arguments.items():
        if is_option(value) or (isinstance(value, str) and _is_word(known.get(name))):
            options[name] = value.value if isinstance(value, static) else value
        else:
            inputs[name] = exact_array(value, name, rule=exact)
    given = {
        name: tuple(tuple(axis) if axis else None for axis in axes)
        for name, axes in (labels or {}).items()
    }
    return Derivation(function, inputs, options, labels=given, display=Display(digits))
