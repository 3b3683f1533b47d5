"""Statistics that several stages need: moments, association and agreement of paired values."""
