"""Parameter counts, FLOPs and caches: published counts, weights, and traced graphs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from click.testing import CliRunner

from symattn import cli
from symattn.errors import OptionError
from symattn.language import language_model
from symattn.pretrained.architecture import read_config
from symattn.pretrained.counting import Count, letter
from symattn.trace import trace

CASES = json.loads((Path(__file__).parent / "cases" / "parameters.json").read_text("utf-8"))
NAMES = [name for name in CASES if not name.startswith("_")]

KEYS = {
    "gpt2": {
        "vocab": "vocab_size", "positions": "n_positions", "d_model": "n_embd", "layers": "n_layer",
        "heads": "n_head", "d_ff": "n_inner", "tied": "tie_word_embeddings",
    },
    "bert": {
        "vocab": "vocab_size", "positions": "max_position_embeddings",
        "token_types": "type_vocab_size", "d_model": "hidden_size", "layers": "num_hidden_layers",
        "heads": "num_attention_heads", "d_ff": "intermediate_size",
    },
    "llama": {
        "vocab": "vocab_size", "d_model": "hidden_size", "layers": "num_hidden_layers",
        "heads": "num_attention_heads", "kv_heads": "num_key_value_heads",
        "d_ff": "intermediate_size", "tied": "tie_word_embeddings",
    },
}  # fmt: skip


def table(name: str) -> dict[str, Any]:
    """A published model as its config.json says it."""
    case = CASES[name]
    keys = KEYS[case["family"]]
    return {"model_type": case["family"]} | {keys[k]: v for k, v in case.items() if k in keys}


def count(name: str) -> Count:
    return Count(read_config(table(name)))


@pytest.mark.parametrize("name", NAMES)
def test_published_counts(name: str) -> None:
    found = count(name)
    assert found.total.value == CASES[name]["parameters"]
    assert sum(part.value for part in found.parts) == found.total.value


def test_tied_and_untied_are_both_said() -> None:
    """The embeddings of tied weights count once."""
    tied, untied = count("gpt2"), count("gpt2-untied")
    assert tied.tied.value == untied.tied.value == CASES["gpt2"]["parameters"]
    assert tied.untied.value == untied.untied.value == CASES["gpt2-untied"]["parameters"]


def test_heads_do_not_change_the_count_where_they_share_d_model() -> None:
    counts = {
        Count(read_config({**table("gpt2"), "n_embd": 512, "n_head": h})).part("attention").value
        for h in (1, 2, 4, 8, 16, 32)
    }
    assert len(counts) == 1
    attention = count("gpt2").part("attention").formula
    assert letter("h") not in attention.free_symbols
    given = {
        **table("llama-2-7b"),
        "hidden_size": 512,
        "num_attention_heads": 8,
        "num_key_value_heads": 8,
    }
    by_d_k = [
        Count(read_config({**given, "head_dim": d_k})).part("attention").value
        for d_k in (16, 32, 64)
    ]
    assert len(set(by_d_k)) == 3


@pytest.mark.parametrize("letters", [("d",), ("V", "d", "L", "h", "d_ff"), ("L",)])
def test_letters_stay(letters: tuple[str, ...]) -> None:
    found = count("mistral-7b-v0.1")
    for quantity in (
        *found.parts,
        found.total,
        found.flops,
        found.cache("float16"),
        found.memory("int8"),
    ):
        kept = quantity.kept(letters)
        assert {str(s) for s in kept.free_symbols} <= set(letters)
        put = {letter(k): found.values[k] for k in letters}
        assert kept.subs(put) == quantity.value


def test_flops_are_those_of_the_graph() -> None:
    """Of every matrix product of the model that examples are derived with.

    With grouped heads that repeats keys and values, which nobody counts.
    """
    n = 5
    config = {
        "model_type": "llama", "vocab_size": 11, "hidden_size": 8, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 6,
    }  # fmt: skip
    architecture = read_config(config)
    found = Count(architecture, n)
    shapes = {
        name: tuple(int(np.prod([architecture.sizes[a] for a in axis.split("*")])) for axis in axes)
        for part in architecture.parts().values()
        for name, axes in part.items()
    }
    options = {"tokens": list(range(n)), "config": architecture.config}
    graph = trace(language_model, {**shapes, "eps": ()}, options)
    flops = 0
    for node in graph.nodes:
        if node.op == "matmul":
            left, right = (graph.nodes[i].shape for i in node.inputs)
            flops += 2 * left[0] * left[1] * right[1]
    assert found.flops.value * n == flops


def test_cache_is_that_of_the_graph() -> None:
    found = count("mistral-7b-v0.1")
    assert found.cache("float16").value == 32 * 8 * (128 + 128) * 2
    assert found.cache("float16").formula == sympy.sympify(
        "4*L*d*h_kv/h", {k: letter(k) for k in ("L", "d", "h", "h_kv")}
    )


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli.main, ["params", *words])
    return done.exit_code, done.output


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(table("gpt2")), "utf-8")
    status, text = run(str(path))
    assert status == 0
    rows = {line[:24].strip(): line for line in text.splitlines()[3:]}
    assert rows["tied"].endswith("124,439,808")
    assert rows["untied"].endswith("163,037,184")
    status, text = run(str(tmp_path), "--symbolic", "d,L", "--format", "latex")
    assert status == 0
    assert r"$4 L d^{2} + 4 L d$" in text
    found = json.loads(run(str(path), "--json", "--context", "10")[1])
    assert found["sizes"]["n"] == 10
    assert {q["name"]: q["value"] for q in found["quantities"]}["total"] == 124439808
    assert run(str(path), "--format", "markdown")[0] == 0


def test_letters_that_there_are_not() -> None:
    with pytest.raises(
        OptionError, match="wanted letters among V, d, L, h, d_ff, n_pos, n, got 'x'"
    ):
        count("gpt2").checked(["x"])
