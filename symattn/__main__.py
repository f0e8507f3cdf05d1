"""``python -m symattn`` is the command line."""

from symattn.cli import run

run()
