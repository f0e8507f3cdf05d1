"""Trained models from their files: layouts, certified values, and files that cannot be used."""

from __future__ import annotations

import json
import struct
from fractions import Fraction
from pathlib import Path
from typing import Any

import math_core
import mpmath
import numpy as np
import pytest
from click.testing import CliRunner

import symattn as sa
from symattn import cli, progress
from symattn.errors import AddressError, ModelError, OptionError
from symattn.language import language_model
from symattn.numbers.ball import Ball
from symattn.pretrained.architecture import read_config
from symattn.pretrained.certificate import BALLS, certify
from symattn.pretrained.forward import Forward
from symattn.pretrained.looking import look
from symattn.pretrained.names import place
from symattn.pretrained.piece import piece
from symattn.pretrained.tensors import Tensors
from symattn.pretrained.weights import Weights
from symattn.progress import Work

safetensors = pytest.importorskip(
    "safetensors.numpy", reason="safetensors is missing: pip install 'symattn[models]'"
)

TOKENS = (3, 0, 7, 7, 2)
CONFIGS: dict[str, dict[str, Any]] = {
    "bert": {
        "model_type": "bert", "vocab_size": 11, "hidden_size": 4, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 6, "max_position_embeddings": 8,
    },
    "gpt2": {
        "model_type": "gpt2", "vocab_size": 11, "n_embd": 4, "n_layer": 2, "n_head": 2,
        "n_inner": 6, "n_positions": 8,
    },
    "llama": {
        "model_type": "llama", "vocab_size": 11, "hidden_size": 8, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 6,
        "rope_theta": 100.0,
    },
    "qwen2": {
        "model_type": "qwen2", "vocab_size": 11, "hidden_size": 8, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 6,
        "tie_word_embeddings": True, "use_sliding_window": True, "sliding_window": 3,
        "max_window_layers": 1,
    },
    "mistral": {
        "model_type": "mistral", "vocab_size": 11, "hidden_size": 8, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 6, "head_dim": 4,
        "sliding_window": 3,
    },
}  # fmt: skip


def tensors(table: dict[str, Any], dtype: Any = np.float32) -> dict[str, np.ndarray]:
    """Random weights under the names and in the layout of the family's files."""
    architecture = read_config(table)
    rng = np.random.default_rng(3)
    found: dict[str, np.ndarray] = {}
    for part in architecture.parts().values():
        for name, axes in part.items():
            if name in ("W_pool", "b_pool"):
                continue
            shape = [
                int(np.prod([architecture.sizes[a] for a in axis.split("*")]))
                for axis in axes
                if axis != "N"
            ]
            for i in range(architecture.sizes["N"]) if axes[0] == "N" else (None,):
                where = place(architecture, name, i)
                size = where.shape(tuple(shape))
                around = 1 if name.startswith("gamma") else 0
                found[where.tensor] = (around + rng.normal(0, 0.4, size)).astype(dtype)
    return found


def saved(folder: Path, kind: str, dtype: Any = np.float32, **changes: Any) -> Path:
    table = {**CONFIGS[kind], **changes}
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(table), "utf-8")
    safetensors.save_file(tensors(table, dtype), folder / "model.safetensors")
    return folder


def tokenized(folder: Path) -> None:
    """A tokenizer beside a model: words by their spaces."""
    words = {w: i for i, w in enumerate(["?", "the", "cat", "chases", "mouse"])}
    table = {
        "version": "1.0", "truncation": {"max_length": 1, "stride": 0, "strategy": "LongestFirst",
        "direction": "Right"}, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": words, "unk_token": "?"},
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(table), "utf-8")


def states(folder: Path, bits: int = 192) -> tuple[Forward, Any]:
    forward = Forward(Weights(folder), TOKENS, {BALLS: Ball(bits)})
    for passed in forward.run():
        found = passed.result(BALLS)
    return forward, found


def in_one(weights: Weights) -> dict[str, Any]:
    """What `language_model` takes: every layer's weights on top of each other."""
    given = {
        name: np.stack([weights.array(name, i) for i in range(weights.architecture.sizes["N"])])
        for name in weights.of_layers
    }
    rest = ("W_vocab", "W_pos", "W_type", "W_U", "gamma_in", "beta_in", "gamma_out", "beta_out")
    given |= {name: weights.array(name) for name in rest if name in weights}
    given["eps"] = weights.architecture.eps
    if weights.architecture.base is not None:
        given["base"] = weights.architecture.base
    if "W_type" in given:
        given["types"] = (0,) * len(TOKENS)
    return given


