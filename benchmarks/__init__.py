"""Ratios against named peers, measured in the same run; see README.md here."""
