"""NumPy in a user's own function: docs/numpy.md, function by function.

Each case is a function of one line, written to a file since its source is read. It
runs on float64 arrays, and its graph over floats with their bounds, and over both
exact number systems.
"""

from __future__ import annotations

import doctest
import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

import symattn as sa
from symattn.decide import is_zero
from symattn.errors import ExactnessError, ShapeError, TraceError
from symattn.literals import Infinity, exact
from symattn.numbers import compact
from symattn.numbers.enclosure import enclose
from symattn.numbers.floating import Floating
from symattn.numbers.normal_form import Sum
from symattn.numbers.scaled import Scaled
from symattn.tracer import METHODS, NUMPY

INPUTS: dict[str, Any] = {
    "A": [["1/3", "-2", "5/7"], ["4", "1/2", "-3/5"], ["-1", "2/9", "3"]],
    "B": [["1/3", "2", "-1", "5"], ["-2/7", "1", "4", "1/2"], ["3", "-1/9", "0", "2"]],
    "C": (np.arange(24).reshape(2, 3, 4) % 7 - 3).tolist(),
    "D": (np.arange(16).reshape(2, 4, 2) % 5 - 2).tolist(),
    "u": ["1/2", "-3", "2/3"],
    "v": ["2", "-1/7", "0", "3/4"],
    "P": [["1/3", "2"], ["5", "sqrt(2)"]],
    "S": [["1/3", "-oo", "-oo"], ["2", "-1", "-oo"], ["0", "1/7", "4"]],
}

