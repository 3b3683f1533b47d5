"""What is probably wrong in labels, ranked: nothing of it is changed by itself."""
