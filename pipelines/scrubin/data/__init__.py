"""A released data set in the hands of its users."""
