"""Symbols: matrices of them, closed forms for every step, and the way back to numbers."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import sympy

import symattn as sa
from symattn.document import page
from symattn.errors import AddressError, ExactnessError, LiteralError, ShapeError, SpecError
from symattn.functions import layer_norm, log_softmax, relu, softmax
from symattn.literals import Apply, Name, exact, folded
from symattn.notation import variable
from symattn.spec_reader import parse_spec
from symattn.symbols import names_like, symbols_in
from symattn.transformer import attention, attention_head
from symattn.writers import markdown
from tests.test_spec import SMALL, changed, with_line

WEIGHTS = ("W_Q", "W_K", "W_V", "W_1", "W_vocab")

#: Names that SymPy's parser, Python or LaTeX would take for something else.
NAMES = {
    "E": 1, "S": 2, "N": "1/3", "I": "sqrt(2)", "Q": 1, "beta": 2, "lambda": 3, "pi": "1/7",
    "O": 0, "zoo": 1, "ell_1": 1, "ℓ_1": -1, "None": 2, "exp": "exp(1)",
}  # fmt: skip
NAMED = {
    "E": [["E", "S"], ["N", "I"]],
    "W_Q": [["Q", 0], ["beta", "lambda"]],
    "W_K": [["pi", 1], ["O", "zoo"]],
    "W_V": [["ell_1", "ℓ_1"], ["None", "exp"]],
}


def symbolic(article: sa.Derivation, *names: str) -> sa.Derivation:
    return article.with_({name: sa.symbols_like(name, article[name]) for name in names})


def test_symbols_are_called_by_their_place() -> None:
    W = sa.symbols_like("W_Q", (2, 3))
    assert W.shape == (2, 3)
    assert W[1, 2] == sympy.Symbol("W_Q[1,2]", real=True)
    assert W[1, 2].is_finite
    assert sa.symbols_like("b", 2).tolist() == [exact_symbol("b[0]"), exact_symbol("b[1]")]
    assert sa.symbols_like("c", ())[()] == exact_symbol("c")
    assert sa.symbols_like("T", (1, 2, 2))[0, 1, 0] == exact_symbol("T[0,1,0]")


def exact_symbol(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, real=True)


@pytest.mark.parametrize("name", ["W-Q", "", "1a", "W[0]", "a b", "W'"])
def test_no_name_of_a_matrix(name: str) -> None:
    with pytest.raises(LiteralError, match="wanted the name of a matrix"):
        sa.symbols_like(name, (2, 2))


@pytest.mark.parametrize("shape", [(0, 2), (2, -1), "22", (2.0, 2), (True, 2), None])
def test_no_shape(shape: Any) -> None:
    with pytest.raises(ShapeError, match=r"W: wanted a shape such as \(2, 3\)"):
        sa.symbols_like("W", shape)


@pytest.mark.parametrize("names", [("W_Q",), ("W_Q", "W_K"), WEIGHTS], ids=len)
def test_numbers_put_back_give_what_numbers_gave(
    article: sa.Derivation, names: tuple[str, ...]
) -> None:
    d = symbolic(article, *names)
    back = d.subs({name: article.inputs[name] for name in names})
    assert back.symbols == ()
    for step in article.steps:
        again = back[step.address]
        assert again.exact == step.exact
        assert again.forms.shape == step.forms.shape
        assert all(a == b for a, b in zip(again.forms.flat, step.forms.flat, strict=True))
        assert repr(again) == repr(step)
    assert back.verify().agrees


@pytest.mark.parametrize("names", [("W_Q",), WEIGHTS], ids=len)
def test_closed_forms_hold_at_the_numbers(article: sa.Derivation, names: tuple[str, ...]) -> None:
    """SymPy's own substitution into the closed form gives the value from numbers alone."""
    d = symbolic(article, *names)
    values = {
        exact_symbol(f"{name}[{i},{j}]"): article[name].exact[i, j]
        for name in names
        for i, j in places(article[name])
    }
    for name in ("Q", "S", "Z_masked", "A", "O", "logits"):
        form, value = d[name].exact.subs(values), article[name].exact
        for left, right in zip(form, value, strict=True):
            assert left == right or sa.compare(left, right).verdict == "equal"


