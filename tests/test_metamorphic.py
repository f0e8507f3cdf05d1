"""Metamorphic relations: an input is changed, and the result must follow exactly.

A relation is two functions of the same inputs that have to give the same numbers: what is made of
changed inputs, and what is made of the result. It is checked on random exact numbers and on the
article's, by normal forms and the theorem that decides them. Each has a planted fault, a model for
which it does not hold and must be found not to.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from random import Random
from typing import Any

import numpy as np
import pytest

import symattn as sa
from symattn import attention, functions, transformer
from symattn.document import page
from symattn.properties.checks import causal, equal, returned
from symattn.spec_reader import parse_spec
from tests.equations_of import formulas

Function = Callable[..., Any]


@dataclass(frozen=True)
class Relation:
    """Two sides, made for a model; the model; and one for which they differ."""

    sides: Callable[[Any], tuple[Function, Function]]
    model: Function
    fault: Function


RELATIONS: dict[str, Relation] = {}


def relation(model: Function, fault: Function) -> Any:
    def add(sides: Any) -> Any:
        RELATIONS[sides.__name__] = Relation(sides, model, fault)
        return sides

    return add


# Inputs: small exact numbers, roots among them, by the name of the parameter.

ORDER = [2, 0, 1]
COLUMNS = [1, 0]
NUMBERS = ("0", "1", "-1", "2", "1/2", "-2/3", "3/4", "sqrt(2)", "-sqrt(2)/2", "sqrt(3)/3")
SHAPES = {
    "E": (3, 2), "Q": (3, 2), "K": (3, 2), "V": (3, 2), "U": (3, 2), "x": (3, 2), "S": (3, 3),
    "W_Q": (2, 2), "W_K": (2, 2), "W_V": (2, 2), "W_O": (4, 2), "H_Q": (2, 2, 2), "H_K": (2, 2, 2),
    "H_V": (2, 2, 2), "W_1": (2, 3), "b_1": (3,), "W_2": (3, 2), "b_2": (2,), "c": (3, 1), "u": (2,),
    "gamma": (2,), "beta": (2,),
}  # fmt: skip
I2 = [["1", "0"], ["0", "1"]]
ARTICLE = {
    "E": [["1", "0"], ["1/5", "1"], ["4/5", "0"]],
    "W_1": [["0", "1", "1"], ["1", "0", "1"]],
    **dict.fromkeys(("W_Q", "W_K", "W_V"), I2),
    **{name: [["1", "0"], ["1/5", "1"], ["4/5", "0"]] for name in "QKVx"},
}


def inputs_of(function: Function, which: str) -> dict[str, Any]:
    """The article's matrices where there are any, or all of them drawn by a seed."""
    draw = Random(which).random
    given: dict[str, Any] = {}
    for name in signature(function).parameters:
        if name == "M":
            given[name] = causal(3)
        elif name == "R":  # orthogonal, with roots
            given[name] = [["sqrt(2)/2", "-sqrt(2)/2"], ["sqrt(2)/2", "sqrt(2)/2"]]
        elif name == "T":  # and what leaves Q K^T as it is together with its transposed inverse
            given[name] = [["1", "2"], ["0", "1/3"]]
        elif which == "article" and name in ARTICLE:
            given[name] = ARTICLE[name]
        else:
            drawn = [NUMBERS[int(draw() * len(NUMBERS))] for _ in range(np.prod(SHAPES[name]))]
            if name == "x":  # rows of a norm are not constant
                drawn[::2] = [f"{text} + 7" for text in drawn[::2]]
            given[name] = np.reshape(np.array(drawn, dtype=object), SHAPES[name]).tolist()
    return given


def verdict(relation: Relation, model: Function, which: str) -> str:
    left, right = relation.sides(model)
    given = inputs_of(left, which)
    assert list(signature(right).parameters) == list(given)
    return equal(returned(left, **given), returned(right, **given)).verdict


# Models, and models with a fault.