@pytest.mark.parametrize("kind", CONFIGS)
def test_stages_are_the_model_that_examples_are_derived_with(kind: str, tmp_path: Path) -> None:
    folder = saved(tmp_path / kind, kind)
    forward, found = states(folder)
    weights = forward.weights
    whole = sa.derive(
        language_model, exact="binary", tokens=TOKENS, config=weights.architecture.config,
        **in_one(weights),
    )  # fmt: skip
    run = whole.running(Ball(192))
    last = [s for s in whole.steps if s.shape == found.shape and not s.given][-1]
    for ours, theirs in zip(found.balls(), run[last.node].balls(), strict=True):
        assert ours.overlaps(theirs)
        assert float(ours.rad()) < 1e-30
    if weights.architecture.unembeds:
        logits = forward.logits()[BALLS].balls()
        wanted = run[whole.step("logits").node].balls()[-len(logits) :]
        assert all(a.overlaps(b) for a, b in zip(logits, wanted, strict=True))


# A second implementation, in mpmath.


def mp_bert(folder: Path) -> list[list[Any]]:
    """BERT's states, entry by entry, at 60 digits."""
    table = json.loads((folder / "config.json").read_text("utf-8"))
    t = {
        k: mpmath.matrix(v.astype(float).tolist())
        for k, v in safetensors.load_file(folder / "model.safetensors").items()
    }
    d, h, n = table["hidden_size"], table["num_attention_heads"], len(TOKENS)
    eps = mpmath.mpf("1e-12")

    def norm(x: Any, prefix: str) -> Any:
        out = mpmath.matrix(n, d)
        for i in range(n):
            mean = mpmath.fsum(x[i, j] for j in range(d)) / d
            var = mpmath.fsum((x[i, j] - mean) ** 2 for j in range(d)) / d
            for j in range(d):
                hat = (x[i, j] - mean) / mpmath.sqrt(var + eps)
                out[i, j] = hat * t[prefix + ".weight"][j] + t[prefix + ".bias"][j]
        return out

    def linear(x: Any, prefix: str) -> Any:
        y = x * t[prefix + ".weight"].T
        return mpmath.matrix(y.rows, y.cols) + mpmath.matrix(
            [[y[i, j] + t[prefix + ".bias"][j] for j in range(y.cols)] for i in range(y.rows)]
        )

    e = "embeddings."
    x = mpmath.matrix(n, d)
    for i, token in enumerate(TOKENS):
        for j in range(d):
            x[i, j] = (
                t[e + "word_embeddings.weight"][token, j]
                + t[e + "position_embeddings.weight"][i, j]
                + t[e + "token_type_embeddings.weight"][0, j]
            )
    x = norm(x, e + "LayerNorm")
    for layer in range(table["num_hidden_layers"]):
        p = f"encoder.layer.{layer}."
        q, k, v = (linear(x, f"{p}attention.self.{name}") for name in ("query", "key", "value"))
        size = d // h
        out = mpmath.matrix(n, d)
        for head in range(h):
            columns = range(head * size, (head + 1) * size)
            for i in range(n):
                scores = [
                    mpmath.fsum(q[i, c] * k[m, c] for c in columns) / mpmath.sqrt(size)
                    for m in range(n)
                ]
                powers = [mpmath.exp(s) for s in scores]
                total = mpmath.fsum(powers)
                for c in columns:
                    out[i, c] = mpmath.fsum(powers[m] / total * v[m, c] for m in range(n))
        x = norm(x + linear(out, p + "attention.output.dense"), p + "attention.output.LayerNorm")
        u = linear(x, p + "intermediate.dense").apply(
            lambda z: z * (1 + mpmath.erf(z / mpmath.sqrt(2))) / 2
        )
        x = norm(x + linear(u, p + "output.dense"), p + "output.LayerNorm")
    return x.tolist()


