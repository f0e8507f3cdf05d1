"""A trained model's weights by our names, one layer at a time."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path

from symattn.errors import ModelError
from symattn.graph import Array
from symattn.numbers.given import Stored
from symattn.pretrained.architecture import Architecture, read_config
from symattn.pretrained.names import Place, in_file, place
from symattn.pretrained.tensors import Tensors

#: Weights that are read, but not here.
_UNUSED = ("W_pool", "b_pool")


class Weights:
    """The weights of a model's files. Nothing but names and shapes is read when it is made.

    Args:
        path: a directory with ``config.json`` and safetensors, or a safetensors file beside it.

    Raises:
        ModelError: a file that cannot be used; tensors that are missing or have another shape.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            raise ModelError(f"{path}: no such file or directory")
        folder = path if path.is_dir() else path.parent
        self.architecture: Architecture = read_config(folder / "config.json")
        self.tensors = Tensors(path)
        self._axes = {
            name: axes
            for part in self.architecture.parts().values()
            for name, axes in part.items()
            if name not in _UNUSED
        }
        self.tensors.check(
            {self._tensor(p): p.shape(self.shape(name)) for name, p in self._places()}
        )

    def _places(self) -> list[tuple[str, Place]]:
        layers = range(self.architecture.sizes["N"])
        return [
            (name, place(self.architecture, name, i))
            for name, axes in self._axes.items()
            for i in (layers if axes[0] == "N" else (None,))
        ]

    def _tensor(self, found: Place) -> str:
        return in_file(self.architecture, found.tensor, self.tensors.names)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a weight of ours; of a layer's, in one layer."""
        sizes = self.architecture.sizes
        axes = [axis for axis in self._axes[name] if axis != "N"]
        return tuple(prod(sizes[part] for part in axis.split("*")) for axis in axes)

    @property
    def of_layers(self) -> tuple[str, ...]:
        """The names of what each layer has."""
        return tuple(name for name, axes in self._axes.items() if axes[0] == "N")

    def __contains__(self, name: str) -> bool:
        return name in self._axes

    def array(self, name: str, layer: int | None = None) -> Array:
        """A weight as the file has its numbers, laid out as ours."""
        found = place(self.architecture, name, layer)
        return found.taken(self.tensors.array(self._tensor(found)))

    def __call__(self, name: str, layer: int | None = None) -> Stored:
        """A weight for a number system."""
        return Stored(self.array(name, layer))

    def rows(self, name: str, rows: Sequence[int]) -> Array:
        """Rows of a table of vectors: words, positions, types; one a row."""
        found = place(self.architecture, name)
        return self.tensors.array(self._tensor(found), rows)

    @property
    def kind(self) -> str:
        """The type of its numbers: that of the embeddings."""
        return self.tensors.kind(self._tensor(place(self.architecture, "W_vocab")))
