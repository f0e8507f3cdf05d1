"""What gradients are for: a loss to take them of, one step of descent.

And what is said where a maximum has no derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from symattn.comparison import Comparison, compare
from symattn.entries import Entry
from symattn.errors import AddressError, ExactnessError, nearest
from symattn.gradients import Backward, Loss
from symattn.graph import split_address
from symattn.literals import exact
from symattn.numbers import compact
from symattn.numbers.normal_form import Sum
from symattn.steps import Step

if TYPE_CHECKING:
    from symattn.derivation import Derivation


def loss_of(derivation: Derivation, target: Any, of: str) -> Loss:
    """The cross-entropy of a softmax for a target; see `Derivation.with_loss`."""
    step = derivation.step(of)
    if not step.shape:
        raise AddressError(f"{of}: wanted probabilities, got a single number")
    if len(step.shape) > 2:
        raise AddressError(f"{of}: wanted one row a position, got shape {step.shape}")
    rows = 1 if len(step.shape) == 1 else step.shape[0]
    if isinstance(target, list | tuple):
        if len(target) != rows:
            raise AddressError(f"target: wanted {rows}, one a row of {of}, got {len(target)}")
        chosen = [(i, word) for i, word in enumerate(target) if word is not None]
    else:
        chosen = [(rows - 1, target)]
    if not chosen:
        raise AddressError("target: wanted at least one, got None for every row")
    return Loss(step.address, tuple((i, _place(step, word)) for i, word in chosen))


def _place(step: Step, word: Any) -> int:
    labels, size = step.axes[-1], step.shape[-1]
    if isinstance(word, str):
        if labels is None or word not in labels:
            known = (
                f"it has {', '.join(labels)}" if labels else "it has no tokens, only their numbers"
            )
            raise AddressError(
                f"target: {step.short} has no {word!r}{nearest(word, labels or ())}; {known}"
            )
        return labels.index(word)
    if not isinstance(word, int | np.integer) or isinstance(word, bool) or not 0 <= word < size:
        raise AddressError(f"target: wanted a token or its number, 0 to {size - 1}, got {word!r}")
    return int(word)


def check_of(derivation: Derivation, of: str) -> None:
    """Say what to do where there is no loss."""
    if of == "loss" and not any(s.name == "loss" for s in derivation.graph.steps):
        raise AddressError(
            "there is no step loss: say what the model should predict (target=…, --target), or of "
            'which number gradients are wanted, such as of="P[1]"'
        )


def with_target(derivation: Derivation, of: str, target: Any) -> tuple[Derivation, str]:
    """The derivation with the loss that a target makes, and that loss's address."""
    if target is not None:
        derivation = derivation.with_loss(target)
        of = derivation.graph.steps[-1].address
    check_of(derivation, of)
    return derivation, of


def gradient(derivation: Derivation, of: str, by: str) -> Any:
    """See `Derivation.gradient`."""
    name, cell = split_address(by)
    step = derivation.step(name)
    check_of(derivation, of)
    for by_only in ((), (step.address,)):
        made = derivation.extended(Backward(of, by_only))
        found = [s for s in made.steps if s.is_gradient and s.primal == step.address]
        if found:
            return found[-1] if cell is None else found[-1][cell]
    raise AssertionError("a gradient that is asked for by name is made")


@dataclass(frozen=True)
class GradientStep:
    """One step of gradient descent.

    Attributes:
        rate: the rate η, as text.
        weights: the addresses of what was changed.
        derivation: before the step, with its backward pass.
        after: the derivation with W − η dW in place of each weight.
        slopes: the addresses of their gradients.
        before, now: the entries that are the loss before and after.
    """

    rate: str
    weights: tuple[str, ...]
    slopes: tuple[str, ...]
    derivation: Derivation
    after: Derivation
    before: Entry
    now: Entry

    @property
    def comparison(self) -> Comparison:
        """The loss after the step against the loss before it."""
        return compare(self.now, self.before)

    @property
    def fell(self) -> bool | None:
        """Whether the loss is proven to have fallen; None where that is undecided."""
        verdict = self.comparison.verdict
        return None if verdict in ("undecided", "different") else verdict == "less"

    def __str__(self) -> str:
        words = {"less": "it fell", "greater": "it rose", "equal": "it stayed"}
        verdict = words.get(self.comparison.verdict, "undecided")
        changed = ", ".join(self.weights)
        return (
            f"{changed} - {self.rate} * gradient: {self.before.address} "
            f"{_decimal(self.before)} -> {_decimal(self.now)} ({verdict}: {self.comparison.why})"
        )

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        from symattn.writers import jupyter, shown

        return jupyter.markdown(shown.sentences(str(self)))