def test_every_certified_digit_against_mpmath(tmp_path: Path) -> None:
    folder = saved(tmp_path / "bert", "bert")
    digits = 40
    found = certify(Weights(folder), TOKENS, digits=digits)
    with mpmath.workdps(digits + 20):
        rows = mp_bert(folder)
        mean = [mpmath.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
        length = mpmath.sqrt(mpmath.fsum(x * x for x in mean))
        for text, x in zip(found.vector, mean, strict=True):
            assert abs(mpmath.mpf(text) - x / length) <= mpmath.mpf(10) ** -digits / 2
            assert len(text.partition(".")[2]) == digits


def test_precision_is_found(tmp_path: Path) -> None:
    """Too few bits are found out on the way, and the digits stay the same."""
    weights = Weights(saved(tmp_path / "bert", "bert"))
    found = certify(weights, TOKENS, digits=30)
    more = certify(weights, TOKENS, digits=30, bits=512)
    assert found.vector == more.vector
    few = certify(weights, TOKENS, digits=30, bits=64)
    assert all(x.endswith("?") for x in few.vector)
    proven = [x.rstrip("?") for x in few.vector]
    assert any(proven)
    for short, whole in zip(proven, found.vector, strict=True):
        places = len(short.partition(".")[2])
        assert not short or abs(Fraction(short) - Fraction(whole)) <= Fraction(1, 10**places)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, "bfloat16"])
def test_every_type_of_weights(dtype: Any, tmp_path: Path) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    folder = saved(
        tmp_path / "m", "gpt2", getattr(ml_dtypes, dtype) if isinstance(dtype, str) else dtype
    )
    found = certify(Weights(folder), TOKENS)
    total = sum(Fraction(w.decimal) for w in found.words)
    assert found.predicted == found.words[0].token
    assert 0 < total < 1


def test_shards_and_a_prefix(tmp_path: Path) -> None:
    folder = saved(tmp_path / "llama", "llama")
    whole = safetensors.load_file(folder / "model.safetensors")
    _, wanted = states(folder)
    (folder / "model.safetensors").unlink()
    named = {k if k.startswith("lm_head") else f"model.{k}": v for k, v in whole.items()}
    names = sorted(named)
    shards = {"a.safetensors": names[::2], "b.safetensors": names[1::2]}
    for shard, some in shards.items():
        safetensors.save_file({k: named[k] for k in some}, folder / shard)
    index = {"weight_map": {k: shard for shard, some in shards.items() for k in some}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")
    _, found = states(folder)
    assert str(found.matrix) == str(wanted.matrix)


# Files that cannot be used.


def refusal(folder: Path) -> str:
    with pytest.raises((ModelError, OptionError)) as error:
        certify(Weights(folder), TOKENS)
    return str(error.value)


def test_files_that_are_no_weights(tmp_path: Path) -> None:
    folder = saved(tmp_path / "m", "bert")
    file = folder / "model.safetensors"
    good = file.read_bytes()
    huge = json.dumps(
        {"x": {"dtype": "F32", "shape": [10**10], "data_offsets": [0, 4 * 10**10]}}
    ).encode()
    for bad in (
        b"", b"abc", good[:-1], good[: len(good) // 2], good + b"\0", b"\x80\x04\x95pickle" * 9,
        struct.pack("<Q", 10**10) + b"{}", struct.pack("<Q", len(huge)) + huge,
        struct.pack("<Q", 2) + b"[]", struct.pack("<Q", 9) + b'{"a":1.5}',
    ):  # fmt: skip
        file.write_bytes(bad)
        assert "not a safetensors file" in refusal(folder)
    file.unlink()
    assert "wanted model.safetensors in it" in refusal(folder)
    assert refusal(folder / "nothing").endswith("nothing: no such file or directory")
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04")
    assert "wanted model.safetensors in it" in refusal(folder)
    assert "can run code and are not opened" in refusal(folder / "pytorch_model.bin")
    index = folder / "model.safetensors.index.json"
    index.write_text('{"weight_map": {"x": "../../secret.safetensors"}}', "utf-8")
    assert "wanted the names of files beside it, got '../../secret.safetensors'" in refusal(folder)
    index.write_text("[" * 100_000, "utf-8")
    assert "wanted an index with weight_map" in refusal(folder)


def test_tensors_that_do_not_fit(tmp_path: Path) -> None:
    folder = saved(tmp_path / "m", "bert")
    good = safetensors.load_file(folder / "model.safetensors")
    name = "encoder.layer.1.output.dense.weight"

    def changed(value: Any) -> str:
        some = (
            {**good, name: value}
            if value is not None
            else {k: v for k, v in good.items() if k != name}
        )
        safetensors.save_file(some, folder / "model.safetensors")
        return refusal(folder)

    assert changed(None).endswith(f"no tensor {name}")
    message = changed(good[name].T.copy())
    assert f"{name}: wanted shape (4, 6), as config.json has it, got (6, 4)" in message
    assert "wanted F64, F32, F16, BF16, got I64" in changed(np.zeros((4, 6), np.int64))
    bad = good[name].copy()
    bad[2, 5] = np.nan
    assert f"{name}[2,5]: wanted a finite number, got nan" in changed(bad)
    bad[2, 5] = -np.inf
    assert f"{name}[2,5]: wanted a finite number, got -inf" in changed(bad)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"model_type": "gpt3"},
            "model_type: wanted one of bert, gpt2, llama, mistral, qwen2, got 'gpt3', did you mean 'gpt2'?",
        ),
        ({"model_type": None}, "model_type: wanted one of"),
        ({"hidden_size": 5}, "hidden_size is 5 and is not divisible by num_attention_heads = 2"),
        ({"hidden_size": -4}, "hidden_size: wanted a whole number from 1 to 1,000,000,000, got -4"),
        ({"hidden_size": True}, "hidden_size: wanted a whole number"),
        ({"num_hidden_layers": 10**30}, "num_hidden_layers: wanted a whole number"),
        ({"hidden_act": "mish"}, "hidden_act: wanted one of gelu, gelu_new"),
        ({"layer_norm_eps": 0}, "layer_norm_eps: wanted a number above 0, got 0"),
        (
            {"position_embedding_type": "relative_key"},
            'position_embedding_type: wanted "absolute": anything else is not known here',
        ),
    ],
)
def test_configurations_that_cannot_be_used(
    changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    folder = saved(tmp_path / "m", "bert")
    path = folder / "config.json"
    path.write_text(json.dumps({**CONFIGS["bert"], **changes}), "utf-8")
    message = refusal(folder)
    assert said in message
    assert str(path) in message


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '"x"', "[" * 100_000, '{"model_type": "bert", "layer_norm_eps": NaN}',
             '{"model_type": "bert", "layer_norm_eps": 1e999999999}'],
)  # fmt: skip
def test_configurations_that_are_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text, "utf-8")
    with pytest.raises(ModelError, match=r"config\.json"):
        read_config(tmp_path)


