"""Specs of whole Transformers: every choice, sizes that fit, and one line for what doesn't."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symattn as sa
from symattn import functions, layers
from symattn.config import Config
from symattn.errors import SpecError
from symattn.models import MODELS
from symattn.spec_reader import parse_spec

STACK = """
format = 1
model = "encoder"
tokens = ["a", "b", "c"]
[matrices]
E = [[1, 0], [0.5, "1/3"], [0, 1]]
W_Q = [[[[1], [0]], [[0], [1]]]]
W_K = [[[[1], [1]], [[2], [1]]]]
W_V = [[[[1], [0]], [[0], [1]]]]
W_O = "identity"
W_1 = [[[1, -1], [0.5, 2]]]
W_2 = "identity"
"""
MODEL = """
format = 1
model = "language_model"
tokens = ["b", "a"]
vocabulary = ["a", "b", "c"]
[matrices]
W_vocab = [[1, 0, 0.5], [0, 1, 0.25]]
W_Q = [[[[1, 0], [0, 1]]]]
W_K = "identity"
W_V = "identity"
W_O = "identity"
W_1 = [[[1], [0.5]]]
W_2 = [[[1, -1]]]
"""


def with_lines(text: str, *lines: str, matrices: tuple[str, ...] = ()) -> str:
    text = text.replace("[matrices]", "\n".join([*lines, "[matrices]"]))
    return text + "\n".join(matrices)


def shown(d: sa.Derivation, step: str) -> np.ndarray:
    return np.array(d[step].decimal(6))


def test_a_spec_derives_what_the_function_does() -> None:
    d = parse_spec(with_lines(STACK, 'norm = "pre"', 'mask = "causal"', "eps = 0.1")).derive()
    W = [[[[1], [0]], [[0], [1]]]]
    by_hand = sa.derive(
        layers.encoder, E=[[1, 0], ["1/2", "1/3"], [0, 1]], W_Q=W, W_K=[[[[1], [1]], [[2], [1]]]],
        W_V=W, W_O=[[[1, 0], [0, 1]]], W_1=[[[1, -1], ["1/2", 2]]], W_2=[[[1, 0], [0, 1]]],
        eps="1/10", config=Config(norm="pre", mask="causal"),
    )  # fmt: skip
    assert (shown(d, "r_2") == shown(by_hand, "r_2")).all()
    assert d["layer[0].head[1].A"].axes == (("a", "b", "c"), ("a", "b", "c"))
    assert d.verify().agrees


@pytest.mark.parametrize(
    "lines",
    [
        ('norm = "none"',),
        ('norm = "sandwich"', 'norm_kind = "rms"', 'ffn = "swiglu"'),
        ('ffn = "gelu"', 'gelu = "tanh"', "norm_out = true"),
        ('ffn = "none"', 'positions = "alibi"', 'mask = "causal"'),
        ("window = 2", "window_layers = [0]", 'mask = "causal"'),
        ("window = [1, 1]", 'scale = "sqrt(d_model)"', "softcap = 2"),
        ("mask = {prefix = 2}",),
        ("mask = {padding = 2}",),
        ("mask = {window = [0, 1]}",),
        ("mask = {padding = 0}", 'fully_masked = "zero"', 'norm = "none"'),
    ],
)
def test_every_choice_of_a_stack(lines: tuple[str, ...]) -> None:
    gate = ("W_gate = [[[1, 1], [0, 1]]]",) if "swiglu" in str(lines) else ()
    if "mask = {padding = 0}" in lines:
        lines = ("mask = {drop = [[true, true, true], [false, true, true], [true, false, true]]}",
                 *lines[1:])  # fmt: skip
    text = with_lines(STACK, *lines, matrices=gate)
    if 'ffn = "none"' in lines:
        text = "\n".join(line for line in text.split("\n") if line[:3] not in ("W_1", "W_2"))
    report = parse_spec(text).derive().verify()
    assert report.agrees, report.disagreements


def test_a_mask_that_hides_a_row() -> None:
    hidden = "mask = {keep = [[false, false, false], [true, false, true], [true, true, true]]}"
    with pytest.raises(SpecError, match=r"mask\.keep: row 0 is masked everywhere"):
        parse_spec(with_lines(STACK, hidden))
    d = parse_spec(with_lines(STACK, hidden, 'fully_masked = "zero"')).derive()
    assert d["head[0].A"].decimal(1)[0] == ["0.0", "0.0", "0.0"]


def test_heads_side_by_side_are_cut() -> None:
    flat = STACK.replace("W_Q = [[[[1], [0]], [[0], [1]]]]", "W_Q = [[[1, 0], [0, 1]]]")
    with pytest.raises(
        SpecError, match=r"matrices\.W_Q: wanted one matrix a head, N × h × d_model"
    ):
        parse_spec(flat)
    d = parse_spec(with_lines(flat, "h = 2")).derive()
    assert (shown(d, "r_2") == shown(parse_spec(STACK).derive(), "r_2")).all()
    five = with_lines(flat, "h = 5")
    with pytest.raises(SpecError, match="W_Q: wanted a dimension divisible by h = 5, got 2"):
        parse_spec(five)


def test_printed_inputs_of_heads_side_by_side() -> None:
    flat = STACK.replace("W_Q = [[[[1], [0]], [[0], [1]]]]", "W_Q = [[[1.25, 0], [0, 1.5]]]")
    radii = parse_spec(with_lines(flat, "h = 2", 'inputs = "printed"')).radii["W_Q"]
    assert [str(r) for r in radii.ravel()] == ["1/200", "0", "0", "1/20"]


def test_positions_that_begin_later() -> None:
    lines = ('positions = "learned"', "offset = 1")
    rows = ("W_pos = [[5, 5], [1, 0], [0.5, 0.25]]",)
    d = parse_spec(with_lines(MODEL, *lines, matrices=rows)).derive()
    assert d["PE"].decimal(2) == [["1.00", "0.00"], ["0.50", "0.25"]]
    with pytest.raises(SpecError, match="offset: wanted a whole number from 0"):
        parse_spec(with_lines(MODEL, "offset = -1"))


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rope", "alibi", "none"])
def test_positions_of_a_language_model(positions: str) -> None:
    lines = [f'positions = "{positions}"', 'mask = "causal"', "loss = true", "temperature = 0.5"]
    lines += ['pairing = "half"', "base = 100"] if positions == "rope" else []
    pos = ("W_pos = [[1, 0], [0.5, 0.25], [0, 0]]",) if positions == "learned" else ()
    d = parse_spec(with_lines(MODEL, *lines, matrices=pos)).derive()
    assert d["P"].axes == (("b", "a"), ("a", "b", "c"))
    assert d["P"].shape == (2, 3)
    assert d["L"].shape == (1,)
    assert d.verify().agrees


def test_token_types_and_a_transform() -> None:
    lines = ("types = [0, 1]", 'ffn = "gelu"', 'gelu = "erf"', "norm_in = true", "eps = 1e-12")
    rows = ("W_type = [[0, 0.5], [1, 0]]", 'W_T = "identity"', 'b_T = "zeros"', 'b_U = "ones"',
            'gamma_T = "ones"', 'beta_T = "zeros"', "gamma_in = [1, 2]", "beta_in = [0, 1]")  # fmt: skip
    d = parse_spec(with_lines(MODEL, *lines, matrices=rows)).derive()
    assert {"E", "T", "T_gelu", "logits", "P"} <= {s.name for s in d}
    assert d.verify().agrees


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (with_lines(MODEL, 'ffn = "selu"'), "ffn: wanted one of linear, relu, gelu"),
        (with_lines(MODEL, 'ffn = "gelu"'), "gelu: wanted 'erf' or 'tanh'"),
        (with_lines(MODEL, 'positions = "rope"'), "pairing: wanted 'interleaved' or 'half'"),
        (with_lines(MODEL, "norm_out = 1"), "norm_out: wanted true or false, got 1"),
        (with_lines(MODEL, "window = 0"), "window: wanted a whole number from 1"),
        (with_lines(MODEL, "window = [1]"), r"window: wanted a number of keys, or \[left, right\]"),
        (with_lines(MODEL, "temperature = 0"), "temperature: wanted a number that is not zero"),
        (with_lines(MODEL, 'eps = "x"'), "eps: wanted a number, got 'x'"),
        (with_lines(MODEL, "eps = [1]"), r"eps: wanted a number, got \[1\]"),
        (with_lines(MODEL, "types = [0, 1]"), "types: wanted with matrices.W_type"),
        (
            with_lines(MODEL, "types = [0, 2]", matrices=("W_type = [[0, 0], [1, 1]]",)),
            r"types\[1\]: wanted 0 to 1, a row of W_type, got 2",
        ),
        (
            with_lines(MODEL, "types = [0]", matrices=("W_type = [[0, 0], [1, 1]]",)),
            "types: wanted 2, one a token, got 1",
        ),
        (with_lines(MODEL, matrices=("W_pos = [[1, 0]]",)), "W_pos: wanted with learned positions"),
        (with_lines(MODEL, "h = 2"), "matrices.W_Q: wanted h = 2 heads, as in h, got 1"),
        (with_lines(MODEL, "N = 2"), "matrices.W_Q: wanted N = 2 layers, as in N, got 1"),
        (MODEL.replace("W_1 = [[[1], [0.5]]]", 'W_1 = "ones"').replace("[[[1, -1]]]", '"ones"'), "needs a size, d_ff"),
        (MODEL.replace("W_2 = [[[1, -1]]]", "W_2 = [[[1]]]"), "W_2: wanted d_model = 2 columns"),
        (
            MODEL.replace("W_2 = [[[1, -1]]]", "W_2 = [[[1, 1], [1, 1]]]"),
            "W_2: wanted d_ff = 1 rows, as in W_1, got 2",
        ),
        (MODEL.replace("W_2 = [[[1, -1]]]", "W_2 = [[1, -1]]"), r"W_2\[0\]\[0\]: wanted a row"),
        (MODEL.replace('"b", "a"]', '"b", "d"]', 1), r"tokens\[1\]: 'd' is not in the vocabulary"),
        (with_lines(MODEL, "mask = {prefix = 3}"), "mask.prefix: prefix: wanted from 0 to 2 keys"),
        (with_lines(MODEL, "mask = {padding = 3}"), "mask.padding: lengths: wanted from 1 to 2"),
        (with_lines(STACK, 'positions = "sinusoidal"'), "positions: .*rope, alibi"),
        (with_lines(STACK, "loss = true"), "loss: unknown key"),
    ],
)  # fmt: skip
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        parse_spec(text, "mine.toml").derive()["layer[0].r_2"].decimal(2)
    assert str(caught.value).startswith("mine.toml: ")


def test_heads_that_do_not_divide() -> None:
    text = STACK.replace(
        "W_K = [[[[1], [1]], [[2], [1]]]]", "W_K = [[[[1], [1]], [[2], [1]], [[0], [1]]]]"
    )
    text = text.replace(
        "W_V = [[[[1], [0]], [[0], [1]]]]", "W_V = [[[[1], [0]], [[0], [1]], [[0], [1]]]]"
    )
    with pytest.raises(
        SpecError, match="W_K: wanted a number of heads that divides h = 2, got h_kv = 3"
    ):
        parse_spec(text)


def test_every_model_can_be_named_and_every_key_is_read() -> None:
    """A model's tables name inputs that its function has, and choices that Config has."""
    for name, model in MODELS.items():
        code = model.function.__code__
        named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        flexible = bool(code.co_flags & 0x08)
        for matrix in (*model.matrices, *model.numbers):
            assert matrix in named or flexible, (name, matrix)
        assert set(model.required) <= set(model.matrices)
        assert set(model.choices) <= set(Config.__dataclass_fields__)


