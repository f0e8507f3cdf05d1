"""Where the numbers come from: versions, and the machine as far as it matters."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

from benchmarks.peers import installed

PACKAGES = (
    "symattn", "numpy", "python-flint", "sympy", "symengine", "mpmath", "ml_dtypes",
)  # fmt: skip


def setting() -> dict[str, str]:
    """Name and version of everything measured, and the number of cores."""
    found = {"cores": str(os.cpu_count()), "machine": platform.machine()}
    found["Python"] = platform.python_version()
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    if installed("mpmath"):
        from mpmath.libmp import BACKEND
        from sympy.external.gmpy import GROUND_TYPES

        # What they calculate with: gmpy2, where it is installed, makes both faster.
        found["SymPy's integers by"] = GROUND_TYPES
        found["mpmath's by"] = BACKEND
    return found