def test_llama_with_what_is_not_known() -> None:
    table = CONFIGS["llama"]
    for changes, said in (
        ({"rope_scaling": {"type": "linear", "factor": 2}}, "rope_scaling: wanted null"),
        ({"rope_parameters": {"rope_type": "yarn"}}, "rope_parameters: wanted rope_type 'default'"),
        (
            {"num_key_value_heads": 3},
            "num_attention_heads is 4 and is not divisible by num_key_value_heads = 3",
        ),
        (
            {"vocab_size": None},
            "vocab_size: wanted a whole number from 1 to 1,000,000,000, got None",
        ),
    ):
        with pytest.raises(ModelError) as error:
            read_config({**table, **changes})
        assert said in str(error.value)


def test_tokens_that_cannot_be_used(tmp_path: Path) -> None:
    weights = Weights(saved(tmp_path / "m", "bert"))
    for tokens, said in (
        ((), "wanted at least one, got none"),
        ((3, 11), "wanted numbers from 0 to 10, got 11"),
        ((1,) * 9, "wanted at most 8, for which the model has positions, got 9"),
    ):
        with pytest.raises(ModelError, match="tokens") as error:
            certify(weights, tokens)
        assert said in str(error.value)
    for options in ({"digits": 0}, {"digits": 2000}, {"bits": 8}, {"bits": 10**6}):
        with pytest.raises(OptionError):
            certify(weights, TOKENS, **options)


def test_only_the_rows_that_are_wanted_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = Weights(saved(tmp_path / "m", "bert"))
    read: list[tuple[str, Any]] = []
    whole = Tensors.array

    def watched(self: Tensors, name: str, rows: Any = None) -> Any:
        read.append((name, rows))
        return whole(self, name, rows)

    monkeypatch.setattr(Tensors, "array", watched)
    certify(weights, TOKENS)
    rows = {name: list(rows) for name, rows in read if rows is not None}
    assert rows["embeddings.word_embeddings.weight"] == [0, 2, 3, 7]
    assert rows["embeddings.position_embeddings.weight"] == [0, 1, 2, 3, 4]
    assert len(read) == len(set(map(str, read)))


# The commands.


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli.main, list(words))
    return done.exit_code, done.output


def test_a_pass_tells_of_its_stages(tmp_path: Path) -> None:
    weights = Weights(saved(tmp_path, "gpt2"))
    told: list[Work] = []

    class Watcher:
        def begun(self, work: Work) -> None:
            told.append(work)

        def ended(self, work: Work) -> None:
            pass

    with progress.watched(Watcher()):
        certify(weights, [1, 2], digits=5)
    stages = [work for work in told if work.what == "stage"]
    assert stages and stages[-1].done == stages[-1].total


