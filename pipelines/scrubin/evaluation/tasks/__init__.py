"""One module per kind of metric: what is compared, and which numbers come of it."""
