"""A PDF set by typst, without TeX, that keeps PDF/UA-1: it has words for every equation."""

from __future__ import annotations

from symattn import typesetting
from symattn.blocks import Page
from symattn.writers import typst

#: Around these, characters are Latin, Greek and mathematics: typst has fonts for them.
LAST_GREEK, SIGNS = 0x3FF, range(0x2000, 0x2C00)

#: Around an equation that is a picture of its own.
MARGIN = "2pt"


def write(page: Page, spec: str = "") -> bytes:
    """The whole page as a PDF, the same bytes each time.

    Characters that no installed font has are shown by their number in a box.

    Args:
        spec: what the page is about; see `markdown.write`.

    Raises:
        OptionError: typst's package is not installed.
    """
    source = typst.write(page, spec)
    missing = typesetting.unseen(source)
    try:
        return typesetting.compiled(typst.write(page, spec, unseen=missing), "pdf")
    except typesetting.TypstError:
        # A font may have two characters, and not what they are together.
        foreign = "".join(
            sorted({c for c in source if ord(c) > LAST_GREEK and ord(c) not in SIGNS})
        )
        if not set(foreign) - set(missing):
            raise
        return typesetting.compiled(typst.write(page, spec, unseen=foreign + missing), "pdf")


def equation_svg(latex: str) -> str:
    r"""An equation alone, as SVG.

    Raises:
        MathError: it does not parse.
        OptionError: typst's package is not installed.
    """
    return typesetting.compiled(_alone(latex), "svg").decode("utf-8")


def equation_png(latex: str, *, ppi: float = 200) -> bytes:
    """An equation alone, as PNG on white; `equation_svg` says what is raised.

    Args:
        ppi: pixels per inch.
    """
    return typesetting.compiled(_alone(latex), "png", ppi=ppi)


def _alone(latex: str) -> str:
    equation = typst.equation(latex)
    page = f"#set page(width: auto, height: auto, margin: {MARGIN})"
    looks = f"{typst.style(typesetting.unseen(equation))}\n#show: mathematics"
    return f"{looks}\n{page}\n{equation}\n"
