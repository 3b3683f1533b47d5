"""A release in the layouts that other programs load. No stage depends on it."""
