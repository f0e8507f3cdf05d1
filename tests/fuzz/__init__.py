"""Fuzzing: broken and hostile inputs for every reader, and what counts as a fault.

    python -m tests.fuzz --inputs 10000 --seed 0
    python -m tests.fuzz --seconds 60 --target literals --target spec

An input is good if it is read, or refused by an error that the command line prints as one line.
Any other exception, a long calculation and memory that grows are faults.
"""
