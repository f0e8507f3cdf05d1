"""Where each of our weights stands in a model's files: names, and how it is laid out there.

Our weights are d_in × d_out, one matrix a head. The files' are d_out × d_in for all heads side
by side; GPT-2's are d_in × d_out, and Q, K and V are one matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symattn.graph import Array
from symattn.pretrained.architecture import Architecture


@dataclass(frozen=True)
class Place:
    """Where a weight is.

    Attributes:
        tensor: its name in the file.
        transposed: whether the file has it d_out × d_in.
        part: which of so many equal column blocks it is, where the tensor holds several.
        heads: how many heads it is split into; 0 for a weight that is not.
    """

    tensor: str
    transposed: bool = False
    part: tuple[int, int] = (0, 1)
    heads: int = 0

    def taken(self, tensor: Array) -> Array:
        """Our weight out of the tensor."""
        found = tensor.T if self.transposed else tensor
        at, parts = self.part
        size = found.shape[-1] // parts
        found = found[..., at * size : (at + 1) * size]
        if not self.heads:
            return found
        split = found.reshape(*found.shape[:-1], self.heads, size // self.heads)
        return split if split.ndim == 2 else split.transpose(1, 0, 2)

    def shape(self, ours: tuple[int, ...]) -> tuple[int, ...]:
        """The tensor's shape, where our weight has this one."""
        if self.heads:
            ours = (*ours[1:-1], ours[0] * ours[-1])
        ours = (*ours[:-1], ours[-1] * self.part[1])
        return ours[::-1] if self.transposed else ours


def _pairs(modules: Mapping[str, str], letters: tuple[str, str] = ("W", "b")) -> dict[str, str]:
    """Weights and biases, or gains and shifts, of modules."""
    kinds = dict(zip(letters, ("weight", "bias"), strict=True))
    return {
        f"{letter}_{ours}": f"{theirs}.{kind}"
        for letter, kind in kinds.items()
        for ours, theirs in modules.items()
    }


_NORMS = ("gamma", "beta")

_BERT = {
    "layer": "encoder.layer.{}.",
    **_pairs(
        {
            "Q": "attention.self.query", "K": "attention.self.key", "V": "attention.self.value",
            "O": "attention.output.dense", "1": "intermediate.dense", "2": "output.dense",
        }
    ),
    **_pairs({"1": "attention.output.LayerNorm", "2": "output.LayerNorm"}, _NORMS),
    **_pairs({"in": "embeddings.LayerNorm"}, _NORMS),
    "W_vocab": "embeddings.word_embeddings.weight",
    "W_pos": "embeddings.position_embeddings.weight",
    "W_type": "embeddings.token_type_embeddings.weight",
    **_pairs({"T": "cls.predictions.transform.dense"}),
    **_pairs({"T": "cls.predictions.transform.LayerNorm"}, _NORMS),
    "b_U": "cls.predictions.bias",
}  # fmt: skip

_GPT2 = {
    "layer": "h.{}.",
    **_pairs(
        {
            "Q": "attn.c_attn", "K": "attn.c_attn", "V": "attn.c_attn", "O": "attn.c_proj",
            "1": "mlp.c_fc", "2": "mlp.c_proj",
        }
    ),
    **_pairs({"1": "ln_1", "2": "ln_2", "out": "ln_f"}, _NORMS),
    "W_vocab": "wte.weight", "W_pos": "wpe.weight",
}  # fmt: skip

_LLAMA = {
    "layer": "layers.{}.",
    **_pairs(
        {
            "Q": "self_attn.q_proj", "K": "self_attn.k_proj", "V": "self_attn.v_proj",
            "O": "self_attn.o_proj", "1": "mlp.up_proj", "gate": "mlp.gate_proj",
            "2": "mlp.down_proj",
        }
    ),
    **_pairs({"1": "input_layernorm", "2": "post_attention_layernorm", "out": "norm"}, _NORMS),
    "W_vocab": "embed_tokens.weight",
}  # fmt: skip

#: By family, names of weights within a model, and what stands before them in some files.
_NAMES = {"bert": (_BERT, "bert."), "gpt2": (_GPT2, "transformer."), "llama": (_LLAMA, "model.")}


#: What begins so stands outside the model that the prefix is of.
_HEADS = ("cls.", "lm_head.")


def in_file(architecture: Architecture, tensor: str, names: tuple[str, ...]) -> str:
    """A tensor's name in a file of these names, which may have a prefix: ``"model."``."""
    before = _NAMES[architecture.family][1]
    has_prefix = any(name.startswith(before) for name in names)
    return before + tensor if has_prefix and not tensor.startswith(_HEADS) else tensor


def place(architecture: Architecture, weight: str, layer: int | None = None) -> Place:
    """Where a weight stands, in a file without a prefix; of a layer, that layer's."""
    family = architecture.family
    if weight == "W_U":
        return Place("lm_head.weight", transposed=True)
    table = _NAMES[family][0]
    tensor = table[weight]
    if layer is not None:
        tensor = table["layer"].format(layer) + tensor
    letter, name = weight.split("_", 1)
    if weight == "W_vocab":
        return Place(tensor, transposed=True)
    if (letter != "W" and letter != "b") or weight in ("W_pos", "W_type"):
        return Place(tensor)
    turned = family != "gpt2" and letter == "W"
    part = ("QKV".index(name), 3) if family == "gpt2" and name in ("Q", "K", "V") else (0, 1)
    heads = {"Q": "h", "K": "h_kv", "V": "h_kv"}.get(name)
    return Place(tensor, turned, part, architecture.sizes[heads] if heads else 0)
