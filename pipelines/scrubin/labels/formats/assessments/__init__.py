"""Formats of what people judge: criteria of safety, and skill."""
