"""How many parameters a model has, by part, as formulas; memory, FLOPs and cache per token.

The axes of the weights are those of `symattn.config`, which the models are derived with, so a
count is a sum over weights of the products of their axes. Symbols: V words, d = d_model, L
layers, h heads, h_kv of keys and values, d_k a head's dimension (d/h where the file has that),
d_ff, n_pos positions, n_types token types; n the tokens of a context.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import sympy

from symattn.errors import OptionError, nearest
from symattn.pretrained.architecture import Architecture

#: Our axes, by the letters that formulas have.
LETTERS = {
    "V": "|V|", "d": "d_model", "L": "N", "h": "h", "h_kv": "h_kv", "d_k": "d_k", "d_ff": "d_ff",
    "n_pos": "positions", "n_types": "types",
}  # fmt: skip

LATEX = {
    "h_kv": r"h_{\mathrm{kv}}", "d_ff": r"d_{\mathrm{ff}}", "n_pos": r"n_{\mathrm{pos}}",
    "n_types": r"n_{\mathrm{types}}",
}  # fmt: skip

#: Bytes of a number by its type.
BYTES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int8": 1}

#: The types that keys and values are mostly kept in.
CACHED = ("float32", "float16")


def letter(name: str) -> Any:
    """The symbol of a formula: a whole number above 0."""
    return sympy.Symbol(name, integer=True, positive=True)


@dataclass(frozen=True)
class Quantity:
    """A formula and what it comes to.

    Attributes:
        name: what it is of.
        formula: SymPy's, in `LETTERS`; p stands for all parameters.
        values: by letter, the sizes of the model.
        parameters: what p is.
    """

    name: str
    formula: Any
    values: Mapping[str, int]
    parameters: Any = 0

    @property
    def value(self) -> int:
        """The number."""
        return int(self.kept(()))

    def kept(self, letters: Collection[str]) -> Any:
        """The formula with numbers in place of all letters but these."""
        whole = self.formula.subs({letter("p"): self.parameters})
        put = {letter(k): n for k, n in self.values.items() if k not in letters}
        return sympy.expand(whole.subs(put))

    def latex(self, letters: Collection[str] | None = None) -> str:
        """LaTeX of the formula, or of `kept`."""
        names = {letter(k): text for k, text in LATEX.items()}
        found = self.formula if letters is None else self.kept(letters)
        return str(sympy.latex(found, symbol_names=names))


@dataclass(frozen=True)
class Count:
    r"""The sizes of a model as formulas.

    Attributes:
        context: n, the tokens that a token's FLOPs are counted beside.

    >>> from symattn.pretrained.architecture import read_config
    >>> count = Count(read_config({"model_type": "gpt2"}))
    >>> count.total.value, count.untied.value
    (124439808, 163037184)
    >>> count.part("attention").latex()
    'L \\left(4 d^{2} + 4 d\\right)'
    """

    architecture: Architecture
    context: int = 1024

    @cached_property
    def values(self) -> dict[str, int]:
        """By letter, the sizes of this model; d_k is no letter where it is d/h."""
        sizes = self.architecture.sizes
        letters = {k: sizes[axis] for k, axis in LETTERS.items() if sizes[axis]}
        if self.architecture.splits_d_model:
            del letters["d_k"]
        if sizes["h_kv"] == sizes["h"]:
            del letters["h_kv"]
        return {**letters, "n": self.context}

    @cached_property
    def _axes(self) -> dict[str, Any]:
        """By axis, what stands for it in a formula."""
        sizes = self.architecture.sizes
        found = {axis: letter(k) for k, axis in LETTERS.items()}
        if self.architecture.splits_d_model:
            found["d_k"] = found["d_model"] / found["h"]
        if sizes["h_kv"] == sizes["h"]:
            found["h_kv"] = found["h"]
        found["d_v"] = found["d_k"]
        found["h*d_v"] = found["h"] * found["d_v"]
        return found

    def _quantity(self, name: str, formula: Any) -> Quantity:
        return Quantity(name, sympy.Integer(0) + formula, self.values)

    def _weights(self, weights: Mapping[str, tuple[str, ...]]) -> Any:
        """The entries of weights: L times those of a layer, and those outside layers."""
        inside = [axes[1:] for axes in weights.values() if axes[0] == "N"]
        outside = [axes for axes in weights.values() if axes[0] != "N"]
        layer, rest = (
            sympy.Add(*(prod(self._axes[a] for a in axes) for axes in group))
            for group in (inside, outside)
        )
        return self._axes["N"] * layer + rest

    @cached_property
    def parts(self) -> tuple[Quantity, ...]:
        """The parameters of each part."""
        return tuple(
            self._quantity(name, self._weights(weights))
            for name, weights in self.architecture.parts().items()
        )

    def part(self, name: str) -> Quantity:
        """One part by its name."""
        return next(part for part in self.parts if part.name == name)

    @cached_property
    def total(self) -> Quantity:
        """All parameters, as the file ties its matrices or does not."""
        return self._quantity("total", sympy.Add(*(part.formula for part in self.parts)))

    @cached_property
    def tied(self) -> Quantity:
        """All parameters if the embeddings made the logits too."""
        without = [part.formula for part in self.parts if part.name != "unembedding"]
        return self._quantity("tied", sympy.Add(*without))

    @cached_property
    def untied(self) -> Quantity:
        """All parameters if the logits had a matrix of their own."""
        return self._quantity(
            "untied", self.tied.formula + self._axes["|V|"] * self._axes["d_model"]
        )

    def memory(self, kind: str) -> Quantity:
        """Bytes of the weights in a type of numbers, p of them."""
        found = self._quantity(f"memory, {kind}", BYTES[kind] * letter("p"))
        return replace(found, parameters=self.total.formula)

    @cached_property
    def flops(self) -> Quantity:
        """Operations of a token's forward pass beside n tokens: those of its matrix products.

        A multiplication and an addition for each entry of a matrix, and in each head for each
        entry of n keys and n values.

        Source: Kaplan et al., Scaling Laws for Neural Language Models (2020), section 2.1.
        """
        axes = self._axes
        matrices = {
            name: shape
            for part in ("attention", "FFN")
            for name, shape in self.architecture.parts()[part].items()
            if name.startswith("W_")
        }
        entries = self._weights(matrices)
        if self.architecture.unembeds:
            entries += axes["|V|"] * axes["d_model"]
        scores = axes["N"] * axes["h"] * letter("n") * (axes["d_k"] + axes["d_v"])
        return self._quantity("FLOPs per token", 2 * entries + 2 * scores)

    def cache(self, kind: str) -> Quantity:
        """Bytes of a token's keys and values, in every layer.

        Source: Shazeer, Fast Transformer Decoding (2019), section 2.4.1.
        """
        axes = self._axes
        numbers = axes["N"] * axes["h_kv"] * (axes["d_k"] + axes["d_v"])
        return self._quantity(f"cache per token, {kind}", BYTES[kind] * numbers)

    @property
    def sizes_latex(self) -> str:
        """Its sizes as LaTeX: ``d = 768, L = 12``."""
        return ", ".join(f"{LATEX.get(k, k)} = {n}" for k, n in self.values.items())

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """All of them, in the order in which they are told."""
        both = (self.tied, self.untied) if self.architecture.unembeds else ()
        memory = map(self.memory, BYTES)
        return (*self.parts, self.total, *both, *memory, self.flops, *map(self.cache, CACHED))

    def checked(self, letters: Collection[str]) -> tuple[str, ...]:
        """Letters that stay letters, checked.

        Raises:
            OptionError: one that this model's formulas do not have.
        """
        for name in letters:
            if name not in self.values:
                raise OptionError(
                    f"wanted letters among {', '.join(self.values)}, got {name!r}"
                    f"{nearest(name, self.values)}"
                )
        return tuple(letters)
