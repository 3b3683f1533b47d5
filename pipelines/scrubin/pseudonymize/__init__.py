"""Stage pseudonymize: one pseudo-English id per recording."""