head = transformer.attention_head
sdpa = attention.scaled_dot_product_attention
softmax = functions.softmax


def with_positions(E, W_Q, W_K, W_V, M=None):
    return head(E + np.arange(len(E))[:, None], W_Q, W_K, W_V, M)


def forgets_the_mask(E, W_Q, W_K, W_V, M):
    return head(E, W_Q, W_K, W_V)


def one_more(x, axis=-1):
    """Softmax with 1 added to the sums: weights that do not add to 1."""
    y = np.exp(x)
    return y / (np.sum(y, axis=axis, keepdims=True) + 1)


def leaks(Q, K, V, M=None, scale=None):
    """Weights that do not add to 1, and scores that are not products alone."""
    d_k = K.shape[-1]
    Z = Q @ K.T / (np.sqrt(d_k) if scale is None else scale)
    return one_more(Z + Q[:, :1]) @ V


def mixes_rows(Q, K, V):
    y = np.exp(Q @ K.T)
    return y / np.sum(y) @ V


def finite_mask(Q, K, V, M):
    return sdpa(Q, K, V, np.where(np.tri(len(Q), len(K), dtype=bool), 0, -9))


def not_linear(Q, K, V):
    return np.maximum(0, sdpa(Q, K, V))


def uneven(Q, K, V):
    return sdpa(Q * np.array([1, 2]), K, V)


def reversed_heads(E, H_Q, H_K, H_V, W_O):
    heads = [transformer.attention(E @ H_Q[i], E @ H_K[i], E @ H_V[i]) for i in (1, 0)]
    return np.concatenate(heads, axis=-1) @ W_O


def twice(x):
    return softmax(2 * x)


def columns_of(x, axis=-1):
    return softmax(x, axis=0)


def norm(x, gamma=None, beta=None):
    return functions.layer_norm(x, gamma, beta, 0)


def uncentred(x, gamma=None, beta=None):
    return functions.rms_norm(x, gamma, 0)


def with_epsilon(x, gamma=None, beta=None):
    return functions.layer_norm(x, gamma, beta, 1)


def by_place(x, gamma=None, beta=None):
    return functions.layer_norm(x, gamma, beta, 0) * np.array([1, 2])


def ffn(x, W_1, b_1, W_2, b_2):
    return transformer.feed_forward(x, W_1, b_1, W_2, b_2)


def ffn_of_two_biases(x, W_1, b_1, W_2, b_2):
    return np.maximum(0, x @ W_1 + b_1 + np.arange(len(b_1))) @ W_2 + b_2


# Tokens.


@relation(head, with_positions)
def tokens_in_another_order(head):
    def left(E, W_Q, W_K, W_V):
        return head(E[ORDER], W_Q, W_K, W_V)

    def right(E, W_Q, W_K, W_V):
        return head(E, W_Q, W_K, W_V)[ORDER]

    return left, right


@relation(head, with_positions)
def tokens_and_mask_in_another_order(head):
    def left(E, W_Q, W_K, W_V, M):
        return head(E[ORDER], W_Q, W_K, W_V, M[ORDER][:, ORDER])

    def right(E, W_Q, W_K, W_V, M):
        return head(E, W_Q, W_K, W_V, M)[ORDER]

    return left, right


@relation(head, forgets_the_mask)
def a_prefix_of_the_sentence(head):
    """With a causal mask what comes later changes nothing before."""

    def left(E, W_Q, W_K, W_V, M):
        return head(E[:2], W_Q, W_K, W_V, M[:2, :2])

    def right(E, W_Q, W_K, W_V, M):
        return head(E, W_Q, W_K, W_V, M)[:2]

    return left, right


@relation(head, with_positions)
def equal_tokens_have_equal_rows(head):
    def left(E, W_Q, W_K, W_V):
        return head(E[[0, 1, 0]], W_Q, W_K, W_V)[0]

    def right(E, W_Q, W_K, W_V):
        return head(E[[0, 1, 0]], W_Q, W_K, W_V)[2]

    return left, right


