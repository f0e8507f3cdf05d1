"""Tied weights: one matrix for words going in and coming out."""

from __future__ import annotations

from symattn.config import Config
from symattn.models import MODELS
from symattn.numbers.normal_form import Kernel, Sum, of
from symattn.properties.checks import equal, result
from symattn.properties.core import Family, Outcome, Size
from symattn.properties.families.heads import counted

FAMILY = Family(__name__)

PRESS = "Press and Wolf (2017), section 3"


@FAMILY.stated(
    "Tying the unembedding to the embedding saves $|V| \\cdot d_{\\mathrm{model}}$ parameters.",
    r"N_{\mathrm{untied}} - N_{\mathrm{tied}} = |V| \cdot d_{\mathrm{model}}", source=PRESS,
)  # fmt: skip
def saving(size: Size) -> Outcome:
    V, d = (of(Kernel("symbol", name)) for name in ("|V|", "d_model"))
    return saved(V * d)


def saved(count: Sum) -> Outcome:
    """Whether a language model without W_U has so many parameters less."""
    axes = dict(MODELS["language_model"].matrices)
    untied = counted(axes, {})
    del axes["W_U"]
    found = equal([untied - counted(axes, {})], [count])
    return Outcome(found.verdict, f"axes of the weights multiplied out: {found.method}",
                   "every |V|, d and number of layers", found.witness)  # fmt: skip


@FAMILY.stated(
    "A model without $W_U$ is the one whose $W_U$ is $W_{\\mathrm{vocab}}$.",
    r"W_U = W_{\mathrm{vocab}} \Rightarrow P_{\mathrm{untied}} = P_{\mathrm{tied}}", source=PRESS,
)  # fmt: skip
def same(size: Size) -> Outcome:
    from symattn.properties.families.cache import model

    d = model(size, size.n, Config(mask="causal", norm="none"))
    return equal(result(d), result(d.with_(W_U=d.inputs["W_vocab"])))
