"""The models that a spec can name: what each takes, and where its function is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from symattn.config import OF_ATTENTION, OF_CROSS_ATTENTION, OF_FFN, OF_NORMS

#: Entries of a matrix, a mask, a step of a spec: a thousand tokens have so many scores.
MAX_ENTRIES = 1_000_000

#: Where the functions are whose equations a text can show.
HOMES = ("transformer", "attention", "functions", "sublayers", "layers", "language")

Axes = Mapping[str, tuple[str, ...]]

_HEAD: Axes = {
    "W_Q": ("d_model", "d_k"),
    "W_K": ("d_model", "d_k"),
    "W_V": ("d_model", "d_v"),
}


@dataclass(frozen=True)
class Model:
    """A model, and the parts of a spec that it takes.

    Attributes:
        name: of the function in its module `home`.
        matrices: each with the sizes of its axes; |V| is that of the vocabulary, n that of
            the tokens.
        required: the matrices that cannot be left out.
        numbers: exact numbers beside the matrices.
        masks: keys of additive masks, each with the sizes of its axes.
        choices: the fields of its `Config`; empty for a model that takes none.
        limits: of its choices, the words that it takes where these are not all.
        defaults: of its choices, where they differ from those of `Config`.
        sequences: the keys of lists of words that it reads.
        words: choices that are no part of a `Config`, by key what they may say.
    """

    name: str
    home: str
    matrices: Axes
    required: tuple[str, ...]
    numbers: tuple[str, ...] = ("scale",)
    masks: Axes = field(default_factory=lambda: {"mask": ("n", "n")})
    choices: tuple[str, ...] = ()
    limits: Axes = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    sequences: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def function(self) -> Any:
        """The NumPy function, imported when it is asked for."""
        return getattr(import_module(f"symattn.{self.home}"), self.name)

    @property
    def has_offset(self) -> bool:
        """Whether its positions may begin elsewhere than at 0."""
        return "positions" in self.choices and not self.sequences[1:]

    @property
    def embeds(self) -> bool:
        """Whether it starts from tokens, and so wants a vocabulary."""
        return "W_vocab" in self.matrices


def _models() -> Iterator[Model]:
    yield Model(
        "next_token", "transformer",
        {"W_vocab": ("d_model", "|V|"), **_HEAD, "W_1": ("d_v", "d_model")},
        ("W_vocab", "W_Q", "W_K", "W_V", "W_1"),
        sequences=("tokens",),
        words={"ffn": ("linear",), "fully_masked": ("error", "zero")},
    )  # fmt: skip
    yield Model(
        "attention_head", "transformer", {"E": ("n", "d_model"), **_HEAD},
        ("E", "W_Q", "W_K", "W_V"), words={"fully_masked": ("error", "zero")},
    )  # fmt: skip
    yield Model(
        "linear_attention_head", "attention", {"E": ("n", "d_model"), **_HEAD},
        ("E", "W_Q", "W_K", "W_V"), numbers=(), masks={},
    )  # fmt: skip
    yield Model(
        "embedding_offsets", "transformer", {"W_vocab": ("d_model", "|V|")}, ("W_vocab",),
        numbers=(), masks={}, sequences=("tokens",),
    )  # fmt: skip
    attention = {k: axes for k, axes in OF_ATTENTION.items() if not k.endswith("_past")}
    bias = {"bias": ("h", "n", "n")}
    heads = ("positions", "pairing", "rope_dimensions", "window", "fully_masked")
    given_rows = {"positions": ("none", "rope", "alibi")}
    yield Model(
        "self_attention", "layers", {"E": ("n", "d_model"), **attention, **bias},
        ("E", "W_Q", "W_K", "W_V", "W_O"), numbers=("scale", "softcap", "base"),
        choices=("mask", *heads), limits=given_rows, defaults={"norm": "none", "ffn": "none"},
    )  # fmt: skip

    layer = {**attention, **OF_FFN, **OF_NORMS}
    stack: Axes = {k: ("N", *axes) for k, axes in layer.items() if k[-1] != "3" and "_3_" not in k}
    out: Axes = {"gamma_out": ("d_model",), "beta_out": ("d_model",)}
    sublayers = ("norm", "norm_kind", "norm_out", "ffn", "gelu", *heads)
    numbers = ("eps", "scale", "softcap", "base")
    needed = ("W_Q", "W_K", "W_V", "W_O")
    yield Model(
        "encoder", "layers", {"E": ("n", "d_model"), **stack, **out, **bias}, ("E", *needed),
        numbers=numbers, choices=("mask", *sublayers, "window_layers"), limits=given_rows,
    )  # fmt: skip
    of_vocabulary: Axes = {
        "W_vocab": ("d_model", "|V|"), "W_U": ("d_model", "|V|"), "b_U": ("|V|",),
    }  # fmt: skip
    yield Model(
        "language_model", "language",
        {
            **of_vocabulary, "W_pos": ("positions", "d_model"), "W_type": ("types", "d_model"),
            "gamma_in": ("d_model",), "beta_in": ("d_model",), **stack, **out, **bias,
            "W_T": ("d_model", "d_model"), "b_T": ("d_model",), "gamma_T": ("d_model",),
            "beta_T": ("d_model",),
        },
        ("W_vocab", *needed), numbers=(*numbers, "softcap_out", "temperature"),
        choices=("mask", *sublayers, "window_layers", "norm_in", "scaled", "loss"),
        sequences=("tokens",),
    )  # fmt: skip
    decoder: Axes = {
        **{f"{k}_dec": ("N_dec", *axes) for k, axes in layer.items() if not k.endswith("_past")},
        **{k: ("N_dec", *axes) for k, axes in OF_CROSS_ATTENTION.items()},
    }
    yield Model(
        "encoder_decoder", "language",
        {
            **of_vocabulary, **stack, **out, **decoder,
            **{f"{k}_dec": axes for k, axes in out.items()},
        },
        ("W_vocab", *needed, *(f"{k}_dec" for k in needed), *(f"{k}_cross" for k in needed)),
        numbers=(*numbers, "temperature"),
        masks={"mask": ("n", "n"), "mask_out": ("n_out", "n_out"), "mask_cross": ("n_out", "n")},
        choices=(*(c for c in sublayers if c not in ("window", "rope_dimensions")), "scaled"),
        limits={"positions": ("none", "sinusoidal", "rope", "alibi")},
        sequences=("tokens", "outputs"),
    )  # fmt: skip


#: By name.
MODELS: dict[str, Model] = {model.name: model for model in _models()}


def functions() -> dict[str, Any]:
    """Functions whose equations a text can show, by name."""
    found: dict[str, Any] = {}
    for home in reversed(HOMES):
        module = import_module(f"symattn.{home}")
        for name, value in vars(module).items():
            if hasattr(value, "__code__") and not name.startswith("_"):
                found[name] = value
    return found
