"""Where Sphinx is not installed the doctests of what it loads are not collected."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("sphinx") else ["symattn/sphinx.py", "symattn/writers/nodes.py"]
