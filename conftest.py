"""What needs a package that is not installed is not collected for doctests."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("sphinx") else ["symattn/sphinx.py", "symattn/writers/nodes.py"]
if not find_spec("mutmut"):
    collect_ignore.append("tests/mutation")
