"""Greedy generation: the most likely token, proven so, again and again.

Each step derives the distribution of the next token exactly, proves which of its entries is
the largest, and goes on with that token. Without a cache a step derives the whole sequence;
with one it derives the new token's row alone, from the keys and values of the steps before,
which are taken over exactly. That both ways give the same numbers is proven entry by entry.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from symattn import progress
from symattn.comparison import Comparison, compare, largest
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.errors import AddressError, MaskError, OptionError, ShapeError, Undecided
from symattn.graph import Array
from symattn.literals import NEGATIVE_INFINITY

if TYPE_CHECKING:
    from symattn.steps import Step

#: Precision up to which entries of two passes are told apart.
BITS = 1024

#: What a cache holds, and the step of a head that it is.
CACHED = {"K_past": "K_all", "V_past": "V_all"}


@dataclass(frozen=True)
class Chosen:
    """One token that was generated.

    Attributes:
        derivation: what it was chosen by.
        tokens: all before it, as columns of the vocabulary.
        winners: the entries that are proven the largest; several tie.
    """

    derivation: Derivation
    tokens: tuple[int, ...]
    winners: tuple[Entry, ...]

    @property
    def entry(self) -> Entry:
        """The one that is taken: of several the first in the vocabulary, as `np.argmax` does."""
        return self.winners[0]

    @property
    def token(self) -> int:
        """Its place in the vocabulary."""
        return self.entry.index[-1]

    @property
    def word(self) -> str:
        """The token in words; its place, where no vocabulary is known."""
        return _word(self.entry.step, self.token)

    @property
    def tied(self) -> tuple[str, ...]:
        """The words that are proven to tie; none where one is the most likely alone."""
        if len(self.winners) == 1:
            return ()
        return tuple(_word(w.step, w.index[-1]) for w in self.winners)

    @property
    def probability(self) -> str:
        """The certified decimal of its probability; "?" after what is proven, where some is not."""
        return self.entry.step.shown_at(self.entry.index)


@dataclass(frozen=True)
class Generation:
    """Tokens, each proven the most likely after those before it.

    Attributes:
        prompt: the tokens it began with, as columns of the vocabulary.
        steps: one a token.
        cached: whether each but the first was derived from the keys and values before it.
    """

    prompt: tuple[int, ...]
    steps: tuple[Chosen, ...]
    cached: bool

    @property
    def tokens(self) -> tuple[int, ...]:
        """The prompt, and what was generated."""
        return (*self.prompt, *(s.token for s in self.steps))

    @property
    def words(self) -> tuple[str, ...]:
        """The same in words; places, where no vocabulary is known."""
        step = self.steps[0].entry.step
        return tuple(_word(step, token) for token in self.tokens)

    @cached_property
    def proof(self) -> Proof:
        """That the pass with a cache and the one without give the same; see `same`.

        Raises:
            OptionError: the model has no cache.
        """
        other = generate(self.steps[0].derivation, len(self.steps), cached=not self.cached)
        return same(self, other)

    def __str__(self) -> str:
        from symattn.writers import generations

        return generations.text(self)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        from symattn.writers import generations, jupyter

        return jupyter.markdown(generations.blocks(self))


@dataclass(frozen=True)
class Compared:
    """An entry of one pass beside the same entry of another.

    Attributes:
        step: which token's, from 0.
        left, right: the entries.
        found: what is known of the two.
    """

    step: int
    left: Entry
    right: Entry
    found: Comparison

    def __str__(self) -> str:
        return (
            f"token {self.step + 1}: {self.left.address} here, {self.right.address} there: "
            f"{self.found}"
        )


@dataclass(frozen=True)
class Proof:
    """Two passes, entry by entry: logits and probabilities, keys and values of the last token."""

    entries: tuple[Compared, ...]

    @property
    def equal(self) -> bool:
        """Whether every entry is proven equal; overlapping enclosures prove nothing."""
        return all(e.found.verdict == "equal" for e in self.entries)

    @property
    def refuted(self) -> bool:
        """Whether an entry is proven to differ."""
        return any(e.found.verdict not in ("equal", "undecided") for e in self.entries)

    @property
    def others(self) -> tuple[Compared, ...]:
        """The entries that are not proven equal."""
        return tuple(e for e in self.entries if e.found.verdict != "equal")

    @property
    def reasons(self) -> Mapping[str, int]:
        """How entries were proven equal, and how many each way."""
        return Counter(e.found.why for e in self.entries if e.found.verdict == "equal")

    def __str__(self) -> str:
        from symattn.writers import generations

        return generations.proof(self)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.markdown(shown.sentences(str(self)))


def generate(derivation: Derivation, n: int, *, cached: bool = False) -> Generation:
    """Generate n tokens, each the one that is proven the most likely.

    Args:
        derivation: of a function of `tokens` (or, of a decoder over an encoder, `outputs`)
            whose result is the distribution of the next token, |V|, or of every position's,
            … × |V|, of which the last row counts. A mask among its inputs has to be causal:
            it grows with the tokens.
        cached: whether each token but the first is derived from the keys and values of those
            before it, for functions that take K_past, V_past and `offset`, such as
            `symattn.language.language_model`. They are taken over exactly.

    Raises:
        Undecided: which token is the most likely was not settled; it says between which.
        OptionError: no number of tokens; a function without `tokens`, or without a cache.
        MaskError: a mask that says nothing of further tokens.
        ExactnessError: a cache of what is known only to printed digits.
        ShapeError: a result that is no distribution.

    Source: Sutskever, Vinyals and Le, Sequence to Sequence Learning with Neural Networks
    (2014), section 3.2, with a beam of one; the cache: Shazeer, Fast Transformer Decoding
    (2019), section 2.4.1; Pope et al., Efficiently Scaling Transformer Inference (2023),
    section 2.

    >>> import symattn as sa
    >>> print(generate(sa.article(), 2))
    token  after                    next       P
    1      cat chases mouse         chases  0.29
    2      cat chases mouse chases  cat     0.23
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise OptionError(f"n: wanted a number of tokens of at least 1, got {n!r}")
    prompt = _tokens(derivation)
    if cached:
        _check_cache(derivation)
    tokens, steps = prompt, list[Chosen]()
    for k in progress.over(range(n), "token"):
        try:
            winners = tuple(largest(last_row(derivation)))
        except Undecided as error:
            raise Undecided(f"token {k + 1}: the most likely is not settled: {error}") from None
        steps.append(Chosen(derivation, tokens, winners))
        tokens = (*tokens, steps[-1].token)
        if k + 1 < n:
            extend = with_cache if cached else without_cache
            derivation = extend(derivation, steps[-1].token)
    return Generation(prompt, tuple(steps), cached)


