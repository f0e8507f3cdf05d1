"""The plugin of mystmd: JSON in, nodes out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import symattn as sa
from symattn import myst
from symattn.equations import equation

SPECS = Path(__file__).parent / "specs"


def ran(*words: str, data: Any = None, folder: Path = SPECS) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "symattn.myst", *words], input=json.dumps(data), cwd=folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def texts(nodes: list[dict[str, Any]]) -> Iterator[str]:
    for node in nodes:
        if node["type"] == "text":
            yield node["value"]
        yield from texts(node.get("children", []))


def test_it_says_what_it_has() -> None:
    offer = json.loads(ran("--spec", "article").stdout)
    assert [d["name"] for d in offer["directives"]] == ["symattn"]
    assert [r["name"] for r in offer["roles"]] == ["symattn-value"]


def test_directives_and_roles_answer_with_values(article: sa.Derivation) -> None:
    data = {"name": "symattn", "arg": "A", "options": {"digits": "4"}}
    first, *names = json.loads(ran("--directive", "symattn", data=data).stdout)
    assert first == {"type": "math", "value": equation(article.with_digits(4)["A"])}
    assert [node["type"] for node in names] == ["math"]
    found = ran("--role", "symattn-value", data={"body": "A[1,1] 5"})
    assert json.loads(found.stdout) == [{"type": "text", "value": "0.64428"}]
    found = ran("--role", "symattn-value", "--spec", "article-encoder", data={"body": "A[1,1]"})
    assert list(texts(json.loads(found.stdout))) == [
        sa.load("article-encoder")["A"][1, 1].decimal(2)
    ]


def test_the_lines_of_a_body_are_commands() -> None:
    body = "show S Z\nS[1,2]\n\nprobabilities P\nsteps\nverified\nproperties softmax\nmap"
    nodes = myst.directive({"body": body}, "article")
    assert {node["type"] for node in nodes} == {"paragraph", "list", "math", "table"}
    tables = [node for node in nodes if node["type"] == "table"]
    assert "chases" in list(texts(tables)) and len(tables) == 2
    assert all(cell["header"] for cell in tables[0]["children"][0]["children"])
    assert any(node["type"] == "details" for node in myst.directive({"arg": "show *"}, "gpt2"))


def test_hostile_text_is_a_text_node() -> None:
    data = {"arg": "probabilities P", "options": {"spec": str(SPECS / "hostile.toml")}}
    found = list(texts(myst.directive(data, "article")))
    assert "<img src=x onerror=alert(1)>" in found and "a|b `c` $d$" in found


@pytest.mark.parametrize("arg", ["Nope", "shw A", "A[9,9]", "show Q*Q"])
def test_what_is_not_there_is_an_error_with_a_status(arg: str) -> None:
    done = ran("--directive", "symattn", data={"arg": arg})
    assert done.returncode == 1 and done.stderr.startswith("symattn: ") and not done.stdout


@pytest.mark.render
@pytest.mark.once
@pytest.mark.skipif(shutil.which("myst") is None, reason="mystmd is not installed")
def test_mystmd_takes_it(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.sh"
    plugin.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symattn.myst "$@"\n', "utf-8")
    plugin.chmod(0o755)
    (tmp_path / "myst.yml").write_text(
        "version: 1\nproject:\n  plugins:\n    - type: executable\n      path: plugin.sh\n", "utf-8"
    )
    page = "---\nexports:\n  - format: md\n    output: out.md\n---\n# Page\n\nThat {symattn-value}`A[1,1]`.\n"
    (tmp_path / "index.md").write_text(page, "utf-8")
    done = subprocess.run(
        ["myst", "build", "--md"], cwd=tmp_path, env={**os.environ, "CI": "1"},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert "That 0.64." in (tmp_path / "out.md").read_text("utf-8"), done.stdout