def places(step: Any) -> list[tuple[int, ...]]:
    return [entry.index for entry in step.entries()]


def test_every_form_of_every_step(article: sa.Derivation) -> None:
    d = symbolic(article, "W_Q", "W_K")
    for step in d.steps:
        for text in (repr(step), step.latex(), step._repr_markdown_()):
            assert text
        for entry in step.entries():
            assert entry.exact is not None
            assert "(symbols)" in str(entry.explain()) or not entry.has_symbols
            assert entry.explain().latex()
    assert str(d["Q"][1, 0].explain()) == (
        "Q[1,0]: row chases\n"
        "  step         Q = E @ W_Q\n"
        "  formula      E[1,0] * W_Q[0,0] + E[1,1] * W_Q[1,0]\n"
        "  substituted  1/5 * W_Q[0,0] + 1 * W_Q[1,0]\n"
        "  exact        W_Q[0,0]/5 + W_Q[1,0]\n"
        "  decimal      (symbols)"
    )
    assert d["Q"][2, 1].latex() == r"\frac{4 W_Q[0,1]}{5}"
    assert str(d.diff(article)).startswith("W_Q: 4 of 4 entries differ")


def test_names_that_mean_something_elsewhere() -> None:
    d = sa.derive(attention_head, **NAMED)
    assert d.symbols == tuple(NAMES)
    assert all(s.is_real and s.is_finite for s in d["O"].exact.free_symbols)
    plain = {
        name: [[NAMES.get(x, x) for x in row] for row in rows]  # type: ignore[call-overload]
        for name, rows in NAMED.items()
    }
    numbers = sa.derive(attention_head, **plain)
    put_in = d.subs(NAMES)
    assert [s.exact for s in put_in.steps] == [s.exact for s in numbers.steps]
    assert put_in.verify().agrees


@pytest.mark.parametrize("name", [*NAMES, "W_Q[0,1]", "b[3]", "x_last", "é"])
def test_the_printed_name_is_what_subs_takes(name: str) -> None:
    d = sa.derive(softmax, x=[name, 0])
    printed = d["x"][0].text()
    assert printed == name
    assert d.subs({printed: 5})["x"].exact[0] == 5
    assert d.subs({d["x"].exact[0]: 5})["x"].exact[0] == 5


def test_sympy_s_own_matrices_of_symbols() -> None:
    W, w = sympy.MatrixSymbol("W_Q", 2, 2), sympy.IndexedBase("w")
    d = sa.derive(softmax, x=[[W[0, 1], 2 * w[0, 1]]])
    assert d.symbols == ("W_Q[0,1]", "w[0,1]")
    assert d.subs({W[0, 1]: 1, w[0, 1]: 3})["x"].exact == sympy.Matrix([[1, 6]])
    assert sa.derive(softmax, x=W.as_explicit())["x"].exact == sympy.Matrix(
        sa.symbols_like("W_Q", (2, 2))
    )
    with pytest.raises(LiteralError, match="wanted a symbol's name"):
        exact(W[sympy.Symbol("i"), 0])


def test_spaces_in_a_cell_do_not_matter() -> None:
    d = sa.derive(softmax, x=["w[0, 1]", "w[ 00,1 ]"])
    assert d.symbols == ("w[0,1]",)
    assert d.subs({"w[0, 1]": 1})["x"].exact[1] == 1


@pytest.mark.parametrize("name", ["oo", "x+y", "nan", "1", "a b", "x'", ""])
def test_sympy_symbols_that_no_text_can_name(name: str) -> None:
    with pytest.raises(LiteralError, match="wanted a symbol's name"):
        exact(sympy.Symbol(name))


@pytest.mark.parametrize(
    "symbol",
    [sympy.Dummy("x"), sympy.Symbol("z", imaginary=True), sympy.Symbol("z", infinite=True)],
)
def test_symbols_are_real_and_finite(symbol: Any) -> None:
    with pytest.raises(LiteralError, match="real, finite"):
        exact(symbol)


