"""Phase recognition: accuracy, precision, recall, F1, Jaccard in every variant in which they are published."""
