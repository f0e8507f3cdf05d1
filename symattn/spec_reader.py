"""TOML in, a checked `Spec` out.

Every mistake is one `SpecError` that says what was wanted, what came, and where
(file, key, row). Unknown keys are mistakes. Text is parsed, never run.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from symattn import functions
from symattn.derivation import Display
from symattn.errors import LiteralError, SpecError, SymattnError, nearest
from symattn.examples import builtin_folder, builtin_names
from symattn.graph import Array, split_address
from symattn.literals import POSITIVE_INFINITY, Apply, Exact, Infinity, Name, exact, exact_array
from symattn.spec import MATRICES, MODELS, Claim, Spec

FORMAT = 1
MAX_BYTES = 10_000_000
MAX_ENTRIES = 1_000_000

KEYS = (
    "format", "model", "title", "text", "tokens", "vocabulary", "mask", "scale", "ffn",
    "inputs", "reconstructed", "matrices", "display", "claims", "aliases",
)  # fmt: skip


class Decimal(str):
    """A TOML float as it was written: 0.2 is 1/5, whatever a binary float makes of it."""


def load_spec(source: str | Path) -> Spec:
    """Read a spec from a path ending in .toml, or a built-in one by its name.

    Raises:
        SpecError: no such spec, or something in it cannot be used.
    """
    path = Path(source)
    if path.suffix != ".toml":
        if str(source) not in builtin_names():
            known = ", ".join(builtin_names())
            raise SpecError(
                f"no built-in spec {str(source)!r}{nearest(str(source), builtin_names())}; "
                f"wanted a path ending in .toml, or one of {known}"
            )
        path = builtin_folder() / f"{source}.toml"
    return parse_spec(read_text(path), str(source), path)


def read_text(path: Path) -> str:
    """A text file, with what can go wrong in a sentence."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SpecError(
                f"{path}: wanted at most {MAX_BYTES:,} bytes, got {path.stat().st_size:,}"
            )
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise SpecError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise SpecError(
            f"{path}: wanted UTF-8 text, got byte {error.start} of another kind"
        ) from None


def parse_spec(text: str, name: str = "spec", path: Path | None = None) -> Spec:
    """Check the text of a spec; see `load_spec`."""
    try:
        table = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        # ValueError: tomllib's own errors, and Python's for integers over 4300 digits.
        raise SpecError(f"{name}: not valid TOML: {error}") from None
    return _Reader(name, table).spec(path)