def test_certify_prints_layers_and_digits(tmp_path: Path) -> None:
    folder = saved(tmp_path / "m", "gpt2")
    status, text = run(
        "certify", str(folder), "--ids", "3,0,7", "--digits", "20", "--inside", "--top", "2"
    )
    assert status == 0
    lines = text.splitlines()
    assert lines[0] == "3 tokens: 3 0 7"
    assert [line.split()[0] for line in lines if line.startswith("layer[")][:2] == [
        "layer[0]",
        "layer[1]",
    ]
    assert "its logit lies above all others, proven" in text
    status, text = run("certify", str(folder), "--ids", "3,0,7", "--json")
    found = json.loads(text)
    assert [t["id"] for t in found["tokens"]] == [3, 0, 7]
    assert found["predicted"] == found["words"][0]["token"]
    assert len(found["stages"]) == 4


def test_certify_refuses_calls(tmp_path: Path) -> None:
    folder = str(saved(tmp_path / "m", "gpt2"))
    for words in (
        ("--text", "a", "--ids", "1"),
        (),
        ("--ids", "1,x"),
        ("--ids", ""),
        ("--text", "a"),
    ):
        done = CliRunner().invoke(cli.main, ["certify", folder, *words])
        assert done.exit_code != 0


# One step, and pieces.


def test_a_step_with_its_words(tmp_path: Path) -> None:
    weights = Weights(saved(tmp_path / "m", "gpt2"))
    words = ("a", "b", "c", "d", "e")
    seen = look(weights, TOKENS, words, "layer[1].head[0].A", digits=12)
    assert seen.axes == (words, words)
    assert seen.source == "softmax(Z_masked)"
    decimals = seen.decimals(12)
    assert decimals[0].tolist() == ["1.000000000000", *["0.000000000000"] * 4]
    sums = [sum(Fraction(x) for x in row) for row in decimals]
    assert all(abs(s - 1) <= Fraction(5, 10**12) for s in sums)
    masked = look(weights, TOKENS, words, "layer[1].head[0].Z_masked").decimals(3)
    assert masked[0, 1] == "-oo"
    assert look(weights, TOKENS, words, "layer[0]").balls.shape == (5, 4)
    assert look(weights, TOKENS, words, "embedding.E").axes[0] == words
    P, found = look(weights, TOKENS, words, "P", digits=15), certify(weights, TOKENS)
    assert P.decimals(15)[found.predicted] == found.words[0].decimal


def test_steps_that_there_are_not(tmp_path: Path) -> None:
    weights = Weights(saved(tmp_path / "m", "bert"))
    words = tuple(map(str, TOKENS))
    for address, said in (
        ("layer[7].A", "a pass has the stages embedding, norm, layer[0], layer[1], sentence"),
        ("layer[0].B", "layer[0]: no step 'B'"),
        ("layer[0].A", "layer[0]: 'A' fits 2 steps"),
        ("P", "no step 'P'"),
        ("", "no step ''"),
    ):
        with pytest.raises(AddressError) as error:
            look(weights, TOKENS, words, address)
        assert said in str(error.value)


@pytest.mark.parametrize("kind", ["bert", "llama"])
def test_a_piece_is_a_spec_with_the_exact_weights(kind: str, tmp_path: Path) -> None:
    weights = Weights(saved(tmp_path / "m", kind))
    words = ('say "hi"', "\\", "<b>", "d\x7f", "e")
    made = piece(
        weights,
        TOKENS,
        words,
        "layer[1].head[1]",
        "tokens=0;3,dims=1:3" if kind == "bert" else "tokens=0;3,dims=0:2",
        digits=5,
    )
    (tmp_path / "piece.toml").write_text(made, "utf-8")
    d = sa.load(tmp_path / "piece.toml")
    dims = [1, 2] if kind == "bert" else [0, 1]
    features = [x for x in dims if x < 2]
    W = weights.array("W_K", 1)[1 if kind == "bert" else 0][np.ix_(dims, features)]
    assert [[float(x) for x in row] for row in d["W_K"].decimal(60)] == W.astype(float).tolist()
    exact = [[e.rational for e in row] for row in d["W_K"]]
    assert exact == [[Fraction(float(x)) for x in row] for row in W]
    read = look(weights, TOKENS, words, "layer[1].read", digits=5).decimals(5)
    assert d["E"].decimal(5) == read[np.ix_([0, 3], dims)].tolist()
    assert d["E"].axes[0] == ('say "hi"', "d\x7f")