def test_in_latex_e_and_pi_are_set_apart_from_the_numbers() -> None:
    d = sa.derive(softmax, x=["e^2", "pi"])
    assert d["x"].latex() == r"\begin{bmatrix} \mathtt{e}^{2} & \mathtt{pi} \end{bmatrix}"
    assert variable("W_vocab[0,1]") == r"W_{\mathrm{vocab}}[0,1]"


def test_a_symbol_called_like_a_row_sum() -> None:
    plain, clash = (sa.derive(softmax, x=[["a", "b"], [x, 1]]) for x in ("c", "ℓ_1"))
    assert plain["return"][1, 0].text() == "exp(c)/ℓ_1"
    assert clash["return"][1, 0].text() == "exp(ℓ_1)/ℓ_1(return)"
    assert clash["return"][1, 0].latex() != clash["return"][1, 0].latex().replace(r"\ell^", "")


def test_a_part_of_the_symbols() -> None:
    d = sa.derive(attention, Q=[["a", "b"]], K=[["b", 0], [0, 1]], V=[[1], ["2*a"]])
    part = d.subs(a="1/2")
    assert d.symbols == ("a", "b")  # itself unchanged
    assert part.symbols == ("b",)
    assert part["V"].exact == sympy.Matrix([[1], [1]])
    assert part.subs(b=3)["return"].exact == d.subs(a="1/2", b=3)["return"].exact
    both = d.subs({"a": "b", "b": "a"})  # at once, not one after the other
    assert both["Q"].exact == sympy.Matrix([[exact_symbol("b"), exact_symbol("a")]])


def test_a_replaced_step_has_its_symbols_too(article: sa.Derivation) -> None:
    d = article.with_(x_last=["a", "b"])
    assert d.symbols == ("a", "b")
    assert d.subs(a="48/100", b="13/20").symbols == ()


def test_labels_digits_and_radii_stay() -> None:
    text = (
        with_line('inputs = "printed"')
        .replace("[1, 0.5]", '[1, "a"]')
        .replace("[1, 0]]", "[0.5, 0]]")
    )
    d = parse_spec(text).derive().with_digits(3).subs(a=2)
    assert d["A"].axes == (("a", "b"), ("a", "b"))
    assert d["E"].digits == 3
    assert d["W_K"][1, 0].step.shown().tolist()[1][0].endswith("?")


def test_printed_inputs_beside_symbols_have_the_digits_that_they_have() -> None:
    """Found once: a symbol elsewhere made the other entries' decimals look exact."""
    text = (
        with_line('inputs = "printed"')
        .replace("[1, 0.5]", "[1, 0.33]")
        .replace("W_V = [[1], [2]]", 'W_V = [["v"], [2]]')
    )
    d = parse_spec(text).derive()
    assert d["Q"].shown(4).tolist() == d.subs(v=1)["Q"].shown(4).tolist()
    assert d["Q"].shown(4)[0, 1].endswith("?")


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"c": 1}, AddressError, "no symbol 'c'; the free symbols are a, w"),
        ({"w[0,2]": 1}, AddressError, r"no symbol 'w\[0,2\]', did you mean 'w\[0,1\]'"),
        ({"a": "oo"}, LiteralError, "a: a symbol is finite, got oo"),
        ({"a": 0.5}, ExactnessError, r"a: the float 0\.5 is not exact"),
        ({"a": [1, 2]}, ShapeError, r"a: wanted one number, got an array of shape \(2,\)"),
        ({"w": [[1]]}, ShapeError, r"w: wanted an array with an entry w\[0,1\], got one of shape"),
        ({"w": 1}, ShapeError, r"w: wanted an array with an entry"),
        ({"1": 1}, LiteralError, "wanted a symbol's name"),
        ({3: 1}, LiteralError, "wanted a symbol, or its name such as a or .*, got 3"),
        ({"a": 0}, LiteralError, r"x\[2\]: a division by zero"),
        ({}, ExactnessError, "wanted values such as a=1; the free symbols are a, w"),
    ],
)
def test_what_cannot_be_put_in(values: Any, error: Any, message: str) -> None:
    d = sa.derive(softmax, x=["a", "w[0,1]", "1/a"])
    with pytest.raises(error, match=message):
        d.subs(values)


