"""Formats of programs in which people label, of surgery or of anything else: read, and written where the program can hold it."""
