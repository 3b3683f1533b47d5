"""Formats of instruments and triplets frame by frame."""