def test_without_symbols_there_is_nothing_to_put_in(article: sa.Derivation) -> None:
    with pytest.raises(AddressError, match="no symbol 'a'; there are no free symbols"):
        article.subs(a=1)


def test_a_root_that_is_not_real_after_all_is_refused() -> None:
    d = sa.derive(softmax, x=["sqrt(a)", 0]).subs(a=-1)
    with pytest.raises(ExactnessError, match="root of a negative number"):
        _ = d["return"].forms


def test_a_symbol_that_would_read_like_another_entry(article: sa.Derivation) -> None:
    with pytest.raises(AddressError, match=r"the symbol S\[0,0\] would read like that entry of S"):
        article.with_(W_Q=sa.symbols_like("S", (2, 2)))
    with pytest.raises(AddressError, match=r"W_Q\[0,0\] would read like that entry of W_Q"):
        article.with_(W_K=sa.symbols_like("W_Q", (2, 2)))
    W = sa.symbols_like("W_Q", (2, 2))
    tied = article.with_(W_Q=W, W_K=W)
    assert tied["S"].exact[0, 2] == tied["S"].exact[2, 0]
    assert tied.subs(W_Q=[[1, 0], [0, 1]])["A"].exact == article["A"].exact


def test_numbers_are_asked_for_by_name(article: sa.Derivation) -> None:
    d = symbolic(article, "W_V")
    names = r"W_V\[0,0\], W_V\[0,1\], W_V\[1,0\], W_V\[1,1\]"
    for ask in (d.verify, lambda: d["O"].numeric(), d.floats):
        with pytest.raises(ExactnessError, match=rf"free symbols are {names}; d.subs\(\{{"):
            ask()
    for ask in (
        lambda: d["O"].decimal(), lambda: d["O"][2, 0].decimal(3), d["P"].largest,
        lambda: d["P"][0].share(2),
    ):  # fmt: skip
        with pytest.raises(ExactnessError, match=r"contains symbols \(.*; d.subs"):
            ask()
    assert d["A"].decimal(2) == article["A"].decimal(2)  # no symbol reaches it


def test_maxima_norms_and_logarithms_keep_their_symbols() -> None:
    assert sa.derive(relu, x=["a", -1])["return"].texts("text").tolist() == ["max(0, a)", "0"]
    assert sa.derive(relu, x=["a", -1]).subs(a="-1/2")["return"].exact == sympy.zeros(1, 2)
    norm = sa.derive(layer_norm, x=[["a", 1, 2]])
    same = sa.derive(layer_norm, x=[["1/3", 1, 2]])
    assert norm.subs(a="1/3")["y"].exact == same["y"].exact
    logs = sa.derive(log_softmax, x=["a", "lambda"])
    assert "max(a, lambda)" in logs["return"][0].text()
    numbers = logs.subs({"a": 1, "lambda": 2})
    assert numbers["return"].exact == sa.derive(log_softmax, x=[1, 2])["return"].exact


# In specs.


def test_a_spec_with_a_symbolic_matrix_goes_back_to_its_numbers() -> None:
    plain = parse_spec(SMALL).derive()
    d = parse_spec(with_line('symbolic = ["W_K", "E[:,0]"]')).derive()
    assert d.symbols == (
        "E[0,0]", "E[1,0]", "W_K[0,0]", "W_K[0,1]", "W_K[1,0]", "W_K[1,1]",
    )  # fmt: skip
    back = d.subs()
    for step in plain.steps:
        assert back[step.address].exact == step.exact
    assert back.verify().agrees
    part = d.subs({"W_K[0,0]": 7})
    assert part.subs()["W_K"].exact == sympy.Matrix([[7, 1], [1, 0]])
    with pytest.raises(ExactnessError, match=r"d.subs\(\) puts the spec's numbers in their place"):
        d.verify()


