"""A Jupyter notebook's texts, each with the way back into the file's JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from symattn.claims.reading.document import Document
from symattn.claims.reading.mapped import Mapped
from symattn.errors import DocumentError

Flavour = Literal["markdown", "latex", "html", "code"]

_TOKEN = re.compile(r'[{}\[\]:,]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}\[\]:,"]+')
_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u.{4}|\\.")

#: Outputs say the same in several formats; the first that holds a matrix is read.
FORMATS: tuple[tuple[str, Flavour], ...] = (
    ("text/markdown", "markdown"),
    ("text/latex", "latex"),
    ("text/html", "html"),
    ("text/plain", "code"),
)


@dataclass(frozen=True)
class CellText:
    """One text of a notebook.

    Attributes:
        text: decoded, with the way back.
        flavour: how it is read.
        before: for an output, the source that printed it.
        alternatives: for an output, its number among those of which one is read, else None.
    """

    text: Mapped
    flavour: Flavour
    before: str = ""
    alternatives: int | None = None


@dataclass(frozen=True)
class _String:
    """A JSON string's place in the file, quotation marks not included."""

    start: int
    end: int


def texts_of(document: Document) -> list[CellText]:
    """Every source and every text output of a notebook, in order.

    Raises:
        DocumentError: the file is no JSON, or JSON without a list of cells.
    """
    name = document.path or "the notebook"
    raw = document.text
    try:
        json.loads(raw.removeprefix("\ufeff"))
    except RecursionError:
        raise DocumentError(
            f"{name}: wanted a notebook, got JSON that is nested too deep"
        ) from None
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        why = getattr(error, "msg", str(error))
        raise DocumentError(f"{name}:{line}: wanted a notebook's JSON, got: {why}") from None
    tree = _located(raw)
    cells = tree.get("cells") if isinstance(tree, dict) else None
    if not isinstance(cells, list):
        raise DocumentError(f'{name}: wanted a notebook with "cells" (nbformat 4), found none')
    found: list[CellText] = []
    for index, cell in enumerate(cells):
        if isinstance(cell, dict):
            found.extend(_cell_texts(raw, cell, index * 100_000))
    return found


def _cell_texts(raw: str, cell: dict[str, Any], number: int) -> list[CellText]:
    source = _mapped(raw, cell.get("source"))
    is_code = _plain(raw, cell.get("cell_type")) == "code"
    found = [CellText(source, "code" if is_code else "markdown")] if source.text else []
    outputs = cell.get("outputs")
    # What a cell prints comes from its statements, its result from the last line.
    *statements, last = source.text.rstrip().split("\n")
    printing = source.text if last.startswith("print") else "\n".join(statements)
    for i, output in enumerate(outputs if isinstance(outputs, list) else []):
        if not isinstance(output, dict):
            continue
        if "text" in output:
            found.append(CellText(_mapped(raw, output["text"]), "code", printing))
        data = output.get("data")
        is_result = _plain(raw, output.get("output_type")) == "execute_result"
        if isinstance(data, dict):
            before = last if is_result else source.text
            for name, flavour in FORMATS:
                if name in data:
                    text = _mapped(raw, data[name])
                    found.append(CellText(text, flavour, before, number + i))
    return found


def _plain(raw: str, value: Any) -> str:
    return raw[value.start : value.end] if isinstance(value, _String) else ""


def _mapped(raw: str, value: Any) -> Mapped:
    """A JSON string, or the strings of a list joined, decoded."""
    strings = value if isinstance(value, list) else [value]
    pieces: list[tuple[str, int, int]] = []
    for string in strings:
        if not isinstance(string, _String):
            continue
        at = string.start
        for escape in _ESCAPE.finditer(raw, string.start, string.end):
            pieces.append((raw[at : escape.start()], at, escape.start()))
            pieces.append((json.loads(f'"{escape[0]}"'), escape.start(), escape.end()))
            at = escape.end()
        pieces.append((raw[at : string.end], at, string.end))
    return Mapped(pieces)


def _located(raw: str) -> Any:
    """Valid JSON with every string replaced by its place; other scalars become None."""
    root: list[Any] = []
    stack: list[Any] = [root]
    keys: list[str] = []
    expects_key = [False]
    for token in _TOKEN.finditer(raw, 1 if raw.startswith("\ufeff") else 0):
        text = token[0]
        if text in "}]":
            stack.pop()
            expects_key.pop()
        elif text == ",":
            expects_key[-1] = isinstance(stack[-1], dict)
        elif text == ":":
            expects_key[-1] = False
        elif expects_key[-1]:
            keys.append(json.loads(text))
        else:
            value: Any = None
            if text in "{[":
                value = {} if text == "{" else []
            elif text[0] == '"':
                value = _String(token.start() + 1, token.end() - 1)
            if isinstance(stack[-1], dict):
                stack[-1][keys.pop()] = value
            else:
                stack[-1].append(value)
            if text in "{[":
                stack.append(value)
                expects_key.append(text == "{")
    return root[0]
