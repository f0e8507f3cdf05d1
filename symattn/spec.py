"""The spec: what a user gives, frozen and checked, and the derivation made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from symattn import functions, transformer
from symattn.derivation import Derivation, Display
from symattn.errors import SpecError, SymattnError
from symattn.examples import builtin_folder
from symattn.graph import Array
from symattn.literals import Exact
from symattn.text import Text, load_text

#: The models a spec can name, and the matrices each one takes.
MODELS: dict[str, Any] = {
    "next_token": transformer.next_token,
    "attention_head": transformer.attention_head,
}
FUNCTIONS: dict[str, Any] = {
    function.__name__: function
    for function in (
        functions.causal_mask,
        transformer.attention,
        transformer.attention_head,
        transformer.feed_forward,
        transformer.multi_head_attention,
        transformer.next_token,
    )
}
MATRICES = {
    "next_token": ("W_vocab", "W_Q", "W_K", "W_V", "W_1"),
    "attention_head": ("E", "W_Q", "W_K", "W_V"),
}


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
        radii: with ``inputs = "printed"``, by matrix, the half-width of each entry.
        aliases: by what documents call a step, its address.
        path: where it came from, for messages and neighbouring files.
    """

    name: str
    model: str
    title: str
    tokens: tuple[str, ...]
    matrices: Mapping[str, Array]
    vocabulary: tuple[str, ...] | None = None
    mask: Array | None = None
    scale: Exact | None = None
    reconstructed: tuple[str, ...] = ()
    radii: Mapping[str, Array] = field(default_factory=dict)
    display: Display = field(default_factory=Display)
    claims: tuple[Claim, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    text_name: str = "default.en.toml"
    path: Path | None = None

    def derive(self) -> Derivation:
        """Trace the model over these inputs.

        Raises:
            SpecError: shapes that do not fit, addresses that do not exist.
        """
        inputs = dict(self.matrices)
        options: dict[str, Any] = {}
        labels: dict[str, Any] = {}
        if self.vocabulary is not None and self.model == "next_token":
            options["tokens"] = [self.vocabulary.index(t) for t in self.tokens]
            labels["W_vocab"] = (None, self.vocabulary)
        if "E" in inputs:
            labels["E"] = (self.tokens or None, None)
        if self.mask is not None:
            inputs["M"] = self.mask
            labels["M"] = (self.tokens or None, self.tokens or None)
        if self.scale is not None:
            inputs["scale"] = np.array(self.scale, dtype=object)
        try:
            derivation = Derivation(
                MODELS[self.model],
                inputs,
                options,
                labels=labels,
                display=self.display,
                radii=self.radii,
                spec=self,
            )
            self._check_addresses(derivation)
        except SymattnError as error:
            raise SpecError(f"{self.name}: {error}") from None
        return derivation

    def _check_addresses(self, derivation: Derivation) -> None:
        for address in self.reconstructed:
            derivation[address]
        for name in self.display.steps:
            derivation.step(name)
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
        return FUNCTIONS

    @cached_property
    def text(self) -> Text:
        """The prose and the words of its pages."""
        return load_text(self._neighbour(self.text_name))

    def _neighbour(self, name: str) -> Path:
        """A text file beside the spec, else one that comes with the package."""
        beside = (self.path.parent / name) if self.path else builtin_folder() / name
        return beside if beside.is_file() else builtin_folder() / name


def _shape_at(derivation: Derivation, address: str) -> tuple[int, ...]:
    found = derivation[address]
    return found.shape if hasattr(found, "shape") else np.shape(np.array(found, dtype=object))
