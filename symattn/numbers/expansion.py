"""Numbers written out in full, down to rationals and symbols, and how long that is.

Sums refer to sums that refer to sums: each of these is written once, with holes for
what it refers to. The length of the whole follows from the lengths of its parts, so it
is known, exactly, also where the text itself would not fit in memory.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from flint import fmpz

from symattn.notation import Notation, Roots
from symattn.numbers.normal_form import Sum
from symattn.numbers.printing import NO_NAMES, Printer

#: A hole: the number of a sum, and the power signs that its text has in it, which decide
#: about brackets around it. The two characters around are no part of any name.
_HOLE = re.compile("\ue000(\\d+)[\\^*]*\ue001")


class Expansion(Printer):
    """Writes numbers in one notation without names, each part once.

    >>> from symattn.literals import parse
    >>> from symattn.numbers.normal_form import held, number
    >>> x = number(parse("exp(1) + 1"))
    >>> for _ in range(100):
    ...     x = held(x + x * x)
    >>> len(str(fmpz(Expansion("text").size(x))))  # digits of the number of characters
    32
    """

    def __init__(self, style: Notation, roots: Roots = "rationalised") -> None:
        super().__init__(style, NO_NAMES, roots)
        self.room = sys.maxsize  # nothing is too long: what is written here has holes
        self._numbers: dict[Sum, int] = {}
        self._templates: list[str] = []
        self._sizes: list[int] = []

    def size(self, x: Sum) -> int:
        """How many characters `full` has."""
        return self._sizes[self._number(x)]

    def full(self, x: Sum) -> str:
        """The number with everything written out; ask for its `size` first."""
        top = self._number(x)
        needed, texts = {top}, dict[int, str]()
        for n in range(top, -1, -1):
            if n in needed:
                needed.update(int(m[1]) for m in _HOLE.finditer(self._templates[n]))
        for n in sorted(needed):
            texts[n] = _HOLE.sub(lambda m: texts[int(m[1])], self._templates[n])
        return texts[top]

    def inner(self, x: Sum) -> str:
        """A hole for a sum inside another, which was written before it."""
        n = self._numbers[x]
        signs = [sign for sign in ("^", "**") if sign in self._templates[n]]
        return f"\ue000{n}{''.join(signs)}\ue001"

    def _number(self, x: Sum) -> int:
        """The number of a sum; those it refers to are written first, without recursion."""
        waiting = [x]
        while waiting:
            at = waiting[-1]
            missing = [part for part in _parts(at) if part not in self._numbers]
            if at in self._numbers:
                waiting.pop()
            elif missing:
                waiting += missing
            else:
                self._write(waiting.pop())
        return self._numbers[x]

    def _write(self, x: Sum) -> None:
        template = self.sum(x)
        holes = list(_HOLE.finditer(template))
        size = len(template) + sum(self._sizes[int(m[1])] - len(m[0]) for m in holes)
        self._numbers[x] = len(self._templates)
        self._templates.append(template)
        self._sizes.append(size)


def _parts(x: Sum) -> Iterator[Sum]:
    """The sums that stand in exponents and kernels of a sum."""
    for _, exponent, powers in x.terms:
        if exponent is not None:
            yield exponent
        for kernel, _ in powers:
            yield from (a for a in kernel.arguments if isinstance(a, Sum))


def counted(size: int) -> str:
    """A number of characters for people.

    >>> counted(31234), counted(10**40 + 1)
    ('31,234', 'about 1.0 × 10^40')
    """
    if size < 10**15:
        return f"{size:,}"
    digits = str(fmpz(size))  # Python's own int stops at 4300 digits
    return f"about {digits[0]}.{digits[1]} × 10^{len(digits) - 1}"
