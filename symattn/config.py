"""What a Transformer is made of, beside its weights: words and counts, checked once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from symattn.errors import OptionError, nearest

#: The words that each choice takes.
CHOICES: dict[str, tuple[str, ...]] = {
    "norm": ("post", "pre", "sandwich", "none"),
    "norm_kind": ("layer", "rms"),
    "ffn": ("linear", "relu", "gelu", "silu", "swiglu", "geglu", "none"),
    "gelu": ("", "erf", "tanh"),
    "positions": ("none", "sinusoidal", "learned", "rope", "alibi"),
    "pairing": ("", "interleaved", "half"),
    "mask": ("none", "causal"),
    "fully_masked": ("error", "zero"),
}


@dataclass(frozen=True)
class Config:
    """The choices of a Transformer; the default is the encoder of Vaswani et al. (2017).

    Attributes:
        norm: ``"post"``, norm(x + f(x)); ``"pre"``, x + f(norm(x)); ``"sandwich"``,
            x + norm(f(norm(x))); or ``"none"``.
        norm_kind: ``"layer"`` (LayerNorm) or ``"rms"`` (RMSNorm).
        norm_in, norm_out: whether a norm follows the embeddings, and the last layer.
        ffn: ``"linear"``, ``"relu"``, ``"gelu"``, ``"silu"``, gated ``"swiglu"`` and
            ``"geglu"``, or ``"none"``: layers of attention alone.
        gelu: ``"erf"`` or ``"tanh"``, where there is a GELU.
        positions: ``"sinusoidal"`` or ``"learned"``, added to embeddings; ``"rope"``, turned
            into queries and keys; ``"alibi"``, a bias of the scores; or ``"none"``.
        pairing: of RoPE, ``"interleaved"`` or ``"half"``.
        rope_dimensions: how many of a head's features RoPE turns; all if left out.
        scaled: whether embeddings are multiplied by √d_model.
        mask: ``"causal"`` or ``"none"``, where no mask is given; decoders are causal.
        window: of a sliding window, see `symattn.functions.sliding_window_mask`.
        window_layers: the layers that have it, from 0; all if left out.
        fully_masked: ``"error"``, or ``"zero"``: a row that sees no key gives a row of 0.
        loss: whether a language model's cross-entropy of every position is derived.

    Raises:
        OptionError: a word that a choice does not take, or choices that exclude each other.

    Source: sandwich: Ding et al., CogView (2021), section 2.4; the others at their functions.

    >>> Config(norm="before")
    Traceback (most recent call last):
        ...
    symattn.errors.OptionError: norm: wanted one of post, pre, sandwich, none, got 'before'
    """

    #: `symattn.derive` passes it on as it is.
    __symattn_option__: ClassVar[bool] = True

    norm: str = "post"
    norm_kind: str = "layer"
    norm_in: bool = False
    norm_out: bool = False
    ffn: str = "relu"
    gelu: str = ""
    positions: str = "none"
    pairing: str = ""
    rope_dimensions: int | None = None
    scaled: bool = False
    mask: str = "none"
    window: int | tuple[int, int] | None = None
    window_layers: tuple[int, ...] | None = None
    fully_masked: str = "error"
    loss: bool = False

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            chosen = getattr(self, name)
            if chosen not in known:
                words = ", ".join(word for word in known if word)
                hint = nearest(chosen, known) if isinstance(chosen, str) else ""
                raise OptionError(f"{name}: wanted one of {words}, got {chosen!r}{hint}")
        if (self.ffn in ("gelu", "geglu")) != bool(self.gelu):
            raise OptionError(
                f"gelu: wanted 'erf' or 'tanh' where ffn is gelu or geglu, and only there; "
                f"ffn is {self.ffn!r}, gelu {self.gelu!r}"
            )
        if (self.positions == "rope") != bool(self.pairing):
            raise OptionError(
                "pairing: wanted 'interleaved' or 'half' where positions are 'rope', and only "
                f"there; positions are {self.positions!r}, pairing {self.pairing!r}"
            )
        if self.rope_dimensions is not None and self.positions != "rope":
            raise OptionError("rope_dimensions: wanted where positions are 'rope' only")
        if self.window_layers is not None and self.window is None:
            raise OptionError("window_layers: wanted with a window only")


#: What functions take where nothing is said: the encoder of the first paper.
DEFAULT = Config()


def has_window(config: Config, layer: int) -> bool:
    """Whether a layer's tokens see only a window of keys."""
    return config.window is not None and (
        config.window_layers is None or layer in config.window_layers
    )


#: The weights of a layer and their axes, behind that of the layers: N layers, h heads of
#: queries, h_kv of keys and values. Each bias, gain and shift may be left out.
OF_ATTENTION = {
    "W_Q": ("h", "d_model", "d_k"),
    "W_K": ("h_kv", "d_model", "d_k"),
    "W_V": ("h_kv", "d_model", "d_v"),
    "W_O": ("h*d_v", "d_model"),
    "b_Q": ("h", "d_k"),
    "b_K": ("h_kv", "d_k"),
    "b_V": ("h_kv", "d_v"),
    "b_O": ("d_model",),
    "sink": ("h",),
    "K_past": ("h_kv", "n_past", "d_k"),
    "V_past": ("h_kv", "n_past", "d_v"),
}
OF_CROSS_ATTENTION = {
    f"{name}_cross": axes for name, axes in OF_ATTENTION.items() if name[0] in "Wb"
}
OF_FFN = {
    "W_1": ("d_model", "d_ff"),
    "W_2": ("d_ff", "d_model"),
    "W_gate": ("d_model", "d_ff"),
    "b_1": ("d_ff",),
    "b_2": ("d_model",),
    "b_gate": ("d_ff",),
}
OF_NORMS = {
    f"{letter}_{i}{place}": ("d_model",)
    for i in (1, 2, 3)
    for letter in ("gamma", "beta")
    for place in ("", "_post")
}
#: The numbers that all layers share.
NUMBERS = ("eps", "scale", "softcap", "base")


#: The weights that a layer of each kind reads.
OF_ENCODER_LAYER = (*OF_ATTENTION, *OF_FFN, *OF_NORMS, *NUMBERS)
OF_DECODER_LAYER = (*OF_ENCODER_LAYER, *OF_CROSS_ATTENTION)


def check_weights(given: Iterable[str], known: Iterable[str], where: str) -> None:
    """Refuse a weight that nothing would read.

    Raises:
        OptionError: one that is not known; it is named.
    """
    known = [*known]
    for name in given:
        if name not in known:
            raise OptionError(
                f"{where}: no weight {name!r}{nearest(name, known)}; known are {', '.join(known)}"
            )
