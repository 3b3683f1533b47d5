"""Labels to files of another format: what the target can hold, and what it cannot, counted."""
