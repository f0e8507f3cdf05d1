"""Numbers in normal form as LaTeX or plain text, long parts by their names.

Terms over the same denominator share one fraction. A square root in a fraction stands above the
bar, or below it where that is asked for. Sums under a fraction bar,
and exponents that are themselves sums with exponentials, are written by their
name where there is one. Terms are ordered by the size of their exponents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from math import lcm
from typing import Any

from flint import fmpq, fmpz

from symattn.errors import ExactnessError
from symattn.layout import ROOM
from symattn.notation import Notation, Roots, variable
from symattn.numbers.enclosure import START, enclose
from symattn.numbers.normal_form import Kernel, Monomial, Sum, referred

#: Where a number stands that has a name, and the name.
Places = list[tuple[tuple[int, ...], str]]

#: A monomial without its denominator, and its coefficient.
Term = tuple[Monomial, fmpq]


class Names:
    """What to call a sum where it stands under a fraction bar or in an exponent.

    Args:
        places: gives, by number, the entries of one step that are equal to it.
        row: gives the name of the sum of a row of scores, if it has one.
    """

    def __init__(
        self,
        places: Callable[[], Mapping[Sum, Places]] = dict,
        row: Callable[[Any], str | None] = lambda row: None,
    ) -> None:
        self._make = places
        self.row = row

    @cached_property
    def _places(self) -> Mapping[Sum, Places]:
        return self._make()

    def get(self, x: Sum, index: tuple[int, ...]) -> str | None:
        """The name of a number in the text of an entry; of several, that of the same row."""
        places = self._places.get(referred(x))
        if places is None:
            return None
        if len(places) > 1:
            labels = dict(places)
            # The row of the entry (ℓ_i), or the entry itself (logits[j]).
            for n in range(len(index) + 1):
                for own in (index[: len(index) - n], index[n:]):
                    if own in labels:
                        return labels[own]
        return places[0][1]

    @cached_property
    def _order(self) -> dict[Sum, float]:
        return {named: place / len(self._places) for place, named in enumerate(self._places)}

    def order(self, x: Sum) -> float | None:
        """Where a number stands among those that have names, from 0 to 1."""
        return self._order.get(referred(x)) if self._places else None


NO_NAMES = Names()


class TooLong(Exception):
    """A number of more characters than there is room for."""


class Printer:
    """Writes numbers in one notation, with names."""

    def __init__(
        self, style: Notation, names: Names = NO_NAMES, roots: Roots = "rationalised"
    ) -> None:
        self.style: Notation = style
        self.roots: Roots = roots
        self.tex = style == "latex"
        self.names = names
        self.index: tuple[int, ...] = ()
        self.room = ROOM

    def write(self, x: Sum, index: tuple[int, ...] = (), room: int = ROOM) -> str:
        """Write a number.

        Args:
            index: of the entry that it is, by which names are chosen.
            room: characters that it may have, about.

        Raises:
            TooLong: it has more.
        """
        self.index = index
        self.room = room
        return self.sum(x)

    def named(self, x: Sum) -> str | None:
        return self.names.get(x, self.index)

    def ordered(self, x: Sum) -> Iterable[tuple[Monomial, fmpq]]:
        """Named exponents in the order of their names, others by their size.

        Then by the radicand, then by name or text. A float orders here, and decides nothing.
        """
        if len(x.terms) == 1:
            return x.terms.items()
        sizes = {m: (self.magnitude(m[1]), m[0]) for m in x.terms}
        if len(set(sizes.values())) == len(sizes):
            return sorted(x.terms.items(), key=lambda item: sizes[item[0]])
        return sorted(x.terms.items(), key=lambda item: (sizes[item[0]], *self.keys(item[0])))

    def keys(self, monomial: Monomial) -> tuple[str, list[str]]:
        """Texts that order monomials; references with names stand in the order of these."""
        _, exponent, powers = monomial
        kernels = sorted(f"{self.key(k)}^{n}" for k, n in powers)
        return exponent.key if exponent is not None else "", kernels

    def key(self, kernel: Kernel) -> str:
        place = self.names.order(kernel.arguments[0]) if kernel.kind == "ref" else None
        return kernel.key if place is None else f"ref {place:.12f}"

    def magnitude(self, exponent: Sum | None) -> float:
        if exponent is None:
            return 0.0
        place = self.names.order(exponent)
        return _size(exponent) if place is None else 1e300 * (1 + place)

    def sum(self, x: Sum) -> str:
        if not x.terms:
            return "0"
        if 4 * len(x.terms) > self.room:
            raise TooLong  # before its terms are put in order
        groups: dict[frozenset[tuple[Kernel, int]], list[Term]] = {}
        for (radicand, exponent, powers), c in self.ordered(x):
            below = frozenset((k, -n) for k, n in powers if n < 0)
            above = frozenset((k, n) for k, n in powers if n > 0)
            groups.setdefault(below, []).append(((radicand, exponent, above), c))
        parts = []
        for below, terms in groups.items():
            if below:
                parts.append(self.fraction(terms, below))
            else:
                parts += [self.fraction([term], below) for term in terms]
        text = parts[0]
        for part in parts[1:]:
            text += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
        return text

    def fraction(self, terms: Sequence[Term], below: frozenset[tuple[Kernel, int]]) -> str:
        """Terms over one denominator: its integer, its root and its kernels together."""
        whole = lcm(*(int(c.q) for _, c in terms))
        root = self.divisor(terms) if whole > 1 else 1
        if root != 1:  # c √r is c r / √r
            terms = [((1, exponent, above), c * root) for (_, exponent, above), c in terms]
            whole = lcm(*(int(c.q) for _, c in terms))
        minus = terms[0][1] < 0 and len(terms) == 1
        factor = -whole if minus else whole
        top = ""
        for monomial, c in terms:
            shown = self.term(monomial, int(c.p) * factor // int(c.q))
            joined = f" - {shown[1:]}" if shown.startswith("-") else f" + {shown}"
            top = top + joined if top else shown
        bottom = [str(fmpz(whole))] if whole > 1 else []
        bottom += [self.radical(root)] if root != 1 else []
        bottom += [self.power(k, n) for k, n in sorted(below, key=lambda p: p[0].key)]
        return ("-" if minus else "") + self.over(top, len(terms) > 1, bottom)

    def divisor(self, terms: Sequence[Term]) -> int:
        """The radicand that goes below the bar: one that all terms have, where that is asked for.

        A root that is not in a fraction, 3√2, stays as it is.
        """
        radicands = {radicand for (radicand, _, _), _ in terms}
        return radicands.pop() if self.roots == "divided" and len(radicands) == 1 else 1

    def over(self, top: str, several: bool, bottom: list[str]) -> str:
        if not bottom:
            return top
        if self.tex:
            inner = bottom[0] if len(bottom) > 1 else _unwrapped(bottom[0])
            return rf"\frac{{{top}}}{{{' '.join([inner, *bottom[1:]])}}}"
        above = f"({top})" if several else top
        return f"{above}/({'*'.join(bottom)})" if len(bottom) > 1 else f"{above}/{bottom[0]}"

    def term(self, monomial: Monomial, c: int) -> str:
        """An integer times a monomial without denominator."""
        radicand, exponent, powers = monomial
        factors = []
        if radicand != 1:
            factors.append(self.radical(radicand))
        factors += [self.power(k, n) for k, n in sorted(powers, key=lambda p: p[0].key)]
        if exponent is not None:
            factors.append(self.exponential(exponent))
        if not factors:
            return self.spent(str(fmpz(c)))  # Python's own int stops at 4300 digits
        if abs(c) != 1:
            factors.insert(0, self.spent(str(fmpz(abs(c)))))
        return ("-" if c < 0 else "") + (" " if self.tex else "*").join(factors)

    def spent(self, text: str) -> str:
        """Count what is written; a factor without digits of its own counts as a few."""
        self.room -= len(text) + 4
        if self.room < 0:
            raise TooLong
        return text

    def exponential(self, exponent: Sum) -> str:
        self.spent("")
        named = self.named(exponent)
        shown = named or (self.inline(exponent) if self.tex else self.inner(exponent))
        return f"e^{{{shown}}}" if self.tex else f"exp({shown})"

    def inline(self, x: Sum) -> str:
        """Exponents are small already: a single fraction in them is written in a line."""
        if len(x.terms) == 1:
            ((radicand, exponent, powers), c) = next(iter(x.terms.items()))
            if c.q != 1 and all(n > 0 for _, n in powers):
                root = self.divisor([((radicand, exponent, powers), c)])
                if root == 1:
                    return f"{self.term((radicand, exponent, powers), int(c.p))}/{c.q}"
                c *= root
                below = self.radical(root)
                below = below if c.q == 1 else f"({c.q} {below})"
                return f"{self.term((1, exponent, powers), int(c.p))}/{below}"
        return self.inner(x)

    def inner(self, x: Sum) -> str:
        """A sum inside another."""
        return self.sum(x)

    def power(self, kernel: Kernel, n: int) -> str:
        base = self.kernel(kernel)
        if n == 1:
            return base
        if self.tex:
            return f"{{{base}}}^{{{n}}}" if "^" in base else f"{base}^{{{n}}}"
        return f"({base})**{n}" if "**" in base else f"{base}**{n}"

    def kernel(self, kernel: Kernel) -> str:
        self.spent("")
        kind, arguments = kernel.kind, kernel.arguments
        if kind == "symbol":
            return self.symbol(arguments[0])
        if kind == "name":
            return str(arguments[1])
        if kind == "pi":
            return r"\pi" if self.tex else "pi"
        if kind in ("sum", "ref"):
            named = self.named(arguments[0])
            return named or self.bracketed(self.inner(arguments[0]))
        inner = ", ".join(map(self.inner, arguments[:1] if kind == "root" else arguments))
        if kind == "root":
            return self.root(inner, arguments[1])
        if not self.tex:
            return f"{kind}({inner})"
        name = {"erf": r"\mathrm{erf}", "sign": r"\mathrm{sgn}"}.get(kind, "\\" + kind)
        return rf"{name}{self.bracketed(inner)}"

    def radical(self, radicand: int) -> str:
        return rf"\sqrt{{{radicand}}}" if self.tex else f"sqrt({radicand})"

    def root(self, inner: str, n: int) -> str:
        if self.tex:
            return rf"\sqrt{{{inner}}}" if n == 2 else rf"\sqrt[{n}]{{{inner}}}"
        return f"sqrt({inner})" if n == 2 else f"({inner})**(1/{n})"

    def bracketed(self, inner: str) -> str:
        return rf"\left({inner}\right)" if self.tex else f"({inner})"

    def symbol(self, name: str) -> str:
        return variable(name) if self.tex else name


@lru_cache(maxsize=65536)
def _size(exponent: Sum) -> float:
    try:
        return float(enclose(exponent, START).mid())
    except ExactnessError:
        return float("inf")  # with symbols: last, by their text


def _unwrapped(text: str) -> str:
    """A denominator that is one bracket alone needs none."""
    left, right = r"\left(", r"\right)"
    if text.startswith(left) and text.endswith(right) and _balanced(text[len(left) : -len(right)]):
        return text[len(left) : -len(right)]
    return text


def _balanced(text: str) -> bool:
    depth = 0
    for part in text.split("\\"):
        depth += part.startswith("left(") - part.startswith("right)")
        if depth < 0:
            return False
    return depth == 0
