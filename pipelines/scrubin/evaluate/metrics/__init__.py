"""Metrics as pure functions on arrays: the same number for everyone, each with its definition."""
