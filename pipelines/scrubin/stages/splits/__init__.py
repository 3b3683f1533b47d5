"""Subsets at participant level: balanced by a mixed-integer program, with the proof beside it."""