def without_cache(derivation: Derivation, token: int) -> Derivation:
    """The derivation of one token more: the whole sequence again.

    Raises:
        OptionError, MaskError: see `generate`.
    """
    tokens = (*_tokens(derivation), token)
    n = len(tokens)
    if derivation.options.get("types") is not None:
        raise OptionError("types: they say nothing of further tokens; wanted a model without")
    masks = {name: _causal(n) for name in _growing_masks(derivation)}
    return derivation.changed(masks, {_grows(derivation): list(tokens)})


def with_cache(derivation: Derivation, token: int) -> Derivation:
    """The derivation of one token more from the keys and values before it: its row alone.

    Raises:
        OptionError, MaskError, ExactnessError: see `generate`.
    """
    _check_cache(derivation)
    taken = past(derivation)
    n = taken["K_past"].shape[2]
    first = derivation.options.get("offset", 0) - _past_length(derivation)
    masks = {name: _causal(n + 1)[-1:] for name in _growing_masks(derivation)}
    return derivation.changed({**taken, **masks}, {"tokens": [token], "offset": first + n})


def past(derivation: Derivation) -> dict[str, Array]:
    """The keys, as they were turned, and the values of every token: K_past and V_past.

    Returns:
        N × h_kv × n × d_k, and N × h_kv × n × d_v: exact, as inputs of another derivation.

    Raises:
        OptionError: a function without such layers.
        ExactnessError: they are known only as far as the printed digits of inputs tell.
    """
    return {
        name: np.array([[step.__symattn_exact__() for step in row] for row in rows], dtype=object)
        for name, rows in _heads(derivation).items()
    }


def _past_length(derivation: Derivation) -> int:
    """How many tokens its cache stands for: none where it has none."""
    cache = derivation.inputs.get("K_past")
    return 0 if cache is None else int(cache.shape[2])


