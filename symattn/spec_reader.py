"""TOML in, a checked `Spec` out.

Every mistake is one `SpecError` that says what was wanted, what came, and where
(file, key, row). Unknown keys are mistakes. Text is parsed, never run.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symattn import files
from symattn.config import CHOICES, Config
from symattn.display import OPTIONS, Display, Option
from symattn.errors import LiteralError, OptionError, SpecError, SymattnError, nearest
from symattn.examples import builtin_folder, builtin_names
from symattn.graph import Array, split_address
from symattn.literals import Apply, Exact, Name, exact
from symattn.models import MODELS, Model
from symattn.spec import Claim, Spec
from symattn.spec_masks import read_mask, read_window
from symattn.spec_matrices import Matrices, Sizes
from symattn.spec_table import Decimal, Table, plain, shown
from symattn.text import MAX_BYTES, authored

if TYPE_CHECKING:
    from symattn.properties.own import Stated

FORMAT = 1

#: Keys of every spec; a model adds its own.
KEYS = (
    "format", "model", "title", "text", "tokens", "vocabulary", "inputs", "reconstructed",
    "symbolic", "matrices", "display", "claims", "aliases", "properties",
)  # fmt: skip
#: The sizes that a spec may say beside its matrices.
SIZES = ("N", "N_dec", "h", "h_kv")


def _keys_of(model: Model) -> tuple[str, ...]:
    sizes = tuple(s for s in SIZES if any(s in axes for axes in model.matrices.values()))
    types = ("types",) if "W_type" in model.matrices else ()
    offset = ("offset",) if model.has_offset else ()
    own = (*offset, *model.masks, *model.numbers, *model.choices, *model.sequences, *model.words)
    return tuple(dict.fromkeys((*KEYS, *own, *sizes, *types)))


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
    data = files.read(path, MAX_BYTES, SpecError, "a spec")
    try:
        # Line ends as in a file that is opened as text.
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise SpecError(
            f"{path}: wanted a text in UTF-8, got the byte 0x{error.object[error.start]:02x}"
        ) from None


def parse_spec(text: str, name: str = "spec", path: Path | None = None) -> Spec:
    """Check the text of a spec; see `load_spec`."""
    try:
        table = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        # ValueError: tomllib's own errors, and Python's for integers over 4300 digits.
        raise SpecError(f"{name}: not valid TOML: {error}") from None
    return replace(_Reader(name, table).spec(path), source=text)


class _Reader(Table):
    """Checks the top table, key by key."""

    def spec(self, path: Path | None) -> Spec:
        if self.table.get("format") is True or self.table.get("format") != FORMAT:
            self.fail("format", f"wanted {FORMAT}, got {self.table.get('format')!r}")
        model = MODELS[self.choice("model", list(MODELS), default=None)]
        self.known_keys(self.table, _keys_of(model), "")
        sizes = Sizes(self)
        for key in SIZES:
            if key in self.table:
                sizes.say(key, self.count(key), key)
        vocabulary = self.words("vocabulary")
        if vocabulary is not None:
            sizes.say("|V|", len(vocabulary), "vocabulary")
        sentences = self.sentences(model, vocabulary)
        for axis, key in (("n", "tokens"), ("n_out", "outputs")):
            if key in sentences:
                sizes.say(axis, len(sentences[key]), key)
        reader = Matrices(self, model, sizes)
        matrices = reader.read()
        self.check_heads(sizes)
        words = {key: self.choice(key, known, known[0]) for key, known in model.words.items()}
        config = self.config(model)
        return Spec(
            name=self.name,
            model=model.name,
            title=self.string("title", self.name),
            tokens=sentences.get("tokens", ()),
            outputs=sentences.get("outputs", ()),
            types=self.types(sizes),
            vocabulary=vocabulary,
            matrices=matrices,
            numbers=self.numbers(model, sizes),
            masks=self.masks(model, sizes, words, config),
            config=config,
            offset=self.count("offset", 0) if "offset" in self.table else 0,
            words={key: word for key, word in words.items() if word != model.words[key][0]},
            reconstructed=self.addresses("reconstructed"),
            symbolic=self.addresses("symbolic"),
            radii=reader.radii(matrices),
            display=self.display(),
            claims=self.claims(),
            aliases=self.aliases(),
            properties=self.properties(),
            text_name=self.text_name(),
            path=path,
        )

    # Keys.

    def text_name(self) -> str:
        name = self.string("text", "default.en.toml")
        if Path(name).name != name or not name.isprintable() or len(name) > 200:
            self.fail("text", f"wanted the name of a file beside the spec, got {name!r}")
        return name

    def sentences(
        self, model: Model, vocabulary: tuple[str, ...] | None
    ) -> dict[str, tuple[str, ...]]:
        found = {}
        for key in dict.fromkeys(("tokens", *model.sequences)):
            words = self.words(key)
            if words is not None:
                found[key] = words
            elif key in model.sequences:
                self.fail(key, "missing; wanted the tokens of the sentence")
        if model.embeds and vocabulary is None:
            self.fail("vocabulary", "missing; wanted every token that the model knows")
        places: dict[str, int] = {}
        for i, word in enumerate(vocabulary or ()):
            if word in places:
                self.fail(
                    "vocabulary",
                    f"{word!r} stands at {places[word]} and again at {i}; wanted it once",
                )
            places[word] = i
        for key, words in found.items():
            for i, word in enumerate(words):
                if vocabulary is not None and word not in places:
                    hint = nearest(word, vocabulary)
                    self.fail(f"{key}[{i}]", f"{word!r} is not in the vocabulary{hint}")
        return found

    def types(self, sizes: Sizes) -> tuple[int, ...] | None:
        if "types" not in self.table:
            return None
        types = self.counts("types")
        n, known = sizes.known["n"], sizes.of("types")
        if known is None:
            self.fail("types", "wanted with matrices.W_type, a row for each type")
        if len(types) != n:
            self.fail("types", f"wanted {n}, one a token, got {len(types)}")
        for i, kind in enumerate(types):
            if kind >= known:
                self.fail(f"types[{i}]", f"wanted 0 to {known - 1}, a row of W_type, got {kind}")
        return types

    def check_heads(self, sizes: Sizes) -> None:
        h, h_kv = sizes.known.get("h"), sizes.known.get("h_kv")
        if h and h_kv and h % h_kv:
            self.fail(
                "matrices.W_K", f"wanted a number of heads that divides h = {h}, got h_kv = {h_kv}"
            )

    def config(self, model: Model) -> Config | None:
        if not model.choices:
            return None
        chosen: dict[str, Any] = dict(model.defaults)
        for key in model.choices:
            value = self.table.get(key)
            if value is None:
                continue
            if key == "mask":
                chosen[key] = value if value in ("none", "causal") else "none"
            elif key == "window":
                chosen[key] = read_window(self, value, key)
            elif key == "window_layers":
                chosen[key] = self.counts(key)
            elif key == "rope_dimensions":
                chosen[key] = self.count(key)
            elif key in CHOICES:
                chosen[key] = self.choice(key, model.limits.get(key, CHOICES[key]), default=None)
            else:
                chosen[key] = self.flag(key)
        try:
            return Config(**chosen)
        except OptionError as error:
            raise SpecError(f"{self.name}: {error}") from None

    def masks(
        self, model: Model, sizes: Sizes, words: Mapping[str, str], config: Config | None
    ) -> dict[str, Array]:
        """The masks that are given; a word that the model knows itself is not one."""
        zero = words.get("fully_masked") == "zero" or (
            config is not None and config.fully_masked == "zero"
        )
        found = {}
        for key, axes in model.masks.items():
            if key in model.choices and self.table.get(key) == "causal":
                continue
            n_q, n_k = (sizes.known[axis] for axis in axes)
            mask = read_mask(self, key, n_q, n_k, hides_rows=zero)
            if mask is not None:
                found["M" + key.removeprefix("mask")] = mask
        return found

    def numbers(self, model: Model, sizes: Sizes) -> dict[str, Exact]:
        found: dict[str, Exact] = {}
        for key in model.numbers:
            if key == "scale":
                scale = self.scale(sizes)
                found |= {} if scale is None else {key: scale}
            elif key in self.table:
                value = self.exact(self.table[key], key)
                if value.shape or not isinstance(value[()], Fraction | Apply) or _names(value[()]):
                    self.fail(key, f"wanted a number, got {shown(self.table[key])}")
                if value[()] == 0 and key != "eps":
                    self.fail(key, "wanted a number that is not zero")
                found[key] = value[()]
        return found

    def scale(self, sizes: Sizes) -> Exact | None:
        """The divisor; None for the √d_k that the model takes by itself."""
        value = self.table.get("scale", "sqrt(d_k)")
        names: dict[str, Exact] = {
            axis: Fraction(sizes.known[axis]) for axis in ("d_k", "d_model") if axis in sizes.known
        }
        try:
            default = exact("sqrt(d_k)", names=names)
            divisor = exact(plain(value), names=names)
        except SymattnError as error:
            self.fail("scale", str(error))
        if isinstance(divisor, Name | Apply) and _names(divisor):
            self.fail("scale", f"wanted a number, d_k or d_model, got {value!r}")
        if not isinstance(divisor, Fraction | Apply) or divisor == 0:
            self.fail("scale", f"wanted a divisor that is not zero, got {value!r}")
        return None if divisor == default else divisor

    def display(self) -> Display:
        table = self.subtable(self.table.get("display", {}), "display")
        self.known_keys(table, (*OPTIONS, "steps"), "display")
        each = [name for name, option in OPTIONS.items() if option.per_step]
        steps: dict[str, dict[str, Any]] = {}
        for step, given in self.subtable(table.get("steps", {}), "display.steps").items():
            where = f"display.steps.{step}"
            self.known_keys(self.subtable(given, where), each, where)
            steps[step] = {
                key: self.option(OPTIONS[key], value, where) for key, value in given.items()
            }
        chosen = {
            key: self.option(OPTIONS[key], value, "display")
            for key, value in table.items()
            if key != "steps"
        }
        return Display(**chosen, steps=steps)

    def option(self, option: Option, value: Any, where: str) -> Any:
        try:
            return option.read(value, shown)
        except OptionError as error:
            self.fail(f"{where}.{option.name}", str(error))

    def claims(self) -> tuple[Claim, ...]:
        tables = self.table.get("claims", [])
        if not isinstance(tables, list):
            self.fail("claims", "wanted [[claims]] tables")
        return tuple(self.claim(t, f"claims[{i}]") for i, t in enumerate(tables))

    def aliases(self) -> dict[str, str]:
        """What documents call a step, and its address: ``attn = "A"``."""
        table = self.table.get("aliases", {})
        if not isinstance(table, dict):
            self.fail("aliases", f'wanted a table such as attn = "A", got {shown(table)}')
        for name, address in table.items():
            if not isinstance(address, str):
                self.fail(f"aliases.{name}", f'wanted an address such as "A", got {shown(address)}')
        return dict(table)

    def properties(self) -> tuple[Stated, ...]:
        """What it states of its model: names of steps or functions on both sides."""
        tables = self.table.get("properties", [])
        if not isinstance(tables, list):
            self.fail("properties", "wanted [[properties]] tables")
        return tuple(self.property(t, f"properties[{i}]") for i, t in enumerate(tables))

    def property(self, table: Any, where: str) -> Stated:
        if not isinstance(table, dict):
            self.fail(where, f"wanted a table, got {shown(table)}")
        texts = ("title", "latex", "source")
        self.known_keys(table, ("lhs", "rhs", "with", "holds", "symbolic", *texts), where)
        own = Table(f"{self.name}: {where}", table)
        sides = {}
        for key in ("lhs", "rhs"):
            if key not in table:
                self.fail(where, f"{key} is missing; wanted a step, a function, or a number")
            number = isinstance(table[key], int | Decimal) and not isinstance(table[key], bool)
            sides[key] = str(plain(table[key])) if number else own.string(key, "")
        arguments = self.subtable(table.get("with", {}), f"{where}.with")
        for name, step in arguments.items():
            if not isinstance(step, str):
                self.fail(f"{where}.with.{name}", f'wanted a step such as "A", got {shown(step)}')
        said = {key: own.string(key, "") for key in texts}
        try:
            authored(f"{said['title']} ${said['latex']}$")
        except SymattnError as error:
            self.fail(where, str(error))
        from symattn.properties.own import Stated  # not for specs that state nothing

        return Stated(
            **sides,
            **{key: " ".join(text.split()) for key, text in said.items()},
            arguments=dict(arguments),
            claimed=own.flag("holds") if "holds" in table else True,
            symbolic=own.addresses("symbolic") if "symbolic" in table else None,
        )

    def claim(self, table: Any, where: str) -> Claim:
        if not isinstance(table, dict):
            self.fail(where, f"wanted a table, got {shown(table)}")
        self.known_keys(table, ("at", "value", "printed"), where)
        if ("at" in table) == ("value" in table):
            self.fail(where, "wanted either at = an address, or value = an exact number")
        if "printed" not in table:
            self.fail(where, "printed is missing; wanted the number as it was printed")
        printed = _strings(table["printed"])
        for item in np.array(printed, dtype=object).flat if _even(printed) else [None]:
            if item is None or not _is_decimal(item):
                self.fail(f"{where}.printed", f"wanted decimals in even rows, got {shown(item)}")
        if "value" in table:
            if not isinstance(printed, str):
                self.fail(f"{where}.printed", f"wanted one decimal, got {shown(printed)}")
            try:
                return Claim(
                    printed, value=exact(str(table["value"])), value_text=str(table["value"])
                )
            except LiteralError as error:
                self.fail(f"{where}.value", str(error))
        if not isinstance(table["at"], str):
            self.fail(
                f"{where}.at", f'wanted an address such as "A[1,0]", got {shown(table["at"])}'
            )
        try:
            split_address(table["at"])
        except SymattnError as error:
            self.fail(f"{where}.at", str(error))
        return Claim(printed, at=table["at"])


def _names(value: Exact) -> bool:
    if isinstance(value, Apply):
        return any(map(_names, value.args))
    return isinstance(value, Name)


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
