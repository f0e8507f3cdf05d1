"""Matrices of small whole numbers, drawn until the softmax of their scores is pleasant.

A weight e^z is 2^a 3^b where z = a log 2 + b log 3. The search counts in these exponents
and in fractions; what it finds is proven of the exact derivation by `examples.is_proven`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm
from random import Random
from typing import TypeVar

from symattn.worksheets.chosen import sampled
from symattn.worksheets.wanted import Wanted

Numbers = list[list[int]]
Power = tuple[int, int]  # of 2 and of 3

#: What matrices are drawn from; what stands twice comes twice as often.
EMBEDDINGS = (-1, 0, 1, 2)
WEIGHTS = (-1, 0, 0, 1, 1, 2)
VALUES = (-1, 0, 1, 2, 3)
FACTORS = (0, 0, 0, 1, 1)
PRIMES = (2, 2, 3)

#: By how many weights a row has, the largest denominator that they may share.
DENOMINATOR = {1: 1, 2: 10, 3: 12, 4: 24, 5: 36, 6: 48}
OF_PROBABILITIES = 40

#: How often each part is drawn before it starts again with other embeddings.
TRIES = 600
FEW = 20

T = TypeVar("T")

LARGEST = 6  # number in a matrix that is computed
HIGHEST = 3  # score in the style exponentials


def drawn(generator: Random, wanted: Wanted) -> dict[str, list[list[str]]] | None:
    """The matrices of one example as a spec has them, or None if none was found.

    It goes step by step, each drawn until it fits what is there already: embeddings, scores,
    values, and what goes on to the next word.
    """
    d = wanted.width
    words = _embeddings(generator, wanted)
    embedded = words[: wanted.tokens]
    scored = _first(_scores(generator, wanted, embedded) for _ in range(TRIES))
    if scored is None:
        return None
    found, weights = scored
    for _ in range(TRIES):
        values = _matrix(generator, VALUES, d, d)
        v = _product(embedded, values)
        if not all(map(any, values)) or not _is_small(v) or not _is_varied(v):
            continue
        output = _outputs(weights, v) if weights else []
        if output is None:
            continue
        found["W_V"] = _texts(values)
        if not wanted.goes_on:
            return {"E": _texts(embedded), **found}
        if output and any(x.denominator > 1 for x in output[-1]):
            continue
        x_last = output[-1] if output else None
        last = _first(_last_layer(generator, words, x_last) for _ in range(FEW))
        if last is not None:
            return {"W_vocab": _texts(_turned(words)), **found, "W_1": last}
    return None


def _first(found: Iterable[T | None]) -> T | None:
    return next((one for one in found if one is not None), None)


def _embeddings(generator: Random, wanted: Wanted) -> Numbers:
    """Different ones, none of them 0."""
    count = wanted.tokens + 2 * wanted.goes_on
    everything = list(product(EMBEDDINGS, repeat=wanted.width))
    usable = [list(e) for e in everything if any(e)]
    if len(usable) < count:  # of one component there are few
        usable = [[x] for x in range(-1, count) if x]
    return sampled(generator, usable, count)


def _scores(
    generator: Random, wanted: Wanted, embedded: Numbers
) -> tuple[dict[str, list[list[str]]], list[list[Fraction]]] | None:
    """W_Q and W_K, and the weights where these are fractions, or None if they are not pleasant."""
    d, d_k = wanted.width, wanted.d_k
    of_logs = wanted.style == "fractions"
    queries = _matrix(generator, WEIGHTS, d, d_k)
    keys = _matrix(generator, FACTORS if of_logs else WEIGHTS, d, d_k)
    primes = [_pick(generator, PRIMES) for _ in range(d_k)]
    q, k = _product(embedded, queries), _product(embedded, keys)
    if not (all(map(any, queries)) and all(map(any, keys)) and _is_small(q) and _is_small(k)):
        return None
    if of_logs:
        weights = _fractions(wanted, q, k, primes)
        if weights is None:
            return None
        return {"W_Q": _texts(queries), "W_K": _logs(keys, primes, wanted.root)}, weights
    if not _has_whole_scores(wanted, q, k):
        return None
    return {"W_Q": _texts(queries), "W_K": _texts(keys)}, []


def _fractions(
    wanted: Wanted, q: Numbers, k: Numbers, primes: Sequence[int]
) -> list[list[Fraction]] | None:
    """The weights of each row, or None where they are no plain fractions, or hard to tell apart."""
    rows = []
    for i, query in enumerate(q):
        powers = [_power(query, key, primes) for key in k[: wanted.visible(i)]]
        row = _shares(powers, DENOMINATOR[len(powers)])
        if row is None or not _has_one_largest(row):
            return None
        rows.append(row)
    is_short = len(rows[-1]) <= (4 if wanted.mask == "causal" else 3)
    if len(set(map(tuple, rows))) < len(rows) or (is_short and len(set(rows[-1])) < len(rows[-1])):
        return None
    return rows


def _power(query: Sequence[int], key: Sequence[int], primes: Sequence[int]) -> Power:
    twos, threes = (
        sum(x * y for x, y, p in zip(query, key, primes, strict=True) if p == prime)
        for prime in (2, 3)
    )
    return twos, threes


def _shares(powers: Sequence[Power], largest: int) -> list[Fraction] | None:
    """Weights in these proportions, or None where their denominator is too large."""
    if max(abs(n) for power in powers for n in power) > LARGEST:
        return None
    parts = [Fraction(2) ** a * Fraction(3) ** b for a, b in powers]
    scale = Fraction(lcm(*(p.denominator for p in parts)), 1)
    whole = [int(p * scale) for p in parts]
    total = sum(whole) // gcd(*whole)
    return None if total > largest else [Fraction(w, sum(whole)) for w in whole]


def _has_one_largest(row: Sequence[Fraction]) -> bool:
    return row.count(max(row)) == 1


def _outputs(weights: list[list[Fraction]], v: Numbers) -> list[list[Fraction]] | None:
    columns = list(zip(*v, strict=True))
    rows = [
        [sum((w * x for w, x in zip(row, column, strict=False)), Fraction(0)) for column in columns]
        for row in weights
    ]
    return None if len(set(map(tuple, rows))) < len(rows) else rows


def _has_whole_scores(wanted: Wanted, q: Numbers, k: Numbers) -> bool:
    for i, query in enumerate(q):
        row = [sum(x * y for x, y in zip(query, key, strict=True)) for key in k]
        if any(s % wanted.root or abs(s) > HIGHEST * wanted.root for s in row):
            return False
        seen = row[: wanted.visible(i)]
        if seen.count(max(seen)) > 1:
            return False
    return True


def _last_layer(
    generator: Random, words: Numbers, last: Sequence[Fraction] | None
) -> list[list[str]] | None:
    """W_1; where x_last is whole, such that the probabilities of the next word are fractions."""
    d = len(words[0])
    if last is None:
        return _texts(_matrix(generator, WEIGHTS, d, d))
    factors, primes = _matrix(generator, (0, 1, 1), d, d), _matrix(generator, (2, 2, 3), d, d)
    powers = []
    for word in words:
        power = [0, 0]
        for x, row, of_row in zip(last, factors, primes, strict=True):
            for y, factor, prime in zip(word, row, of_row, strict=True):
                power[prime == 3] += int(x) * factor * y
        powers.append((power[0], power[1]))
    row_of = _shares(powers, OF_PROBABILITIES)
    if row_of is None or not _has_one_largest(row_of) or len(set(row_of)) < min(3, len(words)):
        return None
    return [
        [_log(f, p) for f, p in zip(row, of_row, strict=True)]
        for row, of_row in zip(factors, primes, strict=True)
    ]


def _is_small(a: Numbers) -> bool:
    return max(abs(x) for row in a for x in row) <= LARGEST


def _is_varied(v: Numbers) -> bool:
    """Whether values differ, component by component, and no two components are the same."""
    columns = list(zip(*v, strict=True))
    return all(len(set(column)) > 1 for column in columns) and len(set(columns)) == len(columns)


def _matrix(generator: Random, numbers: Sequence[int], rows: int, columns: int) -> Numbers:
    return [[_pick(generator, numbers) for _ in range(columns)] for _ in range(rows)]


def _pick(generator: Random, numbers: Sequence[int]) -> int:
    return numbers[int(generator.random() * len(numbers))]


def _product(a: Numbers, b: Numbers) -> Numbers:
    columns = list(zip(*b, strict=True))
    return [[sum(x * y for x, y in zip(row, c, strict=True)) for c in columns] for row in a]


def _turned(a: Numbers) -> Numbers:
    return [list(column) for column in zip(*a, strict=True)]


def _texts(a: Numbers) -> list[list[str]]:
    return [[str(x) for x in row] for row in a]


def _logs(a: Numbers, primes: Sequence[int], factor: int) -> list[list[str]]:
    return [[_log(x * factor, p) for x, p in zip(row, primes, strict=True)] for row in a]


def _log(factor: int, prime: int) -> str:
    if not factor:
        return "0"
    return f'"log({prime})"' if factor == 1 else f'"{factor}*log({prime})"'