def test_pieces_that_cannot_be_cut(tmp_path: Path) -> None:
    weights = Weights(saved(tmp_path / "m", "bert"))
    words = tuple(map(str, TOKENS))
    for take in (
        "",
        "tokens",
        "tokens=9",
        "tokens=0:9",
        "dims=0:2,dims=0:2",
        "tokens=0;0",
        "rows=1",
        "dims=2:4",
        "tokens=3:3",
    ):
        with pytest.raises(OptionError, match="--take"):
            piece(weights, TOKENS, words, "layer[0].head[0]", take)
    for address in ("layer[2].head[0]", "layer[0].head[2]", "A", "layer[0]"):
        with pytest.raises(
            AddressError, match=r"wanted a head from layer\[0\]\.head\[0\] to layer\[1\]\.head\[1\]"
        ):
            piece(weights, TOKENS, words, address, "tokens=0:2,dims=0:2")


def test_show_of_a_model(tmp_path: Path) -> None:
    folder = str(saved(tmp_path / "m", "gpt2"))
    status, text = run("show", folder, "layer[0].head[1].A", "--ids", "3,0,7", "--digits", "3")
    assert status == 0
    assert text.splitlines()[0] == "layer[0].head[1].A = softmax(Z_masked)    (3 × 3)"
    assert text.splitlines()[1].split() == ["3", "0", "7"]
    found = json.loads(run("show", folder, "layer[0].F", "--ids", "3,0", "--json")[1])
    assert found["shape"] == [2, 4]
    status, text = run(
        "show", folder, "layer[0].head[1]", "--ids", "3,0,7", "--take", "tokens=0:2,dims=0:2"
    )
    assert status == 0
    assert text.startswith("# A piece of a trained model")
    assert run("show", "A", "--ids", "3")[0] == 2


def test_show_of_a_model_as_mathematics(tmp_path: Path) -> None:
    folder = str(saved(tmp_path / "m", "gpt2"))
    step = ("show", folder, "layer[0].head[1].A", "--ids", "3,0,7", "--digits", "3")
    rows = [line.split() for line in run(*step)[1].splitlines()[2:5]]
    status, latex = run(*step, "--format", "latex")
    assert status == 0
    assert latex.startswith(r"\texttt{layer[0].head[1].A} \approx \begin{array}{c|ccc}")
    for label, *decimals in rows:  # what the text has, signed in mathematics
        assert rf"\text{{{label}}} & {' & '.join(decimals)}" in latex
    status, markdown = run(*step, "--format", "markdown")
    assert status == 0
    assert markdown.strip() == f"```math\n{latex.strip()}\n```"
    math_core.LatexToMathML().convert_with_local_state(latex, displaystyle=True)


def test_minus_infinity_of_a_model_is_its_sign(tmp_path: Path) -> None:
    folder = str(saved(tmp_path / "m", "gpt2"))
    step = ("show", folder, "layer[0].head[1].Z_masked", "--ids", "3,0,7", "--digits", "3")
    latex = run(*step, "--format", "latex")[1]
    assert latex.count(r"-\infty") == 3
    assert "oo" not in latex


def test_a_text_by_the_tokenizer_of_the_model(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    folder = saved(tmp_path / "m", "gpt2")
    tokenized(folder)
    status, text = run("certify", str(folder), "--text", "the cat chases dogs")
    assert status == 0
    assert text.splitlines()[0] == "4 tokens: the cat chases ?"  # all of it: nothing is cut off
    (folder / "tokenizer.json").write_text("{}", "utf-8")
    done = CliRunner().invoke(cli.main, ["certify", str(folder), "--text", "the"])
    assert "not a tokenizer" in str(done.exception)


def test_a_heatmap_of_a_step(tmp_path: Path) -> None:
    folder = str(saved(tmp_path / "m", "gpt2"))
    path = tmp_path / "A.svg"
    step = ("layer[0].head[1].Z_masked", "--ids", "3,0,7", "--digits", "3")
    status, out = run("show", folder, *step, "-o", str(path))
    assert status == 0, out
    svg = path.read_text("utf-8")
    assert "layer[0].head[1].Z_masked as a heatmap" in svg
    assert svg.count("(masked)") == 3
    assert run("show", folder, *step, "--format", "svg", "--as", "arcs")[0] == 2