#: Of these every bit is NumPy's.
SAME_BITS = (
    """
A + B[:, :3] * A - A / 3
-A ** 2
2 ** A
A.T
B[1:, ::2]
B[..., None] * B[:, None]
B[[0, 2]][:, [True, False, True, True]]
B[np.arange(3) > 0]
B[np.arange(3)[:, None] >= np.arange(4)]
C[..., -1]
C[0, :, np.newaxis]
C[:, [0, 2], [1, 3]]
A * len(A) + A.size / A.ndim - A.shape[0] / 4
B.reshape(2, 6) + B.reshape((2, -1))
np.reshape(B, (4, 3))
C.transpose(2, 0, 1) + 0 * C.transpose((2, 0, 1))
np.transpose(C) + C.transpose()
np.transpose(C, (1, 0, 2))
np.transpose(C, axes=[1, 0, 2])
C.swapaxes(0, -1) - np.swapaxes(C, 2, 0)
np.concatenate([B, A], axis=1)
np.concatenate((u, v, [0.5, 1]))
np.concatenate([A, B], axis=None)
np.stack([u, u + 1]) + np.stack([u, u], axis=0)
np.stack([u, u * 2], axis=-1)
np.hstack([A, B]) * 2
np.hstack([u, v])
np.vstack([A, A + 1])
np.vstack([u, A, np.ones(3)])
np.split(v, 2)[1]
np.split(B, [1, 3], axis=1)[1]
np.array_split(v, 3)[0]
np.repeat(u, 2)
np.repeat(B, [1, 0, 2], axis=0)
B.repeat(2, axis=-1)
np.tile(u, (2, 2))
np.broadcast_to(u, (2, 3)) * 2
np.expand_dims(B, 1) + np.expand_dims(B, axis=(0, 1))[0]
np.squeeze(B[:1])
B[:, :1].squeeze(-1)
np.exp(A / 4)
np.log(P)
np.sqrt(P)
np.sin(A) - np.cos(A)
np.tanh(P)
erf(u)
softmax(A)
np.square(A - 1)
np.abs(A) + abs(B[:, :3])
np.maximum(A, 0) - np.minimum(A, A.T)
np.clip(B, -1, 1)
np.clip(B, 0.5, None) + np.clip(B, a_min=None, a_max=0)
B.clip(-np.inf, 1 / 3)
B.clip(min=0)
u.clip(0, np.abs(u) / 2)
B.max() + B.min(axis=0)
np.max(B, axis=(0, 1), keepdims=True) - np.min(C, axis=(0, -1))[0]
np.max(C, axis=-2)
np.min(B, keepdims=True)
np.sum(B, axis=1, keepdims=True)
np.sum([u, u])
u.sum() + np.sum(u)
B.mean(-1)
np.mean(B, axis=1, keepdims=True)
u.mean() * np.mean(B)
np.var(B, axis=-1)
B.var(axis=1, ddof=1)
u.var() + np.var(v, ddof=2)
np.std(B, axis=-1, keepdims=True)
u.std(ddof=1)
(B - B.mean(axis=-1, keepdims=True)) / np.sqrt(B.var(axis=-1, keepdims=True) + 1e-5)
np.cumsum(u)
np.cumsum(B, axis=0) + B.cumsum(axis=-1)
np.cumsum(B)
np.where(np.eye(3) == 1, A, 0)
np.where(np.arange(3) > 0.5, u, -u)
np.tril(A) + np.triu(A, 1)
np.tril(B, -1) + np.triu(C, k=1)[0]
np.exp(np.tril(S))
np.tril(u)
np.exp(S + np.triu(np.full((3, 3), -np.inf), 1))
np.exp(np.where(np.tri(3) > 0, A, -np.inf))
np.exp(A + np.where(np.tril(np.ones((3, 3), dtype=bool)), 0, -np.inf))
A + np.eye(3) + np.identity(3) * 2 + np.eye(3, 3, k=1)
A + np.ones((3, 3)) / 3 + np.zeros(3) + np.ones_like(A) - np.zeros_like(u)
A + np.full((3, 3), 0.5) + np.full(3, 7) + np.full_like(u, 1 / 3)
A * np.ones((3, 3), dtype=float) + np.zeros((3, 3), float)
A * (np.arange(3) >= 1).astype(float) + np.arange(3).mean()
u * np.arange(1, 4) + np.arange(6, 0, -2) / 7
np.outer(u, v)
np.outer(A, [1, 0.5])
np.add(A, 1) + np.subtract(A, A.T) - np.multiply(A, 2) / np.divide(A, 3)
np.negative(u) + u ** 2
np.copy(A) + A.copy() + A.astype(float) + np.array(A) + np.asarray(A)
np.array([u, u * 2]) + np.array([1, 2, 3], dtype=float) / 3
u[np.where(np.arange(3) != 1)]
np.exp(-np.e) * A + np.e
np.pi * A
0.5 * A * (1 + np.tanh(np.sqrt(2 / np.pi) * (A + 0.044715 * A**3)))
np.sin(np.arange(4) / 2) + v
sum([row * 2 for row in A])
B.T if B.shape[0] > 3 else B * 2
max(A.shape[0], 2) * A
np.dot(u, 3) + np.dot(2, u)
""".strip()
    .replace("A.T[0] - np.newaxis_free(u)\n", "")
    .splitlines()
)

#: Of these a product or sum may be laid out differently: NumPy's within the summation bound.
#: Powers are those of `**`; the `np.power` of NumPy 2.0 is another one with AVX-512.
OTHER_ORDER = """
np.negative(u) + np.power(u, 2)
A @ B
u @ A @ u
C @ D
A.T @ A
np.matmul(C, B.T)
np.dot(A, B) + A.dot(B)
np.dot(C, D)
np.dot(u, A)
np.dot(C, v)
np.inner(B, v)
np.inner(u, u)
np.inner(C, B)
np.einsum("ij,jk->ik", A, B)
np.einsum("ij,kj", A, A)
np.einsum("bij,bjk->bik", C, D)
np.einsum("...ij,...jk->...ik", C, D, optimize=True)
np.einsum("ii", A)
np.einsum("ij,j,i->", A, u, u)
np.sum(B, axis=0)
B.sum()
C.sum(axis=(0, 2))
C.mean((0, 1)) + np.mean(C, axis=(0, 1), keepdims=True)
B.var() + np.var(C, axis=(-1, 0))[0]
np.std(B, axis=0)
np.cumsum(C)
np.var(B.T, axis=-1)
""".strip().splitlines()

