"""Recordings with planted identifiers, and the answer key beside them."""
