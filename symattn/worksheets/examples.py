"""Examples whose numbers work out well by hand: the same for the same seed, and proven so.

The weights of a head are whole numbers, and so is the divisor √d_k. In the style ``fractions``
the entries of W_K are multiples of log 2 and log 3, so that e to a score is a whole number, or
one over such, and every weight a plain fraction; in the style ``exponentials`` scores are whole
numbers, and weights have powers of e in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any

from symattn.comparison import compare
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.errors import OptionError
from symattn.literals import Infinity
from symattn.spec import Spec
from symattn.spec_reader import parse_spec
from symattn.toml_text import quoted
from symattn.worksheets.chosen import sampled
from symattn.worksheets.drawn import drawn
from symattn.worksheets.wanted import Wanted, wanted

#: How often it starts again before it is said that there is no pleasant example.
TRIES = 600

NOUNS = (
    "ants", "bees", "birds", "bones", "cats", "dogs", "fish", "flies", "foxes", "frogs", "hens",
    "honey", "leaves", "mice", "owls", "rain", "seeds", "snow", "stones", "worms",
)  # fmt: skip
VERBS = ("chase", "eat", "find", "follow", "hear", "hide", "like", "see", "want")
ADJECTIVES = ("big", "grey", "old", "quick", "small", "young")

#: Sentences by the number of their words: N a noun, V a verb, A an adjective.
SENTENCES = {
    2: "N V",
    3: "N V N",
    4: "the N V N",
    5: "the A N V N",
    6: "the A N V all N",
}

#: How a spec begins that was made here; one that begins otherwise is somebody's own.
HEADER = "# The example of worksheet "

TEMPLATE = """\
{header}{seed}, made by symattn worksheet --random --seed {seed}.
#   symattn write THIS.toml -o page.md     the whole page
#   symattn check SHEET.md                 what somebody wrote in the boxes of the sheet

format = 1
model = "{model}"
title = {title}
tokens = [{tokens}]
{vocabulary}
mask = "{mask}"
scale = "sqrt(d_k)"             # √{d_k} = {root}
{matrices}
[display]
{values}digits = 2
"""

#: What stands behind the first line of a matrix.
NOTES = {
    "E": "an embedding a row",
    "W_vocab": "an embedding a column",
    "W_Q": "d_model × d_k",
    "W_K": "d_model × d_k",
    "W_V": "d_model × d_v",
    "W_1": "d_v × d_model",
}


def random_spec(seed: int = 0, **options: Any) -> Spec:
    """A spec whose numbers work out well by hand: the same for the same seed.

    Args:
        seed: a whole number.
        options: attributes of `symattn.worksheets.wanted.Wanted`: model, tokens, width, d_k,
            mask, style.

    Raises:
        OptionError: no such option, or value of it; or no example was found.

    >>> d = random_spec(seed=7).derive()
    >>> d["A"][2]
    [A[2,0] = 4/7, A[2,1] = 2/7, A[2,2] = 1/7]
    """
    return parse_spec(random_text(seed, **options), f"worksheet {seed}")


def random_text(seed: int = 0, **options: Any) -> str:
    """The same as the text of a spec, with comments; see `random_spec`."""
    if type(seed) is not int:
        raise OptionError(f"seed: wanted a whole number, got {seed!r}")
    asked = wanted(**options)
    generator = Random(seed)
    tokens, vocabulary = _words(generator, asked)
    for _ in range(TRIES):
        matrices = drawn(generator, asked)
        if matrices is None:
            continue
        text = _text(seed, asked, tokens, vocabulary, matrices)
        if is_proven(parse_spec(text, f"worksheet {seed}").derive()):
            return text
    raise OptionError(
        f"no example with {asked.tokens} tokens whose numbers work out well was found in {TRIES:,} "
        "tries: try fewer tokens, another seed, or the style exponentials"
    )


def is_proven(derivation: Derivation) -> bool:
    """Whether it is proven that rows of A and of O differ, and which word is the most likely."""
    for name in ("A", "O"):
        step = derivation.step(name)
        if not all(differ(a, b) for a, b in combinations(list(step), 2)):
            return False
    if any(step.name == "P" for step in derivation.steps):
        return len(derivation.step("P").largest()) == 1
    return True


def differ(some: Sequence[Entry], others: Sequence[Entry]) -> bool:
    """Whether two rows, or whole steps, are proven to differ in some entry."""
    return any(_are_different(a, b) for a, b in zip(some, others, strict=True))


def _are_different(a: Entry, b: Entry) -> bool:
    if isinstance(a.form, Infinity) or isinstance(b.form, Infinity):
        return bool(a.form != b.form)
    if a.form == b.form:
        return False
    one, other = a.form.rational(), b.form.rational()
    if one is not None and other is not None:
        return bool(one != other)
    return compare(a, b).verdict in ("less", "greater", "different")


def _words(generator: Random, asked: Wanted) -> tuple[list[str], list[str]]:
    """A sentence, and a vocabulary with two words more."""
    pools = {"N": NOUNS, "V": VERBS, "A": ADJECTIVES}
    drawn_from = {kind: iter(sampled(generator, pool, 4)) for kind, pool in pools.items()}
    pattern = SENTENCES[asked.tokens].split()
    tokens = [next(drawn_from[word]) if word in pools else word for word in pattern]
    return tokens, [*tokens, *(next(drawn_from["N"]) for _ in range(2))]


def _text(
    seed: int, asked: Wanted, tokens: list[str], vocabulary: list[str],
    matrices: dict[str, list[list[str]]],
) -> str:  # fmt: skip
    return TEMPLATE.format(
        header=HEADER,
        seed=seed,
        model=asked.model,
        title=quoted(" ".join(tokens)),
        tokens=_listed(tokens),
        vocabulary=f"vocabulary = [{_listed(vocabulary)}]\n" if asked.goes_on else "",
        mask=asked.mask,
        d_k=asked.d_k,
        root=asked.root,
        values='values = "exact"\n' if asked.style == "fractions" else "",
        matrices="\n".join(("\n[matrices]", *_lines(matrices))) + "\n",
    )


def _listed(words: list[str]) -> str:
    return ", ".join(map(quoted, words))


def _lines(matrices: dict[str, list[list[str]]]) -> Iterator[str]:
    for name, rows in matrices.items():
        wide = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
        yield f"{name} = [".ljust(32) + f"# {NOTES[name]}"
        for row in rows:
            cells = [text.rjust(w) for text, w in zip(row, wide, strict=True)]
            yield f"  [{', '.join(cells)}],"
        yield "]"