def _decimal(entry: Entry) -> str:
    return "(symbols)" if entry.has_symbols else entry.step.shown_at(entry.index)


def gradient_step(
    derivation: Derivation, weights: Sequence[str], rate: Any, of: str, target: Any
) -> GradientStep:
    """See `Derivation.gradient_step`."""
    start, of = with_target(derivation, of, target)
    names = tuple(weights) or tuple(
        s.address for s in start.steps if s.address in start.inputs and s.name not in start.masks
    )
    eta = compact.number(exact(rate))
    if not isinstance(eta, Sum):
        raise ExactnessError(f"rate: wanted a number, got {rate}")
    changed, slopes = {}, []
    for name in names:
        step, slope = start.step(name), gradient(start, of, name)
        slope.check_exact()
        slopes.append(slope.address)
        back = slope.derivation
        forms = np.empty(step.shape, dtype=object)
        for index in np.ndindex(step.shape):
            new: Sum = step.forms[index] - eta * slope.forms[index]
            forms[index] = new.__symattn_exact__()
        changed[step.address] = forms
    after = start.with_(changed)
    before, now = (_number(d, of) for d in (start, after))
    return GradientStep(str(rate), names, tuple(slopes), back, after, before, now)


def _number(derivation: Derivation, of: str) -> Entry:
    found = derivation[of]
    entry = found[()] if isinstance(found, Step) else found
    assert isinstance(entry, Entry)  # the backward pass is of one number
    return entry


@dataclass(frozen=True)
class Kink:
    """An entry of a maximum where it has no derivative, and what was taken for one.

    Attributes:
        place: the entry of the maximum, by the step that it is or stands in.
        decided: whether its operands are proven to tie; else they may.
        shared: whether those that tie share the gradient; else, beside a constant, the other
            gets 0: ReLU'(0) = 0.
    """

    place: str
    decided: bool
    shared: bool

    def __str__(self) -> str:
        tie = (
            "the operands of this maximum tie" if self.decided else "whether they tie is undecided"
        )
        taken = "those that tie share the gradient evenly" if self.shared else "0 is taken"
        return f"{self.place}: {tie}, and it has no derivative; {taken}"


def kinks(derivation: Derivation) -> list[Kink]:
    """See `Derivation.kinks`."""
    graph, found = derivation.graph, dict[str, Kink]()
    for sign, (maximum, shared) in graph.kinks.items():
        node = graph.nodes[maximum]
        entries = np.asarray(derivation.forms[sign], dtype=object)
        known = [form.rational() for form in entries.flat]
        is_open = np.array([c is None for c in known], bool).reshape(entries.shape)
        may_tie = np.array([c is None or c == 0 for c in known], bool).reshape(entries.shape)
        if node.op == "max":  # the largest of a row is as large as itself
            may_tie &= may_tie.sum(axis=node.params["axis"], keepdims=True) > 1
        for index in map(tuple, np.argwhere(may_tie).tolist()):
            place = _place_of(derivation, maximum, index)
            found.setdefault(place, Kink(place, not is_open[index], shared))
    return list(found.values())


def _place_of(derivation: Derivation, maximum: int, index: tuple[int, ...]) -> str:
    """An entry of a maximum, by the step that it is or stands in."""
    node = derivation.graph.nodes[maximum]
    if node.op == "max":
        axis = node.params["axis"]
        kept = (0,) if node.params["keepdims"] else ()
        index = index[:axis] + kept + index[axis + 1 :]
    step = derivation.step_at(maximum)
    places = ",".join(map(str, index))
    if step is not None:
        return step.entry_symbol(index, "text")
    later = next(s for s in derivation.steps if s.node > maximum and s.inside is None)
    return f"the maximum in {later.short}, at [{places}]"
