"""Reading: from a document to the matrices printed in it, with exact positions and labels.

Nothing is judged here. `read` finds every matrix of numbers in Markdown, LaTeX, HTML, a
notebook or plain text, says which step of attention it is said to be, and where each of its
numbers stands, so that one can be replaced and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symattn.lazy import attributes

if TYPE_CHECKING:
    from symattn.claims.reading.cells import Printed
    from symattn.claims.reading.document import Document
    from symattn.claims.reading.equalities import Equality
    from symattn.claims.reading.facts import Facts, Statement
    from symattn.claims.reading.labels import Named
    from symattn.claims.reading.markers import Block, Marked
    from symattn.claims.reading.matrix import PrintedMatrix
    from symattn.claims.reading.reader import Problem, Reading, read

__all__ = [
    "Block",
    "Document",
    "Equality",
    "Facts",
    "Marked",
    "Named",
    "Printed",
    "PrintedMatrix",
    "Problem",
    "Reading",
    "Statement",
    "read",
]

#: Pages judge numbers without reading a document: what does is imported when it is asked for.
_HOMES = {
    "Block": "markers",
    "Document": "document",
    "Equality": "equalities",
    "Facts": "facts",
    "Marked": "markers",
    "Named": "labels",
    "Printed": "cells",
    "PrintedMatrix": "matrix",
    "Problem": "reader",
    "Reading": "reader",
    "Statement": "facts",
    "read": "reader",
}

__getattr__ = attributes(__name__, _HOMES)