# Queries, keys and values.


@relation(sdpa, leaks)
def every_key_twice(sdpa):
    def left(Q, K, V):
        return sdpa(Q, np.concatenate([K, K]), np.concatenate([V, V]))

    def right(Q, K, V):
        return sdpa(Q, K, V)

    return left, right


@relation(sdpa, mixes_rows)
def a_query_alone(sdpa):
    def left(Q, K, V):
        return sdpa(Q[1:2], K, V)

    def right(Q, K, V):
        return sdpa(Q, K, V)[1:2]

    return left, right


@relation(sdpa, finite_mask)
def a_hidden_key_is_no_key(sdpa):
    def left(Q, K, V, M):
        return sdpa(Q, K, V, M)[0]

    def right(Q, K, V, M):
        return sdpa(Q[:1], K[:1], V[:1], M[:1, :1])[0]

    return left, right


@relation(sdpa, leaks)
def keys_moved_alike(sdpa):
    """U added to every key adds a constant to each row of scores."""

    def left(Q, K, V, u):
        return sdpa(Q, K + u, V)

    def right(Q, K, V, u):
        return sdpa(Q, K, V)

    return left, right


@relation(sdpa, leaks)
def values_moved_alike(sdpa):
    """Weights that add to 1 hand on what is added to every value."""

    def left(Q, K, V, u):
        return sdpa(Q, K, V + u)

    def right(Q, K, V, u):
        return sdpa(Q, K, V) + u

    return left, right


@relation(sdpa, leaks)
def scaled_and_unscaled(sdpa):
    def left(Q, K, V):
        return sdpa(3 * Q, K / 3, V)

    def right(Q, K, V):
        return sdpa(Q, K, V)

    return left, right


@relation(sdpa, leaks)
def another_divisor_taken_out(sdpa):
    def left(Q, K, V):
        return sdpa(Q * np.sqrt(5), K, V, scale=np.sqrt(10))

    def right(Q, K, V):
        return sdpa(Q, K, V, scale=np.sqrt(2))

    return left, right


@relation(sdpa, uneven)
def another_orthogonal_basis(sdpa):
    def left(Q, K, V, R):
        return sdpa(Q @ R, K @ R, V)

    def right(Q, K, V, R):
        return sdpa(Q, K, V)

    return left, right


@relation(sdpa, uneven)
def another_basis_and_its_dual(sdpa):
    def left(Q, K, V, T):
        return sdpa(Q @ T, K @ np.array([[1, 0], [-6, 3]]), V)

    def right(Q, K, V, T):
        return sdpa(Q, K, V)

    return left, right


@relation(sdpa, leaks)
def features_in_another_order(sdpa):
    def left(Q, K, V):
        return sdpa(Q[:, COLUMNS], K[:, COLUMNS], V)

    def right(Q, K, V):
        return sdpa(Q, K, V)

    return left, right


@relation(sdpa, not_linear)
def linear_in_the_values(sdpa):
    def left(Q, K, V, U):
        return sdpa(Q, K, 2 * V - U / 3)

    def right(Q, K, V, U):
        return 2 * sdpa(Q, K, V) - sdpa(Q, K, U) / 3

    return left, right


@relation(sdpa, not_linear)
def projected_before_or_after(sdpa):
    """(A V) W = A (V W)."""

    def left(Q, K, V, W_V):
        return sdpa(Q, K, V @ W_V)

    def right(Q, K, V, W_V):
        return sdpa(Q, K, V) @ W_V

    return left, right


# Softmax.


@relation(softmax, one_more)
def scores_shifted_by_row(softmax):
    def left(S, c):
        return softmax(S + c)

    def right(S, c):
        return softmax(S)

    return left, right


@relation(softmax, columns_of)
def scores_transposed(softmax):
    def left(S):
        return softmax(S.T, axis=0).T

    def right(S):
        return softmax(S)

    return left, right


