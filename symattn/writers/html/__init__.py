"""One HTML file to explore: every matrix, and behind every number where it comes from.

The page is complete without scripts. With them, choosing a number opens its panel: its formula,
what was put in, its digits, and the way back to the inputs and on to what it moves. Nothing is
loaded from anywhere.
"""

from symattn.writers.html.page import write

__all__ = ["write"]
