"""Submissions to a challenge: recognition, detection and phases of every video, each fault with its frames."""
