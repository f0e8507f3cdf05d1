"""What a terminal shows: colours where it has them, and matrices folded to its width."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import symattn as sa
from symattn import cli
from symattn.writers import statements, terminal
from symattn.writers.columns import matrix, stands, table
from symattn.writers.screen import PLAIN, Screen, isolated
from tests import pseudo_terminal

ROOT = Path(__file__).parent.parent
SPECS = Path(__file__).parent / "specs"

#: What `Screen.ink` writes, and nothing else.
INK = re.compile(r"\x1b\[(?:0|1|2|31|32|35|36|38;5;\d+)m")


def bare(text: str) -> str:
    return INK.sub("", text)


def on_a_terminal(*words: str, columns: int = 100, **environment: str) -> str:
    """What a command prints on a terminal."""
    words = ("-m", "symattn", *words)
    shown, _ = pseudo_terminal.ran(*words, stream="stdout", columns=columns, **environment)
    return shown.replace("\r\n", "\n")


def piped(*words: str, **environment: str) -> str:
    unset = dict.fromkeys(pseudo_terminal.UNSET)
    settings = {**unset, "TERM": "xterm", **environment}
    return CliRunner().invoke(cli.main, list(words), env=settings).stdout


# Colours.


def test_a_terminal_has_colours_and_a_pipe_has_none() -> None:
    plain, shown = piped("show", "A"), on_a_terminal("show", "A")
    assert "\x1b" not in plain
    assert "\x1b[1mA = softmax(Z_masked)\x1b[0m" in shown and "\x1b[36mchases\x1b[0m" in shown
    assert bare(shown) == plain


def test_a_terminal_of_256_colours_gets_those_that_are_legible_on_both_grounds() -> None:
    shown = on_a_terminal("show", "A", TERM="xterm-256color")
    assert "\x1b[38;5;31mchases\x1b[0m" in shown and "\x1b[36m" not in shown
    assert bare(shown) == piped("show", "A")


def luminance(colour: int) -> float:
    """Relative luminance (WCAG 2.2) of a colour of the 6 × 6 × 6 cube."""
    levels, n = [0, 95, 135, 175, 215, 255], colour - 16
    parts = [levels[i] / 255 for i in (n // 36, n // 6 % 6, n % 6)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("role", ["label", "good", "bad", "warning"])
def test_colours_have_contrast_to_black_and_to_white(role: str) -> None:
    code = re.fullmatch(r"\x1b\[38;5;(\d+)mx\x1b\[0m", Screen(colours=256).ink("x", role))
    assert code is not None
    light = luminance(int(code[1]))
    assert min((light + 0.05) / 0.05, 1.05 / (light + 0.05)) >= 3.8


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_can_be_turned_off(setting: dict[str, str]) -> None:
    assert on_a_terminal("show", "A", **setting) == piped("show", "A")


def test_colours_can_be_forced_into_a_pipe_and_no_color_wins() -> None:
    plain, forced = piped("show", "A"), piped("show", "A", FORCE_COLOR="1")
    assert forced != plain and bare(forced) == plain
    assert piped("show", "A", FORCE_COLOR="0") == plain
    assert piped("show", "A", FORCE_COLOR="1", TERM="dumb") != plain
    assert piped("show", "A", FORCE_COLOR="1", NO_COLOR="1") == plain
    assert piped("show", "A", FORCE_COLOR="1", NO_COLOR="") == forced


def test_clicolor_force_forces_them_too() -> None:
    plain, forced = piped("show", "A"), piped("show", "A", FORCE_COLOR="1")
    assert piped("show", "A", CLICOLOR_FORCE="1") == forced
    assert piped("show", "A", CLICOLOR_FORCE="0") == plain
    assert piped("show", "A", CLICOLOR_FORCE="0", FORCE_COLOR="1") == forced
    assert piped("show", "A", CLICOLOR_FORCE="1", NO_COLOR="1") == plain


#: Commands whose colours say nothing that the words do not.
COMMANDS = [
    ("list",),
    ("show", "Z_masked"),
    ("show", "A[1,1]"),
    ("show", "A", "--values", "decimals", "--highlight", "A[1,1]"),
    ("show", "P", "--top", "2"),
    ("show", str(SPECS / "hostile.toml"), "A"),
    ("verify",),
    ("prove", "--only", "scaling"),
    ("generate", "-n", "2"),
    ("sensitivity", "--top", "3"),
    ("vary", "W_vocab[1,3]"),
    ("diff", "article", "article-encoder"),
    ("check", str(ROOT / "docs" / "encoder.md")),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_without_its_colours_a_command_prints_the_same(words: tuple[str, ...]) -> None:
    plain, forced = piped(*words), piped(*words, FORCE_COLOR="1")
    assert plain and bare(forced) == plain and forced != plain


@pytest.mark.parametrize("form", ["json", "latex", "markdown"])
def test_what_goes_into_a_file_has_no_colours_even_where_they_are_forced(form: str) -> None:
    words = ("show", "A", "--format", form)
    assert piped(*words, FORCE_COLOR="1") == piped(*words)


def test_masked_scores_and_weights_are_faint_and_other_zeros_are_not() -> None:
    shown = terminal.step(sa.article()["Z_masked"], Screen(colours=16))
    assert shown.count("\x1b[2m-oo\x1b[0m") == 6  # exact, and among the decimals
    assert terminal.step(sa.article()["A"], Screen(colours=16)).count("\x1b[2m0\x1b[0m") == 3
    assert "\x1b[2m0\x1b[0m" not in terminal.step(sa.article()["W_Q"], Screen(colours=16))


def test_verdicts_have_their_words_and_their_colours(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "encoder.md").read_text("utf-8")
    page = tmp_path / "page.md"
    page.write_text(text.replace("0.36", "0.35", 1), "utf-8")
    shown = piped("check", str(page), FORCE_COLOR="1")
    assert "\x1b[31m1 wrong\x1b[0m" in shown and " right\x1b[0m" in shown
    assert "is \x1b[31mwrong\x1b[0m, it should be \x1b[1m0.36\x1b[0m" in shown
    found = sa.prove("softmax")
    said = statements.text(found, Screen(colours=16))
    assert "\x1b[32mproven   \x1b[0m" in said and "\x1b[31m" not in said
    assert re.search(r"\x1b\[32m\d+ steps agree\x1b\[0m: every", piped("verify", FORCE_COLOR="1"))


def test_a_float_outside_its_bound_is_red() -> None:
    d = sa.article()
    report = d.verify(A=np.full((3, 3), 0.5))
    shown = terminal.report(report, Screen(colours=16))
    assert not report.agrees and bare(shown) == str(report)
    red = re.findall(r"\x1b\[31m(.*?)\x1b\[0m", shown)
    assert any(cell.strip().endswith("NO") for cell in red)
    assert any(cell.startswith("A disagrees in float64") for cell in red)
    assert "\x1b[32m" not in shown


HOSTILE = "\x1b[2J\x1b]0;owned\x07\x1b[31mred"


def hostile_spec(folder: Path) -> Path:
    path = folder / "hostile.toml"
    assert CliRunner().invoke(cli.main, ["new", str(path)]).exit_code == 0
    escaped = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in HOSTILE)
    text = path.read_text("utf-8")
    word = re.search(r'(?m)^vocabulary = \["([^"]+)"', text)
    assert word is not None
    path.write_text(re.sub(rf'"{word[1]}"', lambda _: f'"{escaped}"', text), "utf-8")
    return path


@pytest.mark.parametrize("command", ["show", "generate", "sensitivity", "prove", "diff", "top"])
def test_escape_codes_of_tokens_stay_visible_text(command: str, tmp_path: Path) -> None:
    spec = str(hostile_spec(tmp_path))
    words = {
        "show": ("show", spec, "A"), "generate": ("generate", spec, "-n", "1"),
        "sensitivity": ("sensitivity", spec), "prove": ("prove", spec, "--only", "model"),
        "diff": ("diff", spec, "article"), "top": ("show", spec, "P", "--top", "9"),
    }[command]  # fmt: skip
    shown = bare(piped(*words, FORCE_COLOR="1"))
    assert shown and "\x1b" not in shown and "\x07" not in shown
    if command in ("show", "top"):
        assert "[2J" in shown and "owned" in shown


def test_escape_codes_of_documents_and_their_names_stay_visible_text(tmp_path: Path) -> None:
    page = tmp_path / "a\x1b[31m.md"
    label = "\x1b]0;owned\x07"
    text = (ROOT / "docs" / "encoder.md").read_text("utf-8")
    page.write_text(f"{text}\n$$F{label}_{{x}} = [1.2{label}, 3]$$\n", "utf-8")
    for words in (("check", str(page)), ("check", str(page), "--fix"), ("check", f"{page}.md")):
        made = CliRunner().invoke(cli.main, list(words), env={"FORCE_COLOR": "1"})
        assert "\x1b" not in bare(made.stdout) + made.stderr and r"a\x1b[31m.md" in made.output


# Folding.


def wide(rows: int = 3, columns: int = 12) -> np.ndarray:
    return np.array([[f"{i}.{j:04}" for j in range(columns)] for i in range(rows)], dtype=object)


LABELS = [["cat", "chases", "mouse"], [f"word{j}" for j in range(12)]]


def test_a_wide_matrix_folds_into_blocks_that_repeat_the_labels_of_rows() -> None:
    shown = matrix(wide(), LABELS, Screen(width=40))
    blocks = shown.split("\n\n")
    assert len(blocks) == 3
    for block in blocks:
        assert [line.split()[0] for line in block.split("\n")[1:]] == LABELS[0]
    assert [w for b in blocks for w in b.split("\n")[0].split()] == LABELS[1]


def test_columns_without_labels_say_which_they_are() -> None:
    shown = matrix(wide(), [LABELS[0], None], Screen(width=40))
    heads = [block.split("\n")[0] for block in shown.split("\n\n")]
    assert heads == ["columns 0-3", "columns 4-7", "columns 8-11"]


def test_a_terminal_wide_enough_and_a_pipe_fold_nothing() -> None:
    whole = matrix(wide(), LABELS)
    assert "\n\n" not in whole and matrix(wide(), LABELS, Screen(width=200)) == whole
    assert matrix(wide(), LABELS, Screen(width=cell_len(whole.split("\n")[1]))) == whole


words = st.text(st.characters(codec="utf-8"), max_size=6)


@given(st.integers(1, 3), st.integers(1, 9), st.integers(1, 60), st.data())
def test_blocks_hold_every_cell_once_and_none_is_wider_than_it_must_be(
    rows: int, columns: int, width: int, data: st.DataObject
) -> None:
    cells = np.empty((rows, columns), dtype=object)
    for index in np.ndindex(cells.shape):
        cells[index] = f"<{index[0]},{index[1]}>" + "9" * data.draw(st.integers(0, 5))
    axes = [[data.draw(words) for _ in range(rows)], [data.draw(words) for _ in range(columns)]]
    screen = Screen(width=width, colours=16)
    shown = bare(matrix(cells, axes, screen))
    assert "\x1b" not in shown
    for cell in cells.flat:
        assert len(re.findall(re.escape(cell) + r"(?!9)", shown)) == 1
    if stands(cells, axes, screen):
        assert max(map(cell_len, shown.split("\n"))) <= width


def test_a_terminal_too_narrow_for_two_columns_lists_entries() -> None:
    step = sa.article()["A"]
    shown = terminal.step(step, Screen(width=30))
    assert "A[1,1] = exp(13*sqrt(2)/25)/ℓ_1" in shown.split("\n")
    assert "         cat  chases  mouse" in shown.split("\n")
    narrow = terminal.step(step, Screen(width=9))
    assert "A[1,1] ≈ 0.64" in narrow.split("\n")


def test_a_command_folds_to_its_terminal() -> None:
    shown = on_a_terminal("show", str(SPECS / "eight-tokens.toml"), "A", columns=60, NO_COLOR="1")
    exact, _, decimals = shown.partition("\n≈\n")
    blocks = exact.partition("\n")[2].split("\n\n")
    assert len(blocks) > 1
    assert all(block.split("\n")[1].startswith("the ") for block in blocks)
    lines = [line for line in exact.split("\n") if not line.startswith("ℓ")]
    assert max(map(cell_len, lines)) <= 60 and max(map(cell_len, decimals.split("\n"))) <= 60
    assert on_a_terminal("show", "A", columns=60, COLUMNS="200") != on_a_terminal(
        "show", "A", columns=40
    )


@pytest.mark.parametrize("spec", sorted(SPECS.glob("*.toml")), ids=lambda p: p.stem)
@pytest.mark.parametrize("width", [None, 1, 20, 60, 300])
def test_every_step_of_every_spec_can_be_shown(spec: Path, width: int | None) -> None:
    screen = Screen(width=width, colours=256)
    for step in sa.load(spec).steps:
        shown = terminal.step(step, screen)
        assert "\x1b" not in bare(shown)
        if width is None:
            assert bare(shown) == str(step)


def test_ranks_from_a_number_to_slices() -> None:
    screen = Screen(width=20, colours=16)
    assert matrix(np.array("7", dtype=object), [], screen) == "7"
    assert bare(matrix(wide(1, 9)[0], [None], screen)).split("\n")[0] == "columns 0-1"
    cube = np.stack([wide(2, 4), wide(2, 4)])
    assert bare(matrix(cube, [None] * 3, screen)).count("columns 0-1") == 2


def test_a_table_without_columns_and_one_of_words_alone() -> None:
    assert table(["", ""], [["a", "b"]]) == "a  b"
    assert table(["x", "y"], [], screen=Screen(width=1, colours=16), repeated=1)
    assert PLAIN.ink("x", "bad") == "x"


def test_start_stays_short() -> None:
    code = (
        "import sys; from symattn.cli import main\n"
        "try: main(['list'], standalone_mode=False)\n"
        "finally: print(*sorted(m for m in sys.modules if m.startswith('rich')), file=sys.stderr)"
    )
    made = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert "rich.table" not in made.stderr and "rich.progress" not in made.stderr


# Writing from right to left.

ISOLATES = re.compile("[\u2066-\u2069]")


@pytest.mark.parametrize("words", [("W_vocab",), ("P[7]",), ("P", "--top", "9")])
def test_words_from_right_to_left_are_isolated_on_a_terminal_alone(words: tuple[str, ...]) -> None:
    command = ("show", str(SPECS / "hostile.toml"), *words)
    shown = on_a_terminal(*command, NO_COLOR="1")
    assert shown.count("كلب") == shown.count("\u2068كلب\u2069") >= 1
    plain = piped(*command)
    assert "كلب" in plain and not ISOLATES.search(plain)
    assert ISOLATES.sub("", on_a_terminal(*command, NO_COLOR="1", columns=500)) == plain
    assert not ISOLATES.search(piped(*command, FORCE_COLOR="1"))


def test_isolates_end_with_the_word_and_where_a_column_ends() -> None:
    shown = isolated("שלום עולם 1!  قطة٣ (a)  0.5\x1b[36mكلب\x1b[0m  猫  cat")
    assert shown == (
        "\u2068שלום עולם\u2069 1!  \u2068قطة٣\u2069 (a)  0.5\x1b[36m\u2068كلب\u2069\x1b[0m  猫  cat"
    )
    assert isolated("cat  0.5 −1 é 猫") == "cat  0.5 −1 é 猫"