class _Reader:
    """Checks one table, key by key."""

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        self.name = name
        self.table = table

    def fail(self, where: str, message: str) -> NoReturn:
        raise SpecError(f"{self.name}: {where}: {message}")

    def spec(self, path: Path | None) -> Spec:
        self.known_keys(self.table, KEYS, "")
        if self.table.get("format") is True or self.table.get("format") != FORMAT:
            self.fail("format", f"wanted {FORMAT}, got {self.table.get('format')!r}")
        model = self.choice("model", list(MODELS), default=None)
        ffn = self.table.get("ffn", "linear")
        if ffn != "linear":
            self.fail("ffn", f'wanted "linear", the one there is, got {ffn!r}')
        tokens = self.words("tokens") or ()
        vocabulary = self.words("vocabulary")
        self.check_words(model, tokens, vocabulary)
        matrices = self.matrices(model, tokens, vocabulary)
        n = len(tokens) or len(matrices["E"])
        return Spec(
            name=self.name,
            model=model,
            title=self.string("title", self.name),
            tokens=tokens,
            vocabulary=vocabulary,
            matrices=matrices,
            mask=self.mask(n),
            scale=self.scale(matrices),
            reconstructed=self.addresses("reconstructed"),
            radii=self.radii(matrices),
            display=self.display(),
            claims=self.claims(),
            aliases=self.aliases(),
            text_name=self.text_name(),
            path=path,
        )

    # Keys.

    def known_keys(self, table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        for key in table:
            if key not in known:
                place = f"{where}.{key}" if where else key
                self.fail(place, f"unknown key{nearest(key, known)}; known are {', '.join(known)}")

    def string(self, key: str, default: str) -> str:
        value = self.table.get(key, default)
        if not isinstance(value, str) or isinstance(value, Decimal):
            self.fail(key, f"wanted a text in quotes, got {_toml(value)}")
        return value

    def choice(self, key: str, known: list[str], default: str | None) -> str:
        value = self.table.get(key, default)
        if value is None:
            self.fail(key, f"missing; wanted one of {', '.join(known)}")
        if not isinstance(value, str) or value not in known:
            hint = nearest(value, known) if isinstance(value, str) else ""
            self.fail(key, f"wanted one of {', '.join(known)}, got {_toml(value)}{hint}")
        return value

    def text_name(self) -> str:
        name = self.string("text", "default.en.toml")
        if Path(name).name != name or not name.isprintable() or len(name) > 200:
            self.fail("text", f"wanted the name of a file beside the spec, got {name!r}")
        return name

    def words(self, key: str) -> tuple[str, ...] | None:
        value = self.table.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(type(w) is str for w in value):
            self.fail(key, f"wanted a list of texts, got {_toml(value)}")
        if not value:
            self.fail(key, "wanted at least one, got an empty list")
        return tuple(unicodedata.normalize("NFC", str(w)) for w in value)

    def addresses(self, key: str) -> tuple[str, ...]:
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(w, str) for w in value):
            self.fail(key, f'wanted a list of addresses such as "W_1[0,1]", got {_toml(value)}')
        return tuple(value)

    def check_words(
        self, model: str, tokens: tuple[str, ...], vocabulary: tuple[str, ...] | None
    ) -> None:
        if model == "next_token":
            if not tokens:
                self.fail("tokens", "missing; wanted the words of the sentence")
            if vocabulary is None:
                self.fail("vocabulary", "missing; wanted every word the model knows")
        if vocabulary is None:
            return
        places: dict[str, int] = {}
        for i, word in enumerate(vocabulary):
            if word in places:
                self.fail(
                    "vocabulary",
                    f"{word!r} stands at {places[word]} and again at {i}; wanted it once",
                )
            places[word] = i
        for i, word in enumerate(tokens):
            if word not in places:
                self.fail(
                    f"tokens[{i}]", f"{word!r} is not in the vocabulary{nearest(word, vocabulary)}"
                )

    # Matrices.

    def matrices(
        self, model: str, tokens: tuple[str, ...], vocabulary: tuple[str, ...] | None
    ) -> dict[str, Array]:
        given = self.table.get("matrices")
        wanted = MATRICES[model]
        if not isinstance(given, dict):
            self.fail("matrices", f"missing; wanted a table with {', '.join(wanted)}")
        self.known_keys(given, wanted, "matrices")
        for name in wanted:
            if name not in given:
                self.fail(f"matrices.{name}", f"missing; {model} takes {', '.join(wanted)}")
        out: dict[str, Array] = {}
        for name in wanted:  # embeddings first: they tell d_model
            out[name] = self.matrix(name, given[name], out)
        self.check_sizes(out, tokens, vocabulary)
        return out

    def matrix(self, name: str, value: Any, earlier: Mapping[str, Array]) -> Array:
        where = f"matrices.{name}"
        if value == "identity":
            d_model = _d_model(earlier)
            if d_model is None:
                self.fail(where, '"identity" needs a size: write the matrix out')
            return exact_array(np.eye(d_model, dtype=int), where)
        if not isinstance(value, list) or not value:
            self.fail(
                where, f'wanted rows such as [["0.2", "1"], …] or "identity", got {_toml(value)}'
            )
        for i, row in enumerate(value):
            if not isinstance(row, list) or not row:
                self.fail(f"{where}[{i}]", f"wanted a row such as [0, 1], got {_toml(row)}")
            if len(row) != len(value[0]):
                self.fail(
                    f"{where}[{i}]",
                    f"wanted {len(value[0])} entries as in row 0, got {len(row)}",
                )
        if len(value) * len(value[0]) > MAX_ENTRIES:
            self.fail(where, f"wanted at most {MAX_ENTRIES:,} entries")
        return self.exact(value, where)

    def exact(self, value: Any, where: str, names: Mapping[str, Exact] | None = None) -> Array:
        try:
            return exact_array(_plain(value), where, names=names)
        except SymattnError as error:
            raise SpecError(f"{self.name}: {error}") from None

    def check_sizes(
        self,
        matrices: Mapping[str, Array],
        tokens: tuple[str, ...],
        vocabulary: tuple[str, ...] | None,
    ) -> None:
        if "W_vocab" in matrices and vocabulary is not None:
            columns = matrices["W_vocab"].shape[1]
            if columns != len(vocabulary):
                self.fail(
                    "matrices.W_vocab",
                    f"wanted a column for each of the {len(vocabulary)} words of the vocabulary, "
                    f"got {columns}",
                )
        if "E" in matrices and tokens and len(matrices["E"]) != len(tokens):
            self.fail(
                "matrices.E",
                f"wanted a row for each of the {len(tokens)} tokens, got {len(matrices['E'])}",
            )
        d_model = _d_model(matrices)
        for name in ("W_Q", "W_K", "W_V"):
            if matrices[name].shape[0] != d_model:
                self.fail(
                    f"matrices.{name}",
                    f"wanted d_model = {d_model} rows, got {matrices[name].shape[0]}",
                )
        if matrices["W_Q"].shape[1] != matrices["W_K"].shape[1]:
            self.fail(
                "matrices.W_K",
                f"wanted as many columns as W_Q has ({matrices['W_Q'].shape[1]}), "
                f"got {matrices['W_K'].shape[1]}",
            )
        if "W_1" in matrices:
            wanted = (matrices["W_V"].shape[1], d_model)
            if matrices["W_1"].shape != wanted:
                self.fail(
                    "matrices.W_1",
                    f"wanted d_v × d_model = {wanted[0]} × {wanted[1]}, "
                    f"got {' × '.join(map(str, matrices['W_1'].shape))}",
                )

    # Options.

    def radii(self, matrices: Mapping[str, Array]) -> dict[str, Array]:
        """Half a unit in the last printed place of every decimal, for printed inputs."""
        if self.choice("inputs", ["exact", "printed"], default="exact") == "exact":
            return {}
        out = {}
        for name, value in self.table["matrices"].items():
            radii = np.empty(matrices[name].shape, dtype=object)
            for index in np.ndindex(radii.shape):
                radii[index] = Fraction(0) if value == "identity" else _half_unit(_at(value, index))
            out[name] = radii
        return out

    def mask(self, n: int) -> Array | None:
        value = self.table.get("mask", "none")
        if value == "none":
            return None
        if value == "causal":
            return exact_array(functions.causal_mask(n, n), "mask")
        wanted = 'wanted "none", "causal", {keep = …}, {drop = …} or {add = …}'
        if not isinstance(value, dict) or len(value) != 1:
            self.fail("mask", f"{wanted}, got {_toml(value)}")
        self.known_keys(value, ("keep", "drop", "add"), "mask")
        kind, rows = next(iter(value.items()))
        self.check_square(rows, n, f"mask.{kind}")
        if kind == "add":
            return self.visible(self.additive(rows), "mask.add")
        if not all(isinstance(v, bool) for row in rows for v in row):
            self.fail(f"mask.{kind}", "wanted true and false; numbers are given as {add = …}")
        keep = np.array(rows, dtype=bool) ^ (kind == "drop")
        return self.visible(exact_array(np.where(keep, 0, -np.inf), "mask"), f"mask.{kind}")

    def visible(self, mask: Array, where: str) -> Array:
        """The mask, if every row leaves something to see."""
        for i, row in enumerate(mask):
            if all(isinstance(entry, Infinity) for entry in row):
                self.fail(
                    where, f"row {i} is masked everywhere; leave at least one key visible to it"
                )
        return mask

    def check_square(self, rows: Any, n: int, where: str) -> None:
        if not isinstance(rows, list) or len(rows) != n:
            self.fail(where, f"wanted {n} rows, one a token, got {_toml(rows)}")
        for i, row in enumerate(rows):
            if not isinstance(row, list) or len(row) != n:
                self.fail(f"{where}[{i}]", f"wanted {n} entries, got {_toml(row)}")

    def additive(self, rows: list[list[Any]]) -> Array:
        entries = self.exact(rows, "mask.add")
        found = set(entries.flat)
        if POSITIVE_INFINITY in found:
            self.fail("mask.add", "wanted numbers and -oo, got oo")
        return entries

    def scale(self, matrices: Mapping[str, Array]) -> Exact | None:
        """The divisor; None for the √d_k that the model takes by itself."""
        value = self.table.get("scale", "sqrt(d_k)")
        sizes: dict[str, Exact] = {
            "d_k": Fraction(matrices["W_K"].shape[1]),
            "d_model": Fraction(_d_model(matrices) or 0),
        }
        try:
            default = exact("sqrt(d_k)", names=sizes)
            divisor = exact(_plain(value), names=sizes)
        except SymattnError as error:
            self.fail("scale", str(error))
        if isinstance(divisor, Name | Apply) and _names(divisor):
            self.fail("scale", f"wanted a number, d_k or d_model, got {value!r}")
        if not isinstance(divisor, Fraction | Apply) or divisor == 0:
            self.fail("scale", f"wanted a divisor that is not zero, got {value!r}")
        return None if divisor == default else divisor

    def display(self) -> Display:
        table = self.table.get("display", {})
        if not isinstance(table, dict):
            self.fail("display", f"wanted a table, got {_toml(table)}")
        self.known_keys(table, ("digits", "steps"), "display")
        steps: dict[str, int] = {}
        for name, options in self.subtable(table.get("steps", {}), "display.steps").items():
            where = f"display.steps.{name}"
            self.known_keys(self.subtable(options, where), ("digits",), where)
            steps[name] = self.digits(options.get("digits"), f"display.steps.{name}.digits")
        return Display(self.digits(table.get("digits", Display().digits), "display.digits"), steps)

    def subtable(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(where, f"wanted a table, got {_toml(value)}")
        return value

    def digits(self, value: Any, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 100:
            self.fail(where, f"wanted a whole number from 0 to 100, got {_toml(value)}")
        return value

    def claims(self) -> tuple[Claim, ...]:
        tables = self.table.get("claims", [])
        if not isinstance(tables, list):
            self.fail("claims", "wanted [[claims]] tables")
        return tuple(self.claim(t, f"claims[{i}]") for i, t in enumerate(tables))

    def aliases(self) -> dict[str, str]:
        """What documents call a step, and its address: ``attn = "A"``."""
        table = self.table.get("aliases", {})
        if not isinstance(table, dict):
            self.fail("aliases", f'wanted a table such as attn = "A", got {_toml(table)}')
        for name, address in table.items():
            if not isinstance(address, str):
                self.fail(f"aliases.{name}", f'wanted an address such as "A", got {_toml(address)}')
        return dict(table)

    def claim(self, table: Any, where: str) -> Claim:
        if not isinstance(table, dict):
            self.fail(where, f"wanted a table, got {_toml(table)}")
        self.known_keys(table, ("at", "value", "printed"), where)
        if ("at" in table) == ("value" in table):
            self.fail(where, "wanted either at = an address, or value = an exact number")
        if "printed" not in table:
            self.fail(where, "printed is missing; wanted the number as it was printed")
        printed = _strings(table["printed"])
        for item in np.array(printed, dtype=object).flat if _even(printed) else [None]:
            if item is None or not _is_decimal(item):
                self.fail(f"{where}.printed", f"wanted decimals in even rows, got {_toml(item)}")
        if "value" in table:
            if not isinstance(printed, str):
                self.fail(f"{where}.printed", f"wanted one decimal, got {_toml(printed)}")
            try:
                return Claim(
                    printed, value=exact(str(table["value"])), value_text=str(table["value"])
                )
            except LiteralError as error:
                self.fail(f"{where}.value", str(error))
        if not isinstance(table["at"], str):
            self.fail(
                f"{where}.at", f'wanted an address such as "A[1,0]", got {_toml(table["at"])}'
            )
        try:
            split_address(table["at"])
        except SymattnError as error:
            self.fail(f"{where}.at", str(error))
        return Claim(printed, at=table["at"])


def _half_unit(printed: Any) -> Fraction:
    """0.47 is 0.465 to 0.475; integers, fractions and expressions are exact."""
    text = str(_plain(printed)).strip()
    match = re.fullmatch(r"[-+−]?[0-9]*\.([0-9]*)(?:[eE]([-+]?[0-9]+))?", text)
    if match is None or isinstance(printed, int):
        return Fraction(0)
    places = len(match[1]) - int(match[2] or 0)
    return Fraction(1, 2) / Fraction(10) ** places


def _at(value: Any, index: tuple[int, ...]) -> Any:
    for i in index:
        value = value[i]
    return value


def _d_model(matrices: Mapping[str, Array]) -> int | None:
    if "W_vocab" in matrices:
        return int(matrices["W_vocab"].shape[0])
    return int(matrices["E"].shape[1]) if "E" in matrices else None


def _names(value: Exact) -> bool:
    if isinstance(value, Apply):
        return any(map(_names, value.args))
    return isinstance(value, Name)


def _plain(value: Any) -> Any:
    """TOML's numbers as exact literals: underscores go, everything else stays text."""
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, Decimal):
        return value.replace("_", "").lstrip("+")
    return value


def _strings(value: Any) -> Any:
    return [_strings(v) for v in value] if isinstance(value, list) else str(value)


def _even(value: Any) -> bool:
    try:
        np.array(value)
    except ValueError:
        return False
    return True


def _is_decimal(text: str) -> bool:
    return re.fullmatch(r"[-+−]?[0-9]+(\.[0-9]*)?|-oo", text) is not None


def _toml(value: Any) -> str:
    shown = (
        repr(str(value))
        if isinstance(value, str) and not isinstance(value, Decimal)
        else str(value)
    )
    return shown if len(shown) <= 60 else shown[:57] + "…"
