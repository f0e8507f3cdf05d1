"""Documents for typst, and PDFs that it sets."""

from __future__ import annotations

import pytest

from symattn import typst_math
from symattn.writers import pdf

pytest.importorskip("typst")

LABELLED = r"A = \begin{array}{c|c} & \text{cat} \\ \hline \text{a} & \frac{1}{2} \end{array}"


@pytest.mark.render
def test_an_equation_alone_is_a_picture() -> None:
    svg = pdf.equation_svg(LABELLED)
    assert svg.startswith("<svg ")
    assert svg == pdf.equation_svg(LABELLED)
    assert pdf.equation_png(LABELLED).startswith(b"\x89PNG")


def test_an_equation_as_a_person_would_write_it() -> None:
    assert typst_math.from_latex(LABELLED) == (
        'A = med mat(delim: #none, augment: #rules(hline: 1, vline: 1), , tok("cat"); tok("a"), 1/2)'
    )
