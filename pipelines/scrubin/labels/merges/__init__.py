"""Triplets that are merged into others: label maps, and labels after them."""
