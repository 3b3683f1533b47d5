"""Masks of instances as run lengths in the order of columns: read, drawn, joined, compared; numpy alone."""
