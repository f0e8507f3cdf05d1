"""What holds of one model, that of a spec, at its own sizes and whatever its weights."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.comparison import compare
from symattn.derivation import Derivation
from symattn.entries import Entry
from symattn.graph import NamedNode
from symattn.numbers.dependence import Dependence, members, sources
from symattn.properties.core import Outcome, Statement
from symattn.steps import Step

#: Bits up to which two derivations are told apart.
BITS = 1024


def statements(derivation: Derivation) -> Iterator[Statement]:
    """Which tokens a row of the result depends on, where its rows are tokens.

    The tokens are the rows of the step E; of an encoder's and a decoder's, those of the latter.
    """
    named = [step for step in derivation.steps if step.name.partition("~")[0] == "E"]
    if not named:
        return
    E = named[-1]
    node = derivation.graph.results[0]
    shape = derivation.graph.nodes[node].shape
    if len(shape) != 2 or len(E.shape) != 2 or shape[0] != E.shape[0]:
        return
    reached = reach(derivation, E)
    out = derivation.step_at(node) or Step(derivation, NamedNode("return", node))
    sizes = f"{shape[0]} tokens, any weights"
    first = ", ".join(str(min(row, default=i)) for i, row in enumerate(reached))
    fact = f"rows reach back to tokens {first}"
    if all(j <= i for i, row in enumerate(reached) for j in row):
        yield Statement(
            "model.causality", f"Row $i$ of `{out.short}` depends on no token after $i$.",
            r"\partial\mathrm{out}_i / \partial E_j = 0 \quad (j > i)",
            "Vaswani et al. (2017), section 3.2.3", True, "proven",
            "what can reach an entry, through every operation of the graph", sizes, fact,
        )  # fmt: skip
        return
    found = _witness(derivation, E, out)
    yield Statement(
        "model.sees_later_tokens", f"Row 0 of `{out.short}` depends on later tokens.",
        r"\partial\mathrm{out}_0 / \partial E_j \ne 0 \quad (j > 0)",
        "Vaswani et al. (2017), section 3.2.3", True, found.verdict, found.method,
        f"{shape[0]} tokens", found.witness,
    )  # fmt: skip


def reach(derivation: Derivation, tokens: Step) -> list[list[int]]:
    """For each row of the result, the rows of a step that can reach it."""
    hooks = {tokens.address: lambda _: sources(tokens.shape)}
    result = derivation.run(Dependence(), hooks)[derivation.graph.results[0]]
    return [sorted({j for entry in row for j in members(entry)}) for row in result]


def _witness(derivation: Derivation, tokens: Step, out: Step) -> Outcome:
    """Two exact derivations whose last token differs, and their first rows."""
    if derivation.symbols or derivation.radii:
        return Outcome("undecided", "a later token can reach it; with symbols no witness is sought")
    other = tokens.__symattn_exact__()
    other[-1] = other[0] if any(other[-1] != other[0]) else 0
    changed = derivation.with_({tokens.address: other})
    for index in ((0, k) for k in range(out.shape[1])):
        a, b = (
            Entry(Step(d, NamedNode(out.address, out.node)), index) for d in (derivation, changed)
        )
        if compare(a, b, limit=BITS).verdict in ("less", "greater", "different"):
            was, is_ = (x.step.shown_at(x.index, 6) for x in (a, b))
            last = len(other) - 1
            return Outcome(
                "proven", "two exact derivations that differ",
                witness=f"{a.address} is {was}, and {is_} where {tokens.short}[{last}] is "
                f"{tokens.short}[0]",
            )  # fmt: skip
    return Outcome("undecided", "no two derivations were found that differ")
