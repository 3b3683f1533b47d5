"""The audit: a finished release is read again, and nothing private may be in it."""
