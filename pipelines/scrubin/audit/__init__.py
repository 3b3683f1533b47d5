"""The audit: re-reads a finished release to prove that nothing private is in it."""