HEADER = "import numpy as np\nfrom symattn.functions import erf, softmax\n\n\n"


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Callable[..., Any]]:
    """A line as a function of the inputs that it names, in a file of its own."""
    folder = tmp_path_factory.mktemp("functions")
    made: dict[str, Callable[..., Any]] = {}

    def write(line: str) -> Callable[..., Any]:
        if line not in made:
            path = folder / f"f{len(made)}.py"
            names = ", ".join(n for n in INPUTS if re.search(rf"\b{n}\b", line))
            path.write_text(f"{HEADER}def f({names}):\n    return {line}\n")
            made[line] = loaded(path).f
        return made[line]

    return write


def loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def derived(function: Callable[..., Any]) -> sa.Derivation:
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return sa.derive(function, **{name: INPUTS[name] for name in names})


def both(d: sa.Derivation) -> tuple[Any, Any]:
    """What the function itself gives in float64, and what its graph does."""
    arrays = {name: Floating().array(value) for name, value in d.inputs.items()}
    return d.function(**arrays), d.floats()[d.graph.result]


def same_exactly(d: sa.Derivation) -> None:
    """Both exact number systems, entry by entry."""
    for step in d.steps:
        for theirs, ours in zip(step.value.flat, step.forms.flat, strict=True):
            if isinstance(ours, Infinity):
                assert exact(theirs) == ours
            else:
                difference = compact.number(exact(theirs)) - ours
                assert is_zero(difference).verdict == "zero" or vanishes(difference), step


def vanishes(x: Sum) -> bool:
    """Outside the decidable class (logarithms, π): an enclosure of 0, as narrow as it can be."""
    ball = enclose(x, 1024)
    return bool(
        is_zero(x).verdict == "unknown" and ball.contains(0) and ball.rad() < arb(2) ** -900
    )


@pytest.mark.parametrize("line", SAME_BITS)
def test_the_graph_has_the_bits_of_the_function(line: str, written: Any) -> None:
    plain, traced = both(derived(written(line)))
    assert np.shape(plain) == traced.shape
    assert (traced == plain).all()


