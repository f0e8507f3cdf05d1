"""The names that people give to the steps of attention, in formulas, code and prose."""

from __future__ import annotations

import re

#: By canonical step; spaces, hyphens, underscores and capitals do not count.
WORDS: dict[str, tuple[str, ...]] = {
    "E": ("E", "X", "x", "inputs", "input", "embeddings", "embedding", "token embeddings",
          "input embeddings", "word embeddings", "input matrix", "embedding matrix", "x emb",
          "input vectors", "embedded", "embs", "emb", "x input"),
    "W_Q": ("W_Q", "WQ", "W query", "query weights", "query weight matrix", "W queries", "q proj",
            "Wqry"),
    "W_K": ("W_K", "WK", "W key", "key weights", "key weight matrix", "W keys", "k proj"),
    "W_V": ("W_V", "WV", "W value", "value weights", "value weight matrix", "W values", "v proj",
            "W val"),
    "Q": ("Q", "queries", "query", "query matrix", "query vectors", "queries matrix",
          "query vector"),
    "K": ("K", "keys", "key", "key matrix", "key vectors", "keys matrix", "key vector"),
    "V": ("V", "values", "value", "value matrix", "value vectors", "values matrix",
          "value vector"),
    "S": ("S", "scores", "score", "attention scores", "attn scores", "raw scores", "score matrix",
          "raw attention scores", "unscaled scores", "similarity scores", "attn score",
          "attention score", "score matrix", "scores matrix", "dot products", "omega"),
    "Z": ("scaled scores", "scaled attention scores", "scaled attn scores", "scaled score",
          "attn scores scaled", "scores scaled", "S scaled", "scaled", "scaled dot products",
          "Z", "scaled qk"),
    "M": ("M", "mask", "causal mask", "attention mask", "mask matrix", "attn mask",
          "look ahead mask", "lookahead mask"),
    "Z_masked": ("Z masked", "masked scores", "masked attention scores", "masked attn scores",
                 "masked scaled scores", "scaled masked scores", "S masked", "scores masked",
                 "masked", "attn scores masked", "masked score"),
    "A": ("A", "attention weights", "attn weights", "weights", "attention weight", "alpha",
          "attention matrix", "attn", "attention probabilities", "attn probs", "attention probs",
          "softmax weights", "attention pattern", "attention distribution", "attn weight",
          "weight matrix", "softmax output", "attention map", "normalized weights",
          "normalised weights", "attention probability matrix", "attn matrix",
          "attention coefficients"),
    "O": ("O", "output", "outputs", "context", "contexts", "context vecs", "context vec",
          "context vectors", "context vector", "attention output", "attn output",
          "attention outputs", "all context vecs", "final output", "out", "output matrix",
          "attn out", "weighted sum", "weighted values", "attention result", "output vectors",
          "context matrix"),
}  # fmt: skip

#: A row's own name in lower case, with its index: q_1, k_{cat}, v^{(2)}.
ROWS = {"q": "Q", "k": "K", "v": "V", "x": "E", "e": "E", "a": "A", "alpha": "A", "o": "O",
        "s": "S", "z": "Z", "α": "A"}  # fmt: skip


def folded(text: str) -> str:
    """A name without what does not count in it.

    >>> folded("Attn_Weights"), folded("W_Q"), folded("x")
    ('attnweights', 'wq', 'x')
    """
    return re.sub(r"[\s_\-{}^()]+", "", text).lower()


_FOLDED = {folded(word): step for step, words in WORDS.items() for word in words}
_FOLDED |= {"α": "A"}
_PHRASES = sorted(
    ((word, step) for step, words in WORDS.items() for word in words
     if len(word) > 3 or word in ("out",)),
    key=lambda pair: -len(pair[0]),
)  # fmt: skip
_PHRASE = re.compile(
    r"(?<![\w\\])(" + "|".join(re.escape(w).replace(r"\ ", r"[\s_-]+") for w, _ in _PHRASES)
    + r")(?![\w])",
    re.IGNORECASE,
)  # fmt: skip


def step_named(text: str) -> str | None:
    """The step that a name as a whole means, if any."""
    return _FOLDED.get(folded(text)) if len(text) <= 60 else None


def last_phrase(text: str) -> tuple[str, str] | None:
    """The last words in a text that name a step, and the step."""
    found = list(_PHRASE.finditer(text))
    if not found:
        return None
    said = found[-1][1]
    step = step_named(said)
    return (said, step) if step else None
