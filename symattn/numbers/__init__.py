"""Number systems: one a file, each a table of the operations in `symattn.graph`."""
