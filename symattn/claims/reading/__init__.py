"""Reading: from a document to the matrices printed in it, with exact positions and labels.

Nothing is judged here. `read` finds every matrix of numbers in Markdown, LaTeX, HTML, a
notebook or plain text, says which step of attention it is said to be, and where each of its
numbers stands, so that one can be replaced and nothing else.
"""

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
