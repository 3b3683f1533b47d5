"""One module per kind of metric: what is compared, which numbers come of it."""
