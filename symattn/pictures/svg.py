"""SVG as elements: text that stays text, colours that follow the page, the frame of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape

from symattn.notation import visible

#: The size of letters, in the units of every picture.
SIZE = 14.0

#: Space around a picture.
MARGIN = 10.0


class Ink(Enum):
    """The colours: a custom property that a page may set, and what it is without one.

    Shades are laid over the page's own background at no more than `seen.DARKEST`, so that
    text in the page's colour stays legible on them, on light pages and dark ones.
    """

    TEXT = ("", "currentColor")
    ACCENT = ("--accent", "#2e7ac0")
    OTHER = ("--accent-2", "#c8642b")
    QUIET = ("--muted", "#808080")
    PAPER = ("--paper", "none")

    def css(self, standalone: bool) -> str:
        name, colour = self.value
        return colour if standalone or not name else f"var({name}, {colour})"


Value = str | float | Ink | None


@dataclass(frozen=True)
class Element:
    """An element with its attributes in order; children are elements, or text."""

    name: str
    attributes: tuple[tuple[str, Value], ...]
    children: tuple[Element | str, ...]

    def written(self, standalone: bool = False) -> str:
        """The element as text; standalone, colours are said and not asked of the page."""
        opened = "".join(
            f' {name}="{_attribute(value, standalone)}"'
            for name, value in self.attributes
            if value is not None
        )
        inside = "".join(
            child.written(standalone) if isinstance(child, Element) else escape(visible(child))
            for child in self.children
        )
        return (
            f"<{self.name}{opened}>{inside}</{self.name}>" if inside else f"<{self.name}{opened}/>"
        )


def element(tag: str, *children: Element | str, **attributes: Value) -> Element:
    """An element: ``stroke_width`` is ``stroke-width``; what is None is left out.

    >>> element("text", "a < b", x=1.5, text_anchor="end").written()
    '<text x="1.5" text-anchor="end">a &lt; b</text>'
    """
    named = tuple((name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items())
    return Element(tag, named, children)


def _attribute(value: Value, standalone: bool) -> str:
    if isinstance(value, Ink):
        return value.css(standalone)
    return escape(visible(value)) if isinstance(value, str) else number(value or 0.0)


def number(x: float) -> str:
    """A coordinate: two decimals at most, never as -0.

    >>> number(1.0), number(-0.001), number(2.345)
    ('1', '0', '2.35')
    """
    text = f"{x + 1e-9:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def hint(words: str) -> Element:
    """What is shown when a pointer rests on the element that this stands in."""
    return element("title", words)


def hatching(x: float, y: float, width: float, height: float, step: float = 7.0) -> Element:
    """Slanted lines that fill a rectangle."""
    parts = []
    at = step / 2
    while at < width + height:
        left, right = max(0.0, at - height), min(at, width)
        parts.append(
            f"M{number(x + left)} {number(y + at - left)}"
            f"L{number(x + right)} {number(y + at - right)}"
        )
        at += step
    return element("path", d="".join(parts), stroke=Ink.QUIET, stroke_opacity=0.45, fill="none")


def picture(
    width: float,
    height: float,
    children: Sequence[Element],
    *,
    title: str,
    about: str,
    standalone: bool = False,
    role: str = "img",
    kind: str = "",
) -> str:
    """A whole picture.

    Args:
        width, height: of what is drawn from (0, 0) on; a margin comes around it.
        title, about: what it is, and what is to be seen, in words.
        standalone: a file of its own, on white, that asks no page for colours.
        role: ``img``, or ``group`` where there are links inside.
        kind: the class ``picture-KIND``.
    """
    w, h = width + 2 * MARGIN, height + 2 * MARGIN
    box = f"{number(-MARGIN)} {number(-MARGIN)} {number(w)} {number(h)}"
    inside = [element("title", title), element("desc", about)]
    if standalone:
        inside.append(
            element("rect", x=-MARGIN, y=-MARGIN, width=w, height=h, fill="#ffffff", stroke="none")
        )
    whole = element(
        "svg",
        *inside,
        *children,
        xmlns="http://www.w3.org/2000/svg",
        class_=f"picture picture-{kind}",
        role=role,
        viewBox=box,
        width=w,
        height=h,
        direction="ltr",
        font_size=SIZE,
        font_family="system-ui, 'DejaVu Sans', sans-serif" if standalone else None,
        color="#1b1b1b" if standalone else None,
        fill=Ink.TEXT,
    )
    return whole.written(standalone) + ("\n" if standalone else "")
