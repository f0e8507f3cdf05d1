"""Python in a function of a user's own: what is understood, and what is refused by line and call.

Each case is the text of a module with a function f(S), written to a file since its source is
read. The line that is refused ends in ``# <``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symattn as sa
from symattn.errors import ExactnessError, TraceError
from tests.test_numpy import loaded

S = [["1", "2"], ["3", "1/3"]]
HEADER = "import contextlib, copy, functools, math, random, statistics\nimport numpy as np\n"
BRANCHING = "branching on a value; only shapes and fixed options can be branched on"
IN_PLACE = r"item assignment changes an array in place; use np\.where instead"


def lines(*body: str) -> str:
    return "def f(S):\n" + "".join(f"    {line}\n" for line in body)


def derived(text: str, folder: Path) -> sa.Derivation:
    path = folder / "mine.py"
    path.write_text(HEADER + text, "utf-8")
    return sa.derive(loaded(path).f, S=S)


# Refused: the lines, and what the message says after file and line.

IN_PLACE_CASES = [
    (["S[0] = 1  # <", "return S"], IN_PLACE),
    (["S[:, 0] += 1  # <", "return S"], IN_PLACE),
    (["S[0] -= S[1]  # <", "return S"], IN_PLACE),
    (["y = S * 2", "y[1:] *= 2  # <", "return y"], IN_PLACE),
    (["y = S * 2", "y[np.tri(2) == 0] = -np.inf  # <", "return y"], IN_PLACE),
    (["M = np.zeros((2, 2))", "M[0, 1] = -np.inf  # <", "return S + M"], IN_PLACE),
    (["S[0], S[1] = S[1], S[0]  # <", "return S"], IN_PLACE),
    (["for S[0] in range(3):  # <", "    pass", "return S"], IN_PLACE),
    (["with contextlib.nullcontext(1) as S[0]:  # <", "    pass", "return S"], IN_PLACE),
    (["del S[0]  # <", "return S"], "del of an item changes an array in place"),
    (["S.shape = (4,)  # <", "return S"], r"a shape that is assigned .* use x\.reshape"),
    (["S.fill(0)  # <", "return S"], r"arrays have no \.fill"),
    (["S.sort()  # <", "return S"], r"arrays have no \.sort .*: it branches on values"),
    (["np.fill_diagonal(S, 0)  # <", "return S"], r"np\.fill_diagonal is not among"),
    (["np.copyto(S, 0)  # <", "return S"], r"np\.copyto is not among"),
    (
        ["np.exp(S, out=S)  # <", "return S"],
        r"np\.exp: got an unexpected keyword argument 'out'; understood are x",
    ),
    (["return np.add(S, 1, out=S)  # <"], r"np\.add: .* 'out'; understood are x1, x2"),
    (
        ["y = S", "y += 1  # <", "return S"],
        r"y \+= … changes the array in place, and S in f is the same; write y = y \+ …",
    ),
]

IN_PLACE_CASES += [
    ([*first, "y += 1  # <", "return S"], r"y \+= … changes the array in place, and .* is the same")
    for first in (
        ["y = S[0]"], ["y = S.T"], ["y = S.reshape(-1)[1:]"], ["rows = [S]", "y = rows[0]"],
        ["y = np.asarray(S)"], ["M = np.eye(2)", "y = M[0]"],
    )
]  # fmt: skip

BRANCHING_CASES = [
    (["if S.max() > 0:  # <", "    return S", "return -S"], f"> on values is {BRANCHING}"),
    (["if S[0, 0]:  # <", "    return S", "return -S"], BRANCHING),
    (["while S.sum() >= 1:  # <", "    S = S / 2", "return S"], f">= on values is {BRANCHING}"),
    (["y = S[0] and S[1]  # <", "return y"], BRANCHING),
    (["y = S or 3  # <", "return y"], BRANCHING),
    (["y = not S  # <", "return S"], BRANCHING),
    (["assert (S > 0).all()  # <", "return S"], f"> on values is {BRANCHING}"),
    (
        ["assert np.allclose(S, 1)  # <", "return S"],
        r"np\.allclose is not .* as d\.verify\(\) does",
    ),
    (["assert np.isfinite(S).all()  # <", "return S"], r"np\.isfinite is not .* d\.verify\(\)"),
    (["y = S if S[0, 0] < 0 else -S  # <", "return y"], f"< on values is {BRANCHING}"),
    (["y = 0 < S[0, 0] < 1  # <", "return S"], BRANCHING),
    (["if 1 in S:  # <", "    return S", "return -S"], f"== on values is {BRANCHING}"),
    (["match S[0, 0]:", "    case 1:  # <", "        return S", "return -S"], "== on values is"),
    (["y = [r for r in S if r[0] > 0]  # <", "return np.stack(y)"], f"> on values is {BRANCHING}"),
    (["y = any(t > 0 for t in S[0])  # <", "return S"], f"> on values is {BRANCHING}"),
    (["y = list(filter(lambda r: r[0] > 0, S))  # <", "return y[0]"], BRANCHING),
    (["y = S[S > 0]  # <", "return y"], f"> on values is {BRANCHING}"),
    (["y = S * (S != 0)  # <", "return y"], f"!= on values is {BRANCHING}"),
    (["y = np.where(S > 0, S, 0)  # <", "return y"], f"> on values is {BRANCHING}"),
    (["y = np.select([S > 0], [S])  # <", "return y"], f"> on values is {BRANCHING}"),
    (["y = max(S[0])  # <", "return S * y"], r"max\(\): .*: np\.max or np\.maximum is understood"),
    (["y = min(S[0, 0], 1)  # <", "return S * y"], r"min\(\): .*: np\.min or np\.minimum"),
    (["y = sorted(S[0])  # <", "return np.stack(y)"], rf"sorted\(\): < on values is {BRANCHING}"),
    (["y = bool(S[0, 0])  # <", "return S"], rf"bool\(\): {BRANCHING}"),
    (["return np.sort(S)  # <"], r"np\.sort is not among .*: it branches on values"),
    (["return S[np.argsort(S[0])]  # <"], r"np\.argsort is not among .*: it branches on values"),
    (["return S[np.argmax(S[0])]  # <"], r'np\.argmax is not among .*: d\["P"\]\.largest\(\)'),
    (["return S[S[0].argmin()]  # <"], r'arrays have no \.argmin .*: d\["P"\]\.largest\(\)'),
    (["return S[S[0]]  # <"], "an index that depends on a value"),
    (["return S[: S[0, 0]]  # <"], "an integer known from shapes alone"),
]

VALUE_CASES = [
    (["y = float(S[0, 0])  # <", "return S * y"], r"float\(\): a value is wanted here"),
    (["y = int(S[0, 0])  # <", "return S * y"], r"int\(\): a value is wanted here"),
    (["y = complex(S[0, 0])  # <", "return S * y"], r"complex\(\): a value is wanted here"),
    (["y = round(S[0, 0], 2)  # <", "return S * y"], r"round\(\): .*\.decimal\(2\)"),
    (["return np.round(S, 2)  # <"], r"np\.round is not among .*\.decimal\(2\)"),
    (["y = math.floor(S[0, 0])  # <", "return S * y"], r"math\.floor\(\): a value is wanted here"),
    (["y = S[0, 0].item()  # <", "return S * y"], "a value is wanted here"),
    (["y = S.tolist()  # <", "return S"], "a value is wanted here"),
    (["for i in range(S[0, 0]):  # <", "    S = S + i", "return S"], r"range\(\): an integer known"),
    (["print(f'{S[0, 0]:.2f}')  # <", "return S"], "the format '.2f' wants a value"),
    (["print('%.2f' % S[0, 0])  # <", "return S"], "a value is wanted here"),
    (["g = np.vectorize(lambda t: t + 1)", "return g(S)  # <"], r"np\.vectorize\(\): .* wants a NumPy"),
    (["return np.float32(S)  # <"], r"np\.float32\(\): .* wants a NumPy array of values"),
    (["return S.astype(np.float16)  # <"], r"\.astype\(float16\) would round"),
    (["return S.astype(int)  # <"], r"\.astype\(int\) would round"),
    (["return np.asarray(S, dtype=np.float32)  # <"], "would round"),
    (["return S + np.zeros(2, dtype=S.dtype)  # <"], r"no \.dtype .*: it is chosen when the graph"),
    (["y = statistics.mean(S[0])  # <", "return S * y"], r"statistics\.mean\(\): arrays have no"),
    (["y = [t for t in S[0, 0]]  # <", "return S"], "a single number"),
]  # fmt: skip

UNKNOWN_CASES = [
    (["return np.linalg.inv(S)  # <"], r"np\.linalg\.inv is not among the NumPy functions"),
    (["return S @ np.linalg.inv(np.eye(2))  # <"], r"np\.linalg\.inv is not among"),
    (["return S + np.random.randn(2, 2)  # <"], r"np\.random\.randn draws numbers; draw them outside"),
    (["return S + np.random.randint(0, 5, (2, 2))  # <"], r"np\.random\.randint draws numbers"),
    (["rng = np.random.default_rng(0)  # <", "return S + rng.integers(5)"], "default_rng draws numbers"),
    (["return np.trace(S)  # <"], r"np\.trace is not among"),
    (["return np.nansum(S)  # <"], r"np\.nansum is not among"),
    (["return S.foo()  # <"], r"arrays have no \.foo that symattn understands"),
    (["return np.sum(S, where=[True, False])  # <"], "np.sum: .*'where'; understood are a, axis, keepdims"),
    (["return S % 2  # <"], "arrays take .*; % is not understood"),
    (["S //= 2  # <", "return S"], "; // is not understood"),
    (["return divmod(S, 2)  # <"], "; divmod is not understood"),
    (["return ~S  # <"], "; ~ is not understood"),
    (["return S << 1  # <"], "; << is not understood"),
    (["return S & S  # <"], "; & is not understood"),
    (["return S + 'a'  # <"], "wanted a number or an array, got str 'a'"),
    (["return S * None  # <"], "wanted a number or an array, got NoneType None"),
    (["return S * 1j  # <"], "wanted a number or an array, got complex 1j"),
    (["return S * eval('0.1')  # <"], r"eval\(\) runs text"),
    (["exec('S = 0')  # <", "return S"], r"exec\(\) runs text"),
]  # fmt: skip

EXACTNESS_CASES = [
    (["return S / math.sqrt(S.shape[0])  # <"], r"math\.sqrt returns a float; np\.sqrt stays exact"),
    (["return S * math.exp(S[0, 0])  # <"], r"math\.exp returns a float; np\.exp stays exact"),
    (["return S * math.fsum(S[0])  # <"], r"math\.fsum returns a float"),
    (["return S * random.random()  # <"], r"the Python float 0\.\d+ would enter an exact value"),
    (["return S * float('0.1')  # <"], "the Python float 0.1 would enter"),
    (["return S * np.nan  # <"], "nan is no number; what is hidden is selected away by np.where"),
    (["return np.where(np.tri(2) > 0, S, np.nan)  # <"], "nan is no number"),
    (["return np.where(np.tri(2) > 0, S, np.finfo(float).min)  # <"], "the Python float .*e"),
]  # fmt: skip


#: Of other modules' text: the function is not the first line.
MODULE_CASES = [
    ("ns = {}\nexec('def g(x): return x', ns)\ng = ns['g']\n" + lines("return g(S)  # <"),
     "the source of g cannot be read .*: define the function in a file"),
    ("g = lambda x: x\n" + lines("return g(S)  # <"), "a lambda cannot be traced; use def"),
    ("async def g(x):\n    return x\n" + lines("return g(S)  # <"), "g is no plain `def`"),
    ("def g(x):\n    return g(x)  # <\n" + lines("return g(S)"), "g calls itself more than 64 deep"),
    ("def g(x):\n    x += 1  # <\n    return x\n" + lines("y = g(S)", "return y + S"),
     r"x \+= … changes the array in place, and S in f is the same"),
    ("K = 0.3\n" + lines("return S * K  # <"), "the Python float 0.3 would enter"),
    ("def make():\n    k = 0.3\n    def f(S):\n        return S * k  # <\n    return f\nf = make()\n",
     "the Python float 0.3 would enter"),
    ("class C:\n    def __init__(self, x):\n        self.w = x * 0.1\n"
     + lines("c = C(S)  # <", "return c.w"), r"mine\.C\(\): the Python float 0.1 would enter"),
    ("async def f(S):  # <\n    return S\n", "f is no plain `def`; it cannot be traced"),
    ("def f(S):  # <\n    yield S\n", "wanted an array returned, .* of arrays; got generator"),
    ("def f(S):  # <\n    y = S * 2\n", "wanted an array returned, .* of arrays; got NoneType"),
    ("def f(S):  # <\n    return 3\n", "wanted an array returned, .* of arrays; got int"),
    ("def f(S):  # <\n    return S, S.shape[0]\n", r"wanted an array returned, .*; got int at return\.1"),
]  # fmt: skip

CASES = [
    *[(lines(*body), message, TraceError) for body, message in
      IN_PLACE_CASES + BRANCHING_CASES + VALUE_CASES + UNKNOWN_CASES],
    *[(lines(*body), message, ExactnessError) for body, message in EXACTNESS_CASES],
    *[(text, message, ExactnessError if "float" in message else TraceError)
      for text, message in MODULE_CASES],
]  # fmt: skip


def refused_line(text: str) -> str:
    (line,) = (line for line in text.split("\n") if line.endswith("# <"))
    return line.removesuffix("# <").strip()


@pytest.mark.parametrize(
    ("text", "message", "kind"), CASES, ids=[refused_line(case[0]) for case in CASES]
)
def test_a_line_is_refused_by_file_line_and_call(
    text: str, message: str, kind: type[Exception], tmp_path: Path
) -> None:
    with pytest.raises(kind, match=message) as caught:
        derived(text, tmp_path)
    line = next(i for i, part in enumerate((HEADER + text).split("\n"), 1) if part.endswith("# <"))
    assert str(caught.value).startswith(f"{tmp_path / 'mine.py'}:{line}: ")


@pytest.mark.parametrize("line", ["import scipy_like", "raise ValueError('three rows')"])
def test_what_the_function_itself_raises_comes_out_as_it_is(line: str, tmp_path: Path) -> None:
    """An error of its own is no refusal: NumPy would meet it too."""
    with pytest.raises((ModuleNotFoundError, ValueError)) as caught:
        derived(lines(line, "return S"), tmp_path)
    assert not isinstance(caught.value, sa.SymattnError)


@pytest.mark.parametrize(
    "body",
    [
        ["try:", "    y = np.linalg.inv(S)  # <", "except Exception:", "    y = S", "return y"],
        ["try:", "    if S[0, 0] > 0:  # <", "        S = -S", "except ValueError:", "    pass", "return S"],
        ["with contextlib.suppress(ValueError):", "    S = S * math.sqrt(2)  # <", "return S"],
    ],
)  # fmt: skip
def test_a_refusal_that_the_function_catches_is_raised_all_the_same(
    body: list[str], tmp_path: Path
) -> None:
    """NumPy would have met no error: with its `except` it is another function."""
    with pytest.raises((TraceError, ExactnessError)) as caught:
        derived(lines(*body), tmp_path)
    line = 4 + next(i for i, part in enumerate(body) if part.endswith("# <"))
    assert f"mine.py:{line}: " in str(caught.value)


def test_shapes_that_do_not_fit_may_be_caught_as_in_numpy(tmp_path: Path) -> None:
    text = lines(
        "try:", "    y = S @ np.ones((3, 2))", "except ValueError:", "    y = S * 2", "return y"
    )
    assert derived(text, tmp_path)["y"].texts("text").tolist() == [["2", "4"], ["6", "2/3"]]


def test_a_refusal_in_another_file_names_the_line_that_led_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "helpers_of_mine.py").write_text("def g(x):\n    return x if x[0, 0] > 0 else -x\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TraceError) as caught:
        derived("import helpers_of_mine as h\n" + lines("y = h.g(S)", "return y"), tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'helpers_of_mine.py'}:2: ")
    assert str(caught.value).endswith(f"(reached from {tmp_path / 'mine.py'}:5)")


@pytest.mark.parametrize("function", [np.exp, len, np.linalg.inv, max, str.upper])
def test_functions_written_in_c_are_refused(function: Any) -> None:
    with pytest.raises(TraceError, match=r"wanted a function made by def, got .*; wrap"):
        sa.derive(function, x=S)


# Understood: the module, and the result as SymPy would write it.

TENTH = [["1/10", "1/5"], ["3/10", "1/30"]]
SAME = [["1", "2"], ["3", "1/3"]]
UNDERSTOOD: dict[str, tuple[str, Any]] = {
    "print": (lines("print('scores', S, S.shape, f'{S}')", "return S"), SAME),
    "logging": ("import logging\n" + lines("logging.getLogger('x').info('%s', S)", "return S"), SAME),
    "assert on shapes": (lines("assert S.shape == (2, 2) and len(S) > 1", "return S"), SAME),
    "is None": ("def f(S, M=None):\n    if M is not None:\n        S = S + M\n    return S\n", SAME),
    "isinstance": (lines("if not isinstance(S, (np.ndarray, list)):", "    S = -S", "return S"), SAME),
    "type": (lines("return S if type(S) is np.ndarray else -S"), SAME),
    "hasattr": (lines("return S.detach() if hasattr(S, 'detach') else S"), SAME),
    "getattr": (lines("return getattr(S, 'foo', 3) * getattr(S, 'T').T"), [["3", "6"], ["9", "1"]]),
    "copy": (lines("return copy.deepcopy(S) + copy.copy(S) - S"), SAME),
    "float of a shape": (lines("return S / np.sqrt(float(S.shape[0])) * np.sqrt(2)"), SAME),
    "rounded shapes": (lines("n = round(len(S) / 2) + math.floor(1 / 2)", "return S[:n]"), [SAME[0]]),
    "lambda": (lines("g = lambda x: x * 0.1", "return g(S)"), TENTH),
    "map": ("def g(a, b):\n    return a * b\n" + lines("return np.stack(list(map(g, S, [0.1, 0.1])))"), TENTH),
    "reduce": (lines("return functools.reduce(lambda a, b: a + b * 0.1, S)"), ["13/10", "61/30"]),
    "partial": ("def g(a, b):\n    return a * b * 0.1\n" + lines("h = functools.partial(g, b=1)", "return h(S)"), TENTH),
    "partial of a method": (lines("return functools.partial(S.sum, axis=-1)()"), ["3", "10/3"]),
    "cache": ("@functools.cache\ndef g(n):\n    return n / 5\n" + lines("return S * g(1) * g(1) * 2.5"), TENTH),
    "method": ("class C:\n    def __init__(self):\n        self.__w = 1\n    def m(self, x):\n        return x * 0.1 * self.__w\nc = C()\n" + lines("return c.m(S)"), TENTH),
    "super": ("class B:\n    def m(self, x):\n        return x * 0.2\nclass C(B):\n    def m(self, x):\n        return super().m(x) * 0.5\nc = C()\n" + lines("return c.m(S)"), TENTH),
    "callable object": ("class C:\n    def __call__(self, x):\n        return x * 0.1\nc = C()\n" + lines("return c(S)"), TENTH),
    "static and class methods": ("class C:\n    k = 1\n    @staticmethod\n    def m(x):\n        return x * 0.1\n    @classmethod\n    def n(cls, x):\n        return x * cls.k\n" + lines("return C.n(C.m(S))"), TENTH),
    "class inside": (lines("class C:", "    k = 0.1", "    def m(self, x):", "        return x * self.k", "return C().m(S)"), TENTH),
    "dataclass": ("from dataclasses import dataclass\n@dataclass\nclass C:\n    w: object\n" + lines("return C(S * 0.1).w"), TENTH),
    "generator": ("def g(x):\n    for row in x:\n        yield row * 0.1\n" + lines("return np.stack(list(g(S)))"), TENTH),
    "sum of a generator": (lines("return sum(row * 0.1 for row in S)"), ["2/5", "7/30"]),
    "wraps": ("def twice(g):\n    @functools.wraps(g)\n    def inner(*a, **k):\n        return g(*a, **k) * 2\n    return inner\n@twice\ndef g(x):\n    return x * 0.05\n" + lines("return g(S)"), TENTH),
    "decorated itself": ("def plain(g):\n    @functools.wraps(g)\n    def inner(*a, **k):\n        return g(*a, **k)\n    return inner\n@plain\n" + lines("return S * 0.1"), TENTH),
    "closure": ("def make():\n    k = 2\n    def f(S):\n        return S * k * 0.05\n    return f\nf = make()\n", TENTH),
    "nonlocal": (lines("n = 0", "def g(x):", "    nonlocal n", "    n += 1", "    return x * n * 0.1", "return g(S)"), TENTH),
    "recursion": ("def p(x, n):\n    return x if n == 0 else p(x * 0.5, n - 1)\n" + lines("return p(S, 1) * 0.2"), TENTH),
    "star arguments": ("def g(*a, **k):\n    return a[0] * k['w']\n" + lines("return g(*[S], **{'w': 0.1})"), TENTH),
    "star target": (lines("a, *b = S", "return np.stack([a, b[0]]) * 0.1"), TENTH),
    "walrus": (lines("y = (z := S * 0.1) + 0", "return y + z - z"), TENTH),
    "match on a shape": (lines("match S.shape:", "    case (2, n):", "        return S * n * 0.05", "return S"), TENTH),
    "try": (lines("try:", "    y = S * 0.1", "except ValueError:", "    y = S", "finally:", "    pass", "return y"), TENTH),
    "with": (lines("with np.errstate(all='ignore'):", "    y = S * 0.1", "return y"), TENTH),
    "global": ("K = 2\n" + lines("global K", "K = S * 0.1", "return K"), TENTH),
    "nested function": (lines("def g(x):", "    return x * 0.1", "return g(S)"), TENTH),
    "comprehensions": (lines("y = {i: S[i] * 0.1 for i in range(len(S)) if i != 7}", "return np.stack([y[0], y[1]])"), TENTH),
    "loops": (lines("for i in range(9):", "    if i == 1:", "        break", "else:", "    S = -S", "while len(S) > 2:", "    S = S[1:]", "return S"), SAME),
    "items of lists and dicts": (lines("past, out = {}, [0, 0]", "past['K'] = S * 0.1", "past['K'] += 0", "out[0], out[1] = past['K']", "return np.stack(out)"), TENTH),
    "changes in place of what is alone": (lines("y = S.copy()", "y += 1", "z = S[[0, 1]]", "z *= 2", "S += y", "S -= y", "S /= 2", "S += S", "n = 1", "n += 1", "return S * n / 2"), SAME),
    "changes in place of lists": ("def g(out, x):\n    out += [x * 0.1]\n" + lines("out = []", "for i in range(2):", "    g(out, S[i])", "return np.stack(out)"), TENTH),
    "attributes": ("class C: pass\n" + lines("c = C()", "c.w = S * 0.1", "c.w += 0", "return c.w"), TENTH),
    "imports inside": (lines("from numpy import maximum", "return maximum(S, 0) * 0.1"), TENTH),
    "annotations": ("def f(S: np.ndarray) -> np.ndarray:\n    y: np.ndarray = S * 0.1\n    return y\n", TENTH),
    "fractions": ("from fractions import Fraction\nfrom decimal import Decimal\n" + lines("return S * Fraction(1, 5) * Decimal('0.5')"), TENTH),
    "SymPy numbers": ("import sympy\n" + lines("return S * sympy.sqrt(2) * sympy.sqrt(2) * 0.05"), TENTH),
    "argmax of what is fixed": (lines("i = np.argmax(np.arange(3) == 1)", "return S[[i - 1, np.argmax([0, 1])]]"), SAME),
    "sorting what is fixed": (lines("return S[np.argsort([5, 7])] * np.sort(np.array([1, 1]))"), SAME),
}  # fmt: skip


@pytest.mark.parametrize("case", UNDERSTOOD)
def test_python_is_understood(case: str, tmp_path: Path) -> None:
    text, wanted = UNDERSTOOD[case]
    d = derived(text, tmp_path)
    assert d.forms[d.graph.result].shape == np.shape(wanted)
    assert [str(f.rational()) for f in d.forms[d.graph.result].flat] == [
        w for row in np.atleast_2d(wanted) for w in row
    ]
