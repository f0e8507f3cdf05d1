"""Prove the list of properties, one of a user's own, and those of a spec."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from symattn import progress
from symattn.derivation import Derivation, derive, static
from symattn.errors import AddressError, OptionError, Undecided
from symattn.properties.checks import causal, symbols
from symattn.properties.core import Outcome, Property, Size, Statement, Statements, chosen
from symattn.properties.own import Arrays, Stated, symbolic
from symattn.transformer import next_token


def prove(
    *only: str,
    lhs: Any = None,
    rhs: Any = None,
    derivation: Derivation | None = None,
    size: Size | str = "n=3,d=2,h=1",
    title: str = "",
) -> Any:
    """Prove what holds whatever the weights: the list of properties, or one of your own.

    Args:
        only: names of properties or families, such as ``"softmax"``; all if left out.
        lhs, rhs: both sides of an equation: functions of the derivation's arrays, or exact
            numbers. ``d["A"]`` is an array there, with its operators, methods and NumPy's
            functions; ``d.apply(softmax, x=d["Z"])`` calls a model's function,
            ``d.number("sqrt(2)")`` is a number. Shapes broadcast.
        derivation: what d is, with the symbols and numbers that it has; the article's model with
            symbols for all its matrices, if left out.
        size: of the list, and of the article's model: n tokens, d_model = d, h heads.
        title: of your own.

    Returns:
        `Statements`, or one `Statement`, each proven, refuted with a counterexample, or undecided.

    Raises:
        OptionError: no such property or size; one side without the other.
        AddressError, ShapeError, ExactnessError, TraceError: sides that cannot be calculated.

    >>> prove("scaling.var_of_scores")[0].verdict
    'proven'
    >>> prove(lhs=lambda d: d["A"].sum(axis=1), rhs=1).verdict
    'proven'
    >>> prove(lhs=lambda d: d["A"], rhs=lambda d: d["A"].T).verdict
    'refuted'
    """
    at = Size.read(size) if isinstance(size, str) else size
    if lhs is None and rhs is None:
        return Statements(stated(p, at) for p in progress.over(chosen(only), "property"))
    if lhs is None or rhs is None or only:
        raise OptionError("wanted names of properties, or lhs and rhs together")
    d = article_model(at) if derivation is None else derivation
    arrays = Arrays(d)
    found = arrays.compared(arrays.side(lhs), arrays.side(rhs))
    return _statement(Stated("lhs", "rhs", title or "lhs = rhs"), "own", found, _sizes(d))


def stated(p: Property, size: Size) -> Statement:
    """A property of the list, checked at a size; what a check cannot settle is undecided."""
    try:
        found = p.check(size)
    except Undecided as error:
        found = Outcome("undecided", str(error))
    return Statement(
        p.name, p.title, p.latex, p.source, p.claimed, found.verdict, found.method,
        found.sizes or str(size), found.witness,
    )  # fmt: skip


def own(
    derivation: Derivation, properties: Iterable[Stated], functions: Mapping[str, Any]
) -> Statements:
    """The properties of a spec, of its model with symbols for its matrices.

    Args:
        functions: those that a side can name.

    Raises:
        AddressError: a name of nothing; the message says of which property.
    """
    found = []
    for number, p in enumerate(progress.over(properties, "property")):
        d = symbolic(derivation, p.symbolic)
        arrays = Arrays(d)
        try:
            left, right = (arrays.named(w, p.arguments, functions) for w in (p.lhs, p.rhs))
            outcome = arrays.compared(left, right)
        except AddressError as error:
            raise AddressError(f"properties[{number}]: {error}") from None
        found.append(_statement(p, f"own.{number}", outcome, _sizes(d)))
    return Statements(found)


def _statement(p: Stated, name: str, found: Outcome, sizes: str) -> Statement:
    return Statement(
        name, p.title or f"`{p.lhs}` = `{p.rhs}`", p.latex, p.source, p.claimed, found.verdict,
        found.method, sizes, found.witness,
    )  # fmt: skip


def _sizes(derivation: Derivation) -> str:
    """The shapes of the inputs with symbols: at which sizes a statement of one's own holds."""
    named = {s.partition("[")[0] for s in derivation.symbols}
    shapes = [
        f"{name} {' × '.join(map(str, x.shape))}"
        for name, x in derivation.inputs.items()
        if name in named
    ]
    return ", ".join(shapes) or "these numbers"


def article_model(size: Size) -> Derivation:
    """The article's model with a causal mask, and symbols for all its matrices."""
    n, d, d_k = size.n, size.d, size.d_k
    return derive(
        next_token, W_vocab=symbols("W_vocab", d, n), W_1=symbols("W_1", d_k, d), M=causal(n),
        tokens=static(list(range(n))),
        **{name: symbols(name, d, d_k) for name in ("W_Q", "W_K", "W_V")},
    )  # fmt: skip
