"""The spec: what a user gives, frozen and checked, and the derivation made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symattn.config import Config
from symattn.derivation import Derivation
from symattn.display import Display
from symattn.errors import SpecError, SymattnError
from symattn.examples import builtin_folder
from symattn.graph import Array
from symattn.literals import Exact
from symattn.models import MAX_ENTRIES, MODELS, Model, functions
from symattn.symbols import with_symbols
from symattn.text import Text, load_text

if TYPE_CHECKING:
    from symattn.properties.core import Size, Statements
    from symattn.properties.own import Stated

#: What a spec's own properties, and those of its model, are called among families.
OWN, MODEL = "own", "model"


@dataclass(frozen=True)
class Claim:
    """A number, row or matrix that somebody printed.

    Attributes:
        at: the address it was printed for, or None.
        value: the exact number it was printed for, or None.
        printed: nested lists of the decimals, as printed.
    """

    printed: Any
    at: str | None = None
    value: Exact | None = None
    value_text: str = ""


@dataclass(frozen=True)
class Spec:
    """A checked spec.

    Attributes:
        outputs: what a decoder was given, beside the tokens of its encoder.
        types: of each token, a row of W_type.
        numbers: by name, those that the model takes beside its matrices.
        masks: by input, the additive masks that are given.
        config: the choices of a whole Transformer.
        offset: the position of the first token.
        words: other choices, by the option that they are.
        symbolic: matrices, or entries of them, that are symbols; `matrices` has the numbers.
        radii: with ``inputs = "printed"``, by matrix, the half-width of each entry.
        aliases: by what documents call a step, its address.
        properties: what it states of its model, whatever the weights.
        path: where it came from, for messages and neighbouring files.
        source: its text, as it was read.
    """

    name: str
    model: str
    title: str
    tokens: tuple[str, ...]
    matrices: Mapping[str, Array]
    vocabulary: tuple[str, ...] | None = None
    outputs: tuple[str, ...] = ()
    types: tuple[int, ...] | None = None
    numbers: Mapping[str, Exact] = field(default_factory=dict)
    masks: Mapping[str, Array] = field(default_factory=dict)
    config: Config | None = None
    offset: int = 0
    words: Mapping[str, str] = field(default_factory=dict)
    reconstructed: tuple[str, ...] = ()
    symbolic: tuple[str, ...] = ()
    radii: Mapping[str, Array] = field(default_factory=dict)
    display: Display = field(default_factory=Display)
    claims: tuple[Claim, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    properties: tuple[Stated, ...] = ()
    text_name: str = "default.en.toml"
    path: Path | None = None
    source: str = ""

    def derive(self) -> Derivation:
        """Trace the model over these inputs.

        Raises:
            SpecError: shapes that do not fit, addresses that do not exist.
        """
        model = MODELS[self.model]
        given = {name: np.array(n, dtype=object) for name, n in self.numbers.items()}
        try:
            matrices, numbers = with_symbols(self.matrices, self.symbolic)
        except SymattnError as error:
            raise SpecError(f"{self.name}: symbolic: {error}") from None
        try:
            derivation = Derivation(
                model.function,
                {**matrices, **self.masks, **given},
                self._options(model),
                labels=self._labels(),
                display=self.display,
                radii=self.radii,
                numbers=numbers,
                spec=self,
            )
            _check_sizes(derivation)
            self._check_addresses(derivation)
        except SymattnError as error:
            raise SpecError(f"{self.name}: {error}") from None
        return derivation

    def _options(self, model: Model) -> dict[str, Any]:
        """What the model is passed as it is: places in the vocabulary, types, its choices."""
        options: dict[str, Any] = dict(self.words)
        for key in model.sequences:
            assert self.vocabulary is not None  # the reader has seen to it
            options[key] = [self.vocabulary.index(word) for word in getattr(self, key)]
        if self.offset:
            options["offset"] = self.offset
        if self.types is not None:
            options["types"] = self.types
        if self.config is not None:
            options["config"] = self.config
        return options

    def _labels(self) -> dict[str, Any]:
        tokens, outputs = self.tokens or None, self.outputs or None
        known: dict[str, Any] = {
            "W_vocab": (None, self.vocabulary), "W_U": (None, self.vocabulary),
            "b_U": (self.vocabulary,), "E": (tokens, None), "M": (tokens, tokens),
            "M_out": (outputs, outputs), "M_cross": (outputs, tokens),
        }  # fmt: skip
        given = {*self.matrices, *self.masks}
        return {name: axes for name, axes in known.items() if name in given}

    def _check_addresses(self, derivation: Derivation) -> None:
        for address in self.reconstructed:
            derivation[address]
        derivation.check_display()
        for alias, address in self.aliases.items():
            try:
                _ = derivation[address]
            except SymattnError as error:
                raise SpecError(f"{self.name}: aliases.{alias}: {error}") from None
        for number, claim in enumerate(self.claims):
            if claim.at is None:
                continue
            wanted = _shape_at(derivation, claim.at)
            came = np.shape(np.array(claim.printed, dtype=object))
            if wanted != came:
                raise SpecError(
                    f"claims[{number}].printed: {claim.at} has shape {wanted}, got {came}"
                )

    @property
    def functions(self) -> dict[str, Any]:
        """Functions whose equations a text can show."""
        return functions()

    @cached_property
    def text(self) -> Text:
        """The prose and the words of its pages."""
        return load_text(self._neighbour(self.text_name))

    def statements(self, words: Sequence[str] = (), size: Size | None = None) -> Statements:
        """What holds whatever the weights: the list of properties, and those that it states.

        Args:
            words: names of properties or families; ``own`` for those that it states, ``model`` for
                what holds of its model at its sizes. All if empty.
            size: of the list; n = 3, d = 2, h = 1 if left out.

        Raises:
            OptionError: no such property.
            SpecError: a name in one of its own that is none.
        """
        from symattn.properties import model, prover
        from symattn.properties.core import Size, Statements

        listed = [word for word in words if word not in (MODEL, OWN)]
        found = list(prover.prove(*listed, size=size or Size()) if listed or not words else ())
        try:
            if MODEL in words or not words:
                found += model.statements(self.derive())
            if self.properties and (OWN in words or not words):
                found += prover.own(self.derive(), self.properties, self.functions)
            return Statements(found)
        except SymattnError as error:
            raise SpecError(f"{self.name}: {error}") from None

    def _neighbour(self, name: str) -> Path:
        """A text file beside the spec, else one that comes with the package."""
        beside = (self.path.parent / name) if self.path else builtin_folder() / name
        return beside if beside.is_file() else builtin_folder() / name


def _check_sizes(derivation: Derivation) -> None:
    """Refuse steps that nobody could read, and that would take minutes and gigabytes."""
    for step in derivation.graph.steps:
        shape = derivation.graph.nodes[step.node].shape
        if prod(shape) > MAX_ENTRIES:
            raise SpecError(
                f"{step.address}: wanted at most {MAX_ENTRIES:,} entries in a step, "
                f"got {' × '.join(map(str, shape))}"
            )


def _shape_at(derivation: Derivation, address: str) -> tuple[int, ...]:
    found = derivation[address]
    return found.shape if hasattr(found, "shape") else np.shape(np.array(found, dtype=object))
