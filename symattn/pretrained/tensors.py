"""Tensors out of safetensors files: by name, checked, and no more of them than is wanted.

The files are mapped and not read, by the safetensors package; nothing in them is run. Pickled
weights are refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symattn import files
from symattn.errors import ModelError, OptionError, nearest
from symattn.graph import Array

#: The types that hold weights, as safetensors and NumPy call them.
TYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}

#: What a shard's index may take.
MAX_INDEX = 50_000_000

#: How many names a message lists.
LISTED = 3


class Tensors:
    """The tensors of a model's files, by name.

    Args:
        path: a ``.safetensors`` file, or a directory with ``model.safetensors`` or its shards.

    Raises:
        ModelError: no such file, or one that is truncated, corrupted, or something else.
        OptionError: safetensors is not installed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._files: dict[str, tuple[Path, Any]] = {}
        for file in _files(path):
            opened = _opened(file)
            for name in opened.keys():  # noqa: SIM118  # no mapping
                if name in self._files:
                    raise ModelError(f"{file}: {name}: is in {self._files[name][0].name} as well")
                self._files[name] = (file, opened)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tensors."""
        return tuple(self._files)

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def _slice(self, name: str) -> Any:
        if name not in self._files:
            raise ModelError(f"{self.path}: no tensor {name!r}{nearest(name, self._files)}")
        return self._files[name][1].get_slice(name)

    def shape(self, name: str) -> tuple[int, ...]:
        """A tensor's shape."""
        return tuple(self._slice(name).get_shape())

    def kind(self, name: str) -> str:
        """The type of a tensor's numbers: ``"float32"``.

        Raises:
            ModelError: they are no floats.
        """
        kind = self._slice(name).get_dtype()
        if kind not in TYPES:
            raise self._error(name, f"wanted {', '.join(TYPES)}, got {kind}")
        return TYPES[kind]

    def array(self, name: str, rows: Sequence[int] | None = None) -> Array:
        """A tensor, or some of its rows, in the type of the file.

        Raises:
            ModelError: it is missing, or holds a number that is not finite.
        """
        self.kind(name)
        part = self._slice(name)
        if not part.get_shape():
            raise self._error(name, "wanted an array with axes, got a single number")
        if rows is None:
            found: Array = part[:]
        else:
            runs = (
                [(rows.start, rows.stop)] if isinstance(rows, range) else [(i, i + 1) for i in rows]
            )
            found = np.concatenate([part[start:stop] for start, stop in runs])
        finite = np.isfinite(found)
        if not finite.all():
            index = [int(axis[0]) for axis in np.nonzero(~finite)]
            value = found[tuple(index)]
            if rows is not None:
                index[0] = rows[index[0]]
            place = ",".join(map(str, index))
            raise self._error(name, f"wanted a finite number, got {value}", f"[{place}]")
        return found

    def check(self, wanted: Mapping[str, Sequence[int]]) -> None:
        """Look at names, shapes and types before anything is read.

        Raises:
            ModelError: what is missing, or differs; the first ones are named.
        """
        missing = [name for name in wanted if name not in self]
        if missing:
            more = f" and {len(missing) - LISTED} more" if len(missing) > LISTED else ""
            raise ModelError(f"{self.path}: no tensor {', '.join(missing[:LISTED])}{more}")
        for name, shape in wanted.items():
            if self.shape(name) != tuple(shape):
                said = f"wanted shape {tuple(shape)}, as config.json has it"
                raise self._error(name, f"{said}, got {self.shape(name)}")
            self.kind(name)

    def _error(self, name: str, message: str, place: str = "") -> ModelError:
        return ModelError(f"{self._files[name][0]}: {name}{place}: {message}")


def _opened(file: Path) -> Any:
    import ml_dtypes  # noqa: F401  # it tells NumPy what BF16 is

    try:
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise OptionError(
            "weights need safetensors, which is not installed: "
            "pip install 'symattn[models]' (in a clone '.[models]')"
        ) from None
    try:
        return safe_open(file, "numpy")
    except SafetensorError as error:
        raise ModelError(f"{file}: not a safetensors file: {error}") from None
    except OSError as error:
        raise ModelError(f"{file}: {error.strerror or error}") from None


def _files(path: Path) -> list[Path]:
    """The files of a model: one, or those that an index names."""
    if path.is_file():
        if path.suffix != ".safetensors":
            raise ModelError(
                f"{path}: wanted a .safetensors file or a directory; other files of weights, such "
                "as pickles (.bin, .pt), can run code and are not opened"
            )
        return [path]
    if not path.is_dir():
        raise ModelError(f"{path}: no such file or directory")
    single, index = path / "model.safetensors", path / "model.safetensors.index.json"
    if single.is_file():
        return [single]
    if not index.is_file():
        raise ModelError(f"{path}: wanted model.safetensors in it, or {index.name} and its shards")
    data = files.read(index, MAX_INDEX, ModelError, "an index")
    try:
        shards = set(json.loads(data.decode("utf-8"))["weight_map"].values())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{index}: wanted an index with weight_map, got {error!r}") from None
    for shard in shards:
        is_name = isinstance(shard, str) and Path(shard).name == shard and shard.isprintable()
        if not is_name:
            raise ModelError(f"{index}: wanted the names of files beside it, got {shard!r}")
    return [_shard(path / shard) for shard in sorted(shards)]


def _shard(file: Path) -> Path:
    if os.path.exists(file) and not os.path.isfile(file):
        raise ModelError(f"{file}: wanted a safetensors file, got something else")
    return file
