"""Greedy generation: proven winners, and the pass with a cache proven equal to the one without."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import symattn as sa
from symattn import cli, functions, transformer
from symattn.config import Config
from symattn.errors import ExactnessError, MaskError, OptionError
from symattn.functions import softmax
from symattn.generation import Generation, compared, generate, with_cache, without_cache
from symattn.language import encoder_decoder, language_model
from symattn.literals import NEGATIVE_INFINITY

WORDS = ["a", "b", "c", "d", "e"]


def eighths(rng: np.random.Generator, *shape: int) -> Any:
    return np.vectorize(lambda k: Fraction(int(k), 8), otypes=[object])(rng.integers(-8, 9, shape))


def derived(*, N: int = 2, h_kv: int = 2, n: int = 3, **choices: Any) -> sa.Derivation:
    """A language model of five words, four dimensions and two heads of queries."""
    rng = np.random.default_rng(3)
    d, h, d_k, d_ff = 4, 2, 2, 3
    numbers = {k: choices.pop(k) for k in ("temperature",) if k in choices}
    config = Config(**{"norm": "pre", "norm_out": True, "mask": "causal", **choices})
    weights = {
        "W_vocab": eighths(rng, d, len(WORDS)),
        "W_Q": eighths(rng, N, h, d, d_k),
        "W_K": eighths(rng, N, h_kv, d, d_k),
        "W_V": eighths(rng, N, h_kv, d, d_k),
        "W_O": eighths(rng, N, h * d_k, d),
        "W_1": eighths(rng, N, d, d_ff),
        "W_2": eighths(rng, N, d_ff, d),
    }
    if config.ffn == "none":
        del weights["W_1"], weights["W_2"]
    if config.positions == "learned":
        weights["W_pos"] = eighths(rng, 8, d)
    labels = {"W_vocab": [None, WORDS]}
    return sa.derive(
        language_model, tokens=(0, 2, 1)[:n], config=config, labels=labels, **numbers, **weights
    )


KINDS: dict[str, dict[str, Any]] = {
    "no norm, one layer": {"N": 1, "norm": "none", "norm_out": False},
    "no norm": {"norm": "none", "norm_out": False},
    "LayerNorm": {},
    "LayerNorm, one layer": {"N": 1},
    "post-norm": {"norm": "post", "norm_out": False},
    "RMSNorm": {"norm_kind": "rms"},
    "interleaved RoPE": {"positions": "rope", "pairing": "interleaved", "norm_kind": "rms"},
    "half RoPE": {"positions": "rope", "pairing": "half", "norm_kind": "rms"},
    "half RoPE, one layer": {"N": 1, "positions": "rope", "pairing": "half"},
    "learned positions": {"positions": "learned"},
    "sinusoidal positions": {"positions": "sinusoidal"},
    "ALiBi": {"positions": "alibi"},
    "ALiBi, one layer, no norm": {"N": 1, "positions": "alibi", "norm": "none", "norm_out": False},
    "sliding window": {"window": 2},
    "window in one layer": {"window": 2, "window_layers": (1,)},
    "grouped heads": {"h_kv": 1},
    "a sandwich": {"norm": "sandwich", "norm_kind": "rms"},
    "GELU, scaled": {"ffn": "gelu", "gelu": "tanh", "scaled": True, "positions": "sinusoidal"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_with_a_cache_and_without_is_the_same(kind: str) -> None:
    choices = KINDS[kind]
    made = generate(derived(**choices), 3, cached=True)
    assert [s.derivation.step("P").shape for s in made.steps] == [(3, 5), (1, 5), (1, 5)]
    proof = made.proof
    assert proof.equal, str(proof)
    N, h_kv = choices.get("N", 2), choices.get("h_kv", 2)
    assert len(proof.entries) == 3 * (N * h_kv * 4 + 10)


def test_one_row_of_a_product_has_the_form_that_it_has_among_others() -> None:
    """Rows 0 to 4 see five words each, the last ones the same word twice."""
    rng = np.random.default_rng(5)
    weights = {f"W_{name}": eighths(rng, 2, 4, 4, 1) for name in "QKV"}
    weights |= {"W_vocab": eighths(rng, 4, 6), "W_O": eighths(rng, 2, 4, 4)}
    config = Config(norm="none", ffn="none", mask="causal", window=5)
    d = sa.derive(language_model, tokens=(0, 1, 2, 3, 4, *[5] * 6), config=config, **weights)
    proof = compared(with_cache(d, 5), without_cache(d, 5))
    assert proof.equal, str(proof)


#: What goes wrong with a cache, and the models in which it shows.
LOST: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "the offset, RoPE": ({"offset": 0}, KINDS["half RoPE, one layer"]),
    "the offset, RoPE in two layers": ({"offset": 0}, KINDS["interleaved RoPE"]),
    "the offset, learned": ({"offset": 0}, KINDS["learned positions"]),
    "the offset, sinusoidal": ({"offset": 0}, KINDS["sinusoidal positions"]),
    "the mask": ({"config": Config(norm="pre", norm_out=True, mask="causal")}, {"window": 2}),
}


@pytest.mark.parametrize("lost", LOST)
def test_a_cache_that_loses_positions_or_the_mask_is_seen(lost: str) -> None:
    """Three tokens, then one from the cache."""
    change, choices = LOST[lost]
    d = derived(**choices)
    wrong = with_cache(d, 4).changed({}, change)
    proof = compared(without_cache(d, 4), wrong)
    assert proof.refuted
    assert not proof.equal
    assert any(e.found.verdict in ("less", "greater") for e in proof.others if "P" in str(e))
    assert "are not proven equal" in str(proof)
    assert compared(without_cache(d, 4), with_cache(d, 4)).equal


def test_positions_may_begin_later() -> None:
    """A cache goes on where its tokens ended, and RoPE's scores know only how far apart two are."""
    later = derived(positions="learned").changed({}, {"offset": 1})
    made = generate(later, 2, cached=True)
    assert [s.derivation.options["offset"] for s in made.steps] == [1, 4]
    assert made.proof.equal


