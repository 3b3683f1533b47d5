"""A whole submission against a ground truth: everything that is wrong with it."""
