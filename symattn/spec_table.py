"""A TOML table read key by key: every mistake says what was wanted, what came, and where."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from symattn.errors import SpecError, SymattnError, nearest
from symattn.graph import Array
from symattn.literals import Exact, exact_array


class Decimal(str):
    """A TOML float as it was written: 0.2 is 1/5, whatever a binary float makes of it."""


class Table:
    """The top table of a spec."""

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        self.name = name
        self.table = table

    def fail(self, where: str, message: str) -> NoReturn:
        raise SpecError(f"{self.name}: {where}: {message}")

    def known_keys(self, table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        for key in table:
            if key not in known:
                place = f"{where}.{key}" if where else key
                self.fail(place, f"unknown key{nearest(key, known)}; known are {', '.join(known)}")

    def string(self, key: str, default: str) -> str:
        value = self.table.get(key, default)
        if not isinstance(value, str) or isinstance(value, Decimal):
            self.fail(key, f"wanted a string in quotes, got {shown(value)}")
        return value

    def choice(self, key: str, known: Sequence[str], default: str | None) -> str:
        value = self.table.get(key, default)
        if value is None:
            self.fail(key, f"missing; wanted one of {', '.join(word for word in known if word)}")
        return self.word(value, known, key)

    def word(self, value: Any, known: Sequence[str], where: str) -> str:
        if not isinstance(value, str) or value not in known:
            hint = nearest(value, known) if isinstance(value, str) else ""
            words = ", ".join(word for word in known if word)
            self.fail(where, f"wanted one of {words}, got {shown(value)}{hint}")
        return value

    def flag(self, key: str) -> bool:
        return self.true_or_false(self.table[key], key)

    def true_or_false(self, value: Any, where: str) -> bool:
        if not isinstance(value, bool):
            self.fail(where, f"wanted true or false, got {shown(value)}")
        return value

    def count(self, key: str, least: int = 1) -> int:
        return self.whole(self.table[key], key, least)

    def whole(self, value: Any, where: str, least: int, most: int = 1_000_000) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.fail(where, f"wanted a whole number from {least} to {most}, got {shown(value)}")
        return value

    def counts(self, key: str, least: int = 0) -> tuple[int, ...]:
        value = self.table[key]
        if not isinstance(value, list):
            self.fail(key, f"wanted a list of whole numbers, got {shown(value)}")
        return tuple(self.whole(v, f"{key}[{i}]", least) for i, v in enumerate(value))

    def words(self, key: str) -> tuple[str, ...] | None:
        value = self.table.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(type(w) is str for w in value):
            self.fail(key, f"wanted a list of strings, got {shown(value)}")
        if not value:
            self.fail(key, "wanted at least one, got an empty list")
        return tuple(unicodedata.normalize("NFC", str(w)) for w in value)

    def addresses(self, key: str) -> tuple[str, ...]:
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(w, str) for w in value):
            self.fail(key, f'wanted a list of addresses such as "W_1[0,1]", got {shown(value)}')
        return tuple(value)

    def subtable(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(where, f"wanted a table, got {shown(value)}")
        return value

    def exact(self, value: Any, where: str, names: Mapping[str, Exact] | None = None) -> Array:
        try:
            return exact_array(plain(value), where, names=names)
        except SymattnError as error:
            raise SpecError(f"{self.name}: {error}") from None


def plain(value: Any) -> Any:
    """TOML's numbers as exact literals: underscores go, everything else stays text."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, Decimal):
        return value.replace("_", "").lstrip("+")
    return value


def shown(value: Any) -> str:
    """A value as a message quotes it."""
    is_text = isinstance(value, str) and not isinstance(value, Decimal)
    text = repr(str(value)) if is_text else str(value)
    return text if len(text) <= 60 else text[:57] + "…"
