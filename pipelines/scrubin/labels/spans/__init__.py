"""Spans of time and of frames: from and to labels by frame."""
