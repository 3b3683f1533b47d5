"""Detection of action triplets: average precision at an IoU or over a range of them, best confidence, association scores."""
