"""Submissions to a challenge: recognition, detection, phases of every video, each fault with its frames."""
