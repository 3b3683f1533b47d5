"""The platforms: what each takes, and what it calls."""
