"""What a model was trained on, as its makers declare it, and what of that is in a test set."""
