"""Which operations two sides of a question share."""
