"""Specs: what is read, and one clear line for everything that can't be."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy

import symattn as sa
from symattn.errors import SpecError
from symattn.examples import builtin_names
from symattn.spec_reader import load_spec, parse_spec
from tests.regenerate import PRESETS

SMALL = """
format = 1
model = "attention_head"
tokens = ["a", "b"]
[matrices]
E = [[1, 0.5], ["1/3", "sqrt(2)"]]
W_Q = "identity"
W_K = [[0, 1], [1, 0]]
W_V = [[1], [2]]
"""


def changed(old: str, new: str) -> str:
    assert old in SMALL
    return SMALL.replace(old, new)


def with_line(line: str) -> str:
    return changed("[matrices]", f"{line}\n[matrices]")


def test_a_small_spec() -> None:
    d = parse_spec(SMALL).derive()
    assert d["E"].exact == sympy.ImmutableMatrix(
        [[1, sympy.Rational(1, 2)], [sympy.Rational(1, 3), sympy.sqrt(2)]]
    )
    assert d["A"].axes == (("a", "b"), ("a", "b"))
    assert "Z_masked" not in [s.name for s in d.steps]


def test_numbers_are_what_was_written() -> None:
    made = parse_spec(changed("0.5", "0.1_0")).matrices["E"][0, 1]
    assert made == Fraction(1, 10)
    assert parse_spec(changed("0.5", "+2.5e-1")).matrices["E"][0, 1] == Fraction(1, 4)


def test_symbols_in_a_spec() -> None:
    d = parse_spec(changed("0.5", '"lambda"')).derive()
    assert sympy.Symbol("lambda", real=True) in d["S"].exact.free_symbols


@pytest.mark.parametrize(
    ("mask", "hidden"),
    [
        ('"causal"', [(0, 1)]),
        ("{keep = [[true, false], [true, true]]}", [(0, 1)]),
        ("{drop = [[false, true], [false, false]]}", [(0, 1)]),
        ('{add = [[0, "-oo"], [0, 0]]}', [(0, 1)]),
        ("{add = [[0, 0.5], [0, 0]]}", []),
        ('"none"', []),
    ],
)
def test_masks(mask: str, hidden: list[tuple[int, int]]) -> None:
    d = parse_spec(with_line(f"mask = {mask}")).derive()
    zero = [i for i in [(0, 0), (0, 1), (1, 0), (1, 1)] if d["A"].exact[i] == 0]
    assert zero == hidden


@pytest.mark.parametrize(
    ("scale", "value", "formula"),
    [
        ('"sqrt(d_k)"', sympy.sqrt(2), r"\frac{S}{\sqrt{d_k}}"),
        ('"sqrt(2)"', sympy.sqrt(2), r"\frac{S}{\mathrm{scale}}"),
        ('"d_k"', 2, r"\frac{S}{\mathrm{scale}}"),
        ("1", 1, r"\frac{S}{\mathrm{scale}}"),
        ("1.5", sympy.Rational(3, 2), r"\frac{S}{\mathrm{scale}}"),
    ],
)
def test_scales_are_divisors(scale: str, value: Any, formula: str) -> None:
    d = parse_spec(with_line(f"scale = {scale}")).derive()
    assert (d["S"].exact / value - d["Z"].exact).applyfunc(sympy.simplify) == sympy.zeros(2, 2)
    if scale == '"sqrt(2)"':
        assert d["Z"].formula == rf"Z = {formula}" or d["Z"].formula == r"Z = \frac{S}{\sqrt{d_k}}"
    else:
        assert d["Z"].formula == rf"Z = {formula}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format = ", "not valid TOML"),
        (changed("format = 1", "format = 2"), "format: wanted 1, got 2"),
        (changed("format = 1", ""), "format: wanted 1, got None"),
        (
            changed('model = "attention_head"', ""),
            "model: missing; wanted one of next_token, attention_head",
        ),
        (changed('"attention_head"', '"atention_head"'), "did you mean 'attention_head'"),
        (with_line("tokns = 3"), "tokns: unknown key, did you mean 'tokens'.; known are format"),
        (with_line("title = 3"), "title: wanted a string in quotes, got 3"),
        (with_line('ffn = "relu"'), "ffn: unknown key; known are format"),
        (
            with_line('ffn = "relu"').replace("attention_head", "next_token"),
            "tokens|vocabulary: missing",
        ),
        (with_line('mask = "casual"'), 'mask: wanted "none", "causal"'),
        (with_line("mask = [[0, 1]]"), 'mask: wanted "none", "causal"'),
        (with_line("mask = {keep = [[true, true]]}"), "mask.keep: wanted 2 rows, one a token"),
        (with_line("mask = {keep = [[true], [true, true]]}"), r"mask.keep\[0\]: wanted 2 entries"),
        (with_line("mask = {keep = [[1, 0], [1, 1]]}"), "mask.keep: wanted true and false"),
        (with_line("mask = {add = [[1, 0], [1, 1]]}"), "M: 0 and 1 would be added"),
        (with_line("mask = {hide = [[1, 0], [1, 1]]}"), "mask.hide: unknown key"),
        (
            with_line("mask = {drop = [[true, true], [false, false]]}"),
            "mask.drop: row 0 is masked everywhere",
        ),
        (with_line("scale = 0"), "scale: wanted a divisor that is not zero"),
        (with_line('scale = "-oo"'), "scale: wanted a divisor"),
        (with_line('scale = "x"'), "scale: wanted a number, d_k or d_model, got 'x'"),
        (with_line('scale = "sqrt("'), "scale: wanted an exact number"),
        (
            changed('tokens = ["a", "b"]', "tokens = []"),
            "tokens: wanted at least one, got an empty list",
        ),
        (
            changed('tokens = ["a", "b"]', 'tokens = ["a"]'),
            "matrices.E: wanted a row for each of the 1 tokens, got 2",
        ),
        (changed('tokens = ["a", "b"]', "tokens = [1, 2]"), "tokens: wanted a list of strings"),
        (with_line('vocabulary = ["a", "c"]'), r"tokens\[1\]: 'b' is not in the vocabulary"),
        (with_line('vocabulary = ["a", "b", "a"]'), "vocabulary: 'a' stands at 0 and again at 2"),
        (changed("[matrices]", "[matrix]"), "matrix: unknown key"),
        (changed("[1, 0.5]", "[1]"), r"matrices.E\[1\]: wanted 1 entries as in row 0, got 2"),
        (changed("[1, 0.5]", "[]"), r"matrices.E\[0\]: wanted a row such as"),
        (changed("0.5", "nan"), r"matrices.E\[0,1\]: wanted an exact number"),
        (changed("0.5", "inf"), r"matrices.E\[0,1\]: wanted an exact number"),
        (changed("0.5", "true"), r"matrices.E\[0,1\]: wanted a number, got True"),
        (
            changed("0.5", "\"__import__('os').system('false')\""),
            r"matrices.E\[0,1\]: wanted an exact number",
        ),
        (
            changed("0.5", '"9**9**9"'),
            r"matrices.E\[0,1\]: .* an exponent is a number of at most 64",
        ),
        (changed("0.5", "1979-05-27"), r"matrices.E\[0,1\]: wanted a number"),
        (changed("0.5", "[1]"), r"matrices.E: rows of unequal length|matrices.E\[0\]"),
        (changed('W_Q = "identity"', 'W_Q = "identiti"'), "matrices.W_Q: wanted rows"),
        (changed('W_Q = "identity"', ""), "matrices.W_Q: missing"),
        (
            changed('W_Q = "identity"', "W_Q = [[1, 0]]"),
            "matrices.W_Q: wanted d_model = 2 rows, got 1",
        ),
        (
            changed("W_K = [[0, 1], [1, 0]]", "W_K = [[1], [1]]"),
            'matrices.W_Q: "identity" is square, and d_model × d_k is 2 × 1',
        ),
        (changed("W_V =", "W_1 = [[1]]\nW_V ="), "matrices.W_1: unknown key"),
        (with_line("[display]\ndigits = -1"), "display.digits: wanted a whole number"),
        (with_line("[display]\nsteps.B.digits = 1"), "no step 'B'"),
        (with_line("[display]\nsteps.A.digit = 1"), "display.steps.A.digit: unknown key"),
        (with_line('reconstructed = ["W_9"]'), "no step 'W_9'"),
        (
            with_line('[[claims]]\nat = "A"\nprinted = "0.5"'),
            r"claims\[0\].printed: A has shape \(2, 2\), got \(\)",
        ),
        (with_line('[[claims]]\nprinted = "0.5"'), r"claims\[0\]: wanted either at"),
        (
            with_line('[[claims]]\nat = "A[0,0]"\nprinted = "x"'),
            r"claims\[0\].printed: wanted decimals",
        ),
        (
            with_line('[[claims]]\nvalue = "sqrt("\nprinted = "1"'),
            r"claims\[0\].value: wanted an exact number",
        ),
        (with_line("[display]\nsteps.Z = 4"), "display.steps.Z: wanted a table, got 4"),
        (with_line("[display]\nsteps = 4"), "display.steps: wanted a table, got 4"),
        (
            with_line('[[claims]]\nvalue = "sqrt(2)"\nprinted = ["1.4"]'),
            r"claims\[0\].printed: wanted one decimal",
        ),
        (with_line('text = "a\\u0000b"'), "text: wanted the name of a file"),
        (with_line(f'text = "{"a" * 300}"'), "text: wanted the name of a file"),
        (changed("0.5", "1" * 5000), "not valid TOML: Exceeds the limit"),
        (changed("format = 1", "format = true"), "format: wanted 1, got True"),
        (changed('tokens = ["a", "b"]', "tokens = [0.5, 1.5]"), "tokens: wanted a list of strings"),
        (with_line('inputs = "exakt"'), "inputs: wanted one of exact, printed, got 'exakt'"),
        (with_line('text = "../secret.toml"'), "text: wanted the name of a file beside the spec"),
    ],
)
def test_mistakes_are_one_line_that_says_what_and_where(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        parse_spec(text, "mine.toml").derive()["A"]
    assert "\n" not in str(caught.value) or "TOML" in message


def test_next_token_wants_a_column_for_each_word() -> None:
    text = (Path(sa.__file__).parent / "examples" / "article.toml").read_text("utf-8")
    with pytest.raises(SpecError, match="wanted a column for each of the 4 words"):
        parse_spec(text.replace(', "sleeping"]', "]"))
    with pytest.raises(SpecError, match=r"matrices\.W_1: wanted d_model = 2 columns, got 1"):
        parse_spec(text.replace('W_1 = [["0", "1"], ["1", "0"]]', "W_1 = [[0], [1]]"))


def test_built_ins() -> None:
    assert set(builtin_names()) == {"article", "article-encoder", *PRESETS}
    with pytest.raises(SpecError, match="no built-in spec 'artcle', did you mean 'article'"):
        load_spec("artcle")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="No such file"):
        load_spec(tmp_path / "none.toml")
    (tmp_path / "dir.toml").mkdir()
    with pytest.raises(SpecError, match="Is a directory"):
        load_spec(tmp_path / "dir.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SpecError, match="wanted a text in UTF-8, got the byte 0x"):
        load_spec(binary)
    deep = tmp_path / "deep.toml"
    deep.write_text("a = " + "[" * 5000)
    with pytest.raises(SpecError, match="not valid TOML"):
        load_spec(deep)
    big = tmp_path / "big.toml"
    big.write_text("#" * 10_000_001)
    with pytest.raises(SpecError, match="at most 10,000,000 bytes"):
        load_spec(big)


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
    assert sa.load(file)["A"].shape == (2, 2)


def test_tokens_are_compared_after_normalisation() -> None:
    text = SMALL.replace('["a", "b"]', '["e\\u0301", "b"]').replace(
        "[matrices]", 'vocabulary = ["\\u00e9", "b"]\n[matrices]'
    )
    assert parse_spec(text).tokens == ("é", "b")


def test_one_token_may_have_any_mask() -> None:
    one = """
format = 1
model = "attention_head"
tokens = ["a"]
mask = MASK
[matrices]
E = [[1]]
W_Q = "identity"
W_K = "identity"
W_V = "identity"
"""
    for mask in ('"causal"', "{keep = [[true]]}", "{drop = [[false]]}", "{add = [[0]]}"):
        assert parse_spec(one.replace("MASK", mask)).derive()["A"].exact[0] == 1


def test_a_finite_mask_is_a_bias_and_quick() -> None:
    text = with_line("mask = {add = [[0, -1e9], [0, 0]]}")
    d = parse_spec(text).derive()
    assert d["A"].decimal(3)[0] == ["1.000", "0.000"]
    assert d["A"].exact[0, 1] != 0
    assert d.verify().agrees
