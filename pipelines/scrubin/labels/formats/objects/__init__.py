"""Formats of boxes, masks and tracks of instruments."""