def test_a_causal_mask_that_is_given_goes_on() -> None:
    given = sa.derive(functions.causal_mask, n_q=3, n_k=3)["M"]
    d = derived(mask="none").changed({"M": given.__symattn_exact__()}, {})
    made = generate(d, 3, cached=True)
    assert made.steps[2].derivation["M"].shape == (1, 5)
    assert made.proof.equal
    assert made.tokens == generate(derived(), 3).tokens


def test_without_a_mask_a_second_layer_tells_a_cache_apart() -> None:
    """Keys of the second layer have seen later tokens: a cache is another model there."""
    assert generate(derived(N=1, mask="none"), 2, cached=True).proof.equal
    proof = generate(derived(N=2, mask="none"), 2, cached=True).proof
    assert proof.refuted
    assert {e.step for e in proof.others} == {1}  # the first token is derived whole


def test_a_cache_is_exact_in_every_number_system() -> None:
    made = generate(derived(N=1, norm="none", norm_out=False, ffn="none"), 2)
    whole = made.steps[1].derivation
    d = with_cache(made.steps[0].derivation, made.steps[0].token)
    assert d["P"].decimal(30)[0] == whole["P"].decimal(30)[-1]
    assert d["layer[0].head[0].K_past"].forms[2, 1] == whole["layer[0].head[0].K_all"].forms[2, 1]
    assert sa.compare(d["P"].value[0, 3], whole["P"].value[-1, 3]).verdict == "equal"  # SymPy's
    assert d.verify().agrees
    assert d["P"].numeric()[0] == pytest.approx(whole["P"].numeric()[-1], rel=1e-12)


def test_the_article_goes_on(article: sa.Derivation) -> None:
    made = sa.generate(article, 3)
    assert isinstance(made, Generation)
    assert made.words == ("cat", "chases", "mouse", "chases", "cat", "chases")
    assert made.tokens == (0, 1, 2, 1, 0, 1)
    assert [s.probability for s in made.steps] == ["0.29", "0.23", "0.28"]
    last = made.steps[2].derivation
    assert last["A"].shape == (5, 5)
    assert last["A"].axes[0] == ("cat", "chases", "mouse", "chases", "cat")
    assert last["M"].forms[3, 4] == NEGATIVE_INFINITY
    assert made.steps[0].derivation is article
    assert "| 2 | cat chases mouse chases | cat | 0.23 |" in made._repr_markdown_()


def test_one_row_is_the_same_sentence_said_at_once(article: sa.Derivation) -> None:
    mask = sa.derive(functions.causal_mask, n_q=4, n_k=4)["M"].__symattn_exact__()
    longer = dataclasses.replace(
        article.spec,
        tokens=("cat", "chases", "mouse", "chases"),
        masks={"M": mask},
        claims=(),
    )
    assert not without_cache(article, 1).diff(longer.derive()).changed


def test_a_tie_is_proven_and_the_first_is_taken() -> None:
    def twins(W_vocab, *, tokens):  # type: ignore[no-untyped-def]
        logits = W_vocab[:, tokens[-1]] @ W_vocab
        P = softmax(logits)
        return P

    made = sa.generate(sa.derive(twins, W_vocab=[[1, 2, 3, 3], [0, 1, 1, 1]], tokens=(0,)), 2)
    assert [s.token for s in made.steps] == [2, 2]
    assert made.steps[0].tied == ("2", "3")
    assert str(made).splitlines()[3] == (
        "token 1: 2 and 3 tie, and that is proven; 2 is taken, the first in the vocabulary"
    )
    assert "token 2: 2 and 3 tie" in made._repr_markdown_()


