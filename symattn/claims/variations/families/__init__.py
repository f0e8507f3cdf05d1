"""One family of variations a file; each is found here by itself."""