def test_a_spec_with_a_shape_alone() -> None:
    d = parse_spec(changed('W_Q = "identity"', "W_Q = {shape = [2, 2]}")).derive()
    assert d["W_Q"].texts("text").tolist() == [["W_Q[0,0]", "W_Q[0,1]"], ["W_Q[1,0]", "W_Q[1,1]"]]
    assert d.subs(W_Q=[[1, 0], [0, 1]])["O"].exact == parse_spec(SMALL).derive()["O"].exact
    with pytest.raises(ExactnessError, match="wanted values such as a=1"):
        d.subs()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (with_line('symbolic = ["W_R"]'), "symbolic: no matrix 'W_R', did you mean 'W_"),
        (with_line('symbolic = ["W_Q[2,0]"]'), r"symbolic: no entry W_Q\[2,0\]; W_Q has shape"),
        (with_line('symbolic = ["W_Q[x]"]'), r"symbolic: no matrix 'W_Q\[x\]', did you mean 'W_Q'"),
        (with_line('symbolic = "W_Q"'), "symbolic: wanted a list of addresses"),
        (with_line('symbolic = ["E"]').replace("0.5", '"-oo"'), "E: a symbol is finite, got -oo"),
        (
            with_line('inputs = "printed"\nsymbolic = ["W_Q"]'),
            'symbolic: symbols are exact; wanted inputs = "exact"',
        ),
        (changed('"identity"', "{shape = [2, 0]}"), r"matrices.W_Q: wanted {shape = \[2, 3\]}"),
        (changed('"identity"', "{shape = 2}"), r"matrices.W_Q: wanted {shape"),
        (changed('"identity"', "{size = [2, 2]}"), "matrices.W_Q.size: unknown key"),
        (changed('"identity"', "{shape = [9999, 9999]}"), "W_Q: wanted at most 1,000,000"),
        (changed('"identity"', "{shape = [3, 2]}"), "W_Q: wanted d_model = 2 rows, got 3"),
        (changed("[1, 0.5]", '[1, "W_K[0,0]"]'), r"the symbol W_K\[0,0\] would read like"),
    ],
)
def test_mistakes_in_specs(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_spec(text, "mine.toml").derive()


def test_the_whole_article_with_symbols() -> None:
    """The prose asks for decimals, shares and winners; with symbols it gets closed forms."""
    from symattn.examples import builtin_folder

    path = builtin_folder() / "article.toml"
    text = path.read_text("utf-8")
    spec = parse_spec(text.replace("mask =", 'symbolic = ["W_Q"]\nmask ='), "symbolic", path)
    made = markdown.write(page(spec.derive()))
    assert r"$\frac{e^{" in made
    assert "it depends on the symbols" in made
    assert "With symbols in it there are no floats to compare." in made
    assert markdown.write(page(spec.derive().subs())) == markdown.write(page(sa.article()))


def test_listing_a_spec_with_symbols_does_not_load_sympy() -> None:
    text = with_line('symbolic = ["W_Q"]')
    code = (
        "import sys; from symattn.spec_reader import parse_spec; "
        f"print(parse_spec({text!r}).derive().symbols); "
        "print('sympy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == "False"


# The parts.


def test_operations_are_worked_out_where_rationals_allow() -> None:
    a = Name("a")
    assert folded("add", exact("1/2"), exact("1/3")) == exact("5/6")
    assert folded("neg", exact(3)) == exact(-3)
    assert folded("add", a, exact(1)) == Apply("add", (a, exact(1)))
    assert folded("sqrt", exact(2)) == exact("sqrt(2)")


def test_symbols_come_in_the_order_met() -> None:
    assert symbols_in([exact(x) for x in ("b*a", "a + c", 1, "-oo")]) == ("b", "a", "c")
    assert names_like("W", (1, 2)).tolist() == [[Name("W[0,0]"), Name("W[0,1]")]]
