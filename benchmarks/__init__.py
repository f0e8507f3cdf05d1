"""Ratios against named peers, measured in the same run; see README.md here."""

import os

#: The environment as it was found, for whole processes that are timed.
ENVIRONMENT = dict(os.environ)

# Before NumPy is imported: on small matrices its BLAS is faster with one thread than with more,
# which mostly wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