HEADS = """
format = 1
model = "self_attention"
tokens = ["a", "b", "c"]
[matrices]
E = [[1, 0], [0.5, "1/3"], [0, 1]]
W_Q = [[[1, 0], [0, 1]], [[1, 1], [0, 2]]]
W_K = [[[1, 1], [2, 1]]]
W_V = [[[1], [0.5]]]
W_O = [[1, 0], [0, 1]]
"""


@pytest.mark.parametrize(
    ("lines", "matrices"),
    [
        ((), ()),
        (('mask = "causal"', 'positions = "alibi"'), ("sink = [0, 0.5]",)),
        (('positions = "rope"', 'pairing = "half"', "base = 100", "window = 2"), ()),
        (('positions = "rope"', 'pairing = "interleaved"', "rope_dimensions = 2"), ()),
        (("softcap = 3", "scale = 2"), ("bias = [[[0, 1, 0], [0, 0, 1], [1, 0, 0]], [[0, 0, 0], [0, 0, 0], [1, 1, 1]]]",)),
        (("mask = {add = [[0, 0.5, 0], [0, 0, 0], [0, 0, -1]]}",), ('b_Q = "ones"', 'b_K = "zeros"', "b_O = [1, 2]")),
    ],
)  # fmt: skip
def test_heads_with_everything(lines: tuple[str, ...], matrices: tuple[str, ...]) -> None:
    d = parse_spec(with_lines(HEADS, *lines, matrices=matrices)).derive()
    assert d["head[1].A"].axes == (("a", "b", "c"), ("a", "b", "c"))
    assert d["attn"].shape == (3, 2)
    report = d.verify()
    assert report.agrees, report.disagreements