@relation(softmax, twice)
def two_of_one_score(softmax):
    """A key that is split in two shares its weight: each gets half where log 2 is taken off."""

    def left(S):
        twice = np.concatenate([S, S[:, :1]], axis=-1) - np.log(2) * np.array([1, 0, 0, 1])
        split = softmax(twice)
        return np.stack([split[:, 0] + split[:, 3], split[:, 1], split[:, 2]], axis=-1)

    def right(S):
        return softmax(S)

    return left, right


# Heads.


@relation(transformer.multi_head_attention, reversed_heads)
def heads_side_by_side(multi):
    def left(E, H_Q, H_K, H_V, W_O):
        return multi(E, H_Q, H_K, H_V, W_O)

    def right(E, H_Q, H_K, H_V, W_O):
        first = head(E, H_Q[0], H_K[0], H_V[0])
        second = head(E, H_Q[1], H_K[1], H_V[1])
        return np.concatenate([first, second], axis=-1) @ W_O

    return left, right


@relation(transformer.multi_head_attention, reversed_heads)
def heads_split_and_joined(multi):
    """Projections in one wide matrix, cut by `split_heads`."""

    def left(E, H_Q, H_K, H_V, W_O):
        wide = [np.concatenate([W[0], W[1]], axis=-1) for W in (H_Q, H_K, H_V)]
        return multi(E, *[attention.split_heads(W, 2) for W in wide], W_O)

    def right(E, H_Q, H_K, H_V, W_O):
        return attention.multi_head(E, H_Q, H_K, H_V, W_O)

    return left, right


@relation(transformer.multi_head_attention, reversed_heads)
def heads_added_by_their_rows_of_W_O(multi):
    def left(E, H_Q, H_K, H_V, W_O):
        return multi(E, H_Q, H_K, H_V, W_O)

    def right(E, H_Q, H_K, H_V, W_O):
        first = head(E, H_Q[0], H_K[0], H_V[0]) @ W_O[:2]
        return first + head(E, H_Q[1], H_K[1], H_V[1]) @ W_O[2:]

    return left, right


# Norms and networks.


@relation(norm, uncentred)
def a_norm_of_shifted_rows(norm):
    def left(x, c):
        return norm(x + c)

    def right(x, c):
        return norm(x)

    return left, right


@relation(norm, with_epsilon)
def a_norm_of_scaled_rows(norm):
    def left(x):
        return norm(x * np.sqrt(7))

    def right(x):
        return -norm(-x)

    return left, right


@relation(norm, with_epsilon)
def a_norm_of_a_norm(norm):
    def left(x):
        return norm(norm(x))

    def right(x):
        return norm(x)

    return left, right


@relation(norm, by_place)
def a_norm_of_features_in_another_order(norm):
    def left(x, gamma, beta):
        return norm(x[:, COLUMNS], gamma[COLUMNS], beta[COLUMNS])

    def right(x, gamma, beta):
        return norm(x, gamma, beta)[:, COLUMNS]

    return left, right


@relation(ffn, ffn_of_two_biases)
def hidden_units_in_another_order(ffn):
    def left(x, W_1, b_1, W_2, b_2):
        return ffn(x, W_1[:, ORDER], b_1[ORDER], W_2[ORDER], b_2)

    def right(x, W_1, b_1, W_2, b_2):
        return ffn(x, W_1, b_1, W_2, b_2)

    return left, right


@relation(ffn, ffn_of_two_biases)
def hidden_units_scaled_and_unscaled(ffn):
    """ReLU(2 x) = 2 ReLU(x)."""

    def left(x, W_1, b_1, W_2, b_2):
        return ffn(x, 2 * W_1, 2 * b_1, W_2 / 2, b_2)

    def right(x, W_1, b_1, W_2, b_2):
        return ffn(x, W_1, b_1, W_2, b_2)

    return left, right


# The checks.


