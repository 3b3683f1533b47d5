"""Formats of programs that people label with."""