def test_linear_attention_for_contrast() -> None:
    flat = HEADS.replace("self_attention", "linear_attention_head").replace(
        "W_O = [[1, 0], [0, 1]]", ""
    )
    flat = flat.replace("[[[1, 0], [0, 1]], [[1, 1], [0, 2]]]", "[[1, 0], [0, 1]]")
    flat = flat.replace("[[[1, 1], [2, 1]]]", "[[1, 1], [2, 1]]").replace(
        "[[[1], [0.5]]]", "[[1], [0.5]]"
    )
    d = parse_spec(flat).derive()
    assert d["O"].shape == (3, 1)
    assert d.verify().agrees
    with pytest.raises(SpecError, match="mask: unknown key"):
        parse_spec(with_lines(flat, 'mask = "causal"'))


def test_cross_attention_and_its_masks() -> None:
    head: dict[str, Any] = {"W_Q": 1, "W_K": 1, "W_V": 1, "W_O": 1}
    rows = [f'{k}{part} = [[[[1, 0], [0, 1]]]]' if k != "W_O" else f'{k}{part} = "identity"'
            for part in ("", "_dec", "_cross") for k in head]  # fmt: skip
    text = """
format = 1
model = "encoder_decoder"
tokens = ["a", "b", "c"]
outputs = ["c", "a"]
vocabulary = ["a", "b", "c"]
positions = "sinusoidal"
scaled = true
norm = "none"
ffn = "none"
mask_cross = {padding = 2}
[matrices]
W_vocab = [[1, 0, 0.5], [0, 1, 0.25]]
""" + "\n".join(rows)
    d = parse_spec(text).derive()
    A = d["decoder[0].layer[0].cross[0].head[0].A"]
    assert A.axes == (("c", "a"), ("a", "b", "c"))
    assert [row[2] for row in A.decimal(1)] == ["0.0", "0.0"]
    assert A.symbol.startswith("A^{")
    assert d["decoder[0].layer[0].head[0].A"].decimal(1)[0] == ["1.0", "0.0"]
    assert d["P"].axes == (("c", "a"), ("a", "b", "c"))
    assert d["M_cross"].shape == (2, 3)
    assert d.verify().agrees


def test_windows_and_prefixes_are_the_functions() -> None:
    made = parse_spec(with_lines(STACK, "mask = {window = 2}")).masks["M"]
    wanted = functions.sliding_window_mask(3, 3, 2)
    assert [[str(x) == "-oo" for x in row] for row in made] == np.isinf(wanted).tolist()