@pytest.mark.parametrize("which", ["article", "one", "two"])
@pytest.mark.parametrize("name", RELATIONS)
def test_the_result_follows(name: str, which: str) -> None:
    assert verdict(RELATIONS[name], RELATIONS[name].model, which) == "proven"


@pytest.mark.parametrize("name", RELATIONS)
def test_a_planted_fault_is_found(name: str) -> None:
    assert verdict(RELATIONS[name], RELATIONS[name].fault, "one") == "refuted"


# Whole examples: names, tokens, the order of the vocabulary.

TOKENS = ["cat", "chases", "mouse"]
VOCABULARY = ["cat", "chases", "mouse", "quickly", "sleeping"]
COLUMNS_OF_W = [["1.0", "0.2", "0.8", "0.0", "0.6"], ["0.0", "1.0", "0.0", "0.8", "0.0"]]


def sentence(
    tokens: list[str] = TOKENS,
    words: list[str] = VOCABULARY,
    order: tuple[int, ...] = (0, 1, 2, 3, 4),
    mask: str = "causal",
) -> Any:
    """The article's spec, with other tokens and words, its vocabulary in another order."""
    W = [[row[i] for i in order] for row in COLUMNS_OF_W]
    return parse_spec(
        f"""
format = 1
model = "next_token"
tokens = {tokens}
vocabulary = {[words[i] for i in order]}
mask = "{mask}"
[matrices]
W_vocab = {W}
W_Q = "identity"
W_K = "identity"
W_V = "identity"
W_1 = [["0", "1"], ["1", "0"]]
""".replace("'", '"')
    ).derive()


def same(left: Any, right: Any) -> bool:
    return equal(left, right).verdict == "proven"


def test_the_spec_is_the_articles(article: sa.Derivation) -> None:
    assert same(sentence()["P"], article["P"])


@pytest.mark.parametrize("order", [(4, 3, 2, 1, 0), (1, 2, 3, 4, 0), (0, 2, 1, 4, 3)])
def test_the_distribution_follows_the_vocabulary(order: tuple[int, ...]) -> None:
    plain, moved = sentence(), sentence(order=order)
    P = list(plain["P"])
    assert same(list(moved["P"]), [P[i] for i in order])
    assert not same(list(moved["P"]), P)
    assert moved["P"].axes == (tuple(VOCABULARY[i] for i in order),)
    for name in ("E", "A", "O", "F"):
        assert same(moved[name], plain[name])
    (winner,), (before,) = moved["P"].largest(), plain["P"].largest()
    assert winner.labels == before.labels


def test_weights_follow_the_words_of_a_sentence_without_a_mask() -> None:
    plain, moved = sentence(mask="none"), sentence([TOKENS[i] for i in ORDER], mask="none")
    words = sentence([TOKENS[i] for i in ORDER])  # where the mask stays, they do not
    for step in ("A", "O"):
        rows = [[plain[step][i, j] for j in range(plain[step].shape[1])] for i in ORDER]
        if step == "A":
            rows = [[row[j] for j in ORDER] for row in rows]
        assert same(moved[step], rows)
        assert not same(words[step], rows)


def test_the_beginning_of_a_sentence_is_not_changed_by_its_end() -> None:
    whole, part = sentence(), sentence(TOKENS[:2])
    for step in ("E", "Q", "K", "V", "O"):
        assert same(part[step], list(whole[step])[:2])
    assert same(part["A"], [row[:2] for row in list(whole["A"])[:2]])
    without = sentence(mask="none")
    assert not same(part["O"], list(without["O"])[:2])


def test_other_words_change_nothing_but_the_words() -> None:
    """The equations of the page are those of the other words once each is replaced."""
    others = {"cat": "dog", "chases": "meets_", "mouse": "[CLS]"}
    plain, other = sentence(), sentence(list(others.values()), [*others.values(), *VOCABULARY[3:]])
    for step in plain.steps:
        assert same(other[step.address], step)
    text = "\n".join(latex for latex, _ in formulas(page(other)))
    assert r"\text{[CLS]}" in text
    for old, new in (("cat", "dog"), ("chases", r"meets\_"), ("mouse", "[CLS]")):
        text = text.replace(rf"\text{{{new}}}", rf"\text{{{old}}}")
    assert text == "\n".join(latex for latex, _ in formulas(page(plain)))


