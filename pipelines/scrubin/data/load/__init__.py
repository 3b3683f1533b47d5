"""A release as its users load it."""