def test_a_tie_that_only_the_zero_test_sees() -> None:
    """Weights add to 1, and so do both logits; e to the power of each is another form."""

    def constant(W_vocab, *, tokens):  # type: ignore[no-untyped-def]
        E = W_vocab.T[list(tokens)]
        A = softmax(E @ E.T)
        logits = (A @ np.array([[1, 1, 0], [1, 1, 0]]) + np.array([0, 0, 1]))[-1]
        P = softmax(logits / 2)
        return P

    d = sa.derive(constant, W_vocab=[[1, 2, 3], [0, 1, 1]], tokens=(0, 1))
    assert len({*d["logits"].forms.flat}) == 2
    made = sa.generate(d, 1)
    assert made.steps[0].tied == ("0", "1", "2")
    assert made.steps[0].probability == "0.333333"
    assert sa.compare(d["P"][0], d["P"][2]).verdict == "equal"
    replaced = d.with_(P=["1/2", "1/4", "1/4"])
    assert sa.compare(replaced["P"][0], replaced["P"][2]).verdict == "greater"
    assert sa.compare(d["A"][0, 0], d["A"][1, 0]).verdict == "greater"  # of other rows


def test_a_temperature_changes_probabilities_and_no_token() -> None:
    made = {T: sa.generate(derived(temperature=T), 3, cached=True) for T in ("1/2", "1", "3")}
    assert len({m.tokens for m in made.values()}) == 1
    first = [Fraction(m.steps[0].probability) for m in made.values()]
    assert first[0] > first[1] > first[2]
    assert made["1"].steps[0].probability == sa.generate(derived(), 1).steps[0].probability
    assert made["3"].proof.equal
    assert "logits" in {e.left.step.name for e in made["3"].proof.entries}


def test_a_decoder_over_an_encoder_goes_on_with_its_outputs() -> None:
    rng = np.random.default_rng(2)
    weights = {f"W_{name}{of}": eighths(rng, 1, 1, 2, 2)
               for name in "QKV" for of in ("", "_dec", "_cross")}  # fmt: skip
    weights |= {f"W_O{of}": eighths(rng, 1, 2, 2) for of in ("", "_dec", "_cross")}
    d = sa.derive(
        encoder_decoder, W_vocab=eighths(rng, 2, 4), tokens=(0, 1, 2), outputs=(3,),
        config=Config(norm="none", ffn="none"), M=[["0", "-oo", "-oo"]] * 3, **weights,
    )  # fmt: skip
    made = generate(d, 2)
    assert made.prompt == (3,)
    assert made.steps[1].derivation.options["tokens"] == (0, 1, 2)
    assert made.steps[1].derivation["P"].shape == (2, 4)
    with pytest.raises(OptionError, match="encoder_decoder has no cache"):
        generate(d, 2, cached=True)


def test_what_cannot_go_on_is_refused(article: sa.Derivation) -> None:
    with pytest.raises(OptionError, match="next_token has no cache: wanted a function of tokens, "):
        generate(article, 2, cached=True)
    with pytest.raises(OptionError, match="n: wanted a number of tokens of at least 1, got 0"):
        generate(article, 0)
    with pytest.raises(OptionError, match="attention generates nothing"):
        generate(sa.derive(transformer.attention, Q=[[1]], K=[[1]], V=[[1]]), 1)
    custom = article.with_(M=[[0, 0, 0], [0, 0, "-oo"], [0, 0, 0]])
    assert len(generate(custom, 1).steps) == 1
    with pytest.raises(MaskError, match="M: a mask of its own says nothing of further tokens"):
        generate(custom, 2)
    with pytest.raises(ExactnessError, match=r"P\[0\] contains symbols \(a\)"):
        generate(article.with_(W_1=[["a", 1], [0, 1]]), 1)
    printed = derived().with_radii({"W_vocab": np.full((4, 5), Fraction(1, 16), dtype=object)})
    with pytest.raises(ExactnessError, match="is known only as far as the printed digits"):
        generate(printed, 2, cached=True)


def lines(*words: str) -> tuple[int, str]:
    from click.testing import CliRunner

    done = CliRunner().invoke(cli.main, ["generate", *words])
    return done.exit_code, done.output


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    status, text = lines("-n", "2")
    assert status == 0
    assert text.splitlines()[1].split() == ["1", "cat", "chases", "mouse", "chases", "0.29"]
    status, text = lines("article-encoder", "-n", "1", "--json")
    assert json.loads(text)["steps"][0]["word"] == "chases"
    monkeypatch.setattr("symattn.cli.generate.derivation_of", lambda _: derived(N=1))
    status, text = lines("--cached", "-n", "2", "--format", "markdown")
    assert status == 0
    assert "with a cache and without: 36 entries of 2 tokens are proven equal" in text
    monkeypatch.setattr("symattn.cli.generate.derivation_of", lambda _: derived(mask="none"))
    status, text = lines("--cached", "-n", "2", "--json")
    assert status == 1
    found = json.loads(text)["proof"]
    assert not found["equal"]
    assert {e["token"] for e in found["others"]} == {1}