@pytest.mark.parametrize("line", OTHER_ORDER)
def test_sums_in_another_order_agree_within_their_bound(line: str, written: Any) -> None:
    plain, traced = both(derived(written(line)))
    assert np.shape(plain) == traced.shape
    np.testing.assert_allclose(traced, plain, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("line", SAME_BITS + OTHER_ORDER)
def test_exact_and_float_agree_and_both_exact_systems_are_equal(line: str, written: Any) -> None:
    d = derived(written(line))
    report = d.verify()
    assert report.agrees, report.disagreements
    same_exactly(d)


# Index notation.

ONE_OPERAND = [
    "i->",
    "ij->ji",
    "ij->i",
    "ij->j",
    "ij->",
    "ii",
    "ii->",
    "ii->i",
    "iij->j",
    "iij->ij",
    "iji->j",
    "ijk->kji",
    "ijk->ik",
    "ijj->i",
    "...->...",
    "i...->...",
    "...i->i...",
    "i...i->...",
    "...ij->...ji",
    "ij",
    "ba",
]
TWO_OPERANDS = [
    "ij,jk->ik",
    "ij,jk",
    "ij,kj->ik",
    "ji,jk->ik",
    "ij,jk->ki",
    "ij,j->i",
    "j,ij->i",
    "i,i->",
    "i,i->i",
    "i,j->ij",
    "i,j",
    "ij,ij->",
    "ij,ij->i",
    "ij,ij->ij",
    "ij,ji->",
    "ij,kl->ik",
    "ij,k->k",
    "ii,i->",
    "ii,ij->j",
    "bij,bjk->bik",
    "bij,bkj->bik",
    "bij,jk->bik",
    "bi,bij->bj",
    "bi,bi->b",
    "hid,hjd->ijh",
    "ijk,jil->kl",
    "ijk,jkl->il",
    "ijk,jk->i",
    "...ij,...jk->...ik",
    "...i,i->...",
    "i...,i...->...",
    "...,...->...",
    "...i,...i",
    ",ij->ij",
    "ij,->",
]
THREE_OPERANDS = [
    "ij,jk,kl->il",
    "i,ij,j->",
    "ij,j,j->i",
    "i,i,i->",
    "i,j,k->kji",
    "bij,bjk,k->bi",
    "ij,ik,il->jkl",
]


def one(a, subscripts):
    return np.einsum(subscripts, a)


def two(a, b, subscripts):
    return np.einsum(subscripts, a, b)


def three(a, b, c, subscripts):
    return np.einsum(subscripts, a, b, c)


def operands_for(subscripts: str, data: st.DataObject) -> list[np.ndarray]:
    """Integer arrays whose axes fit; an ellipsis stands for none, one or two."""
    terms = subscripts.replace(" ", "").partition("->")[0].split(",")
    letters = sorted(set("".join(terms)) - {"."})
    sizes = {x: data.draw(st.integers(1, 3), label=x) for x in letters}
    arrays = []
    for term in terms:
        hidden = data.draw(st.integers(0, 2)) if "." in term else 0
        parts = [sizes[x] if x != "." else None for x in term.replace("...", ".")]
        shape = [n for p in parts for n in ([2] * hidden if p is None else [p])]
        seed = data.draw(st.integers(0, 1000))
        arrays.append(np.random.default_rng(seed).integers(-5, 6, shape))
    return arrays


def einsum_is_numpys(subscripts: str, arrays: list[np.ndarray]) -> None:
    wanted = np.einsum(subscripts, *arrays)
    function = (one, two, three)[len(arrays) - 1]
    named = dict(zip("abc", arrays, strict=False))
    d = sa.derive(function, **named, subscripts=sa.static(subscripts))
    result = d.graph.result
    assert d.graph.nodes[result].shape == wanted.shape
    assert (d.floats()[result] == wanted).all()
    found = [int(form.rational()) for form in d.forms[result].flat]
    assert found == list(np.asarray(wanted).flat)


@pytest.mark.parametrize("subscripts", ONE_OPERAND + TWO_OPERANDS + THREE_OPERANDS)
@settings(max_examples=8)
@given(data=st.data())
def test_einsum_is_numpys(subscripts: str, data: st.DataObject) -> None:
    einsum_is_numpys(subscripts, operands_for(subscripts, data))


term = st.text("ijkl", min_size=1, max_size=3)


@settings(max_examples=200)
@given(data=st.data(), terms=st.lists(term, min_size=1, max_size=3))
def test_einsum_of_any_subscripts(data: st.DataObject, terms: list[str]) -> None:
    letters = sorted(set("".join(terms)))
    output = data.draw(st.lists(st.sampled_from(letters), unique=True))
    arrow = data.draw(st.sampled_from(["", "->" + "".join(output)]))
    subscripts = ",".join(terms) + arrow
    einsum_is_numpys(subscripts, operands_for(subscripts, data))


def test_lengths_of_one_are_broadcast_as_numpy_does() -> None:
    a, b = np.arange(1, 4).reshape(1, 3), np.arange(6).reshape(2, 3)
    for subscripts in ("ij,ij->ij", "ij,ij->i", "ij,kj->ik", "...i,...i"):
        einsum_is_numpys(subscripts, [a, b])


@pytest.mark.parametrize(
    "subscripts", ["ij,jk->ik", "ij,kj->ik", "ij,j->i", "ij,ij->", "ij,jk->ki", "i,ij->j"]
)
def test_an_einsum_that_is_a_matrix_product_stays_one(subscripts: str) -> None:
    arrays = operands_shaped(subscripts)
    d = sa.derive(two, a=arrays[0], b=arrays[1], subscripts=sa.static(subscripts))
    ops = [n.op for n in d.graph.nodes]
    assert ops.count("matmul") == 1
    assert set(ops) <= {"input", "gather", "matmul"}
    assert isinstance(d.forms[d.graph.result], Scaled)  # held as one integer matrix


def operands_shaped(subscripts: str) -> list[np.ndarray]:
    size = {"i": 2, "j": 3, "k": 4}
    terms = subscripts.partition("->")[0].split(",")
    return [np.ones([size[x] for x in term], int) for term in terms]


# What is refused.

REFUSED = [
    ("np.argmax(B)", TraceError, r"np\.argmax is not among .*\.largest\(\)"),
    ("B.argmax(axis=0)", TraceError, r"arrays have no \.argmax .*\.largest\(\)"),
    ("np.sign(A)", TraceError, r"np\.sign is not among .* jumps at 0"),
    ("np.sort(u)", TraceError, "np.sort is not among"),
    ("np.fft.fft(u)", TraceError, r"np\.fft.* is not among"),
    ("np.linalg.norm(u)", TraceError, r"np\.linalg\.norm is not among"),
    ("u * np.linspace(0, 1, 3)", TraceError, r"np.linspace is not among .* np.arange\(n\) \* step"),
    ("u + np.exp2(np.array([-2000, -3000, -4000]))", TraceError, "np.exp2 is not among"),
    ("u + np.empty(3)", TraceError, "np.empty is not among .* np.zeros"),
    ("u + np.arange(0, 1.5, 0.5)", TraceError, r"write np.arange\(n\) \* step"),
    ("u + np.ones(3, dtype=np.float32)", TraceError, "a constant of type float32 would round"),
    ("u.astype(int)", TraceError, r"\.astype\(int\) would round"),
    ("u.astype(np.float32)", TraceError, r"\.astype\(float32\) would round"),
    ("np.array(u, dtype=np.float16)", TraceError, "would round"),
    ("np.exp(u, out=None)", TraceError, "np.exp: got an unexpected keyword argument 'out'"),
    (
        "B.sum(axis=0, dtype=float)",
        TraceError,
        r"\.sum: got an unexpected keyword argument 'dtype'",
    ),
    ("np.var(B, 0, float)", TraceError, "np.var: too many positional arguments"),
    ("np.where(A > 0, A, 0)", TraceError, "branching on a value"),
    ("A if np.all(np.eye(3) * A) else -A", TraceError, "np.all is not among"),
    ("np.add.reduce(A)", TraceError, "np.add.reduce is not understood"),
    ("A[u]", TraceError, "an index that depends on a value"),
    ("math.erf(u[0])", ExactnessError, r"math\.erf returns a float; symattn\.functions\.erf"),
    ("u * math.cos(1)", ExactnessError, r"math\.cos returns a float; np\.cos"),
    ("u * 3.5 * SCALE", ExactnessError, "the Python float 0.1"),
    ("B.sum(axis=2)", ShapeError, "axis 2 of an array with 2 axes"),
    ("B.sum(axis=(0, -2))", ShapeError, "names an axis twice"),
    ("B.sum(axis=0.5)", TraceError, "an integer known from shapes alone"),
    ("B.sum(axis='rows')", TraceError, "an axis is an integer or a tuple"),
    ("np.max(B[:0], axis=0)", ShapeError, "the maximum of nothing"),
    ("np.mean(u[:0])", ShapeError, "a mean of nothing"),
    ("u.var(ddof=3)", ShapeError, "ddof=3 of 3 entries leaves nothing"),
    ("np.einsum('ij,jk->ik', A, u)", ShapeError, "np.einsum"),
    ("np.einsum('ij->ijk', A)", ShapeError, "np.einsum"),
    ("np.einsum(A, [0, 1], [1, 0])", TraceError, "subscripts as a string"),
    ("np.split(v, 3)", ShapeError, "np.split of an array of shape .* equal division"),
    ("np.dot(B, A)", ShapeError, "@ wants shapes that fit"),
    ("np.inner(A, v)", ShapeError, "wants shapes that fit"),
    ("np.reshape(B, (5, 5))", ShapeError, "reshape of an array"),
    ("np.squeeze(B, axis=0)", ShapeError, "squeeze"),
    ("np.hstack([A, np.ones(3)])", ShapeError, "np.concatenate"),
]


@pytest.mark.parametrize(("line", "kind", "message"), REFUSED, ids=[r[0] for r in REFUSED])
def test_what_is_not_understood_is_refused_by_line_and_name(
    line: str, kind: type[Exception], message: str, tmp_path: Path
) -> None:
    names = [n for n in INPUTS if re.search(rf"\b{n}\b", line)]
    path = tmp_path / "mine.py"
    path.write_text(
        f"import math\nimport numpy as np\nSCALE = 0.1\ndef f({', '.join(names)}):\n    y = {line}\n    return y\n"
    )
    with pytest.raises(kind, match=message) as caught:
        derived(loaded(path).f)
    assert str(caught.value).startswith(f"{path}:5: ")


# The documentation.

DOCUMENT = (Path(__file__).parent.parent / "docs" / "numpy.md").read_text("utf-8")


def test_every_rule_is_documented() -> None:
    words = set(re.findall(r"\w+", DOCUMENT.partition("## What is refused")[0]))
    comparisons = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"}
    static = {"asarray", *comparisons}  # of fixed numbers: masks
    names = {f.__name__.removesuffix("_like") for f in NUMPY} | set(METHODS)
    assert {{"absolute": "abs"}.get(n, n) for n in names} - static <= words


def rows(section: str) -> list[list[str]]:
    """The cells of each row of the table in a section."""
    found = re.findall(r"^\| (.*) \|$", section, re.MULTILINE)
    return [re.split(r"(?<!\\) \| ", row) for row in found[2:]]


UNDERSTOOD, _, WHAT_IS_REFUSED = DOCUMENT.partition("## What is refused")
#: Words in backticks that are no functions, and operators that stand in every second line.
NO_NAMES = {"x", "np", "mask", "a", "b", "symattn", "functions", "_like"}


@pytest.mark.parametrize("row", rows(UNDERSTOOD), ids=lambda row: row[0])
def test_every_row_is_derived(row: list[str]) -> None:
    """Each name in a row stands in a line that is derived, exactly and in floats, above."""
    lines = "\n".join([*SAME_BITS, *OTHER_ORDER])
    names = set(re.findall(r"[A-Za-z_]\w*", " ".join(re.findall(r"`(.*?)`", " ".join(row[:2])))))
    for name in names - NO_NAMES:
        assert re.search(rf"\b{name}\b", lines), name
    assert names or any(sign in lines for sign in re.findall(r"`(.*?)`", row[0])[0].split())


#: A line for each piece of code in the first column of what is refused.
REFUSED_ROWS = {
    "y[0] = …": "y[0] = 1", "y[0] += …": "y[0] += 1", "del y[0]": "del y[0]",
    "y += …": "z = y; y += 1", "if x > 0": "y = 1 if x > 0 else 2",
    "while": "while x.sum() > 0: x = x - 1", "assert": "assert (x > 0).all()",
    "and": "y = x and 1", "or": "y = x or 1", "x[x > 0]": "y = x[x > 0]",
    "np.where(x > 0, …)": "y = np.where(x > 0, x, 0)",
    "max(x)": "y = max(x)", "min(x)": "y = min(x)", "sorted(x)": "y = sorted(x)",
    "argmax": "y = np.argmax(x)", "argmin": "y = x.argmin()", "sort": "y = np.sort(x)",
    "argsort": "y = x.argsort()", "float(x)": "y = float(x[0])", "int(x)": "y = int(x[0])",
    "bool(x)": "y = bool(x[0])", "x.item()": "y = x.item()", "x.tolist()": "y = x.tolist()",
    'f"{x:.2f}"': 'y = f"{x:.2f}"', "np.round": "y = np.round(x)", "round(x)": "y = round(x[0])",
    "np.isfinite": "y = np.isfinite(x)", "np.isnan": "y = np.isnan(x)",
    "np.allclose": "y = np.allclose(x, x)", "np.nan": "y = x * np.nan",
    "np.random": "y = x + np.random.rand(3)", "eval": "y = eval('x')", "exec": "exec('y = x')",
    "np.sign": "y = np.sign(x)", "math.sqrt": "y = math.sqrt(4)", "math.erf": "y = math.erf(1)",
    "np.linspace": "y = x * np.linspace(0, 1, 3)", "np.arange(0, 1, 0.1)": "y = np.arange(0, 1, 0.1)",
    "astype(np.float32)": "y = x.astype(np.float32)", "dtype=": "y = np.zeros(3, dtype=np.float32)",
    "out=": "y = np.exp(x, out=x)", "where=": "y = np.sum(x, where=[True])",
    "order=": "y = x.copy(order='C')",
}  # fmt: skip


@pytest.mark.parametrize("row", rows(WHAT_IS_REFUSED), ids=lambda row: row[0])
def test_every_row_of_what_is_refused_is(row: list[str], tmp_path: Path) -> None:
    for i, piece in enumerate(re.findall(r"`(.*?)`", row[0])):
        if piece == "scipy" or row[0].startswith("a lambda"):
            continue  # no library of these tests; functions from elsewhere: test_refusals.py
        path = tmp_path / f"mine_{i}.py"  # bytecode of a file of the same second and size is kept
        body = f"    y = x * 2\n    {REFUSED_ROWS[piece]}\n    return x\n"
        path.write_text(f"import math\nimport numpy as np\ndef f(x):\n{body}")
        with pytest.raises((TraceError, ExactnessError)) as caught:
            sa.derive(loaded(path).f, x=[1, 2, 3])
        assert str(caught.value).startswith(f"{path}:5: ")


def test_its_example_does_what_it_shows() -> None:
    (block,) = re.findall(r"```pycon\n(.*?)```", DOCUMENT, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(block, {}, "numpy.md", "numpy.md", 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0


# π and e.


def smallest(x):
    y = np.abs(x)
    return np.min(y)


def test_symbols_go_through() -> None:
    d = sa.derive(smallest, x=["a", "b"])
    assert d["y"].texts("text").tolist() == ["max(-a, a)", "max(-b, b)"]
    assert d["return"][()].formula("text") == "min(y[0], y[1])"
    assert d["y"][0].formula("latex") == r"\left|x[0]\right|"


def constants(x):
    a = np.pi / 2 * x  # noqa: F841
    b = np.e * x  # noqa: F841
    return np.log(np.e) * x


def test_pi_and_e_are_exact() -> None:
    d = sa.derive(constants, x=[1])
    assert [s.texts("text").tolist() for s in d.steps[1:]] == [["pi/2"], ["exp(1)"], ["1"]]
    assert [s.texts("latex").tolist() for s in d.steps[1:3]] == [[r"\frac{\pi}{2}"], ["e^{1}"]]
    assert d["a"][0].formula("latex") == r"\frac{\pi}{2} \cdot x[0]"


def angles(k):
    theta = k * np.pi / 12
    sine = np.sin(theta)
    cosine = np.cos(theta)
    return sine + cosine


def test_sines_of_twelfths_of_pi_are_sympys() -> None:
    d = sa.derive(angles, k=list(range(-25, 26)))
    same_exactly(d)
    assert d["sine"].texts("text").tolist()[25 + 3] == "sqrt(2)/2"
    assert d["cosine"].texts("text").tolist()[25 + 12] == "-1"
    assert d["theta"][26].decimal(30) == "0.261799387799149436538553615273"


def shifted_root(x):
    return np.sqrt(x - np.pi)


def test_what_stands_beside_pi_is_decided_by_enclosures() -> None:
    assert sa.derive(shifted_root, x=["22/7"])["return"].decimal(6) == ["0.035560"]
    with pytest.raises(ExactnessError, match="root of a negative number"):
        _ = sa.derive(shifted_root, x=["3"]).forms
