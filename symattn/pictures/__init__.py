"""Pictures of a derivation as SVG, one kind a file."""
