"""The command line, as ``symattn`` and as ``python -m symattn``."""

import sys


def run() -> None:
    """Load the command line and run it; Ctrl-C while it loads is no error, either."""
    try:
        from symattn.cli import run as loaded
    except KeyboardInterrupt:
        sys.stderr.write("symattn: stopped\n")
        sys.exit(130)
    loaded()


if __name__ == "__main__":
    run()
