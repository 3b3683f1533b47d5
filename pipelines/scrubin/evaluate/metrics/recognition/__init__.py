"""Recognition of action triplets: average precision of the triplets or of their parts, top-k accuracy, best classes."""
