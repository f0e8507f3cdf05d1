"""One family of properties a file; each is found here by itself."""
