"""Worksheets: a derivation with entries left blank, its key, and examples made for it."""
