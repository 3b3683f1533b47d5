"""Recordings that show the same: near-duplicates by hashes of their frames."""