def _heads(derivation: Derivation) -> dict[str, list[list[Step]]]:
    """By input of a cache, the steps of each layer's heads of keys and values."""
    try:
        (N, h), h_kv = derivation.inputs["W_Q"].shape[:2], derivation.inputs["W_K"].shape[1]
        return {
            name: [
                [derivation.step(f"layer[{i}].head[{j}].{step}") for j in range(0, h, h // h_kv)]
                for i in range(N)
            ]
            for name, step in CACHED.items()
        }
    except (AddressError, KeyError, ValueError, IndexError):
        raise OptionError(
            f"{derivation.graph.name} has no cache: wanted layers with heads whose keys and "
            "values are the steps K_all and V_all, as symattn.language.language_model has"
        ) from None


def _check_cache(derivation: Derivation) -> None:
    parameters = inspect.signature(derivation.function).parameters
    flexible = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    missing = {"offset", *(() if flexible else CACHED)} - set(parameters)
    if missing or _grows(derivation) != "tokens":
        raise OptionError(
            f"{derivation.function.__name__} has no cache: wanted a function of tokens, offset, "
            "K_past and V_past, such as symattn.language.language_model"
        )
    for step in chain(*_heads(derivation)["V_past"]):
        step.check_exact()


def _grows(derivation: Derivation) -> str:
    """The option that a generated token is added to."""
    name = "outputs" if "outputs" in derivation.options else "tokens"
    if name not in derivation.options:
        raise OptionError(
            f"{derivation.function.__name__} generates nothing: wanted a function of tokens"
        )
    return name


def _tokens(derivation: Derivation) -> tuple[int, ...]:
    return tuple(derivation.options[_grows(derivation)])


def _growing_masks(derivation: Derivation) -> list[str]:
    """The masks among the inputs that a further token makes longer.

    Raises:
        MaskError: one that hides other than the future.
    """
    names: list[str] = list(derivation.masks)
    if _grows(derivation) == "outputs":
        names.remove("M")  # the encoder's, whose tokens stay
    found = [name for name in names if name in derivation.inputs]
    n, before = len(_tokens(derivation)), _past_length(derivation)
    for name in found:
        mask, wanted = derivation.inputs[name], _causal(before + n)[before:]
        if mask.shape != wanted.shape or not (mask == wanted).all():
            raise MaskError(
                f"{name}: a mask of its own says nothing of further tokens; wanted a causal one, "
                f"{' × '.join(map(str, wanted.shape))}, which goes on, or none"
            )
    return found


def _causal(n: int) -> Array:
    """0 where a token sees another, -oo where it would see the future: n × n."""
    out = np.full((n, n), NEGATIVE_INFINITY, dtype=object)
    out[np.tril_indices(n)] = Fraction(0)
    return out


def last_row(derivation: Derivation) -> list[Entry]:
    """The distribution of the next token: the last row of what the function returns.

    Raises:
        ShapeError: it returns neither a row nor a matrix.
    """
    step = _result(derivation)
    if len(step.shape) not in (1, 2):
        shape = " × ".join(map(str, step.shape)) or "a number"
        raise ShapeError(f"{step.short}: wanted a distribution, |V| or n × |V|, got {shape}")
    return _last(step)


def _result(derivation: Derivation) -> Step:
    step = derivation.step_at(derivation.graph.results[0])
    assert step is not None  # what is returned has a name
    return step


def _last(step: Step) -> list[Entry]:
    """The entries of a step's last row."""
    return step.entries()[-step.shape[-1] :]


def _word(step: Step, token: int) -> str:
    labels = step.axes[-1]
    return str(token) if labels is None else labels[token]


# The two ways, compared.


def same(left: Generation, right: Generation) -> Proof:
    """Compare two passes over the same tokens, entry by entry, up to where their tokens part."""
    found: list[Compared] = []
    for k, (a, b) in enumerate(zip(left.steps, right.steps, strict=True)):
        found += _compared(a.derivation, b.derivation, k)
        if a.token != b.token:
            break
    return Proof(tuple(found))


def compared(left: Derivation, right: Derivation) -> Proof:
    """Compare the last token in two derivations: keys, values, logits, probabilities."""
    return Proof(tuple(_compared(left, right, 0)))


def _compared(left: Derivation, right: Derivation, step: int) -> Iterator[Compared]:
    ours, theirs = (chain(*map(_last, _of_last_token(d))) for d in (left, right))
    for x, y in zip(ours, theirs, strict=True):
        yield Compared(step, x, y, _equal(x, y))


def _equal(x: Entry, y: Entry) -> Comparison:
    is_known = not (x.step.derivation.radii or y.step.derivation.radii)
    if is_known and x.form == y.form:
        return Comparison("equal", "identical normal forms")
    return compare(x, y, limit=BITS)


def _of_last_token(derivation: Derivation) -> list[Step]:
    """Keys and values of every layer where there are such, logits, and what is returned."""
    try:
        heads = _heads(derivation)
    except OptionError:
        heads = {}
    result = _result(derivation)
    cached = [step for rows in heads.values() for row in rows for step in row]
    return [*cached, *_scores(result), result]


def _scores(step: Step) -> list[Step]:
    """What a softmax was taken of: the last step before it, the logits."""
    nodes, found = step.derivation.graph.nodes, None
    node = nodes[step.node]
    if node.op != "softmax":
        return []
    while found is None:  # logits over a temperature have no name
        found, node = step.derivation.step_at(node.inputs[0]), nodes[node.inputs[0]]
    return [found]
