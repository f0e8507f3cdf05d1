"""An expression without its typography: one spelling for LaTeX, code and Unicode."""

from __future__ import annotations

import re

_DROPPED = re.compile(
    r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle|limits|,|;|:|!|>| |quad|qquad)(?![a-zA-Z])"
    r"|\\label\{[^{}]*\}|~|\$|torch\.nn\.functional\.|(?<![\w.])(?:self|np|torch|F|nn|jnp|tf|functional|scipy|special)\."
)
_STYLE = re.compile(
    r"\\(?:mathbf|mathrm|mathit|mathsf|mathcal|mathbb|text|textbf|textit|texttt|textrm|bm|vec|hat"
    r"|tilde|bar|boldsymbol|operatorname\*?|rm|bf|overline|boxed)\s*\{([^{}]*)\}"
)
_T = r"(?:\\top|\\intercal|\\mathsf\s*\{?T\}?|\\mathrm\s*\{?T\}?|\\text\s*\{T\}|T|⊤)"
_UNBRACED = re.compile(
    r"\\(mathbf|mathrm|mathsf|mathcal|bm|vec|hat|tilde|bar|boldsymbol|bf)\s+([A-Za-z])(?![A-Za-z])"
)
_TRANSPOSED = re.compile(
    rf"\^\s*(?:\{{\s*{_T}\s*\}}|{_T}(?![a-zA-Z(]))"
    r"|\.(?:T|mT)\b|\.(?:transpose|t|permute|swapaxes)\([^()]*\)|ᵀ|⊤"
)
_PRIME = re.compile(r"['′]|\^\{?\\prime\}?")
_CALL = re.compile(
    r"\.(?:float|detach|numpy|tolist|round|cpu|item|squeeze|unsqueeze|shape)\([^()]*\)(?:\.\w+)?"
)
_WEIGHTS = re.compile(r"(?<![a-z])W\s*[\^_]\s*\{?\s*\(?\s*\{?([QKVqkv])\}?\)?\}?(?![a-z])")
_ONE_DIGIT = re.compile(r"(?<![A-Za-z])([A-Za-z])_(\d)(?=[A-Z])")
_WORD_BELOW = re.compile(
    r"(?<=[\w}])\s*_\s*\{?\s*\{?(query|key|value|masked|scaled|emb|mask|input)\b\}*"
)


def plain(text: str) -> str:
    """Spell an expression plainly: ``⊺`` behind what is transposed, no styles, no modules."""
    text = text.replace("\\_", "_").replace("\\ ", " ").replace("−", "-").replace("{}", "")
    text = _PRIME.sub("", _TRANSPOSED.sub("⊺", text))
    text = _UNBRACED.sub(r"\\\1{\2}", text)  # \mathbf A
    for _ in range(4):
        text = _STYLE.sub(r"{\1}", text)
    text = _DROPPED.sub(" ", _CALL.sub("", text))
    text = re.sub(r"\\(?:cdot|times|ast|odot)(?![a-zA-Z])", "*", text)
    text = re.sub(r"\\(alpha|omega|softmax|exp)(?![a-zA-Z])", r" \1", text)
    text = re.sub(r"\{([A-Za-z]+)\}(?=\s*[(_^{\[]|$|\s|[A-Z])", r" \1", text)  # {softmax}(…)
    text = _WEIGHTS.sub(lambda m: f" W_{m[1].upper()} ", text)
    text = _ONE_DIGIT.sub(r"\1_{\2} ", text)
    return _WORD_BELOW.sub(r"_\1 ", text).replace("_{", " _{")
