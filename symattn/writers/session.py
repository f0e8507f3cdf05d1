"""A page as what one types in Python: each line with the value that it shows.

The values are not found by running the text: each is made by the calls that its text says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.errors import SpecError, SymattnError
from symattn.gradients import Backward, Loss
from symattn.literals import Infinity
from symattn.notation import visible
from symattn.steps import Step, Steps

#: Entries up to which a matrix is written into a cell.
ENTRIES = 40

#: Decimals that a session asks for to show that it can.
DIGITS = 12


@dataclass(frozen=True)
class Typed:
    """What is typed into a cell.

    Attributes:
        source: the text.
        value: what its last line gives; None where it gives nothing.
        printed: what it prints.
        said: a fixed word of the page to stand before it, with the values for it.
    """

    source: str
    value: Any = None
    printed: str = ""
    said: tuple[str, Mapping[str, str]] | None = None


class Session:
    """The derivation of a page as it is loaded in a session, and what is typed of it."""

    def __init__(self, page: Derivation) -> None:
        self.page = page
        source, self.d = _loaded(page)
        self.start = Typed(f"import symattn as sa\n\nd = {source}\nd", self.d)
        self._known: dict[tuple[Any, ...], Derivation] = {page.extensions: self.d}
        self._back = ""

    def about(self, found: Sequence[Step | Entry]) -> Typed | None:
        """What shows the same as an equation about some steps, or an entry; None if nothing does.

        Several steps have to be of one derivation.
        """
        try:
            if len(found) == 1 and isinstance(found[0], Entry):
                return self._entry(found[0])
            return self._steps([one for one in found if isinstance(one, Step)])
        except SymattnError:
            return None

    def _entry(self, found: Entry) -> Typed | None:
        if found.step.derivation.extensions != self.page.extensions:
            return None
        entry = self.d.step(found.step.address)[found.index]
        return Typed(f"{_entry(entry)}.explain()", entry.explain())

    def _steps(self, found: Sequence[Step]) -> Typed | None:
        lines, name, derivation = self._named(found[0].derivation)
        if derivation is None:
            return None
        steps = [derivation.step(one.address) for one in found]
        addresses = ", ".join(_text(one.short) for one in steps)
        value = steps[0] if len(steps) == 1 else Steps(steps)
        return Typed("\n".join([*lines, f"{name}[{addresses}]"]), value)

    def _named(self, page: Derivation) -> tuple[list[str], str, Derivation | None]:
        """What a derivation is called, after the lines that make it where that is new."""
        if page.extensions == self.page.extensions:
            return [], "d", self.d
        call, make = _backward(self.d, page.extensions[len(self.page.extensions) :])
        if make is None:
            return [], "", None
        if page.extensions not in self._known:
            self._known[page.extensions] = make()
        lines = [f"back = {call}"] if self._back != call else []
        self._back = call
        return lines, "back", self._known[page.extensions]

    # What a page does not ask for: the rest of what one would try first, and exercises.

    def more(self) -> Iterator[Typed]:
        """Decimals, the largest, a comparison, floats: as far as this derivation has them."""
        for make in (self._decimals, self._largest, self._compared, self._verified):
            yield from _as_far_as_it_goes(make)

    def exercises(self) -> Iterator[Typed]:
        """Something to change, something to look for, something to work out."""
        for make in (self._changed, self._varied, self._worked):
            yield from _as_far_as_it_goes(make)

    @property
    def _softmaxes(self) -> list[Step]:
        """The results of a softmax, in order."""
        inside = [s.inside for s in self.d.steps if s.inside and s.name.endswith(".sum")]
        return [self.d.step(address) for address in inside]

    @property
    def _predicted(self) -> Step | None:
        """The distribution of the next token, if the derivation ends in one."""
        last = self.d.steps[-1]
        is_softmax = any(last.node == s.node for s in self._softmaxes)
        return last if is_softmax and len(last.shape) == 1 else None

    def _decimals(self) -> Iterator[Typed]:
        step = next((s for s in self._softmaxes if len(s.shape) == 2), self.d.steps[-1])
        if len(step.shape) == 2:
            rows = step.decimal(DIGITS)
            source = f"for row in d[{_text(step.short)}].decimal({DIGITS}):\n    print(*row)"
        elif len(step.shape) == 1:
            rows = [step.decimal(DIGITS)]
            source = f"print(*d[{_text(step.short)}].decimal({DIGITS}))"
        else:
            return
        printed = "".join(" ".join(row) + "\n" for row in rows)
        said = ("notebook_decimals", {"step": step.short})
        yield Typed(source, printed=printed, said=said)

    def _largest(self) -> Iterator[Typed]:
        step = self._predicted
        if step is not None:
            source = f"for entry in d[{_text(step.short)}].largest():\n    print(entry)"
            printed = "".join(f"{entry}\n" for entry in step.largest())
            yield Typed(source, printed=printed, said=("notebook_largest", {}))

    def _compared(self) -> Iterator[Typed]:
        from symattn.comparison import compare

        step = self._predicted
        if step is not None and step.shape[0] > 1:
            first, second = step.top_k(2).kept[:2]
            source = f"sa.compare({_entry(first)}, {_entry(second)})"
            yield Typed(source, compare(first, second), said=("notebook_compare", {}))

    def _verified(self) -> Iterator[Typed]:
        yield Typed("d.verify().agrees", self.d.verify().agrees, said=("notebook_verify", {}))

    @property
    def _matrix(self) -> str | None:
        """An input to change: the last of those that are short and no masks."""
        names = [
            name
            for name, array in self.d.inputs.items()
            if name not in self.d.masks and 0 < array.ndim < 3 and array.size <= ENTRIES
        ]
        return names[-1] if names else None

    def _changed(self) -> Iterator[Typed]:
        name, step = self._matrix, self._predicted or self.d.steps[-1]
        if name is not None:
            value = self.d.step(name).texts("text").tolist()
            call, made = _with(self.d, {name: value})
            word = "notebook_change" if self._predicted else "notebook_change_any"
            said = (word, {"matrix": name, "step": step.short})
            source = f"changed = {call('d')}\nchanged[{_text(step.short)}]"
            yield Typed(source, made.step(step.address), said=said)

    def _varied(self) -> Iterator[Typed]:
        from symattn.varying.exact import DEGREE
        from symattn.varying.parameter import Ranking, parameter
        from symattn.varying.vary import vary

        name = self._matrix
        if name is not None and self._predicted:
            address = f"{name}[{','.join('0' for _ in self.d.inputs[name].shape)}]"
            ranking = Ranking(self.d, [parameter(self.d, address)])
            if 0 < ranking.degree <= DEGREE:  # beyond, it may take its time
                said = ("notebook_vary", {"entry": address})
                yield Typed(f"sa.vary(d, {_text(address)})", vary(self.d, address), said=said)

    def _worked(self) -> Iterator[Typed]:
        from symattn.comparison import compare

        step = next(iter(self._softmaxes), self.d.steps[-1])
        entries = [e for e in reversed(step.entries()) if not isinstance(e.form, Infinity)]
        entry = next((e for e in entries if e.form.rational() is None), entries[0])
        entry.check_number()
        said = ("notebook_work", {"entry": entry.address})
        yield Typed(f'sa.compare("0", {_entry(entry)})', compare("0", entry), said=said)


def _as_far_as_it_goes(make: Callable[[], Iterator[Typed]]) -> list[Typed]:
    """What it makes; nothing where symbols or what is undecided stand against it."""
    try:
        return list(make())
    except SymattnError:
        return []


def _loaded(page: Derivation) -> tuple[str, Derivation]:
    """What loads the derivation of a page anywhere, and what it loads.

    A built-in spec comes with symattn. One of somebody's own stands in the notebook itself: a file
    beside it would be missing wherever else it is opened, and what can be changed is in sight.
    """
    from symattn.examples import builtin_names
    from symattn.spec_reader import load_spec, parse_spec

    spec = page.spec
    if spec.name in builtin_names():
        source, made = f"sa.load({_text(spec.name)})", load_spec(spec.name).derive()
    elif spec.source:
        source = f"sa.loads({_quoted(spec.source)})"
        made = parse_spec(spec.source).derive()
    else:
        raise SpecError("a notebook needs a spec that was read from a file or a text")
    if made.radii and not page.radii:
        source, made = f"{source}.without_radii()", made.without_radii()
    changes = {
        name: page.step(name).texts("text").tolist()
        for name, array in page.inputs.items()
        if name not in made.inputs or not np.array_equal(array, made.inputs[name])
    }
    changes |= {
        step.short: step.texts("text").tolist()
        for step in page.steps
        if page.is_replaced(step.address)
    }
    if changes:
        call, made = _with(made, changes)
        source = call(source)
    shown = {
        field.name: value
        for field in fields(page.display)
        if (value := getattr(page.display, field.name)) != getattr(made.display, field.name)
        and field.name != "fold"  # which is a matter of pages
    }
    if shown:
        said = ", ".join(f"{name}={_literal(value)}" for name, value in shown.items())
        source, made = f"{source}.with_display({said})", made.with_display(**shown)
    return source, made


def _with(d: Derivation, changes: Mapping[str, Any]) -> tuple[Callable[[str], str], Derivation]:
    """What puts other matrices in place of some, as a method of what is named, and the result."""
    if all(name.isidentifier() for name in changes):
        said = ", ".join(f"{name}={_literal(value)}" for name, value in changes.items())
    else:
        said = _literal(dict(changes))
    return (lambda before: f"{before}.with_({said})"), d.with_(changes)


def _backward(d: Derivation, added: Sequence[Any]) -> tuple[str, Callable[[], Derivation] | None]:
    """The call that adds some extensions to a derivation; None where there is no short one."""
    *losses, last = added
    if not isinstance(last, Backward) or last.by or len(losses) > 1:
        return "", None
    if not losses:
        said = "" if last.of == "loss" else _text(last.of)
        return f"d.backward({said})", lambda: d.backward(last.of)
    loss = losses[0]
    if not isinstance(loss, Loss) or len(loss.targets) != 1 or last.of != "loss":
        return "", None
    step, (row, place) = d.step(loss.probabilities), loss.targets[0]
    if step.address != d.step("P").address or row != (step.shape[0] - 1) * (len(step.shape) > 1):
        return "", None
    words = step.axes[-1] or ()
    target: Any = words[place] if words and words.count(words[place]) == 1 else place
    return f"d.backward(target={_literal(target)})", lambda: d.backward(target=target)


#: What ends a literal of Python, or begins an escape in it.
_SYNTAX = frozenset('"\\')


def _entry(entry: Entry) -> str:
    places = ", ".join(map(str, entry.index)) or "()"
    return f"d[{_text(entry.step.short)}][{places}]"


def _text(words: str) -> str:
    """Text as a literal of Python, in double quotes; JSON's would part what lies beyond U+FFFF."""
    return f'"{"".join(f"{chr(92)}{c}" if c in _SYNTAX else visible(c) for c in words)}"'


def _literal(value: Any) -> str:
    """Plain data as a literal of Python."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        inside = ", ".join(map(_literal, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    return repr(value)


def _quoted(text: str) -> str:
    """A text of many lines as a literal of Python that reads as the text does."""
    is_plain = all(c.isprintable() or c == "\n" for c in text)
    for quotes in ('"""', "'''"):
        if is_plain and quotes not in text and not text.endswith((quotes[0], "\\")):
            return f"r{quotes}{text}{quotes}"
    return _text(text) if text.isprintable() else repr(text)
