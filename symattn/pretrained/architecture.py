"""What a ``config.json`` says a model is: sizes, choices, and its weights by our names.

The words of the files are those of Hugging Face's transformers. What would change the numbers
and is not known here is refused by name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from symattn import files
from symattn.config import OF_ATTENTION, OF_FFN, Config
from symattn.errors import ModelError, SymattnError, nearest
from symattn.literals import exact

#: A configuration is a few kilobytes.
MAX_BYTES = 10_000_000

#: No model has a size above this; what is larger is a slip, or meant to fill the memory.
MAX_SIZE = 10**9


@dataclass(frozen=True)
class Architecture:
    """A model without its weights.

    Attributes:
        family: ``"bert"``, ``"gpt2"`` or ``"llama"``; Mistral, Qwen2 and SmolLM are Llama's.
        sizes: by symbol: |V|, d_model, N, h, h_kv, d_k, d_v, d_ff, positions, types; 0 types
            or positions where there is no table of them.
        config: the choices of its layers.
        eps, base: of norms, and of RoPE's angles.
        tied: whether the logits are made by the embeddings' own matrix.
        biases: which of ``"QKV"``, ``"O"`` and ``"FFN"`` have one.
        pooler: whether BERT's pooler is among its weights.
        unembeds: whether it gives logits, and not only states.
    """

    family: str
    sizes: Mapping[str, int]
    config: Config
    eps: Fraction
    base: Fraction | None = None
    tied: bool = True
    biases: tuple[str, ...] = ()
    pooler: bool = False
    unembeds: bool = True

    @property
    def splits_d_model(self) -> bool:
        """Whether a head's dimension is d_model/h, as it mostly is."""
        return self.sizes["d_k"] * self.sizes["h"] == self.sizes["d_model"]

    def parts(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Its weights by part of the model, each with its axes; those of layers begin with N.

        >>> found = read_config({"model_type": "gpt2"})
        >>> {name: found.parts()["FFN"][name] for name in ("W_1", "b_1")}
        {'W_1': ('N', 'd_model', 'd_ff'), 'b_1': ('N', 'd_ff')}
        """
        gated = self.config.ffn in ("swiglu", "geglu")
        attention = [f"W_{x}" for x in "QKVO"]
        attention += [f"b_{x}" for x in "QKV"] * ("QKV" in self.biases)
        attention += ["b_O"] * ("O" in self.biases)
        ffn = ["W_1", "W_2", *["W_gate"] * gated]
        ffn += ["b_1", "b_2", *["b_gate"] * gated] * ("FFN" in self.biases)
        shifts = self.config.norm_kind == "layer"
        norms: dict[str, tuple[str, ...]] = {
            f"{letter}_{i}": ("N", "d_model")
            for i in (1, 2)
            for letter in (("gamma", "beta") if shifts else ("gamma",))
        }
        for place in ["in"] * self.config.norm_in + ["out"] * self.config.norm_out:
            norms |= {f"{x}_{place}": ("d_model",) for x in ("gamma", "beta")[: 1 + shifts]}
        embeddings: dict[str, tuple[str, ...]] = {"W_vocab": ("d_model", "|V|")}
        if self.sizes["positions"]:
            embeddings["W_pos"] = ("positions", "d_model")
        if self.sizes["types"]:
            embeddings["W_type"] = ("types", "d_model")
        found: dict[str, dict[str, tuple[str, ...]]] = {
            "embeddings": embeddings,
            "attention": {name: ("N", *OF_ATTENTION[name]) for name in attention},
            "FFN": {name: ("N", *OF_FFN[name]) for name in ffn},
            "norms": norms,
        }
        if self.pooler:
            found["pooler"] = {"W_pool": ("d_model", "d_model"), "b_pool": ("d_model",)}
        if self.unembeds:
            found["unembedding"] = {} if self.tied else {"W_U": ("d_model", "|V|")}
        if self.unembeds and self.family == "bert":
            found["unembedding"] |= {
                "W_T": ("d_model", "d_model"), "b_T": ("d_model",), "gamma_T": ("d_model",),
                "beta_T": ("d_model",), "b_U": ("|V|",),
            }  # fmt: skip
        return found


def read_config(source: Path | Mapping[str, Any]) -> Architecture:
    """Read a configuration: a file, a directory that has one, or what it holds.

    Raises:
        ModelError: it cannot be read, or says something that is not known here.
    """
    if isinstance(source, Mapping):
        return _architecture(source, "config")
    path = source / "config.json" if os.path.isdir(source) else source
    try:
        data = files.read(path, MAX_BYTES, ModelError, "a configuration")
        # Decimals stay what is written; transformers takes the float nearest to it.
        table = json.loads(data.decode("utf-8"), parse_float=_decimal, parse_constant=_decimal)
    except ModelError:
        raise
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: not valid JSON: {error}") from None
    if not isinstance(table, dict):
        raise ModelError(f"{path}: wanted a JSON object with model_type and sizes")
    return _architecture(table, str(path))


def _decimal(text: str) -> Fraction:
    value = exact(text)
    if not isinstance(value, Fraction):
        raise ValueError(f"wanted a decimal, got {text}")
    return value


def _architecture(table: Mapping[str, Any], where: str) -> Architecture:
    kind = table.get("model_type")
    if kind not in FAMILIES:
        known = ", ".join(FAMILIES)
        hint = nearest(kind, FAMILIES) if isinstance(kind, str) else ""
        raise ModelError(f"{where}: model_type: wanted one of {known}, got {kind!r}{hint}")
    try:
        return FAMILIES[kind](_Reader(table, where))
    except SymattnError as error:
        message = str(error)
        raise ModelError(message if where in message else f"{where}: {message}") from None


class _Reader:
    """The keys of a configuration, each checked as it is read."""

    def __init__(self, table: Mapping[str, Any], where: str) -> None:
        self.table = table
        self.where = where

    def fail(self, key: str, wanted: str) -> ModelError:
        return ModelError(f"{self.where}: {key}: wanted {wanted}, got {self.table.get(key)!r}")

    def size(self, key: str, default: int | None = None, least: int = 1) -> int:
        value = self.table.get(key)
        if value is None and default is not None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_SIZE:
            raise self.fail(key, f"a whole number from {least} to {MAX_SIZE:,}")
        return value

    def number(
        self, key: str, default: Fraction, table: Mapping[str, Any] | None = None
    ) -> Fraction:
        value = (self.table if table is None else table).get(key, default)
        if isinstance(value, float):
            value = Fraction(str(value))
        if isinstance(value, bool) or not isinstance(value, int | Fraction) or value <= 0:
            raise self.fail(key, "a number above 0")
        return Fraction(value)

    def flag(self, key: str, default: bool) -> bool:
        value = self.table.get(key, default)
        if not isinstance(value, bool):
            raise self.fail(key, "true or false")
        return value

    def word(self, key: str, default: str, known: Mapping[str, Any]) -> Any:
        value = self.table.get(key, default)
        if not isinstance(value, str) or value not in known:
            raise self.fail(key, f"one of {', '.join(known)}")
        return known[value]

    def only(self, key: str, *values: Any) -> None:
        """Refuse a key that changes the numbers in a way that is not known here."""
        if key in self.table and self.table[key] not in values:
            wanted = " or ".join("null" if v is None else json.dumps(v) for v in values)
            raise self.fail(key, f"{wanted}: anything else is not known here")

    def divided(self, total: str, by: str, size: int, h: int) -> int:
        if size % h:
            raise ModelError(f"{self.where}: {total} is {size} and is not divisible by {by} = {h}")
        return size // h


_GELUS = {
    "gelu": ("gelu", "erf"), "gelu_new": ("gelu", "tanh"), "gelu_pytorch_tanh": ("gelu", "tanh"),
    "gelu_fast": ("gelu", "tanh"), "relu": ("relu", ""),
}  # fmt: skip


def _gpt2(read: _Reader) -> Architecture:
    """GPT-2: Radford et al. (2019), section 2.3."""
    d, h = read.size("n_embd", 768), read.size("n_head", 12)
    d_k = read.divided("n_embd", "n_head", d, h)
    ffn, gelu = read.word("activation_function", "gelu_new", _GELUS)
    read.only("scale_attn_weights", True)
    read.only("scale_attn_by_inverse_layer_idx", False)
    read.only("add_cross_attention", False)
    sizes = {
        "|V|": read.size("vocab_size", 50257), "d_model": d, "N": read.size("n_layer", 12), "h": h,
        "h_kv": h, "d_k": d_k, "d_v": d_k, "d_ff": read.size("n_inner", 4 * d),
        "positions": read.size("n_positions", 1024), "types": 0,
    }  # fmt: skip
    config = Config(
        norm="pre", norm_out=True, positions="learned", mask="causal", ffn=ffn, gelu=gelu
    )
    eps = read.number("layer_norm_epsilon", Fraction(1, 10**5))
    tied = read.flag("tie_word_embeddings", True)
    return Architecture("gpt2", sizes, config, eps, tied=tied, biases=("QKV", "O", "FFN"))


def _bert(read: _Reader) -> Architecture:
    """BERT: Devlin et al. (2019), section 3; sentence encoders made from it have no logits."""
    d, h = read.size("hidden_size", 768), read.size("num_attention_heads", 12)
    d_k = read.divided("hidden_size", "num_attention_heads", d, h)
    ffn, gelu = read.word("hidden_act", "gelu", _GELUS)
    read.only("position_embedding_type", "absolute")
    read.only("is_decoder", False)
    sizes = {
        "|V|": read.size("vocab_size", 30522), "d_model": d,
        "N": read.size("num_hidden_layers", 12), "h": h, "h_kv": h, "d_k": d_k, "d_v": d_k,
        "d_ff": read.size("intermediate_size", 3072),
        "positions": read.size("max_position_embeddings", 512),
        "types": read.size("type_vocab_size", 2),
    }  # fmt: skip
    config = Config(norm="post", norm_in=True, positions="learned", ffn=ffn, gelu=gelu)
    named = read.table.get("architectures") or ["BertModel"]
    return Architecture(
        "bert", sizes, config, read.number("layer_norm_eps", Fraction(1, 10**12)),
        biases=("QKV", "O", "FFN"), pooler="BertModel" in named,
        unembeds="BertForMaskedLM" in named,
    )  # fmt: skip


def _llama(read: _Reader) -> Architecture:
    """Llama: Touvron et al. (2023), section 2.2. SmolLM's files say they are this."""
    biases = ("QKV", "O") if read.flag("attention_bias", False) else ()
    return _like_llama(read, (*biases, *["FFN"] * read.flag("mlp_bias", False)))


def _mistral(read: _Reader) -> Architecture:
    """Mistral: Jiang et al., Mistral 7B (2023), section 2: a sliding window in every layer."""
    window = read.size("sliding_window", 4096) if read.table.get("sliding_window", 4096) else None
    return _like_llama(read, (), window)


def _qwen2(read: _Reader) -> Architecture:
    """Qwen2: Yang et al. (2024), section 2: biases on queries, keys and values."""
    if not read.flag("use_sliding_window", False):
        return _like_llama(read, ("QKV",))
    first = read.size("max_window_layers", 28, least=0)
    layers = tuple(range(first, read.size("num_hidden_layers")))
    return _like_llama(
        read, ("QKV",), read.size("sliding_window", 4096) if layers else None, layers
    )


def _like_llama(
    read: _Reader,
    biases: tuple[str, ...],
    window: int | None = None,
    layers: tuple[int, ...] | None = None,
) -> Architecture:
    d, h = read.size("hidden_size"), read.size("num_attention_heads")
    d_k = read.size("head_dim", 0) or read.divided("hidden_size", "num_attention_heads", d, h)
    h_kv = read.size("num_key_value_heads", h)
    if h % h_kv:
        raise ModelError(
            f"{read.where}: num_attention_heads is {h} and is not divisible by "
            f"num_key_value_heads = {h_kv}"
        )
    read.only("rope_scaling", None)
    read.only("pretraining_tp", 1)
    rope = read.table.get("rope_parameters") or {}
    if not isinstance(rope, Mapping) or rope.get("rope_type", "default") != "default":
        raise read.fail("rope_parameters", "rope_type 'default': anything else is not known here")
    base = read.number("rope_theta", Fraction(10000), rope if "rope_theta" in rope else None)
    ffn = read.word("hidden_act", "silu", {"silu": "swiglu"})
    sizes = {
        "|V|": read.size("vocab_size"), "d_model": d, "N": read.size("num_hidden_layers"), "h": h,
        "h_kv": h_kv, "d_k": d_k, "d_v": d_k, "d_ff": read.size("intermediate_size"),
        "positions": 0, "types": 0,
    }  # fmt: skip
    config = Config(
        norm="pre", norm_kind="rms", norm_out=True, positions="rope", pairing="half",
        mask="causal", ffn=ffn, window=window, window_layers=layers,
    )  # fmt: skip
    eps = read.number("rms_norm_eps", Fraction(1, 10**6))
    tied = read.flag("tie_word_embeddings", False)
    return Architecture("llama", sizes, config, eps, base, tied, biases)


#: By ``model_type``, what reads the rest.
FAMILIES: dict[str, Callable[[_Reader], Architecture]] = {
    "bert": _bert, "gpt2": _gpt2, "llama": _llama, "mistral": _mistral, "qwen2": _qwen2,
}  # fmt: skip