def test_symbols_are_names_and_nothing_more() -> None:
    """Entries, decimals and what is said of them follow a renaming that keeps the order."""
    names = {"a": "alpha", "b": "beta_2", "x": "w"}

    def derived(names: dict[str, str]) -> sa.Derivation:
        Q = [[names["a"], "1"], ["0", names["b"]]]
        return sa.derive(sdpa, Q=Q, K=[["1", names["x"]], ["2", "0"]], V=I2)

    plain, other = derived({name: name for name in names}), derived(names)
    back = other.subs({new: old for old, new in names.items()})
    for step in plain.steps:
        assert same(back[step.address], step)
        assert back[step.address].latex() == step.latex()
        written = step.texts("text").ravel().tolist()
        renamed = [re.sub(r"\b[abx]\b", lambda m: names[m[0]], text) for text in written]
        assert other[step.address].texts("text").ravel().tolist() == renamed
    assert other.symbols == tuple(names[name] for name in plain.symbols)
    values = {"a": "1/2", "b": "sqrt(2)", "x": "-1/3"}
    assert same(plain.subs(values)["O"], other.subs({names[k]: v for k, v in values.items()})["O"])


def written_once(E, W_Q, W_K):
    S = (E @ W_Q) @ (E @ W_K).T
    return S


def renamed(X, W_A, W_B):
    S = (X @ W_A) @ (X @ W_B).T
    return S


def test_a_formula_follows_the_names_of_the_matrices() -> None:
    E, W, U = ARTICLE["E"], I2, [["0", "1"], ["1", "2"]]
    plain = sa.derive(written_once, E=E, W_Q=W, W_K=U)["S"]
    other = sa.derive(renamed, X=E, W_A=W, W_B=U)["S"]
    assert same(plain, other)
    names = {"E": "X", "W_Q": "W_A", "W_K": "W_B"}
    assert other.formula == re.sub(r"W_Q|W_K|E", lambda m: names[m[0]], plain.formula)
    assert other.formula != plain.formula


# Gradients.


def test_gradients_follow_the_order_of_the_tokens() -> None:
    E, weights = ARTICLE["E"], {"W_Q": [["1", "2"], ["0", "1"]], "W_K": I2, "W_V": [["1"], ["1/2"]]}

    def slopes(E: Any, row: int) -> Any:
        return sa.derive(head, E=E, **weights).backward(f"O[{row},0]")["dE"]

    plain, moved = slopes(E, ORDER[0]), slopes([E[i] for i in ORDER], 0)
    rows = list(plain)
    assert same(list(moved), [rows[i] for i in ORDER])
    assert not same(list(moved), rows)


def test_a_score_shifted_by_row_has_gradients_that_add_to_zero() -> None:
    """What leaves a softmax unchanged cannot change anything after it."""
    back = sa.derive(sdpa, Q=ARTICLE["E"], K=I2, V=[["1"], ["3"]]).backward("O[1,0]")
    for row in back["dZ"]:
        assert same([row[0].form + row[1].form], [0])
    assert sa.compare(back["dZ"][1, 0], 0).verdict == "less"


def test_gradients_are_linear_in_what_is_differentiated() -> None:
    """Of 3 V the gradient by Q is three times that of V."""
    given = {"Q": ARTICLE["E"], "K": I2}
    once = sa.derive(sdpa, V=[["1"], ["3"]], **given).backward("O[1,0]")["dQ"]
    thrice = sa.derive(sdpa, V=[["3"], ["9"]], **given).backward("O[1,0]")["dQ"]
    assert same(list(thrice), [[e.form + e.form + e.form for e in row] for row in once])
    assert not same(list(thrice), list(once))
