"""Formats of phases, steps and gestures over time."""
